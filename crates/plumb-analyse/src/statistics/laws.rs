//! Which laws do the statistics obey, whatever the values? Properties over random values, and the limits that thresholds stand at.

use proptest::collection::vec;
use proptest::prelude::*;

use super::change_points;
use super::cliff::{change_point, cliff};
use super::dip::dip;
use super::drift::drift;
use super::effect::{independent, location, paired};
use super::holm::holm;
use super::knee::{Knee, Rung, knee};
use super::modes::two_modes;
use super::outliers::outliers;
use super::steady_state::{excursions, steadiness};
use super::straight_line::straight_line;
use super::universal_scalability::{Law, fit};
use super::{
    difference_p_value, mean, mean_interval, median, median_absolute_deviation, range,
    standard_deviation, trend,
};

/// Equal to nine digits; sums in another order differ in the last bits.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn scaled(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| value * factor).collect()
}

fn reversed(values: &[f64]) -> Vec<f64> {
    values.iter().rev().copied().collect()
}

/// Rates as they are measured: operations per second, never 0.
fn rates(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    vec(1.0..1e6, count)
}

proptest! {
    #![proptest_config(crate::laws())]

    #[test]
    fn the_middle_lies_within_the_range_and_scales(values in rates(1..30), factor in 0.1..10.0) {
        let (low, high) = range(&values).expect("values");
        for middle in [mean(&values), median(&values)] {
            let middle = middle.expect("values");
            prop_assert!(low * (1.0 - 1e-12) <= middle && middle <= high * (1.0 + 1e-12));
        }
        let larger = scaled(&values, factor);
        prop_assert!(close(median(&larger).expect("values"), median(&values).expect("values") * factor));
        prop_assert!(close(
            median_absolute_deviation(&larger).expect("values"),
            median_absolute_deviation(&values).expect("values") * factor
        ));
        // Half of the values on either side of the median.
        let middle = median(&values).expect("values");
        let below = values.iter().filter(|value| **value < middle).count();
        let above = values.iter().filter(|value| **value > middle).count();
        prop_assert!(2 * below <= values.len() && 2 * above <= values.len());
    }

    #[test]
    fn the_deviation_of_two_values_is_their_distance_by_root_two(a in 1.0..1e6, b in 1.0..1e6) {
        let deviation = standard_deviation(&[a, b]).expect("two values");
        prop_assert!(close(deviation, (a - b).abs() / 2f64.sqrt()));
    }

    #[test]
    fn intervals_hold_their_estimate_and_grow_with_the_confidence(values in rates(2..20)) {
        let middle = mean(&values).expect("values");
        let (low, high) = mean_interval(&values, 0.95).expect("two values");
        prop_assert!(low <= middle && middle <= high && close(middle - low, high - middle));
        let (lower, higher) = mean_interval(&values, 0.99).expect("two values");
        prop_assert!(lower <= low && high <= higher);
        let (estimate, interval) = location(&values).expect("values");
        let (low, high) = interval.expect("two values");
        prop_assert!(low <= estimate && estimate <= high);
    }

    #[test]
    fn a_difference_mirrors_when_the_sides_are_swapped(a in rates(3..15), b in rates(3..15)) {
        let (there, back) = (independent(&a, &b).expect("values"), independent(&b, &a).expect("values"));
        prop_assert!(close(there.estimate, -back.estimate));
        prop_assert!(close(there.standard_error, back.standard_error));
        prop_assert!(close(there.p_value(), back.p_value()));
        let ((low, high), (mirrored_low, mirrored_high)) = (there.interval(0.95), back.interval(0.95));
        prop_assert!(close(low, -mirrored_high) && close(high, -mirrored_low));
        prop_assert!(low <= there.estimate && there.estimate <= high);
        prop_assert!(close(difference_p_value(&a, &b).expect("values"), difference_p_value(&b, &a).expect("values")));
        // An interval of 95 % leaves out 0 exactly when the probability is below 5 %.
        prop_assert_eq!(there.p_value() < 0.05, low > 0.0 || high < 0.0);
        // Slack widens each end by what it says.
        let wide = there.with_slack(2.0, 3.0).interval(0.95);
        prop_assert!(close(wide.0, low - 2.0) && close(wide.1, high + 3.0));
    }

    #[test]
    fn enough_rounds_make_the_interval_as_narrow_as_wanted(differences in vec(-1.0..1.0, 3..12), share in 0.1..0.9) {
        let shift = paired(&differences).expect("differences");
        let wanted = shift.half_width(0.95) * share;
        if let Some(rounds) = shift.rounds_needed(differences.len(), wanted, 0.95) {
            let now = differences.len() as f64;
            let width = |rounds: f64| {
                super::effect::Shift {
                    standard_error: shift.standard_error * (now / rounds).sqrt(),
                    freedom: shift.freedom * (rounds - 1.0) / (now - 1.0),
                    ..shift
                }
                .half_width(0.95)
            };
            prop_assert!(width(f64::from(rounds)) <= wanted);
            // One round fewer would not do.
            prop_assert!(width(f64::from(rounds) - 1.0) > wanted * (1.0 - 1e-12));
        }
    }

    #[test]
    fn adjusted_probabilities_keep_their_order_and_are_never_smaller(p in vec(0.0..1.0, 1..20)) {
        let adjusted = holm(&p);
        let least = p.iter().copied().fold(f64::INFINITY, f64::min);
        for (number, (before, after)) in p.iter().zip(&adjusted).enumerate() {
            prop_assert!(before <= after && *after <= 1.0);
            for (other, other_after) in p.iter().zip(&adjusted) {
                prop_assert!(before >= other || after <= other_after, "value {}", number);
            }
        }
        // The least is multiplied by their number (Bonferroni).
        let least_after = adjusted.iter().copied().fold(f64::INFINITY, f64::min);
        prop_assert!(close(least_after, (least * p.len() as f64).min(1.0)));
    }

    #[test]
    fn a_line_through_reversed_values_falls_as_much_as_it_rose(values in rates(4..30)) {
        let (there, back) = (straight_line(&values).expect("values"), straight_line(&reversed(&values)).expect("values"));
        prop_assert!((there.first - back.last).abs() < 1e-6 * 1e6 && (there.last - back.first).abs() < 1e-6 * 1e6);
        prop_assert!((0.0..=1.0).contains(&there.p_value));
        let rise = |values: &[f64]| drift(values).map(|drift| (drift.slope, drift.p_value));
        if let (Some(there), Some(back)) = (rise(&values), rise(&reversed(&values))) {
            prop_assert!(close(there.0, -back.0) && close(there.1, back.1));
        }
        let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(x, y)| (x as f64, *y)).collect();
        let line = trend(&points).expect("points");
        // The line of least squares goes through the point of both means.
        let middle = (values.len() - 1) as f64 / 2.0;
        prop_assert!(close(line.intercept + line.slope * middle, mean(&values).expect("values")));
    }

    #[test]
    fn the_levels_of_a_change_add_up_to_the_total(values in rates(6..40)) {
        let change = change_point(&values).expect("six values");
        let (before, after) = values.split_at(change.index);
        prop_assert!(before.len() >= 3 && after.len() >= 3);
        let total = change.before * before.len() as f64 + change.after * after.len() as f64;
        prop_assert!(close(total, values.iter().sum()));
        prop_assert!((0.0..=1.0).contains(&change.p_value));
        // No other place leaves a smaller sum of squares.
        let squares = |values: &[f64]| {
            let middle = mean(values).expect("values");
            values.iter().map(|value| (value - middle).powi(2)).sum::<f64>()
        };
        let here = squares(before) + squares(after);
        for place in 3..=values.len() - 3 {
            let (left, right) = values.split_at(place);
            prop_assert!(here <= (squares(left) + squares(right)) * (1.0 + 1e-9));
        }
    }

    #[test]
    fn excursions_are_parts_of_the_average(values in rates(10..40), factor in 0.1..10.0) {
        let (now, larger) = (steadiness(&values), steadiness(&scaled(&values, factor)));
        let (Some(now), Some(larger)) = (now, larger) else {
            prop_assert!(false, "ten values above 0 are judged");
            return Ok(());
        };
        prop_assert!(close(now.data_excursion, larger.data_excursion));
        prop_assert!(close(now.slope_excursion, larger.slope_excursion));
        prop_assert!(close(now.last_to_first, larger.last_to_first));
        prop_assert!(now.slope_excursion.abs() <= 1.2 * now.data_excursion + 1e-9, "a fit of five rounds goes no farther than 6/5 of their range");
        let rounds = &values[..5];
        let of = excursions(rounds).expect("five rounds");
        let (low, high) = range(rounds).expect("five rounds");
        prop_assert!(close(of.data * of.average, high - low));
        prop_assert!(close(of.slope * of.average, of.fit.1 - of.fit.0));
        prop_assert!(close((of.fit.0 + of.fit.1) / 2.0, of.average));
    }

    #[test]
    fn the_unit_of_the_values_decides_nothing(values in rates(5..40), power in -3..4) {
        // A factor of two changes no bit of a ratio.
        let other = scaled(&values, 2f64.powi(power));
        prop_assert_eq!(outliers(&values), outliers(&other));
        prop_assert_eq!(two_modes(&values).is_some(), two_modes(&other).is_some());
        let pairs = |values: &[f64]| values.iter().map(|rate| (*rate, *rate)).collect::<Vec<_>>();
        prop_assert_eq!(cliff(&pairs(&values)).is_some(), cliff(&pairs(&other)).is_some());
    }

    #[test]
    fn the_order_of_values_decides_nothing(values in rates(2..30), turn in 0..30usize) {
        let at = turn % values.len();
        let turned = [&values[at..], &values[..at]].concat();
        for other in [reversed(&values), turned] {
            prop_assert_eq!(median(&values), median(&other));
            prop_assert_eq!(median_absolute_deviation(&values), median_absolute_deviation(&other));
            prop_assert_eq!(range(&values), range(&other));
            prop_assert!(close(standard_deviation(&values).expect("two values"), standard_deviation(&other).expect("two values")));
            let (now, then) = (paired(&values).expect("two values"), paired(&other).expect("two values"));
            prop_assert!(close(now.estimate, then.estimate) && close(now.standard_error, then.standard_error));
            prop_assert_eq!(two_modes(&values), two_modes(&other));
            prop_assert_eq!(outliers(&values).len(), outliers(&other).len());
        }
    }

    #[test]
    fn a_step_is_found_in_either_direction_of_time(
        before in vec(-1.0..1.0f64, 6..20),
        after in vec(-1.0..1.0f64, 6..20),
        level in prop_oneof![-40.0..-10.0f64, 10.0..40.0f64]
    ) {
        let parameters = change_points::Parameters { window: 50, p_value_max: 0.001, distance_min: 5.0, stretch_min: 3 };
        let values: Vec<f64> = before.iter().copied().chain(after.iter().map(|value| value + level)).collect();
        let there = change_points::change_points(&values, &parameters);
        let back = change_points::change_points(&reversed(&values), &parameters);
        prop_assert_eq!((there.len(), back.len()), (1, 1), "{:?} {:?}", &there, &back);
        prop_assert_eq!((there[0].index, back[0].index), (before.len(), after.len()));
        prop_assert!(close(there[0].before, back[0].after) && close(there[0].after, back[0].before));
        prop_assert!(close(there[0].before, mean(&before).expect("values")));
        prop_assert!(close(there[0].after, mean(&after).expect("values") + level));
        prop_assert!(close(there[0].distance, back[0].distance) && close(there[0].p_value, back[0].p_value));
        prop_assert!(there[0].distance <= (there[0].after - there[0].before).abs() + 1e-9);
        // The cliff of a single level finds the same; its p-value counts the positions that it looked at.
        let single = change_point(&values).expect("twelve values");
        prop_assert_eq!(single.index, before.len());
        prop_assert!(close(single.before, there[0].before) && close(single.after, there[0].after));
        let welch = difference_p_value(&values[..before.len()], &values[before.len()..]).expect("values");
        prop_assert!(close(single.p_value, (welch * (values.len() - 5) as f64).min(1.0)));
        // What is left around the two levels.
        let squares = |values: &[f64]| standard_deviation(values).map_or(0.0, |deviation| deviation.powi(2) * (values.len() - 1) as f64);
        let left = (squares(&before) + squares(&after)) / (values.len() - 2) as f64;
        prop_assert!(close(change_points::variance_around(&values, &there).expect("values"), left));
    }

    #[test]
    fn a_dip_has_no_unit(values in rates(8..40), factor in 0.1..10.0f64, more in 0.0..1e6f64) {
        let ascending = |values: &[f64]| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            sorted
        };
        let moved: Vec<f64> = values.iter().map(|value| value * factor + more).collect();
        let (now, then) = (dip(&ascending(&values)).expect("values"), dip(&ascending(&moved)).expect("values"));
        prop_assert!((now - then).abs() < 1e-6, "{} {}", now, then);
        let count = ascending(&values).len() as f64;
        prop_assert!(1.0 / (2.0 * count) - 1e-12 <= now && now <= 0.25 + 1e-12, "between half a step and a quarter: {}", now);
        let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
        prop_assert!((dip(&ascending(&mirrored)).expect("values") - now).abs() < 1e-9);
    }

    #[test]
    fn throughput_is_greatest_at_the_peak(contention in 0.0..0.5, coherency in 1e-5..0.05) {
        let law = Law { one: 1000.0, contention, coherency };
        let peak = law.peak().expect("a law with coherency falls at last");
        prop_assert!(peak >= 1.0);
        let most = law.throughput(peak);
        for n in [peak * 0.9, peak * 1.1, peak * 3.0] {
            prop_assert!(n < 1.0 || law.throughput(n) <= most * (1.0 + 1e-12));
        }
        prop_assert!(close(law.throughput(1.0), 1000.0));
        let points: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].iter().map(|n| (*n, law.throughput(*n))).collect();
        let found = fit(&points).expect("six points");
        prop_assert!(found.deviation(&points) < 1e-6);
    }

    #[test]
    fn a_knee_reaches_nine_tenths_of_the_best(iops in vec(100.0..1e5, 3..10)) {
        let rungs: Vec<Rung> = iops.iter().enumerate().map(|(i, iops)| rung(f64::from(1u32 << i), *iops, Some(f64::from(1u32 << i) / iops * 1e9))).collect();
        let best = iops.iter().copied().fold(0.0, f64::max);
        match knee(&rungs) {
            Knee::At(place) => {
                prop_assert!(iops[place] >= 0.95 * best && iops[iops.len() - 1] >= 0.9 * best);
                prop_assert!(iops[..place].iter().all(|before| *before < 0.95 * best), "a smaller depth reaches it too");
            }
            Knee::ThenFalls(place) => prop_assert!(iops[place] >= 0.95 * best && iops[iops.len() - 1] < 0.9 * best),
            Knee::StillRising => prop_assert!(iops[..iops.len() - 1].iter().all(|before| *before < 0.95 * best)),
            Knee::Undecided => {}
        }
    }
}

