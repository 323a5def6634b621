//! Which states before a step are impossible? A truncated file, an empty page cache.

use plumb_model::target::Target;
use plumb_model::workload::{AccessHint, Job, Offsets, OperationKind};

use super::nowhere::is_nowhere;
use super::rule::{Group, rule};

/// Blocks are stored on this machine.
fn is_local(job: &Job) -> bool {
    matches!(job.target, Target::Path(_)) && !is_nowhere(job)
}

/// Blocks are stored in files on a share that plumb accesses itself.
fn is_on_share(job: &Job) -> bool {
    let remote = job.target.remote();
    remote.is_some_and(|remote| remote.scheme.is_share()) && !is_nowhere(job)
}

/// `fresh` truncates the file before the step: the step must not need its content.
pub(super) const OF_FRESH: Group = Group {
    concerns: |job| job.workload.fresh,
    rules: &[
        rule("fresh", |job| {
            (!is_local(job) && !is_on_share(job)).then(|| {
                format!(
                    "fresh truncates a file, and {} with engine {} has none; remove fresh",
                    job.target, job.engine.engine
                )
            })
        }),
        rule("fresh", |job| {
            let workload = &job.workload;
            let (time, bytes, operations) = (workload.time, workload.bytes, workload.operations);
            let may_end_before = time.is_some() || bytes.is_some() || operations.is_some();
            (is_on_share(job) && (workload.passes.is_none() || may_end_before)).then(|| {
                "fresh truncates the file, and a server does not show which blocks were written afterwards; on a share, end the step only with passes, or remove fresh".into()
            })
        }),
        rule("fresh", |job| {
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| *kind);
            let other =
                kinds.find(|kind| !matches!(kind, OperationKind::Write | OperationKind::Flush))?;
            Some(format!(
                "fresh truncates the file, which leaves nothing to {other}; use mix = write, or remove fresh"
            ))
        }),
        rule("start", |job| {
            let start = job.workload.start;
            (start.0 > 0).then(|| {
                format!("fresh truncates the entire file, including the part before start = {start}; remove one of them")
            })
        }),
        rule("verify", |job| {
            job.workload.verify.then(|| {
                "verify tracks every written block, and fresh discards them; remove one of them"
                    .into()
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
            "preallocate is for files that are not filled; also set fresh = true or unfilled = true, or remove it".into()
        })
        }),
        rule("preallocate", |job| {
            is_on_share(job).then(|| {
            format!("preallocate allocates blocks with fallocate(2), which is not supported on {}; remove it", job.target)
        })
        }),
    ],
};

/// `unfilled` leaves a new file without content: the step must not need any.
pub(super) const OF_UNFILLED: Group = Group {
    concerns: |job| job.workload.unfilled,
    rules: &[
        rule("unfilled", |job| {
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| *kind);
            let other =
                kinds.find(|kind| !matches!(kind, OperationKind::Write | OperationKind::Flush))?;
            Some(format!(
                "unfilled leaves a new file without content, and {other} needs some; use mix = write, or remove unfilled"
            ))
        }),
        rule("fresh", |job| {
            job.workload.fresh.then(|| {
                "fresh truncates the file that unfilled uses unchanged; remove one of them".into()
            })
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
            "until-full writes local files until their file system is full; use mix = write and an engine other than mmap, and remove fresh; or remove until-full".into()
        })
    })],
};

/// `cold` drops pages of local files and devices.
pub(super) const OF_COLD: Group = Group {
    concerns: |job| job.workload.cold,
    rules: &[
        rule("cold", |job| {
            // What plumb reads from a share itself is never in the local page cache: the step is always cold.
            (!is_local(job) && !is_on_share(job)).then(|| match job.target.remote() {
                Some(remote) => format!("cold drops pages from the local page cache, and {remote} has none there; remove cold"),
                None => "null: has no pages in the page cache; remove cold".into(),
            })
        }),
        rule("cold", |job| {
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| kind);
            kinds.all(|kind| kind.is_file_operation()).then(|| {
                format!(
                    "cold drops data pages; names and attributes, which {} uses, stay in other kernel caches; remove cold",
                    job.workload.mix
                )
            })
        }),
    ],
};

/// `cold-passes` needs pages that were dropped at the start, and passes.
pub(super) const OF_COLD_PASSES: Group = Group {
    concerns: |job| job.workload.cold_passes,
    rules: &[
        rule("cold-passes", |job| {
            (!job.workload.cold).then(|| {
                "cold-passes continues cold, which is off; set cold = true too, or remove cold-passes".into()
            })
        }),
        rule("cold-passes", |job| {
            let draws = job.workload.offsets == Offsets::RandomWithReplacement;
            let is_endless = draws || job.workload.replay.is_some();
            is_endless.then(|| {
                "cold-passes drops pages before each pass over the target, and this load has no passes; use offsets = random or sequential, or remove cold-passes".into()
            })
        }),
    ],
};

/// `access-hint` is for the page cache of local files and devices.
pub(super) const OF_ACCESS_HINT: Group = Group {
    concerns: |job| job.workload.access_hint != AccessHint::None,
    rules: &[rule("access-hint", |job| {
        (!is_local(job) || !job.workload.moves_blocks()).then(|| {
            format!("access-hint is for blocks in the page cache of local files and devices, and {} with mix = {} has none; remove access-hint", job.target, job.workload.mix)
        })
    })],
};

/// `pre-read` reads local blocks into the page cache.
pub(super) const OF_PRE_READ: Group = Group {
    concerns: |job| job.workload.pre_read,
    rules: &[
        rule("pre-read", |job| {
            (!is_local(job) || !job.workload.moves_blocks()).then(|| {
                format!("pre-read reads local files and devices into the page cache, and {} with mix = {} has none; remove pre-read", job.target, job.workload.mix)
            })
        }),
        rule("pre-read", |job| {
            let workload = &job.workload;
            let other = [("cold", workload.cold), ("fresh", workload.fresh)];
            let (key, _) = other.iter().find(|(_, is_on)| *is_on)?;
            Some(format!(
                "pre-read fills the page cache with pages that {key} drops; remove one of them"
            ))
        }),
    ],
};
