//! What are the figures of operations, workers and devices? The parts of which a summary is made.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workload::operation::OperationKind;

/// Figures by kind in the order of the kinds, instead of that of the alphabet; names that are no kind come last.
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
    /// The source of an imported run tells rates or times, and not the number of operations: `count` is 0 and says nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncounted: bool,
    /// Operations that failed.
    pub errors: u64,
    /// Failed operations by the kernel's name of the error, `short` or `mismatch`.
    pub errors_by_kind: BTreeMap<String, u64>,
    /// Completed operations per second of measured time. Missing when nothing was measured.
    pub iops: Option<f64>,
    /// Bytes per second of measured time. Missing for operations that move no data.
    pub bandwidth_bytes_per_s: Option<f64>,
    pub response_ns: Latency,
    pub service_ns: Latency,
    /// Until the system had accepted the operations (fio's slat), a part of `service_ns`. Missing where it was not measured: see `submission-latency`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission_ns: Option<Latency>,
    /// From there to the end (fio's clat).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_ns: Option<Latency>,
    /// How the rates of the intervals spread. Missing where there was one alone, or none, and for what intervals do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<IntervalSpread>,
}

/// The rates of measured intervals; one that is shorter than nine tenths of the others, as the last may be, does not count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalSpread {
    /// Number of intervals.
    pub count: u32,
    /// Length of an interval in seconds, the median. Programs differ in this, and short intervals spread more: fio's are of 500 ms.
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
    /// True when operations completed, counted or not.
    pub fn is_measured(&self) -> bool {
        self.count > 0 || self.uncounted
    }
}

/// Latencies in nanoseconds; null where there are too few samples to state the figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Number of samples; 0 with other figures beside it when the source of an imported run does not tell it.
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

/// CPU use of the load generator's threads, in percent of one CPU (200 = two CPUs full); missing where the system does not tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    pub user_percent: Option<f64>,
    pub system_percent: Option<f64>,
    /// CPU time per operation in nanoseconds.
    pub ns_per_operation: Option<f64>,
    /// CPU use of the workers' own threads, in percent of one CPU: what `user_percent` and `system_percent` hold beyond it was spent by threads beside them,
    /// such as those of the kernel for io_uring (iou-wrk).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers_percent: Option<f64>,
    /// CPU use of the busiest worker, in percent of one CPU.
    pub busiest_worker_percent: Option<f64>,
    /// Context switches per operation.
    pub switches_per_operation: Option<f64>,
    /// Context switches of the workers: a thread waited, was preempted.
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

/// Operations by how many of the same worker were in flight when they had been submitted, they among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DepthLevel {
    /// Least and most in flight, of one worker.
    pub from: u64,
    pub to: u64,
    /// Share of all operations, in percent.
    pub percent: f64,
}

/// What a device below the target did while it was measured, by the kernel's counters: with what others asked of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceSummary {
    pub name: String,
    /// Share of the time in which at least one request was in flight, in percent: a device that serves requests in parallel may have room left at 100.
    pub busy_percent: Option<f64>,
    /// Mean number of requests waiting or in flight.
    pub mean_queue: Option<f64>,
    pub reads_per_s: Option<f64>,
    pub writes_per_s: Option<f64>,
    pub flushes_per_s: Option<f64>,
    pub read_bytes_per_s: Option<f64>,
    pub write_bytes_per_s: Option<f64>,
}

/// One worker of a job whose workers are kept apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerSummary {
    /// Name of the job; empty when the step has one.
    pub job: String,
    /// From 0.
    pub worker: u32,
    /// Its measured time in seconds, summed over rounds.
    pub duration_s: f64,
    pub operations: BTreeMap<String, OperationSummary>,
    /// CPU time of its thread, in percent of one CPU.
    pub cpu: Cpu,
}
