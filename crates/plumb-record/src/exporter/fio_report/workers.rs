//! What did each worker of a job do individually? From the totals that each worker reports at its end.

use std::collections::BTreeMap;

use plumb_model::results::summary::{Latency, OperationSummary};
use plumb_model::run::histogram::Histogram;
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

/// Operations of one worker and their duration; `None` if the part is not one worker.
pub fn worker_operations(
    part: &RunPart,
    ends: &[&WorkerEnd],
) -> Option<(BTreeMap<String, OperationSummary>, f64)> {
    part.worker?;
    let span = |end: &&WorkerEnd| end.end_ns.saturating_sub(end.start_ns) as f64 / 1e9;
    let duration_s: f64 = ends.iter().map(span).sum();
    let mut operations: BTreeMap<String, OperationSummary> = BTreeMap::new();
    for of in ends.iter().flat_map(|end| &end.kinds) {
        let figures = operations.entry(of.kind.word().to_string()).or_default();
        figures.count += of.count;
        figures.bytes += of.bytes;
        for (error, count) in &of.errors {
            *figures.errors_by_kind.entry(error.clone()).or_default() += count;
        }
        let latency = |histogram: &Histogram| Latency {
            count: histogram.count(),
            min: histogram.min_ns().map(|ns| ns as f64),
            mean: histogram.mean_ns(),
            max: histogram.max_ns().map(|ns| ns as f64),
            ..Latency::default()
        };
        figures.service_ns = latency(&of.service);
        let split = of.split.as_ref();
        figures.submission_ns = split.map(|split| latency(&split.submission));
        figures.completion_ns = split.map(|split| latency(&split.completion));
        figures.response_ns = latency(of.response.as_ref().unwrap_or(&of.service));
    }
    for figures in operations.values_mut().filter(|_| duration_s > 0.0) {
        figures.iops = Some(figures.count as f64 / duration_s);
        figures.bandwidth_bytes_per_s = Some(figures.bytes as f64 / duration_s);
    }
    Some((operations, duration_s))
}

/// The sum of all; missing if one of them is unknown, or there are none.
pub fn sum(values: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let mut values = values.peekable();
    values.peek()?;
    values.try_fold(0u64, |sum, value| Some(sum.saturating_add(value?)))
}
