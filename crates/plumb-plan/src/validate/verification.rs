//! Can written data be recognized when it is read?

use plumb_model::target::Target;
use plumb_model::workload::{Layout, OperationKind, Pin, Workload};

use super::nowhere::is_nowhere;
use super::rule::{Group, SECTOR_BYTES, has, rule};

pub(super) const OF_VERIFY: Group = Group {
    concerns: |job| job.workload.verify,
    rules: &[
        rule("block", |job| {
            let is_short = job.workload.smallest_block_bytes() < SECTOR_BYTES;
            (is_short && job.workload.verify_as.is_none()).then(|| {
                format!(
                    "verify stores offset, count and checksum in each block, which needs at least {SECTOR_BYTES} bytes, and block = {}",
                    job.workload.block
                )
            })
        }),
        rule("verify", |job| {
            job.workload.has_file_operations().then(|| {
                format!(
                    "verify checks blocks, and the mix {} has file operations; remove one of them",
                    job.workload.mix
                )
            })
        }),
        rule("verify", |job| {
            has(job, OperationKind::Trim).then(|| {
                "the content of trimmed blocks is undefined, so verify cannot check them; remove trim from the mix".into()
            })
        }),
        rule("verify", |job| {
            has(job, OperationKind::Rewrite).then(|| {
                "verify writes its own block format, and a rewrite changes a byte of it; remove one of them".into()
            })
        }),
        rule("dedupe-percent", |job| {
            (job.workload.dedupe_percent > 0.0).then(|| {
                "verify makes every block unique, so none can repeat; remove dedupe-percent".into()
            })
        }),
        rule("verify", |job| {
            is_nowhere(job).then(|| {
                "nothing is stored on null:, so nothing can be verified; remove verify".into()
            })
        }),
    ],
};

/// The key that says how or when blocks are checked, if there is one.
fn checks(workload: &Workload) -> Option<&'static str> {
    [
        ("verify-backlog", workload.verify_backlog > 0),
        (
            "verify-backlog-batch",
            workload.verify_backlog_batch.is_some(),
        ),
        ("verify-threads", workload.verify_threads > 0),
        ("verify-pin", workload.verify_pin != Pin::No),
        ("dump-mismatches", workload.dump_mismatches.is_some()),
    ]
    .into_iter()
    .find_map(|(key, is_set)| is_set.then_some(key))
}

pub(super) const OF_VERIFY_AS: Group = Group {
    concerns: |job| {
        let workload = &job.workload;
        workload.verify_as.is_some() || workload.stop_at_mismatch || checks(workload).is_some()
    },
    rules: &[
        rule("verify", |job| {
            let key = checks(&job.workload).filter(|_| !job.workload.verify)?;
            Some(format!(
                "{key} concerns blocks that are verified; also set verify = true"
            ))
        }),
        rule("verify-backlog", |job| {
            let workload = &job.workload;
            let fits = workload
                .mix
                .0
                .iter()
                .any(|(kind, _)| *kind == OperationKind::Write)
                && workload.access.is_none()
                && workload.replay.is_none();
            (workload.verify_backlog > 0 && !fits).then(|| {
                "verify-backlog reads back what the job writes; use a mix with write, and no access specification or replay".into()
            })
        }),
        rule("verify-backlog-batch", |job| {
            let batch = job.workload.verify_backlog_batch;
            match (batch, job.workload.verify_backlog) {
                (Some(0), _) => Some("verify-backlog-batch is at least 1".into()),
                (Some(_), 0) => {
                    Some("verify-backlog-batch is a part of verify-backlog; also set that".into())
                }
                _ => None,
            }
        }),
        rule("verify-as", |job| {
            (!job.workload.verify && job.workload.verify_as.is_some())
                .then(|| "verify-as says how blocks are verified; also set verify = true".into())
        }),
        rule("stop-at-mismatch", |job| {
            (!job.workload.verify).then(|| {
                "stop-at-mismatch concerns blocks that are verified; also set verify = true".into()
            })
        }),
    ],
};

pub(super) const OF_WRITTEN_ONLY: Group = Group {
    concerns: |job| job.workload.written_only,
    rules: &[rule("written-only", |job| {
        let workload = &job.workload;
        let fits = workload.verify
            && workload.reads_blocks()
            && !workload.modifies()
            && workload.access.is_none();
        (!fits).then(|| {
            "written-only reads back blocks tracked by verify; also set verify = true and mix = read, in a step after the one that writes".into()
        })
    })],
};

pub(super) const OF_VERIFY_EXISTING: Group = Group {
    concerns: |job| job.workload.verify_existing,
    rules: &[rule("verify-existing", |job| {
        let fits = job.workload.verify && job.workload.reads_blocks();
        (!fits).then(|| {
            "verify-existing checks data that an earlier run wrote with verify; also set verify = true and a mix with reads".into()
        })
    })],
};

pub(super) const OF_PATHS: Group = Group {
    concerns: |job| job.workload.paths.is_some(),
    rules: &[
        rule("paths", |job| {
            (job.workload.layout == Layout::Own && job.workload.workers > 1).then(|| {
                "all workers access all paths; use layout = shared or stream, or one job for each"
                    .into()
            })
        }),
        rule("paths", |job| {
            let fits = matches!(job.target, Target::Path(_))
                && job.workload.replay.is_none()
                && !job.workload.has_file_operations();
            (!fits).then(|| {
                "paths are local files or devices for block reads and writes; remove it here".into()
            })
        }),
    ],
};
