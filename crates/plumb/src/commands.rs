//! Which module runs each verb, and how does a verb end?

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

/// How a command ended, if without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Done,
    /// Done, with a severe finding: exit code 1.
    Severe,
    /// Not (completely) done, and the reason was printed: exit code 2, or 130 if the user stopped it.
    NotDone,
    /// The exit code of the program that plumb replaces.
    Code(u8),
}

/// The outcome for these findings.
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
