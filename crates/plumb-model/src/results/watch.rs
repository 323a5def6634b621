//! What do recorded counters show over time? Rates, sizes, times and outstanding requests of each disk, share, interface and core, in tables.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::run::watch::{CommandEnd, Watch, WatchCost};
use crate::statement::{Statement, Unit};

/// Identifier of the document that `plumb show --json` prints of a recording of counters.
pub const WATCH_SCHEMA: &str = "plumb-watch-1";

/// The figures of one interval between two samples.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchInterval {
    /// Time of the samples that enclose it, in nanoseconds since the start of the recording.
    pub begin_ns: u64,
    pub end_ns: u64,
    pub tables: Vec<WatchTable>,
}

/// Figures of one kind of object, one row per object and direction.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchTable {
    /// `disk`, `nfs_mount`, `smb_mount`, `network`, `tcp_segments`, `cpu`, ...
    pub group: &'static str,
    /// Heading, as a label of the catalog.
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
    /// Heading, as a label of the catalog.
    #[serde(skip)]
    pub label: &'static str,
    /// Unit of its values. Missing: a plain number.
    pub unit: Option<Unit>,
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchRow {
    /// Instance: `vda`, `/mnt/n`, `eth0`; empty if there is only one.
    pub instance: Cow<'static, str>,
    /// Direction or kind: `read`, `write`, `receive`; empty if an instance has only one row.
    pub kind: &'static str,
    /// The same as a label of the catalog; empty if there is none.
    #[serde(skip)]
    pub label: &'static str,
    /// Value of each column. Missing: unknown, not counted for this kind, or a mean over no requests.
    pub values: Vec<Option<f64>>,
    /// Maximum over the intervals for each column. Empty in the table of a single interval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub largest: Vec<Option<f64>>,
    /// True if a rate or a level is above 0.
    pub is_active: bool,
}

/// Summary of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchSummary {
    /// [`WATCH_SCHEMA`].
    pub schema: &'static str,
    /// The folder or file, as given.
    pub source: String,
    /// Start: RFC 3339 with offset; empty if not recorded.
    pub started: String,
    /// The command line that recorded it; empty if another program did.
    pub recorded_by: Vec<String>,
    /// The request. Missing for a recording of another program.
    pub watch: Option<Watch>,
    /// From the first sample to the last, in nanoseconds.
    pub span_ns: u64,
    /// Number of intervals used.
    pub intervals: u64,
    /// `finished`, `interrupted` or `incomplete`: killed, or still running.
    pub state: String,
    /// Cost of the recording. Missing if it was killed, or made by another program.
    pub cost: Option<WatchCost>,
    /// How the watched command ended. Missing without a command, or if its end was not recorded.
    pub command_end: Option<CommandEnd>,
    /// Over the entire recording: means are weighted by requests, rates and levels by time.
    pub tables: Vec<WatchTable>,
    /// Doubts about the recording.
    pub doubts: Vec<Statement>,
}
