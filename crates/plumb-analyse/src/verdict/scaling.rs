//! What do ladders of depths and workers show about scaling? The smallest saturating load, the peak of throughput, and depths not achieved.

use plumb_model::results::scaling::{EnoughLoad, Scaling, ScalingPoint};
use plumb_model::results::summary::{SentenceEvidence, Summary};
use plumb_model::statement::{Statement, Unit};

use super::ladders::subject;
use super::part::{Part, sentence};
use super::wording;
use crate::phrases::rests_on;
use crate::plots::curves::throughput_latency;
use crate::statistics::universal_scalability::POINTS_MIN;

/// Ladders up to which each has a sentence; the page has them all.
const FEW: usize = 4;

/// One sentence for each ladder that is long enough to be fitted.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let long = || {
        summary
            .scaling
            .iter()
            .filter(|scaling| scaling.points.len() >= POINTS_MIN)
    };
    if long().count() > FEW {
        return Vec::new();
    }
    long()
        .filter_map(|scaling| part(summary, scaling))
        .collect()
}

fn part(summary: &Summary, scaling: &Scaling) -> Option<Part> {
    let curves = throughput_latency(summary);
    let curve = curves
        .iter()
        .find(|curve| curve.group == scaling.group && curve.key == scaling.key)?;
    let enough = scaling.enough.as_ref()?;
    let statement = Statement::new("scaling")
        .part("subject", subject(summary, curve, curve.points.first()?)?)
        .part("smallest", smallest(scaling, enough))
        .part("law", law(scaling))
        .part("misfit", wording::optional(misfit(&scaling.points)));
    Some(Part {
        steps: scaling.points.iter().map(|point| point.step).collect(),
        sentences: vec![sentence(statement, evidence(scaling, enough))],
    })
}

/// `smallest depth that reaches 95 % of the maximum: 32 (16 to 32 in single rounds)`.
fn smallest(scaling: &Scaling, enough: &EnoughLoad) -> Statement {
    let rounds = enough.in_rounds.as_ref().map(|(low, high)| {
        Statement::new("smallest-in-rounds")
            .name("low", low)
            .name("high", high)
    });
    let last = enough
        .is_last
        .then(|| Statement::new("smallest-is-the-greatest-tried"));
    let (is_depth, is_workers) = (scaling.key == "depth", scaling.key == "workers");
    Statement::new(match (is_depth, is_workers) {
        (true, _) => "smallest-depth",
        (_, true) => "smallest-workers",
        _ => "smallest-load",
    })
    .name("key", &scaling.key)
    .name("value", &enough.label)
    .part("rounds", wording::optional(rounds))
    .part("last", wording::optional(last))
}

fn law(scaling: &Scaling) -> Statement {
    let found = scaling.law.as_ref();
    if let Some((low, high)) = found.and_then(|law| law.peak_interval) {
        return Statement::new("scaling-peak")
            .number("low", low)
            .number("high", high);
    }
    if let Some(above) = found.and_then(|law| law.peak_above) {
        return Statement::new("scaling-no-peak").number("above", above);
    }
    match &scaling.law_withheld {
        Some(why) => Statement::new("scaling-law-withheld").part("why", why.clone()),
        None => wording::none(),
    }
}

/// The step whose concurrency is farthest from the requested one.
fn misfit(points: &[ScalingPoint]) -> Option<Statement> {
    let apart = |point: &ScalingPoint| {
        let ratio = point.concurrency.unwrap_or(point.requested) / point.requested;
        ratio.ln().abs()
    };
    let misfits = || points.iter().filter(|point| point.fits == Some(false));
    let worst = misfits().max_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    Some(
        Statement::new("scaling-misfit")
            .count("steps", misfits().count() as u64)
            .name("value", &worst.label)
            .number("concurrency", worst.concurrency?)
            .number("asked", worst.requested),
    )
}

fn evidence(scaling: &Scaling, enough: &EnoughLoad) -> Vec<SentenceEvidence> {
    let mut evidence = vec![rests_on(
        Statement::new("evidence-of-maximum"),
        (enough.of_maximum_percent, Unit::Percent),
    )];
    if let Some(bounds) = &scaling.bounds {
        let time = (bounds.unloaded_ns, Unit::Nanoseconds);
        evidence.push(rests_on(Statement::new("evidence-unloaded-time"), time));
        evidence.push(rests_on(
            Statement::new("evidence-bounds-meet"),
            bounds.knee,
        ));
    }
    if let Some(law) = &scaling.law {
        evidence.push(rests_on(
            Statement::new("evidence-law-parameters"),
            Statement::new("law-parameters")
                .with("one", wording::iops(law.one_per_s))
                .number("contention", law.contention)
                .number("coherency", law.coherency),
        ));
        let deviation = (law.deviation_percent, Unit::Percent);
        evidence.push(rests_on(
            Statement::new("evidence-law-deviation"),
            deviation,
        ));
    }
    evidence
}
