//! Which jobs does fio's report have, and which part of the run does each cover?

use plumb_model::results::summary::StepSummary;
use plumb_model::workload::Workload;

use super::scaled::binary;
use crate::exporter::fio::{executions, is_known, options};
use crate::exporter::{ExportError, Subject, fio};

/// The part of the run that an entry covers: one job in these consecutive steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunPart {
    /// Indices in the plan.
    pub steps: Vec<u32>,
    pub job: u32,
    /// One worker of the job; missing: all workers together.
    pub worker: Option<u32>,
}

/// What the report shows of latencies and rates.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportOptions {
    /// In percent, ascending.
    pub percentiles: Vec<f64>,
    pub of_submission: bool,
    pub of_completion: bool,
    pub of_total: bool,
    /// Whether latencies are shown at all: `gtod_reduce`, `disable_slat`, `disable_clat`, `disable_lat` and `disable_bw_measurement` leave them out.
    pub submission: bool,
    pub completion: bool,
    pub total: bool,
    pub rates: bool,
    /// Reads, writes and trims combined.
    pub is_mixed: bool,
    /// Rates of the normal output in bits per second (`unit_base=1`, and for network jobs).
    pub in_bits: bool,
}

impl Default for ReportOptions {
    /// The defaults of fio.
    fn default() -> ReportOptions {
        ReportOptions {
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

/// Traffic of a listening job: it has no load of its own, and its latencies are not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ListenerTraffic {
    /// Messages, received and sent.
    pub messages: [u64; 2],
    pub bytes: [u64; 2],
    /// From the first byte to the last.
    pub seconds: f64,
    /// Time of the last byte, in nanoseconds since 1970; missing if nothing arrived.
    pub ended_unix_ns: Option<u64>,
}

/// One job of fio's report, or several together with `group_reporting`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    pub name: String,
    pub group: u32,
    /// fio's processes or threads, which are plumb's workers.
    pub members: u32,
    pub parts: Vec<RunPart>,
    /// The options given for it; flags without a value have an empty one.
    pub options: Vec<(String, String)>,
    pub description: Option<String>,
    /// Block sizes as the normal output prints them before the start: `bs=(R) 4096B-4096B, (W) ..., (T) ...`.
    pub blocks: String,
    pub report_options: ReportOptions,
    /// Direction that file operations count in, as in fio's engines filecreate, filestat and filedelete.
    pub file_operation_direction: Option<usize>,
    /// Errors are counted and do not end the job (`continue_on_error`, `ignore_error`).
    pub counts_errors: bool,
    /// Set for a job that listens, which has no parts.
    pub listener_traffic: Option<ListenerTraffic>,
}

impl Entry {
    /// The value of an option: the last one counts, and its own before those for all jobs.
    pub fn option<'a>(&'a self, name: &str, global: &'a [(String, String)]) -> Option<&'a str> {
        let of = |given: &'a [(String, String)]| given.iter().rfind(|(known, _)| known == name);
        let found = of(&self.options).or_else(|| of(global));
        found.map(|(_, value)| value.as_str())
    }

    /// Executions of its steps, in all rounds.
    pub fn executions(&self, subject: &Subject<'_>, part: &RunPart) -> Vec<u32> {
        let of = part
            .steps
            .iter()
            .flat_map(|step| executions(subject, *step));
        of.collect()
    }
}

/// The jobs of all steps, from the record alone.
///
/// # Errors
/// There are steps, but none of them reads, writes or trims.
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
                parts: vec![RunPart {
                    steps: vec![step.step],
                    job: number as u32,
                    worker: None,
                }],
                options,
                description: None,
                blocks: blocks(&job.workload),
                report_options: ReportOptions {
                    of_total: true,
                    ..ReportOptions::default()
                },
                file_operation_direction: None,
                counts_errors: false,
                listener_traffic: None,
            }
        })
        .collect()
}

/// Smallest and largest block size, the same for each direction.
pub fn blocks(workload: &Workload) -> String {
    let sizes = (
        workload.smallest_block_bytes(),
        workload.largest_block_bytes(),
    );
    between([sizes; 3])
}

/// Smallest and largest size of reads, writes and trims.
pub fn between(sizes: [(u64, u64); 3]) -> String {
    let of = |(letter, (least, most)): (char, (u64, u64))| {
        let [least, most] = [least, most].map(|bytes| binary(bytes as f64));
        format!("({letter}) {least}-{most}")
    };
    let all: Vec<String> = ['R', 'W', 'T'].into_iter().zip(sizes).map(of).collect();
    format!("bs={}", all.join(", "))
}
