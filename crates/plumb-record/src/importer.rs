//! What is an importer? Reads what another program wrote, and hands over what it says as runs: raw, with what is doubtful about it.

pub(crate) mod columns;
pub(crate) mod date;
pub(crate) mod embedded;
pub(crate) mod fio;
pub(crate) mod iozone;
pub(crate) mod lenient;
pub(crate) mod number;
mod rounds;
mod run_builder;

use std::io::BufRead;

use plumb_model::run::Run;

pub use rounds::as_rounds;
pub use run_builder::{RunBuilder, Span};

/// Most bytes of a file's beginning that a kind is recognised by.
pub const HEAD_BYTES: usize = 64 << 10;

/// One kind of file: one file in `importers/`.
#[derive(Debug)]
pub struct Importer {
    /// Name on the command line (`--as`), equal to the file's: `fio-json` is `fio_json.rs`.
    pub name: &'static str,
    /// The program that writes such files.
    pub program: &'static str,
    /// Which files, which versions, and how the program is asked for them; one sentence for the reference.
    pub meaning: &'static str,
    /// Is a file that begins like this of the kind? Must be false for the files of every other importer.
    pub recognises: fn(&Head<'_>) -> bool,
    /// Reads it. Must end, without a panic and without memory that grows faster than the file, whatever is in it; a figure that is not stated stays missing.
    ///
    /// # Errors
    /// The file is not what it seemed, and nothing of it can be used. What can be used is used, and the rest told as doubts.
    pub import: fn(&mut Source<'_>) -> Result<Vec<Run>, ImportError>,
    /// Files of the kind for the contract test.
    #[cfg(test)]
    pub fixtures: fn() -> Vec<Fixture>,
}

/// What a kind is recognised by.
pub struct Head<'a> {
    /// Name of the file without its folder.
    pub name: &'a str,
    /// Its first [`HEAD_BYTES`] bytes, or all of it.
    pub bytes: &'a [u8],
}

impl Head<'_> {
    /// As text; bytes that are none are replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes)
    }
}

/// A file that is read from its beginning.
pub struct Source<'a> {
    /// As the user named it.
    pub name: &'a str,
    pub reader: &'a mut dyn BufRead,
}

/// Longest line of a text format: a file without line ends must not fill the memory.
const LINE_BYTES_MAX: u64 = 1 << 20;

impl Source<'_> {
    /// The next line without its end, bytes that are no text replaced; `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, or a line is longer than 1 MiB.
    pub fn line(&mut self) -> Result<Option<String>, ImportError> {
        let mut bytes = Vec::new();
        let read = self.next_line(&mut bytes)?;
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        Ok(read.then(|| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Reads the next line into `line`, with its end, and says whether there was one: for files of millions of lines.
    ///
    /// # Errors
    /// As of [`Source::line`].
    pub fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool, ImportError> {
        use std::io::Read;
        line.clear();
        let read = (&mut self.reader)
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', line)
            .map_err(|error| ImportError::unread(&error))?;
        if read as u64 == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
            return Err(ImportError {
                line: None,
                expected: "lines shorter than 1 MiB, found a longer one".into(),
            });
        }
        Ok(read > 0)
    }

    /// The whole file, for formats that are never large.
    ///
    /// # Errors
    /// The file cannot be read, or is longer than `max` bytes.
    pub fn whole(&mut self, max: u64) -> Result<Vec<u8>, ImportError> {
        use std::io::Read;
        let mut bytes = Vec::new();
        (&mut self.reader)
            .take(max + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| ImportError::unread(&error))?;
        if bytes.len() as u64 > max {
            return Err(ImportError {
                line: None,
                expected: format!("at most {max} bytes, found a larger file"),
            });
        }
        Ok(bytes)
    }
}

/// A file that cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ImportError {
    /// Where, counted from 1; missing when it holds for the whole file.
    pub line: Option<u64>,
    /// What was expected there, and what was found instead.
    pub expected: String,
}

impl ImportError {
    /// An error at a line.
    pub fn at(line: u64, expected: impl Into<String>) -> ImportError {
        ImportError {
            line: Some(line),
            expected: expected.into(),
        }
    }

    /// An error of the whole file.
    pub fn of_file(expected: impl Into<String>) -> ImportError {
        ImportError {
            line: None,
            expected: expected.into(),
        }
    }

    /// The file cannot be read on.
    pub(crate) fn unread(error: &std::io::Error) -> ImportError {
        ImportError::of_file(format!("a readable file: {error}"))
    }
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: expected {}", self.expected),
            None => write!(f, "expected {}", self.expected),
        }
    }
}

/// A file of a kind with what must come out.
#[cfg(test)]
pub struct Fixture {
    /// Name of the file, as the program makes it.
    pub name: &'static str,
    pub bytes: Vec<u8>,
    /// Looks at the runs; panics when they are not what the file says.
    pub check: fn(&[Run]),
}

#[cfg(test)]
fn step_of(run: &Run, name: &str) -> usize {
    let names: Vec<_> = run
        .header
        .plan
        .steps
        .iter()
        .map(|step| step.name.as_str())
        .collect();
    names
        .iter()
        .position(|step| *step == name)
        .unwrap_or_else(|| panic!("no step '{name}' in {names:?}"))
}

/// The workload of a step's first job.
#[cfg(test)]
pub fn workload_of(run: &Run, name: &str) -> plumb_model::workload::Workload {
    run.header.plan.steps[step_of(run, name)].jobs[0]
        .workload
        .clone()
}

/// What is stated of a step, round by round.
#[cfg(test)]
pub fn stated_of(run: &Run, name: &str) -> Vec<plumb_model::run::imported::Reported> {
    use plumb_model::run::Event;
    let of = step_of(run, name) as u32;
    let (mut executions, mut all) = (Vec::new(), Vec::new());
    for note in &run.notes {
        match &note.event {
            Event::ExecutionStarted {
                execution, step, ..
            } if *step == of => executions.push(*execution),
            Event::Reported {
                execution,
                reported,
                ..
            } if executions.contains(execution) => all.push(reported.clone()),
            _ => {}
        }
    }
    all
}
