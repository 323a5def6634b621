//! Which figures of a run does a list of runs show? The best of each kind, with its step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One figure and its step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeadlineFigure {
    pub value: f64,
    pub step: String,
}

/// The best figures of a run. Missing if no step has the figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Headline {
    /// Greatest bandwidth in bytes per second.
    pub bandwidth_bytes_per_s: Option<HeadlineFigure>,
    /// Most operations per second.
    pub iops: Option<HeadlineFigure>,
    /// Lowest median response time in nanoseconds.
    pub p50_ns: Option<HeadlineFigure>,
    /// Failed operations, of all steps.
    pub errors: u64,
}
