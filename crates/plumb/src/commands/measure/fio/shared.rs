//! What do the parts of `plumb fio` share? Exit codes, the files beside the result, and when plumb is silent.

use plumb_plan::fio_command::Settings;

use super::logs::Logs;
use super::states::States;
use crate::system::errors_go_to_output;

/// fio ends with this for whatever went wrong.
pub const FAILED: u8 = 1;
/// fio ends with this when it was told to end.
pub const STOPPED: u8 = 128;

/// Files beside the result.
pub struct Files {
    pub logs: Logs,
    pub states: States,
}

/// plumb's words are kept back where they would stand among those that a program reads.
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
