//! What does a run say? Figures, findings and a verdict derived from the raw record: pure functions, no I/O, no clock.

pub mod change_points;
pub mod cliff;
pub mod command_line;
pub mod compare;
pub mod connections;
pub mod copies;
pub mod counters;
pub mod curves;
pub mod drawings;
#[cfg(test)]
mod english;
pub mod environment_differences;
pub mod executions;
pub mod knee;
mod latency_limits;
pub mod matrices;
pub mod messages;
pub mod over_time;
mod pauses;
mod phrases;
mod planned;
pub mod published;
mod round_summary;
pub mod rule;
pub mod rules;
mod stated;
pub mod statistics;
pub mod steady_rounds;
pub mod steady_state;
pub mod straight_line;
pub mod summarise;
#[cfg(test)]
#[path = "../../../testdata/runs/synthetic.rs"]
mod synthetic;
mod tally;
pub mod trend;
mod until_steady;
pub mod verdict;
pub mod waterfall;

pub use compare::{Entrant, Settings, compare, comparison_drawings};
pub use drawings::drawings;
pub use environment_differences::environment_differences;
pub use rules::{judge_all, judge_environment};
pub use steady_rounds::steady_rounds;
pub use summarise::summarise;
pub use verdict::verdict;
pub use waterfall::waterfall;
