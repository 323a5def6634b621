//! What is an exporter? Writes a run in a form that another program reads.

pub mod figures;
pub mod fio;
mod places;
pub mod table;
pub mod zip;

use plumb_model::run::Run;
use plumb_model::summary::Summary;

pub use places::Places;

/// One format: one file in `exporters/`.
#[derive(Debug)]
pub struct Exporter {
    /// Name on the command line (`--format`), equal to the file's: `fio-json` is `fio_json.rs`.
    pub name: &'static str,
    /// What it is for and who reads it; one sentence for the reference.
    pub meaning: &'static str,
    /// True for a format that a person may want on the terminal.
    pub is_text: bool,
    /// Writes the run. What the format has no place for is left out, and never made up: a missing figure is missing there too.
    ///
    /// # Errors
    /// The format cannot hold this run; what is in the way, and what to do instead.
    pub export: fn(&Subject<'_>) -> Result<Vec<ExportedFile>, ExportError>,
}

/// A run with its figures.
pub struct Subject<'a> {
    pub run: &'a Run,
    pub summary: &'a Summary,
}

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// Name, with its ending: `summary.csv`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A run that a format cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExportError(pub String);
