//! What does each verb do, and how does it end?

pub mod clean;
pub mod completions;
pub mod config;
pub mod manual;
pub mod measure;
pub mod observe;
pub mod peer;
pub mod plans;
pub mod results;
pub mod schema;

use plumb_model::results::finding::{Finding, Severity};

/// How a command ended, when it ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Done,
    /// Done, with a severe finding: exit code 1.
    Severe,
    /// Not (all) done, and the user was told why: exit code 2, or 130 where the user stopped it.
    NotDone,
    /// Not done, or with errors, in the exit code of the program in whose place plumb was called.
    Code(u8),
}

/// The outcome that findings give.
pub fn outcome_of(findings: &[Finding]) -> Outcome {
    if findings
        .iter()
        .any(|finding| finding.severity == Severity::Severe)
    {
        Outcome::Severe
    } else {
        Outcome::Done
    }
}
