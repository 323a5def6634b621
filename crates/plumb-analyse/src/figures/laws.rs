//! Which laws do the figures of a run obey, whatever was measured? Sums, percentiles, counters and shares of CPU time.

use plumb_model::environment::Fact;
use plumb_model::results::summary::Latency;
use plumb_model::run::Event;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::metric::Reading;
use plumb_model::run::tick::KindTick;
use plumb_model::statement::Statement;
use plumb_model::workload::{OperationKind, Workload};
use proptest::collection::vec;
use proptest::prelude::*;

use super::counters::{BUSY, Counters, IDLE, counter_rise, cpu_heat_map, scaled_counter_rise};
use super::executions::executions;
use super::summarise::figures;
use super::tally::{Kinds, Tally, latency};
use crate::synthetic::{Builder, Interval, ladder, step};
use crate::two_hosts::on_two_hosts;

fn histogram(values_ns: &[u64]) -> Histogram {
    let mut histogram = Histogram::default();
    values_ns
        .iter()
        .for_each(|value_ns| histogram.record(*value_ns));
    histogram
}

fn merged(parts: &[&Histogram]) -> Histogram {
    let mut all = Histogram::default();
    parts.iter().for_each(|part| all.merge(part));
    all
}

fn percentiles(of: &Latency) -> Vec<f64> {
    let in_order = [
        of.p50,
        of.p90,
        of.p95,
        of.p99,
        of.p99_9,
        of.p99_99,
        of.p99_999,
        of.p99_9999,
    ];
    in_order.into_iter().flatten().collect()
}

/// From 1 ns to 100 s, as many of each order of magnitude.
fn latencies() -> impl Strategy<Value = Vec<u64>> {
    vec((0..11u32, 1.0..10.0), 1..400).prop_map(|values| {
        let value_ns = |(power, factor): (u32, f64)| (10f64.powi(power as i32) * factor) as u64;
        values.into_iter().map(value_ns).collect()
    })
}

