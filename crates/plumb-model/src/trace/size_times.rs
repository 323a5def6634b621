//! How long do reads and writes of each size take? Counts by size and by service time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reads and writes by their size and their service time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeTimes {
    /// Borders of the classes of service time in nanoseconds, rising; one more than there are classes.
    pub time_edges_ns: Vec<f64>,
    /// The smallest sizes first; sizes that never came are left out.
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
