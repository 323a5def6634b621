//! What does fio's command line request? Its own options, jobs from `--name` on, and job files, as the same sections that a job file has.
//!
//! The rules are those of fio's HOWTO ("Command line options", "Specifying a job on the command line") and of the observed behavior of fio 3.33: options
//! before the first `--name` apply to all jobs, each `--name` begins a job, job files come after the jobs of the command line.

mod command;
mod help;
mod lines;
mod scan;
mod settings;
mod shown;

#[cfg(test)]
mod tests;

use plumb_model::keys::Keys;

use crate::fio_job::options;
pub use command::{FioCommand, Understood, WrittenJob};
pub use help::{Help, engine_help, option_help};
pub use scan::notes;
pub use settings::{Answer, Formats, Settings};
pub use shown::{shown, steady_limits};

/// Reads a command line, without the name of the program.
///
/// # Errors
/// An option that fio does not have, or one without the value that it needs.
pub fn parse(arguments: &[String]) -> Result<FioCommand, String> {
    scan::command(arguments, &options(Keys::get()))
}
