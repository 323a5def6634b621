//! How do words of the command line become lines of a job file? Headers and options, each with its position.

use std::rc::Rc;

use crate::fio_job::{COMMAND_LINE, JobFileLine, OptionKind, SourceLine};

/// True for the name of a section that applies to all below it.
pub fn is_global(name: &str) -> bool {
    name.starts_with("global")
}

/// True for a line that begins a job.
pub fn is_job(line: &JobFileLine) -> bool {
    matches!(line, JobFileLine::Head { name, .. } if !is_global(name))
}

fn at(line: usize) -> SourceLine {
    SourceLine {
        file: Rc::from(COMMAND_LINE),
        line,
        outer_line: line,
    }
}

/// The line that begins a section.
pub fn head(name: &str, line: usize) -> JobFileLine {
    JobFileLine::Head {
        name: name.to_string(),
        source_line: at(line),
    }
}

/// An option of the section above it.
pub fn option(key: &str, value: Option<String>, line: usize) -> JobFileLine {
    JobFileLine::Option {
        key: key.to_string(),
        value,
        source_line: at(line),
    }
}

/// Its position.
pub fn source_line(line: &JobFileLine) -> &SourceLine {
    match line {
        JobFileLine::Head { source_line, .. } | JobFileLine::Option { source_line, .. } => {
            source_line
        }
    }
}

/// The same, mutable.
pub fn source_line_mut(line: &mut JobFileLine) -> &mut SourceLine {
    match line {
        JobFileLine::Head { source_line, .. } | JobFileLine::Option { source_line, .. } => {
            source_line
        }
    }
}

/// The option of this name or alias.
pub fn kind<'k>(known: &'k [OptionKind], name: &str) -> Option<&'k OptionKind> {
    known
        .iter()
        .find(|kind| kind.name == name || kind.aliases.contains(&name))
}
