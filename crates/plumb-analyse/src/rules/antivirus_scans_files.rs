//! Does an antivirus program scan the measured files?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "antivirus_scans_files",
    needs: &["host.realtime_scan", "host.filter_drivers", "target.path"],
    meaning: "Real-time protection of Microsoft Defender scans a file when it is opened and when it was written, in a filter driver above the file system (Filter Manager Concepts, Microsoft Learn): creating and opening files takes longer, reads may wait for a scan, and processors are busy with it. Blocks of a file that stays open cost little.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Layers with files in a file system.
const KINDS: [&str; 3] = ["directory", "file", "missing"];

fn judge(case: &Case) -> Vec<Finding> {
    let environment = &case.environment;
    let is_in_file_system = environment
        .text("target.kind")
        .is_some_and(|kind| KINDS.contains(&kind));
    if environment.flag("host.realtime_scan") != Some(true) || !is_in_file_system {
        return Vec::new();
    }
    let claim = Statement::new("antivirus-scans-files");
    let advice = Statement::new("antivirus-scans-files-advice");
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
    use plumb_model::environment::Fact::{Flag, Text, Unknown};

    pub fn examples() -> Examples {
        let scene = |scans, kind: &str| {
            Scene::environment(&[
                ("host.realtime_scan", scans),
                ("target.kind", Text(kind.into())),
            ])
        };
        Examples {
            fires: vec![scene(Flag(true), "directory"), scene(Flag(true), "file")],
            silent: vec![
                scene(Flag(false), "directory"),
                scene(Unknown("no Defender".into()), "directory"),
                scene(Flag(true), "block-device"),
                scene(Flag(true), "null"),
            ],
        }
    }
}
