//! Which laws do the rules of the advisor obey, whatever was observed? A prediction is an interval around a gain, and no unit decides.

use plumb_model::explain::conclusion::{Change, Prediction};
use plumb_model::explain::observed::{CallShare, FlowControl, Observed, ObservedFrom, Processors};
use plumb_model::trace::summary::{DepthFigures, TransferTime};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::prediction::{fewer_flushes, least_gain, of_outstanding};
use super::rule::{Judgement, saved_share};
use super::rules::RULES;
use super::scaling::{SERIAL_MAX, factor, growth, path_use, queueing, serial_share};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// A window with nothing outstanding for the first time, then with one, two, ... calls, and the calls answered in each; all other figures follow from these.
fn window() -> impl Strategy<Value = Observed> {
    let depths = prop_oneof![Just(1..2), Just(2..20)]
        .prop_flat_map(|count| vec((0..5_000_000_000u64, 0..5_000u64), count));
    let idle_ns = prop_oneof![Just(0), 0..20_000_000_000u64];
    (idle_ns, depths, 512.0..1e6f64).prop_map(|(idle_ns, depths, bytes)| {
        let by_outstanding: Vec<DepthFigures> = (1..)
            .zip(depths)
            .map(|(outstanding, (time_ns, answered))| DepthFigures {
                outstanding,
                // Even, so that twice as long is exact.
                time_ns: 2 * time_ns + 2,
                answered: answered + 10,
            })
            .collect();
        let span_ns = 2 * idle_ns + by_outstanding.iter().map(|of| of.time_ns).sum::<u64>();
        let requests: u64 = by_outstanding.iter().map(|of| of.answered).sum();
        let area_ns: f64 = by_outstanding
            .iter()
            .map(|of| of.outstanding as f64 * of.time_ns as f64)
            .sum();
        let rate = requests as f64 / (span_ns as f64 / 1e9);
        Observed {
            span_ns,
            requests: Some(requests),
            requests_per_s: Some(rate),
            bytes_per_s: Some(rate * bytes),
            bytes_per_request: Some(bytes),
            request_ns: Some(area_ns / requests as f64),
            outstanding: Some(area_ns / span_ns as f64),
            outstanding_most: Some(by_outstanding.len() as u64),
            idle_share: Some(2.0 * idle_ns as f64 / span_ns as f64),
            by_outstanding,
            ..Observed::unknown(ObservedFrom::Trace, "laws.pcap")
        }
    })
}

/// Shares from 0 to 1, each known or not.
type Shares = [Option<f64>; 8];

fn shares() -> impl Strategy<Value = Shares> {
    proptest::array::uniform8(weighted(0.4, 0.0..1.0f64))
}

fn observed() -> impl Strategy<Value = Observed> {
    let share = prop_oneof![0.0..0.3f64, 0.0..1.0f64];
    let path = weighted(
        0.8,
        (
            share,
            weighted(0.9, 0.0..0.2f64),
            of(0.3..2.0f64),
            0.0..1.0f64,
        ),
    );
    (window(), shares(), path, of(0.8..5.0f64), any::<bool>()).prop_map(
        |(window, shares, path, ceiling, is_local)| {
            let [calls, flushed, far, last, stalled, random, busiest, all] = shares;
            let (rate, request_ns) = (window.requests_per_s, window.request_ns);
            let of_rate = |share: Option<f64>| Some(share? * rate?);
            let kind = |time_share: Option<f64>| CallShare {
                per_s: of_rate(time_share),
                mean_ns: request_ns,
                time_share,
                most: Some("CALL".into()),
            };
            let bytes = window.bytes_per_request.unwrap_or(1.0);
            let all_ns = request_ns.unwrap_or(1.0);
            Observed {
                is_local,
                // Both together are all of the time at most.
                metadata: kind(calls),
                flushes: kind(flushed.map(|share| share * (1.0 - calls.unwrap_or(0.0)))),
                round_trip_share: far,
                round_trip_ns: far.map(|share| share * all_ns),
                flow: FlowControl {
                    stalls_per_s: of_rate(stalled).filter(|_| last.is_none()),
                    last_credit_share: last,
                    credits_in_use: window.outstanding_most,
                },
                sequential_share: random.map(|share| 1.0 - share * share),
                processors: Processors {
                    busiest_core: busiest,
                    all_cores: busiest.zip(all).map(|(busiest, all)| busiest * all),
                    cores: Some(8),
                },
                transfer_time: path.map(|(share, error, before, explained)| TransferTime {
                    count: window.requests.unwrap_or(0),
                    base_ns: all_ns * (1.0 - share),
                    ns_per_byte: all_ns * share / bytes,
                    ns_per_byte_error: error.map(|error| error * all_ns / bytes),
                    ns_per_byte_before: before.map(|times| times * all_ns * share / bytes),
                    explained,
                }),
                ceiling_bytes_per_s: ceiling.zip(window.bytes_per_s).map(|(a, b)| a * b),
                ..window
            }
        },
    )
}

