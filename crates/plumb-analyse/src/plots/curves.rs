//! How does throughput depend on load, and what are the percentiles? Curves and bars over the steps of a sweep.

use std::collections::BTreeMap;

use plumb_model::plan::Step;
use plumb_model::results::series::{Bar, Bars, Curve, CurvePoint, Series};
use plumb_model::results::summary::{StepSummary, Summary};
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::Phase;
use plumb_model::units::Bytes;
use plumb_model::workload::OperationKind;

use crate::figures::executions::executions;
use crate::figures::planned::step_of;
use crate::figures::steady_rounds::counts;
use crate::figures::tally::flushes_apart;
use crate::plots::messages::exchanges_messages;
use crate::statistics::knee::{Knee, Rung, knee};
use crate::statistics::range;

/// The keys that make a ladder of load.
const LOAD_KEYS: [&str; 4] = ["on-ranks", "workers", "depth", "rate"];
/// A ladder of hosts, of values such as `hosts:2` of the key `on-ranks`.
pub(crate) const HOSTS: &str = "hosts";

/// Lowest and highest of the rounds; missing with one round.
pub(crate) fn round_range(
    step: &StepSummary,
    value: impl Fn(&plumb_model::results::summary::RoundSummary) -> Option<f64>,
) -> Option<(f64, f64)> {
    let values: Vec<f64> = step
        .rounds
        .iter()
        .filter(|round| !round.left_out)
        .filter_map(value)
        .collect();
    range(&values).filter(|_| values.len() > 1)
}

/// One curve per group and combination of the other swept keys, wherever depth, workers or rate is swept; points in rising order of load.
pub fn throughput_latency(summary: &Summary) -> Vec<Curve> {
    let mut groups: Vec<(String, Vec<&StepSummary>)> = Vec::new();
    for step in summary.steps.iter().filter(|step| step.total.is_measured()) {
        let Some(planned) = step_of(summary, step) else {
            continue;
        };
        if !step
            .swept
            .keys()
            .any(|key| LOAD_KEYS.contains(&key.as_str()))
        {
            continue;
        }
        let name = group_name(planned, step, &LOAD_KEYS);
        match groups.iter_mut().find(|(held, _)| *held == name) {
            Some((_, steps)) => steps.push(step),
            None => groups.push((name, vec![step])),
        }
    }
    groups
        .into_iter()
        .filter(|(_, steps)| steps.len() > 1)
        .map(|(group, steps)| curve(group, steps))
        .collect()
}

/// The step's group with the swept values that it does not name, but for those of the keys that are drawn over.
fn group_name(planned: &Step, step: &StepSummary, drawn_over: &[&str]) -> String {
    let others = step
        .swept
        .iter()
        .filter(|(key, _)| !drawn_over.contains(&key.as_str()))
        .map(|(key, value)| format!("{key}={value}"));
    let unnamed = others.filter(|word| !planned.group.split(' ').any(|named| named == word));
    unnamed.fold(planned.group.clone(), |name, word| format!("{name} {word}"))
}

/// `2` of `hosts:2`; any other value as it is.
fn count_of(value: &str) -> &str {
    let count = value.strip_prefix(HOSTS);
    count
        .and_then(|count| count.strip_prefix(':'))
        .unwrap_or(value)
}

/// What a key of load is called on a curve.
fn named(key: &str) -> &str {
    match key {
        "on-ranks" => HOSTS,
        key => key,
    }
}

