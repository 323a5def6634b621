//! Which environment facts exist, and what does each mean?

mod every_system;
mod windows;

use every_system::OF_EVERY_SYSTEM;
use windows::OF_WINDOWS;

/// Every fact that the doctor may set: (id, meaning). `array.member.*` means one fact per member. The observer sets no other
/// (a test holds it), and rules read no other.
pub const FACTS: &[(&str, &str)] = &joined();

const COUNT: usize = OF_EVERY_SYSTEM.len() + OF_WINDOWS.len();

const fn joined() -> [(&'static str, &'static str); COUNT] {
    let mut all = [("", ""); COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = if at < OF_EVERY_SYSTEM.len() {
            OF_EVERY_SYSTEM[at]
        } else {
            OF_WINDOWS[at - OF_EVERY_SYSTEM.len()]
        };
        at += 1;
    }
    all
}
