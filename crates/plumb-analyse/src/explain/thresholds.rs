//! From which value on does each rule of the advisor find its limit, and what does it predict? Both sides of each threshold, and figures by hand.

use plumb_model::explain::conclusion::{Change, Explanation};
use plumb_model::explain::observed::{CallShare, FlowControl, Observed, ObservedFrom, Processors};
use plumb_model::statement::{Argument, Statement, Unit};
use plumb_model::trace::summary::{DepthFigures, TransferTime};

use super::conclude::explain;
use super::curve::operating_curve;
use super::from_load::observed_in_load;
use super::rule::{Judgement, one_at_a_time};
use super::rules::RULES;
use super::second::second_recording;
use crate::figures::summarise::summarise;
use crate::synthetic::{Builder, Interval, ladder};

/// One caller that waits all of the time, 176 requests per second of 5.5 ms, for ten seconds.
fn waiting() -> Observed {
    Observed {
        outstanding: Some(1.0),
        outstanding_most: Some(1),
        idle_share: Some(0.0),
        by_outstanding: Vec::new(),
        ..one_at_a_time()
    }
}

/// Eight callers that wait all of the time.
fn eight() -> Observed {
    Observed {
        outstanding: Some(8.0),
        outstanding_most: Some(8),
        ..waiting()
    }
}

fn judged(rule: &str, observed: &Observed) -> Judgement {
    let found = RULES.iter().find(|known| known.name == rule);
    (found.expect("a rule of this name").judge)(observed)
}

fn found(rule: &str, observed: &Observed) -> Explanation {
    match judged(rule, observed) {
        Judgement::Found(found) => *found,
        other => panic!("{rule} finds nothing: {other:?}"),
    }
}

fn near(got: f64, expect: f64, what: &str) {
    assert!(
        (got - expect).abs() <= 1e-9 * expect.abs().max(1.0),
        "{what}: {got}, not {expect}"
    );
}

/// The rate at which the finding counts as refuted.
fn refuted_rate(found: &Explanation) -> f64 {
    match found.refuted_by.arguments.get("rate") {
        Some(Argument::Quantity { value, .. }) => *value,
        other => panic!("no rate: {other:?}"),
    }
}

fn flushes(time_share: f64) -> Observed {
    Observed {
        flushes: CallShare {
            per_s: Some(44.0),
            mean_ns: Some(3e6),
            time_share: Some(time_share),
            most: Some("FLUSH".into()),
        },
        ..waiting()
    }
}

fn metadata(time_share: f64) -> Observed {
    Observed {
        metadata: CallShare {
            per_s: Some(352.0),
            mean_ns: Some(1e6),
            time_share: Some(time_share),
            most: Some("CREATE".into()),
        },
        ..waiting()
    }
}

fn far(round_trip_share: f64) -> Observed {
    Observed {
        round_trip_share: Some(round_trip_share),
        round_trip_ns: Some(5.5e6 * round_trip_share),
        ..waiting()
    }
}

fn stalled(stalls_per_s: f64) -> Observed {
    Observed {
        flow: FlowControl {
            stalls_per_s: Some(stalls_per_s),
            last_credit_share: None,
            credits_in_use: Some(8),
        },
        ..eight()
    }
}

fn cores(busiest: f64, all: f64, outstanding: f64, most: u64) -> Observed {
    Observed {
        outstanding: Some(outstanding),
        outstanding_most: Some(most),
        processors: Processors {
            busiest_core: Some(busiest),
            all_cores: Some(all),
            cores: Some(8),
        },
        ..waiting()
    }
}

/// With a path that carries so many times what goes through it.
fn path(times: f64, observed: Observed) -> Observed {
    Observed {
        bytes_per_s: Some(1e8),
        ceiling_bytes_per_s: Some(1e8 * times),
        ..observed
    }
}

fn took_last(share: f64, observed: Observed) -> Observed {
    Observed {
        flow: FlowControl {
            stalls_per_s: None,
            last_credit_share: Some(share),
            credits_in_use: Some(8),
        },
        ..observed
    }
}

/// Callers that wait this part of the time.
fn partly(share: f64) -> Observed {
    Observed {
        outstanding: Some(share),
        ..waiting()
    }
}

