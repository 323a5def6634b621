//! What is concluded from observed figures? The gates first, then every rule; the finding that explains the most time is first.

use plumb_model::explain::conclusion::{Abstention, EXPLAIN_SCHEMA, Explained};
use plumb_model::explain::observed::Observed;

use crate::explain::gates;
use crate::explain::rule::Judgement;
use crate::explain::rules::RULES;

/// The conclusions. Nothing is found where a gate is closed.
pub fn explain(observed: Observed, plumb_version: &str) -> Explained {
    let mut explained = Explained {
        schema: EXPLAIN_SCHEMA.into(),
        plumb_version: plumb_version.into(),
        withheld: gates::closed(&observed),
        observed,
        findings: Vec::new(),
        abstained: Vec::new(),
        silent: Vec::new(),
        second: None,
        proof: None,
    };
    if !explained.withheld.is_empty() {
        return explained;
    }
    for rule in RULES {
        match (rule.judge)(&explained.observed) {
            Judgement::Found(found) => explained.findings.push(*found),
            Judgement::Silent => explained.silent.push(rule.name.to_string()),
            Judgement::Abstains(missing) => explained.abstained.push(Abstention {
                rule: rule.name.to_string(),
                missing,
            }),
        }
    }
    explained
        .findings
        .sort_by(|a, b| b.time_share.total_cmp(&a.time_share));
    explained
}
