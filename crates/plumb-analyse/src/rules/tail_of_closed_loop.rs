//! Are the percentiles of a closed loop taken for those of a service?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::workload::Job;

use crate::command_line::step_again;
use crate::figures::pauses::{pauses, rate_outside};
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "tail_of_closed_loop",
    needs: &[],
    meaning: "A closed loop issues nothing while the storage stalls, so a stall counts once instead of for every request that would have arrived (coordinated omission): its tail percentiles are lower than those that independent users would see.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Operations on files by name, streams of messages, and operations on nothing are no service that would be promised.
fn loads_storage_in_a_closed_loop(job: &Job) -> bool {
    let streams = job.workload.mix.0.iter().any(|(kind, _)| kind.is_message());
    !job.workload.is_open()
        && !job.workload.has_file_operations()
        && !streams
        && job.target != Target::Null
}

fn judge(case: &Case) -> Vec<Finding> {
    let closed = case
        .steps()
        .filter(|(planned, _)| planned.jobs.iter().all(loads_storage_in_a_closed_loop));
    let tails =
        closed.filter_map(|(_, step)| Some((step, step.response_ns.p99_9?, step.response_ns.max?)));
    // If the longest operation took much longer than nearly all others, the operations not issued meanwhile matter.
    let Some((step, p99_9, longest)) =
        tails.max_by(|a, b| (a.2 / a.1.max(1.0)).total_cmp(&(b.2 / b.1.max(1.0))))
    else {
        return Vec::new();
    };
    let value = Statement::new("tail-of-closed-loop-times")
        .time_ns("within", p99_9)
        .time_ns("longest", longest);
    let shown = vec![evidence(
        Statement::new("response-time-of-step").name("step", &step.name),
        value,
        Statement::new("source-histogram"),
    )];
    let claim = Statement::new("tail-of-closed-loop");
    let mut found = finding(
        &RULE,
        Severity::Info,
        claim,
        shown,
        Statement::new("tail-of-closed-loop-advice"),
    );
    // Below the rate of the closed loop, so that it is achievable. With a plan of many steps one rate does not fit all: the step is measured alone.
    // A pause is not part of the sustained rate.
    let without_pauses = case
        .run
        .and_then(|run| rate_outside(run, &pauses(run), step.step));
    let rate = without_pauses
        .or(step.total.iops)
        .map(|iops| (iops * 0.7).round());
    found.experiment = case.run.zip(rate).and_then(|(run, rate)| {
        let changes = [
            ("rate", format!("{rate:.0}")),
            ("arrivals", "poisson".to_string()),
        ];
        step_again(run, step.step, &changes)
    });
    vec![found]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::workload::Workload;

    pub fn examples() -> Examples {
        let run = |rate: Option<f64>, intervals: usize| {
            let mut builder = Builder::new(vec![step(
                "read",
                "read",
                &[],
                Workload {
                    rate,
                    ..Workload::default()
                },
            )]);
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        seconds: 0.1,
                        ..Interval::default()
                    };
                    intervals
                ],
            );
            Scene::run(builder.finish())
        };
        // 1,000 operations per interval: 99.9 % needs 10,000.
        Examples {
            fires: vec![run(None, 20)],
            silent: vec![run(Some(10_000.0), 20), run(None, 2)],
        }
    }

    #[test]
    fn a_pause_does_not_lower_the_proposed_rate() {
        let mut builder = Builder::new(vec![step("read", "read", &[], Workload::default())]);
        let (busy, empty) = (
            Interval::default(),
            Interval {
                iops: 0.0,
                ..Interval::default()
            },
        );
        builder.execute(
            0,
            0,
            &[vec![busy.clone(); 3], vec![empty; 4], vec![busy; 4]].concat(),
        );
        builder
            .run
            .ticks
            .iter_mut()
            .for_each(|tick| tick.kinds.retain(|kind| kind.count > 0));
        builder.run.ticks[7].kinds[0].service.record(4_100_000_000);
        builder.run.header.plan.name = "ad-hoc".into();
        let found = Scene::run(builder.finish()).judge(&super::RULE).remove(0);
        assert_eq!(
            found.experiment.as_deref(),
            Some("plumb run --set rate=7000 --set arrivals=poisson")
        );
    }
}
