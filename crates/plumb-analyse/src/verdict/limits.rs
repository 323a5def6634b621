//! Which load keeps the limit of the response time?

use plumb_model::series::Curve;
use plumb_model::summary::{LimitSummary, LimitVerdict, Sentence, StepSummary, Summary};
use plumb_model::units::{show_count, show_time_ns};

use super::ladders::{step_at, subject};
use super::part::{Part, sentence};
use crate::curves::throughput_latency;

/// One sentence for each ladder whose main jobs have one limit, and one for each other step with a limit.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let (mut parts, mut told): (Vec<Part>, Vec<u32>) = (Vec::new(), Vec::new());
    for curve in throughput_latency(summary) {
        let rungs: Option<Vec<Rung<'_>>> = curve
            .points
            .iter()
            .map(|point| rung(step_at(summary, point)?, &curve, &point.label))
            .collect();
        let Some(rungs) = rungs.filter(|rungs| {
            rungs
                .windows(2)
                .all(|pair| asked(pair[0].limit) == asked(pair[1].limit))
        }) else {
            continue;
        };
        if let Some(found) = of_ladder(summary, &curve, &rungs) {
            let steps: Vec<u32> = curve.points.iter().map(|point| point.step).collect();
            told.extend(&steps);
            parts.push(Part {
                steps,
                sentences: vec![found],
            });
        }
    }
    for step in &summary.steps {
        // Of a ladder only the limits of jobs beside the main one are left to tell.
        let beside = |limit: &&LimitSummary| {
            !told.contains(&step.step) || !limit.job.is_empty() && limit.job != "main"
        };
        let sentences: Vec<Sentence> = step
            .latency_limits
            .iter()
            .filter(beside)
            .map(|limit| of_step(step, limit))
            .collect();
        if !sentences.is_empty() {
            parts.push(Part {
                steps: vec![step.step],
                sentences,
            });
        }
    }
    parts
}

/// One step of a ladder.
struct Rung<'a> {
    /// `depth 8`.
    name: String,
    limit: &'a LimitSummary,
}

fn rung<'a>(step: &'a StepSummary, curve: &Curve, label: &str) -> Option<Rung<'a>> {
    let limit = step
        .latency_limits
        .first()
        .filter(|limit| limit.job.is_empty() || limit.job == "main")?;
    let name = match curve.key.as_str() {
        "depth" => format!("depth {label}"),
        key => format!("{key} = {label}"),
    };
    Some(Rung { name, limit })
}

fn asked(limit: &LimitSummary) -> (f64, f64) {
    (limit.limit_ns, limit.percentile)
}

/// `99.9 %`, `all`.
fn share(limit: &LimitSummary) -> String {
    if limit.percentile == 100.0 {
        "all".to_string()
    } else {
        format!("{} %", limit.percentile)
    }
}

/// The time that the asked share took: `1.7 ms`, `1.9 ms to 2.3 ms`.
fn reached(limit: &LimitSummary) -> Option<String> {
    let reached: Option<Vec<f64>> = limit.rounds.iter().map(|round| round.reached_ns).collect();
    let reached = reached.filter(|reached| !reached.is_empty())?;
    let low = show_time_ns(reached.iter().copied().fold(f64::INFINITY, f64::min));
    let high = show_time_ns(reached.iter().copied().fold(0.0, f64::max));
    Some(if low == high {
        low
    } else {
        format!("{low} to {high}")
    })
}

fn in_brackets(limit: &LimitSummary) -> String {
    reached(limit)
        .map(|time| format!(" ({time})"))
        .unwrap_or_default()
}

/// What became of a rung that does not keep it.
fn lost(rung: &Rung<'_>) -> String {
    let limit = rung.limit;
    match (limit.verdict, reached(limit)) {
        (LimitVerdict::Undecided, _) => format!("it is undecided{}", in_brackets(limit)),
        (_, Some(time)) => format!("it was {time}"),
        (_, None) => "more than the rest failed".to_string(),
    }
}

