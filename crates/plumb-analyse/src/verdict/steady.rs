//! Did the tracked figures become steady, and which rounds are the result?

use plumb_model::plan::{Steady, SteadyFigure};
use plumb_model::results::summary::{Sentence, SteadyStep, SteadySummary, Summary};
use plumb_model::statement::{Argument, Statement, Unit};

use super::part::sentence;
use super::wording;
use crate::phrases::rests_on;

/// What was judged and what came of it; nothing for a plan that tracks nothing.
pub(super) fn sentences(summary: &Summary) -> Vec<Sentence> {
    let (Some(steady), Some(requested)) = (&summary.steady, &summary.plan.steady) else {
        return Vec::new();
    };
    let Some((first, last)) = steady.window else {
        return vec![sentence(
            Statement::new("steady-no-round"),
            vec![rests_on(Statement::new("evidence-whole-rounds"), 0_u64)],
        )];
    };
    let count = |round: u32| u64::from(round);
    let judged = last - first + 1;
    let statement = match (steady.reached, judged < requested.window) {
        (true, _) => Statement::new("steady-after-rounds")
            .count("round", count(last) + 1)
            .count("rounds", count(summary.plan.rounds))
            .part("figures", figures(steady, requested)),
        (false, true) => Statement::new("steady-not-judged")
            .count("window", count(requested.window))
            .count("judged", count(judged))
            .part("written", wording::optional(bound(steady, requested))),
        (false, false) => Statement::new("not-steady-after-rounds")
            .count("round", count(last) + 1)
            .part("written", wording::optional(bound(steady, requested)))
            .part("figures", figures(steady, requested)),
    }
    .count("first", count(first) + 1)
    .count("last", count(last) + 1);
    let evidence = steady
        .steps
        .iter()
        .filter_map(|step| {
            let what = Statement::new("evidence-step").name("step", &step.name);
            Some(rests_on(what, excursions(step)?))
        })
        .collect();
    vec![sentence(statement, evidence)]
}

/// That the rounds ended because enough was written.
fn bound(steady: &SteadySummary, requested: &Steady) -> Option<Statement> {
    let (requested, written) = requested
        .capacities
        .zip(steady.capacities)
        .filter(|(requested, written)| written >= requested)?;
    Some(
        Statement::new("steady-written")
            .number("written", written)
            .number("most", requested),
    )
}

/// The worst tracked step in full.
fn figures(steady: &SteadySummary, requested: &Steady) -> Statement {
    let over = |step: &SteadyStep| {
        let data =
            step.data_excursion_percent.unwrap_or(f64::INFINITY) / requested.data_excursion_percent;
        data.max(
            step.slope_excursion_percent.map_or(f64::INFINITY, f64::abs)
                / requested.slope_excursion_percent,
        )
    };
    let Some(worst) = steady
        .steps
        .iter()
        .max_by(|a, b| over(a).total_cmp(&over(b)))
    else {
        return wording::none();
    };
    let (Some(average), Some(data), Some(slope)) = (
        worst.average,
        worst.data_excursion_percent,
        worst.slope_excursion_percent,
    ) else {
        return Statement::new("steady-no-figure").name("step", &worst.name);
    };
    let tracked = steady.steps.len() as u64;
    let among = (tracked > 1).then(|| Statement::new("steady-least-of").count("tracked", tracked));
    Statement::new("steady-figures")
        .name("step", &worst.name)
        .part("among", wording::optional(among))
        .with("average", value_of(steady.figure, average))
        .percent("data", tenths(data))
        .name("data-limit", requested.data_excursion_percent.to_string())
        .quantity("slope", tenths(slope), Unit::PercentChange)
        .name("slope-limit", requested.slope_excursion_percent.to_string())
}

fn tenths(percent: f64) -> f64 {
    (10.0 * percent).round() / 10.0
}

pub(super) fn value_of(figure: SteadyFigure, value: f64) -> Argument {
    let unit = match figure {
        SteadyFigure::Iops => return wording::iops(value),
        SteadyFigure::Bandwidth => Unit::BytesPerSecond,
        SteadyFigure::Latency => Unit::Nanoseconds,
    };
    Argument::Quantity { value, unit }
}

fn excursions(step: &SteadyStep) -> Option<Statement> {
    let (data, slope) = (step.data_excursion_percent?, step.slope_excursion_percent?);
    let statement = Statement::new(match step.steady {
        true => "evidence-excursion-steady",
        false => "evidence-excursion-not-steady",
    })
    .percent("data", tenths(data))
    .quantity("slope", tenths(slope), Unit::PercentChange);
    Some(statement)
}
