//! Did a step run long enough for its percentiles?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Argument, Statement};

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "too_short_for_percentile",
    needs: &[],
    meaning: "A percentile is stated only when at least ten samples lie beyond it: 1,000 operations for the 99th, 10,000 for 99.9. A step with fewer shows a gap instead of a guess.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Operations for the 99th percentile, as [`plumb_model::run::histogram::Histogram::supports`] counts.
const FOR_P99: f64 = 1000.0;

fn judge(case: &Case) -> Vec<Finding> {
    let short: Vec<_> =
        // Enough of them and no percentile: the source of an imported run does not state it.
        case.steps()
            .map(|(_, step)| step)
            .filter(|step| (1..FOR_P99 as u64).contains(&step.response_ns.count) && step.response_ns.p99.is_none())
            .collect();
    if short.is_empty() {
        return Vec::new();
    }
    let shown = short.iter().map(|step| {
        let count = step.response_ns.count;
        let value = match step.total.iops.filter(|iops| *iops > 0.0) {
            Some(iops) => Statement::new("too-short-for-percentile-operations")
                .count("operations", count)
                .time_ns("time", FOR_P99 / iops * 1e9)
                .into(),
            None => Argument::Count(count),
        };
        evidence(
            Statement::new("operations-of-step").name("step", &step.name),
            value,
            Statement::new("source-histogram"),
        )
    });
    let names: Vec<&str> = short.iter().map(|step| step.name.as_str()).collect();
    let claim = Statement::new("too-short-for-percentile")
        .part("steps", name_steps(&names))
        .count("number", names.len() as u64);
    vec![finding(
        &RULE,
        Severity::Info,
        claim,
        shortened(shown.collect()),
        Statement::new("too-short-for-percentile-advice"),
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |iops: f64| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(
                0,
                0,
                &[Interval {
                    iops,
                    ..Interval::default()
                }],
            );
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![run(500.0)],
            silent: vec![run(5_000.0)],
        }
    }
}