fn curve(group: String, mut steps: Vec<&StepSummary>) -> Curve {
    let number = |step: &StepSummary, key: &str| {
        step.swept
            .get(key)
            .and_then(|value| count_of(value).parse::<f64>().ok())
            .filter(|number| number.is_finite())
    };
    // Only keys that vary within the curve: a key that one line holds fixed names nothing.
    let varies = |key: &&str| {
        steps
            .windows(2)
            .any(|pair| pair[0].swept.get(*key) != pair[1].swept.get(*key))
    };
    let keys: Vec<&str> = LOAD_KEYS.into_iter().filter(varies).collect();
    let load = |step: &StepSummary| {
        keys.iter()
            .map(|key| number(step, key).unwrap_or(1.0))
            .product::<f64>()
    };
    steps.sort_by(|a, b| {
        load(a).total_cmp(&load(b)).then_with(|| {
            number(a, "workers")
                .unwrap_or(1.0)
                .total_cmp(&number(b, "workers").unwrap_or(1.0))
        })
    });
    let label = |step: &StepSummary| {
        keys.iter()
            .filter_map(|key| {
                let value = step.swept.get(*key)?;
                Some(count_of(value).to_string())
            })
            .collect::<Vec<_>>()
            .join(" x ")
    };
    let points: Vec<CurvePoint> = steps.iter().map(|step| point(step, label(step))).collect();
    let rungs: Vec<Rung> = points.iter().filter_map(rung).collect();
    // Every step here has completions and so a rate: rungs and points have the same places, unless a rate is missing.
    let at = match knee(&rungs) {
        Knee::At(at) | Knee::ThenFalls(at)
            if rungs.len() == points.len() && !keys.contains(&"rate") =>
        {
            Some(at)
        }
        _ => None,
    };
    Curve {
        group,
        key: keys.into_iter().map(named).collect::<Vec<_>>().join(" x "),
        points,
        knee: at,
    }
}

fn point(step: &StepSummary, label: String) -> CurvePoint {
    CurvePoint {
        label,
        step: step.step,
        depth: step.requested_depth,
        achieved_depth: step.achieved_depth,
        iops: step.total.iops,
        iops_range: round_range(step, |round| round.iops),
        bandwidth_bytes_per_s: step.total.bandwidth_bytes_per_s,
        mean_ns: step.response_ns.mean,
        p50_ns: step.response_ns.p50,
        p99_ns: step.response_ns.p99,
        p99_9_ns: step.response_ns.p99_9,
    }
}

/// A point as the knee finder wants it.
pub(crate) fn rung(point: &CurvePoint) -> Option<Rung> {
    Some(Rung {
        depth: point.depth.unwrap_or(0.0),
        iops: point.iops?,
        iops_range: point.iops_range,
        latency_ns: point.mean_ns,
    })
}

/// The response-time percentiles of every step: x is the number of nines, -log10(1 - p), from the median as far as there are samples enough.
pub fn percentiles(run: &Run, summary: &Summary) -> Vec<Series> {
    let (executions, _) = executions(run);
    let mut merged: BTreeMap<u32, Histogram> = BTreeMap::new();
    let mut by_kind: BTreeMap<u32, BTreeMap<OperationKind, Histogram>> = BTreeMap::new();
    for execution in executions
        .iter()
        .filter(|execution| counts(summary.steady.as_ref(), &summary.plan, execution))
    {
        let held = merged.entry(execution.step).or_default();
        let ticks = || {
            execution
                .ticks
                .iter()
                .copied()
                .filter(|tick| tick.phase != Phase::WarmUp)
        };
        let without_flushes = flushes_apart(ticks());
        for tick in ticks() {
            let kinds = tick
                .kinds
                .iter()
                .filter(|kind| !without_flushes || kind.kind != OperationKind::Flush);
            kinds.for_each(|kind| held.merge(kind.response.as_ref().unwrap_or(&kind.service)));
            let apart = by_kind.entry(execution.step).or_default();
            for kind in &tick.kinds {
                let times = kind.response.as_ref().unwrap_or(&kind.service);
                apart.entry(kind.kind).or_default().merge(times);
            }
        }
    }
    let kinds = |step: &StepSummary| {
        by_kind
            .get(&step.step)
            .map_or(1, |kinds| kinds.len().max(1))
    };
    let apart = summary.steps.iter().map(kinds).sum::<usize>() <= LINES_OF_KINDS;
    let lines = |step: &StepSummary| -> Vec<Series> {
        match by_kind
            .get(&step.step)
            .filter(|kinds| apart && kinds.len() > 1)
        {
            Some(kinds) => {
                let line = |(kind, times): (&OperationKind, &Histogram)| {
                    percentile_line(format!("{}: {}", step.name, kind.word()), times)
                };
                kinds.iter().filter_map(line).collect()
            }
            None => merged
                .get(&step.step)
                .and_then(|times| percentile_line(step.name.clone(), times))
                .into_iter()
                .collect(),
        }
    };
    summary.steps.iter().flat_map(lines).collect()
}