/// The same recording by a clock that counts twice as many nanoseconds.
fn twice_as_long(observed: &Observed) -> Observed {
    let longer = |time: Option<f64>| time.map(|time| 2.0 * time);
    let fewer = |rate: Option<f64>| rate.map(|rate| rate / 2.0);
    let kind = |calls: &CallShare| CallShare {
        per_s: fewer(calls.per_s),
        mean_ns: longer(calls.mean_ns),
        ..calls.clone()
    };
    Observed {
        span_ns: 2 * observed.span_ns,
        requests_per_s: fewer(observed.requests_per_s),
        bytes_per_s: fewer(observed.bytes_per_s),
        request_ns: longer(observed.request_ns),
        by_outstanding: observed
            .by_outstanding
            .iter()
            .map(|of| DepthFigures {
                time_ns: 2 * of.time_ns,
                ..*of
            })
            .collect(),
        round_trip_ns: longer(observed.round_trip_ns),
        metadata: kind(&observed.metadata),
        flushes: kind(&observed.flushes),
        flow: FlowControl {
            stalls_per_s: fewer(observed.flow.stalls_per_s),
            ..observed.flow.clone()
        },
        transfer_time: observed.transfer_time.map(|time| TransferTime {
            base_ns: 2.0 * time.base_ns,
            ns_per_byte: 2.0 * time.ns_per_byte,
            ns_per_byte_error: longer(time.ns_per_byte_error),
            ns_per_byte_before: longer(time.ns_per_byte_before),
            ..time
        }),
        ceiling_bytes_per_s: fewer(observed.ceiling_bytes_per_s),
        ..observed.clone()
    }
}

/// What is found, without the figures that have a unit: the limits of the gain, and the share of the time.
fn without_units(judgement: &Judgement) -> Option<[f64; 3]> {
    match judgement {
        Judgement::Found(found) => Some([
            found.prediction.low,
            found.prediction.high,
            found.time_share,
        ]),
        _ => None,
    }
}

