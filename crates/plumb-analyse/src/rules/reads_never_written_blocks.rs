//! Are blocks read that were never written?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::run::Event;
use plumb_model::statement::Statement;
use plumb_model::workload::Workload;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "reads_never_written_blocks",
    needs: &[
        "target.unwritten_bytes",
        "target.size_bytes",
        "target.path",
        "target.kind",
    ],
    meaning: "Holes and unwritten extents of a file (on Windows: beyond its valid data length), and unmapped blocks of a thin or trimmed device, are answered with zeros without touching the storage: reads of them are far too fast.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the file from which on it matters.
const MATTERS: f64 = 0.01;

fn judge(case: &Case) -> Vec<Finding> {
    let (Some(unwritten), Some(size)) = (
        case.environment.number("target.unwritten_bytes"),
        case.environment.number("target.size_bytes"),
    ) else {
        return Vec::new();
    };
    let reads = case.plan.is_none() || case.any_workload(Workload::reads_blocks);
    // plumb wrote it full before the measuring.
    let path = case.environment.text("target.path").unwrap_or("");
    let filled = case.run.is_some_and(|run| {
        run.notes
            .iter()
            .any(|note| matches!(&note.event, Event::Prepared { path: p, .. } if p == path))
    });
    if size <= 0.0 || unwritten < MATTERS * size || !reads || filled {
        return Vec::new();
    }
    let percent = 100.0 * (unwritten / size).min(1.0);
    let severity = if percent >= 50.0 {
        Severity::Severe
    } else {
        Severity::Warning
    };
    let claim = Statement::new("reads-never-written-blocks").percent("unwritten", percent);
    let advice = Statement::new("reads-never-written-blocks-advice");
    vec![finding(
        &RULE,
        severity,
        claim,
        case.facts(RULE.needs),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::environment::Fact::{Number, Text};

    pub fn examples() -> Examples {
        let environment = |unwritten: f64| {
            Scene::environment(&[
                ("target.unwritten_bytes", Number(unwritten)),
                ("target.size_bytes", Number(1e9)),
            ])
        };
        let facts = |builder: Builder| {
            let builder = builder
                .fact("target.unwritten_bytes", Number(9e8))
                .fact("target.size_bytes", Number(1e9));
            builder.fact("target.path", Text("/data".into()))
        };
        let run = |filled: bool| {
            let mut builder = facts(Builder::new(ladder("read", &[1])));
            if filled {
                builder.note(Event::Prepared {
                    path: "/data".into(),
                    bytes: 1 << 30,
                    duration_ns: 1,
                });
            }
            builder.execute(0, 0, &[Interval::default()]);
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![environment(2e8), run(false)],
            silent: vec![
                environment(0.0),
                environment(2e8).planned(ladder("write", &[1])),
                run(true),
            ],
        }
    }
}
