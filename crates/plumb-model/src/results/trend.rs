//! How do results change across runs? Points over a library of runs, change points, and the environment changes at them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::results::comparison::{Difference, Direction, Verdict};
use crate::statement::Statement;

/// Name and version of the schema of `plumb trend --json`. Names may be added under one version, never changed.
pub const TREND_SCHEMA: &str = "plumb-trend-2";

/// How change points were searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendMethod {
    /// Name of the method.
    pub name: Statement,
    /// Where it is published.
    pub source: String,
    /// Its parameters with their values.
    pub parameters: BTreeMap<String, Statement>,
}

/// A run on the time axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendRun {
    /// Name of the run.
    pub id: String,
    /// Its folder.
    pub folder: String,
    /// RFC 3339.
    pub started: String,
    /// Nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    pub plan: String,
    pub target: String,
    /// Name of the machine; missing if not recorded.
    pub host: Option<String>,
    pub tags: Vec<String>,
}

/// One run's figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendPoint {
    /// Index in [`Trend::runs`].
    pub run: u32,
    /// Median of the run's rounds.
    pub value: f64,
    /// Lowest and highest round; missing with one round.
    pub range: Option<(f64, f64)>,
    pub rounds: u32,
}

/// The figure changed at this run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangePoint {
    /// Index in [`Trend::runs`] of the first run with the new figure.
    pub run: u32,
    /// Geometric mean of the runs between the previous change and this one.
    pub before: f64,
    /// Geometric mean of the runs up to the next change.
    pub after: f64,
    /// `after / before`.
    pub ratio: f64,
    /// Probability of such a difference if nothing changed.
    pub p_value: f64,
    /// Better or worse; never undecided.
    pub verdict: Verdict,
    /// Differences in the environment, the version of plumb, the target, and how the step ran, between the previous run and this one.
    #[serde(rename = "ground")]
    pub environment: Vec<Difference>,
}

/// The figure drifted, without a run at which it changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendDrift {
    /// Value of the linear fit of the logarithms at the first and the last run.
    pub first: f64,
    pub last: f64,
    /// `last / first`.
    pub ratio: f64,
    /// Probability of such a slope if nothing changed.
    pub p_value: f64,
    /// Better or worse; never undecided.
    pub verdict: Verdict,
}

/// One metric of one step over the runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendLine {
    pub step: String,
    /// Kind of operation, if the step has several.
    pub kind: Option<String>,
    /// Id of the metric.
    pub metric: String,
    pub unit: String,
    pub better: Direction,
    /// Sorted by time; runs without this figure are left out.
    pub points: Vec<TrendPoint>,
    pub changes: Vec<ChangePoint>,
    /// Set in place of changes if a straight line fits the runs better than steps. Missing without drift.
    pub drift: Option<TrendDrift>,
    /// Why it is undecided whether it changed: too few runs, or no change found while some runs lack the figure. Missing if decided.
    #[serde(rename = "not_looked")]
    pub undecided_because: Option<Statement>,
}

/// The trends of a library of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trend {
    /// `plumb-trend-2`.
    pub schema: String,
    pub plumb_version: String,
    pub method: TrendMethod,
    /// In order of time.
    pub runs: Vec<TrendRun>,
    pub lines: Vec<TrendLine>,
    /// Runs left out, with reasons, and other notes.
    pub remarks: Vec<Statement>,
}

impl Trend {
    /// True if the last segment of any line is worse than the previous one, or a line drifts to the worse.
    pub fn ends_worse(&self) -> bool {
        let last = |line: &TrendLine| {
            line.changes
                .last()
                .map(|change| change.verdict)
                .or(line.drift.as_ref().map(|drift| drift.verdict))
        };
        self.lines
            .iter()
            .filter_map(last)
            .any(|verdict| verdict == Verdict::Worse)
    }
}