fn rung(depth: f64, iops: f64, latency_ns: Option<f64>) -> Rung {
    Rung {
        depth,
        iops,
        iops_range: None,
        latency_ns,
    }
}

/// Depths 1, 2 and 4 at 100,000 operations per second throughout: the first is the knee if the last waits long enough.
fn flat(last_latency_ns: f64) -> Knee {
    knee(&[
        rung(1.0, 100e3, Some(100_000.0)),
        rung(2.0, 100e3, Some(100_000.0)),
        rung(4.0, 100e3, Some(last_latency_ns)),
    ])
}

#[test]
fn a_knee_needs_a_fifth_more_latency() {
    assert_eq!(
        flat(120_000.0),
        Knee::At(0),
        "1.2 times of 100 us are 120 us"
    );
    assert_eq!(flat(119_999.0), Knee::Undecided);
    assert_eq!(flat(100_002.0), Knee::Undecided, "1.2 ns more are nothing");
    assert_eq!(flat(99_000.0), Knee::Undecided);
}

#[test]
fn shares_of_the_best_throughput_at_their_limits() {
    let ladder = |first: f64, last: f64| {
        knee(&[
            rung(1.0, first, Some(10_000.0)),
            rung(2.0, 100e3, Some(20_000.0)),
            rung(4.0, last, Some(40_000.0)),
        ])
    };
    // From 95 % of the best on, the depth is enough.
    assert_eq!(ladder(95_000.0, 100e3), Knee::At(0));
    assert_eq!(ladder(94_999.0, 100e3), Knee::At(1));
    // Below 90 % of the best, the last has fallen.
    assert_eq!(ladder(50e3, 90_000.0), Knee::At(1));
    assert_eq!(ladder(50e3, 89_999.0), Knee::ThenFalls(1));
    // Rounds that touch those of the best may be the same: 90 % are enough.
    let spread = |iops: f64, high: f64| Rung {
        iops_range: Some((iops * 0.9, high)),
        ..rung(1.0, iops, Some(10_000.0))
    };
    let best = Rung {
        iops_range: Some((98_000.0, 102_000.0)),
        ..rung(2.0, 100e3, Some(20_000.0))
    };
    let last = rung(4.0, 100e3 - 1.0, Some(40_000.0));
    assert_eq!(knee(&[spread(90_000.0, 98_000.0), best, last]), Knee::At(0));
    assert_eq!(knee(&[spread(89_999.0, 98_000.0), best, last]), Knee::At(1));
    assert_eq!(knee(&[spread(90_000.0, 97_999.0), best, last]), Knee::At(1));
}

