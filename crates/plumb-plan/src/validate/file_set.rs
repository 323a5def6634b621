//! Can a set of small files be made and taken as a step asks?

use super::misfit::{BLOCK_MAX, Misfit, misfit};
use plumb_model::units::Bytes;
use plumb_model::workload::{FileOrder, Job, OperationKind};

/// Folders beyond it would be what is measured: making one takes as long as making a file.
const FOLDERS_MAX: u64 = 100_000;

/// Sizes, folders and names.
pub(super) fn shape(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    if !workload.has_file_operations() {
        return None;
    }
    let has = |kind: OperationKind| workload.mix.0.iter().any(|(item, _)| *item == kind);
    let largest = workload.largest_file_bytes();
    misfit(largest > BLOCK_MAX, "file-size", || {
        format!(
            "a file of {} is more than one operation can make: at most {BLOCK_MAX} bytes; larger files are written as blocks",
            Bytes(largest)
        )
    })
    .or_else(|| {
        misfit(workload.folders > FOLDERS_MAX.min(workload.files), "folders", || {
            format!("{} folders for {} files: at most {}", workload.folders, workload.files, FOLDERS_MAX.min(workload.files))
        })
    })
    .or_else(|| {
        let empty = workload.file_size.is_some_and(|sizes| sizes.from_bytes == 0);
        misfit(empty && has(OperationKind::ReadFile) && job.target.remote().is_some(), "file-size", || {
            "an empty file on a share has nothing to read: write for example file-size = 1-16k, or the mix stat".into()
        })
    })
}

/// The order in which files are taken.
pub(super) fn order(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    if workload.file_order == FileOrder::Offsets {
        return None;
    }
    let taking = |kind: OperationKind| {
        matches!(
            kind,
            OperationKind::Open
                | OperationKind::Stat
                | OperationKind::ReadFile
                | OperationKind::Delete
                | OperationKind::Fsync
        )
    };
    misfit(workload.mix.0.len() > 1, "file-order", || {
        format!(
            "file-order = {} takes each file once by one kind of operation, and the mix is {}: make steps of it",
            workload.file_order, workload.mix
        )
    })
    .or_else(|| {
        misfit(!workload.mix.0.iter().all(|(kind, _)| taking(*kind)), "file-order", || {
            format!("{} finds nothing to put into an order: file-order is for open, stat, read-file, fsync and delete", workload.mix)
        })
    })
    .or_else(|| {
        misfit(workload.file_order == FileOrder::Listed && job.target.remote().is_some(), "file-order", || {
            "a folder of a share is not listed while it is measured: write file-order = shuffled, or mount the share".into()
        })
    })
}
