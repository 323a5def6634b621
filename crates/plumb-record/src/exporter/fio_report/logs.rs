//! What would fio's logs of a job hold? A line for each interval and direction: milliseconds since the start, value, direction, block size, priority.

use std::fmt::Write;

use plumb_model::run::tick::{KindTick, Phase, Tick};

use super::entry::Place;
use crate::exporter::fio::{direction, executions};
use crate::exporter::{Subject, figures};

/// What one log holds of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// In 1/s.
    Iops,
    /// In KiB/s.
    Bandwidth,
    /// From when it was due to its end, in nanoseconds.
    Latency,
    /// Until the system had accepted it, in nanoseconds.
    Submission,
    /// From there to its end, in nanoseconds; from its submission where that was not measured.
    Completion,
}

impl Log {
    /// All of them.
    pub const ALL: [Log; 5] = [
        Log::Iops,
        Log::Bandwidth,
        Log::Latency,
        Log::Submission,
        Log::Completion,
    ];

    /// As fio has it in the name of the file (HOWTO.rst, "Log file formats").
    pub fn word(self) -> &'static str {
        match self {
            Log::Iops => "iops",
            Log::Bandwidth => "bw",
            Log::Latency => "lat",
            Log::Submission => "slat",
            Log::Completion => "clat",
        }
    }

    fn value(self, tick: &Tick, of: &KindTick) -> Option<f64> {
        match self {
            Log::Iops => figures::per_second(tick, of.count),
            Log::Bandwidth => figures::per_second(tick, of.bytes).map(|rate| rate / 1024.0),
            Log::Latency => of.response.as_ref().unwrap_or(&of.service).mean_ns(),
            Log::Submission => of.split.as_ref()?.submission.mean_ns(),
            Log::Completion => {
                let split = of.split.as_ref().map(|split| &split.completion);
                split.unwrap_or(&of.service).mean_ns()
            }
        }
    }

    /// The log of some intervals; `block`: the size of the blocks in bytes, 0 as fio has it where it averages. Times count from the first interval, as fio's
    /// do from the start of its job; rounds follow each other.
    pub fn text<'a>(self, ticks: impl Iterator<Item = &'a Tick>, block: u64) -> String {
        let mut out = String::new();
        let mut passed_ns = 0;
        for tick in ticks.filter(|tick| tick.phase == Phase::Measure) {
            passed_ns += tick.end_ns.saturating_sub(tick.start_ns);
            for of in &tick.kinds {
                if let (Some(number), Some(value)) = (direction(of.kind), self.value(tick, of)) {
                    let (ms, value) = (passed_ns / 1_000_000, value.round() as u64);
                    let _ = writeln!(out, "{ms}, {value}, {number}, {block}, 0");
                }
            }
        }
        out
    }
}

/// The log of jobs of a run.
pub fn log(subject: &Subject<'_>, places: &[Place], log: Log) -> String {
    let of = places.iter().map(|place| {
        let steps = place.steps.iter();
        let of: Vec<u32> = steps.flat_map(|step| executions(subject, *step)).collect();
        let ticks = subject.run.ticks.iter();
        log.text(
            ticks.filter(|tick| tick.job == place.job && of.contains(&tick.execution)),
            0,
        )
    });
    of.collect()
}

/// Whether a file holds nothing but lines of such a log, or nothing.
pub fn is_log(text: &str) -> bool {
    let is_number =
        |field: &str| field.trim().parse::<f64>().is_ok() || field.trim().starts_with("0x");
    text.lines()
        .all(|line| line.contains(',') && line.split(',').all(is_number))
}
