//! Which jobs save a verify state, and which load one (verify_state_save, verify_state_load)? In fio's file format.

mod state;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use plumb_model::plan::Plan;
use plumb_model::units::Bytes;
use plumb_model::workload::{Offsets, OperationKind, Workload};
use plumb_plan::fio_command::{Understood, WrittenJob};
use plumb_record::exporter::Subject;
use plumb_record::exporter::fio::executions;
use plumb_record::exporter::fio_report::RunPart;

use super::jobs::joined;
use state::{Draw, Places, State};

/// Options supported here that have no effect if a job file is run as a plan.
pub const CARRIED_OUT: [&str; 2] = ["verify_state_load", "verify_state_save"];

/// Maximum size of a state file in bytes.
const READ_MAX_BYTES: u64 = 32 << 20;

/// One file to write at the end.
#[derive(Debug)]
struct Wanted {
    path: PathBuf,
    name: String,
    clone: u64,
    parts: Vec<RunPart>,
    depth: u32,
    /// First byte, number of bytes from there, and block size.
    area: (u64, u64, u64),
    is_random: bool,
}

/// All files.
#[derive(Debug, Default)]
pub struct States {
    wanted: Vec<Wanted>,
    /// Jobs that request a state and get none.
    pub remarks: Vec<String>,
}

/// fio's name of the file; a slash becomes a dot.
fn path(folder: Option<&Path>, name: &str, clone: u64) -> PathBuf {
    let file = format!("local-{}-{clone}-verify.state", name.replace('/', "."));
    folder.map_or_else(|| PathBuf::from(&file), |folder| folder.join(&file))
}

/// First byte, bytes from there on and block of a job that goes over one file; `None`: another.
fn area(workload: &Workload) -> Option<(u64, u64, u64)> {
    let [(block, _)] = workload.block.0.as_slice() else {
        return None;
    };
    let is_plain = workload.workers == 1 && workload.access.is_none() && workload.paths.is_none();
    let block = block.only().filter(|_| is_plain)?;
    let region = workload.size.map_or(u64::MAX, |size| size.0);
    Some((workload.start.0, region, block.0))
}

