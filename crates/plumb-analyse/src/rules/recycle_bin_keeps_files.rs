//! Does the share keep what is deleted on it?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::run::Event;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "recycle_bin_keeps_files",
    needs: &["smb.recycle_bin"],
    meaning: "A share with a recycle bin moves a deleted file there instead of removing it: a delete is a rename, and the room of the file is not free until the bin is emptied. plumb empties its own files before it deletes them, so that they take no room in the bin.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// What stands where there is none.
const NONE: &str = "none";

fn judge(case: &Case) -> Vec<Finding> {
    let of_share = case.environment.text("smb.recycle_bin");
    let opened = case.run.and_then(|run| {
        run.notes.iter().find_map(|note| match &note.event {
            Event::EngineOpened { engine, .. } => engine.connection.get("recycle_bin"),
            _ => None,
        })
    });
    let there = |name: &&str| *name != NONE;
    let of_session = opened.map(String::as_str).filter(there);
    let (name, shown) = match (of_share.filter(there), of_session) {
        (Some(name), _) => (name, case.facts(RULE.needs)),
        (None, Some(name)) => {
            let source = Statement::new("source-session");
            (name, vec![evidence("smb.recycle_bin", name, source)])
        }
        (None, None) => return Vec::new(),
    };
    let deletes = case.run.is_some_and(|run| {
        let steps = run.header.plan.steps.iter();
        let mut kinds = steps
            .flat_map(|step| &step.jobs)
            .flat_map(|job| &job.workload.mix.0);
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
        let run = |told: Option<&str>| {
            let mut builder = Builder::new(ladder("delete", &[1]));
            builder.execute(0, 0, &[Interval::default()]);
            let mut run = builder.finish();
            for note in &mut run.notes {
                if let super::Event::EngineOpened { engine, .. } = &mut note.event {
                    let told = told.map(|told| ("recycle_bin".to_string(), told.to_string()));
                    engine.connection = told.into_iter().collect();
                }
            }
            Scene::run(run)
        };
        Examples {
            fires: vec![doctor("#recycle"), run(Some(".recycle"))],
            silent: vec![doctor("none"), run(Some("none")), run(None)],
        }
    }
}
