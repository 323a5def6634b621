//! What was measured for reads, writes, trims or flushes of one job of fio's report? Sums, times and rates.

use plumb_model::results::summary::{Latency, OperationSummary};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{KindTick, Phase, PriorityTick, Tick, add_priorities};
use plumb_model::run::worker_end::WorkerEnd;
use plumb_model::workload::operation::OperationKind;

use super::super::samples::Samples;
/// Latencies: a histogram, or figures if an imported run has no histogram.
#[derive(Debug, Clone, Default)]
pub struct Times {
    pub histogram: Histogram,
    pub figures: Latency,
}

impl Times {
    /// Nothing is known.
    pub fn is_empty(&self) -> bool {
        self.histogram.count() == 0 && self.figures.count == 0 && self.figures.mean.is_none()
    }

    fn take(&mut self, figures: &Latency, is_first: bool) {
        let are_of_all = is_first && (figures.count > 0 || figures.mean.is_some());
        self.figures = match are_of_all {
            true => figures.clone(),
            // For several jobs or steps together, use the histogram.
            false => Latency {
                count: self.histogram.count(),
                min: self.histogram.min_ns().map(|ns| ns as f64),
                mean: self.histogram.mean_ns(),
                max: self.histogram.max_ns().map(|ns| ns as f64),
                ..Latency::default()
            },
        };
    }
}

/// Times of operations of one I/O priority.
#[derive(Debug, Clone)]
pub struct OfPriority {
    pub class: u16,
    pub level: u16,
    pub completion: Times,
    pub total: Times,
}

impl OfPriority {
    fn of(tick: &PriorityTick) -> OfPriority {
        let times = |histogram: Option<&Histogram>| {
            let mut times = Times {
                histogram: histogram.unwrap_or(&tick.service).clone(),
                figures: Latency::default(),
            };
            times.take(&Latency::default(), false);
            times
        };
        let (class, level) = tick.class_and_level();
        OfPriority {
            class,
            level,
            completion: times(tick.completion.as_ref()),
            total: times(tick.response.as_ref()),
        }
    }
}

/// Reads, writes, trims, or flushes.
#[derive(Debug, Clone, Default)]
pub struct Direction {
    pub count: u64,
    pub bytes: u64,
    pub short: u64,
    /// Messages that did not arrive.
    pub dropped: u64,
    /// Operations that failed; not in `count`.
    pub failed: u64,
    /// 0 if there were no operations.
    pub runtime_s: f64,
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    /// Until the system accepted the operations, fio's slat. Empty if not measured.
    pub submission: Times,
    /// From there to completion, fio's clat; includes the submission if that was not measured separately.
    pub completion: Times,
    /// From when the operation was due.
    pub total: Times,
    pub(super) priorities: Vec<PriorityTick>,
    /// In operations and KiB per second.
    pub iops_samples: Samples,
    pub kib_samples: Samples,
}

/// In milliseconds; anything longer than zero takes at least one.
pub(super) fn whole_ms(seconds: f64) -> u64 {
    let ms = (seconds * 1e3).round() as u64;
    ms.max(u64::from(seconds > 0.0))
}

impl Direction {
    pub fn runtime_ms(&self) -> u64 {
        whole_ms(self.runtime_s)
    }

    /// True if there were operations, counted or not.
    pub fn is_used(&self) -> bool {
        self.count > 0
            || self.iops.is_some_and(|iops| iops > 0.0)
            || self.bytes_per_s.is_some_and(|rate| rate > 0.0)
    }
}

/// What was in flight when the time was over: fio counts it, and its runtime lasts until the last of it. Empty where the figures have it.
#[derive(Debug, Default)]
pub(super) struct Drained<'a> {
    pub seconds: f64,
    pub kinds: Vec<&'a KindTick>,
}

