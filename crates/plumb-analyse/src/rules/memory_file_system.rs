//! Is the target in memory?

use plumb_model::finding::{Finding, Severity};

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
    let claim = "The target lies in memory: the figures are those of the kernel and the memory, not of storage.";
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        "Name a directory on the storage to be measured as the target.",
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::{Flag, Text};

    pub fn examples() -> Examples {
        let scene = |memory: bool| {
            Scene::ground(&[
                ("mount.memory", Flag(memory)),
                ("mount.file_system", Text("tmpfs".into())),
            ])
        };
        Examples {
            fires: vec![
                scene(true),
                Scene::ground(&[("device.kind", Text("zram".into()))]),
            ],
            silent: vec![scene(false)],
        }
    }
}
