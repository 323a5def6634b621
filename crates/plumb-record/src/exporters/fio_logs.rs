//! How do the programs that read fio's logs see a run over time? One file per step and figure: milliseconds, value, direction, block size, offset.

use std::fmt::Write;

use plumb_model::run::tick::{KindTick, Phase, Tick};

use crate::exporter::fio::{block_bytes, direction, distinct, executions, is_known, rw, steps};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "fio-logs",
    meaning: "fio's logs of IOPS, bandwidth and latency over time (with log_avg_msec), named as fio-plot -g and bench-fio name them",
    is_text: true,
    export,
};

/// What one log holds of an interval.
type Figure = fn(&Tick, &KindTick) -> Option<f64>;

/// Names of fio's logs, each with what it holds: 1/s, KiB/s, nanoseconds (HOWTO.rst, "Log file formats").
const LOGS: [(&str, Figure); 4] = [
    ("iops", |tick, of| figures::per_second(tick, of.count)),
    ("bw", |tick, of| {
        figures::per_second(tick, of.bytes).map(|rate| rate / 1024.0)
    }),
    ("lat", |_, of| {
        of.response.as_ref().unwrap_or(&of.service).mean_ns()
    }),
    ("clat", |_, of| of.service.mean_ns()),
];

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let mut names = Vec::new();
    let mut files = Vec::new();
    for at in steps(subject)? {
        let step = &subject.summary.steps[at];
        let Some(of) = subject.run.header.plan.steps.get(step.step as usize) else {
            continue;
        };
        let executions = executions(subject, step.step);
        for (number, job) in of.jobs.iter().enumerate().filter(|(_, job)| is_known(job)) {
            let workload = &job.workload;
            let word = rw(workload).replace(':', "-");
            let stem = distinct(
                &mut names,
                &format!(
                    "{word}-iodepth-{}-numjobs-{}",
                    workload.depth, workload.workers
                ),
            );
            let ticks = || {
                subject.run.ticks.iter().filter(|tick| {
                    tick.job == number as u32 && executions.contains(&tick.execution)
                })
            };
            for (name, figure) in LOGS {
                let text = log(ticks(), block_bytes(workload), figure);
                if text.is_empty() {
                    continue;
                }
                files.push(ExportedFile::whole(
                    format!("{stem}_{name}.1.log"),
                    text.into_bytes(),
                ));
            }
        }
    }
    if files.is_empty() {
        return Err(ExportError(
            "the run has no interval of any step, so nothing over time: choose csv or xlsx, which take any run".into(),
        ));
    }
    Ok(files)
}

/// Times count from the first interval of the step, as fio's do from the start of its job; the rounds follow each other.
fn log<'a>(ticks: impl Iterator<Item = &'a Tick>, block: u64, figure: Figure) -> String {
    let mut out = String::new();
    let mut passed_ns = 0;
    for tick in ticks.filter(|tick| tick.phase == Phase::Measure) {
        passed_ns += tick.end_ns.saturating_sub(tick.start_ns);
        for of in &tick.kinds {
            if let (Some(number), Some(value)) = (direction(of.kind), figure(tick, of)) {
                let _ = writeln!(
                    out,
                    "{}, {}, {number}, {block}, 0",
                    passed_ns / 1_000_000,
                    value.round() as u64
                );
            }
        }
    }
    out
}
