//! Did an open loop keep to its schedule?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::StepSummary;
use plumb_model::statement::{Statement, Unit};

use crate::figures::pauses::pauses;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "rate_not_achieved",
    needs: &[],
    meaning: "An open loop asks for a rate. When the target cannot keep up, operations queue before they are submitted; response times then grow with the length of the run and say how long it was, not how fast the storage is.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the requested rate that counts as achieved; a Poisson process scatters by its square root.
const KEPT: f64 = 0.98;
/// Backlog allowed at the end, in seconds of the requested rate.
const BACKLOG_S: f64 = 0.05;

fn judge(case: &Case) -> Vec<Finding> {
    let mut late = Vec::new();
    for (planned, step) in case.steps() {
        let (Some(requested), Some(iops)) = (step.requested_rate, step.all_iops()) else {
            continue;
        };
        // With jobs of both kinds the completions of the closed loops would count for the rate.
        if requested <= 0.0
            || step.all_operations() == 0
            || planned.jobs.iter().any(|job| !job.workload.is_open())
        {
            continue;
        }
        let expected = requested * step.duration_s;
        let scatter = 4.0 * expected.sqrt();
        let waiting = step.unsubmitted.unwrap_or(0) as f64;
        let slow = (step.all_operations() as f64) < KEPT * expected - scatter;
        if slow || waiting > BACKLOG_S * requested + 4.0 * (BACKLOG_S * requested).sqrt() {
            late.push((step, requested, iops, waiting));
        }
    }
    if late.is_empty() {
        return Vec::new();
    }
    let shown = late.iter().map(|(step, requested, iops, waiting)| {
        let lateness = step.lateness_ns.as_ref();
        let value = match lateness.and_then(|lateness| lateness.p99) {
            Some(ns) => Statement::new("rate-not-achieved-rates-late").time_ns("lateness", ns),
            None => Statement::new("rate-not-achieved-rates"),
        }
        .quantity("rate", *iops, Unit::PerSecond)
        .quantity("asked", *requested, Unit::PerSecond)
        .number("waiting", *waiting);
        evidence(
            Statement::new("rate-of-step").name("step", &step.name),
            value,
            Statement::new("source-ticks"),
        )
    });
    let names: Vec<&str> = late.iter().map(|(step, ..)| step.name.as_str()).collect();
    let cause = cause(
        case,
        &late.iter().map(|(step, ..)| *step).collect::<Vec<_>>(),
    );
    let never = late
        .iter()
        .map(|(.., waiting)| *waiting as u64)
        .sum::<u64>();
    let unsubmitted = match never {
        0 => Statement::new("none"),
        _ => Statement::new("rate-not-achieved-unsubmitted").count("operations", never),
    };
    let (reason, advice) = cause.reason_and_advice();
    let claim = Statement::new("rate-not-achieved")
        .part("steps", name_steps(&names))
        .part("reason", reason)
        .part("unsubmitted", unsubmitted);
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shortened(shown.collect()),
        advice,
    )]
}

/// What kept the rate from being achieved, by the evidence of the record.
enum Cause {
    /// Nothing completed for so long, in nanoseconds, at the longest.
    Pause(u64),
    /// So many operations failed.
    Errors(u64),
    Overload,
}

fn cause(case: &Case, late: &[&StepSummary]) -> Cause {
    let is_late = |step: u32| late.iter().any(|summary| summary.step == step);
    let pauses = case.run.map(pauses).unwrap_or_default();
    let longest = pauses
        .iter()
        .filter(|pause| is_late(pause.step))
        .map(|pause| pause.length_ns)
        .max();
    let errors: u64 = late.iter().map(|step| step.total.errors).sum();
    // Failures take queue slots but do not count in the rate: they explain it if they are as many as the missing operations.
    let missing: f64 = late
        .iter()
        .filter_map(|step| Some((step.requested_rate? - step.all_iops()?) * step.duration_s))
        .sum();
    match longest {
        Some(length_ns) => Cause::Pause(length_ns),
        None if errors > 0 && errors as f64 >= 0.5 * missing => Cause::Errors(errors),
        None => Cause::Overload,
    }
}