/// Sequential requests whose bytes take this part of their 5.5 ms, known exactly.
fn bytes_take(share: f64) -> Observed {
    Observed {
        bytes_per_request: Some(100_000.0),
        sequential_share: Some(1.0),
        transfer_time: Some(TransferTime {
            count: 1760,
            base_ns: 5.5e6 * (1.0 - share),
            ns_per_byte: 55.0 * share,
            ns_per_byte_error: Some(0.0),
            ns_per_byte_before: None,
            explained: 0.95,
        }),
        ..waiting()
    }
}

#[test]
fn each_rule_finds_its_limit_from_its_threshold_on() {
    // Rule, what it stands at, just enough, and just not.
    let table = [
        (
            "durability",
            "30 % of the time",
            flushes(0.3),
            flushes(0.2999),
        ),
        (
            "metadata",
            "40 % of the time",
            metadata(0.4),
            metadata(0.3999),
        ),
        ("distance", "half of the time", far(0.5), far(0.4999)),
        (
            "flow_control",
            "one request of ten waits for a credit",
            stalled(17.6),
            stalled(17.59),
        ),
        (
            "one_core_is_busy",
            "busy 90 % of the time",
            cores(0.9, 0.2, 8.0, 8),
            cores(0.8999, 0.2, 8.0, 8),
        ),
        (
            "one_core_is_busy",
            "80 % of all cores",
            cores(0.95, 0.8, 8.0, 8),
            cores(0.95, 0.8001, 8.0, 8),
        ),
        (
            "one_core_is_busy",
            "callers wait half of the time",
            cores(0.95, 0.2, 4.0, 8),
            cores(0.95, 0.2, 3.99, 8),
        ),
        (
            "one_core_is_busy",
            "1.5 outstanding",
            cores(0.95, 0.2, 1.5, 2),
            cores(0.95, 0.2, 1.49, 2),
        ),
        (
            "path_is_full",
            "85 % of what the path carries",
            path(1.0 / 0.85, eight()),
            path(1.0 / 0.8499, eight()),
        ),
        (
            "too_few_outstanding_requests",
            "callers wait 80 % of the time",
            partly(0.8),
            partly(0.7999),
        ),
        (
            "too_few_outstanding_requests",
            "1 in 20 took the last credit",
            took_last(0.05, waiting()),
            took_last(0.0501, waiting()),
        ),
        (
            "too_few_outstanding_requests",
            "30 % are left of the path",
            path(1.3, waiting()),
            path(1.2999, waiting()),
        ),
        (
            "too_few_outstanding_requests",
            "a core is busy 70 % of the time",
            cores(0.7, 0.2, 1.0, 1),
            cores(0.7001, 0.2, 1.0, 1),
        ),
        (
            "storage_waits_for_application",
            "less than half of the time is waited",
            partly(0.4999),
            partly(0.5),
        ),
        (
            "storage_waits_for_application",
            "1 in 10 took the last credit",
            took_last(0.1, partly(0.25)),
            took_last(0.1001, partly(0.25)),
        ),
        (
            "requests_too_small",
            "bytes take 40 % of the time",
            bytes_take(0.4),
            bytes_take(0.4001),
        ),
    ];
    for (rule, limit, enough, not) in &table {
        assert!(
            matches!(judged(rule, enough), Judgement::Found(_)),
            "{rule}, {limit}: {:?}",
            judged(rule, enough)
        );
        assert_eq!(judged(rule, not), Judgement::Silent, "{rule}, {limit}");
    }
}

#[test]
fn limits_of_a_way_to_a_server_are_none_of_a_local_device() {
    for (rule, observed) in [("distance", far(0.9)), ("flow_control", stalled(100.0))] {
        let local = Observed {
            is_local: true,
            ..observed
        };
        assert_eq!(judged(rule, &local), Judgement::Silent, "{rule}");
    }
}

