//! What is an exporter? It writes a run in a format that another program reads.

mod execution_index;
pub mod figures;
pub mod fio;
pub mod fio_report;
pub mod openmetrics;
pub mod points;
pub mod table;
pub mod zip;

use std::io::{self, Write};
use std::path::Path;

use plumb_model::results::summary::Summary;
use plumb_model::results::watch::WatchInterval;
use plumb_model::run::Run;
use plumb_model::run::metric::Reading;
use plumb_model::run::tick::Tick;

use crate::reader::{each_reading, each_tick};

pub use execution_index::ExecutionIndex;

/// One format, implemented in one file in `exporters/`.
#[derive(Debug)]
pub struct Exporter {
    /// Name on the command line (`--format`), equal to the file name: `fio-json` is `fio_json.rs`.
    pub name: &'static str,
    /// Purpose and audience; one sentence for the reference.
    pub meaning: &'static str,
    /// True for a format that is readable on a terminal.
    pub is_text: bool,
    /// Writes the run. What the format cannot hold is left out and never invented: a missing figure stays missing.
    ///
    /// # Errors
    /// The format cannot hold this run; the message gives the reason and an alternative.
    pub export: for<'a> fn(&'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError>,
}

/// A run with its figures.
pub struct Subject<'a> {
    pub run: &'a Run,
    pub summary: &'a Summary,
    /// The run folder, if it holds more intervals or samples than `run` (those of a long run are condensed).
    pub record: Option<&'a Path>,
    /// Its counters, sample by sample, with the figures derived from them.
    pub samples: Samples<'a>,
}

/// Receives the readings of one sample, all taken at one time, and the interval that ended with it; none for the first sample.
pub type TakeSample<'a> = &'a mut dyn FnMut(&[Reading], Option<&WatchInterval>) -> io::Result<()>;
/// Passes on every sample as recorded. Errors: those of the record or of the receiver.
pub type Samples<'a> = &'a dyn Fn(TakeSample<'_>) -> io::Result<()>;

impl<'a> Subject<'a> {
    /// Passes on every interval as recorded.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn each_tick(&self, mut take: impl FnMut(&Tick)) -> io::Result<()> {
        match self.record {
            Some(folder) => each_tick(folder, take).map_err(io::Error::other),
            None => {
                self.run.ticks.iter().for_each(&mut take);
                Ok(())
            }
        }
    }

    /// Passes on every reading as recorded.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn each_reading(&self, mut take: impl FnMut(&Reading)) -> io::Result<()> {
        match self.record {
            Some(folder) => each_reading(folder, take).map_err(io::Error::other),
            None => {
                self.run.readings.iter().for_each(&mut take);
                Ok(())
            }
        }
    }
}

/// `folder` if it holds more intervals or samples than `run`, which was read from it.
///
/// # Errors
/// The folder cannot be read.
pub fn fuller_record<'a>(run: &Run, folder: &'a Path) -> io::Result<Option<&'a Path>> {
    let (mut ticks, mut readings) = (0, 0);
    if folder.is_dir() {
        each_tick(folder, |_| ticks += 1).map_err(io::Error::other)?;
        each_reading(folder, |_| readings += 1).map_err(io::Error::other)?;
    }
    let more = ticks > run.ticks.len() || readings > run.readings.len();
    Ok(more.then_some(folder))
}

/// One file of an export.
pub struct ExportedFile<'a> {
    /// Name with extension: `summary.csv`.
    pub name: String,
    content: Content<'a>,
}

/// Writes all content of a file.
type Stream<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

enum Content<'a> {
    Bytes(Vec<u8>),
    Stream(Stream<'a>),
}

impl std::fmt::Debug for ExportedFile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ExportedFile({})", self.name)
    }
}

impl<'a> ExportedFile<'a> {
    /// A file whose size does not depend on the length of the run.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> ExportedFile<'a> {
        ExportedFile {
            name: name.into(),
            content: Content::Bytes(bytes),
        }
    }

    /// A file that is written while the record is read, so that it is never completely in memory.
    pub fn streamed(
        name: impl Into<String>,
        stream: impl Fn(&mut dyn Write) -> io::Result<()> + 'a,
    ) -> ExportedFile<'a> {
        ExportedFile {
            name: name.into(),
            content: Content::Stream(Box::new(stream)),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// `out` cannot be written, or the record cannot be read.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.content {
            Content::Bytes(bytes) => out.write_all(bytes),
            Content::Stream(stream) => stream(out),
        }
    }
}

/// A run that a format cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExportError(pub String);
