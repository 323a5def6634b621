//! What is to be run? Steps of jobs, fully resolved, each value with its origin.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::units::UnitError;
use crate::workload::{Job, serde_as_text, words};

mod estimate;
mod file;
pub mod fio_job;
pub mod iometer;
pub mod keys;
pub mod plans;
mod resolve;
mod schedule;
mod sugar;
mod text;
mod validate;
mod written;

pub use estimate::Estimate;
pub use file::{Entry, JobFile, PLAN_KEYS, PlanFile, StepFile};
pub use resolve::{Overrides, PlanKind, resolve};
pub use schedule::shuffled;
pub use sugar::{PATTERNS, Pattern};

/// A plan that cannot be: where it is wrong, and what is expected there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct PlanError {
    /// File and line, flag, or step.
    pub place: String,
    /// What is wrong and what to write instead.
    pub message: String,
}

impl PlanError {
    /// An error at this place.
    pub fn at(place: impl Into<String>, message: impl Into<String>) -> PlanError {
        PlanError { place: place.into(), message: message.into() }
    }
}

words! {
    /// Where a value came from; later ones win.
    Origin, "origin" {
        /// The program's own default.
        Default = "default",
        /// The built-in plan.
        Preset = "preset",
        /// The plan file.
        File = "plan file",
        /// The sweep of the plan that makes several steps of one.
        Sweep = "sweep",
        /// `--set key=value`.
        Set = "--set",
        /// A flag of the command line.
        Flag = "flag",
        /// Found out from the target or drawn when the run was prepared (size of the target, seed).
        Resolved = "resolved",
    }
}

words! {
    /// In which order steps and rounds run.
    Order, "order" {
        /// All rounds of a step, then the next step.
        Sequential = "sequential",
        /// All steps once, then all again: slow changes of the machine touch all steps alike.
        Interleaved = "interleaved",
        /// As interleaved, each round in a random order drawn from the plan's seed.
        Shuffled = "shuffled",
    }
}

/// A plan: printable and storable without being run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Plan {
    /// Short name: `depth`; `ad-hoc` for a workload from flags.
    pub name: String,
    /// One sentence: the question that the plan answers.
    pub title: String,
    pub rounds: u32,
    pub order: Order,
    /// Seed of the order when shuffled.
    pub seed: u64,
    pub steps: Vec<Step>,
}

/// One cell of a plan: jobs that run at the same time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Step {
    /// Unique within the plan: `random-read depth=32`.
    pub name: String,
    /// Name shared by the steps of one sweep: `random-read`; charts draw one line per group.
    pub group: String,
    /// The swept keys with their values in this step.
    pub swept: BTreeMap<String, String>,
    /// The first is the main one; others run beside it and stop with it.
    pub jobs: Vec<Job>,
    /// For each job: where each key's value came from. Keys that are missing are defaults.
    pub origins: Vec<BTreeMap<String, Origin>>,
}
