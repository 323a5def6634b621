//! What has been published? Figures of others with the set-up they were measured on, as data: one TOML file each in the folder `references`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::units::Bytes;
use crate::workload::OperationKind;

/// Prefix by which a reference is named on the command line: `ref:optane-p4800x`.
pub const REFERENCE_PREFIX: &str = "ref:";

/// Published figures of one system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Name after `ref:`; also the file's name.
    pub id: String,
    /// What was measured, in one line.
    pub title: String,
    /// The experiment it belongs to: `E1` to `E6`.
    pub experiment: String,
    /// Year of publication.
    pub published: String,
    /// Where it was published.
    pub source: String,
    /// Flaws of the published measurement: one run of each, the page cache was measured, a copy with errors.
    #[serde(default)]
    pub doubts: Vec<String>,
    /// Set-up by the ids of [`crate::environment::FACTS`], as far as it was published.
    #[serde(default)]
    pub ground: BTreeMap<String, Fact>,
    /// Set-up that has no such id, in words: what and how (`program` = `Iometer`).
    #[serde(default)]
    pub conditions: BTreeMap<String, String>,
    #[serde(rename = "figure")]
    pub figures: Vec<PublishedFigure>,
}

/// One published figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigure {
    /// Unique within the reference; the same name in two references means the same test.
    pub name: String,
    /// Id of a [`crate::comparison::ComparedMetric`]; missing when plumb compares no such figure: then it is listed only.
    #[serde(default)]
    pub metric: Option<String>,
    /// In the metric's unit (operations/s, bytes/s, ns), or in `unit`. Missing when the publication has none (a mistyped run).
    #[serde(default)]
    pub value: Option<f64>,
    /// Unit of a figure that has no metric: `percent`, `bit/s`.
    #[serde(default)]
    pub unit: Option<String>,
    /// As it was printed, with its unit: `580,000 IOPS`.
    pub printed: String,
    /// The work that a run must have done for this figure to be put beside its own. Missing when no workload of plumb does this.
    #[serde(default)]
    pub work: Option<PublishedWork>,
    /// What is peculiar about this figure: errors in the copy.
    #[serde(default)]
    pub note: Option<String>,
}

/// What was done; what is missing was not published and fits anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedWork {
    /// The only kind of operation of the step.
    pub kind: OperationKind,
    /// Random (true) or sequential (false).
    #[serde(default)]
    pub random: Option<bool>,
    #[serde(default)]
    pub block: Option<Bytes>,
    /// Operations in flight over all workers.
    #[serde(default)]
    pub depth: Option<u32>,
    #[serde(default)]
    pub workers: Option<u32>,
    /// Workers pinned to CPUs.
    #[serde(default)]
    pub pinned: Option<bool>,
    /// Size of the file.
    #[serde(default)]
    pub size: Option<Bytes>,
}
