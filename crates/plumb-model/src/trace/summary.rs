//! What does a trace say? Figures of each kind of call, sizes, outstanding calls over time, and at first glance what takes the time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::capture::CaptureFacts;
use super::events::CallClass;
use super::facts::TraceFacts;
use super::size_times::SizeTimes;
use super::work::{ClassFigures, Files, Flushes, SlowCall, ThinkTime, Threads};
use crate::results::summary::Latency;
use crate::statement::Statement;

/// Name and version of the schema of `plumb trace --json`. Names may be added under one version, never changed.
pub const TRACE_SCHEMA: &str = "plumb-trace-1";

/// A trace and what it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSummary {
    /// `plumb-trace-1`.
    pub schema: String,
    pub plumb_version: String,
    /// The file, as it was named.
    pub source: String,
    /// From the first call that was made to what was seen last, in nanoseconds.
    pub span_ns: u64,
    /// What takes the time, at first glance; then what is doubtful.
    pub verdict: Vec<Statement>,
    /// What was lost, cut or cannot be looked into.
    pub doubts: Vec<Statement>,
    /// Each kind of call, the one that takes the most time first.
    pub calls: Vec<CallFigures>,
    /// The same by class: reads, writes, metadata, and what else there is; in this order.
    #[serde(default)]
    pub mix: Vec<ClassFigures>,
    /// Missing when the trace does not tell when calls were answered.
    pub outstanding: Option<Outstanding>,
    /// Share of the time of all calls that is the round trip of the network, 0 to 1; missing without a handshake in the trace.
    pub round_trip_share: Option<f64>,
    /// Missing when sizes were all the same, or there are too few reads and writes.
    #[serde(default)]
    pub transfer_time: Option<TransferTime>,
    /// Missing where each call went by itself.
    #[serde(default)]
    pub together: Option<Together>,
    /// Missing without reads and writes.
    #[serde(default)]
    pub size_times: Option<SizeTimes>,
    /// Missing where no call concerns a file that is known.
    #[serde(default)]
    pub files: Option<Files>,
    /// Missing where the trace does not say who made the calls.
    #[serde(default)]
    pub threads: Option<Threads>,
    /// Missing when the trace tells no answers, or no thread made a second call.
    #[serde(default)]
    pub think_time: Option<ThinkTime>,
    /// Missing without such calls.
    #[serde(default)]
    pub flushes: Option<Flushes>,
    /// The calls that took longest, the longest first; without those that wait for something to happen. At most 20.
    #[serde(default)]
    pub slowest: Vec<SlowCall>,
    /// Missing when the trace is no capture of packets.
    pub capture: Option<CaptureFacts>,
    /// Missing when the trace is a capture of packets.
    #[serde(default)]
    pub recorded: Option<TraceFacts>,
}

impl TraceSummary {
    /// Whether the trace tells when calls were answered: only then are there times.
    pub fn has_responses(&self) -> bool {
        let recorded = self.recorded.as_ref();
        recorded.is_none_or(|facts| facts.has_responses)
    }
}

/// Calls that went in one message with others and were answered with them, such as the compounds of SMB: they are one wait, and each has its whole time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    pub calls: u64,
    /// Messages of more than one call.
    pub messages: u64,
    /// Service times of all of their calls but one of each message, in nanoseconds.
    pub repeated_ns: f64,
    /// The part of it in metadata calls: all of theirs in a message that moves content too.
    pub repeated_metadata_ns: f64,
}

