//! Are client and server one machine?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "client_is_server",
    needs: &[
        "network.same_machine",
        "network.address",
        "network.interface",
    ],
    meaning: "Where client and server are one machine, nothing goes over a network, both share its cores and its memory, and the figures hold for this machine alone.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    if case.environment.flag("network.same_machine") != Some(true) {
        return Vec::new();
    }
    let claim = Statement::new("client-is-server");
    let advice = Statement::new("client-is-server-advice");
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
    use plumb_model::environment::Fact::{Flag, Text};

    pub fn examples() -> Examples {
        let scene = |same: bool| {
            Scene::environment(&[
                ("network.same_machine", Flag(same)),
                ("network.address", Text("127.0.0.1".into())),
            ])
        };
        Examples {
            fires: vec![scene(true)],
            silent: vec![scene(false)],
        }
    }
}
