//! What limits an application? Observed figures pass two gates, then the rules; a second recording tests the prediction.

mod at_samples;
mod call_time;
pub mod conclude;
pub mod curve;
pub mod experiment;
pub mod from_counters;
pub mod from_load;
pub mod from_trace;
pub mod from_watched;
mod gates;
#[cfg(test)]
mod laws;
mod parts;
mod prediction;
pub mod proof;
pub mod rule;
pub mod rules;
pub mod scaling;
pub mod second;
#[cfg(test)]
mod thresholds;
mod waits;
