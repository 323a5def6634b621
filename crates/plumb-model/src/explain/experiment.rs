//! What is measured to prove or refute a finding? The same work in several settings, today's first.

use crate::statement::Statement;

/// An experiment for one finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// The rule whose finding it is about.
    pub rule: String,
    /// Requests per second in the recording.
    pub requests_per_s: f64,
    /// Today's first.
    pub settings: Vec<Setting>,
    pub compares: Compares,
    pub expects: Expects,
}

/// Which figure of the settings is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compares {
    RequestsPerSecond,
    BytesPerSecond,
}

/// What has to come out for the finding to be proven. Factors are over today's setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expects {
    /// The setting `at` brings this factor at least, and the last one what was predicted for it.
    Gain { at: usize, least: f64 },
    /// The last setting keeps this factor at least.
    Keep { least: f64 },
    /// The last setting brings less than this factor.
    NoGain { most: f64 },
}

/// One setting: what is peculiar to it, what is carried out, and what is predicted for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub statement: Statement,
    pub load: Load,
    /// Factor over today's setting, with a confidence of 90 %.
    pub predicted: (f64, f64),
}

/// A load as it is carried out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    pub work: Work,
    /// Bytes of a request, or of a file.
    pub request_bytes: f64,
    /// Requests outstanding on each connection.
    pub outstanding: u64,
    pub connections: u64,
    /// Pause of each caller between an answer and its next request, in nanoseconds.
    pub pause_ns: f64,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Work {
    /// Reads, and writes where the share of reads is below 1, within one file.
    Requests { reads: f64 },
    /// Writes with a flush after every so many.
    Writes { each_flush: u64 },
    /// A file each: opened, read and closed, or made, written and closed.
    Files { reads: bool },
}

impl Work {
    /// True where files are made: the target has to be a folder.
    pub fn needs_folder(self) -> bool {
        !matches!(self, Work::Requests { .. })
    }
}