impl Cause {
    /// The reason, and what to do.
    fn reason_and_advice(&self) -> (Statement, Statement) {
        match self {
            Cause::Pause(length_ns) => (
                Statement::new("rate-not-achieved-by-pause").time_ns("length", *length_ns as f64),
                Statement::new("rate-not-achieved-by-pause-advice"),
            ),
            Cause::Errors(errors) => (
                Statement::new("rate-not-achieved-by-errors").count("errors", *errors),
                Statement::new("rate-not-achieved-by-errors-advice"),
            ),
            Cause::Overload => (
                Statement::new("rate-not-achieved-by-overload"),
                Statement::new("rate-not-achieved-by-overload-advice"),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::english::in_english;
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::workload::Workload;

    pub fn examples() -> Examples {
        let run = |iops: f64, backlog: u64| {
            let workload = Workload {
                rate: Some(10_000.0),
                ..Workload::default()
            };
            let mut builder = Builder::new(vec![step("read", "read", &[], workload)]);
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        iops,
                        backlog: Some(backlog),
                        ..Interval::default()
                    };
                    5
                ],
            );
            Scene::run(builder.finish())
        };
        // A log of the same rate that is replayed at its recorded pace.
        let replay = |iops: f64| {
            let holds = "requests:50000,read:200m,written:0,end:1g,length:5s,files:1"
                .parse()
                .ok();
            let workload = Workload {
                replay: Some("some.log".into()),
                replay_holds: holds,
                ..Workload::default()
            };
            let mut builder = Builder::new(vec![step("replay", "replay", &[], workload)]);
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        iops,
                        backlog: Some(0),
                        ..Interval::default()
                    };
                    5
                ],
            );
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![run(7_000.0, 15_000), run(9_950.0, 3_000), replay(7_000.0)],
            silent: vec![run(10_000.0, 2), run(9_960.0, 0), replay(10_000.0)],
        }
    }

    #[test]
    fn the_reason_is_what_happened() {
        let claim = |intervals: Vec<Interval>, change: &dyn Fn(&mut Builder)| {
            let workload = Workload {
                rate: Some(10_000.0),
                depth: 32,
                ..Workload::default()
            };
            let mut builder = Builder::new(vec![step("read", "read", &[], workload)]);
            builder.execute(0, 0, &intervals);
            change(&mut builder);
            builder.run.ticks.iter_mut().for_each(|tick| {
                tick.kinds
                    .retain(|kind| kind.count > 0 || !kind.errors.is_empty())
            });
            in_english(
                &Scene::run(builder.finish())
                    .judge(&super::RULE)
                    .remove(0)
                    .claim,
            )
        };
        let usual = |backlog: u64| Interval {
            iops: 10_000.0,
            backlog: Some(backlog),
            ..Interval::default()
        };
        let none = |backlog: u64| Interval {
            iops: 0.0,
            backlog: Some(backlog),
            ..Interval::default()
        };
        let slow = Interval {
            iops: 7_000.0,
            backlog: Some(15_000),
            ..Interval::default()
        };
        let overload = claim(vec![slow.clone(); 5], &|_| ());
        assert!(
            overload.contains("the target sustains less")
                && overload.contains("15,000 operations were due but never"),
            "{overload}"
        );
        let paused = claim(
            vec![
                usual(0),
                usual(0),
                usual(0),
                none(10_000),
                none(20_000),
                usual(20_000),
                usual(20_000),
            ],
            &|builder| {
                let kind = &mut builder.run.ticks[5].kinds[0];
                kind.service.record_n(2_500_000_000, 32);
                kind.count += 32;
            },
        );
        assert!(
            paused.contains("nothing completed for up to 2.5 s"),
            "{paused}"
        );
        let failed = claim(vec![slow; 5], &|builder| {
            for tick in &mut builder.run.ticks {
                tick.kinds[0].errors.insert("EIO".into(), 3_000);
            }
        });
        assert!(failed.contains("15,000 operations failed"), "{failed}");
    }
}
