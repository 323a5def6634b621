//! Is the RAID array under the target degraded or rebuilding?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "array_not_clean",
    needs: &["array.state", "array.level", "array.members"],
    meaning: "A degraded, rebuilding or checking RAID array serves requests from fewer members, or shares them with its own traffic: its figures are not those of the healthy array.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// States of md (Documentation/admin-guide/md.rst, array_state and sync_action) and of other arrays that leave the figures as they are.
const CLEAN: [&str; 9] = [
    "clean",
    "active",
    "active-idle",
    "idle",
    "optimal",
    "complete",
    "write-pending",
    "readonly",
    "read-auto",
];

fn judge(case: &Case) -> Vec<Finding> {
    let Some(state) = case.environment.text("array.state") else {
        return Vec::new();
    };
    let unclean = |word: &&str| !word.is_empty() && !CLEAN.contains(word);
    let words: Vec<&str> = state.split([',', ';', ' ']).filter(unclean).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let claim = Statement::new("array-not-clean").name("state", state);
    let advice = Statement::new("array-not-clean-advice");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::Text;

    pub fn examples() -> Examples {
        let scene = |state: &str| {
            Scene::environment(&[
                ("array.state", Text(state.into())),
                ("array.level", Text("raid5".into())),
            ])
        };
        Examples {
            fires: vec![
                scene("active, degraded: 1 of 4 members missing, recover 12.5 % done"),
                scene("clean, resync"),
            ],
            silent: vec![scene("clean"), scene("active"), scene("complete")],
        }
    }
}
