//! Which job of fio is which job of the plan? In fio's order, with its groups and the options as written.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use plumb_model::plan::Plan;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::Job;
use plumb_plan::PlanFile;
use plumb_plan::fio_command::{Understood, WrittenJob};
use plumb_plan::fio_job::{Companion, Listener};
use plumb_record::exporter::fio_report::{self, Entry, ListenerTraffic, ReportOptions, RunPart};

/// fio's default block size.
const BLOCK_BYTES: u64 = 4096;

/// fio's jobs, and the global options.
#[derive(Debug, Default)]
pub struct Jobs {
    pub entries: Vec<Entry>,
    pub global: Vec<(String, String)>,
}

/// The jobs of a command line.
pub fn jobs(understood: &Understood, plan: &Plan) -> Jobs {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut group, mut in_group, mut is_joined) = (0, 0, false);
    for written in &understood.written {
        if in_group > 0 && (written.is_on("stonewall") || written.is_on("new_group")) {
            (group, in_group, is_joined) = (group + 1, 0, false);
        }
        in_group += 1;
        let mut found = entries_of(written, &understood.job.plan, plan, group);
        let listeners = understood.job.listeners.iter();
        let listens = listeners.filter(|listener| listener.line == written.line);
        found.extend(listens.map(|listener| listening(written, listener, group)));
        let companions = understood.job.companions.iter();
        let beside = companions.filter(|companion| companion.line == written.line);
        found.extend(beside.map(|companion| companion_entry(written, companion, group)));
        let joins = written.is_on("group_reporting");
        for entry in found {
            let may_join = joins && is_joined && entry.listener_traffic.is_none();
            match entries.last_mut().filter(|_| may_join) {
                Some(last) => {
                    last.members += entry.members;
                    last.parts.extend(entry.parts);
                }
                None => entries.push(entry),
            }
            is_joined = joins
                && entries
                    .last()
                    .is_some_and(|last| last.listener_traffic.is_none());
        }
    }
    Jobs {
        entries,
        global: texts(&understood.global),
    }
}

impl Jobs {
    /// The same with the results of the listening sections, in their order.
    pub fn with_listener_traffic(&self, listener_traffic: &[ListenerTraffic]) -> Jobs {
        let mut entries = self.entries.clone();
        let listening = entries
            .iter_mut()
            .filter(|entry| entry.listener_traffic.is_some());
        listening
            .zip(listener_traffic)
            .for_each(|(entry, listener_traffic)| entry.listener_traffic = Some(*listener_traffic));
        Jobs {
            entries,
            global: self.global.clone(),
        }
    }
}

/// Options with their values; a flag without a value has none.
fn texts(options: &[(String, Option<String>)]) -> Vec<(String, String)> {
    options
        .iter()
        .map(|(name, value)| (name.clone(), value.clone().unwrap_or_default()))
        .collect()
}

/// One section: usually one job. Clones that plumb runs as separate jobs are several.
fn entries_of(written: &WrittenJob, file: &PlanFile, plan: &Plan, group: u32) -> Vec<Entry> {
    let entries = joined(written, file, plan).into_iter();
    let in_group = entries.map(|entry| Entry { group, ..entry });
    in_group.flat_map(|entry| apart(entry, plan)).collect()
}

