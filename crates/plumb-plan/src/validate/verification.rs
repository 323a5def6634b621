//! Can what is written be recognised when it is read?

use plumb_model::target::Target;
use plumb_model::workload::{Layout, OperationKind};

use super::nowhere::is_nowhere;
use super::rule::{Group, SECTOR_BYTES, has, rule};

pub(super) const OF_VERIFY: Group = Group {
    concerns: |job| job.workload.verify,
    rules: &[
        rule("block", |job| {
            (job.workload.smallest_block_bytes() < SECTOR_BYTES).then(|| {
                format!(
                    "verify keeps place, count and checksum in each block: at least {SECTOR_BYTES} bytes, and block = {}",
                    job.workload.block
                )
            })
        }),
        rule("verify", |job| {
            job.workload.has_file_operations().then(|| {
                format!(
                    "verify checks blocks, and the mix {} has operations on files: leave one of them out",
                    job.workload.mix
                )
            })
        }),
        rule("verify", |job| {
            has(job, OperationKind::Trim).then(|| {
                "verify cannot know what a trimmed block holds: leave trim out of the mix".into()
            })
        }),
        rule("verify", |job| {
            has(job, OperationKind::Rewrite).then(|| {
                "verify writes blocks that it can recognise, and a rewrite changes a byte of what it finds: leave one of them out".into()
            })
        }),
        rule("dedupe-percent", |job| {
            (job.workload.dedupe_percent > 0.0).then(|| {
                "verify makes every block unique, so none can repeat another: leave dedupe-percent out".into()
            })
        }),
        rule("verify", |job| {
            is_nowhere(job).then(|| {
                "nothing is stored on null, so nothing can be verified: leave verify out".into()
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
            "written-only reads back what verify keeps account of: write verify = true and mix = read beside it, in a step after the one that writes".into()
        })
    })],
};

pub(super) const OF_VERIFY_EXISTING: Group = Group {
    concerns: |job| job.workload.verify_existing,
    rules: &[rule("verify-existing", |job| {
        let fits = job.workload.verify && job.workload.reads_blocks();
        (!fits).then(|| {
            "verify-existing checks what an earlier run wrote with verify: write verify = true and a mix with reads beside it".into()
        })
    })],
};

pub(super) const OF_PATHS: Group = Group {
    concerns: |job| job.workload.paths.is_some(),
    rules: &[
        rule("paths", |job| {
            (job.workload.layout == Layout::Own && job.workload.workers > 1).then(|| {
                "all workers go over all paths: write layout = shared or stream, or a job for each"
                    .into()
            })
        }),
        rule("paths", |job| {
            let fits = matches!(job.target, Target::Path(_))
                && job.workload.replay.is_none()
                && !job.workload.has_file_operations();
            (!fits).then(|| {
                "paths are files or devices of this machine that blocks are read from and written to: leave it out here"
                    .into()
            })
        }),
    ],
};
