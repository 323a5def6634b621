//! What do counters say over time? Rates, sizes, times and outstanding requests of each disk, share, interface and core, in tables.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::run::watch::{CommandEnd, Watch, WatchCost};
use crate::statement::{Statement, Unit};

/// Identifier of the document that `plumb show --json` prints of a recording of counters.
pub const WATCH_SCHEMA: &str = "plumb-watch-1";

/// What one interval between two samples shows.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchInterval {
    /// Time of the samples that enclose it, in nanoseconds since the start of the recording.
    pub begin_ns: u64,
    pub end_ns: u64,
    pub tables: Vec<WatchTable>,
}

/// Figures of one kind of thing, one row for each thing and what it does.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchTable {
    /// `disk`, `nfs_mount`, `smb_mount`, `network`, `tcp_segments`, `cpu`, ...
    pub group: &'static str,
    /// Heading, as a label of the catalogue.
    #[serde(skip)]
    pub label: &'static str,
    pub columns: Vec<WatchColumn>,
    pub rows: Vec<WatchRow>,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchColumn {
    /// `per_second`, `bytes_per_second`, `request_bytes`, `time_ns`, `outstanding`, ...
    pub id: &'static str,
    /// Heading, as a label of the catalogue.
    #[serde(skip)]
    pub label: &'static str,
    /// Unit of its values. Missing: a plain number.
    pub unit: Option<Unit>,
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchRow {
    /// Which of several: `vda`, `/mnt/n`, `eth0`; empty when there is only one.
    pub instance: Cow<'static, str>,
    /// What of it: `read`, `write`, `receive`; empty when there is only one row of an instance.
    pub kind: &'static str,
    /// The same as a label of the catalogue; empty when there is none.
    #[serde(skip)]
    pub label: &'static str,
    /// Value of each column. Missing: not known, not counted for this kind, or a mean over no request.
    pub values: Vec<Option<f64>>,
    /// The largest value of an interval, of each column. Empty in the table of an interval itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub largest: Vec<Option<f64>>,
    /// Something happened here: a rate above 0, or a level above 0.
    pub is_active: bool,
}

/// A whole recording.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchSummary {
    /// [`WATCH_SCHEMA`].
    pub schema: &'static str,
    /// The folder or file, as it was named.
    pub source: String,
    /// Start: RFC 3339 with offset; empty when the recording does not say.
    pub started: String,
    /// The command line that recorded it; empty when another program did.
    pub recorded_by: Vec<String>,
    /// What was asked for. Missing for a recording of another program.
    pub watch: Option<Watch>,
    /// From the first sample to the last, in nanoseconds.
    pub span_ns: u64,
    /// Intervals between samples that were used.
    pub intervals: u64,
    /// `finished`, `interrupted` or `incomplete`: it was killed, or still goes on.
    pub state: String,
    /// What the watching cost. Missing when it was killed, or another program watched.
    pub cost: Option<WatchCost>,
    /// How the watched command ended. Missing when none was watched, or its end was not seen.
    pub command_end: Option<CommandEnd>,
    /// Over the whole recording: means are weighted by requests, rates and levels by time.
    pub tables: Vec<WatchTable>,
    /// What is doubtful of the recording.
    pub doubts: Vec<Statement>,
}
