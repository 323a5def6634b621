//! What are the service times of reads and writes of each size? Counts by size and by service time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reads and writes by size and service time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeTimes {
    /// Bounds of the classes of service time in nanoseconds, rising; one more than classes.
    pub time_edges_ns: Vec<f64>,
    /// Smallest sizes first; sizes without calls are left out.
    pub sizes: Vec<TimesOfSize>,
}

/// Calls of similar size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimesOfSize {
    /// A power of two: sizes above half of it up to it.
    pub up_to_bytes: u64,
    pub count: u64,
    /// Share of these calls in each class of service time, 0 to 1.
    pub shares: Vec<f64>,
}