/// Creates the folders of named files (`filename=folder/file`), as fio does; one named by `directory` must exist.
///
/// # Errors
/// One cannot be created.
pub fn make_folders(understood: &Understood, plan: &Plan) -> anyhow::Result<()> {
    for written in &understood.written {
        let mut directories = written.value("directory").into_iter();
        if written.value("filename").is_none() || directories.any(|name| !Path::new(name).is_dir())
        {
            continue;
        }
        for entry in joined(written, &understood.job.plan, plan) {
            for job in entry.parts.iter().filter_map(|part| job_of(part, plan)) {
                let Target::Path(target) = &job.target else {
                    continue;
                };
                for folder in files_of(job, target)
                    .iter()
                    .filter_map(|file| file.parent())
                {
                    if !folder.as_os_str().is_empty() && !folder.exists() {
                        fs::create_dir_all(folder).with_context(|| {
                            format!("{}: the folder cannot be created", folder.display())
                        })?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The job of the plan that a part comes from, in its first step.
pub fn job_of<'a>(part: &RunPart, plan: &'a Plan) -> Option<&'a Job> {
    let step = plan.steps.get(*part.steps.first()? as usize)?;
    step.jobs.get(part.job as usize)
}

/// The files of a job on this path.
fn files_of(job: &Job, target: &Path) -> Vec<PathBuf> {
    match &job.workload.paths {
        Some(paths) => paths.0.iter().map(|path| target.join(path)).collect(),
        None => vec![target.to_path_buf()],
    }
}

/// fio's lines about the files that it makes, or makes longer, before any job begins.
pub fn layout_lines(understood: &Understood, plan: &Plan) -> String {
    let mut lines = String::new();
    let mut lengths: HashMap<PathBuf, u64> = HashMap::new();
    for written in &understood.written {
        if written
            .value("create_on_open")
            .is_some_and(|text| text != "0")
        {
            continue;
        }
        for entry in joined(written, &understood.job.plan, plan) {
            let job = entry.parts.first().and_then(|part| job_of(part, plan));
            let Some((job, Target::Path(target))) = job.map(|job| (job, &job.target)) else {
                continue;
            };
            let Some(size) = job.workload.size else {
                continue;
            };
            let files = files_of(job, target);
            let wanted = job.workload.start.0 + size.0 / files.len().max(1) as u64;
            let mut short = 0;
            for file in files {
                let found = fs::metadata(&file).ok();
                // Of directories and devices nothing is made.
                if found.as_ref().is_some_and(|found| !found.is_file()) {
                    continue;
                }
                let length = lengths.entry(file);
                let length = length.or_insert_with(|| found.map_or(0, |found| found.len()));
                if *length < wanted {
                    *length = wanted;
                    short += 1;
                }
            }
            let mib = (wanted * short) >> 20;
            let name = &written.name;
            let _ = match short {
                0 => Ok(()),
                1 => writeln!(lines, "{name}: Laying out IO file (1 file / {mib}MiB)"),
                _ => writeln!(
                    lines,
                    "{name}: Laying out IO files ({short} files / total {mib}MiB)"
                ),
            };
        }
    }
    lines
}

/// The same with the workers of a job combined.
pub fn joined(written: &WrittenJob, file: &PlanFile, plan: &Plan) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut step_number = 0;
    for step in &file.steps {
        let values = step
            .sweep
            .iter()
            .map(|(_, values)| values.len())
            .product::<usize>();
        let steps: Vec<u32> = (step_number..step_number + values as u32).collect();
        step_number += values as u32;
        let jobs = std::iter::once(&step.main).chain(&step.beside);
        let own = jobs.enumerate().filter(|(_, job)| job.line == written.line);
        for (clone, (number, _)) in own.enumerate() {
            let part = RunPart {
                steps: steps.clone(),
                job: number as u32,
                worker: None,
            };
            match entries.get_mut(clone) {
                Some(entry) => entry.parts.push(part),
                None => entries.push(entry(written, plan, part)),
            }
        }
    }
    entries
}

/// Clones with separate results: without group_reporting, if the plan reports workers separately.
fn apart(entry: Entry, plan: &Plan) -> Vec<Entry> {
    let is_apart =
        |part: &RunPart| job_of(part, plan).is_some_and(|job| job.workload.workers_apart);
    if entry.members < 2 || !entry.parts.iter().all(is_apart) {
        return vec![entry];
    }
    let of_worker = |worker: u32| {
        let mut one = entry.clone();
        one.members = 1;
        for part in &mut one.parts {
            part.worker = Some(worker);
        }
        one
    };
    (0..entry.members).map(of_worker).collect()
}

fn entry(written: &WrittenJob, plan: &Plan, part: RunPart) -> Entry {
    let job = job_of(&part, plan);
    Entry {
        name: written.name.clone(),
        group: 0,
        members: job.map_or(1, |job| job.workload.workers.max(1)),
        blocks: written_blocks(written)
            .or_else(|| job.map(|job| fio_report::block_sizes(&job.workload)))
            .unwrap_or_default(),
        parts: vec![part],
        options: texts(&written.options),
        description: written.value("description").map(str::to_string),
        report_options: report_options(written),
        file_operation_direction: file_operation_direction(written),
        counts_errors: counts_errors(written),
        listener_traffic: None,
    }
}

/// Sizes per direction, as `bs`, `bsrange` or `bssplit` give them; `None`: the same for all, or not plain numbers.
fn written_blocks(written: &WrittenJob) -> Option<String> {
    let size = |text: &str| Some(text.trim().parse::<Bytes>().ok()?.0);
    let both = |text: &str| match text.split_once('-') {
        Some((least, most)) => Some((size(least)?, size(most)?)),
        None => Some((size(text)?, size(text)?)),
    };
    let split = |text: &str| {
        let sizes = text.split(':').map(|part| size(part.split('/').next()?));
        let sizes = sizes.collect::<Option<Vec<u64>>>()?;
        Some((*sizes.iter().min()?, *sizes.iter().max()?))
    };
    let one = |text: &str| match written.value("bssplit") {
        Some(_) => split(text),
        None => both(text),
    };
    let given = ["bssplit", "bsrange", "bs"];
    let given = given.iter().find_map(|name| written.value(name))?;
    if !given.contains(',') {
        return None;
    }
    // An empty part has fio's default, and the last one counts for those after it.
    let mut parts = given.split(',');
    let mut last = (BLOCK_BYTES, BLOCK_BYTES);
    let mut sizes = [last; 3];
    for place in &mut sizes {
        match parts.next() {
            Some("") => last = (BLOCK_BYTES, BLOCK_BYTES),
            Some(text) => last = one(text)?,
            None => {}
        }
        *place = last;
    }
    Some(fio_report::blocks_between(sizes))
}

/// With these options fio counts errors, and the job continues.
fn counts_errors(written: &WrittenJob) -> bool {
    let goes_on = |value: &str| value != "none" && value != "0";
    written.value("continue_on_error").is_some_and(goes_on)
        || written.value("ignore_error").is_some()
}

/// Whether errors of what this job does are among those that `continue_on_error` names; `ignore_error` names them by number.
fn goes_on_after_errors(written: &WrittenJob) -> bool {
    let rw = written.value("rw").unwrap_or("read");
    let has = |word: &str| rw.contains(word) || rw.starts_with("rw") || rw.starts_with("randrw");
    let (reads, writes) = (has("read"), has("write") || rw.contains("trim"));
    let covers = |value: &str| match value {
        "all" | "io" | "1" => true,
        "read" => !writes,
        "write" => !reads,
        _ => false,
    };
    written.value("continue_on_error").is_some_and(covers)
        || written.value("ignore_error").is_some()
}

/// Lets jobs end at their first error where fio ends them, and go through the target in the same order in each run where they do under fio.
pub fn as_under_fio(understood: &Understood, plan: &mut Plan) {
    let mut clones = 0;
    for written in &understood.written {
        let entries = joined(written, &understood.job.plan, plan);
        let first = clones + 1;
        clones += entries
            .iter()
            .map(|entry| u64::from(entry.members))
            .sum::<u64>();
        let (stops, repeats) = (!goes_on_after_errors(written), repeats_its_order(written));
        for part in entries.into_iter().flat_map(|entry| entry.parts) {
            // Of a search each step would find what the one before has left in caches.
            let repeats = repeats && part.steps.len() == 1;
            for step in part.steps {
                let step = plan.steps.get_mut(step as usize);
                let Some(job) = step.and_then(|step| step.jobs.get_mut(part.job as usize)) else {
                    continue;
                };
                job.workload.stop_at_error |= stops;
                if repeats && job.workload.seed.is_none() {
                    job.workload.seed = Some(first);
                }
            }
        }
    }
}

/// As fio has it, unless the job requests another order in each run.
fn repeats_its_order(written: &WrittenJob) -> bool {
    let given = ["allrandrepeat", "randrepeat"].map(|option| written.value(option));
    given
        .into_iter()
        .flatten()
        .next()
        .is_none_or(|text| text != "0")
}

/// A listening section: its results are added at the end.
fn listening(written: &WrittenJob, listener: &Listener, group: u32) -> Entry {
    Entry {
        name: written.name.clone(),
        group,
        members: 1,
        blocks: fio_report::blocks_between([(listener.block_bytes, listener.block_bytes); 3]),
        options: texts(&written.options),
        description: written.value("description").map(str::to_string),
        report_options: report_options(written),
        listener_traffic: Some(ListenerTraffic::default()),
        ..Entry::default()
    }
}

fn companion_entry(written: &WrittenJob, companion: &Companion, group: u32) -> Entry {
    Entry {
        name: written.name.clone(),
        group,
        members: companion.clones,
        blocks: fio_report::blocks_between([(BLOCK_BYTES, BLOCK_BYTES); 3]),
        options: texts(&written.options),
        description: written.value("description").map(str::to_string),
        report_options: report_options(written),
        ..Entry::default()
    }
}

/// fio counts file operations as the direction of `rw`, although it does not do that I/O.
pub fn file_operation_direction(written: &WrittenJob) -> Option<usize> {
    let is_on_files = |engine: &str| {
        let of = engine
            .strip_prefix("file")
            .or_else(|| engine.strip_prefix("dir"));
        matches!(of, Some("create" | "stat" | "delete"))
    };
    let writes = |rw: &str| rw.contains("write");
    let of_files = written
        .value("ioengine")
        .filter(|engine| is_on_files(engine));
    of_files.map(|_| usize::from(written.value("rw").is_some_and(writes)))
}

/// The output options.
fn report_options(written: &WrittenJob) -> ReportOptions {
    let usual = ReportOptions::default();
    let is_on =
        |name: &str, otherwise: bool| written.value(name).map_or(otherwise, |value| value != "0");
    let reduced = written.is_on("gtod_reduce");
    let percentiles = written.value("percentile_list").map(|list| {
        let mut found: Vec<f64> = list
            .split([':', ','])
            .filter_map(|text| text.trim().parse().ok())
            .filter(|percent| (0.0..=100.0).contains(percent) && *percent > 0.0)
            .collect();
        found.sort_by(f64::total_cmp);
        found
    });
    ReportOptions {
        percentiles: percentiles
            .filter(|found| !found.is_empty())
            .unwrap_or(usual.percentiles),
        of_submission: is_on("slat_percentiles", false),
        of_completion: is_on("clat_percentiles", !reduced),
        of_total: is_on("lat_percentiles", false),
        submission: !reduced && !written.is_on("disable_slat"),
        completion: !reduced && !written.is_on("disable_clat"),
        total: !reduced && !written.is_on("disable_lat"),
        rates: !reduced && !written.is_on("disable_bw_measurement"),
        is_mixed: matches!(written.value("unified_rw_reporting"), Some("1" | "mixed")),
        in_bits: match written.value("unit_base") {
            Some("1") => true,
            Some("8") => false,
            _ => matches!(written.value("ioengine"), Some("net" | "netsplice")),
        },
    }
}