#[test]
fn steady_within_a_fifth_and_a_tenth() {
    use super::steady_state::Steadiness;
    let of = |data_excursion, slope_excursion, p_value| Steadiness {
        data_excursion,
        slope_excursion,
        last_to_first: 1.0,
        p_value,
    };
    // SNIA SSS PTS: range at most 20 % of the average, slope at most 10 % over the window, either way.
    assert!(of(0.2, 0.1, 0.0).is_steady() && of(0.2, -0.1, 0.0).is_steady());
    assert!(!of(0.2001, 0.0, 0.0).is_steady() && !of(0.0, -0.1001, 0.0).is_steady());
    assert!(of(0.0, -0.1001, 0.0099).drifts() && !of(0.0, 0.1, 0.0).drifts());
    assert!(!of(0.0, 0.2, 0.01).drifts(), "1 in 100 may be chance");
}

#[test]
fn a_fall_to_two_thirds_is_a_cliff() {
    // Ten intervals at 300 MB/s, ten at the other level: exact levels, so that chance explains nothing.
    let fall = |after: f64| {
        let rates: Vec<(f64, f64)> = (0..20)
            .map(|i| if i < 10 { 300.0 } else { after })
            .map(|rate| (rate * 2.0, rate))
            .collect();
        cliff(&rates)
    };
    let found = fall(200.0).expect("200 are two thirds of 300");
    assert_eq!(
        (found.amount, found.before, found.after),
        (6000.0, 300.0, 200.0),
        "ten intervals of twice 300"
    );
    assert_eq!(found.scatter_after, 0.0);
    assert_eq!(fall(201.0), None);
    // Half of the intervals after the fall lie a tenth off their median of 100.
    let rates: Vec<(f64, f64)> = (0..20)
        .map(|i| match i {
            0..10 => 300.0,
            i if i % 2 == 0 => 90.0,
            _ => 110.0,
        })
        .map(|rate| (rate, rate))
        .collect();
    assert!((cliff(&rates).expect("a fall").scatter_after - 0.1).abs() < 1e-12);
}

