//! How are the jobs of job files written as one command line (`--showcmd`), and which limits of a steady state are read (`--debug=parse`)?

use plumb_model::keys::Keys;
use plumb_model::plan::PlanError;
use plumb_model::text::shell::quoted;
use plumb_model::units::Bytes;

use crate::fio_command::command::FioCommand;
use crate::fio_command::lines::{is_global, kind};
use crate::fio_job::{JobFileLine, Surroundings, options};

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

/// The limit of each steady state in fio's words, as `--debug=parse` shows it.
///
/// # Errors
/// A job file cannot be read.
pub fn steady_limits(
    command: &FioCommand,
    text_of: &mut dyn FnMut(&str) -> Result<String, String>,
    surroundings: &mut Surroundings<'_>,
) -> Result<Vec<String>, PlanError> {
    let known = options(Keys::get());
    let lines = command.all_lines(text_of, surroundings)?;
    let values = lines.iter().filter_map(|line| match line {
        JobFileLine::Option { key, value, .. } => {
            let kind = kind(&known, key)?;
            value.as_deref().filter(|_| kind.name == "steadystate")
        }
        JobFileLine::Head { .. } => None,
    });
    Ok(values.filter_map(steady_limit).collect())
}

fn steady_limit(text: &str) -> Option<String> {
    let (figure, limit) = text.split_once(':')?;
    if let Some(percent) = limit.strip_suffix('%') {
        let percent: f64 = percent.parse().ok()?;
        return Some(format!("set steady state threshold to {percent:.6}%"));
    }
    Some(match figure.split('_').next()? {
        "iops" => {
            let iops: f64 = limit.parse().ok()?;
            format!("set steady state IOPS threshold to {iops:.6}")
        }
        "bw" => {
            let bytes: Bytes = limit.parse().ok()?;
            format!("set steady state BW threshold to {}", bytes.0)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of fio 3.42.
    #[test]
    fn limits_of_a_steady_state() {
        for (text, line) in [
            ("iops:10", "set steady state IOPS threshold to 10.000000"),
            ("iops_slope:.1%", "set steady state threshold to 0.100000%"),
            ("bw_slope:1k", "set steady state BW threshold to 1024"),
        ] {
            assert_eq!(steady_limit(text).as_deref(), Some(line));
        }
    }
}
