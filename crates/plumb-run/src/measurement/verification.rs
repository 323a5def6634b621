//! Which blocks of a target are verified, and is that possible? The verifier of a target, created before the target is filled.

use std::fs::File;
use std::io::{Seek, SeekFrom};

use anyhow::{anyhow, bail};
use plumb_load::fabric::memory_bytes;
use plumb_load::feed::offsets::Span;
use plumb_load::site::Needs;
use plumb_load::verify::Verifier;
use plumb_model::run::WriteBackFailure;
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::workload::{Content, Job, Workload};

/// The verifier that the jobs on one target share; `None` when none of them verifies. Settles the size in `needs`, because the verifier keeps
/// account of every block; `default_bytes` is the default size of a new file.
///
/// Errors: a job would write behind the verifier's back, or the blocks cannot be verified.
pub fn verifier(
    jobs: &[&Job],
    seed: u64,
    needs: &mut Needs,
    default_bytes: Option<u64>,
) -> anyhow::Result<Option<Verifier>> {
    let verified: Vec<&Workload> = jobs
        .iter()
        .map(|job| &job.workload)
        .filter(|workload| workload.verify)
        .collect();
    let Some(first) = verified.first() else {
        return Ok(None);
    };
    let as_fio = verified.iter().any(|workload| workload.verify_as.is_some());
    // Any step may write a pattern that is later read.
    let needs_headers = |workload: &&Workload| {
        !workload.verify_existing || !matches!(workload.content, Content::Pattern(_))
    };
    let mut others = jobs.iter().filter(|job| !job.workload.verify);
    // What fio verifies later, it knows by its header alone.
    if !as_fio
        && verified.iter().any(needs_headers)
        && others.any(|job| job.workload.modifies_blocks())
    {
        bail!(
            "some steps write to {} with verify and some without: blocks written without verify would be reported as corrupt; set verify for all or none",
            jobs[0].target
        );
    }
    must_be_there(jobs, needs)?;
    let size = match needs.size_bytes {
        Some(size) => size,
        None => existing_bytes(&jobs[0].target)
            .map(|bytes| bytes.saturating_sub(needs.start))
            .or(default_bytes)
            .ok_or_else(|| {
                anyhow!(
                    "verify requires the size of {}: set it with --size",
                    jobs[0].target
                )
            })?,
    };
    needs.size_bytes = Some(size);
    let mut merged = (*first).clone();
    merged.block.0 = verified
        .iter()
        .flat_map(|workload| workload.block.0.clone())
        .collect();
    let backlogs = verified.iter().map(|workload| workload.verify_backlog);
    merged.verify_backlog = backlogs.max().unwrap_or(0);
    merged.verify_existing = verified.iter().any(|workload| workload.verify_existing);
    let full = Span {
        start: needs.start,
        len: size,
    };
    // Files of workers are not longer than the total size; their numbers depend on whether there is a shared file too.
    let own = verified
        .iter()
        .map(|workload| size.div_ceil(u64::from(workload.workers.max(1))))
        .max()
        .unwrap_or(size);
    let each = Span {
        start: 0,
        len: own.next_multiple_of(needs.block_bytes.max(1)),
    };
    let mut spans: Vec<Span> = std::iter::once(full)
        .chain((0..needs.own_files).map(|_| each))
        .collect();
    if !needs.paths.is_empty() {
        spans = of_paths(needs, size);
    }
    let verifier = match as_fio {
        true => Verifier::marked(&verified, seed, &spans),
        false => Verifier::new(&merged, seed, &spans),
    };
    verifier.map(Some).map_err(anyhow::Error::msg)
}

/// Error: what an earlier run is to have written is not there, and none of the jobs writes it.
fn must_be_there(jobs: &[&Job], needs: &Needs) -> anyhow::Result<()> {
    let is_existing = jobs.iter().any(|job| job.workload.verify_existing);
    let is_written = jobs.iter().any(|job| job.workload.modifies_blocks());
    let (true, false, Target::Path(path)) = (is_existing, is_written, &jobs[0].target) else {
        return Ok(());
    };
    let paths = match needs.paths.as_slice() {
        [] => vec![path.clone()],
        below => below.iter().map(|below| path.join(below)).collect(),
    };
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        bail!(
            "{} does not exist, so there is nothing to verify: name a file that an earlier run wrote with verify",
            missing.display()
        );
    }
    Ok(())
}

/// The part of each of several files, of `size` bytes together.
fn of_paths(needs: &Needs, size: u64) -> Vec<Span> {
    let len = size / needs.paths.len() as u64;
    let each = Span {
        start: needs.start,
        len: len - len % needs.block_bytes.max(1),
    };
    vec![each; needs.paths.len()]
}

/// The verifier of the memory that a peer exposes; `None` when none of the jobs verifies. It holds nothing at first, and the same for all steps.
///
/// Errors: steps work on memories of different sizes, which are not one memory; or as [`verifier`].
pub fn of_peer(jobs: &[&Job], needs: Needs) -> anyhow::Result<Option<Verifier>> {
    let Some(first) = jobs.iter().find(|job| job.workload.verify) else {
        return Ok(None);
    };
    let size = memory_bytes(&first.workload);
    if let Some(other) = jobs
        .iter()
        .map(|job| memory_bytes(&job.workload))
        .find(|other| *other != size)
    {
        bail!(
            "verify on {} requires the same size in all steps, and they use {size} and {other} bytes: set size",
            first.target
        );
    }
    let mut needs = Needs {
        start: 0,
        size_bytes: Some(size),
        own_files: 0,
        ..needs
    };
    verifier(
        jobs,
        first.workload.seed.unwrap_or_default(),
        &mut needs,
        None,
    )
}

/// Length of an existing file or block device.
fn existing_bytes(target: &Target) -> Option<u64> {
    let Target::Path(path) = target else {
        return None;
    };
    let metadata = std::fs::metadata(path).ok()?;
    if metadata.is_dir() {
        return None;
    }
    File::open(path)
        .ok()?
        .seek(SeekFrom::End(0))
        .ok()
        .filter(|bytes| *bytes > 0)
}

/// What was checked and what could not be, for the record. `lost`: what could not be written back.
pub fn account(verifier: &Verifier, lost: &[&WriteBackFailure]) -> Statement {
    let (checked, undecided) = (verifier.checked_units(), verifier.undecided_units());
    let verified = match (undecided, lost.first()) {
        (0, _) if checked == 0 => Statement::new("verified-nothing"),
        (0, None) => Statement::new("verified-all"),
        (0, Some(_)) => Statement::new("verified-as-cached"),
        _ => Statement::new("verified-in-part").count("undecided", undecided),
    }
    .count("checked", checked);
    match lost.first() {
        None => verified,
        Some(failure) => Statement::new("verified-before-loss")
            .part("verified", verified)
            .name("path", &failure.path)
            .name("error", &failure.error),
    }
}
