//! Does a user-space program serve the target (FUSE)?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "fuse_file_system",
    needs: &["mount.file_system", "mount.source", "mount.options"],
    meaning: "On a FUSE file system a program in user space answers each request (Documentation/filesystems/fuse): its own speed and its caches are measured, and the kernel does not know where the data really is.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let Some(kind) = case
        .environment
        .text("mount.file_system")
        .filter(|kind| is_fuse(kind))
    else {
        return Vec::new();
    };
    let claim = Statement::new("fuse-file-system").name("kind", kind);
    let advice = Statement::new("fuse-file-system-advice");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        advice,
    )]
}

/// `fuse`, `fuse.sshfs`, and `fuseblk` for those on a block device, such as ntfs-3g.
fn is_fuse(kind: &str) -> bool {
    kind == "fuse" || kind == "fuseblk" || kind.starts_with("fuse.")
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::Text;

    pub fn examples() -> Examples {
        let scene = |kind: &str| Scene::environment(&[("mount.file_system", Text(kind.into()))]);
        Examples {
            fires: ["fuse", "fuse.sshfs", "fuseblk"].map(scene).into(),
            silent: ["ext4", "fusefs-like"].map(scene).into(),
        }
    }
}
