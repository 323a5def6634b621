//! What does a run say in eight figures? Sequential and random, deep and one at a time, reads and writes: the grid that CrystalDiskMark made familiar.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

words! {
    /// How a row of the grid accesses the target.
    GridAccess, "grid access" {
        /// In order, several requests in flight.
        SequentialDeep = "sequential-deep",
        /// In order, one request at a time.
        SequentialOne = "sequential-1",
        /// In random order, several requests in flight.
        RandomDeep = "random-deep",
        /// In random order, one request at a time.
        RandomOne = "random-1",
    }
}

/// One row of the grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GridRow {
    pub access: GridAccess,
    /// Missing when no step of the run read so.
    pub read: Option<GridCell>,
    /// Missing when no step of the run wrote so.
    pub write: Option<GridCell>,
}

/// One cell of the grid: the figures of one step, over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GridCell {
    /// Name of the step.
    pub step: String,
    pub block_bytes: u64,
    /// Requested queue depth over all workers.
    pub depth: f64,
    /// True when the page cache was bypassed; missing when the question does not arise.
    pub direct: Option<bool>,
    pub bandwidth_bytes_per_s: f64,
    pub iops: f64,
    /// Mean response time. Missing where the source of an imported run does not tell it.
    pub mean_ns: Option<f64>,
}
