//! Did the target stall while operations were in flight?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::Run;
use plumb_model::statement::{Statement, Unit};
use plumb_model::target::Target;

use crate::figures::pauses::{Pause, pauses, rate_outside};
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "nothing_completed",
    needs: &[],
    meaning: "For a second or longer nothing completed although operations were in flight, while nearly all others took a small part of that: the target stalled. The rate and the mean include that time, the percentiles of a closed loop hardly show it.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let Some(run) = case.run else {
        return Vec::new();
    };
    let pauses: Vec<Pause> = pauses(run)
        .into_iter()
        .filter(|pause| *target(run, pause) != Target::Null)
        .collect();
    let Some(longest) = pauses.iter().max_by_key(|pause| pause.length_ns) else {
        return Vec::new();
    };
    let mut names: Vec<&str> = Vec::new();
    for pause in &pauses {
        let name = step_name(run, pause);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let claim = match pauses.len() {
        1 => Statement::new("nothing-completed"),
        count => Statement::new("nothing-completed-several-times").count("pauses", count as u64),
    }
    .part("steps", name_steps(&names))
    .time_ns("length", longest.length_ns as f64)
    .time_ns("start", longest.start_ns as f64);
    let mut shown = shortened(pauses.iter().map(|pause| of_pause(run, pause)).collect());
    shown.extend(of_rate(case, run, &pauses, longest.step));
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shown,
        advice(target(run, longest)),
    )]
}

fn target<'a>(run: &'a Run, pause: &Pause) -> &'a Target {
    let job = run
        .header
        .plan
        .steps
        .get(pause.step as usize)
        .and_then(|step| step.jobs.get(pause.job as usize));
    job.map_or(&Target::Null, |job| &job.target)
}

fn step_name<'a>(run: &'a Run, pause: &Pause) -> &'a str {
    run.header
        .plan
        .steps
        .get(pause.step as usize)
        .map_or("", |step| step.name.as_str())
}

fn of_pause(run: &Run, pause: &Pause) -> Evidence {
    let jobs = run
        .header
        .plan
        .steps
        .get(pause.step as usize)
        .map_or(&[][..], |step| &step.jobs);
    let job = jobs.get(pause.job as usize).filter(|_| jobs.len() > 1);
    let job = match job {
        Some(job) => Statement::new("nothing-completed-job").name("job", &job.name),
        None => Statement::new("none"),
    };
    let round = if run.header.plan.rounds > 1 {
        Statement::new("nothing-completed-round").count("round", u64::from(pause.round) + 1)
    } else {
        Statement::new("none")
    };
    let value = Statement::new(if pause.beyond_end {
        "nothing-completed-length-beyond-end"
    } else {
        "nothing-completed-length"
    })
    .time_ns("length", pause.length_ns as f64)
    .time_ns("start", pause.start_ns as f64);
    evidence(
        Statement::new("nothing-completed-pause")
            .name("step", step_name(run, pause))
            .part("job", job)
            .part("round", round),
        value,
        Statement::new("source-intervals-and-service-times"),
    )
}

/// Figures of the step in the intervals without a pause, besides its rate.
fn of_rate(case: &Case, run: &Run, pauses: &[Pause], step: u32) -> Option<Evidence> {
    let summary = case
        .summary?
        .steps
        .iter()
        .find(|summary| summary.step == step)?;
    let outside = rate_outside(run, pauses, step)?;
    let value = Statement::new("nothing-completed-rates")
        .quantity("without", outside, Unit::PerSecond)
        .quantity("with", summary.total.iops?, Unit::PerSecond);
    Some(evidence(
        Statement::new("nothing-completed-rate-without-pauses").name("step", &summary.name),
        value,
        Statement::new("source-intervals"),
    ))
}

