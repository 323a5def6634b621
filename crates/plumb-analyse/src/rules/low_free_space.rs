//! Is the file system nearly full?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "low_free_space",
    needs: &["mount.free_bytes", "mount.total_bytes", "mount.point"],
    meaning: "A nearly full file system looks longer for free extents and fragments, and a nearly full SSD has fewer spare blocks to collect garbage into: writes are slower than on the same storage with room.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Free share below which it is worth a word.
const LOW: f64 = 0.10;

fn judge(case: &Case) -> Vec<Finding> {
    let (Some(free), Some(total)) = (
        case.environment.number("mount.free_bytes"),
        case.environment.number("mount.total_bytes"),
    ) else {
        return Vec::new();
    };
    if total <= 0.0 || free >= LOW * total {
        return Vec::new();
    }
    let claim = Statement::new("low-free-space")
        .bytes("free", free)
        .percent("share", 100.0 * free / total);
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        Statement::new("low-free-space-advice"),
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::Number;

    pub fn examples() -> Examples {
        let scene = |free: f64| {
            Scene::environment(&[
                ("mount.free_bytes", Number(free)),
                ("mount.total_bytes", Number(1e12)),
            ])
        };
        Examples {
            fires: vec![scene(5e10)],
            silent: vec![scene(5e11)],
        }
    }
}
