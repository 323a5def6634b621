//! What do the parts of `plumb fio` share? Exit codes, additional output files, and when plumb is silent.

use std::io::IsTerminal as _;

use plumb_model::workload::FioVersion;
use plumb_plan::fio_command::{Settings, notes};

use super::logs::Logs;
use super::states::States;
use crate::system::errors_go_to_output;

/// fio's exit code for any error.
pub const FAILED: u8 = 1;
/// fio's exit code after a stop.
pub const STOPPED: u8 = 128;

/// Output files in addition to the result, and the notes of plumb that follow it.
pub struct Files {
    pub logs: Logs,
    pub states: States,
    pub notes: Vec<String>,
}

/// The variable with the same values as `--plumb-notes`.
const NOTES: &str = "PLUMB_FIO_NOTES";

/// The variable with the same values as `--plumb-as`.
const VERSION: &str = "PLUMB_FIO_AS";

/// The version of fio in whose form results and verified blocks are written.
pub fn fio_version(settings: &Settings) -> FioVersion {
    let of_variable = || std::env::var(VERSION).ok()?.parse().ok();
    let asked = settings.fio_version.or_else(of_variable);
    asked.unwrap_or(FioVersion::V3At33)
}

/// fio prints nothing but its output, and scripts rely on it: so does plumb, unless someone looks on or asks for its notes. They never mix with
/// machine-readable output.
pub trait Silence {
    fn is_silent(&self) -> bool;
}

impl Silence for Settings {
    fn is_silent(&self) -> bool {
        let formats = self.formats();
        let is_read = (formats.json || formats.terse) && self.output.is_none();
        let of_variable = || notes(&std::env::var(NOTES).ok()?);
        let requested = self.notes.or_else(of_variable);
        let are_shown = requested.unwrap_or_else(|| std::io::stderr().is_terminal());
        self.quiet || !are_shown || (is_read && errors_go_to_output())
    }
}
