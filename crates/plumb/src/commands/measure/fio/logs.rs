//! Which logs do the jobs request (write_bw_log, write_lat_log, write_iops_log, write_hist_log)? Written after the run; only logs of earlier runs are overwritten.

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use plumb_model::plan::Plan;
use plumb_model::workload::{IoPriority, Workload};
use plumb_plan::Entry as Key;
use plumb_plan::fio_command::{Understood, WrittenJob};
use plumb_record::OperationReader;
use plumb_record::exporter::Subject;
use plumb_record::exporter::fio::block_bytes;
use plumb_record::exporter::fio_report::{Form, Log, RunPart, is_log, log, log_each, pack, unpack};

use super::jobs::{file_operation_direction, job_of, joined};

/// Options supported here that have no effect if a job file is run as a plan.
pub const CARRIED_OUT: &[&str] = &[
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_hist_log",
    "log_hist_msec",
    "log_hist_coarseness",
    "log_max_value",
    "log_window_value",
    "log_offset",
    "log_prio",
    "log_issue_time",
    "log_compression",
    "log_compression_cpus",
    "log_store_compressed",
    "log_entries",
    "log_unix_epoch",
    "log_alternate_epoch",
    "log_alternate_epoch_clock_id",
    "per_job_logs",
    "bwavgtime",
];

/// Bytes of a file that are read to recognize it.
const KNOWN_BY_BYTES: u64 = 4096;

const OPTIONS: [(&str, &[Log]); 4] = [
    ("write_bw_log", &[Log::Bandwidth]),
    (
        "write_lat_log",
        &[Log::Latency, Log::Submission, Log::Completion],
    ),
    ("write_iops_log", &[Log::Iops]),
    ("write_hist_log", &[Log::CompletionBins]),
];

/// One file.
#[derive(Debug)]
struct Wanted {
    name: String,
    log: Log,
    jobs: Vec<Piece>,
    /// Times count from 1970.
    is_dated: bool,
    /// The text is compressed (`log_store_compressed`).
    is_packed: bool,
}

/// The lines of one job; each begins the times anew.
#[derive(Debug)]
struct Piece {
    parts: Vec<RunPart>,
    form: Form,
    /// A line for every operation, not for every interval.
    is_each: bool,
}

/// All files.
#[derive(Debug, Default)]
pub struct Logs {
    wanted: Vec<Wanted>,
    /// Differences from fio's logs; a sentence without its full stop.
    pub remark: Option<String>,
}

impl Logs {
    /// Those of a command line. The number in a name is that of the first of fio's processes of the job.
    pub fn of(understood: &Understood, plan: &Plan) -> Logs {
        let mut logs = Logs::default();
        let (mut number, mut several, mut other_clock) = (1, false, false);
        for written in &understood.written {
            for entry in joined(written, &understood.job.plan, plan) {
                let before = logs.wanted.len();
                logs.add(written, (number, entry.members), &entry.parts, plan);
                let added = &logs.wanted[before..];
                let of_intervals = |one: &Wanted| one.jobs.iter().any(|piece| !piece.is_each);
                several |= added.iter().any(of_intervals) && entry.members > 1;
                other_clock |= added.iter().any(|one| one.is_dated)
                    && written.is_on("log_alternate_epoch_clock_id");
                number += entry.members;
            }
        }
        let several = several.then_some("one log for all processes of a job (numjobs)");
        let other_clock =
            other_clock.then_some("times since 1970 (CLOCK_REALTIME), not of another clock");
        let empty = logs.wanted.iter().any(|one| one.jobs.is_empty());
        let empty = empty.then_some("no histograms, as in fio, without log_hist_msec");
        let differences = several.into_iter().chain(other_clock);
        let differences: Vec<&str> = differences.chain(empty).collect();
        logs.remark =
            (!differences.is_empty()).then(|| format!("logs have {}", differences.join(", and ")));
        logs
    }

    /// Checks that each log can be written, before anything runs.
    ///
    /// # Errors
    /// A file of that name is not a log, or its folder does not exist.
    pub fn refuse_others(&self) -> anyhow::Result<()> {
        let mut names = self.wanted.iter().map(|wanted| Path::new(&wanted.name));
        names.try_for_each(refuse_others)
    }