/// Number of lines up to which each kind of operation of a step has its own: as many as are distinguishable.
const LINES_OF_KINDS: usize = 8;

fn percentile_line(name: String, times: &Histogram) -> Option<Series> {
    let points: Vec<(f64, Option<f64>)> = quantiles(times);
    (!points.is_empty()).then(|| Series {
        name,
        statement: None,
        unit: "ns".into(),
        points,
    })
}

/// From the median (0.301 nines) in steps of a tenth of a nine while the histogram supports the quantile. One walk over the buckets.
pub(crate) fn quantiles(histogram: &Histogram) -> Vec<(f64, Option<f64>)> {
    let nines = std::iter::once(std::f64::consts::LOG10_2)
        .chain((4..=90).map(|tenths| f64::from(tenths) / 10.0));
    let supported = nines
        .map(|nines| (nines, 1.0 - 10f64.powf(-nines)))
        .take_while(|(_, quantile)| histogram.supports(*quantile));
    supported
        .map(|(nines, quantile)| (nines, histogram.quantile_ns(quantile).map(|ns| ns as f64)))
        .collect()
}

/// Bandwidth by block size where the block size is swept; `None` elsewhere.
pub fn block_bars(summary: &Summary) -> Option<Bars> {
    let mut bars: Vec<(u64, Bar)> = Vec::new();
    for step in &summary.steps {
        let (Some(planned), Some(block)) = (step_of(summary, step), step.swept.get("block")) else {
            continue;
        };
        // Sizes of messages are drawn as lines: there are too many of them for bars.
        if exchanges_messages(planned) {
            continue;
        }
        let group = group_name(planned, step, &["block"]);
        let size = block.parse::<Bytes>().map_or(u64::MAX, |bytes| bytes.0);
        let (value, range) = (
            step.total.bandwidth_bytes_per_s,
            round_range(step, |round| round.bandwidth_bytes_per_s),
        );
        bars.push((
            size,
            Bar {
                label: block.clone(),
                group,
                value,
                range,
            },
        ));
    }
    bars.sort_by_key(|(size, _)| *size);
    let bars: Vec<Bar> = bars.into_iter().map(|(_, bar)| bar).collect();
    (!bars.is_empty()).then(|| Bars {
        unit: "bytes/s".into(),
        bars,
    })
}

/// Operations per second of the steps that work on files by name, one bar per kind; `None` when there is none.
pub fn file_operation_bars(summary: &Summary) -> Option<Bars> {
    let mut bars: Vec<Bar> = Vec::new();
    let mut steps = Vec::new();
    for step in &summary.steps {
        let Some(planned) = step_of(summary, step) else {
            continue;
        };
        if !planned
            .jobs
            .iter()
            .any(|job| job.workload.has_file_operations())
        {
            continue;
        }
        let only = step.operations.len() == 1;
        for (kind, operations) in &step.operations {
            let range = if only {
                round_range(step, |round| round.iops)
            } else {
                None
            };
            let group = step.swept.iter().fold(String::new(), |name, (key, value)| {
                format!("{name} {key}={value}")
            });
            steps.push(step.name.as_str());
            bars.push(Bar {
                label: kind.clone(),
                group: group.trim().to_string(),
                value: operations.iops,
                range,
            });
        }
    }
    distinguish(&mut bars, &steps);
    (!bars.is_empty()).then(|| Bars {
        unit: "operations/s".into(),
        bars,
    })
}

