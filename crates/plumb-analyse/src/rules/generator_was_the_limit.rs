//! Was the load generator slower than the storage?

use plumb_model::engines::is_null;
use plumb_model::plan::Step;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::summary::StepSummary;
use plumb_model::statement::{Statement, Unit};
use plumb_model::target::Target;
use plumb_model::workload::{BusyPoll, Job, OperationKind, PingPongBy};

use crate::command_line::again;
use crate::figures::connections::part_polling;
use crate::figures::executions::{Execution, executions};
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "generator_was_the_limit",
    needs: &["cpu.allowed"],
    meaning: "A worker whose CPU is fully busy, or a rate within 20 % of what the same worker reaches without any storage, shows the limit of the generator and of the kernel's path, not of the storage.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// CPU use of a worker from which on it counts as full; accounting in ticks and preemption cost some percent.
const FULL_PERCENT: f64 = 95.0;
/// Share of the requested rate from which it counts as achieved, as in the rule rate_not_achieved.
const KEPT: f64 = 0.98;
/// Share of the null-engine ceiling that counts as reached.
const NEAR_CEILING: f64 = 0.8;
/// A ceiling that the step itself went beyond by this factor is none: others had the CPU while it was measured.
const BEYOND_CEILING: f64 = 1.2;

fn judge(case: &Case) -> Vec<Finding> {
    let (Some(run), Some(plan)) = (case.run, case.plan) else {
        return Vec::new();
    };
    let (executions, _) = executions(run);
    let mut names = Vec::new();
    let mut shown = Vec::new();
    for (planned, step) in case.steps() {
        let found = of_step(case, &executions, planned, step);
        if !found.is_empty() {
            names.push(step.name.as_str());
        }
        shown.extend(found);
    }
    if names.is_empty() {
        return Vec::new();
    }
    let planned = plan
        .steps
        .iter()
        .find(|step| names.contains(&step.name.as_str()))
        .and_then(|step| step.jobs.first());
    let remote = planned.and_then(|job| job.target.remote());
    let scheme = remote.map(|remote| remote.scheme);
    // What may be faster, and what else takes the generator's CPU.
    let claim = match scheme {
        None => Statement::new("generator-was-the-limit"),
        Some(scheme) if scheme.is_share() => Statement::new("generator-was-the-limit-of-share"),
        Some(_) => Statement::new("generator-was-the-limit-of-network"),
    }
    .part("steps", name_steps(&names));
    let advice = match scheme {
        None => Statement::new("generator-was-the-limit-advice"),
        Some(scheme) if scheme.is_share() => {
            Statement::new("generator-was-the-limit-of-share-advice")
        }
        Some(_) => Statement::new("generator-was-the-limit-of-network-advice"),
    };
    let mut found = finding(&RULE, Severity::Warning, claim, shortened(shown), advice);
    // Throughput rises with twice the workers if this is right.
    found.experiment = planned.and_then(|job| {
        let workers = job.workload.workers.saturating_mul(2).to_string();
        again(run, &[("workers", workers), ("pin", "each".to_string())])
    });
    vec![found]
}

/// What shows that the generator was the limit of a step; empty when nothing does.
fn of_step(
    case: &Case,
    executions: &[Execution],
    planned: &Step,
    step: &StepSummary,
) -> Vec<Evidence> {
    // With the null engine, and at a requested rate, the generator is what is measured.
    if is_null(&step.engine) || planned.jobs.iter().all(|job| job.target == Target::Null) {
        return Vec::new();
    }
    // A kernel thread or the worker itself polls in these modes: full by design, whatever the storage does.
    let polls = planned.jobs.iter().any(|job| {
        let engine = &job.engine;
        engine.iopoll || engine.hipri || engine.busy_poll == BusyPoll::Yes || polls_memory(job)
    });
    let iops = step.all_iops().unwrap_or(0.0);
    // An open loop spins towards each due time, so its CPU may be full while it waits; a rate that was kept was not limited.
    let kept = step
        .requested_rate
        .is_some_and(|requested| iops >= KEPT * requested)
        && planned.jobs.iter().all(|job| job.workload.is_open());
    let mut shown = Vec::new();
    if let Some((used, allowed)) = all_cpus(case, step).filter(|_| !polls && !kept) {
        shown.push(evidence(
            Statement::new("generator-was-the-limit-all-threads").name("step", &step.name),
            Statement::new("generator-was-the-limit-of-cpus")
                .percent("used", used)
                .percent("all", 100.0 * allowed)
                .count("cpus", allowed as u64),
            Statement::new("source-cpu-time-of-process"),
        ));
    }
    if let Some(ceiling) = near_ceiling(executions, planned, step, iops) {
        shown.push(evidence(
            Statement::new("generator-was-the-limit-ceiling").name("step", &step.name),
            Statement::new("generator-was-the-limit-rates")
                .quantity("rate", iops, Unit::PerSecond)
                .quantity("ceiling", ceiling, Unit::PerSecond),
            Statement::new("source-measured-in-run"),
        ));
    }
    // A worker that polls its socket before it sleeps waits, and is busy all the same.
    let polled = 100.0 * part_polling(planned, step).unwrap_or(0.0);
    let full = |percent: &f64| *percent - polled >= FULL_PERCENT && !polls && !kept;
    if let Some(percent) = step.cpu.busiest_worker_percent.filter(full) {
        shown.push(evidence(
            Statement::new("generator-was-the-limit-worker").name("step", &step.name),
            Statement::new("generator-was-the-limit-of-one-cpu").percent("used", percent),
            Statement::new("source-cpu-time-of-worker"),
        ));
    }
    shown
}

