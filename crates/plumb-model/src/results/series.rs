//! What does a chart draw? Derived values as lines, curves, bars and maps; computed by the analysis, drawn without further statistics.

use serde::{Deserialize, Serialize};

use crate::results::published::PublishedTable;
use crate::statement::Statement;
use crate::workload::OperationKind;

/// One line: values over time or over another quantity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name of the line: `read`, `random-read depth=32`, `vda`.
    pub name: String,
    /// The name as a statement, if it is more than a name: `vda reads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Statement>,
    /// Unit of the values: `operations/s`, `bytes/s`, `ns`, `percent`, `operations`.
    pub unit: String,
    /// (x, value) in rising order of x; x is seconds since the start of the run, unless the function that makes the series documents otherwise.
    /// A missing value is a gap in the line, never 0.
    pub points: Vec<(f64, Option<f64>)>,
}

/// A named time span: one execution on a time axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Name of the step: `random-read depth=32`.
    pub name: String,
    /// Index of the step in the plan.
    pub step: u32,
    /// Round, from 0.
    pub round: u32,
    /// Rounds of the plan.
    pub rounds: u32,
    /// Seconds since the start of the run.
    pub start_s: f64,
    pub end_s: f64,
}

/// Lines that share one time axis, and what ran when.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OverTime {
    /// Executions in order.
    pub spans: Vec<Span>,
    /// Operations per second of each interval, one line per kind of operation (`operations/s`).
    pub iops: Vec<Series>,
    /// Bytes per second of each interval, one line per kind of operation that moves data (`bytes/s`).
    pub bandwidth: Vec<Series>,
    /// Response time of each interval over all kinds, except flushes among other operations: median, 99th percentile, maximum (`ns`). A percentile with too few samples is a gap.
    pub p50_ns: Series,
    pub p99_ns: Series,
    pub max_ns: Series,
    /// The same by kind of operation, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<KindOverTime>,
    /// Failed operations per second of each interval (`operations/s`); all 0 if none failed.
    pub errors: Series,
    /// Open loop: operations that were due and not yet submitted at the end of each interval (`operations`). Missing in a closed loop.
    pub backlog: Option<Series>,
}

/// Response times of one kind of operation in each interval: median and 99th percentile (`ns`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KindOverTime {
    pub kind: String,
    pub p50_ns: Series,
    pub p99_ns: Series,
}

/// One point of a throughput-latency curve: one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Label of the point: the value of the swept key (`32`), or `4 x 8` for workers x depth.
    pub label: String,
    /// Index of the step in the plan.
    pub step: u32,
    /// Requested operations in flight (depth x workers). Missing in an open loop.
    pub depth: Option<f64>,
    /// Achieved mean operations in flight.
    pub achieved_depth: Option<f64>,
    /// Completed operations per second over all rounds.
    pub iops: Option<f64>,
    /// Lowest and highest of the rounds; missing with one round.
    pub iops_range: Option<(f64, f64)>,
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Response time; a percentile is missing when there are too few samples.
    pub mean_ns: Option<f64>,
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    pub p99_9_ns: Option<f64>,
}

/// A throughput-latency curve: the steps of one sweep by rising load.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Name of the group of steps, with the other swept keys if there are several (`random-read pin=each`).
    pub group: String,
    /// The swept key that the labels give: `depth`, `workers`, `rate`, or `workers x depth`.
    pub key: String,
    pub points: Vec<CurvePoint>,
    /// Index of the point beyond which more load only adds latency. Missing if the curve has no such point.
    pub knee: Option<usize>,
}

/// One bar with the spread of the rounds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Label of the bar: a block size (`64k`), a kind of operation (`create`).
    pub label: String,
    /// Bars of one color: `sequential-read`.
    pub group: String,
    pub value: Option<f64>,
    /// Lowest and highest of the rounds; missing with one round.
    pub range: Option<(f64, f64)>,
}

/// Bars that share one axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bars {
    /// Unit of the values: `bytes/s`, `operations/s`.
    pub unit: String,
    /// In drawing order; labels repeat once per group.
    pub bars: Vec<Bar>,
}

