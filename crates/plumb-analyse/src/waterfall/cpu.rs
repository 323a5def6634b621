//! How busy were the machines while a layer ran? From counters recorded during the load, on the client and, if recorded, on the server.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::results::series::Series;
use plumb_model::results::waterfall::CpuOverTime;
use plumb_model::run::Run;

use super::laid::Laid;
use crate::figures::counters::BUSY;
use crate::statistics::mean;

/// Largest distance of a sample from its load: counters are read just before the first operation and after the last.
const MARGIN_NS: u64 = 20_000_000;

/// Shortest time for which a CPU share is computed.
const SHORTEST_NS: u64 = 90_000_000;

/// Busy time of all CPUs of one machine, sample by sample.
pub(super) struct Busy {
    /// (nanoseconds since 1970, busy nanoseconds of all CPUs together).
    samples: Vec<(u64, f64)>,
    cpus: usize,
}

impl Busy {
    /// The samples of a run; a sample in which a CPU could not be read is left out.
    pub fn of(run: &Run) -> Busy {
        Busy::of_cores(run, |_| true)
    }

    /// The same of some of its CPUs.
    fn of_cores(run: &Run, chosen: impl Fn(&str) -> bool) -> Busy {
        let mut sums: BTreeMap<u64, (f64, usize)> = BTreeMap::new();
        let mut cpus = BTreeSet::new();
        for reading in run
            .readings
            .iter()
            .filter(|reading| BUSY.contains(&reading.metric.as_ref()))
            .filter(|reading| chosen(&reading.instance))
        {
            cpus.insert(reading.instance.as_str());
            if let Some(value) = reading.value {
                let sum = sums.entry(reading.time_ns).or_default();
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
        let full = sums.values().map(|(_, count)| *count).max().unwrap_or(0);
        let start = run.header.started_unix_ns;
        let samples = sums.into_iter().filter(|(_, (_, count))| *count == full);
        Busy {
            samples: samples
                .map(|(time, (sum, _))| (start.saturating_add(time), sum))
                .collect(),
            cpus: cpus.len(),
        }
    }

    fn between(&self, (from, to): (u64, u64)) -> &[(u64, f64)] {
        let first = self
            .samples
            .partition_point(|(time, _)| *time < from.saturating_sub(MARGIN_NS));
        let end = self
            .samples
            .partition_point(|(time, _)| *time <= to.saturating_add(MARGIN_NS));
        self.samples.get(first..end).unwrap_or_default()
    }

    /// CPUs busy in the mean over a stretch of time; `None` with fewer than two samples in it.
    pub fn cpus_between(&self, stretch: (u64, u64)) -> Option<f64> {
        let samples = self.between(stretch);
        let ((first, before), (last, after)) = (samples.first()?, samples.last()?);
        (last > first && after >= before).then(|| (after - before) / (last - first) as f64)
    }

    /// Percent of all CPUs at the end of each interval of a stretch. The kernel counts busy time in ticks of up to 10 ms on every CPU:
    /// samples closer than [`SHORTEST_NS`] are merged, and the share is at most 100 %.
    fn percent(&self, stretch: (u64, u64), origin: u64) -> Vec<(f64, Option<f64>)> {
        let samples = self.between(stretch);
        let mut kept: Vec<(u64, f64)> = Vec::with_capacity(samples.len());
        for sample in samples {
            let far = |last: &(u64, f64)| sample.0.saturating_sub(last.0) >= SHORTEST_NS;
            if kept.last().is_none_or(far) {
                kept.push(*sample);
            }
        }
        let point = |pair: &[(u64, f64)]| {
            let ((start, before), (end, after)) = (pair[0], pair[1]);
            let share = (end > start && after >= before && self.cpus > 0).then(|| {
                ((after - before) / (end - start) as f64 / self.cpus as f64 * 100.0).min(100.0)
            });
            (end.saturating_sub(origin) as f64 / 1e9, share)
        };
        kept.windows(2).map(point).collect()
    }
}

/// One CPU compared with the others of its machine, mean of the rounds of a step.
pub(super) struct FullestCore {
    pub name: String,
    /// Its busy time, and that of all CPUs of the machine on average, as parts of 1.
    pub busy: f64,
    pub all: f64,
}

/// The busiest CPU of a machine during these time spans; `None` with fewer than two CPUs, or without usable rounds.
pub(super) fn fullest_core(run: &Run, stretches: &[(u64, u64)]) -> Option<FullestCore> {
    let all = Busy::of(run);
    let names: BTreeSet<&str> = run
        .readings
        .iter()
        .filter(|reading| reading.metric.as_ref() == BUSY[0])
        .map(|reading| reading.instance.as_str())
        .collect();
    if names.len() < 2 {
        return None;
    }
    let of = |name: &str| busy_cpus(&Busy::of_cores(run, |core| core == name), stretches);
    let (name, busy) = names
        .into_iter()
        .filter_map(|name| Some((name, of(name)?)))
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(FullestCore {
        name: name.to_owned(),
        busy,
        all: busy_cpus(&all, stretches)? / all.cpus as f64,
    })
}

/// When each round of a step ran, in nanoseconds since 1970.
pub(super) fn stretches(laid: &Laid, step: usize) -> Vec<(u64, u64)> {
    let start = laid.measured.run.header.started_unix_ns;
    let extents = laid
        .measured
        .complete_rounds(step)
        .filter_map(|execution| execution.extent_ns());
    extents
        .map(|(from, to)| (start.saturating_add(from), start.saturating_add(to)))
        .collect()
}

/// CPUs busy, mean of the rounds; `None` without usable rounds.
pub(super) fn busy_cpus(busy: &Busy, stretches: &[(u64, u64)]) -> Option<f64> {
    mean(
        &stretches
            .iter()
            .filter_map(|stretch| busy.cpus_between(*stretch))
            .collect::<Vec<_>>(),
    )
}

pub(super) fn over_time(laid: &[Laid], server: Option<&Run>) -> CpuOverTime {
    let started = laid
        .iter()
        .map(|laid| laid.measured.run.header.started_unix_ns);
    let Some(origin) = started
        .chain(server.map(|run| run.header.started_unix_ns))
        .min()
    else {
        return CpuOverTime::default();
    };
    let mut lines = Vec::new();
    for laid in laid {
        let busy = Busy::of(laid.measured.run);
        let steps = laid.measured.run.header.plan.steps.len();
        let mut all: Vec<(u64, u64)> = (0..steps).flat_map(|step| stretches(laid, step)).collect();
        all.sort_unstable();
        let mut points = Vec::new();
        for stretch in all {
            let part = busy.percent(stretch, origin);
            if let Some((end, _)) = part.last().copied() {
                points.extend(part);
                // A gap until it is this layer's turn again.
                points.push((end, None));
            }
        }
        if points.iter().any(|(_, value)| value.is_some()) {
            lines.push(Series {
                name: laid.layer.name.clone(),
                statement: None,
                unit: "percent".into(),
                points,
            });
        }
    }
    if let Some(run) = server {
        let points = Busy::of(run).percent((0, u64::MAX), origin);
        if !points.is_empty() {
            let name = run
                .header
                .environment
                .text("host.name")
                .map_or_else(|| "server".to_string(), |host| format!("server {host}"));
            lines.push(Series {
                name,
                statement: None,
                unit: "percent".into(),
                points,
            });
        }
    }
    CpuOverTime { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_the_kernel_make_no_more_than_all_cpus() {
        // Two CPUs. 40 ms of busy time in the first 15 ms is what ticks of 10 ms make of them.
        let busy = Busy {
            samples: vec![
                (0, 0.0),
                (15_000_000, 40e6),
                (100_000_000, 100e6),
                (200_000_000, 320e6),
            ],
            cpus: 2,
        };
        let shares = busy.percent((0, 200_000_000), 0);
        assert_eq!(shares, [(0.1, Some(50.0)), (0.2, Some(100.0))]);
    }
}
