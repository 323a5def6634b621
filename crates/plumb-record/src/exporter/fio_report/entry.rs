//! Which jobs does fio's report have, and which part of the run does each stand for?

use plumb_model::results::summary::StepSummary;
use plumb_model::workload::Workload;

use crate::exporter::fio::{executions, is_known, options};
use crate::exporter::{ExportError, Subject, fio};

/// Where the figures of an entry are: one job in these steps, which follow each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Indices in the plan.
    pub steps: Vec<u32>,
    pub job: u32,
    /// One worker of it; missing: all together.
    pub worker: Option<u32>,
}

/// What is to be told of latencies.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// In percent, rising.
    pub percentiles: Vec<f64>,
    pub of_submission: bool,
    pub of_completion: bool,
    pub of_total: bool,
    /// Latencies at all: `gtod_reduce`, `disable_slat`, `disable_clat`, `disable_lat` and `disable_bw_measurement` leave them out.
    pub submission: bool,
    pub completion: bool,
    pub total: bool,
    pub rates: bool,
    /// Reads, writes and trims as one.
    pub is_mixed: bool,
    /// Rates of the normal text in bits per second (`unit_base=1`, and where messages go over a network).
    pub in_bits: bool,
}

impl Default for Wanted {
    /// As fio does without being asked.
    fn default() -> Wanted {
        Wanted {
            percentiles: vec![
                1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5,
                99.9, 99.95, 99.99,
            ],
            of_submission: false,
            of_completion: true,
            of_total: false,
            submission: true,
            completion: true,
            total: true,
            rates: true,
            is_mixed: false,
            in_bits: false,
        }
    }
}

/// What came to a job that listens, and went from it: it has no load of its own, and nobody measured its latencies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Heard {
    /// Messages, received and sent.
    pub messages: [u64; 2],
    pub bytes: [u64; 2],
    /// From the first byte to the last.
    pub seconds: f64,
    /// When the last came, in nanoseconds since 1970; missing where nothing came.
    pub ended_unix_ns: Option<u64>,
}

/// One job of fio's report: with `group_reporting` several together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    pub name: String,
    pub group: u32,
    /// fio's processes or threads: plumb's workers.
    pub members: u32,
    pub places: Vec<Place>,
    /// What was given for it; bare flags have 1.
    pub options: Vec<(String, String)>,
    pub description: Option<String>,
    /// Block sizes as the normal text tells them before the start: `bs=(R) 4096B-4096B, (W) ..., (T) ...`.
    pub blocks: String,
    pub wanted: Wanted,
    /// Number of the direction that operations on files count in, as fio counts them for its engines filecreate, filestat and filedelete.
    pub files_as: Option<usize>,
    /// It listens, and has no places.
    pub heard: Option<Heard>,
}

impl Entry {
    /// Executions of its steps, of all rounds.
    pub fn executions(&self, subject: &Subject<'_>, place: &Place) -> Vec<u32> {
        let of = place
            .steps
            .iter()
            .flat_map(|step| executions(subject, *step));
        of.collect()
    }
}

/// The jobs of all steps, from the record alone.
///
/// # Errors
/// There are steps, and none of them reads, writes or trims.
pub fn of_steps(subject: &Subject<'_>) -> Result<Vec<Entry>, ExportError> {
    let mut entries = Vec::new();
    for (group, at) in fio::steps(subject)?.into_iter().enumerate() {
        entries.extend(of_step(subject, &subject.summary.steps[at], group as u32));
    }
    Ok(entries)
}

/// The jobs of one step, from the record alone.
pub fn of_step(subject: &Subject<'_>, step: &StepSummary, group: u32) -> Vec<Entry> {
    let Some(of) = subject.run.header.plan.steps.get(step.step as usize) else {
        return Vec::new();
    };
    let several = of.jobs.len() > 1;
    let known = of.jobs.iter().enumerate().filter(|(_, job)| is_known(job));
    known
        .map(|(number, job)| {
            let engine = match step.jobs.get(number).filter(|_| several) {
                Some(job) => &job.engine,
                None => &step.engine,
            };
            let name = if several && !job.name.is_empty() {
                format!("{}: {}", step.name, job.name)
            } else {
                step.name.clone()
            };
            let mut options: Vec<(String, String)> = options(job, engine).into_iter().collect();
            options.insert(0, ("name".into(), name.clone()));
            Entry {
                name,
                group,
                members: job.workload.workers.max(1),
                places: vec![Place {
                    steps: vec![step.step],
                    job: number as u32,
                    worker: None,
                }],
                options,
                description: None,
                blocks: blocks(&job.workload),
                wanted: Wanted {
                    of_total: true,
                    ..Wanted::default()
                },
                files_as: None,
                heard: None,
            }
        })
        .collect()
}

/// Least and most of the block sizes, for each direction.
pub fn blocks(workload: &Workload) -> String {
    between(
        workload.smallest_block_bytes(),
        workload.largest_block_bytes(),
    )
}

/// The same of two sizes.
pub fn between(least: u64, most: u64) -> String {
    let one = |letter: char| format!("({letter}) {least}B-{most}B");
    format!("bs={}, {}, {}", one('R'), one('W'), one('T'))
}
