//! What is a judged statement? A claim with the numbers it rests on and what to do about it.

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know; the figures stand.
    Info,
    /// The figures may mislead unless this is kept in mind.
    Warning,
    /// The figures are not what they seem to be, or data is in danger. Exit code 1.
    Severe,
}

/// One number or fact that a claim rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// What was looked at: a metric, fact or summary field (`mount.file_system`, `steps[3].achieved_depth`).
    pub what: String,
    /// Its value as text with unit.
    pub value: String,
    /// Where it comes from: a step, an interval, a file of the kernel.
    pub source: String,
}

/// One finding of the doctor, a rule or the advisor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    /// The rule that found it, by its file's name: `working_set_fits_in_ram`.
    pub rule: String,
    pub severity: Severity,
    /// One sentence in plain words.
    pub claim: String,
    pub evidence: Vec<Evidence>,
    /// What else could have explained the evidence, and why it does not.
    #[serde(default)]
    pub ruled_out: Vec<String>,
    /// What to do, as one sentence; a command where there is one.
    pub advice: String,
    /// What following the advice is expected to bring: (low, high) as ratios of today's figure. Missing when it cannot be said.
    #[serde(default)]
    pub predicted_effect: Option<(f64, f64)>,
    /// The experiment that would prove or refute the claim: a command line.
    #[serde(default)]
    pub experiment: Option<String>,
}