/// What the null engine reached, when the step of one job came near it; in operations per second.
fn near_ceiling(
    executions: &[Execution],
    planned: &Step,
    step: &StepSummary,
    iops: f64,
) -> Option<f64> {
    let ceiling = executions
        .iter()
        .filter(|execution| execution.step == step.step)
        .filter_map(|execution| execution.ceilings.get(&0).copied())
        .reduce(f64::max)?;
    let near = (NEAR_CEILING * ceiling..=BEYOND_CEILING * ceiling).contains(&iops);
    (ceiling > 0.0 && planned.jobs.len() == 1 && near).then_some(ceiling)
}

/// CPU use of all threads in percent, and the CPUs that they may use, when these are full: the kernel's threads for io_uring (iou-wrk) copy and wait in a worker's
/// stead, so that no worker need be full itself.
fn all_cpus(case: &Case, step: &StepSummary) -> Option<(f64, f64)> {
    let allowed = case
        .environment
        .number("cpu.allowed")
        .filter(|cpus| *cpus >= 1.0)?;
    let used = step.cpu.user_percent? + step.cpu.system_percent?;
    (used >= FULL_PERCENT * allowed).then_some((used, allowed))
}

/// True for ping-pongs by one-sided writes: the worker polls its own memory for the answer.
fn polls_memory(job: &Job) -> bool {
    job.engine.ping_pong_by == PingPongBy::Write
        && job
            .workload
            .mix
            .0
            .iter()
            .any(|(kind, _)| *kind == OperationKind::PingPong)
}

#[cfg(test)]
mod tests {
    use crate::english::in_english;
    use crate::rule::{Examples, Scene};
    use crate::rules::socket_was_polled::tests::polled_for;
    use crate::synthetic::{Builder, Interval, ladder, step};
    use plumb_model::environment::Fact::Number;
    use plumb_model::run::Event;
    use plumb_model::workload::{PingPongBy, Workload};

    pub fn examples() -> Examples {
        let run = |cpu_percent: f64, ceiling: Option<f64>| {
            let mut builder = Builder::new(ladder("read", &[1]));
            let execution = builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        cpu_percent,
                        ..Interval::default()
                    };
                    3
                ],
            );
            if let Some(operations_per_s) = ceiling {
                builder.note(Event::Ceiling {
                    execution,
                    job: 0,
                    operations_per_s,
                });
            }
            Scene::run(builder.finish())
        };
        let paced = |rate: f64| {
            let mut builder = Builder::new(vec![step(
                "read",
                "read",
                &[],
                Workload {
                    rate: Some(rate),
                    ..Workload::default()
                },
            )]);
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        cpu_percent: 99.0,
                        ..Interval::default()
                    };
                    3
                ],
            );
            Scene::run(builder.finish())
        };
        let polling = {
            let mut step = step(
                "write-ping-pong",
                "ping-pong",
                &[],
                Workload {
                    mix: "ping-pong".parse().expect("mix"),
                    ..Workload::default()
                },
            );
            step.jobs[0].engine.ping_pong_by = PingPongBy::Write;
            let mut builder = Builder::new(vec![step]);
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        cpu_percent: 99.0,
                        ..Interval::default()
                    };
                    3
                ],
            );
            Scene::run(builder.finish())
        };
        let polls_before_sleeping = |seconds: f64| {
            let mut builder = Builder::new(ladder("read", &[1]));
            let busy = Interval {
                cpu_percent: 99.0,
                ..Interval::default()
            };
            let execution = builder.execute(0, 0, &vec![busy; 3]);
            builder.note(Event::EngineClosed {
                execution,
                job: 0,
                worker: 0,
                account: polled_for(seconds),
            });
            Scene::run(builder.finish())
        };
        // The workers wait for the kernel's threads, which have the rest of two CPUs.
        let threads = |system_percent: f64| {
            let mut builder = Builder::new(ladder("read", &[1])).fact("cpu.allowed", Number(2.0));
            let found = |builder: &mut Builder, seconds: f64| {
                builder.reading("process.load_user_ns", "", Some(seconds * 0.4e9));
                builder.reading(
                    "process.load_system_ns",
                    "",
                    Some(seconds * 1e7 * system_percent),
                );
            };
            found(&mut builder, 0.0);
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        cpu_percent: 40.0,
                        ..Interval::default()
                    };
                    3
                ],
            );
            found(&mut builder, 3.0);
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![
                run(99.0, None),
                run(60.0, Some(11_000.0)),
                paced(20_000.0),
                threads(155.0),
                polls_before_sleeping(0.1),
            ],
            silent: vec![
                threads(100.0),
                run(60.0, None),
                run(60.0, Some(1_000_000.0)),
                run(60.0, Some(30.0)),
                paced(10_000.0),
                polling,
                polls_before_sleeping(0.3),
            ],
        }
    }

    #[test]
    fn what_may_be_faster_follows_from_the_target() {
        let found = |target: &str| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        cpu_percent: 99.0,
                        ..Interval::default()
                    };
                    3
                ],
            );
            let mut run = builder.finish();
            run.header.plan.steps[0].jobs[0].target = target.parse().expect("a target");
            let found = Scene::run(run).judge(&super::RULE).remove(0);
            (
                in_english(&found.claim).contains("the storage may"),
                in_english(&found.claim).contains("the network may"),
                in_english(&found.advice).contains("page cache"),
            )
        };
        assert_eq!(found("/dev/sda"), (true, false, true));
        assert_eq!(found("tcp://server"), (false, true, false));
        assert_eq!(found("smb://server/share"), (false, false, false));
    }
}
