//! Can ranks on many hosts share the target of a job, and can workers share a file of segments?

use plumb_model::units::Bytes;
use plumb_model::workload::{FilesOf, Layout, Offsets, RankSharing};

use super::rule::{Group, rule};

pub(super) const OF_TOGETHER: Group = Group {
    concerns: |job| job.workload.ranks == RankSharing::Together,
    rules: &[
        rule("layout", |job| {
            (job.workload.layout == Layout::Stream).then(|| {
                "layout = stream distributes offsets within one process; with ranks = together use layout = shared or own".into()
            })
        }),
        rule("verify", |job| {
            job.workload.verify.then(|| {
                "verify tracks the writes of one process, but with ranks = together others write too; use ranks = each, or remove verify".into()
            })
        }),
        rule("keep", |job| {
            job.workload.keep.then(|| {
                "files that ranks share are not kept for later runs; remove keep, or give an existing file".into()
            })
        }),
        rule("paths", |job| {
            job.workload.paths.is_some().then(|| {
                "ranks share one file, a file for each worker, or a tree of files, not a list of paths; remove paths or ranks = together".into()
            })
        }),
        rule("replay", |job| {
            job.workload.replay.is_some().then(|| {
                "each rank would replay the entire log on the same file; remove replay or ranks = together".into()
            })
        }),
        rule("until-full", |job| {
            job.workload.until_full.then(|| {
                "until-full writes until the file system is full, and needs ranks = each; remove one of them".into()
            })
        }),
    ],
};

pub(super) const OF_FILES_OF: Group = Group {
    concerns: |job| job.workload.files_of != FilesOf::Own,
    rules: &[rule("files-of", |job| {
        (job.workload.ranks != RankSharing::Together).then(|| {
            "files-of selects the part of another rank, but with ranks = each there is no common set of files; use ranks = together".into()
        })
    })],
};

pub(super) const OF_SEGMENTS: Group = Group {
    concerns: |job| job.workload.segment_block.is_some(),
    rules: &[
        rule("segment-block", |job| {
            (job.workload.layout != Layout::Shared).then(|| {
                "segments are in one file that all workers share; use layout = shared, or remove segment-block".into()
            })
        }),
        rule("segment-block", |job| {
            job.workload.zone_size.is_some().then(|| {
                "in a file of segments the blocks of a worker are its zones; remove zone-size or segment-block".into()
            })
        }),
        rule("segment-block", |job| {
            let workload = &job.workload;
            let goes_by_zones = matches!(
                workload.offsets,
                Offsets::Sequential | Offsets::Random | Offsets::RandomWithReplacement
            );
            let has_own = workload.access.is_some() || workload.replay.is_some();
            (!goes_by_zones || has_own).then(|| {
                "segments need offsets = sequential, random or random-with-replacement; use one of these, or remove segment-block".into()
            })
        }),
        rule("segment-block", |job| {
            let (block, unit) = (
                job.workload.segment_block?,
                job.workload.offset_unit_bytes().max(1),
            );
            let is_multiple = block.0 > 0 && block.0.is_multiple_of(unit);
            (!is_multiple).then(|| {
                format!(
                    "segment-block consists of full blocks, and {block} is not a multiple of {}; change one of them",
                    Bytes(unit)
                )
            })
        }),
        rule("segment-block", |job| {
            let (block, size) = (job.workload.segment_block?, job.workload.size?);
            let segment = block.0.checked_mul(u64::from(job.workload.workers));
            segment.is_none_or(|segment| segment > size.0).then(|| {
                format!("size {size} is too small for one segment, a block of {block} for each worker; increase size or reduce segment-block")
            })
        }),
    ],
};
