//! Was the requested queue depth achieved?

use plumb_model::engines;
use plumb_model::plan::Step;
use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;
use plumb_model::target::Target;

use crate::figures::connections::part_waiting;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "depth_not_achieved",
    needs: &[],
    meaning: "A closed loop asks for a queue depth; an engine that submits one operation at a time, or a target that blocks submission, never reaches it. The step then shows a lower load than its name says.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the requested depth below which it counts as not achieved.
const ENOUGH: f64 = 0.8;

/// Pauses keep operations out of flight on purpose, and so does a job that begins later; file operations run one at a time in each worker by their
/// nature.
fn requests_depth(step: &Step) -> bool {
    let together = step
        .jobs
        .windows(2)
        .all(|pair| pair[0].workload.start_delay == pair[1].workload.start_delay);
    together
        && step.jobs.iter().all(|job| {
            let workload = &job.workload;
            let pauses = workload.think_time.0 > 0 || workload.burst_operations > 0;
            !workload.is_open()
                && !pauses
                && !workload.has_file_operations()
                && job.target != Target::Null
        })
}

fn judge(case: &Case) -> Vec<Finding> {
    let mut short = Vec::new();
    for (planned, step) in case
        .steps()
        .filter(|(planned, step)| requests_depth(planned) && !engines::is_null(&step.engine))
    {
        // Operations waiting for credits have their own finding.
        if let (Some(requested), Some(achieved)) = (step.requested_depth, step.achieved_depth)
            && requested >= 2.0
            && part_waiting(step).is_none()
            && achieved < ENOUGH * requested
        {
            short.push((planned, step, requested, achieved));
        }
    }
    let Some((_, worst, ..)) = short
        .iter()
        .min_by(|a, b| (a.3 / a.2).total_cmp(&(b.3 / b.2)))
    else {
        return Vec::new();
    };
    let blocking = engines::is(&worst.engine, |engine| {
        engine.is_local() && !engine.asynchronous
    }) && short
        .iter()
        .all(|(_, step, ..)| step.engine == worst.engine);
    let names: Vec<&str> = short
        .iter()
        .map(|(_, step, ..)| step.name.as_str())
        .collect();
    let shown = short.iter().map(|(_, step, requested, achieved)| {
        evidence(
            Statement::new("depth-not-achieved-in").name("step", &step.name),
            Statement::new("part-of-whole")
                .number("part", *achieved)
                .number("whole", *requested),
            Statement::new("source-service-times"),
        )
    });
    let claim = if blocking {
        Statement::new("depth-not-achieved-by-blocking-engine").name("engine", &worst.engine)
    } else {
        Statement::new("depth-not-achieved")
    }
    .part("steps", name_steps(&names));
    let advice = Statement::new(if blocking {
        "depth-not-achieved-by-blocking-engine-advice"
    } else {
        "depth-not-achieved-advice"
    });
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
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::units::Nanos;

    pub fn examples() -> Examples {
        // Little's law: 100 us x 10,000/s = 1 in flight.
        let run = |depth: u32, iops: f64| {
            let mut builder = Builder::new(ladder("read", &[depth]));
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        iops,
                        latency_ns: 85_000.0,
                        ..Interval::default()
                    };
                    3
                ],
            );
            Scene::run(builder.finish())
        };
        let with_another = |start_delay: Option<Nanos>| {
            let mut steps = ladder("read", &[8]);
            let mut late = steps[0].jobs[0].clone();
            late.workload.start_delay = start_delay;
            steps[0].jobs.push(late);
            let mut builder = Builder::new(steps);
            builder.execute(
                0,
                0,
                &vec![
                    Interval {
                        iops: 40_000.0,
                        latency_ns: 85_000.0,
                        ..Interval::default()
                    };
                    3
                ],
            );
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![run(8, 10_000.0), with_another(None)],
            silent: vec![
                run(1, 10_000.0),
                run(8, 80_000.0),
                with_another(Some(Nanos::SECOND)),
            ],
        }
    }
}
