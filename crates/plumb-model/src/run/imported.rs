//! What does a run that another program measured carry beside ticks? Where it came from, and figures that the program states without what they rest on.

use crate::statement::Statement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workload::operation::OperationKind;

/// Where an imported run came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The program that measured: `fio`, `bonnie++`.
    pub program: String,
    /// As the file says it; missing when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Name of the importer, one of `plumb import --list`.
    pub importer: String,
    /// The file, as given on the command line.
    pub file: String,
    /// The source names every option that was not at its default, so that a key of the plan at its default is known to have been there. False for a result
    /// that tells a part of what was done: what the importer did not find is then not known, and a comparison says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub names_all_options: bool,
    /// What the figures of this program include, leave out or round away: a reader must know it before he compares them with others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Statement>,
}

/// Figures of one job in one execution that the source states, and no tick carries. What is missing the source does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The kind of operation; missing for what holds for all kinds together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OperationKind>,
    /// Operations per second, where the number of operations is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Bytes per second, where the number of bytes is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_per_s: Option<f64>,
    /// From when operations were due (or begun, in a closed loop) to completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ReportedLatency>,
    /// From submission to completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ReportedLatency>,
    /// Anything else, as the source names it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<ReportedFigure>,
}

/// A latency distribution of which only some numbers are known, in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedLatency {
    /// Number of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_ns: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_deviation_ns: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<f64>,
    /// (share of the samples from 0 to 1, nanoseconds), rising.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles_ns: Vec<(f64, f64)>,
}

/// A figure that plumb has no place for, as the source states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatedFigure")]
pub struct ReportedFigure {
    /// The source's name: `CPU in per-character output`.
    pub name: String,
    pub value: f64,
    /// Unit: `%`, `B/s`, `operations/s`, `ns`; empty for a bare number.
    pub unit: String,
}
