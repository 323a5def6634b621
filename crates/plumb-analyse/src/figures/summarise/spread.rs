//! How far did the rates of the intervals spread? Minimum, maximum and standard deviation, by kind of operation and in total.

use std::collections::BTreeMap;

use plumb_model::results::summary::{IntervalSpread, OperationSummary, Spread};
use plumb_model::run::tick::{KindTick, Tick};
use plumb_model::workload::OperationKind;

use crate::figures::executions::Execution;
use crate::figures::tally::flushes_apart;

/// An interval of all jobs that are looked at: its length in seconds, and by kind its operations and bytes.
#[derive(Default)]
struct Interval {
    span_ns: Option<(u64, u64)>,
    kinds: BTreeMap<OperationKind, (u64, u64)>,
}

/// Puts the spread into the figures by kind and of all together, of one job or of all.
pub(super) fn complete(
    operations: &mut BTreeMap<String, OperationSummary>,
    total: Option<&mut OperationSummary>,
    runs: &[&Execution],
    job: Option<u32>,
) {
    let intervals: Vec<Interval> = runs
        .iter()
        .flat_map(|execution| intervals(execution, job))
        .collect();
    for (kind, figures) in operations.iter_mut() {
        let of_kind = |interval: &Interval| {
            let held = interval.kinds.iter().find(|(held, _)| held.word() == kind);
            held.map_or((0, 0), |(_, moved)| *moved)
        };
        figures.intervals = spread(&intervals, figures, of_kind);
    }
    let Some(total) = total else {
        return;
    };
    let apart = flushes_apart(runs.iter().flat_map(|run| run.ticks.iter().copied()));
    let of_all = |interval: &Interval| {
        let counted = interval
            .kinds
            .iter()
            .filter(|(kind, _)| !apart || **kind != OperationKind::Flush);
        counted.fold((0u64, 0u64), |(count, bytes), (_, more)| {
            (count.saturating_add(more.0), bytes.saturating_add(more.1))
        })
    };
    total.intervals = spread(&intervals, total, of_all);
}

/// The measured intervals of one execution. Those of several jobs that began at the same multiple of the first one's length are one.
fn intervals(execution: &Execution, job: Option<u32>) -> Vec<Interval> {
    let ticks: Vec<&Tick> = execution
        .ticks
        .iter()
        .copied()
        .filter(|tick| execution.in_rates(tick) && job.is_none_or(|job| tick.job == job))
        .collect();
    let mut lengths: Vec<u64> = ticks
        .iter()
        .map(|tick| tick.end_ns.saturating_sub(tick.start_ns))
        .collect();
    lengths.sort_unstable();
    let (Some(start), Some(usual)) = (
        ticks.iter().map(|tick| tick.start_ns).min(),
        lengths.get(lengths.len() / 2).copied(),
    ) else {
        return Vec::new();
    };
    let mut found: BTreeMap<u64, Interval> = BTreeMap::new();
    for tick in ticks {
        let index = (tick.start_ns - start).saturating_add(usual / 2) / usual.max(1);
        let interval = found.entry(index).or_default();
        let (from, to) = interval.span_ns.unwrap_or((tick.start_ns, tick.end_ns));
        interval.span_ns = Some((from.min(tick.start_ns), to.max(tick.end_ns)));
        for KindTick {
            kind, count, bytes, ..
        } in &tick.kinds
        {
            let sum = interval.kinds.entry(*kind).or_default();
            *sum = (sum.0.saturating_add(*count), sum.1.saturating_add(*bytes));
        }
    }
    let long_enough = |interval: &Interval| {
        interval
            .span_ns
            .is_some_and(|(from, to)| to.saturating_sub(from) >= usual / 10 * 9)
    };
    found.into_values().filter(long_enough).collect()
}

/// The spread of a figure over the intervals; `None` for fewer than two.
fn spread(
    intervals: &[Interval],
    figures: &OperationSummary,
    of: impl Fn(&Interval) -> (u64, u64),
) -> Option<IntervalSpread> {
    let mut timed: Vec<(f64, (u64, u64))> = intervals
        .iter()
        .filter_map(|interval| {
            let (from, to) = interval.span_ns?;
            (to > from).then(|| ((to - from) as f64 / 1e9, of(interval)))
        })
        .collect();
    if timed.len() < 2 || timed.iter().all(|(_, (count, _))| *count == 0) {
        return None;
    }
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rates = |amount: fn(&(u64, u64)) -> u64| {
        spread_of(
            timed
                .iter()
                .map(|(length_s, moved)| amount(moved) as f64 / length_s),
        )
    };
    Some(IntervalSpread {
        count: timed.len() as u32,
        length_s: timed[timed.len() / 2].0,
        iops: rates(|(count, _)| *count),
        bandwidth_bytes_per_s: figures
            .bandwidth_bytes_per_s
            .map(|_| rates(|(_, bytes)| *bytes)),
    })
}

fn spread_of(values: impl Iterator<Item = f64> + Clone) -> Spread {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.clone().map(|value| (value - mean).powi(2)).sum();
    Spread {
        min: values.clone().fold(f64::INFINITY, f64::min),
        mean,
        max: values.fold(f64::NEG_INFINITY, f64::max),
        standard_deviation: (squares / (count - 1.0).max(1.0)).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use crate::figures::summarise::figures;
    use crate::synthetic::{Builder, Interval as Synthetic, ladder};

    #[test]
    fn rates_of_intervals_spread_around_their_mean() {
        let mut builder = Builder::new(ladder("read", &[1]));
        let of = |iops: f64| Synthetic {
            iops,
            ..Synthetic::default()
        };
        builder.execute(0, 0, &[of(1000.0), of(3000.0), of(2000.0)]);
        let summary = figures(&builder.finish());
        let step = &summary.steps[0];
        let spread = step.total.intervals.clone().expect("three intervals");
        assert_eq!((spread.count, spread.length_s), (3, 1.0));
        assert_eq!(
            (
                spread.iops.min,
                spread.iops.mean,
                spread.iops.max,
                spread.iops.standard_deviation
            ),
            (1000.0, 2000.0, 3000.0, 1000.0)
        );
        assert_eq!(step.operations["read"].intervals, step.total.intervals);
        assert_eq!(
            spread.bandwidth_bytes_per_s.map(|spread| spread.max),
            Some(3000.0 * 4096.0)
        );
    }

    #[test]
    fn one_interval_does_not_spread() {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Synthetic::default()]);
        assert_eq!(figures(&builder.finish()).steps[0].total.intervals, None);
    }
}
