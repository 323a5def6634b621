//! What is in a trace? Figures of each kind of call, sizes, outstanding calls over time, and where the time goes.

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

/// Summary of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSummary {
    /// `plumb-trace-1`.
    pub schema: String,
    pub plumb_version: String,
    /// The file, as given.
    pub source: String,
    /// From the first call to the last one that was made or answered, in nanoseconds.
    pub span_ns: u64,
    /// Where the time goes.
    pub verdict: Vec<Statement>,
    /// What was lost, truncated or cannot be decoded.
    pub doubts: Vec<Statement>,
    /// Each kind of call, most time first.
    pub calls: Vec<CallFigures>,
    /// The same by class: reads, writes, metadata, others; in this order.
    #[serde(default)]
    pub mix: Vec<ClassFigures>,
    /// Missing if the trace has no responses.
    pub outstanding: Option<Outstanding>,
    /// Share of network round trips in the time of all calls, 0 to 1; missing without a handshake in the trace.
    pub round_trip_share: Option<f64>,
    /// Missing if all sizes are the same, or with too few reads and writes.
    #[serde(default)]
    pub transfer_time: Option<TransferTime>,
    /// Missing if there are no compound messages.
    #[serde(default)]
    pub together: Option<Together>,
    /// Missing without reads and writes.
    #[serde(default)]
    pub size_times: Option<SizeTimes>,
    /// Missing if no call refers to a known file.
    #[serde(default)]
    pub files: Option<Files>,
    /// Missing if the trace does not record the callers.
    #[serde(default)]
    pub threads: Option<Threads>,
    /// Missing if the trace has no responses, or no thread made a second call.
    #[serde(default)]
    pub think_time: Option<ThinkTime>,
    /// Missing without such calls.
    #[serde(default)]
    pub flushes: Option<Flushes>,
    /// The slowest calls, longest first, except those that wait for an event. At most 20.
    #[serde(default)]
    pub slowest: Vec<SlowCall>,
    /// Missing if the trace is not a packet capture.
    pub capture: Option<CaptureFacts>,
    /// Missing if the trace is a packet capture.
    #[serde(default)]
    pub recorded: Option<TraceFacts>,
}

impl TraceSummary {
    /// True if the trace has responses: only then are there service times.
    pub fn has_responses(&self) -> bool {
        let recorded = self.recorded.as_ref();
        recorded.is_none_or(|facts| facts.has_responses)
    }
}

/// Calls sent and completed together in one message, such as SMB compounds: they are one wait, and each has the full time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    pub calls: u64,
    /// Messages of more than one call.
    pub messages: u64,
    /// Service times of all their calls except one per message, in nanoseconds.
    pub repeated_ns: f64,
    /// The part of it in metadata calls: all of them in a message that also transfers data.
    pub repeated_metadata_ns: f64,
}

/// One kind of call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallFigures {
    /// `READ`, `pread64`.
    pub name: String,
    pub class: CallClass,
    /// Completed calls.
    pub count: u64,
    /// Calls without a response.
    pub unanswered: u64,
    /// Calls of a trace without responses (`recorded.tells_answers`): they have no service time, and are not in `count`.
    #[serde(default)]
    pub without_time: u64,
    /// Calls with an interim response (STATUS_PENDING).
    pub pending: u64,
    /// Sum of the service times in nanoseconds.
    pub sum_ns: f64,
    /// Share of the service times of all kinds, 0 to 1; missing for calls that wait for an event, which are excluded.
    pub time_share: Option<f64>,
    /// Service time: from the end of the request to the end of the response.
    pub service_time: Latency,
    /// Error responses.
    pub errors: u64,
    /// Statuses other than success, most frequent first.
    pub statuses: Vec<StatusCount>,
    /// For reads and writes.
    pub transfer: Option<Transfer>,
}

/// How often a status was returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusCount {
    /// `STATUS_END_OF_FILE`; in hexadecimal if it has no known name.
    pub status: String,
    pub count: u64,
    pub is_error: bool,
}

/// Data transferred by reads or writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transfer {
    /// Bytes transferred; requested bytes if the trace has no responses.
    pub bytes: u64,
    /// Bytes per second over the span of the trace.
    pub bytes_per_s: f64,
    /// Requested sizes.
    pub size: SizeFigures,
    /// Calls with known file and offset.
    pub located: u64,
    /// Those that start where the previous call of this kind on this file ended, in issue order.
    pub sequential: u64,
    /// Those of them whose offset and size are multiples of 4 KiB.
    pub aligned: u64,
    /// Files with calls; a file that is opened again counts again.
    pub files: u64,
}

