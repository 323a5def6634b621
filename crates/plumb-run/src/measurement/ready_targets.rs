//! What does each job of a run work on? One site for each target, claimed once with the needs of all steps, and kept over all rounds.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::bail;
use plumb_load::feed::content::ContentSource;
use plumb_load::feed::live_files::LiveFiles;
use plumb_load::site::{Emptied, Part, Prepared, Preparing, Progress, Site, SiteError, SiteKind};
use plumb_load::system::files::open_to_sync;
use plumb_load::system::{DROPS_PAGES, errno_name};
use plumb_model::plan::{Plan, Step};
use plumb_model::run::WriteBackFailure;
use plumb_model::statement::Statement;
use plumb_model::workload::Job;

use super::claim::{Claim, FILLER, ReadyTarget};
use super::verification::account;

/// What came of bringing the data of a step to stable storage.
#[derive(Default)]
pub struct Settled {
    pub failed: Vec<WriteBackFailure>,
    /// Files that could not be checked, each with the reason.
    pub unasked: Vec<Statement>,
}

impl Settled {
    /// Errors for files without write-back (fsync(2)) are not write-back errors.
    fn take(&mut self, path: &Path, call: &str, outcome: std::io::Result<()>) {
        let Err(error) = outcome else { return };
        if matches!(
            error.kind(),
            ErrorKind::InvalidInput | ErrorKind::ReadOnlyFilesystem | ErrorKind::Unsupported
        ) {
            return;
        }
        let error = error.raw_os_error().map_or_else(
            || error.to_string(),
            |number| errno_name(number).into_owned(),
        );
        self.failed.push(WriteBackFailure {
            path: path.display().to_string(),
            call: call.into(),
            error,
        });
    }
}

/// All targets of a run.
pub struct ReadyTargets {
    targets: Vec<ReadyTarget>,
    /// The target of each job of a step.
    of_job: BTreeMap<(usize, usize), usize>,
}

impl ReadyTargets {
    /// Makes every target of the plan ready.
    ///
    /// Errors: a target may not be used, has no room, or cannot be filled; everything else is released then.
    pub fn claim(
        plan: &Plan,
        claim: &Claim<'_>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> anyhow::Result<ReadyTargets> {
        let (targets, of_job) = claim.all(plan, progress)?;
        Ok(ReadyTargets { targets, of_job })
    }

    /// The target of a job.
    pub fn of(&self, step: usize, job: usize) -> Option<&ReadyTarget> {
        self.targets.get(*self.of_job.get(&(step, job))?)
    }

    /// What was written in preparation.
    pub fn prepared(&self) -> impl Iterator<Item = &Prepared> {
        self.targets
            .iter()
            .filter_map(|target| target.site.as_ref())
            .flat_map(|site| site.prepared())
    }

    /// What the user should know about the targets.
    pub fn warnings(&self) -> impl Iterator<Item = &Statement> {
        self.targets
            .iter()
            .filter_map(|target| target.site.as_ref())
            .flat_map(|site| site.warnings())
    }