#[test]
fn fewer_flushes_by_hand() {
    // 40 % of the time in flushes, a quarter of them left: 30 % saved, so 1 / 0.7 = 1.428571 times the rate at best estimate.
    let found = found("durability", &flushes(0.4));
    let more = 1.0 / 0.7 - 1.0;
    near(found.prediction.low, 1.0 + 0.6 * more, "low");
    near(found.prediction.low, 1.257_142_857_142_857, "low");
    near(found.prediction.high, 1.535_714_285_714_285_7, "high");
    near(found.prediction.requests_per_s, 176.0, "rate now");
    // Refuted below a third of the gain: 176 * (1 + 0.3 * 0.428571).
    near(refuted_rate(&found), 198.628_571_428_571_4, "refuted");
    near(found.time_share, 0.3, "share of the time");
    near(found.seconds, 3.0, "of ten seconds");
    assert_eq!(
        found.claim.arguments["writes"],
        Argument::Number(4.0),
        "176 requests to 44 flushes"
    );
}

#[test]
fn no_metadata_by_hand() {
    // Half of the time: twice the rate, 1 more.
    let found = found("metadata", &metadata(0.5));
    near(found.prediction.low, 1.6, "low");
    near(found.prediction.high, 2.25, "high");
    near(refuted_rate(&found), 176.0 * 1.3, "refuted");
    near(found.time_share, 0.5, "share of the time");
    near(found.seconds, 5.0, "of ten seconds");
    assert_eq!(
        found.claim.arguments["each"],
        Argument::Number(2.0),
        "352 calls to 176 requests"
    );
}

#[test]
fn no_distance_by_hand() {
    // Three quarters of the time on the way: four times the rate, less 15 % to more 15 %.
    let found = found("distance", &far(0.75));
    near(found.prediction.low, 3.4, "low");
    near(found.prediction.high, 4.6, "high");
    near(refuted_rate(&found), 176.0 * 1.2, "refuted");
    near(found.time_share, 0.75, "share of the time");
    near(found.seconds, 7.5, "of ten seconds");
}

#[test]
fn more_connections_by_hand() {
    // Four times the connections at most, as eight cores and eight requests allow: 1.05 * 4; at least 1.2.
    let busy = found("one_core_is_busy", &cores(0.95, 0.2, 8.0, 8));
    near(busy.prediction.low, 1.2, "low");
    near(busy.prediction.high, 4.2, "high");
    // sqrt(1.2 * 4.2) = 2.244994: of the time 1 - 1 / 2.244994 is saved.
    near(
        busy.time_share,
        1.0 - 1.0 / 5.04f64.sqrt(),
        "share of the time",
    );
    // 1.5 outstanding keep 2.25 connections busy.
    let few = found("one_core_is_busy", &cores(0.95, 0.2, 1.5, 2));
    near(few.prediction.high, 1.05 * 2.25, "high");
    // Twice the bytes are all that the path carries.
    let narrow = found("one_core_is_busy", &path(2.0, cores(0.95, 0.2, 8.0, 8)));
    near(narrow.prediction.high, 2.1, "high");
    let full = found("one_core_is_busy", &path(0.9, cores(0.95, 0.2, 8.0, 8)));
    near(full.prediction.high, 1.0, "high");
    near(full.prediction.low, 1.0, "low");
}

#[test]
fn a_full_path_by_hand() {
    // 90 % of what it carries: a tenth more than full at most.
    let found = found("path_is_full", &path(1.0 / 0.9, eight()));
    near(found.prediction.low, 0.93, "low");
    near(found.prediction.high, 1.1 / 0.9, "high");
    near(found.time_share, 0.9, "share of the time");
    near(found.seconds, 9.0, "of ten seconds");
    match found.refuted_by.arguments.get("bytes") {
        Some(Argument::Quantity { value, .. }) => near(*value, 1e8 * 1.2 / 0.9, "refuted"),
        other => panic!("no bytes: {other:?}"),
    }
}

#[test]
fn no_pauses_by_hand() {
    // A quarter of the time is waited: 1.1 / (0.85 * 0.25) times the rate at most, and three quarters of the time are the application's.
    let found = found("storage_waits_for_application", &partly(0.25));
    near(found.prediction.high, 1.1 / (0.85 * 0.25), "high");
    near(found.time_share, 0.75, "share of the time");
    near(found.seconds, 7.5, "of ten seconds");
}

