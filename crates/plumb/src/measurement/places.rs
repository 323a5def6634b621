//! What does each job of a run work on? One site for each target, claimed once with the needs of all steps, and kept over all rounds.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Context;
use plumb_load::content::ContentSource;
use plumb_load::live_files::LiveFiles;
use plumb_load::peer::dial::reach;
use plumb_load::site::{Admission, FileSetNeeds, Needs, Prepared, Preparing, Progress, Site, SiteError, SiteKind};
use plumb_load::verify::Verifier;
use plumb_model::plan::{Plan, Step};
use plumb_model::remote::Scheme;
use plumb_model::target::Target;
use plumb_model::workload::{Job, Layout, OperationKind};

use super::verification::{account, of_peer, verifier};

/// What the jobs on one target share.
pub struct Place {
    /// Missing for `null:`.
    pub site: Option<Site>,
    pub live_files: Option<LiveFiles>,
    pub verifier: Option<Verifier>,
}

/// All places of a run.
pub struct Places {
    places: Vec<Place>,
    /// Which place a job of a step works on.
    of_job: BTreeMap<(usize, usize), usize>,
}

/// Where a job works: jobs beside the main one have files of their own in a directory, so that a log is not written into the data.
type Key = (Target, String);

fn key_of(job: &Job, number: usize) -> Key {
    let is_directory = matches!(&job.target, Target::Path(path) if path.is_dir());
    (job.target.clone(), if number > 0 && is_directory { job.name.clone() } else { String::new() })
}