/// Values over rows and time: CPU use of each core, operations per second of each host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatMap {
    /// Unit of the cells: `percent`, `operations/s`, `ns`.
    pub unit: String,
    /// Name of each row, from the top: `cpu0`.
    pub rows: Vec<String>,
    /// End of each column in seconds since the start of the run; the first column begins at `start_s`.
    pub columns_s: Vec<f64>,
    pub start_s: f64,
    /// `cells[row][column]`; a missing value is an empty cell.
    pub cells: Vec<Vec<Option<f64>>>,
}

/// One figure for each pair of values of two swept keys: file size x block size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// Name of the steps without their swept values: `write`.
    pub name: String,
    /// The figure shown: `bytes/s`, or `operations/s` if the steps move no data.
    pub unit: String,
    pub row_key: String,
    pub column_key: String,
    /// Values of the keys, in the order of the plan.
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// `cells[row][column]`; a combination that did not run has none.
    pub cells: Vec<Vec<Option<MatrixCell>>>,
}

/// One step in a matrix.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MatrixCell {
    /// Index of the step in the plan.
    pub step: u32,
    /// Operations per second; missing if nothing was measured.
    pub iops: Option<f64>,
    pub bandwidth_bytes_per_s: Option<f64>,
}

impl Matrix {
    /// The figure shown, in the unit of the matrix.
    pub fn value(&self, row: usize, column: usize) -> Option<f64> {
        let cell = self.cells.get(row)?.get(column)?.as_ref()?;
        if self.unit == "bytes/s" {
            cell.bandwidth_bytes_per_s
        } else {
            cell.iops
        }
    }
}

/// All that the charts of one run draw.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plots {
    /// The tables of the published experiment that the plan repeats; empty for other plans.
    pub published: Vec<PublishedTable>,
    pub over_time: OverTime,
    /// One per group with swept depth, workers or rate; empty otherwise.
    pub throughput_latency: Vec<Curve>,
    /// One line per step: x = -log10(1 - p), the number of nines (0.301 for the median, 1 for 90 %, 2 for 99 %), value in `ns`
    /// (response time), as far as there are enough samples.
    pub percentiles: Vec<Series>,
    /// Bandwidth by block size, if block is swept.
    pub block_bars: Option<Bars>,
    /// Steps that differ in exactly two swept keys, each with several values.
    pub matrices: Vec<Matrix>,
    /// Bandwidth by message size, if messages of several sizes were exchanged with a peer: x is the size in bytes, value in `bit/s`. One line per group.
    pub message_bandwidth: Vec<Series>,
    /// One-way message latency, half of the median round trip, by message size in bytes; value in `ns`. Ping-pongs only.
    pub message_latency: Vec<Series>,
    /// Operations per second by kind of file operation.
    pub file_operation_bars: Option<Bars>,
    /// CPU use of each core, all processes together, in percent of that core.
    pub cpu_heat_map: Option<HeatMap>,
    /// For a run of many ranks: operations per second of each host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_iops: Option<HeatMap>,
    /// The same for the longest completed operation, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_longest: Option<HeatMap>,
    /// The device's own counters as rates: `vda reads`, `vda writes` (`operations/s`).
    pub device_iops: Vec<Series>,
    /// The device's own counters as rates: `vda read`, `vda written` (`bytes/s`).
    pub device_bandwidth: Vec<Series>,
}

/// The figures of one interval over all jobs, for a live view.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Seconds since the start of the run.
    pub start_s: f64,
    pub end_s: f64,
    /// By kind of operation: completed operations per second and bytes per second.
    pub kinds: Vec<(OperationKind, f64, f64)>,
    /// By kind of operation: median and 99th percentile of the response times in nanoseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latencies: Vec<(OperationKind, Option<f64>, Option<f64>)>,
    /// All kinds together, except flushes among other operations; the same holds for the latencies. Missing if the interval has no length.
    pub iops: Option<f64>,
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Mean operations in flight by Little's law.
    pub achieved_depth: Option<f64>,
    /// Response time over all kinds; a percentile is missing when there are too few samples.
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    pub max_ns: Option<f64>,
    /// Operations that failed in the interval.
    pub errors: u64,
    /// Open loop: operations due and not yet submitted at the end of the interval.
    pub backlog: Option<u64>,
}
