//! What are the figures of an interval, and those of an execution so far?

use std::collections::BTreeMap;

use plumb_analyse::figures::executions::covered_ns;
use plumb_load::site::{Activity, Progress};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::step_end::StepEnd;
use plumb_model::run::tick::{KindTick, Phase, Tick};
use plumb_model::workload::OperationKind;
use plumb_show::figure::clock_text;
use plumb_show::live::{LiveKind, LivePoint};
use plumb_words::numbers::show_bandwidth;

/// Seconds after which a rate is meaningful.
const PACE_AFTER_S: f64 = 1.0;

/// Counts of the execution that runs, over all its jobs: as the table will show.
#[derive(Default)]
pub(super) struct Tally {
    measured: Moved,
    drained: Moved,
    pub errors: u64,
    pub latencies: Histogram,
    /// By kind: operations and bytes while measured, those of the drain, and latencies of both.
    kinds: BTreeMap<OperationKind, KindTally>,
}

/// Counts of one kind of operation.
#[derive(Default)]
struct KindTally {
    measured: (u64, u64),
    drained: (u64, u64),
    latencies: Histogram,
}

/// What one phase moved.
#[derive(Default)]
struct Moved {
    operations: u64,
    bytes: u64,
    /// First and last moment of its intervals in nanoseconds; those of several jobs overlap.
    intervals: Vec<(u64, u64)>,
}

impl Moved {
    fn add(&mut self, tick: &Tick, without_flushes: bool) {
        self.operations += counted(tick, without_flushes)
            .map(|kind| kind.count)
            .sum::<u64>();
        self.bytes += tick.kinds.iter().map(|kind| kind.bytes).sum::<u64>();
        match self.intervals.last_mut() {
            // A run may last for days: what follows or overlaps is one.
            Some((start_ns, end_ns)) if (*start_ns..=*end_ns).contains(&tick.start_ns) => {
                *end_ns = tick.end_ns.max(*end_ns)
            }
            _ => self.intervals.push((tick.start_ns, tick.end_ns)),
        }
    }
}

impl Tally {
    /// Warm-up is in no figure; the drain in latencies, and in rates where the amount of work was fixed.
    pub fn add(&mut self, tick: &Tick, without_flushes: bool) {
        match tick.phase {
            Phase::WarmUp => return,
            Phase::Measure => self.measured.add(tick, without_flushes),
            Phase::Drain => self.drained.add(tick, without_flushes),
        }
        self.errors += tick
            .kinds
            .iter()
            .flat_map(|kind| kind.errors.values())
            .sum::<u64>();
        for kind in &tick.kinds {
            let tally = self.kinds.entry(kind.kind).or_default();
            let counts = match tick.phase {
                Phase::Drain => &mut tally.drained,
                _ => &mut tally.measured,
            };
            *counts = (counts.0 + kind.count, counts.1 + kind.bytes);
            tally
                .latencies
                .merge(kind.response.as_ref().unwrap_or(&kind.service));
        }
        counted(tick, without_flushes).for_each(|kind| {
            self.latencies
                .merge(kind.response.as_ref().unwrap_or(&kind.service))
        });
    }

    /// Each kind over the measured nanoseconds, where there are several.
    pub fn kinds(&self, ended_by: &StepEnd, ns: u64) -> Vec<LiveKind> {
        let counts = matches!(ended_by, StepEnd::Stopped(reason) if reason.drain_counts());
        let kind = |(kind, tally): (&OperationKind, &KindTally)| {
            let drained = if counts { tally.drained } else { (0, 0) };
            let bytes = tally.measured.1 + drained.1;
            LiveKind {
                name: kind.word().to_string(),
                figures: LivePoint {
                    iops: per_second(tally.measured.0 + drained.0, ns),
                    bandwidth_bytes_per_s: per_second(bytes, ns).filter(|_| bytes > 0),
                    p50_ns: reported(&tally.latencies, 0.5),
                    p99_ns: reported(&tally.latencies, 0.99),
                    ..LivePoint::default()
                },
            }
        };
        match self.kinds.len() {
            0 | 1 => Vec::new(),
            _ => self.kinds.iter().map(kind).collect(),
        }
    }

    /// Operations, bytes and measured nanoseconds.
    pub fn rates(&self, ended_by: &StepEnd) -> (u64, u64, u64) {
        let counts = matches!(ended_by, StepEnd::Stopped(reason) if reason.drain_counts());
        let drained = Some(&self.drained).filter(|_| counts);
        let parts = || std::iter::once(&self.measured).chain(drained);
        let ns = covered_ns(parts().flat_map(|part| part.intervals.iter().copied()));
        (
            parts().map(|part| part.operations).sum(),
            parts().map(|part| part.bytes).sum(),
            ns,
        )
    }
}

