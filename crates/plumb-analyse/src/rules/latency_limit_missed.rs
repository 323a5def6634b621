//! Did a job miss its latency limit?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::{LimitSummary, LimitVerdict, StepSummary};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "latency_limit_missed",
    needs: &[],
    meaning: "A job with latency-limit asks that a share of its operations (latency-limit-percentile) ends within that time. Where every round missed it, and no lighter load of the same ladder kept it, the storage does not give that service under this load.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let steps: Vec<(&str, &StepSummary)> = case
        .steps()
        .map(|(planned, step)| (planned.group.as_str(), step))
        .collect();
    // A ladder is there to find the load that keeps the limit: that others do not is its answer.
    let keeps = |group: &str, job: &str| {
        let limits = steps
            .iter()
            .filter(|(of, _)| *of == group)
            .flat_map(|(_, step)| &step.latency_limits);
        limits
            .into_iter()
            .any(|limit| limit.job == job && limit.verdict == LimitVerdict::Kept)
    };
    let missed: Vec<(&StepSummary, &LimitSummary)> = steps
        .iter()
        .flat_map(|(group, step)| {
            step.latency_limits
                .iter()
                .map(move |limit| (*group, *step, limit))
        })
        .filter(|(group, _, limit)| {
            limit.verdict == LimitVerdict::Missed && !keeps(group, &limit.job)
        })
        .map(|(_, step, limit)| (step, limit))
        .collect();
    if missed.is_empty() {
        return Vec::new();
    }
    let mut names: Vec<&str> = missed.iter().map(|(step, _)| step.name.as_str()).collect();
    names.dedup();
    let shown = missed.iter().map(|(step, limit)| {
        let least = limit
            .rounds
            .iter()
            .filter_map(|round| round.within_percent)
            .fold(100.0, f64::min);
        // Three digits would make 99.987 % of 99.99 % the same.
        evidence(
            Statement::new("latency-limit-missed-operations")
                .name("step", &step.name)
                .time_ns("limit", limit.limit_ns),
            Statement::new("latency-limit-missed-share")
                .name("within", format!("{least:.3}"))
                .name("asked", limit.percentile.to_string()),
            Statement::new("source-histogram-of-worst-round"),
        )
    });
    let claim = Statement::new("latency-limit-missed").part("steps", name_steps(&names));
    let advice = Statement::new("latency-limit-missed-advice");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shortened(shown.collect()),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use plumb_model::units::Nanos;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |limit_ns: Option<u64>, latencies_ns: &[f64]| {
            let depths: Vec<u32> = (1..=latencies_ns.len() as u32).collect();
            let mut steps = ladder("read", &depths);
            steps
                .iter_mut()
                .for_each(|step| step.jobs[0].workload.latency_limit = limit_ns.map(Nanos));
            let mut builder = Builder::new(steps);
            for (number, latency_ns) in latencies_ns.iter().enumerate() {
                builder.execute(
                    number as u32,
                    0,
                    &[Interval {
                        latency_ns: *latency_ns,
                        ..Interval::default()
                    }],
                );
            }
            Scene::run(builder.finish())
        };
        // The longest operations take fifty times the median.
        Examples {
            fires: vec![
                run(Some(1_000_000), &[30_000.0]),
                run(Some(1_000_000), &[30_000.0, 50_000.0]),
            ],
            silent: vec![
                run(Some(1_000_000), &[10_000.0]),
                run(Some(1_000_000), &[10_000.0, 50_000.0]),
                run(None, &[30_000.0]),
            ],
        }
    }
}
