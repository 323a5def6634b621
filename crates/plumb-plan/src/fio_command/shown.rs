//! How are the jobs of job files written as one command line (`--showcmd`)?

use plumb_model::plan::PlanError;
use plumb_model::text::shell::quoted;

use crate::fio_command::command::FioCommand;
use crate::fio_command::lines::is_global;
use crate::fio_job::{JobFileLine, Surroundings};

/// The jobs as a command line, as `--showcmd` writes it.
///
/// # Errors
/// A job file cannot be read.
pub fn shown(
    command: &FioCommand,
    text_of: &mut dyn FnMut(&str) -> Result<String, String>,
    surroundings: &mut Surroundings<'_>,
) -> Result<String, PlanError> {
    // As in fio: only job files count.
    if command.files.is_empty() {
        return Ok(String::new());
    }
    let mut line = String::from("fio");
    for part in command.all_lines(text_of, surroundings)? {
        match part {
            JobFileLine::Head { name, .. } if is_global(&name) => {}
            JobFileLine::Head { name, .. } => line += &format!(" --name={}", quoted(&name)),
            JobFileLine::Option {
                key, source_line, ..
            } if source_line.line == 0 || key == "name" => {}
            JobFileLine::Option {
                key,
                value: Some(value),
                ..
            } => line += &format!(" --{key}={}", quoted(&value)),
            JobFileLine::Option { key, .. } => line += &format!(" --{key}"),
        }
    }
    Ok(line + "\n")
}
