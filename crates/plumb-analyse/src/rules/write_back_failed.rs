//! Did acknowledged writes fail in writeback?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding, name_steps, sentences, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "write_back_failed",
    needs: &[],
    meaning: "A write through the page cache is acknowledged before the device has it; when writing it back fails later, only fsync, msync, syncfs or close tell (errseq_t in the kernel's documentation), each once, and the data is gone. IOPS and latencies of such writes are those of memory, and reads that verify them are answered by the page cache.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let failed: Vec<_> = case
        .steps()
        .map(|(_, step)| step)
        .filter(|step| !step.write_back_failures.is_empty())
        .collect();
    if failed.is_empty() {
        return Vec::new();
    }
    let shown = failed.iter().flat_map(|step| {
        step.write_back_failures
            .iter()
            .map(move |failure| (step, failure))
    });
    let shown = shown.map(|(step, failure)| {
        evidence(
            Statement::new("write-back-failed-call")
                .name("call", &failure.call)
                .name("path", &failure.path),
            Statement::new("write-back-failed-error")
                .name("error", &failure.error)
                .name("step", &step.name),
            Statement::new("source-notes"),
        )
    });
    let names: Vec<&str> = failed.iter().map(|step| step.name.as_str()).collect();
    let claim = Statement::new("write-back-failed").part("steps", name_steps(&names));
    let full = failed
        .iter()
        .flat_map(|step| &step.write_back_failures)
        .any(|failure| ["ENOSPC", "EDQUOT"].contains(&failure.error.as_str()));
    let room = full.then(|| Statement::new("write-back-failed-full"));
    let advice = Statement::new("write-back-failed-advice");
    let advice = sentences(room.into_iter().chain([advice]));
    vec![finding(
        &RULE,
        Severity::Severe,
        claim,
        shortened(shown.collect()),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use plumb_model::run::{Event, WriteBackFailure};

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    fn run(errors: &[&str]) -> Builder {
        let mut builder = Builder::new(ladder("write", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        for error in errors {
            let failure = WriteBackFailure {
                path: "/data/x".into(),
                call: "fsync".into(),
                error: (*error).into(),
            };
            builder.note(Event::WriteBackFailed {
                execution: 0,
                failure,
            });
        }
        builder
    }

    pub fn examples() -> Examples {
        Examples {
            fires: vec![
                Scene::run(run(&["EIO"]).finish()),
                Scene::run(run(&["ENOSPC"]).finish()),
            ],
            silent: vec![Scene::run(run(&[]).finish())],
        }
    }

    #[test]
    fn lost_data_is_the_first_finding_and_stands_in_the_verdict() {
        let summary = crate::summarise(&run(&["EIO"]).finish());
        assert_eq!(summary.findings[0].rule, "write_back_failed");
        assert!(
            crate::english::text(&summary.verdict[0]).starts_with("Data was lost: writes of"),
            "{:?}",
            summary.verdict
        );
        assert_eq!(summary.steps[0].write_back_failures[0].error, "EIO");
    }
}