proptest! {
    #![proptest_config(crate::laws())]

    #[test]
    fn merging_histograms_is_counting_all_of_them(a in latencies(), b in latencies(), c in latencies()) {
        let all: Vec<u64> = [&a[..], &b, &c].concat();
        let [a, b, c] = [a, b, c].map(|values| histogram(&values));
        let expect = latency(&histogram(&all));
        // In any order, and from either end.
        prop_assert_eq!(&latency(&merged(&[&a, &b, &c])), &expect);
        prop_assert_eq!(&latency(&merged(&[&c, &a, &b])), &expect);
        prop_assert_eq!(&latency(&merged(&[&a, &merged(&[&b, &c])])), &expect);
        prop_assert_eq!(expect.count, all.len() as u64);
        prop_assert_eq!(expect.min, all.iter().min().map(|ns| *ns as f64));
        prop_assert_eq!(expect.max, all.iter().max().map(|ns| *ns as f64));
        let sum: f64 = all.iter().map(|ns| *ns as f64).sum();
        prop_assert!((expect.mean.expect("values") * all.len() as f64 / sum - 1.0).abs() < 1e-9);
    }

    #[test]
    fn percentiles_rise_and_need_ten_values_beyond_them(values in latencies()) {
        let figures = latency(&histogram(&values));
        let stated = percentiles(&figures);
        prop_assert!(stated.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", stated);
        // Each bucket is known to 0.4 %.
        if let (Some(min), Some(max)) = (figures.min, figures.max) {
            prop_assert!(stated.iter().all(|ns| min * 0.995 - 1.0 <= *ns && *ns <= max * 1.005 + 1.0));
        }
        prop_assert_eq!(figures.p50.is_some(), values.len() >= 2);
        prop_assert_eq!(figures.p90.is_some(), values.len() >= 100);
        prop_assert_eq!(figures.p95.is_some(), values.len() >= 200);
        prop_assert!(figures.p99.is_none(), "1,000 values are needed");
        if let Some(p50) = figures.p50 {
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let middle = sorted[sorted.len().div_ceil(2) - 1] as f64;
            prop_assert!((p50 - middle).abs() <= 0.004 * middle + 1.0, "{} {}", p50, middle);
        }
    }

    #[test]
    fn operations_by_kind_and_by_round_add_up_to_the_total(
        rounds in vec(vec((100.0..50_000.0, 0.5..3.0), 1..5), 1..4),
        reads in 1.0..99.0
    ) {
        let workload = Workload {
            mix: plumb_model::workload::Weighted(vec![(OperationKind::Read, reads), (OperationKind::Write, 100.0 - reads)]),
            ..Workload::default()
        };
        let mut builder = Builder::new(vec![step("mixed", "mixed", &[], workload)]);
        for (round, intervals) in rounds.iter().enumerate() {
            let of = |(iops, seconds): &(f64, f64)| Interval { iops: *iops, seconds: *seconds, ..Interval::default() };
            builder.execute(0, round as u32, &intervals.iter().map(of).collect::<Vec<_>>());
        }
        let run = builder.finish();
        let ticked: u64 = run.ticks.iter().flat_map(|tick| &tick.kinds).map(|kind| kind.count).sum();
        let measured_s: f64 = run.ticks.iter().map(|tick| (tick.end_ns - tick.start_ns) as f64 / 1e9).sum();
        let summary = figures(&run);
        let step = &summary.steps[0];
        prop_assert!((step.duration_s / measured_s - 1.0).abs() < 1e-6);
        prop_assert_eq!(step.total.count, ticked);
        prop_assert_eq!(step.operations.values().map(|of| of.count).sum::<u64>(), ticked);
        prop_assert_eq!(step.operations.values().map(|of| of.bytes).sum::<u64>(), step.total.bytes);
        prop_assert_eq!(step.total.bytes, ticked * 4096);
        let iops = step.total.iops.expect("measured time");
        prop_assert!((iops * step.duration_s / ticked as f64 - 1.0).abs() < 1e-9);
        let by_kind: f64 = step.operations.values().filter_map(|of| of.iops).sum();
        prop_assert!((by_kind / iops - 1.0).abs() < 1e-9);
        let bandwidth = step.total.bandwidth_bytes_per_s.expect("data was moved");
        prop_assert!((bandwidth / iops / 4096.0 - 1.0).abs() < 1e-9);
        prop_assert_eq!(step.rounds.len(), rounds.len());
        prop_assert_eq!(step.total.service_ns.count, ticked);
        prop_assert!(percentiles(&step.service_ns).windows(2).all(|pair| pair[0] <= pair[1]));
    }

    #[test]
    fn the_order_of_rounds_decides_nothing(rounds in vec((1_000..50_000u32, 1..4u32), 2..6), turn in 1..5usize) {
        let total = |rounds: &[(u32, u32)]| {
            let mut builder = Builder::new(ladder("read", &[1]));
            for (round, (iops, seconds)) in rounds.iter().enumerate() {
                let interval = Interval { iops: f64::from(*iops), ..Interval::default() };
                builder.execute(0, round as u32, &vec![interval; *seconds as usize]);
            }
            figures(&builder.finish()).steps.remove(0)
        };
        let turn = turn % rounds.len();
        let (now, then) = (total(&rounds), total(&[&rounds[turn..], &rounds[..turn]].concat()));
        prop_assert_eq!((now.total.count, now.total.bytes), (then.total.count, then.total.bytes));
        prop_assert!((now.duration_s - then.duration_s).abs() < 1e-9);
        let near = |a: Option<f64>, b: Option<f64>| a.zip(b).is_some_and(|(a, b)| (a / b - 1.0).abs() < 1e-9);
        prop_assert!(near(now.total.iops, then.total.iops));
        prop_assert!(near(now.total.bandwidth_bytes_per_s, then.total.bandwidth_bytes_per_s));
        // The generator scatters each latency by 0.1 %, by its place in the run.
        let pairs = percentiles(&now.total.service_ns).into_iter().zip(percentiles(&then.total.service_ns));
        prop_assert!(pairs.into_iter().all(|(a, b)| (a / b - 1.0).abs() < 0.01));
    }

    #[test]
    fn a_core_is_busy_for_at_most_all_of_its_time(times in vec(vec(0..1_000_000u64, 7), 2..20)) {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        let mut sums = [0; 7];
        for times in &times {
            builder.now_ns += 1_000_000_000;
            for ((sum, metric), more) in sums.iter_mut().zip(BUSY.iter().chain(&IDLE)).zip(times) {
                *sum += more + 1;
                builder.reading(metric, "0", Some(*sum as f64));
            }
        }
        let map = cpu_heat_map(&builder.finish()).expect("a core that was watched");
        let cells: Vec<f64> = map.cells.concat().into_iter().flatten().collect();
        prop_assert_eq!(cells.len(), times.len() - 1);
        for (percent, times) in cells.iter().zip(&times[1..]) {
            let sum = |times: &[u64]| times.iter().map(|time| (time + 1) as f64).sum::<f64>();
            let expect = 100.0 * sum(&times[..5]) / sum(times);
            prop_assert!((percent - expect).abs() < 1e-9 && *percent <= 100.0, "{} {}", percent, expect);
        }
    }

    #[test]
    fn a_counter_rises_by_the_sum_of_its_steps(steps in vec(0..1_000_000u32, 1..30), start in 0..u32::MAX) {
        // In 32 bits, as the kernel's are that begin again at 2^32.
        let mut values = vec![start];
        steps.iter().for_each(|step| values.push(values[values.len() - 1].wrapping_add(*step)));
        let readings: Vec<Reading> = values.iter().enumerate().map(|(second, value)| Reading {
            metric: "disk.reads".into(),
            instance: "sda".into(),
            time_ns: second as u64 * 1_000_000_000,
            value: Some(f64::from(*value)),
        }).collect();
        let counters = Counters::of(&readings);
        let total: f64 = steps.iter().map(|step| f64::from(*step)).sum();
        prop_assert_eq!(counters.rise("disk.reads", "sda"), Some(total));
        let series = counters.rate("disk.reads", "sda", ("reads", Statement::new("none")), "operations/s").expect("a rate");
        let sum: f64 = series.points.iter().filter_map(|(_, rate)| *rate).sum();
        prop_assert_eq!(sum, total, "one second each");
    }
}

#[test]
fn a_counter_that_falls_has_wrapped_or_was_reset() {
    const WRAP: f64 = 4_294_967_296.0;
    assert_eq!(counter_rise(5.0, 5.0), Some(0.0));
    assert_eq!(counter_rise(WRAP - 1.0, 0.0), Some(1.0));
    assert_eq!(counter_rise(WRAP - 10.0, 20.0), Some(30.0));
    // Half of the range is not one wrap any more, and a counter that was larger than 32 bits does not wrap there.
    assert_eq!(counter_rise(WRAP / 2.0 + 1.0, 0.0), Some(WRAP / 2.0 - 1.0));
    assert_eq!(counter_rise(WRAP / 2.0, 0.0), None);
    assert_eq!(counter_rise(WRAP, 1.0), None);
    assert_eq!(counter_rise(WRAP - 1.0, -1.0), None);
    // 2^32 milliseconds in nanoseconds.
    let milliseconds = scaled_counter_rise(WRAP * 1e6 - 1e6, 2e6, 1e6);
    assert_eq!(milliseconds, Some(3e6));
}

#[test]
fn a_tally_has_rates_only_of_what_it_measured() {
    let tick = |kind, count, bytes| KindTick {
        kind,
        count,
        bytes,
        errors: [("EIO".to_string(), 2)].into(),
        response: None,
        service: histogram(&[1000, 3000]),
        split: None,
        priorities: Vec::new(),
    };
    let mut tally = Tally::default();
    tally.add(&tick(OperationKind::Read, 500, 2_048_000), true);
    // The drain counts in no rate; its latencies and errors do.
    tally.add(&tick(OperationKind::Read, 7, 28_672), false);
    let summary = tally.summary(2.0);
    assert_eq!((summary.count, summary.bytes), (500, 2_048_000));
    assert_eq!(summary.iops, Some(250.0), "500 in 2 s");
    assert_eq!(summary.bandwidth_bytes_per_s, Some(1_024_000.0));
    assert_eq!(summary.errors, 4);
    assert_eq!(summary.service_ns.count, 4);
    assert_eq!(summary.service_ns.mean, Some(2000.0));
    assert_eq!(
        tally.summary(0.0).iops,
        None,
        "no time was measured: no rate"
    );
    // Operations that move no data have no bandwidth; nor have those whose bytes nobody counted.
    let mut metadata = Tally::default();
    metadata.add(&tick(OperationKind::Stat, 10, 0), true);
    assert_eq!(metadata.bandwidth(1.0), None);
    let mut uncounted = Tally::default();
    uncounted.add(&tick(OperationKind::Read, 10, 0), true);
    assert_eq!(uncounted.bandwidth(1.0), None);
    let mut nothing = Tally::default();
    nothing.add(&tick(OperationKind::Read, 0, 0), true);
    assert_eq!(nothing.bandwidth(1.0), Some(0.0));
}

#[test]
fn lost_ranks_have_the_seconds_of_their_notes() {
    let mut builder = Builder::new(ladder("read", &[1]));
    builder.execute(
        0,
        0,
        &[Interval {
            seconds: 4.0,
            ..Interval::default()
        }],
    );
    let mut run = on_two_hosts(builder.finish(), [1000, 3000], 0);
    let mut note = run.notes[0].clone();
    note.time_ns = 2_500_000_000;
    note.event = Event::RankLost {
        execution: Some(0),
        rank: 1,
        host: "hostb".into(),
        why: Statement::new("rank-was-silent").count("seconds", 15),
    };
    run.notes.push(note);
    let ranks = figures(&run).ranks.expect("two ranks");
    assert_eq!((ranks.ranks, ranks.hosts), (2, 2));
    let lost: Vec<(u32, f64)> = ranks
        .lost
        .iter()
        .map(|lost| (lost.rank, lost.time_s))
        .collect();
    assert_eq!(lost, [(1, 2.5)], "2,500,000,000 ns");

    // A rank that never reported, of an execution that the other ended at 1 ms + 4 s.
    run.notes
        .retain(|note| !matches!(&note.event, Event::RankLost { .. }));
    run.notes
        .retain(|note| !matches!(&note.event, Event::RankEnded { end, .. } if end.rank == 1));
    let ranks = figures(&run).ranks.expect("two ranks");
    let lost: Vec<(u32, &str, f64)> = ranks
        .lost
        .iter()
        .map(|lost| (lost.rank, lost.host.as_str(), lost.time_s))
        .collect();
    assert_eq!(lost, [(1, "hostb", 4.001)]);
}

#[test]
fn ranks_add_up_by_host_and_by_rank() {
    let mut builder = Builder::new(ladder("read", &[1]));
    builder.execute(
        0,
        0,
        &[Interval {
            seconds: 4.0,
            ..Interval::default()
        }],
    );
    let run = on_two_hosts(builder.finish(), [1000, 3000], 0);
    let summary = figures(&run);
    let of = summary.steps[0].ranks.as_ref().expect("both reported");
    assert!(!of.jobs_differ);
    assert_eq!(of.start_spread_s, 0.0);
    assert_eq!((of.first_done_s, of.last_done_s), (4.0, 4.0));
    // 4,000 operations of 4 KiB in 4 s.
    assert_eq!(of.iops_until_last_done, 1000.0);
    assert_eq!(of.bandwidth_until_last_done_bytes_per_s, 4_096_000.0);
    for parts in [&of.hosts, &of.ranks] {
        let iops: Vec<f64> = parts.iter().map(|part| part.iops).collect();
        assert_eq!(iops, [250.0, 750.0]);
        let bandwidth: Vec<f64> = parts
            .iter()
            .map(|part| part.bandwidth_bytes_per_s)
            .collect();
        assert_eq!(bandwidth, [1_024_000.0, 3_072_000.0]);
        // Half of the time on a CPU.
        assert!(parts.iter().all(|part| part.cpus == Some(0.5)));
        assert!(parts.iter().all(|part| part.ranks == 1));
    }
    assert_eq!(of.ranks[1].rank, Some(1));
    assert_eq!(of.hosts[1].host, "hostb");
}

#[test]
fn block_sizes_decide_the_bandwidth() {
    let workload = Workload {
        block: "64k".parse().expect("a block size"),
        ..Workload::default()
    };
    let mut builder = Builder::new(vec![step("read", "read", &[], workload)]);
    builder.execute(0, 0, &[Interval::default()]);
    let summary = figures(&builder.finish());
    // 10,000 operations per second of 64 KiB.
    let bandwidth = summary.steps[0].total.bandwidth_bytes_per_s;
    assert_eq!(bandwidth, Some(655_360_000.0));
}

#[test]
fn the_device_by_hand() {
    let mut builder =
        Builder::new(ladder("read", &[1])).fact("device.name", Fact::Text("vda".into()));
    // Over four seconds: 1,000 reads and 200 writes a second, 2 s busy, 8 s of requests waiting.
    let rises = [
        ("disk.reads", 4_000.0),
        ("disk.writes", 800.0),
        ("disk.flushes", 40.0),
        ("disk.read_bytes", 16_384_000.0),
        ("disk.write_bytes", 3_276_800.0),
        ("disk.busy_ns", 2e9),
        ("disk.queue_time_ns", 8e9),
    ];
    for (metric, _) in rises {
        builder.reading(metric, "vda", Some(7.0));
    }
    builder.execute(0, 0, &vec![Interval::default(); 4]);
    // The clock of the builder goes on for a millisecond after the end.
    builder.now_ns -= 1_000_000;
    for (metric, rise) in rises {
        builder.reading(metric, "vda", Some(7.0 + rise));
    }
    let summary = figures(&builder.finish());
    let device = summary.steps[0].device.clone().expect("a device");
    assert_eq!(device.name, "vda");
    assert_eq!(device.reads_per_s, Some(1000.0));
    assert_eq!(device.writes_per_s, Some(200.0));
    assert_eq!(device.flushes_per_s, Some(10.0));
    assert_eq!(device.read_bytes_per_s, Some(4_096_000.0));
    assert_eq!(device.write_bytes_per_s, Some(819_200.0));
    assert_eq!(device.busy_percent, Some(50.0));
    assert_eq!(device.mean_queue, Some(2.0));
}

#[test]
fn cpu_time_by_hand() {
    let mut builder = Builder::new(ladder("read", &[1]));
    let interval = |cpu_percent| Interval {
        seconds: 2.0,
        cpu_percent,
        ..Interval::default()
    };
    // Of each worker a quarter is user time: 10 % and 30 % of two seconds each are 20 % of four.
    builder.execute(0, 0, &[interval(10.0), interval(30.0)]);
    let run = builder.finish();
    let cpu = figures(&run).steps[0].cpu.clone();
    assert_eq!(
        (cpu.user_percent, cpu.system_percent),
        (Some(5.0), Some(15.0))
    );
    assert_eq!(cpu.workers_percent, Some(20.0));
    assert_eq!(cpu.busiest_worker_percent, Some(20.0));
    // 0.8 s for 40,000 operations; a switch for each eighth operation, and one more in each interval.
    assert_eq!(cpu.ns_per_operation, Some(20_000.0));
    assert_eq!(cpu.switches_per_operation, Some(5_002.0 / 40_000.0));
    let mut run = run;
    run.ticks[1].workers[0].cpu_user_ns = None;
    let cpu = figures(&run).steps[0].cpu.clone();
    assert_eq!(cpu.user_percent, None, "one interval is not known");
    assert_eq!(cpu.system_percent, Some(15.0));
    assert_eq!(cpu.ns_per_operation, None);
}

#[test]
fn intervals_of_jobs_that_begin_at_nearly_the_same_time_are_one() {
    let mut steps = ladder("read", &[1]);
    let other = steps[0].jobs[0].clone();
    steps[0].jobs.push(other);
    let mut builder = Builder::new(steps);
    let of = |iops: f64| Interval {
        iops,
        ..Interval::default()
    };
    builder.execute(0, 0, &[of(1000.0), of(2000.0), of(3000.0)]);
    let mut run = builder.finish();
    // The second job's intervals begin 50 ms before or after those of the first.
    for (number, tick) in run
        .ticks
        .iter_mut()
        .filter(|tick| tick.job == 1)
        .enumerate()
    {
        let shift = |time_ns: u64| match number % 2 {
            0 => time_ns + 50_000_000,
            _ => time_ns - 50_000_000,
        };
        (tick.start_ns, tick.end_ns) = (shift(tick.start_ns), shift(tick.end_ns));
    }
    let spread = figures(&run).steps[0]
        .total
        .intervals
        .clone()
        .expect("intervals");
    assert_eq!(spread.count, 3);
    // Both jobs together: 2,000, 4,000 and 6,000 operations in 1.05 s each.
    for (got, expect) in [
        (spread.iops.min, 2000.0),
        (spread.iops.max, 6000.0),
        (spread.iops.mean, 4000.0),
    ] {
        assert!(
            (got * 1.05 / expect - 1.0).abs() < 1e-9,
            "{got} for {expect}"
        );
    }
    assert!((spread.iops.standard_deviation * 1.05 / 2000.0 - 1.0).abs() < 1e-9);
}

#[test]
fn an_interval_that_was_cut_short_is_left_out_of_the_spread() {
    let spread = |last_s: f64| {
        let mut builder = Builder::new(ladder("read", &[1]));
        let of = |seconds: f64| Interval {
            seconds,
            ..Interval::default()
        };
        builder.execute(0, 0, &[of(1.0), of(1.0), of(1.0), of(last_s)]);
        let summary = figures(&builder.finish());
        summary.steps[0]
            .total
            .intervals
            .clone()
            .expect("intervals")
            .count
    };
    assert_eq!((spread(0.9), spread(0.89)), (4, 3));
}

#[test]
fn flushes_among_other_operations_are_no_part_of_the_total() {
    let mix = |mix: &str| {
        let workload = Workload {
            mix: mix.parse().expect("a mix"),
            ..Workload::default()
        };
        let mut builder = Builder::new(vec![step("s", "s", &[], workload)]);
        builder.execute(0, 0, &[Interval::default(), Interval::default()]);
        figures(&builder.finish()).steps.remove(0)
    };
    let mixed = mix("write:75,flush:25");
    assert_eq!(mixed.operations["flush"].count, 5_000);
    assert_eq!(mixed.total.count, 15_000);
    assert_eq!(
        mixed.total.intervals.expect("two intervals").iops.mean,
        7_500.0
    );
    let alone = mix("flush");
    assert_eq!(alone.total.count, 20_000);
    assert_eq!(
        alone.total.intervals.expect("two intervals").iops.mean,
        10_000.0
    );
}

#[test]
fn an_execution_of_a_step_that_the_plan_lacks_is_damage() {
    let mut builder = Builder::new(ladder("read", &[1]));
    builder.execute(0, 0, &[Interval::default()]);
    let (execution, round) = (7, 0);
    builder.note(Event::ExecutionStarted {
        execution,
        step: 1,
        round,
    });
    let run = builder.finish();
    assert_eq!(executions(&run).0.len(), 1);
}

#[test]
fn operations_that_only_failed_leave_flushes_apart() {
    let kind = |kind, count, errors: u64| KindTick {
        kind,
        count,
        bytes: 0,
        errors: (errors > 0)
            .then(|| ("EIO".to_string(), errors))
            .into_iter()
            .collect(),
        response: None,
        service: Histogram::default(),
        split: None,
        priorities: Vec::new(),
    };
    let total = |write_errors: u64| {
        let mut kinds = Kinds::default();
        for tick in [
            kind(OperationKind::Write, 0, write_errors),
            kind(OperationKind::Flush, 5, 1),
        ] {
            kinds.0.entry(tick.kind).or_default().add(&tick, true);
        }
        let total = kinds.total();
        (total.count, total.errors.values().sum::<u64>())
    };
    assert_eq!(
        total(3),
        (0, 4),
        "the writes count, of which none succeeded"
    );
    assert_eq!(total(0), (5, 1), "flushes alone are the operations");
}
