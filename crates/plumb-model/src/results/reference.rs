//! Which published figures exist? Figures with the set-up they were measured on: one TOML file each in the folder `references`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::target::remote::Scheme;
use crate::units::Bytes;
use crate::workload::OperationKind;

/// Prefix by which a reference is named on the command line: `ref:optane-p4800x`.
pub const REFERENCE_PREFIX: &str = "ref:";

/// The experiments that the published figures belong to: (name, question).
pub const EXPERIMENTS: &[(&str, &str)] = &[
    (
        "E1",
        "A file share over a fast fabric, layer by layer: where is the array's speed lost?",
    ),
    ("E2", "One file system against another on the same array"),
    ("E3", "Copy programs against each other"),
    (
        "E4",
        "An SSD at every queue depth, and what the processor does to it",
    ),
    ("E5", "Why is an application slow on a share?"),
    ("E6", "Software RAID 1 on two operating systems"),
];

/// Conditions of a set-up that are not environment facts: (key of [`Reference::conditions`], meaning).
pub const CONDITIONS: &[(&str, &str)] = &[
    ("program", "what measured, with its options"),
    ("method", "how often and in which order it was measured"),
    (
        "caching",
        "whether the page cache of the operating system was used",
    ),
    ("file size", "size of the file or volume that was worked on"),
    ("files", "number and size of the files that were worked on"),
    ("concurrency", "operations in flight, or threads"),
    ("pinning", "threads bound to processors"),
    (
        "completion",
        "how the end of an operation is learnt: interrupts or polling",
    ),
    (
        "network",
        "what lies between the application and the storage",
    ),
    ("peer", "the machine on the other side of the network"),
    ("array cache", "cache of the controller"),
    ("security", "authentication, encryption"),
];

/// Published figures of one system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Name after `ref:`; also the file's name.
    pub id: String,
    /// What was measured, in one line.
    pub title: String,
    /// The experiment it belongs to, one of [`EXPERIMENTS`].
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
    #[serde(rename = "ground")]
    pub environment: BTreeMap<String, Fact>,
    /// Set-up without such an id: a key of [`CONDITIONS`] and its value (`program` = `Iometer`).
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
    /// Id of a [`crate::results::comparison::ComparedMetric`]; missing if plumb does not compare such figures: it is only listed.
    #[serde(default)]
    pub metric: Option<String>,
    /// In the metric's unit (operations/s, bytes/s, ns), or in `unit`. Missing if the publication has none (a misprint).
    #[serde(default)]
    pub value: Option<f64>,
    /// Unit of a figure that has no metric, one of [`PUBLISHED_UNITS`]; missing if it has a metric.
    #[serde(default)]
    pub unit: Option<String>,
    /// As printed, with its unit: `580,000 IOPS`.
    pub printed: String,
    /// The work that a run must have done to be compared with this figure. Missing if no workload of plumb does it: then
    /// it is compared only with figures of the same name in other references.
    #[serde(default)]
    pub work: Option<PublishedWork>,
    /// Caveat of this figure: errors in the copy.
    #[serde(default)]
    pub note: Option<String>,
}

/// Units of published figures that no metric of a comparison has.
pub const PUBLISHED_UNITS: &[&str] = &["percent", "bit/s", "bytes", "cores"];

/// The work; missing values were not published and match anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedWork {
    /// The only kind of operation of the step.
    pub kind: OperationKind,
    /// Name of the step, if its kind does not give the direction: `write` or `read` of a copy.
    #[serde(default)]
    pub step: Option<String>,
    /// Protocol of the target: a read of a peer's memory is not a disk read.
    #[serde(default)]
    pub scheme: Option<Scheme>,
    /// Random (true) or sequential (false).
    #[serde(default)]
    pub random: Option<bool>,
    /// Block size, or bytes of a file; the smallest one when there is a `block_to`.
    #[serde(default)]
    pub block: Option<Bytes>,
    /// Largest block size of a figure that is a mean over several.
    #[serde(default)]
    pub block_to: Option<Bytes>,
    /// Operations in flight over all workers.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Lower bound of operations in flight over all workers, for a figure that holds from there on, or if the depth was not published.
    #[serde(default)]
    pub depth_from: Option<u32>,
    #[serde(default)]
    pub workers: Option<u32>,
    /// Workers pinned to CPUs.
    #[serde(default)]
    pub pinned: Option<bool>,
    /// Size of the file.
    #[serde(default)]
    pub size: Option<Bytes>,
}
