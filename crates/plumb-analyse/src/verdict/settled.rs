//! Did the steps that wait to be steady become so, and how steady were they?

use plumb_model::step_end::{StepEnd, StopReason};
use plumb_model::summary::{Sentence, SteadyEnd, StepSummary, Summary};
use plumb_model::units::show_time_ns;
use plumb_model::workload::{SteadyCriterion, SteadyLimit, UntilSteady, Workload};

use super::part::sentence;
use super::steady;
use crate::planned::step_of;

/// Steps up to which each has a sentence of its own.
const FEW: usize = 4;

/// What was waited for and what came of it; nothing for a plan whose steps do not wait.
pub(super) fn sentences(summary: &Summary) -> Vec<Sentence> {
    let waiting: Vec<&StepSummary> = summary
        .steps
        .iter()
        .filter(|step| !step.until_steady.is_empty())
        .collect();
    if waiting.len() <= FEW {
        return waiting
            .into_iter()
            .filter_map(|step| of_step(summary, step))
            .collect();
    }
    let reached = |step: &&&StepSummary| step.until_steady.iter().all(|end| end.reached);
    let settled = waiting.iter().filter(reached).count();
    let others: Vec<String> = waiting
        .iter()
        .filter(|step| !reached(step))
        .map(|step| format!("'{}'", step.name))
        .collect();
    let rest = if others.is_empty() {
        String::new()
    } else {
        format!("; NOT steady: {}", others.join(", "))
    };
    let count = format!("{settled} of {}", waiting.len());
    vec![sentence(
        format!("{count} steps ended because they were steady{rest}."),
        vec![("steady steps".into(), count)],
    )]
}

/// The first round that was not steady, else the first.
fn of_step(summary: &Summary, step: &StepSummary) -> Option<Sentence> {
    let workload = &step_of(summary, step)?.jobs.first()?.workload;
    let asked = workload.until_steady?;
    let ends = &step.until_steady;
    let reached = ends.iter().filter(|end| end.reached).count();
    let told = ends.iter().find(|end| !end.reached).or(ends.first())?;
    let other = |end: &&StepEnd| **end != StepEnd::Stopped(StopReason::Steady);
    let by = match step.ended_by.iter().find(other) {
        Some(StepEnd::Failed(_) | StepEnd::Stopped(StopReason::Error(_))) => "an error".into(),
        Some(end) => end.text(),
        None => "the end".into(),
    };
    let subject = match ends.len() {
        1 => format!("'{}' was", step.name),
        rounds if reached == rounds => format!(
            "'{}' was steady in {rounds} of {rounds} rounds; round {} was",
            step.name,
            told.round + 1
        ),
        rounds => format!(
            "'{}' was steady in {reached} of {rounds} rounds; round {} was",
            step.name,
            told.round + 1
        ),
    };
    let figures = figures(&asked, told);
    let text = match (told.reached, &figures, told.after_s) {
        (true, Some(figures), Some(after_s)) => {
            format!(
                "{subject} steady after {}{}: {figures}",
                show_time_ns(1e9 * after_s),
                at_most(workload)
            )
        }
        (false, Some(figures), _) => format!(
            "{subject} NOT{} when {by} ended it: {figures}",
            if ends.len() == 1 { " steady" } else { "" }
        ),
        _ => format!(
            "{subject} not judged: {by} ended it before one window of {} was over",
            show_time_ns(asked.window.0 as f64)
        ),
    };
    let evidence = ends.iter().map(|end| {
        (
            format!("'{}', round {}", step.name, end.round + 1),
            evidence(end),
        )
    });
    Some(sentence(text + ".", evidence.collect()))
}

fn at_most(workload: &Workload) -> String {
    workload
        .time
        .map(|time| format!(" of at most {}", show_time_ns(time.0 as f64)))
        .unwrap_or_default()
}

/// The window by the criterion that was asked for.
fn figures(asked: &UntilSteady, end: &SteadyEnd) -> Option<String> {
    let mean = end.mean?;
    let percent = match asked.criterion {
        SteadyCriterion::Deviation => end.deviation_percent,
        SteadyCriterion::Slope => end.slope_percent,
    };
    let (value, limit) = match asked.limit {
        SteadyLimit::Percent(limit) => (share(percent?), format!("{limit} %")),
        SteadyLimit::Absolute(limit) => (
            steady::value_text(asked.figure, percent? * mean / 100.0),
            steady::value_text(asked.figure, limit),
        ),
    };
    let (window, mean) = (
        show_time_ns(asked.window.0 as f64),
        steady::value_text(asked.figure, mean),
    );
    Some(match (asked.criterion, end.reached) {
        (SteadyCriterion::Slope, _) => {
            format!(
                "over the last {window} {mean} on the mean, with a slope of {value} for each interval (limit {limit})"
            )
        }
        (_, true) => {
            format!(
                "over the last {window} {mean} on the mean, from which an interval departs by {value} at most (limit {limit})"
            )
        }
        (_, false) => format!(
            "over the last {window} {mean} on the mean, from which an interval departs by {value} (limit {limit})"
        ),
    })
}

fn share(percent: f64) -> String {
    match (100.0 * percent).round() / 100.0 {
        0.0 if percent != 0.0 => "less than 0.01 %".to_string(),
        shown => format!("{shown} %"),
    }
}

fn evidence(end: &SteadyEnd) -> String {
    match (end.deviation_percent, end.slope_percent) {
        (Some(deviation), Some(slope)) => {
            format!(
                "greatest departure {}, slope {} for each interval",
                share(deviation),
                share(slope)
            )
        }
        _ => "no whole window".to_string(),
    }
}
