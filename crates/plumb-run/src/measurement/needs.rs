//! What do the jobs of a run need of the target that they share?

use anyhow::anyhow;
use plumb_load::site::{FileSetNeeds, Needs, content_name, total_bytes};
use plumb_model::target::Target;
use plumb_model::workload::{Job, Layout};

/// What all jobs on one target need together.
///
/// Errors: how much there is cannot be found out.
pub(super) fn needs(jobs: &[&Job]) -> anyhow::Result<Needs> {
    let mut needs = Needs {
        reads: false,
        shared: false,
        block_bytes: 0,
        start: u64::MAX,
        ..Needs::default()
    };
    let mut end = None;
    for workload in jobs.iter().map(|job| &job.workload) {
        needs.keep |= workload.keep;
        if workload.has_file_operations() {
            let sofar = needs.file_set.unwrap_or(FileSetNeeds {
                files: 0,
                bytes_each: 0,
            });
            needs.file_set = Some(FileSetNeeds {
                files: sofar.files.max(workload.files),
                bytes_each: sofar.bytes_each.max(workload.largest_file_bytes()),
            });
        }
        if workload
            .mix
            .0
            .iter()
            .all(|(kind, _)| kind.is_file_operation())
        {
            continue;
        }
        needs.take_access(workload);
        needs.take_files(workload);
        needs.verify |= workload.verify;
        needs.block_bytes = needs.block_bytes.max(workload.largest_block_bytes());
        needs.start = needs.start.min(workload.start.0);
        end = end.max(
            workload
                .size
                .map(|size| workload.start.0.saturating_add(size.0)),
        );
        match workload.layout {
            Layout::Own => needs.own_files = needs.own_files.max(workload.all_workers()),
            Layout::Shared | Layout::Stream => needs.shared = true,
        }
    }
    if needs.block_bytes == 0 {
        (needs.block_bytes, needs.start) = (Needs::default().block_bytes, 0);
    }
    needs.size_bytes = end.map(|end: u64| end - needs.start);
    let unbounded = |job: &&&Job| job.workload.until_full && job.workload.size.is_none();
    if let Some(job) = jobs.iter().find(unbounded) {
        needs.size_bytes = needs
            .size_bytes
            .max(Some(all_there_is(&job.target, needs.start)?));
    }
    needs.content = content_line(jobs);
    Ok(needs)
}

/// Bytes from `start` to the end of the file system, as if it were empty: more can be written nowhere.
fn all_there_is(target: &Target, start: u64) -> anyhow::Result<u64> {
    let bytes = match target {
        Target::Path(path) => total_bytes(path),
        _ => None,
    };
    let bytes = bytes.ok_or_else(|| {
        anyhow!("until-full: the file system of {target} does not report its size; set the amount to write with --size")
    })?;
    Ok(bytes.saturating_sub(start))
}

/// What the filled content is like, as one line: kept files are shared by runs that fill alike.
fn content_line(jobs: &[&Job]) -> String {
    let Some(workload) = jobs.first().map(|job| &job.workload) else {
        return String::new();
    };
    let content = content_name(workload.content.to_string());
    let line = format!(
        "{content} compress={} dedupe={}",
        workload.compress_percent, workload.dedupe_percent
    );
    if let (true, Some(marks)) = (workload.verify, &workload.verify_as) {
        format!("{line} verify as {}", content_name(marks.to_string()))
    } else if workload.verify {
        format!("{line} verify seed={}", workload.seed.unwrap_or_default())
    } else {
        line
    }
}
