//! What does the log of a replay contain?

use crate::workload::iolog::IologCounts;
use crate::workload::replay::ReplaySurvey;

/// A log, read once from start to end by the rules of a workload.
#[derive(Debug, Clone)]
pub struct ReadLog {
    pub survey: ReplaySurvey,
    pub counts: IologCounts,
    /// Requests skipped by the rules.
    pub skipped: u64,
    /// From the first line to the last, in nanoseconds.
    pub length_ns: u64,
    /// File names in the log.
    pub files: Vec<String>,
}
