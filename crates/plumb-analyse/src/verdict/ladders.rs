//! What does a ladder of depths, workers or rates show?

use plumb_model::results::series::{Curve, CurvePoint};
use plumb_model::results::summary::{Sentence, SentenceEvidence, StepSummary, Summary};
use plumb_model::statement::{Argument, Statement, Unit};

use super::part::{Part, sentence};
use super::wording;
use crate::figures::planned::step_of;
use crate::phrases::rests_on;
use crate::plots::curves::{HOSTS, rung, throughput_latency};
use crate::statistics::knee::{Knee, Rung, knee};

/// Number of curves up to which the latency at depth 1 has its own sentence.
const FEW: usize = 4;

/// One part per curve.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let curves = throughput_latency(summary);
    let few = curves.len() <= FEW;
    curves
        .iter()
        .filter_map(|curve| part(summary, curve, few))
        .collect()
}

fn part(summary: &Summary, curve: &Curve, few: bool) -> Option<Part> {
    let steps = curve.points.iter().map(|point| point.step).collect();
    let mut sentences: Vec<Sentence> = Vec::new();
    if curve.key.contains("rate") {
        sentences.extend(open_loop(summary, curve));
    } else {
        sentences.extend(one_at_a_time(summary, curve).filter(|_| few));
        sentences.extend(closed_loop(summary, curve));
    }
    Some(Part { steps, sentences })
}

pub(super) fn step_at<'a>(summary: &'a Summary, point: &CurvePoint) -> Option<&'a StepSummary> {
    summary.steps.iter().find(|step| step.step == point.step)
}

/// The workload of a curve in words, with all that sets it apart from the plan's other curves.
pub(super) fn subject(summary: &Summary, curve: &Curve, point: &CurvePoint) -> Option<Statement> {
    let step = step_at(summary, point)?;
    let job = step_of(summary, step)?.jobs.first()?;
    let mut found = vec!["block", "mix", "read-percent", "pattern", "offsets"];
    // The key that varies along the curve is stated with each point; fixed ones, such as workers on a ladder of depths, are not.
    found.extend(curve.key.split(" x "));
    let workload = wording::workload(job, step, true);
    let settings = wording::settings(step, &found);
    Some(if settings == wording::none() {
        workload
    } else {
        Statement::new("workload-with-settings")
            .part("workload", workload)
            .part("settings", settings)
    })
}

/// `at depth 32`, `with 4 workers`, `at 4 x 16 (workers x depth)`.
fn point_key(curve: &Curve, point: &CurvePoint) -> Statement {
    match (curve.key.as_str(), point.label.parse()) {
        ("depth", _) => Statement::new("at-depth").name("depth", &point.label),
        ("workers", Ok(workers)) => Statement::new("with-workers").count("workers", workers),
        (HOSTS, Ok(hosts)) => Statement::new("with-hosts").count("hosts", hosts),
        (key, _) => Statement::new("at-swept")
            .name("value", &point.label)
            .name("key", key),
    }
}

/// The first point if it is at depth 1: the performance for an application that waits for each operation. The median alone would
/// hide a limit on the rate, which lets most operations through at once and holds up a few.
fn one_at_a_time(summary: &Summary, curve: &Curve) -> Option<Sentence> {
    let point = curve
        .points
        .first()
        .filter(|point| point.depth == Some(1.0) && point.p50_ns.is_some())?;
    let mean = point
        .mean_ns
        .map(|mean| Statement::new("mean-time").time_ns("mean", mean));
    let rate = wording::rate(point.iops?, point.iops_range, wording::iops);
    let latency = wording::latency(point.p50_ns, point.p99_ns, None)?;
    let (skew, why) = skew(step_at(summary, point)?, point).unzip();
    let statement = Statement::new("one-at-a-time")
        .part("subject", subject(summary, curve, point)?)
        .part("rate", rate)
        .part("mean", wording::optional(mean))
        .part("latency", latency)
        .part("skew", wording::optional(skew));
    let mut evidence = vec![rests_on(
        Statement::new("figure-iops"),
        wording::iops(point.iops?),
    )];
    evidence.extend(point.mean_ns.map(|mean| {
        rests_on(
            Statement::new("evidence-response-time-mean"),
            (mean, Unit::Nanoseconds),
        )
    }));
    evidence.extend(wording::latency_evidence(point.p50_ns, point.p99_ns));
    evidence.extend(why);
    Some(sentence(statement, evidence))
}

/// Ratio of mean and median from which the reason of the difference is stated.
const SKEWED: f64 = 3.0;

/// Why mean and median of a step differ by more than a factor of three, with evidence; `None` if they do not.
fn skew(step: &StepSummary, point: &CurvePoint) -> Option<(Statement, SentenceEvidence)> {
    let (mean, median) = (point.mean_ns?, point.p50_ns?);
    let longest = step.response_ns.max?;
    if median <= 0.0 || mean <= SKEWED * median {
        return None;
    }
    // Time above the median: nearly all of it, if the mean is that far off.
    let share = 100.0 * (1.0 - median / mean);
    let statement = Statement::new("few-long-operations")
        .number("times", (mean / median).round())
        .time_ns("longest", longest)
        .percent("share", share.round());
    Some((
        statement,
        rests_on(
            Statement::new("evidence-longest-operation"),
            (longest, Unit::Nanoseconds),
        ),
    ))
}

