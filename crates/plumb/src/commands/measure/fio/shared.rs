//! What do the parts of `plumb fio` share? Exit codes, additional output files, and when plumb is silent.

use plumb_plan::fio_command::Settings;

use super::logs::Logs;
use super::states::States;
use crate::system::errors_go_to_output;

/// fio's exit code for any error.
pub const FAILED: u8 = 1;
/// fio's exit code after a stop.
pub const STOPPED: u8 = 128;

/// Output files in addition to the result.
pub struct Files {
    pub logs: Logs,
    pub states: States,
}

/// plumb prints no messages if they would mix with machine-readable output.
pub trait Silence {
    fn is_silent(&self) -> bool;
}

impl Silence for Settings {
    fn is_silent(&self) -> bool {
        let formats = self.formats();
        let is_read = (formats.json || formats.terse) && self.output.is_none();
        self.quiet || (is_read && errors_go_to_output())
    }
}
