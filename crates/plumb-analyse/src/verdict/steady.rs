//! Did the figures that the plan tracks become steady, and which rounds are the result?

use plumb_model::plan::{Steady, SteadyFigure};
use plumb_model::summary::{Sentence, SteadyStep, SteadySummary, Summary};
use plumb_model::units::{show_bandwidth, show_count, show_time_ns};

use super::part::sentence;

/// What was judged and what came of it; nothing for a plan that tracks nothing.
pub(super) fn sentences(summary: &Summary) -> Vec<Sentence> {
    let (Some(steady), Some(asked)) = (&summary.steady, &summary.plan.steady) else {
        return Vec::new();
    };
    let Some((first, last)) = steady.window else {
        return vec![sentence(
            "No round was whole: nothing can be said of steadiness.".into(),
            vec![("whole rounds".into(), "0".into())],
        )];
    };
    let rounds = format!("rounds {} to {}", first + 1, last + 1);
    let judged = last - first + 1;
    let head = match (steady.reached, judged < asked.window) {
        (true, _) => format!(
            "Steady after round {} of at most {}: {}",
            last + 1,
            summary.plan.rounds,
            figures(steady, asked)
        ),
        (false, true) => {
            format!(
                "Whether it is steady was not judged: the window has {} rounds, and {judged} were whole{}",
                asked.window,
                bound(steady, asked)
            )
        }
        (false, false) => format!(
            "NOT steady after {} rounds{}: {}",
            last + 1,
            bound(steady, asked),
            figures(steady, asked)
        ),
    };
    let evidence = steady
        .steps
        .iter()
        .filter_map(|step| Some((format!("'{}'", step.name), excursions(step)?)))
        .collect();
    vec![sentence(
        format!(
            "{head}. The figures are those of {rounds}; earlier rounds are recorded and drawn."
        ),
        evidence,
    )]
}

/// That the rounds ended because enough was written.
fn bound(steady: &SteadySummary, asked: &Steady) -> String {
    let reached = asked
        .capacities
        .zip(steady.capacities)
        .filter(|(asked, written)| written >= asked);
    reached.map_or(String::new(), |(asked, written)| {
        format!(
            ", which wrote the part in use {} times (at most {})",
            show_count(written),
            show_count(asked)
        )
    })
}

/// The worst tracked step in full.
fn figures(steady: &SteadySummary, asked: &Steady) -> String {
    let over = |step: &SteadyStep| {
        let data =
            step.data_excursion_percent.unwrap_or(f64::INFINITY) / asked.data_excursion_percent;
        data.max(
            step.slope_excursion_percent.map_or(f64::INFINITY, f64::abs)
                / asked.slope_excursion_percent,
        )
    };
    let Some(worst) = steady
        .steps
        .iter()
        .max_by(|a, b| over(a).total_cmp(&over(b)))
    else {
        return String::new();
    };
    let (Some(average), Some(data), Some(slope)) = (
        worst.average,
        worst.data_excursion_percent,
        worst.slope_excursion_percent,
    ) else {
        return format!("'{}' has no figure in some of the last rounds", worst.name);
    };
    let among = if steady.steps.len() > 1 {
        format!(", the least steady of {} tracked,", steady.steps.len())
    } else {
        String::new()
    };
    format!(
        "'{}'{among} gave {} on average, with {data:.1} % between its lowest and highest round (limit {} %) and a fit that changes by {slope:+.1} % (limit {} %)",
        worst.name,
        value_text(steady.figure, average),
        asked.data_excursion_percent,
        asked.slope_excursion_percent
    )
}

pub(super) fn value_text(figure: SteadyFigure, value: f64) -> String {
    match figure {
        SteadyFigure::Iops => format!("{} IOPS", show_count(value)),
        SteadyFigure::Bandwidth => show_bandwidth(value),
        SteadyFigure::Latency => show_time_ns(value),
    }
}

fn excursions(step: &SteadyStep) -> Option<String> {
    let (data, slope) = (step.data_excursion_percent?, step.slope_excursion_percent?);
    Some(format!(
        "excursion {data:.1} %, fit {slope:+.1} %, {}",
        if step.steady { "steady" } else { "not steady" }
    ))
}
