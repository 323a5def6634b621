//! Is the target in the layers of a container's image?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "overlay_file_system",
    needs: &["mount.file_system", "mount.point"],
    meaning: "An overlay puts a writable directory over read-only ones (Documentation/filesystems/overlayfs): containers have their own files on one. The first write to a file of a lower layer copies the entire file, and a volume is another mount.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    if case.environment.text("mount.file_system") != Some("overlay") {
        return Vec::new();
    }
    vec![finding(
        &RULE,
        Severity::Warning,
        Statement::new("overlay-file-system"),
        case.facts(RULE.needs),
        Statement::new("overlay-file-system-advice"),
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::Text;

    pub fn examples() -> Examples {
        let scene = |kind: &str| Scene::environment(&[("mount.file_system", Text(kind.into()))]);
        Examples {
            fires: ["overlay"].map(scene).into(),
            silent: ["ext4", "fuse.fuse-overlayfs"].map(scene).into(),
        }
    }
}