#[test]
fn a_load_of_plumb_by_hand() {
    // Half of 10,000 operations a second each are reads and writes of 4 KiB, a fifth of all are flushes; 100 us each, two seconds.
    let mut steps = ladder("read", &[2, 4]);
    for step in &mut steps {
        step.jobs[0].workload.mix = "read:40,write:40,flush:20".parse().expect("a mix");
    }
    let mut builder = Builder::new(steps);
    for (step, iops) in [(0, 10_000.0), (1, 20_000.0)] {
        let interval = Interval {
            iops,
            cpu_percent: 30.0,
            ..Interval::default()
        };
        builder.execute(step, 0, &[interval.clone(), interval]);
    }
    let summary = summarise(&builder.finish());
    let step = &summary.steps[0];
    let observed = observed_in_load(&summary, step, "a.plumb");
    assert_eq!(observed.span_ns, 2_000_000_000);
    assert_eq!(observed.requests, Some(16_000));
    assert_eq!(observed.requests_per_s, Some(8_000.0));
    assert_eq!(observed.bytes_per_s, Some(8_000.0 * 4096.0));
    assert_eq!(observed.bytes_per_request, Some(4096.0));
    assert_eq!(observed.read_share, Some(0.5));
    assert_eq!(observed.outstanding_most, Some(2));
    assert_eq!(observed.flushes.per_s, Some(2_000.0));
    assert_eq!(observed.flushes.most.as_deref(), Some("flush"));
    assert_eq!(observed.processors.busiest_core, Some(0.3));
    assert_eq!(observed.metadata.time_share, Some(0.0));
    let rate = |kind: &str| &step.operations[kind].service_ns;
    let request_ns = observed.request_ns.expect("a time");
    let mean = (rate("read").mean.expect("a mean") + rate("write").mean.expect("a mean")) / 2.0;
    near(request_ns, mean, "mean of reads and writes");
    near(
        observed.flushes.mean_ns.expect("a time"),
        rate("flush").mean.expect("a mean"),
        "flush",
    );
    // Little's law: outstanding are the requests, and the flushes, by their times.
    let flushes = 2_000.0 * observed.flushes.mean_ns.expect("a time") / 1e9;
    let requests = 8_000.0 * request_ns / 1e9;
    near(
        observed.outstanding.expect("a number"),
        requests + flushes,
        "outstanding",
    );
    near(
        observed.flushes.time_share.expect("a share"),
        flushes / (requests + flushes),
        "share of the flushes",
    );
    // The rate at the other depth of the ladder. The total counts no flushes.
    let answered: Vec<u64> = observed
        .by_outstanding
        .iter()
        .map(|of| of.answered)
        .collect();
    assert_eq!(answered, [16_000, 32_000]);
    assert!(
        observed
            .by_outstanding
            .iter()
            .all(|of| of.time_ns == 2_000_000_000)
    );
}

#[test]
fn a_change_of_the_rate_is_where_it_was() {
    let mut observed = Observed {
        begin_ns: 1_000_000_000,
        ..one_at_a_time()
    };
    // A quarter of ten seconds at 100/s, the rest at 300/s.
    observed.requests_over_time = (0..40)
        .map(|at| if at < 10 { 100.0 } else { 300.0 } + f64::from(at % 2))
        .collect();
    let [closed] = &super::gates::closed(&observed)[..] else {
        panic!("one gate is closed");
    };
    let expect = Statement::new("explain-not-steady")
        .time_ns("at", 3.5e9)
        .quantity("before", 100.5, Unit::PerSecond)
        .quantity("after", 300.5, Unit::PerSecond);
    assert_eq!(*closed, expect);
    // 30 % of the mean is the least that counts.
    observed.requests_over_time = (0..40)
        .map(|at| if at < 20 { 100.0 } else { 134.0 } + f64::from(at % 2))
        .collect();
    assert_eq!(super::gates::closed(&observed), []);
    observed.requests_over_time = (0..40)
        .map(|at| if at < 20 { 100.0 } else { 138.0 } + f64::from(at % 2))
        .collect();
    assert_eq!(super::gates::closed(&observed).len(), 1);
}