/// The greatest load up to which the limit is kept, and what came at the next.
fn of_ladder(summary: &Summary, curve: &Curve, rungs: &[Rung<'_>]) -> Option<Sentence> {
    let (first, last) = (rungs.first()?, rungs.last()?);
    let kept = |rung: &Rung<'_>| rung.limit.verdict == LimitVerdict::Kept;
    let beyond = rungs.iter().position(|rung| !kept(rung));
    let (share, within) = (share(first.limit), show_time_ns(first.limit.limit_ns));
    let text = match beyond {
        None => format!(
            "{share} ended within {within} up to the greatest that was tried, {}{}",
            last.name,
            in_brackets(last.limit)
        ),
        Some(0) if first.limit.verdict == LimitVerdict::Undecided => {
            format!(
                "whether {share} end within {within} is undecided from the least that was tried on, {}{}",
                first.name,
                in_brackets(first.limit)
            )
        }
        Some(0) => format!(
            "{share} did not end within {within} even at the least that was tried, {}: {}",
            first.name,
            lost(first)
        ),
        Some(at) => {
            let (best, next) = (&rungs[at - 1], &rungs[at]);
            let (took, lost) = (in_brackets(best.limit), lost(next));
            format!(
                "{} is the greatest at which {share} ended within {within}{took}; at {} {lost}",
                best.name, next.name
            )
        }
    };
    let again = beyond.and_then(|at| rungs[at..].iter().find(|rung| kept(rung)));
    let again = again
        .map(|rung| format!(", and at {} it was kept again", rung.name))
        .unwrap_or_default();
    let evidence = rungs
        .iter()
        .map(|rung| (rung.name.clone(), evidence(rung.limit)))
        .collect();
    Some(sentence(
        format!(
            "{}: {text}{again}.",
            subject(summary, curve, curve.points.first()?)?
        ),
        evidence,
    ))
}

fn of_step(step: &StepSummary, limit: &LimitSummary) -> Sentence {
    let name = match limit.job.as_str() {
        "" | "main" => format!("'{}'", step.name),
        job => format!("'{job}' beside '{}'", step.name),
    };
    let (asked, within) = (share(limit), show_time_ns(limit.limit_ns));
    let inside = inside(limit).unwrap_or_else(|| "none".to_string());
    let text = match (limit.verdict, reached(limit)) {
        (LimitVerdict::Kept, Some(time)) => {
            format!(
                "{name}: {asked} ended within {time}, and {within} was the limit (within {within}: {inside})"
            )
        }
        (LimitVerdict::Missed, Some(time)) => {
            format!(
                "{name} MISSED its limit: {inside} ended within {within}, and {asked} were asked for, which took {time}"
            )
        }
        (LimitVerdict::Undecided, time) => format!(
            "{name}: whether {asked} end within {within} is undecided: {}",
            why(limit, time)
        ),
        (_, None) => {
            format!(
                "{name} MISSED its limit: {inside} ended within {within}, and {asked} were asked for: more than the rest failed"
            )
        }
    };
    sentence(
        text + ".",
        vec![(format!("limit of {name}"), evidence(limit))],
    )
}

/// The share of each round that ended within the limit: `99 %`, `97.2 % to 99.1 %`.
fn inside(limit: &LimitSummary) -> Option<String> {
    let shares: Option<Vec<f64>> = limit
        .rounds
        .iter()
        .map(|round| round.within_percent)
        .collect();
    let shares = shares.filter(|shares| !shares.is_empty())?;
    // Cut, not rounded: what is not all is not called all.
    let shown = |share: f64| format!("{} %", (1e4 * share).floor() / 1e4);
    let (low, high) = (
        shares.iter().copied().fold(100.0, f64::min),
        shares.iter().copied().fold(0.0, f64::max),
    );
    Some(if shown(low) == shown(high) {
        shown(low)
    } else {
        format!("{} to {}", shown(low), shown(high))
    })
}

fn why(limit: &LimitSummary, reached: Option<String>) -> String {
    let fewest = limit
        .rounds
        .iter()
        .filter(|round| round.kept.is_none())
        .map(|round| round.operations)
        .min();
    match (fewest, reached) {
        _ if limit.rounds.is_empty() => "no round ran to its end".to_string(),
        (Some(0), _) => "nothing completed".to_string(),
        (Some(1), _) => "1 operation is too few to tell".to_string(),
        (Some(count), _) => format!(
            "{} operations are too few to tell",
            show_count(count as f64)
        ),
        (None, Some(time)) => format!("the rounds disagree ({time})"),
        (None, None) => "the rounds disagree".to_string(),
    }
}

fn evidence(limit: &LimitSummary) -> String {
    let inside = inside(limit).map_or_else(
        || "nothing completed".to_string(),
        |share| format!("{share} within {}", show_time_ns(limit.limit_ns)),
    );
    let share = share(limit);
    let took = reached(limit)
        .map(|time| format!(", {share} within {time}"))
        .unwrap_or_default();
    format!("{inside}{took}: {}", limit.verdict)
}
