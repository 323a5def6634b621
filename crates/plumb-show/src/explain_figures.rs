//! Which figures show what an application does at its storage? From a trace, or from what was observed of it.

mod operating_curve;
mod outstanding_over_time;
mod size_and_time;
mod time_by_command;

pub(crate) use operating_curve::operating_curve;
pub(crate) use outstanding_over_time::{of_intervals, of_means};
pub(crate) use size_and_time::size_and_time;
pub(crate) use time_by_command::time_by_command;
