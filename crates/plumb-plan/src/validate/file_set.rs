//! Can a set of small files be created and used as a step requests?

use plumb_model::units::Bytes;
use plumb_model::workload::{FileOrder, Job, Layout, OperationKind};

use super::nowhere::is_nowhere;
use super::rule::{BLOCK_MAX, Group, has, rule};

/// With more folders, creating them would dominate the measurement: each takes as long as creating a file.
const FOLDERS_MAX: u64 = 100_000;

pub(super) const OF_FILE_OPERATIONS: Group = Group {
    concerns: |job| job.workload.has_file_operations(),
    rules: &[
        rule("target", |job| {
            is_nowhere(job).then(|| {
                format!(
                    "the mix {} needs files, and null: has none; give a directory as target",
                    job.workload.mix
                )
            })
        }),
        rule("files", |job| {
            (job.workload.files == 0).then(|| {
                "files = 0 leaves no files for file operations; use for example files = 1000".into()
            })
        }),
        rule("operations", |job| {
            let workload = &job.workload;
            let too_many = workload
                .operations
                .is_some_and(|count| count > workload.files);
            (takes_each_once(job) && too_many).then(|| {
                format!(
                    "the mix {} uses each of the {} files once; reduce operations to that number, or use more files",
                    workload.mix, workload.files
                )
            })
        }),
        rule("layout", |job| {
            let workload = &job.workload;
            (workload.rate.is_none() && workload.layout == Layout::Stream).then(|| {
                "layout = stream feeds blocks to workers; file operations have none".into()
            })
        }),
        rule("file-size", |job| {
            let largest = job.workload.largest_file_bytes();
            (largest > BLOCK_MAX).then(|| {
                format!(
                    "a file of {} is larger than one operation can create; the maximum is {BLOCK_MAX} bytes; write larger files as blocks",
                    Bytes(largest)
                )
            })
        }),
        rule("folders", |job| {
            let workload = &job.workload;
            let most = FOLDERS_MAX.min(workload.files);
            (workload.folders > most).then(|| {
                format!(
                    "{} folders for {} files: at most {most}",
                    workload.folders, workload.files
                )
            })
        }),
        rule("file-size", |job| {
            use OperationKind::{Create, Delete, Rename, Stat};
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| kind);
            let fits = kinds.all(|kind| matches!(kind, Create | Stat | Rename | Delete));
            (is_of_directories(job) && !fits).then(|| {
                format!(
                    "the mix {} needs files; with file-size = directory it may have create, stat, rename and delete",
                    job.workload.mix
                )
            })
        }),
        rule("file-size", |job| {
            (is_of_directories(job) && job.target.remote().is_some()).then(|| {
                "plumb creates and removes directories only on mounted file systems; mount the share and give its folder".into()
            })
        }),
        rule("file-size", |job| {
            let sizes = job.workload.file_size;
            let empty = sizes.is_some_and(|sizes| sizes.from_bytes == 0 && !sizes.directories);
            (empty && has(job, OperationKind::ReadFile) && job.target.remote().is_some()).then(|| {
                "an empty file on a share has nothing to read; use for example file-size = 1-16k, or mix = stat".into()
            })
        }),
    ],
};

fn is_of_directories(job: &Job) -> bool {
    let sizes = job.workload.file_size;
    sizes.is_some_and(|sizes| sizes.directories)
}

/// True if one kind of operation uses every file at most once.
fn takes_each_once(job: &Job) -> bool {
    let workload = &job.workload;
    let [(kind, _)] = workload.mix.0.as_slice() else {
        return false;
    };
    workload.file_order != FileOrder::Offsets
        || matches!(kind, OperationKind::Create | OperationKind::Delete)
}

/// The order of files.
pub(super) const OF_ORDER: Group = Group {
    concerns: |job| job.workload.file_order != FileOrder::Offsets,
    rules: &[
        rule("file-order", |job| {
            let workload = &job.workload;
            (workload.mix.0.len() > 1).then(|| {
                format!(
                    "file-order = {} uses each file once with one kind of operation, but the mix is {}; split it into steps",
                    workload.file_order, workload.mix
                )
            })
        }),
        rule("file-order", |job| {
            use OperationKind::{Delete, Fsync, Open, ReadFile, Stat};
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| kind);
            let taking = kinds.all(|kind| matches!(kind, Open | Stat | ReadFile | Delete | Fsync));
            (!taking).then(|| {
                format!(
                    "file-order does not apply to {}; it is for open, stat, read-file, fsync and delete",
                    job.workload.mix
                )
            })
        }),
        rule("file-order", |job| {
            let listed = job.workload.file_order == FileOrder::Listed;
            (listed && job.target.remote().is_some()).then(|| {
                "listing a folder of a share is not supported during a measurement; use file-order = shuffled, or mount the share".into()
            })
        }),
    ],
};
