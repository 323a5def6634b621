//! Can ranks on many hosts share what a job works on, and can workers share a file of segments?

use plumb_model::units::Bytes;
use plumb_model::workload::{FilesOf, Layout, Offsets, RankSharing};

use super::rule::{Group, rule};

pub(super) const OF_TOGETHER: Group = Group {
    concerns: |job| job.workload.ranks == RankSharing::Together,
    rules: &[
        rule("layout", |job| {
            (job.workload.layout == Layout::Stream).then(|| {
                "layout = stream hands out places within one process: with ranks = together write layout = shared or own".into()
            })
        }),
        rule("verify", |job| {
            job.workload.verify.then(|| {
                "verify keeps account of what one process wrote, and with ranks = together others write too: write ranks = each, or leave verify out".into()
            })
        }),
        rule("keep", |job| {
            job.workload.keep.then(|| {
                "files that ranks share are not kept for later runs: leave keep out, or name a file that is there".into()
            })
        }),
        rule("paths", |job| {
            job.workload.paths.is_some().then(|| {
                "ranks share one file, a file for each worker, or a tree of files, not a list of paths: leave paths or ranks = together out".into()
            })
        }),
        rule("replay", |job| {
            job.workload.replay.is_some().then(|| {
                "each rank would carry out the whole log on the same file: leave replay or ranks = together out".into()
            })
        }),
        rule("until-full", |job| {
            job.workload.until_full.then(|| {
                "until-full writes until there is no more room, and is for ranks = each: leave one of them out".into()
            })
        }),
    ],
};

pub(super) const OF_FILES_OF: Group = Group {
    concerns: |job| job.workload.files_of != FilesOf::Own,
    rules: &[rule("files-of", |job| {
        (job.workload.ranks != RankSharing::Together).then(|| {
            "files-of names the part of another rank, and with ranks = each there is no common set of files: write ranks = together".into()
        })
    })],
};

pub(super) const OF_SEGMENTS: Group = Group {
    concerns: |job| job.workload.segment_block.is_some(),
    rules: &[
        rule("segment-block", |job| {
            (job.workload.layout != Layout::Shared).then(|| {
                "segments lie in one file that all workers share: write layout = shared, or leave segment-block out".into()
            })
        }),
        rule("segment-block", |job| {
            job.workload.zone_size.is_some().then(|| {
                "the blocks of a worker in a file of segments are its zones: leave zone-size or segment-block out".into()
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
                "blocks of segments are gone over in offsets = sequential, random or random-with-replacement: write one of these, or leave segment-block out".into()
            })
        }),
        rule("segment-block", |job| {
            let (block, place) = (
                job.workload.segment_block?,
                job.workload.offset_unit_bytes().max(1),
            );
            let is_whole = block.0 > 0 && block.0.is_multiple_of(place);
            (!is_whole).then(|| {
                format!(
                    "segment-block is made of whole blocks, and {block} is no multiple of {}: change one of them",
                    Bytes(place)
                )
            })
        }),
        rule("segment-block", |job| {
            let (block, size) = (job.workload.segment_block?, job.workload.size?);
            let segment = block.0.checked_mul(u64::from(job.workload.workers));
            segment.is_none_or(|segment| segment > size.0).then(|| {
                format!("size {size} holds no segment: a block of {block} for each worker; raise size or lower segment-block")
            })
        }),
    ],
};
