//! What is measured to prove or refute a finding? The same work in several settings, the current one first.

use crate::statement::Statement;

/// An experiment for one finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// The rule whose finding it tests.
    pub rule: String,
    /// Requests per second in the recording.
    pub requests_per_s: f64,
    /// The current setting first.
    pub settings: Vec<Setting>,
    pub compares: Compares,
    pub expects: Expects,
}

/// Which figure is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compares {
    RequestsPerSecond,
    BytesPerSecond,
}

/// Result that proves the finding. Factors are relative to the current setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expects {
    /// Setting `at` gains at least this factor, and the last one meets its prediction.
    Gain { at: usize, least: f64 },
    /// The last setting keeps at least this factor.
    Keep { least: f64 },
    /// The last setting gains less than this factor.
    NoGain { most: f64 },
}

/// One setting: what sets it apart, its load, and its prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub statement: Statement,
    pub load: Load,
    /// Factor relative to the current setting, 90 % confidence.
    pub predicted: (f64, f64),
}

/// The load of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    pub work: Work,
    /// Bytes of a request, or of a file.
    pub request_bytes: f64,
    /// Requests outstanding on each connection.
    pub outstanding: u64,
    pub connections: u64,
    /// Think time of each caller between a response and its next request, in nanoseconds.
    pub pause_ns: f64,
}

/// Kind of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Work {
    /// Reads within one file, and writes if the read share is below 1.
    Requests { reads: f64 },
    /// Writes with a flush after every N.
    Writes { each_flush: u64 },
    /// One file per operation: open, read, close; or create, write, close.
    Files { reads: bool },
}

impl Work {
    /// True if it creates files: the target must be a folder.
    pub fn needs_folder(self) -> bool {
        !matches!(self, Work::Requests { .. })
    }
}
