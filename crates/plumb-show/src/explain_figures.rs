//! Which figures show the I/O of an application? From a trace, or from observed figures.

mod operating_curve;
mod outstanding_over_time;
mod size_and_time;
mod time_by_command;
mod time_of_threads;

pub(crate) use operating_curve::operating_curve;
pub(crate) use outstanding_over_time::{of_intervals, of_means};
pub(crate) use size_and_time::size_and_time;
pub(crate) use time_by_command::time_by_command;
pub(crate) use time_of_threads::time_of_threads;
