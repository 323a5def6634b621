//! Which load meets the latency limit?

use plumb_model::results::series::Curve;
use plumb_model::results::summary::{LimitSummary, LimitVerdict, Sentence, StepSummary, Summary};
use plumb_model::statement::Statement;

use super::ladders::{step_at, subject};
use super::part::{Part, sentence};
use super::wording;
use crate::phrases::rests_on;
use crate::plots::curves::throughput_latency;

/// One sentence for each ladder whose main jobs have one limit, and one for each other step with a limit.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let (mut parts, mut reported): (Vec<Part>, Vec<u32>) = (Vec::new(), Vec::new());
    for curve in throughput_latency(summary) {
        let rungs: Option<Vec<Rung<'_>>> = curve
            .points
            .iter()
            .map(|point| rung(step_at(summary, point)?, &curve, &point.label))
            .collect();
        let Some(rungs) = rungs.filter(|rungs| {
            rungs
                .windows(2)
                .all(|pair| requested(pair[0].limit) == requested(pair[1].limit))
        }) else {
            continue;
        };
        if let Some(found) = of_ladder(summary, &curve, &rungs) {
            let steps: Vec<u32> = curve.points.iter().map(|point| point.step).collect();
            reported.extend(&steps);
            parts.push(Part {
                steps,
                sentences: vec![found],
            });
        }
    }
    for step in &summary.steps {
        // For a ladder only the limits of background jobs are left.
        let beside = |limit: &&LimitSummary| {
            !reported.contains(&step.step) || !limit.job.is_empty() && limit.job != "main"
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
    statement: Statement,
    limit: &'a LimitSummary,
}

fn rung<'a>(step: &'a StepSummary, curve: &Curve, label: &str) -> Option<Rung<'a>> {
    let limit = step
        .latency_limits
        .first()
        .filter(|limit| limit.job.is_empty() || limit.job == "main")?;
    let statement = match curve.key.as_str() {
        "depth" => Statement::new("rung-depth").name("depth", label),
        key => Statement::new("rung").name("key", key).name("value", label),
    };
    Some(Rung { statement, limit })
}

fn requested(limit: &LimitSummary) -> (f64, f64) {
    (limit.limit_ns, limit.percentile)
}

/// `99.9 %`, `all`.
fn share(limit: &LimitSummary) -> Statement {
    if limit.percentile == 100.0 {
        Statement::new("share-all")
    } else {
        percent(limit.percentile)
    }
}

/// A share to the last digit: 99.99 % is not 100 %.
fn percent(share: f64) -> Statement {
    Statement::new("percent-text").name("percent", format!("{share}"))
}

/// Response time at the required percentile over the rounds: lowest and highest in nanoseconds.
fn reached_ns(limit: &LimitSummary) -> Option<(f64, f64)> {
    let reached: Option<Vec<f64>> = limit.rounds.iter().map(|round| round.reached_ns).collect();
    let reached = reached.filter(|reached| !reached.is_empty())?;
    Some((
        reached.iter().copied().fold(f64::INFINITY, f64::min),
        reached.iter().copied().fold(0.0, f64::max),
    ))
}

/// A time as far as it is written, so that no range has two ends alike.
fn three_digits(ns: f64) -> f64 {
    let digits = ns.max(1.0).log10().floor() - 2.0;
    let last = 10f64.powf(digits);
    (ns / last).round() * last
}

/// `1.7 ms`, `1.9 ms to 2.3 ms`.
fn reached(limit: &LimitSummary) -> Option<Statement> {
    let (low, high) = reached_ns(limit)?;
    Some(if three_digits(low) == three_digits(high) {
        Statement::new("exactly").time_ns("value", low)
    } else {
        Statement::new("from-to")
            .time_ns("low", low)
            .time_ns("high", high)
    })
}

fn in_brackets(limit: &LimitSummary) -> Statement {
    wording::in_brackets(reached(limit))
}

/// What became of a rung that does not keep it.
fn lost(rung: &Rung<'_>) -> Statement {
    let limit = rung.limit;
    match (limit.verdict, reached(limit)) {
        (LimitVerdict::Undecided, _) => {
            Statement::new("limit-undecided-at").part("took", in_brackets(limit))
        }
        (_, Some(time)) => Statement::new("limit-time-was").part("time", time),
        (_, None) => Statement::new("limit-more-failed"),
    }
}

