//! What is a finding? A claim with its evidence and advice.

use serde::{Deserialize, Deserializer, Serialize};

use crate::statement::{Argument, Statement};

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
    /// Informational; the figures are valid.
    Info,
    /// The figures may mislead.
    Warning,
    /// The figures are wrong, or data is at risk. Exit code 1.
    Severe,
}

/// One number or fact that supports a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// Subject: the id of a fact or metric (`mount.file_system`) as a name, anything else as a statement.
    #[serde(deserialize_with = "argument_or_text")]
    pub what: Argument,
    /// Its value with its unit; a statement when it takes several.
    #[serde(deserialize_with = "argument_or_text")]
    pub value: Argument,
    /// Source: a step, an interval, a kernel file.
    pub source: Statement,
}

/// Older records have finished texts here.
pub(crate) fn argument_or_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Argument, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Typed(Argument),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::Text(text) => Argument::Name(text),
        Written::Typed(argument) => argument,
    })
}

/// One finding of the doctor, a rule or the advisor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    /// The rule that found it, by its file's name: `working_set_fits_in_ram`.
    pub rule: String,
    pub severity: Severity,
    /// What was found, as one sentence.
    pub claim: Statement,
    pub evidence: Vec<Evidence>,
    /// What else could have explained the evidence, and why it does not.
    #[serde(default)]
    pub ruled_out: Vec<Statement>,
    /// What to do, as one sentence; a command where there is one.
    pub advice: Statement,
    /// Expected effect of the advice: (low, high) as ratios of the current figure. Missing if unknown.
    #[serde(default)]
    pub predicted_effect: Option<(f64, f64)>,
    /// The experiment that would prove or refute the claim: a command line.
    #[serde(default)]
    pub experiment: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::Unit;

    #[test]
    fn a_finding_of_an_old_record_is_read_with_its_texts() {
        let old = serde_json::json!({
            "rule": "low_free_space",
            "severity": "warning",
            "claim": "Only 1 GiB is free.",
            "evidence": [{"what": "mount.free_bytes", "value": "1 GiB", "source": "before the run"}],
            "advice": "Free some.",
        });
        let read: Finding = serde_json::from_value(old).expect("a finding");
        assert_eq!(read.claim, Statement::verbatim("Only 1 GiB is free."));
        assert_eq!(read.evidence[0].value, Argument::Name("1 GiB".into()));
        let mut new = read.clone();
        new.evidence[0].value = (1073741824.0, Unit::Bytes).into();
        let json = serde_json::to_value(&new).expect("JSON");
        assert_eq!(serde_json::from_value::<Finding>(json).expect("it"), new);
    }
}
