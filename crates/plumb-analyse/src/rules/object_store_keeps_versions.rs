//! Does the bucket keep what is removed or replaced?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "object_store_keeps_versions",
    needs: &["s3.versioning", "s3.object_lock"],
    meaning: "In a bucket with versioning, an object that is replaced or deleted stays as an old version and takes space, and a delete writes a marker: deletes are measured as that. plumb removes old versions of its own objects afterwards, which needs s3:DeleteObjectVersion. Where object lock has a default retention, what a run writes cannot be removed before it ends.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// What object lock without a retention for new objects is called.
const NOT_LOCKED: [&str; 2] = ["none", "no default retention"];

fn judge(case: &Case) -> Vec<Finding> {
    let shown = case.facts(RULE.needs);
    let locked = case.environment.text("s3.object_lock");
    if let Some(lock) = locked.filter(|lock| !NOT_LOCKED.contains(lock)) {
        let claim = Statement::new("object-store-locks-objects").name("lock", lock);
        let advice = Statement::new("object-store-locks-objects-advice");
        return vec![finding(&RULE, Severity::Warning, claim, shown, advice)];
    }
    if case.environment.text("s3.versioning") != Some("enabled") {
        return Vec::new();
    }
    let claim = Statement::new("object-store-keeps-versions");
    let advice = Statement::new("object-store-keeps-versions-advice");
    vec![finding(&RULE, Severity::Info, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use plumb_model::environment::Fact::Text;

    use crate::rule::{Examples, Scene};

    pub fn examples() -> Examples {
        let scene = |versioning: &str, lock: &str| {
            Scene::environment(&[
                ("s3.versioning", Text(versioning.into())),
                ("s3.object_lock", Text(lock.into())),
            ])
        };
        Examples {
            fires: vec![
                scene("enabled", "none"),
                scene("enabled", "no default retention"),
                scene("enabled", "compliance, 1 days"),
            ],
            silent: vec![scene("never enabled", "none"), scene("suspended", "none")],
        }
    }
}