#[test]
fn a_recording_needs_fifty_requests_and_to_fit_littles_law() {
    let of = |requests| Observed {
        requests: Some(requests),
        ..one_at_a_time()
    };
    assert_eq!(super::gates::closed(&of(49)).len(), 1);
    assert_eq!(super::gates::closed(&of(50)), []);
    // 100/s of 10 ms each are 1; a fifth of the time of 1.25 is other calls'.
    let little = |outstanding, flushes| Observed {
        from: ObservedFrom::Counters,
        requests_per_s: Some(100.0),
        request_ns: Some(1e7),
        outstanding: Some(outstanding),
        idle_share: None,
        flushes: CallShare {
            time_share: Some(flushes),
            ..CallShare::default()
        },
        ..one_at_a_time()
    };
    for (outstanding, flushes, fits) in [
        (1.0, 0.0, true),
        (0.86, 0.0, true),
        (0.84, 0.0, false),
        (1.17, 0.0, true),
        (1.18, 0.0, false),
        (1.25, 0.2, true),
        (1.0, 0.2, false),
    ] {
        let closed = super::gates::closed(&little(outstanding, flushes));
        assert_eq!(closed.is_empty(), fits, "{outstanding}: {closed:?}");
    }
}

#[test]
fn while_any_request_is_outstanding_at_least_one_is() {
    for (from, outstanding, idle, fits) in [
        (ObservedFrom::Trace, 0.6, 0.4, true),
        (ObservedFrom::Trace, 0.598, 0.4, false),
        (ObservedFrom::Trace, 0.6, -0.01, false),
        (ObservedFrom::Load, 0.598, 0.4, false),
        (ObservedFrom::Counters, 0.51, 0.4, true),
        (ObservedFrom::Counters, 0.49, 0.4, false),
    ] {
        let observed = Observed {
            from,
            requests_per_s: None,
            outstanding: Some(outstanding),
            idle_share: Some(idle),
            ..one_at_a_time()
        };
        let closed = super::gates::closed(&observed);
        assert_eq!(closed.is_empty(), fits, "{outstanding} {idle}: {closed:?}");
    }
}

#[test]
fn a_second_recording_by_hand() {
    let first = explain(one_at_a_time(), "0");
    let then = |most: u64, rate: f64, bytes: f64| {
        let observed = Observed {
            requests_per_s: Some(rate),
            bytes_per_request: Some(bytes),
            outstanding_most: Some(most),
            ..one_at_a_time()
        };
        second_recording(&first, observed)
    };
    let size = 18.2e6 / 176.0;
    // Four times the requests at twice the size and eight times the number outstanding.
    let second = then(8, 4.0 * 176.0, 2.0 * size);
    near(second.requests_factor.expect("a factor"), 4.0, "requests");
    near(second.size_factor.expect("a factor"), 2.0, "size");
    near(second.bytes_factor.expect("a factor"), 8.0, "bytes");
    near(
        second.requests_part.expect("a part"),
        2.0 / 3.0,
        "of the requests",
    );
    near(second.size_part.expect("a part"), 1.0 / 3.0, "of the size");
    near(
        second.outstanding_factor.expect("a factor"),
        8.0,
        "outstanding",
    );
    near(
        second.scaling_efficiency.expect("a share"),
        0.5,
        "efficiency",
    );
    // Amdahl: 8 / (1 + s 7) = 4 for s = 1/7, and 176 / s at most.
    near(second.serial_share.expect("a share"), 1.0 / 7.0, "serial");
    near(
        second.requests_per_s_limit.expect("a rate"),
        7.0 * 176.0,
        "limit",
    );
    // Two is not eight, which was advised: by the same law, from 2 / (1 + 0.3) on.
    let two = then(2, 300.0, size).prediction.expect("an outcome");
    near(two.low, 2.0 / 1.3, "low");
    near(two.high, 2.0, "high");
    assert!(two.held, "300 are 1.7 times 176");
    assert!(!then(2, 260.0, size).prediction.expect("an outcome").held);
    // As many as before: nothing was predicted.
    assert_eq!(then(1, 200.0, size).prediction, None);
    assert_eq!(then(1, 200.0, size).scaling_efficiency, None);
}

