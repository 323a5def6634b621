//! Did the steps with `until-steady` become steady, and how steady were they?

use plumb_model::results::summary::{Sentence, SteadyEnd, StepSummary, Summary};
use plumb_model::run::step_end::{StepEnd, StopReason};
use plumb_model::statement::{Argument, Statement};
use plumb_model::workload::{SteadyCriterion, SteadyLimit, UntilSteady};

use super::part::sentence;
use super::steady;
use crate::figures::planned::step_of;
use crate::phrases::{part_of, rests_on};

/// Number of steps up to which each has its own sentence.
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
    let others: Vec<&str> = waiting
        .iter()
        .filter(|step| !reached(step))
        .map(|step| step.name.as_str())
        .collect();
    let quoted = others.iter().map(|name| format!("'{name}'"));
    let statement = if others.is_empty() {
        Statement::new("steps-settled")
    } else {
        Statement::new("steps-settled-but").names("others", quoted)
    }
    .count("settled", settled as u64)
    .count("steps", waiting.len() as u64);
    vec![sentence(
        statement,
        vec![rests_on(
            Statement::new("evidence-steady-steps"),
            part_of(settled as u64, waiting.len() as u64),
        )],
    )]
}

/// The first round that was not steady, else the first.
fn of_step(summary: &Summary, step: &StepSummary) -> Option<Sentence> {
    let workload = &step_of(summary, step)?.jobs.first()?.workload;
    let requested = workload.until_steady?;
    let ends = &step.until_steady;
    let reached = ends.iter().filter(|end| end.reached).count();
    let found = ends.iter().find(|end| !end.reached).or(ends.first())?;
    let other = |end: &&StepEnd| **end != StepEnd::Stopped(StopReason::Steady);
    let by = step.ended_by.iter().find(other);
    let by = by.map_or_else(|| Statement::new("by-the-end"), ended_by);
    let window = requested.window.0 as f64;
    let rounds = ends.len() as u64;
    let subject = match rounds {
        1 => Statement::new("settled-of-step"),
        rounds => Statement::new("settled-of-rounds")
            .count("reached", reached as u64)
            .count("rounds", rounds)
            .count("round", u64::from(found.round) + 1),
    }
    .name("step", &step.name);
    let statement = match (found.reached, figures(&requested, found), found.after_s) {
        (true, Some(figures), Some(after_s)) => match workload.time {
            Some(most) => Statement::new("settled-after-at-most").time_ns("most", most.0 as f64),
            None => Statement::new("settled-after"),
        }
        .time_ns("time", 1e9 * after_s)
        .part("figures", figures),
        (false, Some(figures), _) => Statement::new(match rounds {
            1 => "not-settled",
            _ => "not-settled-round",
        })
        .part("by", by)
        .part("figures", figures),
        _ => Statement::new("settling-not-judged")
            .part("by", by)
            .time_ns("window", window),
    }
    .part("subject", subject);
    let evidence = ends.iter().map(|end| {
        rests_on(
            Statement::new("evidence-step-and-round")
                .name("step", &step.name)
                .count("round", u64::from(end.round) + 1),
            evidence(end),
        )
    });
    Some(sentence(statement, evidence.collect()))
}

/// What ended it, as a sentence names it.
fn ended_by(end: &StepEnd) -> Statement {
    match end {
        StepEnd::Stopped(StopReason::Error(_)) | StepEnd::Failed(_) => Statement::new("by-error"),
        other => other.statement(),
    }
}

/// The window by the requested criterion.
fn figures(requested: &UntilSteady, end: &SteadyEnd) -> Option<Statement> {
    let mean = end.mean?;
    let percent = match requested.criterion {
        SteadyCriterion::Deviation => end.deviation_percent,
        SteadyCriterion::Slope => end.slope_percent,
    }?;
    let (value, limit) = match requested.limit {
        SteadyLimit::Percent(limit) => (share_of(percent), exactly(limit)),
        SteadyLimit::Absolute(limit) => (
            steady::value_of(requested.figure, percent * mean / 100.0),
            steady::value_of(requested.figure, limit),
        ),
    };
    Some(
        Statement::new(match (requested.criterion, end.reached) {
            (SteadyCriterion::Slope, _) => "settled-slope",
            (_, true) => "settled-departs-at-most",
            (_, false) => "settled-departs",
        })
        .time_ns("window", requested.window.0 as f64)
        .with("mean", steady::value_of(requested.figure, mean))
        .with("value", value)
        .with("limit", limit),
    )
}

/// A share to the last digit.
fn exactly(percent: impl ToString) -> Argument {
    let statement = Statement::new("percent-text").name("percent", percent.to_string());
    Argument::Statement(Box::new(statement))
}

fn share_of(percent: f64) -> Argument {
    match hundredths(percent) {
        0.0 if percent != 0.0 => {
            Argument::Statement(Box::new(Statement::new("less-than-a-hundredth-percent")))
        }
        shown => exactly(shown),
    }
}

fn hundredths(percent: f64) -> f64 {
    (100.0 * percent).round() / 100.0
}

fn evidence(end: &SteadyEnd) -> Statement {
    match (end.deviation_percent, end.slope_percent) {
        (Some(deviation), Some(slope)) => Statement::new("evidence-departure-and-slope")
            .with("departure", share_of(deviation))
            .with("slope", share_of(slope)),
        _ => Statement::new("evidence-no-whole-window"),
    }
}
