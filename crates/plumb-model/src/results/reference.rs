//! Which published figures exist? Figures with the set-up they were measured on: one TOML file each in the folder `references`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::target::remote::Scheme;
use crate::text::word::{serde_as_text, words};
use crate::units::{Bytes, UnitError};
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

words! {
    /// Order in which a published test worked on its blocks or files.
    PublishedOrder, "order of a published test" {
        /// One after the other; files in the order of their names.
        Sequential = "sequential",
        /// Random offsets; files with random names, or taken at random.
        Random = "random",
        /// Files in the order in which their directory lists them.
        Listed = "listed",
    }
}

words! {
    /// What a published test worked through.
    PublishedCache, "cache of a published test" {
        /// The page cache was bypassed: direct or unbuffered I/O.
        Bypassed = "bypassed",
        /// The page cache, of a file that fits into memory.
        PageCache = "page-cache",
        /// The page cache, of a file larger than memory.
        LargerThanMemory = "larger-than-memory",
        /// No storage was involved: messages between two hosts.
        NoStorage = "no-storage",
        /// The publication does not say.
        NotPublished = "not-published",
    }
}

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
    /// What the figures are of, as the head of their column in the article's table: `FreeBSD`.
    pub system: String,
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
    /// The programs that measured, each with its units.
    #[serde(rename = "program")]
    pub programs: Vec<PublishedProgram>,
    #[serde(rename = "figure")]
    pub figures: Vec<PublishedFigure>,
}

impl Reference {
    /// The unit that a figure is printed in, as its program defines it; `None` for a figure without a number.
    pub fn unit_of(&self, figure: &PublishedFigure) -> Option<&PublishedUnit> {
        let unit = figure.unit.as_ref()?;
        let program = self
            .programs
            .iter()
            .find(|program| program.name == figure.program)?;
        program.units.iter().find(|known| known.printed == *unit)
    }
}

/// A program that measured published figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedProgram {
    pub name: String,
    /// Its command line, as far as it was published.
    #[serde(default)]
    pub command: Option<String>,
    pub units: Vec<PublishedUnit>,
}

/// A unit as a program defines it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedUnit {
    /// As printed: `KB/s`.
    pub printed: String,
    /// What one of them is in the unit of the metric: 1024 (bytes/s).
    pub is: f64,
    /// How that is known, or that it is an assumption.
    pub known_by: String,
}

/// One published figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigure {
    /// Unique within the reference; the same name in two references means the same test.
    pub name: String,
    /// The table of the article that it stands in, and its row there; its column is [`Reference::system`].
    pub table: String,
    pub row: String,
    /// The program that measured it, one of [`Reference::programs`].
    pub program: String,
    /// What the program calls the test.
    pub operation: String,
    /// Missing if it was not published.
    #[serde(default)]
    pub order: Option<PublishedOrder>,
    pub cache: PublishedCache,
    /// Id of a [`crate::results::comparison::ComparedMetric`]; missing if plumb does not compare such figures: it is only listed.
    #[serde(default)]
    pub metric: Option<String>,
    /// In the metric's unit (operations/s, bytes/s, ns), without a metric in `unit`. Missing if the publication has none (a misprint).
    #[serde(default)]
    pub value: Option<f64>,
    /// The printed unit, one of its program's; missing without a value.
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

/// The work; missing values were not published and match anything. The order is [`PublishedFigure::order`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedWork {
    /// The test of a program that a step must stand for (`bonnie++ putc`): a key `stands-for` of the step, or a result of that program. Without it the values
    /// below say all.
    #[serde(default)]
    pub test: Option<String>,
    /// The only kind of operation of the step; missing for a mix that `test` names.
    #[serde(default)]
    pub kind: Option<OperationKind>,
    /// Name of the step, if its kind does not give the direction: `write` or `read` of a copy.
    #[serde(default)]
    pub step: Option<String>,
    /// Protocol of the target: a read of a peer's memory is not a disk read.
    #[serde(default)]
    pub scheme: Option<Scheme>,
    /// Block size; the smallest one when there is a `block_to`.
    #[serde(default)]
    pub block: Option<Bytes>,
    /// Largest block size, where several were used or the size was not published.
    #[serde(default)]
    pub block_to: Option<Bytes>,
    /// The figure is the mean over these block sizes: it is set beside the mean of the steps.
    #[serde(default)]
    pub mean: bool,
    /// Smallest and largest size of the files.
    #[serde(default)]
    pub file_bytes: Option<(Bytes, Bytes)>,
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
    /// Completions are polled for.
    #[serde(default)]
    pub polling: Option<bool>,
    /// Size of the file.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// The figure is this part of the step's: 0.5 for the time one way, half of a round trip.
    #[serde(default)]
    pub part: Option<f64>,
}
