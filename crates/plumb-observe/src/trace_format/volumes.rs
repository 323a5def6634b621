//! Which block device or volume is it? They are numbered in the order in which they first come.

use std::collections::HashMap;

use crate::event_sink::EventSink;
use foldhash::fast::RandomState;

/// Volumes that are told apart; calls on more of them have no file.
const VOLUMES_MAX: usize = 65_536;

/// A name as one number: its bytes, which are few, spread over it (FNV-1a).
pub fn spread(name: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    name.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Volumes by what the trace calls them, which is one number here.
#[derive(Default)]
pub struct Volumes {
    numbers: HashMap<u64, u64, RandomState>,
    /// The one before: most requests are of the same.
    last: Option<(u64, u64)>,
}

impl Volumes {
    /// The number of the file that stands for it; `name` is queried for once.
    pub fn file(
        &mut self,
        key: u64,
        name: impl FnOnce() -> String,
        event_sink: &mut EventSink<'_>,
    ) -> Option<u64> {
        if let Some((last, file)) = self.last
            && last == key
        {
            return Some(file);
        }
        let file = match self.numbers.get(&key) {
            Some(file) => *file,
            None if self.numbers.len() < VOLUMES_MAX => {
                let file = self.numbers.len() as u64;
                self.numbers.insert(key, file);
                event_sink.name(file, &name());
                file
            }
            None => return None,
        };
        self.last = Some((key, file));
        Some(file)
    }
}
