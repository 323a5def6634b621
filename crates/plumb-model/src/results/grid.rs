//! How does a run summarize in eight figures? Sequential and random, high depth and depth 1, reads and writes: the grid known from CrystalDiskMark.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

words! {
    /// How a row of the grid accesses the target.
    GridAccess, "grid access" {
        /// Sequential, several requests in flight.
        SequentialDeep = "sequential-deep",
        /// Sequential, one request at a time.
        SequentialOne = "sequential-1",
        /// Random, several requests in flight.
        RandomDeep = "random-deep",
        /// Random, one request at a time.
        RandomOne = "random-1",
    }
}

/// One row of the grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GridRow {
    pub access: GridAccess,
    /// Missing if no step of the run read this way.
    pub read: Option<GridCell>,
    /// Missing if no step of the run wrote this way.
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
    /// True if the page cache was bypassed; missing if not applicable.
    pub direct: Option<bool>,
    pub bandwidth_bytes_per_s: f64,
    pub iops: f64,
    /// Mean response time. Missing if the source of an imported run does not report it.
    pub mean_ns: Option<f64>,
}
