//! Did a step run long enough for its percentiles?

use plumb_model::finding::{Finding, Severity};
use plumb_model::units::{show_count, show_time_ns};

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

/// Operations for the 99th percentile, as [`plumb_model::histogram::Histogram::supports`] counts.
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
        let needed = step
            .total
            .iops
            .filter(|iops| *iops > 0.0)
            .map(|iops| format!("; 1,000 take {}", show_time_ns(FOR_P99 / iops * 1e9)));
        let value = format!(
            "{}{}",
            show_count(step.response_ns.count as f64),
            needed.unwrap_or_default()
        );
        evidence(format!("operations of '{}'", step.name), value, "histogram")
    });
    let names: Vec<&str> = short.iter().map(|step| step.name.as_str()).collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    let claim = format!(
        "{} {verb} fewer than 1,000 operations: the 99th percentile cannot be stated.",
        name_steps(&names)
    );
    vec![finding(
        &RULE,
        Severity::Info,
        claim,
        shortened(shown.collect()),
        "Run longer or take more rounds where the tail matters.",
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
