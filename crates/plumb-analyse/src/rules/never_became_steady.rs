//! Did the rounds, or a step, end without reaching the requested steady state?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::{SteadyEnd, StepSummary};
use plumb_model::run::step_end::{StepEnd, StopReason};
use plumb_model::statement::{Statement, Unit};

use crate::command_line::again;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "never_became_steady",
    needs: &[],
    meaning: "A plan with [steady] goes on until the tracked figures hold the two criteria of the SNIA performance test specification over a window of rounds. When the maximum number of rounds is reached first, its figures are those of the last rounds, and further rounds may give others. The same holds for a step with until-steady that its time or amount ended first.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let mut found = rounds(case);
    found.extend(steps(case));
    found
}

/// Steps with `until-steady` ended by another stop rule, after at least one complete window.
fn steps(case: &Case) -> Option<Finding> {
    let by_itself = |step: &StepSummary| {
        step.ended_by.iter().all(|end| {
            let StepEnd::Stopped(by) = end else {
                return false;
            };
            use StopReason::{Bytes, Operations, Steady, Time};
            matches!(by, Steady | Time | Bytes | Operations)
        })
    };
    let unsteady = |end: &&SteadyEnd| !end.reached && end.mean.is_some();
    let missed: Vec<_> = case
        .steps()
        .filter(|(_, step)| by_itself(step) && step.until_steady.iter().any(|end| unsteady(&end)))
        .collect();
    if missed.is_empty() {
        return None;
    }
    let names: Vec<&str> = missed.iter().map(|(_, step)| step.name.as_str()).collect();
    let shown = missed.iter().filter_map(|(planned, step)| {
        let end = step.until_steady.iter().find(unsteady)?;
        let requested = planned.jobs.first()?.workload.until_steady?;
        let (deviation, slope) = (end.deviation_percent?, end.slope_percent?);
        let value = Statement::new("never-became-steady-window-figures")
            .percent("departure", deviation)
            .quantity("slope", slope, Unit::PercentChange)
            .name("asked", requested.to_string());
        Some(evidence(
            Statement::new("never-became-steady-window").name("step", &step.name),
            value,
            Statement::new("source-step-intervals"),
        ))
    });
    let claim = Statement::new("never-became-steady-step").part("steps", name_steps(&names));
    let advice = Statement::new("never-became-steady-step-advice");
    Some(finding(
        &RULE,
        Severity::Warning,
        claim,
        shortened(shown.collect()),
        advice,
    ))
}

fn rounds(case: &Case) -> Vec<Finding> {
    let Some((steady, plan)) = case
        .summary
        .and_then(|summary| summary.steady.as_ref())
        .zip(case.plan)
    else {
        return Vec::new();
    };
    let complete = steady.steps.iter().all(|step| step.average.is_some());
    // A run that was interrupted, or had too few complete rounds, is not judged.
    if steady.reached || !complete || steady.rounds < plan.rounds {
        return Vec::new();
    }
    let unsteady: Vec<_> = steady.steps.iter().filter(|step| !step.steady).collect();
    let names: Vec<&str> = unsteady.iter().map(|step| step.name.as_str()).collect();
    let shown = unsteady.iter().filter_map(|step| {
        let (data, slope) = (step.data_excursion_percent?, step.slope_excursion_percent?);
        let value = Statement::new("never-became-steady-round-figures")
            .percent("data", data)
            .quantity("slope", slope, Unit::PercentChange);
        Some(evidence(
            Statement::new("figure-of-step")
                .name("figure", steady.figure.to_string())
                .name("step", &step.name),
            value,
            Statement::new("source-last-rounds"),
        ))
    });
    let claim = match names.as_slice() {
        [] => Statement::new("never-became-steady-at-once"),
        _ => Statement::new("never-became-steady").part("steps", name_steps(&names)),
    }
    .count("rounds", u64::from(steady.rounds));
    let advice = Statement::new("never-became-steady-advice");
    let mut found = finding(
        &RULE,
        Severity::Warning,
        claim,
        shortened(shown.collect()),
        advice,
    );
    found.experiment = case.run.and_then(|run| {
        again(
            run,
            &[("rounds", plan.rounds.saturating_mul(2).to_string())],
        )
    });
    vec![found]
}

#[cfg(test)]
mod tests {
    use plumb_model::plan::Steady;
    use plumb_model::run::Event;
    use plumb_model::run::step_end::StopReason;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    /// A step that waits to be steady, with these intervals.
    fn waiting(intervals: &[f64], ended_by: StopReason) -> Scene {
        let mut steps = ladder("write", &[1]);
        steps[0].jobs[0].workload.until_steady = "iops deviation 2% over 4s".parse().ok();
        let mut builder = Builder::new(steps);
        let of = |iops: &f64| Interval {
            iops: *iops,
            ..Interval::default()
        };
        builder.execute(0, 0, &intervals.iter().map(of).collect::<Vec<_>>());
        if let Some(Event::ExecutionEnded { stopped_by, .. }) =
            builder.run.notes.last_mut().map(|note| &mut note.event)
        {
            *stopped_by = ended_by;
        }
        Scene::run(builder.finish())
    }

    pub fn examples() -> Examples {
        let run = |rounds: &[f64], most: u32| {
            let mut builder = Builder::new(ladder("write", &[1]));
            builder.run.header.plan.steady = Some(Steady::default());
            builder.run.header.plan.rounds = most;
            for (round, iops) in rounds.iter().enumerate() {
                builder.execute(
                    0,
                    round as u32,
                    &[Interval {
                        iops: *iops,
                        ..Interval::default()
                    }],
                );
            }
            Scene::run(builder.finish())
        };
        let falling = [10_000.0, 9_000.0, 8_000.0, 7_000.0, 6_000.0, 5_000.0];
        Examples {
            fires: vec![
                run(&falling, 6),
                run(&[8_000.0, 12_000.0, 8_000.0, 12_000.0, 8_000.0], 5),
                waiting(&falling, StopReason::Time),
            ],
            // Steady, interrupted, and too few to judge.
            silent: vec![
                run(&[10_000.0; 5], 25),
                run(&falling, 25),
                run(&falling[..3], 3),
                waiting(&[10_000.0; 4], StopReason::Steady),
                waiting(&falling, StopReason::Signal),
                waiting(&falling[..3], StopReason::Bytes),
            ],
        }
    }
}
