//! What are the figures of a run? Every number derived from the record, by its intervals and notes.

pub mod connections;
pub mod counters;
pub mod executions;
pub(crate) mod grid;
pub mod headline;
pub(crate) mod latency_limits;
#[cfg(test)]
mod laws;
pub(crate) mod pauses;
pub(crate) mod planned;
pub(crate) mod reported;
pub(crate) mod round_summary;
pub(crate) mod scaling;
pub mod steady_rounds;
pub mod summarise;
pub(crate) mod tally;
pub(crate) mod until_steady;
pub mod watch;