#[test]
fn each_change_is_between_the_means_of_its_stretches() {
    let parameters = change_points::Parameters {
        window: 20,
        p_value_max: 0.001,
        distance_min: 5.0,
        stretch_min: 3,
    };
    // Three levels of twelve runs each, with a scatter of 1 to either side.
    let values: Vec<f64> = (0..36)
        .map(|i| [100.0, 130.0, 80.0][i / 12] + [0.0, 1.0, -1.0][i % 3])
        .collect();
    let changes = change_points::change_points(&values, &parameters);
    let seen: Vec<(usize, f64, f64, f64)> = changes
        .iter()
        .map(|change| (change.index, change.before, change.after, change.distance))
        .collect();
    assert_eq!(
        seen,
        [(12, 100.0, 130.0, 30.0), (24, 130.0, 80.0, 50.0)],
        "the distance has no sign"
    );
    // Eight of twelve values of a stretch are 1 off its mean: 24 squares of 1, and three means took three of 36 degrees of freedom.
    let variance = change_points::variance_around(&values, &changes).expect("36 values");
    assert!((variance - 24.0 / 33.0).abs() < 1e-12, "{variance}");
    let no_farther = change_points::Parameters {
        distance_min: 50.0,
        ..parameters
    };
    assert!(
        change_points::change_points(&values, &no_farther)
            .iter()
            .all(|change| change.distance > 50.0)
    );
}
