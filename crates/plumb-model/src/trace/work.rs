//! Who does the work of a trace, and on what? Classes of calls, files, threads, the time between calls, flushes, and the slowest calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events::CallClass;
use crate::results::summary::Latency;

/// All calls of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassFigures {
    pub class: CallClass,
    /// Calls, with or without answer.
    pub count: u64,
    /// Share of the calls, 0 to 1; missing for calls that wait for something to happen, which are left out of it.
    pub count_share: Option<f64>,
    /// Bytes that were moved; those that were asked for when the trace tells no answers.
    pub bytes: u64,
    /// Sum of the service times in nanoseconds.
    pub sum_ns: f64,
    /// Share of the service times of all classes, 0 to 1; missing as `count_share`, and when the trace tells no answers.
    pub time_share: Option<f64>,
}

/// Files by the time of the calls on them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Files {
    /// Files that were told apart: by name, and those without a name each time that they are opened.
    pub count: u64,
    /// Those of them with a name.
    pub named: u64,
    /// Those with the most time first; with the most bytes where the trace tells no answers. At most 50.
    pub most: Vec<FileFigures>,
    /// All others together.
    pub rest: FileTotals,
    /// Calls that concern no open file, such as stat and rename of a path, or of which the trace does not tell it.
    pub without_file: FileTotals,
    /// Missing where no file has a name, and where there were more files than are told apart.
    pub touched_once: Option<TouchedOnce>,
    /// Files that were added to `rest` on the way, as there were more than are told apart; one that was used again afterwards counts again.
    pub summed_early: u64,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileFigures {
    /// Path, device, or what else the trace calls it; missing when it does not tell.
    pub name: Option<String>,
    /// Times that it was opened, or was open when the trace began.
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
    /// Share of the service times of all calls, 0 to 1; missing when the trace tells no answers.
    pub time_share: Option<f64>,
    /// Reads and writes whose file and offset are known, and that have one of their class before them on the same open file.
    pub following: u64,
    /// Those of them that began where the one before ended.
    pub sequential: u64,
}

impl FileTotals {
    /// Share of the reads and writes that follow the one before, 0 to 1; missing without any that could.
    pub fn sequential_share(&self) -> Option<f64> {
        (self.following > 0).then(|| self.sequential as f64 / self.following as f64)
    }
}

/// Files with a name that were opened once, and of which or to which one call moved bytes: nothing of them was used a second time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TouchedOnce {
    pub files: u64,
    /// Files with a name that were read or written at all.
    pub of_files: u64,
    /// Bytes that were moved of them.
    pub bytes: u64,
    /// Of so many bytes of all files.
    pub of_bytes: u64,
}

/// Threads by the time in which they had a call outstanding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Threads {
    /// Threads or processes that made calls.
    pub count: u64,
    /// The busiest first; those with the most calls where the trace tells no answers. At most 50.
    pub most: Vec<ThreadFigures>,
    /// Calls of all others.
    pub rest_calls: u64,
    /// Time in which they had a call outstanding, added up over them, in nanoseconds.
    pub rest_busy_ns: f64,
}

/// One thread or process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadFigures {
    /// As the trace names it: its number.
    pub name: String,
    pub calls: u64,
    /// From the begin of its first call to the end of its last, in nanoseconds.
    pub span_ns: u64,
    /// Time in which it had a call outstanding, in nanoseconds; missing when the trace tells no answers.
    pub busy_ns: Option<f64>,
    /// The same as a share of the span of the whole trace, 0 to 1.
    pub busy_share: Option<f64>,
}

/// The time between the end of a call and the begin of the next one of the same thread (connection, volume), in which it had none outstanding: it computed, waited for
/// something else, or slept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkTime {
    pub between_calls: Latency,
    /// Sum over all threads in nanoseconds.
    pub sum_ns: f64,
    /// Share of the time of the threads, each from the begin of its first call to the end of its last, 0 to 1.
    pub share: f64,
}

/// Calls that make what was written durable: fsync, fdatasync, sync_file_range, syncfs, sync; FLUSH of SMB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flushes {
    /// Those that were answered.
    pub count: u64,
    /// Those that were not, or in a trace that does not tell when.
    pub without_time: u64,
    /// Share of the service times of all calls, 0 to 1; missing when the trace tells no answers.
    pub time_share: Option<f64>,
    pub service_time: Latency,
    /// From the begin of one to the begin of the next, whatever files they concern, in nanoseconds.
    pub interval: Latency,
    /// Bytes that were written to the file since the flush before, or since its first call in the trace. Missing where no flush names a file that is known.
    pub written_before: Option<WrittenBefore>,
}

/// Bytes that were written to a file before it was flushed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WrittenBefore {
    /// Flushes whose file is known.
    pub flushes: u64,
    /// Those of them to whose file nothing was written since the flush before.
    pub without_bytes: u64,
    pub p50: f64,
    pub mean: f64,
    pub max: f64,
}

/// One of the calls that took longest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowCall {
    /// When it was made, in nanoseconds after the first call of the trace.
    pub after_ns: u64,
    pub service_ns: u64,
    /// `READ`, `pread64`.
    pub call: String,
    pub class: CallClass,
    /// Missing when the trace does not name threads.
    pub thread: Option<String>,
    /// Missing when it concerns no file, or the trace does not name it.
    pub file: Option<String>,
    /// In bytes from the start of the file; missing when it has none, or it is not known.
    pub offset: Option<u64>,
    /// Bytes that it asked to move.
    pub bytes: Option<u64>,
    /// Bytes that were moved.
    pub moved_bytes: Option<u64>,
    /// What it was answered in place of success.
    pub status: Option<String>,
}
