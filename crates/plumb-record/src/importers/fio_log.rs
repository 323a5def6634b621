//! What did fio log? Latencies, rates and bandwidths of single operations or of time windows, line by line.
//!
//! Only its name shows the kind of a log: NAME_lat.1.log, NAME_clat, NAME_slat, NAME_bw, NAME_iops. Times of `clat` (from the end of the submission) are
//! service times and those of `lat` (from its beginning) response times, as in fio's JSON. A line without a window is one operation, and gives count and
//! bytes in every kind of log. A line of a window has a mean: it gives no distribution, and no count except in an IOPS log.

mod histograms;
mod rows;
#[cfg(test)]
mod tests;
mod windows;

use std::collections::BTreeMap;

use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::run::tick::KindTick;
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Weighted, Workload};

use crate::importer::intervals::{Completed, Intervals};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source, date};
use histograms::{Window, window};
use rows::{LogEntry, has_two_values, row};
use windows::Windows;

pub static IMPORTER: Importer = Importer {
    name: "fio-log",
    program: "fio",
    meaning: "logs that fio writes with write_lat_log, write_bw_log, write_iops_log and write_hist_log, with or without averaging (log_avg_msec); the file name gives the kind: NAME_clat.1.log",
    recognizes,
    import,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Longest time since the start that is accepted: ten years.
const TIME_MAX_MS: u64 = 10 * 366 * 86_400_000;
/// From here on, times count from 1970 (`log_unix_epoch`).
const EPOCH_MS: u64 = 1_000_000_000_000;
/// Number of lines used to recognize a file.
const RECOGNIZED_BY: usize = 5;
/// Most operations and bytes of a file: larger sums would overflow.
const SUM_MAX: u64 = 1 << 58;

/// The quantity in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Lat,
    Clat,
    Slat,
    Bandwidth,
    Iops,
}

impl Measure {
    /// From the file name that fio chooses; also returns the job name before it.
    fn of(name: &str) -> Option<(Measure, &str)> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = file
            .trim_end_matches(".gz")
            .trim_end_matches(".zst")
            .strip_suffix(".log")
            .unwrap_or(file);
        let stem = stem
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_end_matches('.');
        // NAME_clat_hist.1.log has the times of clat in buckets.
        let stem = stem.strip_suffix("_hist").unwrap_or(stem);
        let (job, word) = stem.rsplit_once('_').unwrap_or(("", stem));
        let measure = match word {
            "lat" => Measure::Lat,
            "clat" => Measure::Clat,
            "slat" => Measure::Slat,
            "bw" => Measure::Bandwidth,
            "iops" => Measure::Iops,
            _ => return None,
        };
        Some((measure, job))
    }

    fn word(self) -> &'static str {
        match self {
            Measure::Lat => "lat",
            Measure::Clat => "clat",
            Measure::Slat => "slat",
            Measure::Bandwidth => "bw",
            Measure::Iops => "iops",
        }
    }
}

fn recognizes(head: &Head<'_>) -> bool {
    // The last line may be truncated.
    let lines = || {
        head.bytes
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| line.ends_with(b"\n"))
            .take(RECOGNIZED_BY)
    };
    lines().next().is_some()
        && lines().all(|line| {
            row(line, false).is_some() || has_two_values(line) || window(line).is_some()
        })
}

