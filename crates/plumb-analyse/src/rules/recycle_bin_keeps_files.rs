//! Does the share keep deleted files?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "recycle_bin_keeps_files",
    needs: &["smb.recycle_bin"],
    meaning: "A share with a recycle bin moves a deleted file there instead of removing it: a delete is a rename, and the room of the file is not free until the bin is emptied. plumb empties its own files before it deletes them, so that they take no room in the bin.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Placeholder for none.
const NONE: &str = "none";

fn judge(case: &Case) -> Vec<Finding> {
    let name = case.environment.text("smb.recycle_bin");
    let Some(name) = name.filter(|name| *name != NONE) else {
        return Vec::new();
    };
    let shown = case.facts(RULE.needs);
    let deletes = case.plan.is_some_and(|plan| {
        let jobs = plan.steps.iter().flat_map(|step| &step.jobs);
        let mut kinds = jobs.flat_map(|job| &job.workload.mix.0);
        kinds.any(|(kind, _)| *kind == OperationKind::Delete)
    });
    let (severity, claim) = if deletes {
        let measured = Statement::new("recycle-bin-takes-deletes").name("name", name);
        (Severity::Warning, measured)
    } else {
        let there = Statement::new("recycle-bin-keeps-files").name("name", name);
        (Severity::Info, there)
    };
    let advice = Statement::new("recycle-bin-keeps-files-advice");
    vec![finding(&RULE, severity, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use plumb_model::environment::Fact;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let doctor =
            |name: &str| Scene::environment(&[("smb.recycle_bin", Fact::Text(name.into()))]);
        let run = |name: &str| {
            let mut builder = Builder::new(ladder("delete", &[1]))
                .fact("smb.recycle_bin", Fact::Text(name.into()));
            builder.execute(0, 0, &[Interval::default()]);
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![doctor("#recycle"), run(".recycle")],
            silent: vec![doctor("none"), run("none")],
        }
    }
}
