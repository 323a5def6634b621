//! What does a run say? Figures, findings and a verdict derived from the raw record: pure functions, no I/O, no clock.

pub mod cliff;
pub mod counters;
pub mod curves;
pub mod drawings;
pub mod executions;
pub mod knee;
pub mod over_time;
pub mod rule;
pub mod rules;
pub mod statistics;
pub mod steady_state;
pub mod summarise;
#[cfg(test)]
#[path = "../../../testdata/runs/synthetic.rs"]
mod synthetic;
mod tally;
pub mod verdict;

pub use drawings::drawings;
pub use rules::{judge_all, judge_ground};
pub use summarise::summarise;
pub use verdict::verdict;
