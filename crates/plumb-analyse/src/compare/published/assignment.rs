//! Matched which step does each published figure stand? One step, or the steps that it is a mean over; never two tests.

use std::cmp::Reverse;

use plumb_model::results::comparison::compared_metric;
use plumb_model::results::reference::{PublishedFigure, PublishedWork, Reference};
use plumb_model::statement::Statement;
use plumb_model::workload::{Job, Pin};

use crate::compare::figures::Measured;
use crate::compare::published::fit::{in_flight, misfits};
use crate::phrases::clauses;

/// Where a figure stands in a run.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::compare) enum Matched {
    /// Matched this step; `others` fit as well.
    Step { step: usize, others: Vec<usize> },
    /// Matched the mean of these steps.
    Mean(Vec<usize>),
    /// Matched none, and why.
    None(Statement),
}

/// The place of every figure of the reference, in their order.
pub(in crate::compare) fn assignment(reference: &Reference, measured: &Measured) -> Vec<Matched> {
    reference
        .figures
        .iter()
        .map(|figure| matched_step(figure, reference, measured))
        .collect()
}

fn matched_step(figure: &PublishedFigure, reference: &Reference, measured: &Measured) -> Matched {
    if figure.value.is_none() {
        return Matched::None(Statement::new("publication-has-no-value"));
    }
    if figure.metric.as_deref().and_then(compared_metric).is_none() {
        return Matched::None(Statement::new("no-such-figure-is-compared"));
    }
    let Some(work) = &figure.work else {
        return Matched::None(Statement::new("no-workload-does-this"));
    };
    let steps = &measured.run.header.plan.steps;
    let mut fitting = Vec::new();
    let mut nearest: Option<(usize, Vec<Statement>)> = None;
    for index in 0..steps.len() {
        let engine = measured
            .engines(index)
            .and_then(|engines| engines.values().next().copied());
        match misfits(figure, reference, measured.run, index, engine) {
            None => {}
            Some(differing) if differing.is_empty() => fitting.push(index),
            Some(differing) => {
                let fewer = |(_, held): &(usize, Vec<Statement>)| differing.len() < held.len();
                if nearest.as_ref().is_none_or(fewer) {
                    nearest = Some((index, differing));
                }
            }
        }
    }
    if work.mean && !fitting.is_empty() {
        return Matched::Mean(fitting);
    }
    let job = |index: &usize| steps.get(*index).and_then(|step| step.jobs.first());
    fitting.sort_by_key(|index| job(index).map(|job| preference(work, job)));
    match (fitting.split_first(), nearest) {
        (Some((step, others)), _) => Matched::Step {
            step: *step,
            others: others.to_vec(),
        },
        (None, Some((index, differing))) => Matched::None(
            Statement::new("nearest-step-differs-from-published")
                .name("step", steps.get(index).map_or("", |step| &step.name))
                .part("differences", clauses(differing)),
        ),
        (None, None) => match &work.test {
            Some(test) => {
                Matched::None(Statement::new("no-step-stands-for").name("test", test.as_str()))
            }
            None => Matched::None(Statement::new("no-step-did-this-work")),
        },
    }
}

/// Which of several steps that fit is taken, the least first: workers that are not pinned, as published figures are unless they say so; the fewest
/// operations in flight where a figure holds from some depth on, else the most; then the most workers, and the largest block.
fn preference(
    work: &PublishedWork,
    job: &Job,
) -> (bool, Reverse<i128>, Reverse<u32>, Reverse<u64>) {
    let workload = &job.workload;
    let depth = i128::from(in_flight(workload));
    (
        workload.pin != Pin::No,
        Reverse(if work.depth_from.is_some() {
            -depth
        } else {
            depth
        }),
        Reverse(workload.workers),
        Reverse(workload.largest_block_bytes()),
    )
}