    /// Adds the logs of a job of so many clones, the first of which has this number.
    fn add(
        &mut self,
        written: &WrittenJob,
        (number, members): (u32, u32),
        parts: &[RunPart],
        plan: &Plan,
    ) {
        let is_dated = written.is_on("log_unix_epoch") || written.is_on("log_alternate_epoch");
        let is_apart = written.value("per_job_logs") != Some("0");
        for (option, logs) in OPTIONS {
            let Some(stem) = written.given(option) else {
                continue;
            };
            let stem = stem.unwrap_or(&written.name);
            for log in logs.iter().filter(|log| !is_disabled(**log, written)) {
                let word = log.word();
                let is_packed = written.is_on("log_store_compressed");
                let end = if is_packed { ".fz" } else { "" };
                let form = form(*log, written, parts, plan);
                let is_each = *log != Log::CompletionBins && logs_each(written);
                for (clone, parts) in pieces(parts, members, is_each && is_apart) {
                    let number = number + clone;
                    let name = match is_apart {
                        true => format!("{stem}_{word}.{number}.log{end}"),
                        false => format!("{stem}_{word}.log{end}"),
                    };
                    // As fio: without log_hist_msec the file is made, and nothing is in it.
                    let is_empty = *log == Log::CompletionBins && form.window_ns == 0;
                    let job = (!is_empty).then(|| Piece {
                        parts,
                        form: form.clone(),
                        is_each,
                    });
                    match self.wanted.iter_mut().find(|wanted| wanted.name == name) {
                        Some(wanted) => wanted.jobs.extend(job),
                        None => self.wanted.push(Wanted {
                            name,
                            log: *log,
                            jobs: job.into_iter().collect(),
                            is_dated,
                            is_packed,
                        }),
                    }
                }
            }
        }
    }

    /// Writes them. `record`: the run folder.
    ///
    /// # Errors
    /// A file cannot be written, or the record cannot be read.
    pub fn write(&self, subject: &Subject<'_>, record: &Path) -> anyhow::Result<()> {
        if self.wanted.is_empty() {
            return Ok(());
        }
        let mut operations = OperationReader::open(record)?;
        for wanted in &self.wanted {
            let path = Path::new(&wanted.name);
            refuse_others(path)?;
            let written = fs::File::create(path).and_then(|file| {
                let mut out = BufWriter::new(file);
                match wanted.is_packed {
                    true => pack(&mut out, |out| {
                        wanted.write(subject, operations.as_mut(), out)
                    })?,
                    false => wanted.write(subject, operations.as_mut(), &mut out)?,
                }
                out.flush()
            });
            written.with_context(|| format!("{}: the log cannot be written", wanted.name))?;
        }
        Ok(())
    }
}

impl Wanted {
    fn write(
        &self,
        subject: &Subject<'_>,
        mut operations: Option<&mut OperationReader>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let since_ns = self.is_dated.then_some(subject.run.header.started_unix_ns);
        for piece in &self.jobs {
            let form = Form {
                since_ns,
                ..piece.form.clone()
            };
            match operations.as_mut() {
                Some(operations) if piece.is_each => {
                    log_each(subject, operations, &piece.parts, self.log, &form, out)?;
                }
                // No operation was completed.
                None if piece.is_each => {}
                _ => out.write_all(log(subject, &piece.parts, self.log, &form).as_bytes())?,
            }
        }
        Ok(())
    }
}

/// The parts of each clone by itself, with its number from 0, or of all together.
fn pieces(parts: &[RunPart], members: u32, are_apart: bool) -> Vec<(u32, Vec<RunPart>)> {
    if !are_apart || members < 2 {
        return vec![(0, parts.to_vec())];
    }
    let of_worker = |worker: u32| {
        let of = |part: &RunPart| RunPart {
            worker: Some(worker),
            ..part.clone()
        };
        (worker, parts.iter().map(of).collect())
    };
    (0..members).map(of_worker).collect()
}

/// True if its logs have a line for every operation.
fn logs_each(written: &WrittenJob) -> bool {
    milliseconds(written, "log_avg_msec") == 0
}

/// True for a latency that fio is not to measure: it makes no file of it.
fn is_disabled(log: Log, written: &WrittenJob) -> bool {
    match log {
        Log::Latency => written.is_on("disable_lat"),
        Log::Submission => written.is_on("disable_slat"),
        Log::Completion => written.is_on("disable_clat"),
        _ => false,
    }
}