impl Places {
    /// Makes every target of the plan ready. `default_bytes`: size of a test file that nobody asked a size for, where it must be known before.
    ///
    /// Errors: a target may not be used, has no room, or cannot be filled; all else is given back then.
    pub fn claim(
        plan: &Plan,
        admission: &Admission,
        default_bytes: Option<u64>,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> anyhow::Result<Places> {
        let (mut groups, mut of_job): (Vec<(Key, Vec<&Job>)>, _) = (Vec::new(), BTreeMap::new());
        for (step, number, job) in plan
            .steps
            .iter()
            .enumerate()
            .flat_map(|(step, cell)| cell.jobs.iter().enumerate().map(move |(number, job)| (step, number, job)))
        {
            let key = key_of(job, number);
            let place = groups.iter().position(|(other, _)| *other == key).unwrap_or_else(|| {
                groups.push((key, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(job);
            of_job.insert((step, number), place);
        }
        let mut places = Vec::new();
        for (_, jobs) in &groups {
            places.push(claim_one(jobs, admission, default_bytes, stop, progress)?);
        }
        Ok(Places { places, of_job })
    }

    /// The place of a job.
    pub fn of(&self, step: usize, job: usize) -> Option<&Place> {
        self.places.get(*self.of_job.get(&(step, job))?)
    }

    /// What was written in preparation.
    pub fn prepared(&self) -> impl Iterator<Item = &Prepared> {
        self.places.iter().filter_map(|place| place.site.as_ref()).flat_map(|site| site.prepared())
    }

    /// What the user should know about the targets.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        self.places.iter().filter_map(|place| place.site.as_ref()).flat_map(|site| site.warnings())
    }

    /// Brings the small files of a step into the state that it begins with: (path, bytes, nanoseconds) of what was written.
    pub fn make_files(
        &mut self,
        index: usize,
        step: &Step,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> anyhow::Result<Vec<(String, u64, u64)>> {
        let mut made = Vec::new();
        for (number, job) in step.jobs.iter().enumerate().filter(|(_, job)| job.workload.has_file_operations()) {
            let place = self.of_job.get(&(index, number)).copied().and_then(|place| self.places.get_mut(place));
            let Some(live_files) = place.and_then(|place| place.live_files.as_mut()) else { continue };
            let mut content =
                ContentSource::new(&job.workload, job.workload.seed.unwrap_or_default(), FILLER).map_err(anyhow::Error::msg)?;
            let mut fill = |_: u32, offset: u64, block: &mut [u8]| content.fill(block, offset);
            let begun = Instant::now();
            let files = live_files.prepare(&job.workload, &mut Preparing { fill: &mut fill, stop, progress })?;
            if files > 0 {
                let bytes = files.saturating_mul(job.workload.largest_block_bytes());
                made.push((format!("{files} files below {}", job.target), bytes, begun.elapsed().as_nanos() as u64));
            }
        }
        Ok(made)
    }

    /// Brings what a step wrote to stable storage, outside of any measurement: the next step must not pay for it. Errors are for the record.
    pub fn settle(&self, index: usize, step: &Step) -> Vec<String> {
        let changed = step.jobs.iter().enumerate().filter(|(_, job)| job.workload.modifies());
        let sites = changed.filter_map(|(number, _)| self.of(index, number)?.site.as_ref());
        sites.filter_map(|site| settle_site(site).err()).collect()
    }

    /// What the verifiers of all places checked.
    pub fn verified(&self) -> Vec<String> {
        self.places.iter().filter_map(|place| place.verifier.as_ref()).map(account).collect()
    }

    /// Gives everything back. Returns what could not be removed.
    pub fn release(self) -> Vec<SiteError> {
        self.places.into_iter().filter_map(|place| place.site?.release().err()).collect()
    }
}

/// Data of the files, and the folder: fsync of a folder commits what happened to names in it (fsync(2)).
fn settle_site(site: &Site) -> Result<(), String> {
    let regular = site.files().iter().filter(|file| matches!(file.kind, SiteKind::File | SiteKind::BlockDevice)).map(|file| &file.path);
    let folder = (site.kind() == SiteKind::Directory).then(|| site.path().to_path_buf());
    regular.cloned().chain(folder).try_for_each(|path| {
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| format!("{} could not be brought to stable storage between two steps: {error}", path.display()))
    })
}

/// Number of the content stream that fills files; no worker has it.
const FILLER: u32 = u32::MAX;

fn claim_one(
    jobs: &[&Job],
    admission: &Admission,
    default_bytes: Option<u64>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<Place> {
    let Some(first) = jobs.first().filter(|job| has_site(&job.target) && !copies(job)) else {
        reach_peer(jobs)?;
        return Ok(Place { site: None, live_files: None, verifier: of_peer(jobs, needs(jobs))? });
    };
    let seed = first.workload.seed.unwrap_or_default();
    let mut needs = needs(jobs);
    let verifier = verifier(jobs, seed, &mut needs, default_bytes)?;
    let mut content = ContentSource::new(&first.workload, seed, FILLER).map_err(anyhow::Error::msg)?;
    let mut fill = |file: u32, offset: u64, block: &mut [u8]| match &verifier {
        Some(verifier) => verifier.fill_initial(file, offset, block),
        None => content.fill(block, offset),
    };
    let admission = Admission { choice: first.engine.clone(), ..admission.clone() };
    let site = Site::claim(&first.target, &needs, &admission, &mut Preparing { fill: &mut fill, stop, progress })?;
    let live_files = site.file_set().cloned().map(LiveFiles::new);
    Ok(Place { site: Some(site), live_files, verifier })
}

/// A program that copies a tree finds its places made by who started it.
fn copies(job: &Job) -> bool {
    job.workload.mix.0.iter().any(|(kind, _)| *kind == OperationKind::Copy)
}

/// A peer that is not there is told once, before anything starts. An iperf3 server is not asked: it would take that for a client that failed, and give
/// up after some (iperf_run_server).
fn reach_peer(jobs: &[&Job]) -> anyhow::Result<()> {
    match jobs.first().and_then(|job| job.target.remote()).filter(|remote| remote.scheme == Scheme::Tcp) {
        Some(remote) => reach(remote).with_context(|| format!("{remote} cannot be measured")),
        None => Ok(()),
    }
}

/// Nothing is made ready for nothing, nor for a peer that exchanges messages.
fn has_site(target: &Target) -> bool {
    match target {
        Target::Null => false,
        Target::Path(_) => true,
        Target::Remote(remote) => remote.scheme.is_share(),
    }
}

/// What all jobs on one target need together.
fn needs(jobs: &[&Job]) -> Needs {
    let mut needs = Needs { reads: false, shared: false, block_bytes: 0, start: u64::MAX, ..Needs::default() };
    let mut end = None;
    for workload in jobs.iter().map(|job| &job.workload) {
        needs.keep |= workload.keep;
        if workload.has_file_operations() {
            let sofar = needs.file_set.unwrap_or(FileSetNeeds { files: 0, bytes_each: 0 });
            needs.file_set = Some(FileSetNeeds {
                files: sofar.files.max(workload.files),
                bytes_each: sofar.bytes_each.max(workload.largest_block_bytes()),
            });
        }
        if workload.mix.0.iter().all(|(kind, _)| kind.is_file_operation()) {
            continue;
        }
        needs.reads |= workload.reads_blocks();
        needs.modifies |= workload.modifies_blocks();
        needs.fresh |= workload.fresh;
        needs.verify |= workload.verify;
        needs.block_bytes = needs.block_bytes.max(workload.largest_block_bytes());
        needs.start = needs.start.min(workload.start.0);
        end = end.max(workload.size.map(|size| workload.start.0.saturating_add(size.0)));
        match workload.layout {
            Layout::Own => needs.own_files = needs.own_files.max(workload.workers),
            Layout::Shared | Layout::Stream => needs.shared = true,
        }
    }
    if needs.block_bytes == 0 {
        (needs.block_bytes, needs.start) = (Needs::default().block_bytes, 0);
    }
    needs.size_bytes = end.map(|end: u64| end - needs.start);
    needs.content = content_line(jobs);
    needs
}

/// What the filled content is like, as one line: kept files are shared by runs that fill alike.
fn content_line(jobs: &[&Job]) -> String {
    let Some(workload) = jobs.first().map(|job| &job.workload) else { return String::new() };
    let line = format!("{} compress={} dedupe={}", workload.content, workload.compress_percent, workload.dedupe_percent);
    if workload.verify { format!("{line} verify seed={}", workload.seed.unwrap_or_default()) } else { line }
}
