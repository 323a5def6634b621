//! Which states before a step cannot be brought about? An emptied file, an empty page cache.

use plumb_model::target::Target;
use plumb_model::workload::{Job, OperationKind};

use super::nowhere::is_nowhere;
use super::rule::{Group, rule};

/// Blocks are kept on this machine.
fn is_local(job: &Job) -> bool {
    matches!(job.target, Target::Path(_)) && !is_nowhere(job)
}

/// Blocks are kept in files on a share that plumb speaks to by itself.
fn is_on_share(job: &Job) -> bool {
    let remote = job.target.remote();
    remote.is_some_and(|remote| remote.scheme.is_share()) && !is_nowhere(job)
}

/// `fresh` empties the file before the step: what the step does must need nothing of what was in it.
pub(super) const OF_FRESH: Group = Group {
    concerns: |job| job.workload.fresh,
    rules: &[
        rule("fresh", |job| {
            (!is_local(job) && !is_on_share(job)).then(|| {
                format!(
                    "fresh empties a file, and {} with engine {} has none that could be emptied: leave fresh out",
                    job.target, job.engine.engine
                )
            })
        }),
        rule("fresh", |job| {
            let workload = &job.workload;
            let (time, bytes, operations) = (workload.time, workload.bytes, workload.operations);
            let may_end_before = time.is_some() || bytes.is_some() || operations.is_some();
            (is_on_share(job) && (workload.passes.is_none() || may_end_before)).then(|| {
                "fresh empties the file, and a server does not tell which blocks of it were written afterwards: on a share, end the step by passes alone, or leave fresh out".into()
            })
        }),
        rule("fresh", |job| {
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| *kind);
            let other =
                kinds.find(|kind| !matches!(kind, OperationKind::Write | OperationKind::Flush))?;
            Some(format!(
                "fresh empties the file, which leaves nothing to {other}: write mix = write, or leave fresh out"
            ))
        }),
        rule("start", |job| {
            let start = job.workload.start;
            (start.0 > 0).then(|| {
                format!("fresh empties the whole file, also what lies before start = {start}: leave one of them out")
            })
        }),
        rule("verify", |job| {
            job.workload.verify.then(|| {
                "verify keeps account of every block that was written, and fresh throws them away: leave one of them out".into()
            })
        }),
    ],
};

pub(super) const OF_PREALLOCATE: Group = Group {
    concerns: |job| job.workload.preallocate,
    rules: &[
        rule("preallocate", |job| {
            let fits = job.workload.fresh || job.workload.unfilled;
            (!fits).then(|| {
            "preallocate allocates what is not filled: write fresh = true or unfilled = true beside it, or leave it out".into()
        })
        }),
        rule("preallocate", |job| {
            is_on_share(job).then(|| {
            format!("preallocate allocates blocks by fallocate(2), which {} is not asked for: leave it out", job.target)
        })
        }),
    ],
};

/// `unfilled` leaves a new file without content: what the step does must need nothing of it.
pub(super) const OF_UNFILLED: Group = Group {
    concerns: |job| job.workload.unfilled,
    rules: &[
        rule("unfilled", |job| {
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| *kind);
            let other =
                kinds.find(|kind| !matches!(kind, OperationKind::Write | OperationKind::Flush))?;
            Some(format!(
                "unfilled leaves a new file without content, and {other} needs some: write mix = write, or leave unfilled out"
            ))
        }),
        rule("fresh", |job| {
            job.workload
                .fresh
                .then(|| "fresh empties what unfilled takes as it is: leave one of them out".into())
        }),
    ],
};

/// `until-full` writes to the last free byte.
pub(super) const OF_UNTIL_FULL: Group = Group {
    concerns: |job| job.workload.until_full,
    rules: &[rule("until-full", |job| {
        let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| *kind);
        let fills = kinds.all(|kind| matches!(kind, OperationKind::Write | OperationKind::Flush))
            && is_local(job)
            && !job.engine.maps_files()
            && !job.workload.fresh;
        (!fills).then(|| {
            "until-full writes files of this machine until their file system is full: write mix = write and an engine other than mmap, and leave fresh out; or leave until-full out".into()
        })
    })],
};

/// `cold` drops pages of files and devices of this machine.
pub(super) const OF_COLD: Group = Group {
    concerns: |job| job.workload.cold,
    rules: &[
        rule("cold", |job| {
            // What plumb reads of a share by itself is never in the page cache of this machine: the step begins cold by itself.
            (!is_local(job) && !is_on_share(job)).then(|| match job.target.remote() {
                Some(remote) => format!("cold drops pages of this machine's page cache, and {remote} has none there: leave cold out"),
                None => "nothing of null is in the page cache: leave cold out".into(),
            })
        }),
        rule("cold", |job| {
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| kind);
            kinds.all(|kind| kind.is_file_operation()).then(|| {
                format!(
                    "cold drops the pages of blocks; names and attributes, which {} works on, stay in other caches of the kernel: leave cold out",
                    job.workload.mix
                )
            })
        }),
    ],
};

/// `pre-read` brings blocks of this machine into its page cache.
pub(super) const OF_PRE_READ: Group = Group {
    concerns: |job| job.workload.pre_read,
    rules: &[
        rule("pre-read", |job| {
            (!is_local(job) || !job.workload.moves_blocks()).then(|| {
                format!("pre-read reads files and devices of this machine into its page cache, and {} with mix = {} has none: leave pre-read out", job.target, job.workload.mix)
            })
        }),
        rule("pre-read", |job| {
            let workload = &job.workload;
            let other = [("cold", workload.cold), ("fresh", workload.fresh)];
            let (key, _) = other.iter().find(|(_, is_on)| *is_on)?;
            Some(format!(
                "pre-read fills the page cache with what {key} throws away: leave one of them out"
            ))
        }),
    ],
};
