//! What did each worker of a job do individually? From the totals that each worker reports at its end.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use plumb_model::results::summary::{Latency, OperationSummary};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::KindTick;
use plumb_model::run::worker_end::WorkerEnd;

use super::entry::RunPart;
use crate::exporter::Subject;

/// The totals of the workers of a part, in all its executions.
pub fn ends<'s>(
    subject: &'s Subject<'_>,
    part: &RunPart,
    executions: &[u32],
) -> Vec<&'s WorkerEnd> {
    let of = |execution: &u32| subject.run.worker_ends(*execution, part.job);
    let all = executions.iter().flat_map(of);
    all.filter(|(worker, _)| {
        part.worker
            .is_none_or(|worker_number| worker_number == *worker)
    })
    .map(|(_, end)| end)
    .collect()
}

/// Operations of a worker and their bytes with those in flight when its time was over, which only its histograms have: the bytes of blocks of one size.
fn with_drained(of: &KindTick) -> (u64, u64) {
    match of.service.count().checked_sub(of.count) {
        Some(more @ 1..) if of.count > 0 && of.bytes.is_multiple_of(of.count) => {
            (of.count + more, of.bytes + more * (of.bytes / of.count))
        }
        _ => (of.count, of.bytes),
    }
}

/// Operations of one worker and their duration, with the time in which the last ones were in flight; `None` if the part is not one worker.
pub fn worker_operations(
    part: &RunPart,
    ends: &[&WorkerEnd],
    drained_s: f64,
) -> Option<(BTreeMap<String, OperationSummary>, f64)> {
    part.worker?;
    let span = |end: &&WorkerEnd| end.end_ns.saturating_sub(end.start_ns) as f64 / 1e9;
    let duration_s = ends.iter().map(span).sum::<f64>() + drained_s;
    let mut operations: BTreeMap<String, OperationSummary> = BTreeMap::new();
    let latency = |histogram: &Histogram| Latency {
        count: histogram.count(),
        min: histogram.min_ns().map(|ns| ns as f64),
        mean: histogram.mean_ns(),
        max: histogram.max_ns().map(|ns| ns as f64),
        ..Latency::default()
    };
    for of in ends.iter().flat_map(|end| &end.kinds) {
        let split = of.split.as_ref();
        let (count, bytes) = with_drained(of);
        let figures = OperationSummary {
            count,
            bytes,
            errors: of.errors.values().sum(),
            errors_by_kind: of.errors.clone(),
            service_ns: latency(&of.service),
            submission_ns: split.map(|split| latency(&split.submission)),
            completion_ns: split.map(|split| latency(&split.completion)),
            response_ns: latency(of.response.as_ref().unwrap_or(&of.service)),
            ..OperationSummary::default()
        };
        match operations.entry(of.kind.word().to_string()) {
            Entry::Vacant(entry) => {
                entry.insert(figures);
            }
            Entry::Occupied(mut entry) => join(entry.get_mut(), &figures),
        }
    }
    for figures in operations.values_mut().filter(|_| duration_s > 0.0) {
        figures.iops = Some(figures.count as f64 / duration_s);
        figures.bandwidth_bytes_per_s = Some(figures.bytes as f64 / duration_s);
    }
    Some((operations, duration_s))
}

/// Consecutive steps of one part: usually each kind of operation occurs in only one of them.
pub fn join(sum: &mut OperationSummary, figures: &OperationSummary) {
    if sum.count == 0 && sum.iops.is_none() {
        *sum = figures.clone();
        return;
    }
    let seconds = |of: &OperationSummary| {
        of.iops
            .filter(|iops| *iops > 0.0)
            .map(|iops| of.count as f64 / iops)
    };
    let total = seconds(sum).zip(seconds(figures)).map(|(a, b)| a + b);
    sum.count += figures.count;
    sum.bytes += figures.bytes;
    sum.errors += figures.errors;
    for (error, count) in &figures.errors_by_kind {
        *sum.errors_by_kind.entry(error.clone()).or_default() += count;
    }
    sum.iops = total.map(|seconds| sum.count as f64 / seconds);
    sum.bandwidth_bytes_per_s = total.map(|seconds| sum.bytes as f64 / seconds);
    (sum.service_ns, sum.response_ns) = (Latency::default(), Latency::default());
    (sum.submission_ns, sum.completion_ns) = (None, None);
}

/// The sum of all; missing if one of them is unknown, or there are none.
pub fn sum(values: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let mut values = values.peekable();
    values.peek()?;
    values.try_fold(0u64, |sum, value| Some(sum.saturating_add(value?)))
}