fn advice(target: &Target) -> Statement {
    match target {
        Target::Remote(_) => Statement::new("nothing-completed-of-server-advice"),
        _ => Statement::new("nothing-completed-advice"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::{in_english, of_evidence};
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::run::tick::Phase;
    use plumb_model::run::{ConnectionState, Event};
    use plumb_model::workload::Workload;

    /// Each: the interval, and operations of one service time that end in it beside the usual ones.
    fn run(workload: Workload, intervals: &[(Interval, u64, u64)]) -> Builder {
        let mut builder = Builder::new(vec![step("read", "read", &[], workload)]);
        let plain: Vec<Interval> = intervals
            .iter()
            .map(|(interval, ..)| interval.clone())
            .collect();
        builder.execute(0, 0, &plain);
        for (tick, (_, count, ns)) in builder.run.ticks.iter_mut().zip(intervals) {
            let kind = &mut tick.kinds[0];
            kind.service.record_n(*ns, *count);
            kind.count += count;
        }
        builder.run.ticks.iter_mut().for_each(|tick| {
            tick.kinds
                .retain(|kind| kind.count > 0 || !kind.errors.is_empty())
        });
        builder
    }

    fn usual(count: usize) -> Vec<(Interval, u64, u64)> {
        vec![(Interval::default(), 0, 0); count]
    }

    fn empty() -> (Interval, u64, u64) {
        (
            Interval {
                iops: 0.0,
                ..Interval::default()
            },
            0,
            0,
        )
    }

    /// Three busy seconds, three without a completion, an operation that took this long, three busy seconds.
    fn stalled(workload: Workload, waiting: u64, ns: u64) -> Builder {
        run(
            workload,
            &[
                usual(3),
                vec![empty(); 3],
                vec![(Interval::default(), waiting, ns)],
                usual(3),
            ]
            .concat(),
        )
    }

    fn closed(depth: u32) -> Workload {
        Workload {
            depth,
            ..Workload::default()
        }
    }

    fn open() -> Workload {
        Workload {
            rate: Some(10_000.0),
            ..closed(32)
        }
    }

    /// Of sixteen that were asked for, seven were in flight; the worker waited for the next completion, so that one interval holds the pause and what
    /// ended after it.
    fn swallowed(depth: u32, waiting: u64) -> Builder {
        let long = Interval {
            seconds: 3.1,
            iops: 3_000.0,
            ..Interval::default()
        };
        run(
            closed(depth),
            &[
                usual(8),
                vec![(
                    long,
                    waiting,
                    if waiting > 0 { 2_950_000_000 } else { 100_000 },
                )],
                usual(8),
            ]
            .concat(),
        )
    }

    pub fn examples() -> Examples {
        let scene = |builder: Builder| Scene::run(builder.finish());
        let short = |workload: Workload, waiting: u64| {
            scene(run(
                workload,
                &[
                    usual(3),
                    vec![(Interval::default(), waiting, 1_500_000_000)],
                    usual(2),
                ]
                .concat(),
            ))
        };
        // Half of the operations take 0.4 s: a pause of 3 s is none.
        let slow = || {
            scene(run(
                closed(4),
                &[
                    vec![(Interval::default(), 10_000, 400_000_000); 3],
                    vec![empty(); 2],
                    vec![(Interval::default(), 4, 3_000_000_000)],
                ]
                .concat(),
            ))
        };
        let lost = || {
            let mut builder = Builder::new(vec![step("read", "read", &[], closed(1))]);
            builder.now_ns = 4_000_000_000;
            let text = plumb_model::statement::Statement::verbatim("server:445: no answer");
            let mut stalled = stalled(closed(1), 1, 4_000_000_000);
            builder.note(Event::Connection {
                execution: 0,
                job: 0,
                worker: 0,
                state: ConnectionState::Lost,
                text,
            });
            stalled.run.notes.extend(builder.run.notes);
            scene(stalled)
        };
        let slower = || Interval {
            iops: 5_000.0,
            ..Interval::default()
        };
        let drained = Interval {
            seconds: 20.0,
            iops: 0.0,
            phase: Phase::Drain,
            ..Interval::default()
        };
        Examples {
            fires: vec![
                scene(stalled(closed(1), 1, 4_000_000_000)),
                scene(stalled(closed(8), 8, 3_500_000_000)),
                scene(stalled(open(), 3, 3_500_000_000)),
                // Shorter than an interval and a half: seen in the time of the only operation in flight, or of all of them.
                short(closed(1), 1),
                short(closed(8), 8),
                // Eight were asked for, and the engine carries out one after the other.
                scene(run(
                    closed(8),
                    &[
                        vec![(slower(), 0, 0); 3],
                        vec![(slower(), 1, 1_500_000_000)],
                    ]
                    .concat(),
                )),
                scene(swallowed(16, 7)),
                scene(swallowed(1024, 700)),
                // It outlasts the step.
                scene(run(
                    closed(1),
                    &[
                        usual(2),
                        vec![empty(); 2],
                        vec![(drained, 1, 21_000_000_000)],
                    ]
                    .concat(),
                )),
            ],
            silent: vec![
                scene(run(closed(1), &usual(5))),
                // A low rate leaves pauses: no operation waited.
                scene(stalled(open(), 0, 0)),
                // A long interval, in which no operation was in flight for as long.
                scene(swallowed(16, 0)),
                // One of eight took long, the others went on.
                short(closed(8), 1),
                slow(),
                lost(),
                // Nothing comes after a job that has ended.
                scene(run(closed(1), &[usual(3), vec![empty(); 3]].concat())),
            ],
        }
    }

    #[test]
    fn start_length_and_the_rate_without_the_pause_are_told() {
        let found = Scene::run(stalled(closed(1), 1, 3_600_000_000).finish())
            .judge(&RULE)
            .remove(0);
        assert!(
            in_english(&found.claim).starts_with("Nothing completed in 'read' for 3.6 s, about "),
            "{}",
            in_english(&found.claim)
        );
        // Between 2.4 s (an interval before the empty ones, and no longer than it took) and 3 s.
        assert!(
            in_english(&found.claim).contains(" 2.7 s after the start"),
            "{}",
            in_english(&found.claim)
        );
        assert!(
            of_evidence(&found.evidence[1])[1].starts_with("10,000/s; 7,0"),
            "{:?}",
            found.evidence
        );
        let twice = [
            usual(3),
            vec![(Interval::default(), 1, 1_500_000_000)],
            usual(3),
            vec![(Interval::default(), 1, 2_000_000_000)],
        ]
        .concat();
        let found = Scene::run(run(closed(1), &twice).finish())
            .judge(&RULE)
            .remove(0);
        assert!(
            in_english(&found.claim).contains(" 2 times in 'read', for up to 2 s"),
            "{}",
            in_english(&found.claim)
        );
    }

    #[test]
    fn the_length_is_that_of_the_pause_at_any_depth() {
        for (depth, waiting) in [(16, 16), (16, 7), (32, 20), (1024, 1024), (1024, 700)] {
            let found = Scene::run(swallowed(depth, waiting).finish())
                .judge(&RULE)
                .remove(0);
            assert!(
                in_english(&found.claim).contains(" for 2.95 s"),
                "{depth}: {}",
                in_english(&found.claim)
            );
        }
    }

    #[test]
    fn what_to_look_at_follows_from_the_target() {
        let mut run = stalled(closed(1), 1, 4_000_000_000).finish();
        assert!(in_english(&Scene::run(run.clone()).judge(&RULE)[0].advice).contains("dmesg"));
        run.header.plan.steps[0].jobs[0].target = "smb://server/share".parse().expect("a target");
        assert!(in_english(&Scene::run(run.clone()).judge(&RULE)[0].advice).contains("server"));
        run.header.plan.steps[0].jobs[0].target = Target::Null;
        assert_eq!(Scene::run(run).judge(&RULE), []);
    }
}
