//! What is compared, and how? The sides, and what counts as the same.

use plumb_model::results::comparison::{ComparedMetric, Condition};
use plumb_model::results::reference::Reference;
use plumb_model::run::Run;

use crate::compare::published::Setup;

/// What enters a comparison. The first one is the baseline.
#[derive(Debug, Clone)]
pub enum Entrant<'a> {
    /// A recorded run with the name that the user gave it.
    Run { label: String, run: &'a Run },
    /// Published figures.
    Reference(&'a Reference),
}

impl<'a> Entrant<'a> {
    pub(super) fn run(&self) -> Option<&'a Run> {
        match self {
            Entrant::Run { run, .. } => Some(run),
            Entrant::Reference(_) => None,
        }
    }

    pub(super) fn reference(&self) -> Option<&'a Reference> {
        match self {
            Entrant::Run { .. } => None,
            Entrant::Reference(reference) => Some(reference),
        }
    }

    pub(super) fn setup(&self) -> Setup<'a> {
        match self {
            Entrant::Run { run, .. } => Setup::Run(run),
            Entrant::Reference(reference) => Setup::Reference(reference),
        }
    }
}

/// How to compare.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Share of intervals that cover the truth: 0.95.
    pub confidence: f64,
    /// Practical threshold as a part: 0.05.
    pub threshold: f64,
    /// Figures to compare. Empty: one of throughput, the median and the 99th percentile, as each step supports them.
    pub metrics: Vec<&'static ComparedMetric>,
    /// Conditions under which the comparison fails.
    pub conditions: Vec<Condition>,
    /// Compare steps that did not do the same work, with the differences listed.
    pub any_work: bool,
    /// Version of plumb, for the record.
    pub plumb_version: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            confidence: 0.95,
            threshold: 0.05,
            metrics: Vec::new(),
            conditions: Vec::new(),
            any_work: false,
            plumb_version: String::new(),
        }
    }
}