/// Sets `log-each` for jobs whose logs have a line for every operation.
pub fn keep_each(understood: &mut Understood) {
    let Understood { job, written, .. } = understood;
    let requests = |line: usize| {
        let of_line = written.iter().filter(|job| job.line == line);
        let mut logging = of_line.filter(|job| logs_each(job));
        logging.any(|job| {
            let mut options = OPTIONS
                .iter()
                .filter(|(_, logs)| *logs != [Log::CompletionBins]);
            options.any(|(option, _)| job.given(option).is_some())
        })
    };
    for step in job.plan.steps.iter_mut() {
        for job in std::iter::once(&mut step.main).chain(&mut step.beside) {
            if requests(job.line) {
                job.entries.push(Key {
                    key: "log-each".into(),
                    text: "true".into(),
                    line: job.line,
                });
            }
        }
    }
}

/// Prints the text of a compressed log (`--inflate-log`).
///
/// # Errors
/// It cannot be read, or is no such log.
pub fn inflate(path: &Path) -> anyhow::Result<()> {
    let file =
        fs::File::open(path).with_context(|| format!("--inflate-log: {}", path.display()))?;
    let mut out = BufWriter::new(io::stdout().lock());
    unpack(file, &mut out)
        .and_then(|()| out.flush())
        .with_context(|| format!("--inflate-log: {}", path.display()))
}

/// A time in milliseconds; 0 if not given. Invalid values were refused earlier.
pub fn milliseconds(written: &WrittenJob, option: &str) -> u64 {
    let value = written.value(option).and_then(|text| text.parse().ok());
    value.unwrap_or(0)
}

fn form(log: Log, written: &WrittenJob, parts: &[RunPart], plan: &Plan) -> Form {
    let is_histogram = log == Log::CompletionBins;
    let window = match is_histogram {
        true => "log_hist_msec",
        false => "log_avg_msec",
    };
    let job = parts.first().and_then(|part| job_of(part, plan));
    let block = job.map_or(0, |job| block_bytes(&job.workload));
    let window_ns = milliseconds(written, window).saturating_mul(1_000_000);
    Form {
        block: if is_histogram { block } else { 0 },
        window_ns,
        is_largest: written.is_on("log_max_value")
            || written.value("log_window_value") == Some("max"),
        has_largest: window_ns > 0 && written.value("log_window_value") == Some("both"),
        has_offset: written.is_on("log_offset"),
        has_priority: written.is_on("log_prio"),
        priority: job.map_or(0, |job| priority(&job.workload)),
        has_issue_time: written.is_on("log_issue_time"),
        file_operation_direction: file_operation_direction(written).unwrap_or_default(),
        since_ns: None,
        coarseness: milliseconds(written, "log_hist_coarseness").min(6) as u32,
    }
}

/// IOPRIO_CLASS_SHIFT of linux/ioprio.h.
const PRIORITY_CLASS_SHIFT: u16 = 13;

/// The priority of the requests in the form of the kernel.
fn priority(workload: &Workload) -> u16 {
    let priority = workload.io_priority.map(IoPriority::class_and_level);
    priority.map_or(0, |(class, level)| {
        u16::from(class) << PRIORITY_CLASS_SHIFT | u16::from(level)
    })
}

/// True for a compressed log, or an empty file.
fn is_packed_log(path: &Path) -> anyhow::Result<bool> {
    let file =
        fs::File::open(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(unpack(file, &mut io::sink()).is_ok())
}

/// The first complete lines of a file, or the first complete columns of a longer line.
fn head(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let file =
        fs::File::open(path).and_then(|file| file.take(KNOWN_BY_BYTES).read_to_end(&mut bytes));
    file.with_context(|| format!("{}: cannot be read", path.display()))?;
    let is_cut = bytes.len() as u64 == KNOWN_BY_BYTES;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if let Some(end) = text
        .rfind('\n')
        .or_else(|| text.rfind(','))
        .filter(|_| is_cut)
    {
        text.truncate(end);
    }
    Ok(text)
}

/// fio overwrites any file of this name.
fn refuse_others(path: &Path) -> anyhow::Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        bail!(
            "{}: the folder {} of the log does not exist: create it first, or give the log another name",
            path.display(),
            folder.display()
        );
    }
    let Ok(found) = fs::metadata(path) else {
        return Ok(());
    };
    // Reading something other than a file may never end.
    let is_packed = path.extension().is_some_and(|extension| extension == "fz");
    let is_ours = || match is_packed {
        true => is_packed_log(path),
        false => Ok(is_log(&head(path)?)),
    };
    if !found.is_file() || !is_ours()? {
        bail!(
            "{}: exists and is not an fio log, so it is not overwritten: give the log another name, or remove the file",
            path.display()
        );
    }
    Ok(())
}
