//! What is to be run? Steps of jobs, fully resolved, each value with its origin.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;
use crate::workload::Job;

pub mod error;
mod estimate;
mod notes;
mod read_log;
mod schedule;
pub mod steady;
pub mod steady_figure;
mod text;

pub use error::PlanError;
pub use estimate::Estimate;
pub use read_log::ReadLog;
pub use schedule::shuffled;
pub use steady::{DATA_EXCURSION_PERCENT, SLOPE_EXCURSION_PERCENT, STEADY_KEYS, Steady, WINDOW};
pub use steady_figure::SteadyFigure;

words! {
    /// Origin of a value; later ones take precedence.
    Origin, "origin" {
        /// The built-in default.
        Default = "default",
        /// The built-in plan.
        Preset = "preset",
        /// The plan file.
        File = "plan file",
        /// A sweep of the plan.
        Sweep = "sweep",
        /// `--set key=value`.
        Set = "--set",
        /// A flag of the command line.
        Flag = "flag",
        /// Determined from the target or drawn at random when the run was prepared (size of the target, seed).
        Resolved = "resolved",
    }
}

words! {
    /// Order of steps and rounds.
    Order, "order" {
        /// All rounds of a step, then the next step; with a sweep, all rounds of a combination, each through all its steps.
        Sequential = "sequential",
        /// All steps once, then all again: slow changes of the machine affect all steps alike.
        Interleaved = "interleaved",
        /// Like interleaved, each round in random order drawn from the plan's seed; the steps of a combination stay together, in order.
        Shuffled = "shuffled",
    }
}

/// A plan: printable and storable without being run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Plan {
    /// Short name: `depth`; `ad-hoc` for a workload from flags.
    pub name: String,
    /// What the plan measures, in one sentence.
    pub title: String,
    /// What the figures include and exclude; empty if there is nothing to note.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The published experiment that the plan repeats (`E6`): its results end with that table. Missing if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<String>,
    /// Repetitions of every step; with `steady`, the maximum.
    pub rounds: u32,
    pub order: Order,
    /// Seed of the order when shuffled.
    pub seed: u64,
    /// Rounds end when these figures are steady. Missing: after `rounds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    pub steps: Vec<Step>,
    /// Swept steps left out because their block is larger than their size.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
}

impl Plan {
    /// A plan with nothing to run.
    pub fn without_steps(name: impl Into<String>, title: String) -> Plan {
        Plan {
            name: name.into(),
            title,
            note: String::new(),
            experiment: None,
            rounds: 1,
            order: Order::Sequential,
            seed: 0,
            steady: None,
            steps: Vec::new(),
            left_out: 0,
        }
    }
}

/// One cell of a plan: jobs that run at the same time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Step {
    /// Unique within the plan: `random-read depth=32`.
    pub name: String,
    /// Name shared by the steps of one sweep: `random-read`; charts draw one line per group.
    pub group: String,
    /// The swept keys with their values in this step.
    pub swept: BTreeMap<String, String>,
    /// Number of the combination of the plan's sweep that the step belongs to, from 1: steps of one number run one after the other.
    /// Missing without a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combination: Option<u32>,
    /// What the step's figures include and exclude; empty if there is nothing to note.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The tests of other programs that the step stands for, as published figures name them: `bonnie++ putc`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stands_for: Vec<String>,
    /// Runs once, before the rounds of the others: preconditioning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub once: bool,
    /// The first is the main job; the others run at the same time and stop with it.
    pub jobs: Vec<Job>,
    /// For each job: the origin of each key's value. Missing keys have defaults.
    pub origins: Vec<BTreeMap<String, Origin>>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
