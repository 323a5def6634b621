//! What does a log hold that a job replays?

use crate::workload::iolog::IologCounts;
use crate::workload::replay::ReplaySurvey;

/// A log, read once from beginning to end by the rules of a workload.
#[derive(Debug, Clone)]
pub struct ReadLog {
    pub survey: ReplaySurvey,
    pub counts: IologCounts,
    /// Requests that the rules left out.
    pub skipped: u64,
    /// From the first line to the last, in nanoseconds.
    pub length_ns: u64,
    /// Names of the files that the log names.
    pub files: Vec<String>,
}
