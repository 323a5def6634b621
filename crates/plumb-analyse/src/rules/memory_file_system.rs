//! Is the target in memory?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "memory_file_system",
    needs: &[
        "mount.memory",
        "mount.file_system",
        "mount.point",
        "device.kind",
    ],
    meaning: "tmpfs, ramfs and RAM disks hold their data in memory: what is measured is the kernel and the memory, no storage.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let in_memory = case.environment.flag("mount.memory") == Some(true)
        || case.environment.text("device.kind") == Some("zram");
    if !in_memory {
        return Vec::new();
    }
    let claim = Statement::new("memory-file-system");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        Statement::new("memory-file-system-advice"),
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::{Flag, Text};

    pub fn examples() -> Examples {
        let scene = |memory: bool| {
            Scene::environment(&[
                ("mount.memory", Flag(memory)),
                ("mount.file_system", Text("tmpfs".into())),
            ])
        };
        Examples {
            fires: vec![
                scene(true),
                Scene::environment(&[("device.kind", Text("zram".into()))]),
            ],
            silent: vec![scene(false)],
        }
    }
}