/// A law that no case reaches holds of nothing.
#[test]
fn each_rule_finds_something_and_is_silent() {
    let mut runner = TestRunner::new(crate::laws());
    let cases: Vec<Observed> = (0..2000)
        .map(|_| observed().new_tree(&mut runner).expect("a case").current())
        .collect();
    for rule in RULES {
        let judged: Vec<Judgement> = cases.iter().map(rule.judge).collect();
        let found = judged.iter().filter(|of| matches!(of, Judgement::Found(_)));
        let silent = judged.iter().filter(|of| matches!(of, Judgement::Silent));
        let (found, silent) = (found.count(), silent.count());
        assert!(
            found >= 10 && silent >= 10,
            "{}: found {found} times, silent {silent} times",
            rule.name
        );
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 1000, ..crate::laws() })]

    #[test]
    fn a_prediction_is_an_interval_and_a_share_is_one(observed in observed()) {
        for rule in RULES {
            let Judgement::Found(found) = (rule.judge)(&observed) else { continue };
            let Prediction { low, high, requests_per_s, .. } = found.prediction;
            prop_assert_eq!(&found.rule, rule.name);
            prop_assert!(0.0 < low && low <= high && high.is_finite(), "{}: {} to {}", rule.name, low, high);
            prop_assert_eq!(Some(requests_per_s), observed.requests_per_s);
            prop_assert!((0.0..=1.0).contains(&found.time_share), "{}: {}", rule.name, found.time_share);
            prop_assert!(close(found.seconds, found.time_share * observed.span_s()), "{}", rule.name);
            prop_assert!(!found.evidence.is_empty());
        }
    }

    #[test]
    fn the_unit_of_time_decides_nothing(observed in observed()) {
        let longer = twice_as_long(&observed);
        prop_assert_eq!(growth(&observed), growth(&longer));
        prop_assert_eq!(path_use(&observed), path_use(&longer));
        prop_assert_eq!(queueing(&observed), queueing(&longer));
        for rule in RULES {
            let (now, then) = ((rule.judge)(&observed), (rule.judge)(&longer));
            prop_assert_eq!(std::mem::discriminant(&now), std::mem::discriminant(&then), "{}", rule.name);
            match (without_units(&now), without_units(&then)) {
                (Some(now), Some(then)) => {
                    prop_assert!(now.iter().zip(&then).all(|(a, b)| close(*a, *b)), "{}: {:?} {:?}", rule.name, now, then);
                }
                (now, then) => prop_assert_eq!(now, then),
            }
        }
    }

    #[test]
    fn parts_of_the_time_are_parts(observed in observed()) {
        let shares = [path_use(&observed).map(|path| path.share), queueing(&observed), observed.waiting_share()];
        prop_assert!(shares.iter().flatten().all(|share| (0.0..=1.0).contains(share)), "{:?}", shares);
        if let Some(grown) = growth(&observed) {
            let most = observed.outstanding_most.expect("it grows with it") as f64;
            prop_assert!(1.0 <= grown.few && grown.few <= most / 2.0 && most / 2.0 < grown.many && grown.many <= most);
        }
    }

    #[test]
    fn the_law_of_scaling(from in 1.0..16.0f64, first in 1.0..16.0f64, second in 1.0..16.0f64, serial in 0.0..1.0f64) {
        let (middle, to) = (from * first, from * first * second);
        let all = factor(from, to, serial);
        prop_assert!(close(all, factor(from, middle, serial) * factor(middle, to, serial)), "two steps are one");
        prop_assert!(close(factor(from, from, serial), 1.0));
        prop_assert!(1.0 - 1e-9 <= all && all <= to / from * (1.0 + 1e-9), "no less than now, no more than in proportion");
        prop_assert!(close(factor(from, to, 0.0), to / from) && close(factor(from, to, 1.0), 1.0));
        prop_assert!(all <= factor(from, to, serial * 0.9) * (1.0 + 1e-9), "less serial work is no slower");
        // The share that the factor shows is the one that it was computed from.
        prop_assume!(first * second > 1.01);
        let share = serial_share(from, to, all).expect("a share from 0 to 1");
        prop_assert!((share - serial).abs() < 1e-6, "{} {}", share, serial);
    }

    #[test]
    fn between_now_and_what_is_advised(low in 1.0..2.0f64, more in 1.0..3.0f64, to in 2.0..32.0f64, part in 0.0..1.0f64, times in 1.0..8.0f64) {
        let outstanding = Prediction {
            change: Change::Outstanding { from: 1.0, to },
            requests_per_s: 100.0,
            low: low.min(factor(1.0, to, SERIAL_MAX)),
            high: low * more,
        };
        let at = 1.0 + part * (to - 1.0);
        let (least, most) = of_outstanding(&outstanding, at);
        prop_assert!(1.0 - 1e-9 <= least && least <= most + 1e-9, "{} to {}", least, most);
        prop_assert!(least <= outstanding.low + 1e-9 && most <= outstanding.high.max(least) + 1e-9);
        prop_assert!(least_gain(&outstanding) >= 1.05 && least_gain(&outstanding) <= outstanding.low.max(1.05));
        let flushes = Prediction { change: Change::FlushesTogether { flushes: 8.0 }, ..outstanding };
        let (least, most) = fewer_flushes(&flushes, times);
        prop_assert!(1.0 - 1e-9 <= least && least <= most + 1e-9);
        prop_assert!(least <= flushes.low + 1e-9 && most <= flushes.high + 1e-9, "more at once gain more");
        let share = saved_share(flushes.low, flushes.high);
        prop_assert!((0.0..1.0).contains(&share));
        // A gain to k times the rate saves 1 - 1/k of the time.
        prop_assert!(close(saved_share(more, more), 1.0 - 1.0 / more));
    }
}
