//! What is an importer? It reads what another program wrote and returns it as runs: raw data, with doubts about it.

pub(crate) mod columns;
pub(crate) mod date;
pub(crate) mod diskspd;
pub(crate) mod elbencho;
pub(crate) mod embedded;
pub(crate) mod fio;
pub(crate) mod intervals;
pub(crate) mod iozone;
pub(crate) mod lenient;
pub(crate) mod number;
pub(crate) mod rounds;
mod run_builder;
pub(crate) mod sysstat;
pub(crate) mod warp;

use std::io::BufRead;

use plumb_model::run::Run;

pub use rounds::as_rounds;
pub use run_builder::{RunBuilder, Span};

/// Bytes of a file's beginning used to recognize its format.
pub const HEAD_BYTES: usize = 64 << 10;

/// One file format, implemented in one file in `importers/`.
#[derive(Debug)]
pub struct Importer {
    /// Name on the command line (`--as`), equal to the file name: `fio-json` is `fio_json.rs`.
    pub name: &'static str,
    /// The program that writes such files.
    pub program: &'static str,
    /// Which files and versions, and how the program is made to write them; one sentence for the reference.
    pub meaning: &'static str,
    /// True if a file with this beginning has this format. Must be false for the files of every other importer.
    pub recognizes: fn(&Head<'_>) -> bool,
    /// Reads the file. Must terminate on any content, without a panic and without memory that grows faster than the file; a figure that the file does not
    /// state stays missing.
    ///
    /// # Errors
    /// The file is not in the expected format, and nothing in it is usable. Otherwise what is usable is imported, and the rest is reported as doubts.
    pub import: fn(&mut Source<'_>) -> Result<Vec<Run>, ImportError>,
    /// Files of this format for the contract test.
    #[cfg(test)]
    pub fixtures: fn() -> Vec<Fixture>,
}

/// The data that a format is recognized by.
pub struct Head<'a> {
    /// Name of the file without its folder.
    pub name: &'a str,
    /// Its first [`HEAD_BYTES`] bytes, or all of it.
    pub bytes: &'a [u8],
}

impl Head<'_> {
    /// As text; invalid bytes are replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes)
    }
}

/// A file that is read from its beginning.
pub struct Source<'a> {
    /// Name as the user gave it.
    pub name: &'a str,
    pub reader: &'a mut dyn BufRead,
}

/// Longest line of a text format, so that a file without line ends does not fill the memory.
const LINE_BYTES_MAX: u64 = 1 << 20;

impl Source<'_> {
    /// The next line without its end, invalid bytes replaced; `None` at the end of the file.
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

    /// Reads the next line into `line`, with its end, and returns whether there was one: for files with millions of lines.
    ///
    /// # Errors
    /// As for [`Source::line`].
    pub fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool, ImportError> {
        use std::io::Read;
        line.clear();
        let read = (&mut self.reader)
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', line)
            .map_err(|error| ImportError::unreadable(&error))?;
        if read as u64 == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
            return Err(ImportError {
                line: None,
                expected: "lines shorter than 1 MiB, found a longer one".into(),
            });
        }
        Ok(read > 0)
    }

    /// Whether the file begins with this byte, blanks aside.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn begins_with(&mut self, first: u8) -> Result<bool, ImportError> {
        loop {
            let buffer = self.reader.fill_buf();
            let buffer = buffer.map_err(|error| ImportError::unreadable(&error))?;
            match buffer.first() {
                Some(byte) if byte.is_ascii_whitespace() => self.reader.consume(1),
                byte => return Ok(byte == Some(&first)),
            }
        }
    }

    /// The entire file, for formats that are never large.
    ///
    /// # Errors
    /// The file cannot be read, or is longer than `max` bytes.
    pub fn read_all(&mut self, max: u64) -> Result<Vec<u8>, ImportError> {
        use std::io::Read;
        let mut bytes = Vec::new();
        (&mut self.reader)
            .take(max + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| ImportError::unreadable(&error))?;
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
    /// Line number, counted from 1; missing if the error concerns the entire file.
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

    /// An error of the entire file.
    pub fn of_file(expected: impl Into<String>) -> ImportError {
        ImportError {
            line: None,
            expected: expected.into(),
        }
    }

    /// Reading the file failed.
    pub(crate) fn unreadable(error: &std::io::Error) -> ImportError {
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

/// A file of a format, with a check of the result.
#[cfg(test)]
pub struct Fixture {
    /// Name of the file, as the program writes it.
    pub name: &'static str,
    pub bytes: Vec<u8>,
    /// Checks the runs; panics if they do not match the file.
    pub check: fn(&[Run]),
}

#[cfg(test)]
impl Fixture {
    pub fn of(name: &'static str, bytes: &[u8], check: fn(&[Run])) -> Fixture {
        Fixture {
            name,
            bytes: bytes.to_vec(),
            check,
        }
    }
}

#[cfg(test)]
impl Importer {
    /// Imports these bytes as the file `x`.
    pub fn of_bytes(&self, bytes: &[u8]) -> Result<Vec<Run>, ImportError> {
        let mut reader = bytes;
        (self.import)(&mut Source {
            name: "x",
            reader: &mut reader,
        })
    }
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

/// The reported figures of a step, round by round.
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