impl<'a> Drained<'a> {
    /// That of a job. With many ranks the figures are those of the time in which all of them ran.
    pub fn of(ticks: &[&'a Tick], ends: &[&WorkerEnd]) -> Drained<'a> {
        let is_counted = ends.iter().any(|end| end.stopped_by.drain_counts());
        let mut drained = Drained::default();
        let left_out = |tick: &&&Tick| tick.phase == Phase::Drain && tick.ranks.is_none();
        for tick in ticks.iter().filter(left_out).filter(|_| !is_counted) {
            drained.seconds += tick.end_ns.saturating_sub(tick.start_ns) as f64 / 1e9;
            drained.kinds.extend(&tick.kinds);
        }
        drained
    }

    /// Operations of this kind, and their bytes.
    fn of_kind(&self, kind: OperationKind) -> (u64, u64) {
        let of_kind = self.kinds.iter().filter(|of| of.kind == kind);
        of_kind.fold((0, 0), |(count, bytes), of| {
            (count + of.count, bytes + of.bytes)
        })
    }
}

impl Direction {
    pub(super) fn add(
        &mut self,
        kind: OperationKind,
        figures: &OperationSummary,
        runtime_s: f64,
        (kinds, drained): (&[&KindTick], &Drained<'_>),
        is_first: bool,
    ) {
        let is_first = is_first || (self.count == 0 && self.completion.is_empty());
        // fio counts the bytes of a message that comes back once.
        let times = kind.directions();
        let (more, more_bytes) = drained.of_kind(kind);
        let (count, bytes) = (figures.count + more, figures.bytes + more_bytes);
        self.count += count;
        self.bytes += bytes / times;
        self.failed += figures.errors_by_kind.values().sum::<u64>();
        self.short += figures.errors_by_kind.get("short").copied().unwrap_or(0);
        self.runtime_s = self.runtime_s.max(runtime_s);
        let (mut iops, mut bytes_per_s) = (figures.iops, figures.bandwidth_bytes_per_s);
        if more > 0 && runtime_s > 0.0 {
            (iops, bytes_per_s) = (
                Some(count as f64 / runtime_s),
                Some(bytes as f64 / runtime_s),
            );
        }
        self.iops = iops;
        self.bytes_per_s = bytes_per_s.map(|rate| rate / times as f64);
        for of in kinds.iter().filter(|of| of.kind == kind) {
            if let Some(split) = &of.split {
                self.submission.histogram.merge(&split.submission);
            }
            let completion = of.split.as_ref().map(|split| &split.completion);
            self.completion
                .histogram
                .merge(completion.unwrap_or(&of.service));
            let total = of.response.as_ref().unwrap_or(&of.service);
            self.total.histogram.merge(total);
            add_priorities(&mut self.priorities, &of.priorities);
        }
        if let Some(submission) = &figures.submission_ns {
            let is_first = is_first || self.submission.is_empty();
            self.submission.take(submission, is_first);
        } else if !self.submission.histogram.is_empty() {
            self.submission.take(&Latency::default(), false);
        }
        let completion = figures.completion_ns.as_ref();
        self.completion
            .take(completion.unwrap_or(&figures.service_ns), is_first);
        self.total.take(&figures.response_ns, is_first);
    }

    /// By I/O priority, in rising order. Empty where all operations have the same.
    pub fn by_priority(&self) -> Vec<OfPriority> {
        let is_one = self.priorities.len() < 2;
        let of = self.priorities.iter().filter(|_| !is_one);
        of.map(OfPriority::of).collect()
    }

    /// Removes flushes with these times.
    pub(super) fn take_out(&mut self, flushes_ns: &[u64]) {
        if flushes_ns.is_empty() || self.completion.histogram.is_empty() {
            return;
        }
        self.count = self.count.saturating_sub(flushes_ns.len() as u64);
        if !self.submission.histogram.is_empty() {
            let at_once = vec![0; flushes_ns.len()];
            self.submission.histogram.take_out(&at_once);
            self.submission.take(&Latency::default(), false);
        }
        for times in [&mut self.completion, &mut self.total] {
            times.histogram.take_out(flushes_ns);
            times.take(&Latency::default(), false);
        }
    }

    pub(super) fn add_samples(&mut self, (iops, kib): (Samples, Samples)) {
        self.iops_samples.add(iops);
        self.kib_samples.add(kib);
    }

    /// Combined with another direction, as with `unified_rw_reporting`.
    pub fn join(&mut self, other: &Direction) {
        let add = |mine: Option<f64>, theirs: Option<f64>| match (mine, theirs) {
            (Some(mine), Some(theirs)) => Some(mine + theirs),
            (mine, theirs) => mine.or(theirs),
        };
        self.count += other.count;
        self.bytes += other.bytes;
        self.short += other.short;
        self.dropped += other.dropped;
        self.runtime_s = self.runtime_s.max(other.runtime_s);
        self.iops = add(self.iops, other.iops);
        self.bytes_per_s = add(self.bytes_per_s, other.bytes_per_s);
        self.submission.histogram.merge(&other.submission.histogram);
        self.completion.histogram.merge(&other.completion.histogram);
        self.total.histogram.merge(&other.total.histogram);
        add_priorities(&mut self.priorities, &other.priorities);
        self.submission.take(&Latency::default(), false);
        self.completion.take(&Latency::default(), false);
        self.total.take(&Latency::default(), false);
        self.iops_samples.add(other.iops_samples);
        self.kib_samples.add(other.kib_samples);
    }
}
