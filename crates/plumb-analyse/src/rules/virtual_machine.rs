//! Does the machine share its hardware?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "virtual_machine",
    needs: &["host.virtualisation", "host.cloud"],
    meaning: "In a virtual machine the host may cache, limit and share the storage: figures hold for this machine at this time, and other guests can change them.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let Some(kind) = case
        .environment
        .text("host.virtualisation")
        .filter(|kind| *kind != "none")
    else {
        return Vec::new();
    };
    let claim = Statement::new("virtual-machine").name("kind", kind);
    let advice = Statement::new("virtual-machine-advice");
    vec![finding(
        &RULE,
        Severity::Info,
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
        let scene = |kind: &str| Scene::environment(&[("host.virtualisation", Text(kind.into()))]);
        Examples {
            fires: vec![scene("kvm")],
            silent: vec![scene("none")],
        }
    }
}