/// One kind of call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallFigures {
    /// `READ`, `pread64`.
    pub name: String,
    pub class: CallClass,
    /// Calls that were answered.
    pub count: u64,
    /// Calls whose answer was not seen.
    pub unanswered: u64,
    /// Calls of a trace that does not tell when calls were answered (`recorded.tells_answers`): they have no service time, and are not in `count`.
    #[serde(default)]
    pub without_time: u64,
    /// Answers that the server announced would take a while (STATUS_PENDING).
    pub pending: u64,
    /// Sum of the service times in nanoseconds.
    pub sum_ns: f64,
    /// Share of the service times of all kinds, 0 to 1; missing for calls that wait for something to happen, which are left out of it.
    pub time_share: Option<f64>,
    /// Service time: from the end of the request to the end of the answer.
    pub service_time: Latency,
    /// Answers that are errors.
    pub errors: u64,
    /// What answers said in place of success, the most frequent first.
    pub statuses: Vec<StatusCount>,
    /// For reads and writes.
    pub transfer: Option<Transfer>,
}

/// How often a status was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusCount {
    /// `STATUS_END_OF_FILE`; the number in hexadecimal where it has no name here.
    pub status: String,
    pub count: u64,
    pub is_error: bool,
}

/// What reads or writes moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transfer {
    /// Bytes that were moved; those that were asked for when the trace tells no answers.
    pub bytes: u64,
    /// Bytes per second over the span of the trace.
    pub bytes_per_s: f64,
    /// Sizes that were asked for.
    pub size: SizeFigures,
    /// Calls of which a file and an offset are known.
    pub located: u64,
    /// Those of them that began where the call before of this kind on this file ended, in the order in which they were made.
    pub sequential: u64,
    /// Those of them whose offset and size are multiples of 4 KiB.
    pub aligned: u64,
    /// Files of which a call was seen; a file that is opened again counts again.
    pub files: u64,
}

/// Sizes of calls in bytes; quantiles are within 0.4 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeFigures {
    pub min: u64,
    pub mean: f64,
    pub p50: u64,
    pub max: u64,
    /// Calls by size: each class holds sizes above half of its bound up to it.
    pub classes: Vec<SizeClass>,
}

/// Calls of similar size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeClass {
    /// A power of two: the largest size in this class.
    pub up_to_bytes: u64,
    pub count: u64,
}

/// Calls that were outstanding at the same time; those that wait for something to happen are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outstanding {
    /// Mean over the whole span.
    pub mean: f64,
    /// Mean over the time in which any was.
    pub mean_while_busy: Option<f64>,
    pub max: u64,
    /// Share of the span in which none was, 0 to 1.
    pub idle_share: f64,
    /// Share of the span with so many outstanding, 0 to 1: (from, share), each entry up to the next; the first is 0.
    pub shares: Vec<(u64, f64)>,
    /// Length of one entry of `over_time` in nanoseconds.
    pub interval_ns: u64,
    /// From the first call on.
    pub over_time: Vec<Interval>,
    /// The time with each number of outstanding calls and what was answered in it, up to 256 of them; none where there was no such time.
    #[serde(default)]
    pub by_outstanding: Vec<DepthFigures>,
}

/// What happened while so many calls were outstanding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DepthFigures {
    pub outstanding: u64,
    pub time_ns: u64,
    /// Calls that were answered then.
    pub answered: u64,
}

/// What a read or write costs by its size and by what was outstanding before it: the plane of least squares through the service times of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransferTime {
    /// Calls that it rests on.
    pub count: u64,
    /// Without any bytes, in nanoseconds.
    pub base_ns: f64,
    /// For each byte of the call itself, in nanoseconds.
    pub ns_per_byte: f64,
    /// Standard error of that; missing in records of earlier versions.
    #[serde(default)]
    pub ns_per_byte_error: Option<f64>,
    /// For each byte of reads and writes that were outstanding when it was made; missing when those were always the same, such as none.
    pub ns_per_byte_before: Option<f64>,
    /// Share of the variance of service times that it explains, 0 to 1.
    pub explained: f64,
}

/// One interval of a trace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Mean number of outstanding calls.
    pub outstanding: f64,
    /// Most that were outstanding.
    pub outstanding_max: u64,
    /// Calls that were answered.
    pub answered: u64,
    /// Bytes that were moved.
    pub bytes: u64,
}
