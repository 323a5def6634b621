//! What is known of a single operation, in a run that logs each (`log-each`)?

use crate::run::tick::Phase;
use crate::workload::OperationKind;

/// One completed operation. All times are nanoseconds since the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggedOperation {
    pub completed_ns: u64,
    pub submitted_ns: u64,
    /// When it was to be submitted; in a closed loop equal to `submitted_ns`.
    pub due_ns: u64,
    /// When the system had accepted it; equal to `submitted_ns` if that was not measured.
    pub accepted_ns: u64,
    /// In bytes; for file operations the number of the file.
    pub offset: u64,
    /// Requested bytes; 0 for operations that move none.
    pub bytes: u32,
    /// Which of the worker's open files.
    pub file: u32,
    pub kind: OperationKind,
    pub phase: Phase,
    /// It returned an error or fewer bytes than requested, or its data did not match.
    pub is_failed: bool,
}

impl LoggedOperation {
    /// From submission to completion, in nanoseconds.
    pub fn service_ns(&self) -> u64 {
        self.completed_ns.saturating_sub(self.submitted_ns)
    }

    /// From when it was due to its completion, in nanoseconds.
    pub fn response_ns(&self) -> u64 {
        self.completed_ns.saturating_sub(self.due_ns)
    }

    /// From submission to acceptance by the system, in nanoseconds; 0 if that was not measured.
    pub fn submission_ns(&self) -> u64 {
        self.accepted_ns.saturating_sub(self.submitted_ns)
    }

    /// From acceptance to completion, in nanoseconds.
    pub fn completion_ns(&self) -> u64 {
        self.completed_ns.saturating_sub(self.accepted_ns)
    }
}

/// Consecutive completions of one worker in one execution of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggedBatch<'a> {
    pub execution: u32,
    pub job: u32,
    pub worker: u32,
    /// In order of completion.
    pub operations: &'a [LoggedOperation],
}
