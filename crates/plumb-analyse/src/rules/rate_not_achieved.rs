//! Did an open loop keep to its schedule?

use plumb_model::finding::{Finding, Severity};
use plumb_model::summary::StepSummary;
use plumb_model::units::{show_count, show_time_ns};

use crate::pauses::pauses;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "rate_not_achieved",
    needs: &[],
    meaning: "An open loop asks for a rate. When the target cannot keep up, operations queue before they are submitted; response times then grow with the length of the run and tell how long it was, not how fast the storage is.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the asked rate that counts as kept; a Poisson process scatters by its square root.
const KEPT: f64 = 0.98;
/// Seconds of the asked rate that may be waiting at the end.
const BACKLOG_S: f64 = 0.05;

fn judge(case: &Case) -> Vec<Finding> {
    let mut late = Vec::new();
    for (planned, step) in case.steps() {
        let (Some(asked), Some(iops)) = (step.asked_rate, step.all_iops()) else {
            continue;
        };
        // With jobs of both kinds the completions of the closed loops would count for the rate.
        if asked <= 0.0
            || step.all_operations() == 0
            || planned.jobs.iter().any(|job| !job.workload.is_open())
        {
            continue;
        }
        let expected = asked * step.duration_s;
        let scatter = 4.0 * expected.sqrt();
        let waiting = step.unsubmitted.unwrap_or(0) as f64;
        let slow = (step.all_operations() as f64) < KEPT * expected - scatter;
        if slow || waiting > BACKLOG_S * asked + 4.0 * (BACKLOG_S * asked).sqrt() {
            late.push((step, asked, iops, waiting));
        }
    }
    if late.is_empty() {
        return Vec::new();
    }
    let shown = late.iter().map(|(step, asked, iops, waiting)| {
        let lateness = step
            .lateness_ns
            .as_ref()
            .and_then(|lateness| lateness.p99)
            .map(|ns| format!(", 99 % submitted within {}", show_time_ns(ns)));
        let value = format!(
            "{} of {} operations/s, {} still waiting at the end{}",
            show_count(*iops),
            show_count(*asked),
            show_count(*waiting),
            lateness.unwrap_or_default()
        );
        evidence(format!("rate of '{}'", step.name), value, "ticks")
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
    let lower = match never {
        0 => String::new(),
        1 => "; 1 operation was due and never submitted: it counts with the time it had waited"
            .to_string(),
        _ => format!(
            "; {} operations were due and never submitted: they count with the time they had waited, so that percentiles are lower bounds",
            show_count(never as f64)
        ),
    };
    let (reason, advice) = cause.words();
    let claim = format!(
        "The asked rate was not achieved in {}: {reason}{lower}.",
        name_steps(&names)
    );
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
    // Failures take places in the queue and are no operations of the rate: they explain it where they are as many as what is missing.
    let missing: f64 = late
        .iter()
        .filter_map(|step| Some((step.asked_rate? - step.all_iops()?) * step.duration_s))
        .sum();
    match longest {
        Some(length_ns) => Cause::Pause(length_ns),
        None if errors > 0 && errors as f64 >= 0.5 * missing => Cause::Errors(errors),
        None => Cause::Overload,
    }
}

impl Cause {
    /// The reason, and what to do.
    fn words(&self) -> (String, &'static str) {
        match self {
            Cause::Pause(length_ns) => (
                format!(
                    "nothing completed for {} at the longest",
                    show_time_ns(*length_ns as f64)
                ),
                "Find out what stood still (the target, the network, or this machine), and run again; a lower rate would not have been kept either.",
            ),
            Cause::Errors(errors) => (
                format!("{} operations failed", show_count(*errors as f64)),
                "Find the cause of the failures first: what fails is in no rate.",
            ),
            Cause::Overload => (
                "the target sustains less, and response times grow with the length of the run"
                    .to_string(),
                "Lower the rate (of a replay: replay-speed-percent) below what the target sustains, or allow more in flight (more depth, more workers) if the generator waited.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
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
            Scene::run(builder.finish())
                .judge(&super::RULE)
                .remove(0)
                .claim
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
                && overload.contains("15,000 operations were due and never"),
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
            paused.contains("nothing completed for 2.5 s at the longest"),
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
