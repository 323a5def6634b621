//! What does the record of `plumb watch` hold, a run that samples counters and generates no load?

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Watch {
    /// Sampling interval in nanoseconds.
    pub interval_ns: u64,
    /// Requested duration. Missing: until stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<u64>,
    /// The sets of counters, as given: `disk`, `share`, or a file.
    pub sets: Vec<String>,
    /// The sampled sources: `diskstats`, `nfs`.
    pub sources: Vec<String>,
    /// The watched command; empty: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watched_command: Vec<String>,
}

/// Cost of the recording, written at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchCost {
    /// CPU time of plumb in nanoseconds, all threads, user and kernel mode (clock_gettime(2) CLOCK_PROCESS_CPUTIME_ID). Missing if the system does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Elapsed time in nanoseconds.
    pub elapsed_ns: u64,
    /// Number of samples.
    pub samples: u64,
    /// Samples skipped because the previous one was late by an interval or more.
    pub left_out: u64,
}

/// How the watched command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandEnd {
    /// Its exit status. Missing if a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// Number of the signal that ended it. Missing if it exited, and on systems without signals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// From its start to its end, in nanoseconds.
    pub elapsed_ns: u64,
}

impl CommandEnd {
    /// True if it exited with status 0.
    pub fn is_success(&self) -> bool {
        self.status == Some(0)
    }
}

/// A named background recording (`plumb watch start NAME`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collection {
    pub name: String,
    /// The run folder, as an absolute path.
    pub folder: PathBuf,
    /// RFC 3339 with offset.
    pub started: String,
}
