//! Is the target on another machine?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "network_file_system",
    needs: &[
        "mount.network",
        "mount.file_system",
        "mount.source",
        "mount.options",
    ],
    meaning: "On a network file system, client, network and server are measured together; O_DIRECT bypasses the cache of the client, never that of the server.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    if case.environment.flag("mount.network") != Some(true) {
        return Vec::new();
    }
    let claim = match case.environment.text("mount.file_system") {
        Some(kind) => Statement::new("network-file-system").name("kind", kind),
        None => Statement::new("network-file-system-of-any-kind"),
    };
    let advice = Statement::new("network-file-system-advice");
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
        let scene = |network: bool| {
            Scene::environment(&[
                ("mount.network", Flag(network)),
                ("mount.file_system", Text("nfs4".into())),
            ])
        };
        Examples {
            fires: vec![scene(true)],
            silent: vec![scene(false)],
        }
    }
}
