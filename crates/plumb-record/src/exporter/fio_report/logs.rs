//! What do fio's logs of a job contain? A line for each interval and direction: milliseconds since the start, value, direction, block size, priority.

use std::borrow::Cow;
use std::fmt::Write;

use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{KindTick, Phase, Tick};

use super::entry::RunPart;
use crate::exporter::fio::{direction, executions};
use crate::exporter::{Subject, figures};

/// The quantity in one log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// In 1/s.
    Iops,
    /// In KiB/s.
    Bandwidth,
    /// From when an operation was due to its completion, in nanoseconds.
    Latency,
    /// Until the system accepted it, in nanoseconds.
    Submission,
    /// From there to its completion, in nanoseconds; from its submission if that was not measured.
    Completion,
    /// The latencies of [`Log::Completion`] as a histogram.
    CompletionBins,
}

impl Log {
    /// The logs with one value for each interval.
    pub const ALL: [Log; 5] = [
        Log::Iops,
        Log::Bandwidth,
        Log::Latency,
        Log::Submission,
        Log::Completion,
    ];

    /// As in fio's file names (HOWTO.rst, "Log file formats").
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
        let mut values = value.to_string();
        if form.has_largest {
            let largest = self.value(tick, of, true)?.round() as u64;
            values += &format!(", {largest}");
        }
        let offset = if form.has_offset { ", 0" } else { "" };
        let priority = if form.has_priority { "0x0000" } else { "0" };
        let issue_time = if form.has_issue_time { ", 0" } else { "" };
        Some(format!(
            "{values}, {number}, {block}{offset}, {priority}{issue_time}"
        ))
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
                    // In a histogram log fio writes the direction second, in a value log third.
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
    /// Block size in bytes; 0, as in fio, for averages.
    pub block: u64,
    /// Nanoseconds that a line covers, in full intervals; 0: one line for each interval.
    pub window_ns: u64,
    /// Log the maximum of a window instead of the mean (`log_max_value`). Rates have one value in each.
    pub is_largest: bool,
    /// Add a column for the maximum of a window behind its mean (`log_window_value=both`).
    pub has_largest: bool,
    /// Add a column for the offset in bytes (`log_offset`), which fio sets to 0 for averages.
    pub has_offset: bool,
    /// Write the priority in hexadecimal (`log_prio`), which fio sets to 0 for averages; otherwise whether it is the highest of the realtime class.
    pub has_priority: bool,
    /// The priority of each operation in the form of the kernel (linux/ioprio.h); 0: none of its own. Only for logs of every operation.
    pub priority: u16,
    /// Add a column for the time of submission in nanoseconds (`log_issue_time`), which fio sets to 0 for averages, and in all but the logs of clat and slat.
    pub has_issue_time: bool,
    /// Direction of file operations: 0 read, 1 write. Only for logs of every operation.
    pub file_operation_direction: usize,
    /// Start of the run in nanoseconds since 1970, if times count from 1970 (`log_unix_epoch`). Missing: times count from the start of the job.
    pub since_ns: Option<u64>,
    /// For a histogram: 2 to the power of this many bins are merged into one (`log_hist_coarseness`), at most 6.
    pub coarseness: u32,
}

/// Class 1 (realtime), level 0, with IOPRIO_CLASS_SHIFT of linux/ioprio.h.
const HIGHEST_PRIORITY: u16 = 1 << 13;

impl Form {
    /// True for the highest priority there is.
    pub(super) fn is_urgent(&self) -> bool {
        self.priority == HIGHEST_PRIORITY
    }
}

fn completion(of: &KindTick) -> &Histogram {
    of.split
        .as_ref()
        .map_or(&of.service, |split| &split.completion)
}

/// The measured intervals, merged by window. A window followed by an interval of another round or phase ends with its own last interval.
fn windows<'a>(ticks: impl Iterator<Item = &'a Tick>, window_ns: u64) -> Vec<Cow<'a, Tick>> {
    let mut windows: Vec<Cow<'a, Tick>> = Vec::new();
    // Number of the window, counted from the start of its round.
    let mut begun: Option<(u64, u64)> = None;
    for tick in ticks.filter(|tick| tick.phase == Phase::Measure) {
        if window_ns == 0 {
            windows.push(Cow::Borrowed(tick));
            continue;
        }
        // An interval belongs to the window of its midpoint, because intervals end a little late.
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

/// log2 of fio's latency bins per octave.
const BIN_BITS: u32 = 6;

/// fio's latency bins: 29 groups of 64 (its HOWTO.rst, `log_hist_coarseness`; 1,856 columns in fio 3.33).
const BINS: usize = 29 << BIN_BITS;

/// Number of values in each of fio's bins, 2 to the power of `coarseness` of them merged. Each fio bin consists of two of plumb's, so no count is estimated;
/// values beyond the last bin count in the last, as in fio.
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

/// The log of a job or several.
pub fn log(subject: &Subject<'_>, parts: &[RunPart], log: Log, form: &Form) -> String {
    let of = parts.iter().map(|part| {
        let steps = part.steps.iter();
        let of: Vec<u32> = steps.flat_map(|step| executions(subject, *step)).collect();
        let ticks = subject.run.ticks.iter();
        log.text(
            ticks.filter(|tick| tick.job == part.job && of.contains(&tick.execution)),
            form,
        )
    });
    of.collect()
}

/// True for a file that holds only lines of such a log, or nothing.
pub fn is_log(text: &str) -> bool {
    let is_number =
        |field: &str| field.trim().parse::<f64>().is_ok() || field.trim().starts_with("0x");
    text.lines()
        .all(|line| line.contains(',') && line.split(',').all(is_number))
}
