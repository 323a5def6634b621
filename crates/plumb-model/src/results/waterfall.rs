//! What does each layer of the way to the storage cost? Layers from the device up to the share, their figures, and what each adds to the one below.

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
    /// What a layer is. The order is that of the way up from the storage.
    LayerKind, "kind of layer" {
        /// A block device or array, by itself.
        Device = "device",
        /// Files of a file system, the page cache bypassed.
        FileSystem = "file-system",
        /// Files of a file system, through the page cache.
        PageCache = "page-cache",
        /// Messages of the same size between the two ends; no storage is in it.
        Network = "network",
        /// Files of a share.
        Share = "share",
        /// `null:`, the generator by itself.
        Nothing = "nothing",
    }
}

impl LayerKind {
    /// True when operations end at storage (or its caches): what the layers above can rest on.
    pub fn holds_storage(self) -> bool {
        !matches!(self, LayerKind::Network | LayerKind::Nothing)
    }
}

/// One layer: where the workload was put.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layer {
    /// `device`, `file system`, `page cache`, `network`, `share`, or the name that the user gave it; each once.
    pub name: String,
    pub kind: LayerKind,
    /// As the user named it.
    pub target: String,
    /// Machine that carried out the load; missing when its record does not say.
    pub host: Option<String>,
    /// Id and start of the run (RFC 3339).
    pub run: String,
    pub started: String,
    /// Engine that ran, and what was agreed with the share or peer; missing when the layer never ran.
    pub engine: Option<String>,
    /// Which caches the layer's reads and writes went through.
    pub caching: Statement,
    /// Index of the layer that this one rests on; missing for the lowest, and for a network, which has no storage in it.
    pub below: Option<u32>,
    /// What is to be kept in mind of this record.
    pub doubts: Vec<Statement>,
}

/// A figure with what is known of its scatter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// Trimmed geometric mean of the rounds.
    pub value: f64,
    /// Interval of that mean; missing below two rounds.
    pub interval: Option<(f64, f64)>,
}

/// One layer against another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayerEffect {
    /// Index of the other layer.
    pub other: u32,
    /// Ratio of operations per second, this layer's divided by the other's, with its interval and verdict.
    pub throughput: Effect,
    /// Time per request that this layer takes more than the other, in nanoseconds: the ratio put on the other's time; below 0 when it is faster.
    pub cost_ns: Option<f64>,
    /// The interval of the ratio put on the other's time; missing below two rounds.
    pub cost_interval_ns: Option<(f64, f64)>,
    /// Why the layer is faster than the one it rests on, as far as the records tell; missing when it is not.
    pub faster_because: Option<Statement>,
}

/// What one layer gave in one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayerFigures {
    /// The operation that stands for the step on this layer: `read`, `receive`. Empty when the layer does not have the step.
    pub operation: String,
    /// Bytes per second, one direction.
    pub bandwidth_bytes_per_s: Option<Measure>,
    /// Operations per second.
    pub iops: Option<Measure>,
    /// Requests in flight divided by operations per second (Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961):
    /// how long one request takes while that many are in flight.
    pub time_ns: Option<Measure>,
    /// Mean latency as measured, from submission to completion.
    pub latency_ns: Option<Measure>,
    /// CPU time of the load's own threads per operation.
    pub cpu_ns: Option<Measure>,
    /// CPUs busy on the machine that carried out the load, all processes together, mean of the rounds.
    pub busy_cpus: Option<f64>,
    /// The same on the server while this layer ran; missing when nobody watched there.
    pub server_busy_cpus: Option<f64>,
    /// Why there are no figures; missing when there are.
    pub missing: Option<Statement>,
    /// Against the layer below; of a share also against the network. Empty for the lowest layer and for a network.
    pub effects: Vec<LayerEffect>,
}

/// What is left of a share's time when storage and network have had theirs. Requests overlap when several are in flight, so it is known between two bounds only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remainder {
    /// Indexes of the share, of the storage it rests on, and of the network.
    pub share: u32,
    pub storage: u32,
    pub network: u32,
    /// Nothing overlaps: the share's time less both others, never below 0.
    pub least_ns: f64,
    /// All of it overlaps: the share's time less the longer of both, never below 0.
    pub most_ns: f64,
}

/// One step on all layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayeredStep {
    /// Name of the step.
    pub step: String,
    /// Bytes of one request; missing when they vary.
    pub block_bytes: Option<u64>,
    /// Requests in flight: depth times workers.
    pub in_flight: u32,
    /// As [`Waterfall::layers`].
    pub layers: Vec<LayerFigures>,
    pub remainder: Option<Remainder>,
    /// Index of the layer that costs most, shown to cost more than every other; missing when the rounds do not tell.
    #[serde(rename = "dearest")]
    pub costliest: Option<u32>,
}

/// CPU use of a machine over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuOverTime {
    /// One for each layer, of the machine that carried out its load, and one for the server where somebody watched: percent of all CPUs, x in seconds since
    /// the first run began. Points lie only where the layer ran.
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
    /// Ratios within this are the same for all practical purposes: 0.05.
    pub threshold: f64,
    pub design: Design,
    /// From the storage up.
    pub layers: Vec<Layer>,
    pub steps: Vec<LayeredStep>,
    /// In plain words; each sentence rests on numbers.
    pub verdict: Vec<Sentence>,
    /// What a reader should keep in mind: caches, one machine, what is not measured.
    pub remarks: Vec<Statement>,
}