/// The greatest load up to which the limit is kept, and what came at the next.
fn of_ladder(summary: &Summary, curve: &Curve, rungs: &[Rung<'_>]) -> Option<Sentence> {
    let (first, last) = (rungs.first()?, rungs.last()?);
    let kept = |rung: &Rung<'_>| rung.limit.verdict == LimitVerdict::Kept;
    let beyond = rungs.iter().position(|rung| !kept(rung));
    let again = beyond.and_then(|at| rungs[at..].iter().find(|rung| kept(rung)));
    let again =
        again.map(|rung| Statement::new("limit-kept-again").part("rung", rung.statement.clone()));
    let statement = match beyond {
        None => Statement::new("ladder-keeps-limit")
            .part("last", last.statement.clone())
            .part("took", in_brackets(last.limit)),
        Some(0) if first.limit.verdict == LimitVerdict::Undecided => {
            Statement::new("ladder-limit-undecided")
                .part("first", first.statement.clone())
                .part("took", in_brackets(first.limit))
        }
        Some(0) => Statement::new("ladder-misses-limit")
            .part("first", first.statement.clone())
            .part("lost", lost(first)),
        Some(at) => Statement::new("ladder-keeps-limit-up-to")
            .part("best", rungs[at - 1].statement.clone())
            .part("took", in_brackets(rungs[at - 1].limit))
            .part("next", rungs[at].statement.clone())
            .part("lost", lost(&rungs[at])),
    }
    .part("subject", subject(summary, curve, curve.points.first()?)?)
    .part("share", share(first.limit))
    .time_ns("limit", first.limit.limit_ns)
    .part("again", wording::optional(again));
    let evidence = rungs
        .iter()
        .map(|rung| rests_on(rung.statement.clone(), evidence(rung.limit)))
        .collect();
    Some(sentence(statement, evidence))
}

fn of_step(step: &StepSummary, limit: &LimitSummary) -> Sentence {
    let subject = match limit.job.as_str() {
        "" | "main" => Statement::new("limit-of-step").name("step", &step.name),
        job => Statement::new("limit-of-job")
            .name("job", job)
            .name("step", &step.name),
    };
    let what = Statement::new("evidence-limit-of").part("subject", subject.clone());
    let statement = match (limit.verdict, reached(limit)) {
        (LimitVerdict::Kept, Some(time)) => Statement::new("limit-kept").part("time", time),
        (LimitVerdict::Missed, Some(time)) => Statement::new("limit-missed").part("time", time),
        (LimitVerdict::Undecided, time) => {
            Statement::new("limit-undecided").part("why", why(limit, time))
        }
        (_, None) => Statement::new("limit-missed-by-failures"),
    }
    .part("subject", subject)
    .part("share", share(limit))
    .part(
        "inside",
        inside(limit).unwrap_or_else(|| Statement::new("limit-none-inside")),
    )
    .time_ns("limit", limit.limit_ns);
    sentence(statement, vec![rests_on(what, evidence(limit))])
}

/// The share of each round within the limit, in percent: lowest and highest. Truncated, not rounded: never 100 unless all are.
fn inside_percent(limit: &LimitSummary) -> Option<(f64, f64)> {
    let shares: Option<Vec<f64>> = limit
        .rounds
        .iter()
        .map(|round| round.within_percent)
        .collect();
    let shares = shares.filter(|shares| !shares.is_empty())?;
    let cut = |share: f64| (1e4 * share).floor() / 1e4;
    Some((
        cut(shares.iter().copied().fold(100.0, f64::min)),
        cut(shares.iter().copied().fold(0.0, f64::max)),
    ))
}

/// `99 %`, `97.2 % to 99.1 %`.
fn inside(limit: &LimitSummary) -> Option<Statement> {
    let (low, high) = inside_percent(limit)?;
    Some(if low == high {
        percent(low)
    } else {
        Statement::new("from-to")
            .part("low", percent(low))
            .part("high", percent(high))
    })
}

fn why(limit: &LimitSummary, reached: Option<Statement>) -> Statement {
    let fewest = limit
        .rounds
        .iter()
        .filter(|round| round.kept.is_none())
        .map(|round| round.operations)
        .min();
    match (fewest, reached) {
        _ if limit.rounds.is_empty() => Statement::new("limit-no-round"),
        (Some(0), _) => Statement::new("limit-nothing-completed"),
        (Some(count), _) => Statement::new("limit-too-few").count("operations", count),
        (None, Some(time)) => Statement::new("limit-rounds-disagree-by").part("time", time),
        (None, None) => Statement::new("limit-rounds-disagree"),
    }
}

fn evidence(limit: &LimitSummary) -> Statement {
    let inside = match inside(limit) {
        None => Statement::new("limit-nothing-completed"),
        Some(inside) => Statement::new("evidence-within")
            .part("share", inside)
            .time_ns("time", limit.limit_ns),
    };
    let took = reached(limit).map(|time| {
        Statement::new("evidence-took")
            .part("share", share(limit))
            .part("time", time)
    });
    Statement::new(match limit.verdict {
        LimitVerdict::Kept => "evidence-limit-kept",
        LimitVerdict::Missed => "evidence-limit-missed",
        LimitVerdict::Undecided => "evidence-limit-undecided",
    })
    .part("inside", inside)
    .part("took", wording::optional(took))
}