/// Sizes of calls in bytes; quantiles are within 0.4 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeFigures {
    pub min: u64,
    pub mean: f64,
    pub p50: u64,
    pub max: u64,
    /// Calls by size: each class holds sizes from above half of its bound up to it.
    pub classes: Vec<SizeClass>,
}

/// Calls of similar size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeClass {
    /// A power of two: the largest size in this class.
    pub up_to_bytes: u64,
    pub count: u64,
}

/// Outstanding calls, except those that wait for an event and those without a response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outstanding {
    /// Mean over the span.
    pub mean: f64,
    /// Mean over the time with at least one outstanding.
    pub mean_while_busy: Option<f64>,
    pub max: u64,
    /// Share of the span without outstanding calls, 0 to 1.
    pub idle_share: f64,
    /// Share of the span by number outstanding, 0 to 1: (from, share), each entry up to the next; the first is 0.
    pub shares: Vec<(u64, f64)>,
    /// Length of one entry of `over_time` in nanoseconds.
    pub interval_ns: u64,
    /// From the first call on.
    pub over_time: Vec<Interval>,
    /// Time and completions by number of outstanding calls, up to 256; numbers that did not occur are left out.
    #[serde(default)]
    pub by_outstanding: Vec<DepthFigures>,
}

/// Rounding of sums and shares.
const ROUNDING: f64 = 1e-6;

impl Outstanding {
    /// False if the figures contradict each other: while any call is outstanding at least one is, and never more than the largest number; the time with any and
    /// the time without are the whole.
    pub fn is_consistent(&self) -> bool {
        let (least, most) = (1.0 - ROUNDING, self.max as f64 * (1.0 + ROUNDING));
        let while_busy = self
            .mean_while_busy
            .is_none_or(|mean| (least..=most).contains(&mean));
        let is_share = (-ROUNDING..=1.0 + ROUNDING).contains(&self.idle_share);
        let busy_share = 1.0 - self.idle_share;
        let product = busy_share * self.mean_while_busy.unwrap_or(0.0);
        let is_mean = self.mean_while_busy.is_none()
            || (product - self.mean).abs() <= ROUNDING * self.mean.max(1.0);
        let sum: f64 = self.shares.iter().map(|(_, share)| share).sum();
        let is_complete = self.shares.is_empty() || sum == 0.0 || (sum - 1.0).abs() <= ROUNDING;
        while_busy && is_share && is_mean && is_complete
    }
}

/// Time and completions at one number of outstanding calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DepthFigures {
    pub outstanding: u64,
    pub time_ns: u64,
    /// Calls completed in that time.
    pub answered: u64,
}

/// Time of a read or write by its size and by the bytes outstanding before it: least-squares plane through all service times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransferTime {
    /// Number of calls.
    pub count: u64,
    /// Time at zero bytes, in nanoseconds.
    pub base_ns: f64,
    /// Time per byte of the call itself, in nanoseconds.
    pub ns_per_byte: f64,
    /// Standard error of that; missing in records of earlier versions.
    #[serde(default)]
    pub ns_per_byte_error: Option<f64>,
    /// Time per byte of reads and writes outstanding at its start; missing if that number was constant, such as zero.
    pub ns_per_byte_before: Option<f64>,
    /// Share of the variance of service times that it explains, 0 to 1.
    pub explained: f64,
}

/// One interval of a trace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Mean number of outstanding calls.
    pub outstanding: f64,
    /// Most calls outstanding.
    pub outstanding_max: u64,
    /// Completed calls.
    pub answered: u64,
    /// Bytes transferred.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_figures_of_outstanding_calls_are_known() {
        let possible = Outstanding {
            mean: 0.75,
            mean_while_busy: Some(1.5),
            max: 2,
            idle_share: 0.5,
            shares: vec![(0, 0.5), (1, 0.25), (2, 0.25)],
            interval_ns: 1,
            over_time: Vec::new(),
            by_outstanding: Vec::new(),
        };
        assert!(possible.is_consistent());
        type Change = fn(&mut Outstanding);
        let changes: [Change; 6] = [
            |of| of.mean_while_busy = Some(0.9),
            |of| of.mean_while_busy = Some(f64::NAN),
            |of| of.max = 1,
            |of| of.idle_share = 1.1,
            |of| of.idle_share = 0.4,
            |of| of.shares.push((3, 0.1)),
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut changed = possible.clone();
            change(&mut changed);
            assert!(!changed.is_consistent(), "{at}");
        }
    }
}
