//! From which value on does each rule of the advisor find its limit, and what does it predict? Both sides of each threshold, and figures by hand.

use plumb_model::explain::conclusion::Explanation;
use plumb_model::explain::observed::{CallShare, FlowControl, Observed, Processors};
use plumb_model::statement::Argument;
use plumb_model::trace::summary::TransferTime;

use super::rule::{Judgement, one_at_a_time};
use super::rules::RULES;

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