/// What was read, before it becomes a run.
struct Log {
    measure: Measure,
    /// Time of the first line if times count from 1970.
    epoch_ms: Option<u64>,
    intervals: Intervals,
    windows: Windows,
    /// Block sizes, by direction.
    blocks: BTreeMap<u64, u64>,
    kinds: BTreeMap<OperationKind, u64>,
    /// Submission times, which ticks cannot hold.
    submission: Histogram,
    end_ms: u64,
    rows: u64,
    bytes: u64,
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let Some((measure, job)) = Measure::of(source.name) else {
        return Err(ImportError::of_file(
            "a file name as fio chooses it, such as NAME_clat.1.log, NAME_lat, NAME_slat, NAME_bw or NAME_iops, because the lines do not show which of these it is",
        ));
    };
    let job = if job.is_empty() {
        "fio".to_string()
    } else {
        job.to_string()
    };
    let mut log = Log {
        measure,
        epoch_ms: None,
        intervals: Intervals::default(),
        windows: Windows::default(),
        blocks: BTreeMap::new(),
        kinds: BTreeMap::new(),
        submission: Histogram::default(),
        end_ms: 0,
        rows: 0,
        bytes: 0,
    };
    let (mut line, mut number, mut two_values) = (Vec::new(), 0u64, false);
    let (mut bad, mut first_bad) = (0u64, 0u64);
    while source.next_line(&mut line)? {
        number += 1;
        two_values = two_values || (log.rows == 0 && has_two_values(&line));
        let taken = match window(&line) {
            Some(window) => log.take_window(window),
            None => row(&line, two_values).is_some_and(|row| log.take(row)),
        };
        if !taken && line.iter().any(|byte| !byte.is_ascii_whitespace()) {
            bad += 1;
            first_bad = if bad == 1 { number } else { first_bad };
        }
    }
    if log.rows == 0 || bad > log.rows {
        return Err(ImportError::at(
            first_bad.max(1),
            "'time in ms, value, direction (0, 1 or 2), block size' and perhaps more numbers",
        ));
    }
    let mut builder = RunBuilder::new("fio", None);
    builder.does_not_state(&["offsets", "depth", "direct"]);
    if bad > 0 {
        builder.doubt(
            Statement::new("fio-log-lines-left-out")
                .count("count", bad)
                .name("line", first_bad.to_string()),
        );
    }
    if two_values {
        builder.doubt(Statement::new("fio-log-two-values"));
    }
    log.into_run(builder, &job)
}

impl Log {
    /// Adds a line; returns whether it is valid.
    #[inline]
    fn take(&mut self, row: LogEntry) -> bool {
        let mut time_ms = row.time_ms;
        if time_ms >= EPOCH_MS {
            time_ms = time_ms.saturating_sub(*self.epoch_ms.get_or_insert(time_ms));
        }
        if time_ms > TIME_MAX_MS
            || self.bytes.saturating_add(row.block_bytes) > SUM_MAX
            || row.value > SUM_MAX
        {
            return false;
        }
        self.rows += 1;
        self.end_ms = self.end_ms.max(time_ms);
        if row.block_bytes == 0 {
            self.windows.add(time_ms, row.kind, row.value);
            return true;
        }
        self.bytes += row.block_bytes;
        if self.blocks.len() < 64 || self.blocks.contains_key(&row.block_bytes) {
            *self.blocks.entry(row.block_bytes).or_default() += 1;
        }
        *self.kinds.entry(row.kind).or_default() += 1;
        if self.measure == Measure::Slat {
            self.submission.record(row.value);
        }
        let time_ns = matches!(self.measure, Measure::Lat | Measure::Clat).then_some(row.value);
        self.intervals
            .add(time_ms, row.kind, (1, row.block_bytes), time_ns);
        true
    }

    /// Adds the histogram of a window; returns whether it is valid.
    fn take_window(&mut self, window: Window) -> bool {
        let count = window
            .times
            .iter()
            .fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
        let bytes = count.saturating_mul(window.block_bytes);
        let mut time_ms = window.time_ms;
        if time_ms >= EPOCH_MS {
            time_ms = time_ms.saturating_sub(*self.epoch_ms.get_or_insert(time_ms));
        }
        if time_ms > TIME_MAX_MS || count > SUM_MAX || self.bytes.saturating_add(bytes) > SUM_MAX {
            return false;
        }
        self.rows += 1;
        self.bytes += bytes;
        self.end_ms = self.end_ms.max(time_ms);
        if count > 0 {
            let kinds = self.kinds.entry(window.kind).or_default();
            *kinds = kinds.saturating_add(count);
            if window.block_bytes > 0
                && (self.blocks.len() < 64 || self.blocks.contains_key(&window.block_bytes))
            {
                let blocks = self.blocks.entry(window.block_bytes).or_default();
                *blocks = blocks.saturating_add(count);
            }
        }
        for (time_ns, count) in window.times {
            let bytes = count.saturating_mul(window.block_bytes);
            self.intervals
                .add(time_ms, window.kind, (count, bytes), Some(time_ns));
        }
        true
    }