#[test]
fn points_of_the_curve_by_hand() {
    let at = |outstanding, time_ns, answered| DepthFigures {
        outstanding,
        time_ns,
        answered,
    };
    let recorded = |points: Vec<DepthFigures>, others: f64| {
        let observed = Observed {
            by_outstanding: points,
            metadata: CallShare {
                time_share: Some(others),
                ..CallShare::default()
            },
            ..one_at_a_time()
        };
        let curve = operating_curve(&explain(observed, "0")).expect("a curve");
        let points = curve.recorded.into_iter();
        let points =
            points.map(|point| (point.outstanding, point.requests_per_s, point.request_ns));
        points.collect::<Vec<_>>()
    };
    // One for 4 s, two for 6 s, and 20 answers or 1 % of the time are the least that counts.
    let both = vec![at(1, 4_000_000_000, 800), at(2, 6_000_000_000, 1_800)];
    let expect = [(1.0, 200.0, 5e6), (2.0, 300.0, 2.0 / 300.0 * 1e9)];
    assert_eq!(recorded(both.clone(), 0.0), expect);
    assert_eq!(recorded(both.clone(), 0.05), expect);
    assert_eq!(recorded(both.clone(), 0.0501), []);
    let few = |answered, time_ns| [both.clone(), vec![at(3, time_ns, answered)]].concat();
    assert_eq!(recorded(few(20, 1_000_000_000), 0.0).len(), 3);
    assert_eq!(recorded(few(19, 1_000_000_000), 0.0).len(), 2);
    assert_eq!(recorded(few(20, 102_000_000), 0.0).len(), 3);
    assert_eq!(recorded(few(20, 100_000_000), 0.0).len(), 2);
    assert_eq!(recorded(both[..1].to_vec(), 0.0), [], "the window itself");
}

#[test]
fn a_tenth_more_outstanding_is_as_many() {
    let mut first = explain(one_at_a_time(), "0");
    first.observed.outstanding_most = Some(10);
    first.findings[0].prediction.change = Change::Outstanding {
        from: 10.0,
        to: 40.0,
    };
    let then = |most| {
        let observed = Observed {
            outstanding_most: Some(most),
            requests_per_s: Some(200.0),
            ..one_at_a_time()
        };
        second_recording(&first, observed)
    };
    assert_eq!(then(11).prediction, None);
    assert!(then(12).prediction.is_some());
    // 40 less a tenth is what was advised.
    let advised = first.findings[0].prediction;
    let (at, below) = (then(36).prediction, then(35).prediction);
    assert_eq!(
        at.map(|of| (of.low, of.high)),
        Some((advised.low, advised.high))
    );
    assert_ne!(below.map(|of| of.low), Some(advised.low));
}

#[test]
fn larger_requests_by_hand() {
    // A fifth of the time is for bytes: four times the bytes take 1.6 times as long and are 2.5 times as fast; less 15 %, or more 10 %.
    let found_by = |observed: &Observed| found("requests_too_small", observed);
    let plain = found_by(&bytes_take(0.2));
    near(plain.prediction.low, 0.85 * 2.5, "low");
    near(plain.prediction.high, 1.1 * 2.5, "high");
    let saved = 1.0 - 1.0 / (0.85f64 * 2.5 * 1.1 * 2.5).sqrt();
    near(plain.time_share, saved, "share of the time");
    match plain.refuted_by.arguments.get("bytes") {
        // Half of the least gain, 1.125 more.
        Some(Argument::Quantity { value, .. }) => near(*value, 18.2e6 * 1.5625, "refuted"),
        other => panic!("no bytes: {other:?}"),
    }
    // A core that is busy half of the time can do 1.7 times as much for certain.
    let core = Observed {
        processors: Processors {
            busiest_core: Some(0.5),
            ..Processors::default()
        },
        ..bytes_take(0.2)
    };
    near(found_by(&core).prediction.low, 1.7, "low");
    near(found_by(&core).prediction.high, 2.75, "high");
    // A path that carries 1.5 times as much.
    let narrow = Observed {
        ceiling_bytes_per_s: Some(18.2e6 * 1.5),
        ..bytes_take(0.2)
    };
    near(found_by(&narrow).prediction.high, 1.05 * 1.5, "high");
    near(found_by(&narrow).prediction.low, 0.9 * 1.05 * 1.5, "low");
    // An application of its own for as long as the request: with the bytes, or not at all, it grows.
    let own = Observed {
        outstanding: Some(0.8),
        ..bytes_take(0.2)
    };
    let gain = |bytes: f64, own_times: f64| 4.0 * 1.25 / (1.0 + 3.0 * bytes + 0.25 * own_times);
    near(found_by(&own).prediction.low, 0.85 * gain(0.2, 4.0), "low");
    near(found_by(&own).prediction.high, 1.1 * gain(0.2, 1.0), "high");
}
