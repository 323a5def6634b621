//! Which states before a step cannot be brought about? An emptied file, an empty page cache.

use super::misfit::{Misfit, misfit};
use super::nowhere::is_nowhere;
use plumb_model::target::Target;
use plumb_model::workload::{Job, OperationKind};

/// `fresh` empties the file before the step: what the step does must need nothing of what was in it.
pub(super) fn fresh(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    if !workload.fresh {
        return None;
    }
    let other = workload
        .mix
        .0
        .iter()
        .map(|(kind, _)| *kind)
        .find(|kind| !matches!(kind, OperationKind::Write | OperationKind::Flush));
    misfit(!matches!(job.target, Target::Path(_)) || is_nowhere(job), "fresh", || {
        format!(
            "fresh empties a file, and {} with engine {} has none that could be emptied: leave fresh out",
            job.target, job.engine.engine
        )
    })
    .or_else(|| {
        other
            .map(|kind| ("fresh", format!("fresh empties the file, which leaves nothing to {kind}: write mix = write, or leave fresh out")))
    })
    .or_else(|| {
        misfit(workload.start.0 > 0, "start", || {
            format!("fresh empties the whole file, also what lies before start = {}: leave one of them out", workload.start)
        })
    })
    .or_else(|| {
        misfit(workload.verify, "verify", || {
            "verify keeps account of every block that was written, and fresh throws them away: leave one of them out".into()
        })
    })
}

/// `cold` drops pages of files and devices of this machine.
pub(super) fn cold(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    if !workload.cold {
        return None;
    }
    misfit(!matches!(job.target, Target::Path(_)) || is_nowhere(job), "cold", || match job.target.remote() {
        Some(remote) => format!("cold drops pages of this machine's page cache, and {remote} is read past it: leave cold out"),
        None => "nothing of null is in the page cache: leave cold out".into(),
    })
    .or_else(|| {
        misfit(workload.mix.0.iter().all(|(kind, _)| kind.is_file_operation()), "cold", || {
            format!(
                "cold drops the pages of blocks; names and attributes, which {} works on, stay in other caches of the kernel: leave cold out",
                workload.mix
            )
        })
    })
}
