//! Which logs do the jobs request (write_bw_log, write_lat_log, write_iops_log, write_hist_log)? Written after the run; only logs of earlier runs are overwritten.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use plumb_model::plan::Plan;
use plumb_plan::fio_command::{Understood, WrittenJob};
use plumb_record::exporter::Subject;
use plumb_record::exporter::fio::block_bytes;
use plumb_record::exporter::fio_report::{Form, Log, RunPart, is_log, log};

use super::jobs::joined;

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
    /// Each begins the times anew.
    jobs: Vec<(Vec<RunPart>, Form)>,
    /// Times count from 1970.
    is_dated: bool,
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
        let (mut number, mut several, mut each, mut other_clock) = (1, false, false, false);
        let mut both = false;
        for written in &understood.written {
            for entry in joined(written, &understood.job.plan, plan) {
                let before = logs.wanted.len();
                logs.add(written, number, entry.parts, plan);
                let added = &logs.wanted[before..];
                several |= !added.is_empty() && entry.members > 1;
                each |= milliseconds(written, "log_avg_msec") == 0
                    && added.iter().any(|one| one.log != Log::CompletionBins);
                other_clock |= added.iter().any(|one| one.is_dated)
                    && written.is_on("log_alternate_epoch_clock_id");
                both |= !added.is_empty() && written.value("log_window_value") == Some("both");
                number += entry.members;
            }
        }
        let each = each.then_some(
            "averages over each interval, while fio without log_avg_msec logs every I/O",
        );
        let several = several.then_some("one log for all processes of a job (numjobs)");
        let other_clock =
            other_clock.then_some("times since 1970 (CLOCK_REALTIME), not of another clock");
        let empty = logs.wanted.iter().any(|one| one.jobs.is_empty());
        let empty = empty.then_some("no histograms, as in fio, without log_hist_msec");
        let differences = each.into_iter().chain(several).chain(other_clock);
        let both =
            both.then_some("averages only, although log_window_value=both also requests maximums");
        let differences: Vec<&str> = differences.chain(empty).chain(both).collect();
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

    fn add(&mut self, written: &WrittenJob, number: u32, parts: Vec<RunPart>, plan: &Plan) {
        let is_dated = written.is_on("log_unix_epoch") || written.is_on("log_alternate_epoch");
        let is_apart = written.value("per_job_logs") != Some("0");
        for (option, logs) in OPTIONS {
            let Some(stem) = written.given(option) else {
                continue;
            };
            let stem = stem.unwrap_or(&written.name);
            for log in logs {
                let word = log.word();
                let name = match is_apart {
                    true => format!("{stem}_{word}.{number}.log"),
                    false => format!("{stem}_{word}.log"),
                };
                let form = form(*log, written, &parts, plan);
                // As fio: without log_hist_msec the file is made, and nothing is in it.
                let is_empty = *log == Log::CompletionBins && form.window_ns == 0;
                let job = (!is_empty).then(|| (parts.clone(), form));
                match self.wanted.iter_mut().find(|wanted| wanted.name == name) {
                    Some(wanted) => wanted.jobs.extend(job),
                    None => self.wanted.push(Wanted {
                        name,
                        log: *log,
                        jobs: job.into_iter().collect(),
                        is_dated,
                    }),
                }
            }
        }
    }

    /// Writes them.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, subject: &Subject<'_>) -> anyhow::Result<()> {
        for wanted in &self.wanted {
            let since_ns = wanted
                .is_dated
                .then_some(subject.run.header.started_unix_ns);
            let of = wanted.jobs.iter().map(|(parts, form)| {
                let form = Form {
                    since_ns,
                    ..form.clone()
                };
                log(subject, parts, wanted.log, &form)
            });
            let text: String = of.collect();
            let path = Path::new(&wanted.name);
            refuse_others(path)?;
            fs::write(path, text)
                .with_context(|| format!("{}: the log cannot be written", wanted.name))?;
        }
        Ok(())
    }
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
    let job = parts.first().and_then(|part| {
        let step = plan.steps.get(*part.steps.first()? as usize)?;
        step.jobs.get(part.job as usize)
    });
    let block = job.map_or(0, |job| block_bytes(&job.workload));
    Form {
        block: if is_histogram { block } else { 0 },
        window_ns: milliseconds(written, window).saturating_mul(1_000_000),
        is_largest: written.is_on("log_max_value")
            || written.value("log_window_value") == Some("max"),
        has_offset: written.is_on("log_offset"),
        has_priority: written.is_on("log_prio"),
        since_ns: None,
        coarseness: milliseconds(written, "log_hist_coarseness").min(6) as u32,
    }
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
    if !found.is_file() || !is_log(&head(path)?) {
        bail!(
            "{}: exists and is not an fio log, so it is not overwritten: give the log another name, or remove the file",
            path.display()
        );
    }
    Ok(())
}