    fn into_run(mut self, mut builder: RunBuilder, job: &str) -> Result<Vec<Run>, ImportError> {
        if let Some(epoch_ms) = self.epoch_ms {
            let unix_ns = epoch_ms.saturating_mul(1_000_000);
            builder.started(date::rfc3339(unix_ns), unix_ns);
        }
        self.doubts(&mut builder);
        let windows = std::mem::take(&mut self.windows);
        let windowed = !windows.is_empty();
        if windowed && self.measure == Measure::Iops {
            for (time_ms, kind, count) in windows.counts() {
                // A window belongs to the interval in which it ends.
                *self.kinds.entry(kind).or_default() += count;
                self.intervals.add(time_ms, kind, (count, 0), None);
            }
        }
        let workload = self.workload(&windows);
        let step = builder.step(job, || {
            vec![RunBuilder::job(
                "",
                Target::Path("unknown".into()),
                "fio",
                workload,
            )]
        });
        let span = builder.execution(step, self.end_ms as f64 / 1e3);
        if self.submission.count() > 0 {
            builder.reported(
                span,
                0,
                Reported {
                    figures: submission_figures(&self.submission),
                    ..Reported::default()
                },
            );
        }
        if windowed {
            windows.state(&mut builder, span, self.measure.word());
        }
        let measure = self.measure;
        for (start_ms, end_ms, cell) in self.intervals.finish(self.end_ms) {
            let kinds = cell
                .into_iter()
                .map(|completed| kind_tick(measure, completed))
                .collect();
            let on = |ms: u64| ms.saturating_mul(1_000_000);
            builder.interval(span, 0, (on(start_ms), on(end_ms)), kinds);
        }
        Ok(vec![builder.finish()])
    }

    fn doubts(&self, builder: &mut RunBuilder) {
        match self.measure {
            Measure::Clat => builder.doubt(Statement::new("fio-log-of-clat")),
            Measure::Slat => builder.doubt(Statement::new("fio-log-of-slat")),
            Measure::Lat | Measure::Bandwidth | Measure::Iops => {}
        }
        if !self.windows.is_empty() {
            builder.doubt(Statement::new(match self.measure {
                Measure::Iops => "fio-log-windows-of-iops",
                Measure::Bandwidth => "fio-log-windows-of-bandwidth",
                Measure::Lat | Measure::Clat | Measure::Slat => "fio-log-windows-of-latency",
            }));
            if !self.kinds.is_empty() {
                builder.doubt(Statement::new("fio-log-mixed"));
            }
        }
    }

    /// The workload as far as the lines show it; a log does not contain the rest.
    fn workload(&self, windows: &Windows) -> Workload {
        let kinds = self
            .kinds
            .iter()
            .map(|(kind, count)| (*kind, *count as f64))
            .filter(|(_, count)| *count > 0.0);
        let mut mix: Vec<(OperationKind, f64)> = kinds.collect();
        if mix.is_empty() {
            mix = windows.kinds().map(|kind| (kind, 100.0)).collect();
        }
        if mix.is_empty() {
            mix.push((OperationKind::Read, 100.0));
        }
        let blocks: Vec<(Bytes, f64)> = self
            .blocks
            .iter()
            .map(|(block, count)| (Bytes(*block), *count as f64))
            .collect();
        let default = Workload::default();
        Workload {
            mix: Weighted(mix),
            block: if blocks.is_empty() {
                default.block.clone()
            } else {
                Weighted::of(blocks)
            },
            ..default
        }
    }
}

fn kind_tick(measure: Measure, completed: Completed) -> KindTick {
    let mut empty = Histogram::default();
    empty.shrink();
    let (service, response) = match measure {
        Measure::Lat => (empty, Some(completed.times)),
        _ => (completed.times, None),
    };
    KindTick {
        kind: completed.kind,
        count: completed.count,
        bytes: completed.bytes,
        errors: completed.errors,
        service,
        response,
        split: None,
        priorities: Vec::new(),
    }
}

/// Mean, extremes and percentiles of all submissions, in nanoseconds.
fn submission_figures(times: &Histogram) -> Vec<ReportedFigure> {
    let at = |quantile: f64| {
        times
            .quantile_ns(quantile)
            .filter(|_| times.supports(quantile))
            .map(|ns| ns as f64)
    };
    let figures = [
        ("slat mean", times.mean_ns()),
        ("slat 50 %", at(0.5)),
        ("slat 99 %", at(0.99)),
        ("slat 99.9 %", at(0.999)),
        ("slat max", times.max_ns().map(|ns| ns as f64)),
    ];
    figures
        .into_iter()
        .filter_map(|(name, value)| ReportedFigure::known(name, value, "ns"))
        .collect()
}
