//! By which figure of a round is steadiness judged?

use std::fmt;
use std::str::FromStr;

use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

words! {
    /// The figure of a round used to judge steady state.
    SteadyFigure, "figure" {
        /// Operations per second.
        Iops = "iops",
        /// Bytes per second.
        Bandwidth = "bandwidth",
        /// Mean response time.
        Latency = "latency",
    }
}
