//! What would fio's logs of a job hold? A line for each interval and direction: milliseconds since the start, value, direction, block size, priority.

use std::borrow::Cow;
use std::fmt::Write;

use plumb_model::run::histogram::Histogram;
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
    /// The times of [`Log::Completion`] as a histogram.
    CompletionBins,
}

impl Log {
    /// Those of one value for each interval.
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
            Log::CompletionBins => "clat_hist",
        }
    }

    fn value(self, tick: &Tick, of: &KindTick, is_largest: bool) -> Option<f64> {
        let of_times = |times: &Histogram| match is_largest {
            true => times.max_ns().map(|ns| ns as f64),
            false => times.mean_ns(),
        };
        match self {
            Log::Iops => figures::per_second(tick, of.count),
            Log::Bandwidth => figures::per_second(tick, of.bytes).map(|rate| rate / 1024.0),
            Log::Latency => of_times(of.response.as_ref().unwrap_or(&of.service)),
            Log::Submission => of_times(&of.split.as_ref()?.submission),
            Log::Completion | Log::CompletionBins => of_times(completion(of)),
        }
    }

    fn line(self, tick: &Tick, of: &KindTick, form: &Form) -> Option<String> {
        let (number, block) = (direction(of.kind)?, form.block);
        if self == Log::CompletionBins {
            let bins = bins(completion(of), form.coarseness);
            let counts: Vec<String> = bins.iter().map(u64::to_string).collect();
            return Some(format!("{number}, {block}, {}", counts.join(", ")));
        }
        let value = self.value(tick, of, form.is_largest)?.round() as u64;
        let offset = if form.has_offset { ", 0" } else { "" };
        let priority = if form.has_priority { "0x0000" } else { "0" };
        Some(format!("{value}, {number}, {block}{offset}, {priority}"))
    }

    /// The log of some intervals. Times count from the first interval, as fio's do from the start of its job; rounds follow each other.
    pub fn text<'a>(self, ticks: impl Iterator<Item = &'a Tick>, form: &Form) -> String {
        let mut out = String::new();
        let mut passed_ns = 0;
        for tick in windows(ticks, form.window_ns) {
            passed_ns += tick.end_ns.saturating_sub(tick.start_ns);
            let time_ns = form.since_ns.map_or(passed_ns, |start| start + tick.end_ns);
            for of in &tick.kinds {
                if let Some(line) = self.line(&tick, of, form) {
                    // fio writes the direction of a histogram second, and that of a value third.
                    let _ = writeln!(out, "{}, {line}", time_ns / 1_000_000);
                }
            }
        }
        out
    }
}

/// How a log is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    /// Size of the blocks in bytes; 0 as fio has it where it averages.
    pub block: u64,
    /// A line for so many nanoseconds, in whole intervals; 0: for each interval.
    pub window_ns: u64,
    /// The largest time of a window, not the mean (`log_max_value`). Rates have one value in each.
    pub is_largest: bool,
    /// A column for the place in bytes (`log_offset`), which fio has as 0 where it averages.
    pub has_offset: bool,
    /// The priority in hexadecimal (`log_prio`), which fio has as 0 where it averages, and else whether it is a high one.
    pub has_priority: bool,
    /// When the run started, in nanoseconds since 1970: times count from 1970 (`log_unix_epoch`). Missing: from the start of the job.
    pub since_ns: Option<u64>,
    /// Of a histogram: 2 to the power of this many bins are one (`log_hist_coarseness`), at most 6.
    pub coarseness: u32,
}

fn completion(of: &KindTick) -> &Histogram {
    of.split
        .as_ref()
        .map_or(&of.service, |split| &split.completion)
}

/// The measured intervals, those of one window as one. A window that an interval of another round or phase follows ends with its own last.
fn windows<'a>(ticks: impl Iterator<Item = &'a Tick>, window_ns: u64) -> Vec<Cow<'a, Tick>> {
    let mut windows: Vec<Cow<'a, Tick>> = Vec::new();
    // The number of the window, counted from the start of its round.
    let mut begun: Option<(u64, u64)> = None;
    for tick in ticks.filter(|tick| tick.phase == Phase::Measure) {
        if window_ns == 0 {
            windows.push(Cow::Borrowed(tick));
            continue;
        }
        // An interval is in the window that holds its middle: ends come a little late.
        let number = |start_ns: u64| {
            let middle_ns = tick.start_ns.midpoint(tick.end_ns);
            middle_ns.saturating_sub(start_ns) / window_ns
        };
        let last = windows.last_mut().zip(begun);
        let is_taken = last.is_some_and(|(last, (start_ns, of))| {
            number(start_ns) == of && last.to_mut().absorb(tick)
        });
        if !is_taken {
            let follows = windows.last().is_some_and(|last| {
                last.execution == tick.execution && last.end_ns >= tick.start_ns
            });
            let start_ns = match begun {
                Some((start_ns, _)) if follows => start_ns,
                _ => tick.start_ns,
            };
            begun = Some((start_ns, number(start_ns)));
            windows.push(Cow::Borrowed(tick));
        }
    }
    windows
}

/// log2 of fio's bins in an octave of latencies.
const BIN_BITS: u32 = 6;

/// fio's bins of latencies: 29 groups of 64 (its HOWTO.rst, `log_hist_coarseness`; 1,856 columns in fio 3.33).
const BINS: usize = 29 << BIN_BITS;

/// How many values are in each of fio's bins, 2 to the power of `coarseness` of them taken together. fio's bins are two of plumb's each, so that no count
/// is guessed; what is longer than the last is in the last, as in fio.
fn bins(times: &Histogram, coarseness: u32) -> Vec<u64> {
    let coarseness = coarseness.min(BIN_BITS);
    let mut bins = vec![0; BINS >> coarseness];
    for (low_ns, _, count) in times.buckets() {
        let octave = (63 - (low_ns | 1).leading_zeros()).saturating_sub(BIN_BITS);
        let bin = ((octave as usize) << BIN_BITS) + (low_ns >> octave) as usize;
        bins[bin.min(BINS - 1) >> coarseness] += count;
    }
    bins
}

/// The log of jobs of a run.
pub fn log(subject: &Subject<'_>, places: &[Place], log: Log, form: &Form) -> String {
    let of = places.iter().map(|place| {
        let steps = place.steps.iter();
        let of: Vec<u32> = steps.flat_map(|step| executions(subject, *step)).collect();
        let ticks = subject.run.ticks.iter();
        log.text(
            ticks.filter(|tick| tick.job == place.job && of.contains(&tick.execution)),
            form,
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
