//! Which threads and files does a trace contain? Classes of calls, files, threads, think time, flushes, and the slowest calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events::CallClass;
use crate::results::summary::Latency;

/// All calls of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassFigures {
    pub class: CallClass,
    /// Calls, with or without response.
    pub count: u64,
    /// Share of the calls, 0 to 1; missing for calls that wait for something to happen, which are left out of it.
    pub count_share: Option<f64>,
    /// Bytes transferred; requested bytes if the trace has no responses.
    pub bytes: u64,
    /// Sum of the service times in nanoseconds.
    pub sum_ns: f64,
    /// Share of the service times of all classes, 0 to 1; missing like `count_share`, and if the trace has no responses.
    pub time_share: Option<f64>,
}

/// Files by time of their calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Files {
    /// Number of distinct files: by name, and by open for those without a name.
    pub count: u64,
    /// Files with a name.
    pub named: u64,
    /// Most time first; most bytes if the trace has no responses. At most 50.
    pub most: Vec<FileFigures>,
    /// Sum of all others.
    pub rest: FileTotals,
    /// Calls without an open file, such as stat and rename of a path, or whose file is not recorded.
    pub without_file: FileTotals,
    /// Missing if no file has a name, and if there were too many files to distinguish.
    pub touched_once: Option<TouchedOnce>,
    /// Files added to `rest` early, because there were too many to distinguish; one used again later counts again.
    pub summed_early: u64,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileFigures {
    /// Path, device, or another name in the trace; missing if not recorded.
    pub name: Option<String>,
    /// Number of opens, including one already open at the start of the trace.
    pub opens: u64,
    pub totals: FileTotals,
}

/// Calls on one file, or on several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileTotals {
    pub calls: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Sum of the service times in nanoseconds.
    pub sum_ns: f64,
    /// Share of the service times of all calls, 0 to 1; missing if the trace has no responses.
    pub time_share: Option<f64>,
    /// Reads and writes with known file and offset that follow another of their class on the same open file.
    pub following: u64,
    /// Those that start where the previous one ended.
    pub sequential: u64,
}

impl FileTotals {
    /// Share of sequential reads and writes, 0 to 1; missing without any candidates.
    pub fn sequential_share(&self) -> Option<f64> {
        (self.following > 0).then(|| self.sequential as f64 / self.following as f64)
    }
}

/// Named files that were opened once, with a single data transfer: none of their data was used twice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TouchedOnce {
    pub files: u64,
    /// Named files that were read or written.
    pub of_files: u64,
    /// Bytes transferred.
    pub bytes: u64,
    /// Bytes transferred of all files.
    pub of_bytes: u64,
}

/// Threads by time with a call outstanding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Threads {
    /// Threads or processes that made calls.
    pub count: u64,
    /// Busiest first; most calls first if the trace has no responses. At most 50.
    pub most: Vec<ThreadFigures>,
    /// Calls of all others.
    pub rest_calls: u64,
    /// Time with a call outstanding, summed over them, in nanoseconds.
    pub rest_busy_ns: f64,
}

/// One thread or process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadFigures {
    /// Its number in the trace.
    pub name: String,
    pub calls: u64,
    /// From the start of its first call to the end of its last, in nanoseconds.
    pub span_ns: u64,
    /// Time with a call outstanding, in nanoseconds; missing if the trace has no responses.
    pub busy_ns: Option<f64>,
    /// The same as a share of the span of the trace, 0 to 1.
    pub busy_share: Option<f64>,
}

/// Time between the end of a call and the start of the next one of the same thread (connection, volume), with none outstanding: it computed, waited for
/// something else, or slept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkTime {
    pub between_calls: Latency,
    /// Sum over all threads in nanoseconds.
    pub sum_ns: f64,
    /// Share of the time of the threads, each from the start of its first call to the end of its last, 0 to 1.
    pub share: f64,
}

/// Calls that make written data durable: fsync, fdatasync, sync_file_range, syncfs, sync; FLUSH of SMB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flushes {
    /// Completed flushes.
    pub count: u64,
    /// Flushes without a response.
    pub without_time: u64,
    /// Share of the service times of all calls, 0 to 1; missing if the trace has no responses.
    pub time_share: Option<f64>,
    pub service_time: Latency,
    /// From the start of one to the start of the next, across all files, in nanoseconds.
    pub interval: Latency,
    /// Bytes written to the file since its previous flush, or since its first call in the trace. Missing if no flush has a known file.
    pub written_before: Option<WrittenBefore>,
}

/// Bytes written to a file between flushes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WrittenBefore {
    /// Flushes with a known file.
    pub flushes: u64,
    /// Those without writes since the previous flush.
    pub without_bytes: u64,
    pub p50: f64,
    pub mean: f64,
    pub max: f64,
}

/// One of the slowest calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowCall {
    /// Start, in nanoseconds after the first call of the trace.
    pub after_ns: u64,
    pub service_ns: u64,
    /// `READ`, `pread64`.
    pub call: String,
    pub class: CallClass,
    /// Missing if the trace does not name threads.
    pub thread: Option<String>,
    /// Missing if it has no file, or the trace does not name it.
    pub file: Option<String>,
    /// In bytes from the start of the file; missing if it has none, or it is unknown.
    pub offset: Option<u64>,
    /// Requested bytes.
    pub bytes: Option<u64>,
    /// Bytes transferred.
    pub moved_bytes: Option<u64>,
    /// Status other than success.
    pub status: Option<String>,
}