    /// Brings the files of a step into the state that it begins with, outside of any measurement: (path, bytes, nanoseconds) of what was written.
    ///
    /// Errors: files cannot be emptied, filled or made; a job empties the file that another one works on.
    pub fn make_ready(
        &mut self,
        index: usize,
        step: &Step,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> anyhow::Result<Vec<(String, u64, u64)>> {
        let mut made = Vec::new();
        for (number, job) in step.jobs.iter().enumerate() {
            let Some(at) = self.of_job.get(&(index, number)).copied() else {
                continue;
            };
            let shared = (0..step.jobs.len())
                .any(|other| other != number && self.of_job.get(&(index, other)) == Some(&at));
            if job.workload.fresh && shared {
                bail!(
                    "job '{}' truncates the file of another job of the step: give one of them another target",
                    job.name
                );
            }
            let Some(target) = self.targets.get_mut(at) else {
                continue;
            };
            let mut content =
                ContentSource::new(&job.workload, job.workload.seed.unwrap_or_default(), FILLER)
                    .map_err(anyhow::Error::msg)?;
            let mut fill = |_: u32, offset: u64, block: &mut [u8]| content.fill(block, offset);
            let mut preparing = Preparing {
                fill: &mut fill,
                stop,
                progress,
            };
            if let Some(site) = target.site.as_mut().filter(|site| !site.is_joined()) {
                made.extend(renew(site, job, &mut preparing)?);
            }
            if let Some(live_files) = target
                .live_files
                .as_mut()
                .filter(|_| job.workload.has_file_operations())
            {
                made.extend(make_files(live_files, job, &mut preparing)?);
            }
        }
        Ok(made)
    }

    /// Drops from the page cache what a step wants to begin cold with. Returns what the reader of the figures should know.
    ///
    /// Errors: the pages cannot be dropped.
    pub fn make_cold(&self, index: usize, step: &Step) -> anyhow::Result<Vec<Statement>> {
        let cold = step
            .jobs
            .iter()
            .enumerate()
            .filter(|(_, job)| job.workload.cold);
        let sites = cold.filter_map(|(number, _)| self.of(index, number)?.site.as_ref());
        sites
            .filter_map(|site| make_site_cold(site).transpose())
            .collect()
    }

    /// Reads into the page cache what a step wants to find there.
    ///
    /// Errors: a file cannot be read.
    pub fn pre_read(&self, index: usize, step: &Step, stop: &AtomicBool) -> anyhow::Result<()> {
        let warm = step.jobs.iter().enumerate();
        for (number, job) in warm.filter(|(_, job)| job.workload.pre_read) {
            if let Some(site) = self
                .of(index, number)
                .and_then(|target| target.site.as_ref())
            {
                site.pre_read(&Part::of(&job.workload), stop)?;
            }
        }
        Ok(())
    }

    /// Brings what a step wrote to stable storage, outside of any measurement: the next step must not pay for it. What cannot be written back is lost.
    ///
    /// Called before a step as well: an unreported error of an earlier write-back is not the step's (errseq_sample in lib/errseq.c).
    pub fn settle(&self, index: usize, step: &Step) -> Settled {
        let changed = step
            .jobs
            .iter()
            .enumerate()
            .filter(|(_, job)| job.workload.modifies());
        let sites =
            changed.filter_map(|(number, job)| Some((self.of(index, number)?.site.as_ref()?, job)));
        sites.fold(Settled::default(), |mut all, (site, job)| {
            let Settled { failed, unasked } = settle_site(site, job.workload.has_file_operations());
            all.failed.extend(failed);
            all.unasked.extend(unasked);
            all
        })
    }

    /// Whether the folders that a step worked in are still where they were made.
    ///
    /// # Errors
    /// As of [`Site::is_in_place`].
    pub fn is_in_place(&self, index: usize, step: &Step) -> Result<(), SiteError> {
        let mut sites =
            (0..step.jobs.len()).filter_map(|number| self.of(index, number)?.site.as_ref());
        sites.try_for_each(Site::is_in_place)
    }

    /// Counts of all verifiers.
    pub fn verified(&self, lost: &[&WriteBackFailure]) -> Vec<Statement> {
        self.targets
            .iter()
            .filter_map(|target| target.verifier.as_ref())
            .map(|verifier| account(verifier, lost))
            .collect()
    }

    /// Gives everything back. Returns what could not be removed.
    pub fn release(self) -> Vec<SiteError> {
        self.targets
            .into_iter()
            .filter_map(|target| target.site?.release().err())
            .collect()
    }
}

/// Empties the blocks' files for a step that begins so; for any other, fills what steps before have left empty.
fn renew(
    site: &mut Site,
    job: &Job,
    preparing: &mut Preparing<'_>,
) -> Result<Vec<(String, u64, u64)>, SiteError> {
    if !(job.workload.reads_blocks() || job.workload.modifies_blocks()) {
        return Ok(Vec::new());
    }
    let part = Part::of(&job.workload);
    if job.workload.fresh {
        // A mapping has the length of the file: what a program writes through it must be there, be it as a hole.
        let then = match job.engine.maps_files() {
            _ if job.workload.preallocate => Emptied::Allocated,
            true => Emptied::Hole,
            false => Emptied::Nothing,
        };
        site.empty(&part, then)?;
        return Ok(Vec::new());
    }
    // What reads back only what was written misses nothing.
    if job.workload.unfilled || job.workload.until_full || job.workload.written_only {
        return Ok(Vec::new());
    }
    let completed = site.complete(&part, preparing)?.into_iter();
    Ok(completed
        .map(|prepared| {
            (
                prepared.path.display().to_string(),
                prepared.bytes,
                prepared.duration_ns,
            )
        })
        .collect())
}

/// Brings the small files into the state that a job begins with.
fn make_files(
    live_files: &mut LiveFiles,
    job: &Job,
    preparing: &mut Preparing<'_>,
) -> Result<Option<(String, u64, u64)>, SiteError> {
    let begun = Instant::now();
    let files = live_files.prepare(&job.workload, preparing)?;
    let bytes = (0..files).map(|number| live_files.bytes(number)).sum();
    Ok((files > 0).then(|| {
        (
            format!("{files} files below {}", job.target),
            bytes,
            begun.elapsed().as_nanos() as u64,
        )
    }))
}

/// Share of pages that may remain before it is reported: those of a program that has some of them mapped.
const STAYED: f64 = 0.01;

fn make_site_cold(site: &Site) -> anyhow::Result<Option<Statement>> {
    let path = site.path().display().to_string();
    // Nothing of it is cached here.
    if site.kind() == SiteKind::Share {
        return Ok(None);
    }
    if site.kind() == SiteKind::CharacterDevice {
        return Ok(Some(Statement::new("cold-has-no-cache").name("path", path)));
    }
    if !DROPS_PAGES {
        return Ok(Some(
            Statement::new("cold-cannot-be-had").name("path", path),
        ));
    }
    let stayed = site.forget_cached()?.unwrap_or(0) as f64;
    Ok((stayed > STAYED * site.size_bytes() as f64).then(|| {
        Statement::new("cold-stayed-cached")
            .bytes("size", stayed)
            .name("path", path)
    }))
}

/// Data of the files, and the folder: fsync of a folder commits what happened to names in it (fsync(2)). Of files by name, which are no longer open, only
/// syncfs(2) of their file system returns their errors (since Linux 5.8).
fn settle_site(site: &Site, by_name: bool) -> Settled {
    let regular = site
        .files()
        .iter()
        .filter(|file| matches!(file.kind, SiteKind::File | SiteKind::BlockDevice))
        .map(|file| &file.path);
    let folder = (site.kind() == SiteKind::Directory).then(|| site.path().to_path_buf());
    let mut settled = Settled::default();
    for path in regular.cloned().chain(folder) {
        match open_to_sync(&path) {
            Ok(file) => settled.take(&path, "fsync", file.sync_all()),
            Err(error) => settled.unasked.push(
                Statement::new("not-brought-to-storage")
                    .name("path", path.display().to_string())
                    .name("error", error.to_string()),
            ),
        }
    }
    if let Some(files) = site.file_set().filter(|_| by_name) {
        settled.take(site.path(), "syncfs", files.sync());
    }
    settled
}
