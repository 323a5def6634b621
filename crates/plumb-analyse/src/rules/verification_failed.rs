//! Did a block come back other than it was written?

use plumb_model::finding::{Evidence, Finding, Severity};
use plumb_model::run::Event;
use plumb_model::units::show_count;
use plumb_model::workload::OperationKind;

use crate::rule::{Case, Rule, evidence, finding, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "verification_failed",
    needs: &[],
    meaning: "A block that reads back other than it was written is lost data: worse than any slowness, whoever lost it.",
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
                format!("{path}, offset {offset}, {block_bytes} bytes"),
                explanation.clone(),
                "notes",
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
        "blocks that differ",
        show_count(counted as f64),
        "ticks",
    ));
    let claim = format!(
        "{} {} not read back as written: data is lost or damaged.",
        show_count(count as f64),
        if count == 1 {
            "block was"
        } else {
            "blocks were"
        }
    );
    let advice = "Stop using this storage for data that matters until the cause is found: memory, cable, controller, firmware, driver, or another writer on the same target.";
    vec![finding(&RULE, Severity::Severe, claim, shown, advice)]
}

/// A program that was tried for its copies.
fn damaged_copies(count: u64, mut shown: Vec<Evidence>) -> Finding {
    shown.push(evidence(
        "copies that differ",
        show_count(count as f64),
        "ticks",
    ));
    let claim = format!(
        "{} not whole.",
        if count == 1 {
            "1 copy was".into()
        } else {
            format!("{} copies were", show_count(count as f64))
        }
    );
    let advice = "Look at what is missing or other than the source, and at the program's command line; with a program that is known to be sound beside it \
                  ('plumb copy-test rsync ...') you see whether it is the program or the storage.";
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
            "holds the block of offset 8192".to_string(),
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
