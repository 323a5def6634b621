//! What is in a run folder? The names and line formats that writer and reader share, and what can be wrong with them.
//!
//! A run folder (`NAME.plumb/`, or any folder that the user names) holds
//!
//! | file | holds | written |
//! |---|---|---|
//! | `run.json` | one [`RunHeader`](plumb_model::run::RunHeader): plan, environment, command line | once, before the first operation, then fsynced |
//! | `ticks.jsonl` | one [`Tick`](plumb_model::run::tick::Tick) per line, with short names (tick_line.rs) | appended, one write(2) per interval |
//! | `readings.jsonl` | counters, see below | appended, one write(2) per sample |
//! | `notes.jsonl` | one [`Note`](plumb_model::run::Note) per line | appended as they happen |
//! | `operations.bin` | only of plans with `log-each`: every operation (operations.rs) | appended, one write(2) per batch |
//!
//! Other files (`report.html`, `requests.iolog` of a replay) may be in the folder; the reader ignores them.
//!
//! `readings.jsonl` holds two kinds of lines, because every sample names the same few hundred counters. A line
//! `{"columns":3,"of":[["disk.reads","vda"],["memory.cached_bytes",""]]}` gives columns their metric and instance and the list a number;
//! it comes before the first sample and whenever the columns change. A line `{"t":1000000000,"c":3,"v":[17,null]}` is one sample: time in
//! nanoseconds since the start of the run, number of the list of columns, values in its order; `null` is a value that could not be read.
//! A sample whose list of columns was lost cannot be put under a wrong name: it is left out and reported as a doubt.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Name of the header file.
pub const HEADER: &str = "run.json";
/// Name of the file of ticks.
pub const TICKS: &str = "ticks.jsonl";
/// Name of the file of readings.
pub const READINGS: &str = "readings.jsonl";
/// Name of the file of notes.
pub const NOTES: &str = "notes.jsonl";
/// Name of the file of operations (`log-each`).
pub const OPERATIONS: &str = "operations.bin";
/// File of the requests that a replay was made from. It exists before the run begins.
pub const REPLAYED: &str = "requests.iolog";

/// Folder of the record of one rank in the run folder of all ranks: `ranks/0003`.
pub fn rank_folder(run_folder: &Path, rank: u32) -> PathBuf {
    run_folder.join("ranks").join(format!("{rank:04}"))
}

/// One line of `readings.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ReadingsLine<'a> {
    /// Names the columns of the samples that follow.
    Columns {
        /// Number of this list.
        columns: u32,
        /// Metric and instance of each column.
        of: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    },
    /// One sample.
    Sample {
        #[serde(rename = "t")]
        time_ns: u64,
        #[serde(rename = "c")]
        columns: u32,
        #[serde(rename = "v")]
        values: Vec<Option<Value>>,
    },
}

/// A value, stored as an integer if it is one: counters stay short and exact.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Integer(i64),
    Real(f64),
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        // 2^53: below it every integer f64 is exact, and converts back.
        if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
            Value::Integer(value as i64)
        } else {
            Value::Real(value)
        }
    }
}

impl From<Value> for f64 {
    fn from(value: Value) -> Self {
        match value {
            Value::Integer(value) => value as f64,
            Value::Real(value) => value,
        }
    }
}

/// Why a run could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The folder exists and is not empty: nothing is ever overwritten.
    #[error(
        "{folder}: the folder is not empty and was not changed; choose another with --output, or remove it first"
    )]
    NotEmpty { folder: PathBuf },
    /// The name belongs to something other than a folder.
    #[error("{folder}: exists but is not a folder; choose another with --output")]
    NotAFolder { folder: PathBuf },
    /// The folder or a file in it cannot be created.
    #[error("{path}: cannot be created: {error}; choose another folder with --output")]
    Create { path: PathBuf, error: io::Error },
    /// The header could not be written: nothing was measured, and nothing of the record is left.
    #[error(
        "{path}: cannot be written: {error}; nothing was measured; free space there, or choose another folder with --output"
    )]
    Header { path: PathBuf, error: io::Error },
    /// Appending failed, for example because a disk is full or has disappeared.
    #[error(
        "{path}: recording failed: {error}; the data recorded before is kept in {folder}; read it with: plumb show {shown}",
        folder = .path.parent().unwrap_or(.path).display(),
        shown = plumb_model::text::shell::quoted_path(.path.parent().unwrap_or(.path)),
        path = .path.display()
    )]
    Write { path: PathBuf, error: io::Error },
    /// A value without a JSON form.
    #[error("{path}: cannot be written as JSON: {error}")]
    Encode {
        path: PathBuf,
        error: serde_json::Error,
    },
    /// There is no such folder.
    #[error(
        "{folder}: no such folder; a run is a folder that 'plumb run' or 'plumb check' wrote, with a file {HEADER} inside"
    )]
    Missing { folder: PathBuf },
    /// The folder holds no run.
    #[error(
        "{folder}: not a run folder, it has no file {HEADER}; give a folder that 'plumb run' or 'plumb check' wrote"
    )]
    NoHeader { folder: PathBuf },
    /// The run ended before its header was complete.
    #[error(
        "{folder}: the run ended before its record began, and nothing was measured (only {HEADER}.part exists); remove the folder, or use it again with --output"
    )]
    NeverBegan { folder: PathBuf },
    /// A file exists and cannot be read.
    #[error("{path}: cannot be read: {error}")]
    Read { path: PathBuf, error: io::Error },
    /// The header is damaged: without it the rest is meaningless.
    #[error("{path}: damaged, so the run cannot be read: {error}")]
    BadHeader { path: PathBuf, error: String },
    /// Written by a newer program.
    #[error(
        "{folder}: written in format {format} by plumb {version}; this version reads up to format {known}; use a newer plumb"
    )]
    Newer {
        folder: PathBuf,
        format: u64,
        version: String,
        known: u32,
    },
}