/// Ends jobs that only verify at the point that the writing job reached (`verify_state_load` with `verify_only`).
///
/// # Errors
/// There is no such state, it is invalid or of another job, or it does not list the written blocks.
pub fn load(understood: &Understood, plan: &mut Plan, folder: Option<&Path>) -> anyhow::Result<()> {
    for written in &understood.written {
        if !written.is_on("verify_state_load") || !written.is_on("verify_only") {
            continue;
        }
        let entries = joined(written, &understood.job.plan, plan);
        for (clone, entry) in entries.iter().enumerate() {
            let path = path(folder, &written.name, clone as u64);
            let state = read(&path)?;
            for part in &entry.parts {
                for step in &part.steps {
                    let step = plan.steps.get_mut(*step as usize);
                    let job = step.and_then(|step| step.jobs.get_mut(part.job as usize));
                    if let Some(job) = job {
                        limit(&mut job.workload, &state)
                            .map_err(|why| anyhow!("{}: {why}", path.display()))?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<State> {
    let shown = path.display();
    let found = fs::metadata(path)
        .with_context(|| format!("verify_state_load: {shown}: cannot be read"))?;
    if !found.is_file() || found.len() > READ_MAX_BYTES {
        bail!("verify_state_load: {shown} is not a verify state");
    }
    let bytes = fs::read(path).with_context(|| format!("{shown}: cannot be read"))?;
    State::parse(&bytes).map_err(|why| anyhow!("verify_state_load: {shown}: {why}"))
}

fn limit(workload: &mut Workload, state: &State) -> Result<(), String> {
    const LEAVE_OUT: &str = "omit verify_state_load to check all blocks";
    let area = area(workload).ok_or_else(|| {
        format!(
            "the written blocks are known only for one job on one file with one block size: {LEAVE_OUT}"
        )
    })?;
    let (start, region, block) = area;
    let complete = match (&state.order, &workload.offsets) {
        (Places::OfFio, _) => {
            return Err(format!(
                "it contains fio's random state, from which only fio derives the written offsets: {LEAVE_OUT}"
            ));
        }
        (Places::Sequential, Offsets::Sequential) => state.complete(start, block),
        (Places::Random(draw), offsets) if *offsets != Offsets::Sequential => {
            if *draw != Draw::new(draw.seed, area, &offsets.to_string()) {
                return Err(format!(
                    "it belongs to a job with another size, offset, block size or order: {LEAVE_OUT}"
                ));
            }
            workload.seed = Some(draw.seed);
            state.writes.min(region / block.max(1))
        }
        _ => {
            return Err(format!(
                "one of the two jobs is sequential and the other random: {LEAVE_OUT}"
            ));
        }
    };
    let complete = complete.saturating_mul(block);
    if complete == 0 {
        return Err("it lists no written block, so there is nothing to check".into());
    }
    let most = workload.bytes.map_or(u64::MAX, |bytes| bytes.0);
    workload.passes = None;
    workload.bytes = Some(Bytes(most.min(complete)));
    Ok(())
}

impl States {
    /// The states to save: of jobs that write and verify sequentially.
    ///
    /// # Errors
    /// A file of that name is not a state, so it is not overwritten.
    pub fn of(
        understood: &Understood,
        plan: &Plan,
        folder: Option<&Path>,
    ) -> anyhow::Result<States> {
        let mut states = States::default();
        for written in &understood.written {
            let saves = written.value("verify_state_save");
            if !written.is_on("verify_only") && saves != Some("0") {
                states.add(written, understood, plan, folder);
            }
        }
        states
            .wanted
            .iter()
            .try_for_each(|wanted| refuse_others(&wanted.path))?;
        Ok(states)
    }

    fn add(
        &mut self,
        written: &WrittenJob,
        understood: &Understood,
        plan: &Plan,
        folder: Option<&Path>,
    ) {
        let entries = joined(written, &understood.job.plan, plan);
        for (clone, entry) in entries.into_iter().enumerate() {
            let jobs = entry.parts.iter().flat_map(|part| {
                let of_step =
                    |step: &u32| plan.steps.get(*step as usize)?.jobs.get(part.job as usize);
                part.steps.iter().filter_map(of_step)
            });
            let writes = |workload: &Workload| {
                let of_mix = workload.mix.0.iter();
                workload.verify
                    && of_mix
                        .clone()
                        .any(|(kind, _)| *kind == OperationKind::Write)
            };
            let Some(workload) = jobs
                .map(|job| &job.workload)
                .find(|workload| writes(workload))
            else {
                continue;
            };
            let only_writes = workload.mix.0.len() == 1;
            let Some(area) = area(workload).filter(|_| only_writes) else {
                if written.is_on("verify_state_save") {
                    self.remarks.push(format!("verify_state_save: [{}] saves no verify state: it has several files or block sizes, or does not only write", written.name));
                }
                return;
            };
            self.wanted.push(Wanted {
                path: path(folder, &written.name, clone as u64),
                name: written.name.clone(),
                clone: clone as u64,
                parts: entry.parts,
                depth: workload.depth,
                area,
                is_random: workload.offsets != Offsets::Sequential,
            });
        }
    }

    /// Writes them. Returns the reason for one that was not written, which is not an error of the jobs: a job may have filled the file system.
    pub fn write(&self, subject: &Subject<'_>) -> Vec<String> {
        let each = self.wanted.iter().filter_map(|wanted| {
            let of_job = (wanted.name.as_str(), wanted.clone, wanted.depth);
            let writes = writes(subject, &wanted.parts);
            let state = match drawn(subject, wanted) {
                Some(draw) => State::random(of_job, writes, draw),
                None if wanted.is_random => return None,
                None => State::in_order(of_job, writes, wanted.area),
            };
            let done = refuse_others(&wanted.path).and_then(|()| {
                let shown = wanted.path.display();
                fs::write(&wanted.path, state.bytes())
                    .with_context(|| format!("{shown}: the verify state cannot be written"))
            });
            done.err().map(|error| format!("{error:#}"))
        });
        each.collect()
    }
}

/// The seed of the random offsets of a job; `None`: sequential, or unknown.
fn drawn(subject: &Subject<'_>, wanted: &Wanted) -> Option<Draw> {
    let part = wanted.parts.first().filter(|_| wanted.is_random)?;
    let step = *part.steps.first()? as usize;
    let steps = &subject.run.header.plan.steps;
    let workload = &steps.get(step)?.jobs.get(part.job as usize)?.workload;
    let order = workload.offsets.to_string();
    Some(Draw::new(workload.seed?, wanted.area, &order))
}

/// Writes of a job in all its steps, including those before and after the measured phase.
fn writes(subject: &Subject<'_>, parts: &[RunPart]) -> u64 {
    let of_part = |part: &RunPart| {
        let found: Vec<u32> = part
            .steps
            .iter()
            .flat_map(|step| executions(subject, *step))
            .collect();
        let ticks = subject.run.ticks.iter();
        let of_job = ticks.filter(|tick| tick.job == part.job && found.contains(&tick.execution));
        let kinds = of_job.flat_map(|tick| &tick.kinds);
        let writes = kinds.filter(|kind| kind.kind == OperationKind::Write);
        writes.map(|kind| kind.count).sum::<u64>()
    };
    parts.iter().map(of_part).sum()
}

/// True of a verify state of any version.
fn is_state(path: &Path, bytes: u64) -> bool {
    bytes <= READ_MAX_BYTES && fs::read(path).is_ok_and(|bytes| State::is_any(&bytes))
}

/// fio overwrites any file of this name.
fn refuse_others(path: &Path) -> anyhow::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.len() > 0 && !is_state(path, found.len()) => bail!(
            "{}: exists and is not an fio verify state, so it is not overwritten: set verify_state_save=0, or remove the file",
            path.display()
        ),
        _ => Ok(()),
    }
}