fn closed_loop(summary: &Summary, curve: &Curve) -> Option<Sentence> {
    let rungs: Vec<Rung> = curve.points.iter().filter_map(rung).collect();
    if rungs.len() != curve.points.len() {
        return None;
    }
    let found = knee(&rungs);
    let best = curve
        .points
        .iter()
        .max_by(|a, b| a.iops.unwrap_or(0.0).total_cmp(&b.iops.unwrap_or(0.0)))?;
    let point = match found {
        Knee::At(at) | Knee::ThenFalls(at) => curve.points.get(at)?,
        Knee::StillRising | Knee::Undecided => best,
    };
    let statement = Statement::new("closed-loop")
        .part("subject", subject(summary, curve, point)?)
        .part(
            "rate",
            wording::rate(point.iops?, point.iops_range, wording::iops),
        )
        .part("place", point_key(curve, point))
        .part(
            "shortfall",
            wording::shortfall(point.depth, point.achieved_depth),
        )
        .part(
            "latency",
            wording::in_brackets(wording::point_latency(point)),
        )
        .part("ending", ending(curve, found)?);
    Some(sentence(statement, ladder_evidence(curve, point, best)?))
}

/// What more load would do. "More depth" is the word where only the depth is swept.
fn ending(curve: &Curve, found: Knee) -> Option<Statement> {
    let depth = curve.key == "depth";
    let last = curve.points.last()?;
    Some(match found {
        Knee::At(_) if depth => Statement::new("more-depth-only-adds-latency"),
        Knee::At(_) => Statement::new("more-concurrency-only-adds-latency"),
        Knee::ThenFalls(_) => Statement::new(if depth {
            "more-depth-makes-it-fall"
        } else {
            "more-concurrency-makes-it-fall"
        })
        .with("rate", wording::iops(last.iops?))
        .part("place", point_key(curve, last)),
        Knee::StillRising if depth => Statement::new("more-depth-may-give-more"),
        Knee::StillRising => Statement::new("more-concurrency-may-give-more"),
        Knee::Undecided if depth => Statement::new("more-depth-undecided"),
        Knee::Undecided => Statement::new("more-concurrency-undecided"),
    })
}

fn ladder_evidence(
    curve: &Curve,
    point: &CurvePoint,
    best: &CurvePoint,
) -> Option<Vec<SentenceEvidence>> {
    let at = |point: &CurvePoint| point_key(curve, point);
    let iops = |point: &CurvePoint| {
        let what = Statement::new("evidence-iops-at").part("place", at(point));
        Some(rests_on(what, wording::iops(point.iops?)))
    };
    let mut evidence = vec![iops(point)?];
    evidence.extend(wording::range_evidence(point.iops_range, wording::iops));
    evidence.extend(wording::latency_evidence(point.p50_ns, point.p99_ns));
    if best.step != point.step {
        evidence.push(iops(best)?);
    }
    let last = curve.points.last()?;
    if let (Some(here), Some(there), true) = (point.mean_ns, last.mean_ns, last.step != point.step)
    {
        let times = [here, there].map(|time| Argument::from((time, Unit::Nanoseconds)));
        evidence.push(rests_on(
            Statement::new("evidence-mean-response-times")
                .part("first", at(point))
                .part("second", at(last)),
            Argument::List(times.to_vec()),
        ));
    }
    Some(evidence)
}

/// Like the rule rate_not_achieved: within 2 % of the requested rate, plus the scatter of a Poisson process.
fn rate_is_kept(step: &StepSummary, iops: f64) -> bool {
    step.requested_rate.is_some_and(|requested| {
        let expected = requested * step.duration_s;
        iops * step.duration_s >= 0.98 * expected - 4.0 * expected.sqrt()
    })
}

/// The highest rate that was kept, with its latency, and the first that was not.
fn open_loop(summary: &Summary, curve: &Curve) -> Option<Sentence> {
    let requested =
        |point: &CurvePoint| step_at(summary, point).and_then(|step| step.requested_rate);
    let kept = |point: &&CurvePoint| {
        let step = step_at(summary, point);
        matches!((point.iops, step), (Some(iops), Some(step)) if rate_is_kept(step, iops))
    };
    let highest = curve.points.iter().rfind(kept);
    let lost = curve.points.iter().find(|point| !kept(point));
    let named = subject(summary, curve, highest.or(lost)?)?;
    let per_s = |rate: f64| Statement::new("operations-each-second").number("rate", rate);
    let mut evidence = Vec::new();
    if let Some(point) = highest {
        let kept = Statement::new("evidence-rate-kept");
        evidence.push(rests_on(kept, per_s(point.iops?)));
        evidence.extend(wording::latency_evidence(point.p50_ns, point.p99_ns));
    }
    let mut not_kept = None;
    if let Some(point) = lost {
        evidence.push(rests_on(
            Statement::new("evidence-rate-reached").number("asked", requested(point)?),
            per_s(point.iops?),
        ));
        let statement = Statement::new("rate-lost")
            .number("asked", requested(point)?)
            .number("reached", point.iops?);
        not_kept = Some(statement);
    }
    let statement = match highest {
        Some(point) => Statement::new("rates-kept")
            .number("rate", requested(point)?)
            .part(
                "latency",
                wording::in_brackets(wording::point_latency(point)),
            ),
        None => Statement::new("no-rate-kept"),
    }
    .part("subject", named)
    .part("lost", wording::optional(not_kept));
    Some(sentence(statement, evidence))
}
