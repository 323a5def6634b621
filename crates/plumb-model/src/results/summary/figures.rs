//! What are the figures of operations, workers and devices? The parts of a summary.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workload::operation::OperationKind;

/// Figures by kind in the order of the kinds instead of alphabetically; unknown names come last.
pub fn in_order(operations: &BTreeMap<String, OperationSummary>) -> Vec<(&str, &OperationSummary)> {
    let mut kinds: Vec<(&str, &OperationSummary)> = operations
        .iter()
        .map(|(kind, figures)| (kind.as_str(), figures))
        .collect();
    let place = |kind: &str| {
        let known = OperationKind::ALL
            .iter()
            .position(|known| known.word() == kind);
        known.unwrap_or(OperationKind::COUNT)
    };
    kinds.sort_by_key(|(kind, _)| place(kind));
    kinds
}

/// Completed operations of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationSummary {
    pub count: u64,
    pub bytes: u64,
    /// The source of an imported run reports rates or times, but no number of operations: `count` is 0 and meaningless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncounted: bool,
    /// Operations that failed.
    pub errors: u64,
    /// Failed operations by the kernel's name of the error, `short` or `mismatch`.
    pub errors_by_kind: BTreeMap<String, u64>,
    /// Completed operations per second of measured time. Missing if nothing was measured.
    pub iops: Option<f64>,
    /// Bytes per second of measured time. Missing for operations that move no data.
    pub bandwidth_bytes_per_s: Option<f64>,
    pub response_ns: Latency,
    pub service_ns: Latency,
    /// Submission latency (fio's slat), a part of `service_ns`. Missing if not measured: see `submission-latency`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission_ns: Option<Latency>,
    /// Completion latency (fio's clat).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_ns: Option<Latency>,
    /// Spread of the rates of the intervals. Missing with fewer than two intervals, and if intervals do not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<IntervalSpread>,
}

/// The rates of measured intervals; intervals shorter than 90 % of the others, such as the last, are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalSpread {
    /// Number of intervals.
    pub count: u32,
    /// Length of an interval in seconds, the median. Programs differ in this, and shorter intervals spread more: fio's are 500 ms.
    pub length_s: f64,
    /// Operations per second.
    pub iops: Spread,
    /// Bytes per second. Missing for operations that move no data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_per_s: Option<Spread>,
}

/// Lowest, mean and highest of several values, and their standard deviation (of the sample).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    pub min: f64,
    pub mean: f64,
    pub max: f64,
    pub standard_deviation: f64,
}

impl OperationSummary {
    /// True if operations completed, counted or not.
    pub fn is_measured(&self) -> bool {
        self.count > 0 || self.uncounted
    }
}

/// Latencies in nanoseconds; null if there are too few samples.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Number of samples; 0 although other figures are set if the source of an imported run does not report it.
    pub count: u64,
    pub min: Option<f64>,
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    pub p90: Option<f64>,
    pub p95: Option<f64>,
    pub p99: Option<f64>,
    pub p99_9: Option<f64>,
    pub p99_99: Option<f64>,
    pub p99_999: Option<f64>,
    pub p99_9999: Option<f64>,
    pub max: Option<f64>,
}

/// CPU use of the load generator's threads, in percent of one CPU (200 = two CPUs full); missing if the system does not report it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    pub user_percent: Option<f64>,
    pub system_percent: Option<f64>,
    /// CPU time per operation in nanoseconds.
    pub ns_per_operation: Option<f64>,
    /// CPU use of the workers' own threads, in percent of one CPU: the rest of `user_percent` and `system_percent` was spent by other threads,
    /// such as those of the kernel for io_uring (iou-wrk).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers_percent: Option<f64>,
    /// CPU use of the busiest worker, in percent of one CPU.
    pub busiest_worker_percent: Option<f64>,
    /// Context switches per operation.
    pub switches_per_operation: Option<f64>,
    /// Context switches of the workers: the thread waited, or was preempted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voluntary_switches: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub involuntary_switches: Option<u64>,
    /// Page faults of the workers that were served from memory, and from storage. Missing in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minor_faults: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub major_faults: Option<u64>,
}

/// Operations by number in flight of the same worker at submission, including themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DepthLevel {
    /// Least and most in flight, of one worker.
    pub from: u64,
    pub to: u64,
    /// Share of all operations, in percent.
    pub percent: f64,
}

/// Activity of a device below the target in the measured time, by the kernel's counters: includes I/O of other programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceSummary {
    pub name: String,
    /// Share of time with at least one request in flight, in percent: a device that serves requests in parallel may not be saturated at 100.
    pub busy_percent: Option<f64>,
    /// Mean number of requests waiting or in flight.
    pub mean_queue: Option<f64>,
    pub reads_per_s: Option<f64>,
    pub writes_per_s: Option<f64>,
    pub flushes_per_s: Option<f64>,
    pub read_bytes_per_s: Option<f64>,
    pub write_bytes_per_s: Option<f64>,
}

/// One worker of a job with `workers-apart`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerSummary {
    /// Name of the job; empty if the step has only one.
    pub job: String,
    /// From 0.
    pub worker: u32,
    /// Its measured time in seconds, summed over rounds.
    pub duration_s: f64,
    pub operations: BTreeMap<String, OperationSummary>,
    /// CPU time of its thread, in percent of one CPU.
    pub cpu: Cpu,
}
