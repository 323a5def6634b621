//! What are the settings of a trend? The figures, and the threshold of no change.

use plumb_model::results::comparison::ComparedMetric;

use crate::statistics::change_points::Parameters;

/// Runs that a line must have before changes are looked for: below, even a figure that falls apart into two halves may do so by chance.
pub const RUNS_MIN: usize = 8;

/// What to look at, and by what a change counts.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Names of steps; `*` matches anything.
    pub steps: String,
    /// Figures to look at. Empty: one of throughput, the median and the 99th percentile, as each step supports them.
    pub metrics: Vec<&'static ComparedMetric>,
    /// Practical threshold as a part: 0.05.
    pub threshold: f64,
    /// Version of plumb, for the record.
    pub plumb_version: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            steps: "*".into(),
            metrics: Vec::new(),
            threshold: 0.05,
            plumb_version: String::new(),
        }
    }
}

impl Settings {
    /// Windows and p-value as Hunter recommends them; values are logarithms.
    pub(super) fn parameters(&self) -> Parameters {
        Parameters {
            window: 50,
            p_value_max: 0.001,
            distance_min: self.threshold.ln_1p(),
            stretch_min: 3,
        }
    }
}
