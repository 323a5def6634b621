//! How much did rates vary? fio's statistics over its samples; plumb's samples are its intervals.

use plumb_model::run::tick::{Phase, Tick};
use plumb_model::workload::operation::OperationKind;

use crate::exporter::figures;

/// Rates of intervals: minimum, maximum, mean, sample deviation, and their number.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Samples {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub deviation: f64,
    pub count: usize,
}

impl Samples {
    /// The deviation of a single sample is 0, as in fio.
    fn of(values: &[f64]) -> Samples {
        if values.is_empty() {
            return Samples::default();
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Samples {
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(0.0, f64::max),
            mean,
            deviation: (squares / (count - 1.0).max(1.0)).sqrt(),
            count: values.len(),
        }
    }

    /// Combined with another job, as fio adds up the processes of a group.
    pub fn add(&mut self, other: Samples) {
        let squares = |samples: &Samples| samples.deviation.powi(2) * samples.count as f64;
        let sum = squares(self) + squares(&other);
        self.count += other.count;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.deviation = (sum / self.count.max(1) as f64).sqrt();
    }
}

/// Rates of the intervals that are not shorter than this.
pub fn samples(kind: OperationKind, ticks: &[&Tick], least_ns: u64) -> (Samples, Samples) {
    of_intervals(ticks, least_ns, |tick| {
        let of = tick.kinds.iter().find(|of| of.kind == kind);
        of.map_or((0, 0), |of| (of.count, of.bytes / kind.directions()))
    })
}

/// The same for one worker, all kinds together.
pub fn worker_samples(worker: u32, ticks: &[&Tick], least_ns: u64) -> (Samples, Samples) {
    of_intervals(ticks, least_ns, |tick| {
        let of = tick.workers.iter().find(|of| of.worker == worker);
        of.map_or((0, 0), |of| (of.operations, of.bytes))
    })
}

/// In operations and in KiB per second.
fn of_intervals(
    ticks: &[&Tick],
    least_ns: u64,
    amounts: impl Fn(&Tick) -> (u64, u64),
) -> (Samples, Samples) {
    let (mut iops, mut kib) = (Vec::new(), Vec::new());
    let measured = ticks.iter().filter(|tick| tick.phase == Phase::Measure);
    for tick in measured.filter(|tick| tick.end_ns.saturating_sub(tick.start_ns) >= least_ns) {
        let (operations, bytes) = amounts(tick);
        iops.extend(figures::per_second(tick, operations));
        kib.extend(figures::per_second(tick, bytes).map(|rate| rate / 1024.0));
    }
    (Samples::of(&iops), Samples::of(&kib))
}