/// Bars of one kind and group, of several steps, become groups of their own by the names of the steps: `seq` and `ran` of bonnie's
/// `seq_create` and `ran_create`. `steps` holds the name of the step of each bar.
fn distinguish(bars: &mut [Bar], steps: &[&str]) {
    let alike = |bars: &[Bar]| {
        let twice = |(index, a): (usize, &Bar)| {
            let same = |b: &Bar| b.label == a.label && b.group == a.group;
            bars[..index].iter().any(same)
        };
        bars.iter().enumerate().any(twice)
    };
    if !alike(bars) {
        return;
    }
    for (bar, step) in bars.iter_mut().zip(steps) {
        let first = step.rsplit_once(['_', '-', ' ']);
        let first = first.map_or(*step, |(before, _)| before);
        bar.group = format!("{first} {}", bar.group).trim().to_string();
    }
    // Further kinds of several steps of one such group, such as flushes, have the name of the step.
    let names: Vec<(String, String)> = bars
        .iter()
        .map(|bar| (bar.group.clone(), bar.label.clone()))
        .collect();
    for ((bar, step), name) in bars.iter_mut().zip(steps).zip(&names) {
        if names.iter().filter(|other| *other == name).count() > 1 {
            bar.label = format!("{} ({step})", bar.label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::figures;
    use crate::synthetic::{Builder, Interval, ladder, step};
    use plumb_model::workload::Workload;

    #[test]
    fn one_curve_for_each_group_and_other_setting() {
        let mut steps = ladder("read", &[64, 1, 8]);
        for (pin, depth) in [("false", 1), ("each", 1), ("false", 4), ("each", 4)] {
            let workload = Workload {
                depth,
                ..Workload::default()
            };
            steps.push(step(
                &format!("w pin={pin} depth={depth}"),
                "w",
                &[("depth", &depth.to_string()), ("pin", pin)],
                workload,
            ));
        }
        let mut builder = Builder::new(steps);
        for number in 0..7 {
            builder.execute(number, 0, &[Interval::default()]);
        }
        let run = builder.finish();
        let curves = throughput_latency(&figures(&run));
        let names: Vec<&str> = curves.iter().map(|curve| curve.group.as_str()).collect();
        assert_eq!(names, ["random-read", "w pin=false", "w pin=each"]);
        let labels: Vec<&str> = curves[0]
            .points
            .iter()
            .map(|point| point.label.as_str())
            .collect();
        assert_eq!(
            (labels, curves[0].key.as_str()),
            (vec!["1", "8", "64"], "depth")
        );
    }

    #[test]
    fn percentiles_end_where_the_samples_do() {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        let run = builder.finish();
        let lines = percentiles(&run, &figures(&run));
        let (first, last) = (
            lines[0].points[0],
            lines[0].points[lines[0].points.len() - 1],
        );
        // 10,000 samples: the median to 99.9 %, which has ten beyond it.
        assert!(
            (first.0 - 2f64.log10()).abs() < 1e-9 && (last.0 - 3.0).abs() < 1e-9,
            "{first:?} {last:?}"
        );
        assert!(
            lines[0]
                .points
                .windows(2)
                .all(|pair| pair[0].1 <= pair[1].1)
        );
    }

    #[test]
    fn bars_by_block_size_are_in_order_of_size() {
        let of = |block: &str| {
            step(
                block,
                "sequential-read",
                &[("block", block)],
                Workload::default(),
            )
        };
        let mut builder = Builder::new(vec![of("1m"), of("64k"), of("256k")]);
        for number in 0..3 {
            builder.execute(number, 0, &[Interval::default()]);
            builder.execute(
                number,
                1,
                &[Interval {
                    iops: 20_000.0,
                    ..Interval::default()
                }],
            );
        }
        let bars = block_bars(&figures(&builder.finish())).expect("bars");
        assert_eq!(
            bars.bars
                .iter()
                .map(|bar| bar.label.as_str())
                .collect::<Vec<_>>(),
            ["64k", "256k", "1m"]
        );
        assert_eq!(
            (bars.bars[0].value, bars.bars[0].range),
            (Some(15_000.0 * 4096.0), Some((4.096e7, 8.192e7)))
        );
        assert_eq!(
            block_bars(&figures(&Builder::new(Vec::new()).finish())),
            None
        );
    }

    #[test]
    fn bars_of_one_kind_in_several_steps_are_told_apart() {
        let bar = |label: &str, value: f64| Bar {
            label: label.into(),
            group: String::new(),
            value: Some(value),
            range: None,
        };
        let named = |steps: [&str; 3]| {
            let mut bars = [bar("create", 1.0), bar("create", 2.0), bar("flush", 3.0)];
            distinguish(&mut bars, &steps);
            bars.map(|bar| format!("{}: {}", bar.group, bar.label))
        };
        assert_eq!(
            named(["seq_create", "ran_create", "ran_del"]),
            ["seq: create", "ran: create", "ran: flush"]
        );
        assert_eq!(
            named(["a_x", "a_y", "b"]),
            ["a: create (a_x)", "a: create (a_y)", "b: flush"]
        );
    }
}
