//! What does each layer of the I/O path cost? Layers from the device up to the share, their figures, and the cost that each adds.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::results::comparison::{Design, Effect};
use crate::results::series::Series;
use crate::results::summary::Sentence;
use crate::statement::Statement;
use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

/// Name and version of the schema of `plumb layers --json`. Names may be added under one version, never changed.
pub const WATERFALL_SCHEMA: &str = "plumb-layers-2";

words! {
    /// Kind of a layer, ordered from the storage up.
    LayerKind, "kind of layer" {
        /// A block device or array.
        Device = "device",
        /// Files of a file system, the page cache bypassed.
        FileSystem = "file-system",
        /// Files of a file system, through the page cache.
        PageCache = "page-cache",
        /// Messages of the same size between the two ends, without storage.
        Network = "network",
        /// Files of a share.
        Share = "share",
        /// `null:`, the load generator alone.
        Nothing = "nothing",
    }
}

impl LayerKind {
    /// True if operations end at storage (or its caches), so that layers above can be compared with it.
    pub fn holds_storage(self) -> bool {
        !matches!(self, LayerKind::Network | LayerKind::Nothing)
    }
}

/// One layer: where the workload ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layer {
    /// `device`, `file system`, `page cache`, `network`, `share`, or the name given by the user; unique.
    pub name: String,
    pub kind: LayerKind,
    /// As given by the user.
    pub target: String,
    /// Machine that ran the load; missing if not recorded.
    pub host: Option<String>,
    /// Id and start of the run (RFC 3339).
    pub run: String,
    pub started: String,
    /// Engine, and what was negotiated with the share or peer; missing if the layer never ran.
    pub engine: Option<String>,
    /// Which caches the layer's reads and writes went through.
    pub caching: Statement,
    /// Index of the layer below this one; missing for the lowest, and for a network, which has no storage.
    pub below: Option<u32>,
    /// Caveats of this record.
    pub doubts: Vec<Statement>,
}

/// A figure with its interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// Trimmed geometric mean of the rounds.
    pub value: f64,
    /// Interval of that mean; missing below two rounds.
    pub interval: Option<(f64, f64)>,
}

/// One layer compared with another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayerEffect {
    /// Index of the other layer.
    pub other: u32,
    /// Ratio of operations per second, this layer's divided by the other's, with its interval and verdict.
    pub throughput: Effect,
    /// Additional time per request of this layer, in nanoseconds: the ratio applied to the other's time; below 0 if it is faster.
    pub cost_ns: Option<f64>,
    /// The interval of the ratio applied to the other's time; missing below two rounds.
    pub cost_interval_ns: Option<(f64, f64)>,
    /// Why the layer is faster than the one below, as far as recorded; missing if it is not.
    pub faster_because: Option<Statement>,
}

/// Figures of one layer in one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayerFigures {
    /// The operation of the step on this layer: `read`, `receive`. Empty if the layer does not have the step.
    pub operation: String,
    /// Bytes per second, one direction.
    pub bandwidth_bytes_per_s: Option<Measure>,
    /// Operations per second.
    pub iops: Option<Measure>,
    /// Requests in flight divided by operations per second (Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961):
    /// time of one request with that many in flight.
    pub time_ns: Option<Measure>,
    /// Mean latency as measured, from submission to completion.
    pub latency_ns: Option<Measure>,
    /// CPU time of the load generator's threads per operation.
    pub cpu_ns: Option<Measure>,
    /// CPUs busy on the machine that ran the load, over all processes, mean of the rounds.
    pub busy_cpus: Option<f64>,
    /// The same on the server while this layer ran; missing if it was not recorded there.
    pub server_busy_cpus: Option<f64>,
    /// Why there are no figures; missing if there are.
    pub missing: Option<Statement>,
    /// Compared with the layer below, and for a share also with the network. Empty for the lowest layer and for a network.
    pub effects: Vec<LayerEffect>,
}

/// Time of a share beyond storage and network. Requests overlap if several are in flight, so it is known only between two bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remainder {
    /// Indexes of the share, of the storage below it, and of the network.
    pub share: u32,
    pub storage: u32,
    pub network: u32,
    /// Without overlap: the share's time minus both others, never below 0.
    pub least_ns: f64,
    /// With full overlap: the share's time minus the longer of both, never below 0.
    pub most_ns: f64,
}

/// One step on all layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayeredStep {
    /// Name of the step.
    pub step: String,
    /// Bytes of one request; missing if they vary.
    pub block_bytes: Option<u64>,
    /// Requests in flight: depth times workers.
    pub in_flight: u32,
    /// As [`Waterfall::layers`].
    pub layers: Vec<LayerFigures>,
    pub remainder: Option<Remainder>,
    /// Index of the layer that costs most, shown to cost more than every other; missing if undecided.
    #[serde(rename = "dearest")]
    pub costliest: Option<u32>,
}

/// CPU use of a machine over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuOverTime {
    /// One line per layer, for the machine that ran its load, and one for the server if it was recorded: percent of all CPUs, x in seconds since
    /// the start of the first run. Points exist only while the layer ran.
    pub lines: Vec<Series>,
}

/// The same workload on every layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waterfall {
    /// `plumb-layers-2`.
    pub schema: String,
    pub plumb_version: String,
    /// Share of intervals that cover the truth: 0.95.
    pub confidence: f64,
    /// Ratios within this count as the same: 0.05.
    pub threshold: f64,
    pub design: Design,
    /// From the storage up.
    pub layers: Vec<Layer>,
    pub steps: Vec<LayeredStep>,
    /// The verdict; each sentence is based on numbers.
    pub verdict: Vec<Sentence>,
    /// Caveats: caches, a single machine, what is not measured.
    pub remarks: Vec<Statement>,
}