/// The kinds of operation that count in the figures of all.
fn counted(tick: &Tick, without_flushes: bool) -> impl Iterator<Item = &KindTick> {
    tick.kinds
        .iter()
        .filter(move |kind| !without_flushes || kind.kind != OperationKind::Flush)
}

/// The figures of one interval of one job.
pub(super) fn point(tick: &Tick, without_flushes: bool) -> LivePoint {
    let mut latencies = Histogram::default();
    counted(tick, without_flushes)
        .for_each(|kind| latencies.merge(kind.response.as_ref().unwrap_or(&kind.service)));
    let (read_bytes, written_bytes) = moved(tick);
    let (operations, bytes) = counted(tick, without_flushes)
        .fold((0, 0), |(operations, bytes), kind| {
            (operations + kind.count, bytes + kind.bytes)
        });
    let ns = tick.end_ns.saturating_sub(tick.start_ns);
    LivePoint {
        time_s: tick.end_ns as f64 / 1e9,
        execution: tick.execution,
        iops: per_second(operations, ns),
        bandwidth_bytes_per_s: per_second(bytes, ns).filter(|_| bytes > 0),
        p50_ns: reported(&latencies, 0.5),
        p99_ns: reported(&latencies, 0.99),
        p999_ns: reported(&latencies, 0.999),
        read_bytes_per_s: read_bytes.and_then(|bytes| per_second(bytes, ns)),
        written_bytes_per_s: written_bytes.and_then(|bytes| per_second(bytes, ns)),
        in_flight: in_flight(tick, ns),
    }
}

/// The figures of each kind in one interval, where there are several.
pub(super) fn kinds_of(tick: &Tick) -> Vec<LiveKind> {
    if tick.kinds.len() < 2 {
        return Vec::new();
    }
    let mut kinds: Vec<&KindTick> = tick.kinds.iter().collect();
    kinds.sort_by_key(|kind| kind.kind);
    let alone = |kind: &KindTick| Tick {
        kinds: vec![kind.clone()],
        workers: Vec::new(),
        ..tick.clone()
    };
    let of = |kind: &KindTick| LiveKind {
        name: kind.kind.word().to_string(),
        figures: point(&alone(kind), false),
    };
    kinds.into_iter().map(of).collect()
}

/// Operations in flight on average: their rate times their mean service time (Little's law). Missing where none has ended.
fn in_flight(tick: &Tick, ns: u64) -> Option<f64> {
    let kinds = tick.kinds.iter().filter(|kind| kind.count > 0);
    let busy_ns: Vec<f64> = kinds
        .filter_map(|kind| Some(kind.service.mean_ns()? * kind.count as f64))
        .collect();
    (ns > 0 && !busy_ns.is_empty()).then(|| busy_ns.iter().sum::<f64>() / ns as f64)
}

/// Bytes that the interval read and wrote, each missing if nothing of the kind was requested.
pub(super) fn moved(tick: &Tick) -> (Option<u64>, Option<u64>) {
    let (mut read, mut written) = (None, None);
    for kind in &tick.kinds {
        let (reads, writes) = directions(kind.kind);
        if reads {
            *read.get_or_insert(0) += kind.bytes;
        }
        if writes {
            *written.get_or_insert(0) += kind.bytes;
        }
    }
    (read, written)
}

/// Whether bytes of an operation are read, and whether they are written.
fn directions(kind: OperationKind) -> (bool, bool) {
    match kind {
        OperationKind::Read | OperationKind::ReadFile | OperationKind::Receive => (true, false),
        OperationKind::Write
        | OperationKind::Create
        | OperationKind::Send
        | OperationKind::Copy => (false, true),
        OperationKind::Rewrite => (true, true),
        _ => (false, false),
    }
}

pub(super) fn per_second(count: u64, ns: u64) -> Option<f64> {
    (ns > 0).then(|| count as f64 * 1e9 / ns as f64)
}

/// A quantile, where there are samples enough for it.
pub(super) fn reported(latencies: &Histogram, quantile: f64) -> Option<f64> {
    latencies
        .quantile_ns(quantile)
        .filter(|_| latencies.supports(quantile))
        .map(|ns| ns as f64)
}

/// ` at 410 MB/s, about 0:07 left` of the preparation; nothing while the pace is not known.
pub fn pace_text(seconds: f64, written: u64, progress: &Progress<'_>) -> String {
    if seconds < PACE_AFTER_S || written == 0 || progress.activity == Activity::Syncing {
        return String::new();
    }
    let bytes_per_s = written as f64 / seconds;
    let left_s = progress.total_bytes.saturating_sub(progress.done_bytes) as f64 / bytes_per_s;
    format!(
        " at {}, about {} left",
        show_bandwidth(bytes_per_s),
        clock_text(left_s)
    )
}
