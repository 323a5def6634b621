//! What stands beside published figures? The article's table with the measured figure of each row, or the reason why there is none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;

/// The figures of one experiment, in the order of the article, with measured ones beside them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTable {
    /// One of [`crate::results::reference::EXPERIMENTS`].
    pub experiment: String,
    /// Its question.
    pub question: String,
    /// The published columns.
    pub systems: Vec<PublishedSystem>,
    /// The runs that were set beside them, by label.
    pub runs: Vec<String>,
    pub rows: Vec<PublishedRow>,
    /// What pinning gave, of each run that has steps which differ in nothing else. Empty without such steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinning: Vec<Pinning>,
}

impl PublishedTable {
    /// Rows with a measured figure.
    pub fn measured(&self) -> impl Iterator<Item = &PublishedRow> {
        self.rows.iter().filter(|row| row.is_measured())
    }
}

/// A published column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedSystem {
    /// Name of the reference, without `ref:`.
    pub reference: String,
    /// Head of its column: `FreeBSD`.
    pub system: String,
}

/// One row: a test, with its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedRow {
    /// The table of the article, and the row there.
    pub table: String,
    pub row: String,
    /// Name of the figure.
    pub name: String,
    /// The program that measured it, and what it calls the test.
    pub program: String,
    pub operation: String,
    /// Id of the metric; missing if plumb compares no such figures.
    pub metric: Option<String>,
    /// As [`PublishedTable::systems`]; missing where a system has no such figure.
    pub published: Vec<Option<PublishedCell>>,
    /// As [`PublishedTable::runs`]; missing where a run has no step that did this work.
    pub measured: Vec<Option<MeasuredCell>>,
    /// Why no run has it.
    pub reason: Option<Statement>,
}

impl PublishedRow {
    /// True if a run has a figure here.
    pub fn is_measured(&self) -> bool {
        self.measured.iter().any(Option::is_some)
    }
}

/// A published figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedCell {
    /// As printed.
    pub printed: String,
    /// In the unit of the metric; missing if the publication has no number.
    pub value: Option<f64>,
    /// The printed unit, what one of it is in the unit of the metric, and how that is known. Missing without a number.
    pub unit: Option<String>,
    pub unit_is: Option<f64>,
    pub unit_known_by: Option<String>,
    pub note: Option<String>,
}

/// A measured figure beside published ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredCell {
    /// The step; several where the published figure is a mean over them.
    pub steps: Vec<String>,
    /// Steps that fit too and are not used: what distinguishes them was not published.
    pub others: Vec<String>,
    /// In the unit of the metric: trimmed geometric mean of the rounds.
    pub value: f64,
    /// Interval of that mean; missing below two rounds.
    pub interval: Option<(f64, f64)>,
    pub rounds: u32,
    /// Divided by the published figure of each system; missing where it has none.
    pub ratios: Vec<Option<f64>>,
    /// What was not as published: a file that fits into memory.
    pub caveats: Vec<Statement>,
}

/// Two steps that differ only in whether their workers were pinned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pinning {
    /// Index of the run.
    pub run: u32,
    /// The steps.
    pub not_pinned: String,
    pub pinned: String,
    /// What both do: `random-read`.
    pub test: String,
    pub workers: u32,
    /// Operations in flight of each worker.
    pub depth: u32,
    /// (not pinned, pinned), operations/s.
    pub iops: (Option<f64>, Option<f64>),
    /// IOPS pinned, divided by those not pinned; and the interval of that ratio, from the rounds. Missing where the rounds give none.
    pub ratio: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// (not pinned, pinned), mean response time in ns.
    pub mean_ns: (Option<f64>, Option<f64>),
    /// (not pinned, pinned), CPU time of the load per operation in ns.
    pub cpu_ns: (Option<f64>, Option<f64>),
    /// (not pinned, pinned), operations/s of one core that is kept busy.
    pub iops_per_core: (Option<f64>, Option<f64>),
}
