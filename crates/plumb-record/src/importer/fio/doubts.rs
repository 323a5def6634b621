//! What must a reader of fio's figures know before trusting them?

use plumb_model::statement::Statement;
use plumb_model::workload::operation::OperationKind;

use super::errors::error_name;
use super::format::{LAST_BUCKET_NS, Times};
use super::jobs::{Job, Work};
use crate::importer::RunBuilder;

/// Adds the doubts about a job; `workers`: the number it ran with.
pub(super) fn doubts_of(builder: &mut RunBuilder, job: &Job, workers: u32) {
    let name = &job.name;
    if job.requested_jobs > 1 && workers == job.requested_jobs && job.entries == 1 {
        builder.doubt(Statement::new("fio-sum-of-group").name("name", name));
    }
    if job.entries > 1 {
        builder.doubt(
            Statement::new("fio-jobs-added-up")
                .count("count", u64::from(job.entries))
                .name("name", name),
        );
    }
    if job.work.iter().all(|(_, work)| work.count == 0) {
        builder.doubt(Statement::new("fio-job-did-nothing").name("name", name));
    }
    let flushes = job
        .work
        .iter()
        .find(|(kind, _)| *kind == Some(OperationKind::Flush));
    if flushes.is_some_and(|(_, work)| work.count == 0) {
        builder.doubt(Statement::new("fio-flushes-not-counted").name("name", name));
    }
    if flushes.is_none()
        && job.workload.fsync_every > 0
        && job
            .work
            .iter()
            .any(|(kind, _)| *kind == Some(OperationKind::Write))
    {
        builder.doubt(Statement::new("fio-flushes-not-timed").name("name", name));
    }
    if job.errors > 0 {
        builder.doubt(
            Statement::new("fio-job-had-errors")
                .name("name", name)
                .name("error", error_name(job.error)),
        );
    }
    if let Some((criterion, false)) = &job.steady {
        builder.doubt(
            Statement::new("fio-not-steady")
                .name("name", name)
                .name("criterion", criterion),
        );
    }
    for (kind, work) in &job.work {
        doubts_of_direction(builder, name, *kind, work);
    }
}

fn doubts_of_direction(
    builder: &mut RunBuilder,
    name: &str,
    kind: Option<OperationKind>,
    work: &Work,
) {
    let what = kind.map_or("all operations", OperationKind::word);
    if kind.is_none() {
        builder.doubt(Statement::new("fio-directions-as-one").name("name", name));
    }
    if kind.is_some_and(|kind| kind != OperationKind::Flush)
        && distributed(&work.clat)
        && !distributed(&work.lat)
    {
        builder.doubt(Statement::new("fio-clat-only"));
    }
    let clipped = |times: &Times| {
        let last = times.percentiles.0.last().map(|(_, ns)| *ns).or(times
            .bins
            .0
            .as_ref()
            .and_then(|bins| bins.max_ns())
            .map(|ns| ns as f64));
        last.is_some_and(|last| last >= LAST_BUCKET_NS)
            && times.max.0.is_some_and(|max| max > 1.01 * LAST_BUCKET_NS)
    };
    if clipped(&work.clat) || clipped(&work.lat) {
        builder.doubt(
            Statement::new("fio-percentiles-end")
                .name("name", name)
                .name("what", what),
        );
    }
    if work.dropped > 0 {
        builder.doubt(
            Statement::new("fio-operations-dropped")
                .name("name", name)
                .name("what", what)
                .count("count", work.dropped),
        );
    }
}

/// True if the times have a distribution.
pub(super) fn distributed(times: &Times) -> bool {
    times.bins.0.is_some() || !times.percentiles.0.is_empty()
}
