//! What does an imported run hold besides ticks? Its origin, and figures that the program states without raw data.

use crate::statement::Statement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workload::operation::OperationKind;

/// Origin of an imported run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The program that measured: `fio`, `bonnie++`.
    pub program: String,
    /// As given in the file; missing if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Name of the importer, one of `plumb import --list`.
    pub importer: String,
    /// The file, as given on the command line.
    pub file: String,
    /// The source lists every option that was not at its default, so that a missing key is known to be at its default. False for a result
    /// that lists only some options: the others are then unknown, and a comparison reports that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub names_all_options: bool,
    /// Keys of the plan whose values the source does not state: `block`, `depth`, `offsets`, `direct`. What stands under them in the plan was not the condition of
    /// the measurement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unstated: Vec<String>,
    /// What the figures of this program include, exclude or round: needed before comparing them with others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Statement>,
}

impl Imported {
    /// True if the source states the value of this key of the plan.
    pub fn states(&self, key: &str) -> bool {
        !self.unstated.iter().any(|unstated| unstated == key)
    }
}

/// Figures of one job in one execution that the source states, not contained in any tick. Missing values are not in the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The kind of operation; missing for figures over all kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OperationKind>,
    /// Operations per second, if the number of operations is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Bytes per second, if the number of bytes is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_per_s: Option<f64>,
    /// From the due time of operations (or their start, in a closed loop) to completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ReportedLatency>,
    /// From submission to completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ReportedLatency>,
    /// Other figures, named as in the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<ReportedFigure>,
}

/// A partly known latency distribution, in nanoseconds.
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

/// A figure without a field in plumb, as the source states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatedFigure")]
pub struct ReportedFigure {
    /// The source's name: `CPU in per-character output`.
    pub name: String,
    pub value: f64,
    /// Unit: `%`, `B/s`, `operations/s`, `ns`; empty for a bare number.
    pub unit: String,
}

impl ReportedFigure {
    /// The figure, if the source has a value for it.
    pub fn known(name: &str, value: Option<f64>, unit: &str) -> Option<ReportedFigure> {
        Some(ReportedFigure {
            name: name.into(),
            value: value?,
            unit: unit.into(),
        })
    }
}
