//! Did a block read back differ from what was written?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::Event;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::rule::{Case, Rule, evidence, finding, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "verification_failed",
    needs: &[],
    meaning: "A block that does not read back as it was written is lost data, which matters more than any performance figure.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let counted: u64 = case
        .steps()
        .filter_map(|(_, step)| step.total.errors_by_kind.get("mismatch"))
        .sum();
    let seen = case
        .run
        .into_iter()
        .flat_map(|run| &run.notes)
        .filter_map(|note| match &note.event {
            Event::Mismatch {
                path,
                offset,
                block_bytes,
                explanation,
                ..
            } => Some(evidence(
                Statement::new("verification-failed-block")
                    .name("path", path)
                    .name("offset", offset.to_string())
                    .name("bytes", block_bytes.to_string()),
                explanation.clone(),
                Statement::new("source-notes"),
            )),
            _ => None,
        });
    let mut shown = shortened(seen.collect());
    // The notes may be capped, and the ticks of a killed run may be short: the larger number is the true one.
    let count = counted.max(shown.len() as u64);
    if count == 0 {
        return Vec::new();
    }
    if case
        .steps()
        .any(|(_, step)| step.operations.contains_key(OperationKind::Copy.word()))
    {
        return vec![damaged_copies(counted, shown)];
    }
    shown.push(evidence(
        Statement::new("verification-failed-blocks"),
        counted,
        Statement::new("source-ticks"),
    ));
    let claim = Statement::new("verification-failed").count("blocks", count);
    let advice = Statement::new("verification-failed-advice");
    vec![finding(&RULE, Severity::Severe, claim, shown, advice)]
}

/// A program that was tried for its copies.
fn damaged_copies(count: u64, mut shown: Vec<Evidence>) -> Finding {
    shown.push(evidence(
        Statement::new("verification-failed-copies-that-differ"),
        count,
        Statement::new("source-ticks"),
    ));
    let claim = Statement::new("verification-failed-copies").count("copies", count);
    let advice = Statement::new("verification-failed-copies-advice");
    finding(&RULE, Severity::Severe, claim, shown, advice)
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::run::Event;

    pub fn examples() -> Examples {
        let run = |errors: Vec<(&'static str, u64)>| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(
                0,
                0,
                &[Interval {
                    errors,
                    ..Interval::default()
                }],
            );
            builder
        };
        let mut copied = Builder::new(ladder("copy", &[1]));
        copied.execute(
            0,
            0,
            &[Interval {
                errors: vec![("mismatch", 2)],
                ..Interval::default()
            }],
        );
        let mut noted = run(vec![]);
        let (path, explanation, hex_window) = (
            "/data/x".to_string(),
            plumb_model::statement::Statement::verbatim("holds the block of offset 8192"),
            String::new(),
        );
        noted.note(Event::Mismatch {
            execution: 0,
            job: 0,
            path,
            offset: 4096,
            block_bytes: 4096,
            explanation,
            hex_window,
        });
        Examples {
            fires: vec![
                Scene::run(run(vec![("mismatch", 2)]).finish()),
                Scene::run(noted.finish()),
                Scene::run(copied.finish()),
            ],
            silent: vec![Scene::run(run(vec![("EIO", 2)]).finish())],
        }
    }
}
