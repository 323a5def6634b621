//! What does a run say of itself that watched counters, and made no load of its own?

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Watch {
    /// From one sample to the next, in nanoseconds.
    pub interval_ns: u64,
    /// How long it was to go on. Missing: until it was ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<u64>,
    /// The sets of counters, as they were named: `disk`, `share`, or a file.
    pub sets: Vec<String>,
    /// The sources that were read: `diskstats`, `nfs`.
    pub sources: Vec<String>,
    /// The command that was watched while it ran; empty: none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watched_command: Vec<String>,
}

/// What the watching cost, told at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchCost {
    /// CPU time of plumb in nanoseconds, all threads, user and kernel mode (clock_gettime(2) CLOCK_PROCESS_CPUTIME_ID). Missing where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Time over which it was spent, in nanoseconds.
    pub elapsed_ns: u64,
    /// Samples that were taken.
    pub samples: u64,
    /// Samples that were left out because the one before was late by an interval or more.
    pub left_out: u64,
}

/// How the watched command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandEnd {
    /// Its exit status. Missing when a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// Number of the signal that ended it. Missing when it ended by itself, and where there are no signals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// From its start to its end, in nanoseconds.
    pub elapsed_ns: u64,
}

impl CommandEnd {
    /// It ended by itself with status 0.
    pub fn is_success(&self) -> bool {
        self.status == Some(0)
    }
}

/// Watching in the background, under a name (`plumb watch start NAME`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collection {
    pub name: String,
    /// The run folder, as a whole path.
    pub folder: PathBuf,
    /// RFC 3339 with offset.
    pub started: String,
}
