//! Which logs do the jobs want (write_bw_log, write_lat_log, write_iops_log), and where? Written when the run has ended, over logs of earlier runs alone.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use plumb_model::plan::Plan;
use plumb_plan::fio_command::{Understood, WrittenJob};
use plumb_record::exporter::Subject;
use plumb_record::exporter::fio_report::{Log, Place, is_log, log};

use super::jobs::joined;

/// Options that are carried out here, and have no effect where a job file is run as a plan.
pub const CARRIED_OUT: &[&str] = &[
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "per_job_logs",
    "bwavgtime",
];

/// How much of a file is read to know it, in bytes.
const KNOWN_BY_BYTES: u64 = 4096;

const OPTIONS: [(&str, &[Log]); 3] = [
    ("write_bw_log", &[Log::Bandwidth]),
    (
        "write_lat_log",
        &[Log::Latency, Log::Submission, Log::Completion],
    ),
    ("write_iops_log", &[Log::Iops]),
];

/// One file.
#[derive(Debug)]
struct Wanted {
    name: String,
    log: Log,
    /// Each begins the times anew.
    jobs: Vec<Vec<Place>>,
}

/// All files.
#[derive(Debug, Default)]
pub struct Logs {
    wanted: Vec<Wanted>,
    /// What they hold is not what fio would write; a sentence without its full stop.
    pub remark: Option<String>,
}

impl Logs {
    /// Those of a command line. The number in a name is that of the first of fio's processes of the job.
    pub fn of(understood: &Understood, plan: &Plan) -> Logs {
        let mut logs = Logs::default();
        let (mut number, mut several, mut each) = (1, false, false);
        for written in &understood.written {
            for entry in joined(written, &understood.job.plan, plan) {
                let before = logs.wanted.len();
                logs.add(written, number, entry.places);
                if logs.wanted.len() > before {
                    several |= entry.members > 1;
                    each |= written.value("log_avg_msec").is_none_or(|ms| ms == "0");
                }
                number += entry.members;
            }
        }
        let each = each
            .then_some("averages over each interval, where fio without log_avg_msec has every I/O");
        let several = several.then_some("one log for all processes of a job (numjobs)");
        let differences: Vec<&str> = each.into_iter().chain(several).collect();
        logs.remark =
            (!differences.is_empty()).then(|| format!("logs have {}", differences.join(", and ")));
        logs
    }

    /// Whether each can be written: to be known before anything runs.
    ///
    /// # Errors
    /// A file of such a name is no log, or its folder is not there.
    pub fn refuse_others(&self) -> anyhow::Result<()> {
        let mut names = self.wanted.iter().map(|wanted| Path::new(&wanted.name));
        names.try_for_each(refuse_others)
    }

    fn add(&mut self, written: &WrittenJob, number: u32, places: Vec<Place>) {
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
                match self.wanted.iter_mut().find(|wanted| wanted.name == name) {
                    Some(wanted) => wanted.jobs.push(places.clone()),
                    None => self.wanted.push(Wanted {
                        name,
                        log: *log,
                        jobs: vec![places.clone()],
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
            let of = wanted.jobs.iter();
            let text: String = of.map(|places| log(subject, places, wanted.log)).collect();
            let path = Path::new(&wanted.name);
            refuse_others(path)?;
            fs::write(path, text)
                .with_context(|| format!("{}: the log cannot be written", wanted.name))?;
        }
        Ok(())
    }
}

/// The first whole lines of a file.
fn head(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let file =
        fs::File::open(path).and_then(|file| file.take(KNOWN_BY_BYTES).read_to_end(&mut bytes));
    file.with_context(|| format!("{}: cannot be read", path.display()))?;
    let is_cut = bytes.len() as u64 == KNOWN_BY_BYTES;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if let Some(end) = text.rfind('\n').filter(|_| is_cut) {
        text.truncate(end);
    }
    Ok(text)
}

/// fio writes over whatever has the name.
fn refuse_others(path: &Path) -> anyhow::Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        bail!(
            "{}: there is no folder {} for the log: make it first, or give the log another name",
            path.display(),
            folder.display()
        );
    }
    let Ok(found) = fs::metadata(path) else {
        return Ok(());
    };
    // What is no file may never come to an end.
    if !found.is_file() || !is_log(&head(path)?) {
        bail!(
            "{}: is there and is no log of fio, so it is not written over: give the log another name, or remove the file",
            path.display()
        );
    }
    Ok(())
}
