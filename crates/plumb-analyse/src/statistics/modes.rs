//! Do values have two modes?

use super::dip::{dip, p_value};

/// Probability of so deep a dip below which one mode is ruled out.
const SIGNIFICANCE: f64 = 0.01;
/// Centres nearer than this part are one for all practical purposes.
const LEAST_DISTANCE: f64 = 0.05;
/// Distance of the centers in spreads of their halves. The halves of a uniform distribution are 2.7 apart, those of a normal one 2.3.
const LEAST_SPREADS: f64 = 4.0;
/// Equal values are spread over this part of them to each side before the dip is taken: readings from a histogram come in steps of up to
/// 0.4 %, and every step would be a mode.
const SPREAD_OF_EQUALS: f64 = 0.01;

/// (lower centre, upper centre, share of the values in the upper half) when the values have two modes: Hartigan's dip rules out one mode
/// (p < 0.01), and the medians of the two halves lie more than 5 %, and more than four times the halves' spread, apart. Logarithms
/// throughout: a mode is a factor. For rounds and for the intervals within a step; counts should be above some hundred, as the steps
/// of small ones look like modes. `None` below eight values, or when a value is not positive.
pub fn two_modes(values: &[f64]) -> Option<(f64, f64, f64)> {
    if values
        .iter()
        .any(|value| !value.is_finite() || *value <= 0.0)
    {
        return None;
    }
    let mut sorted: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    sorted.sort_by(f64::total_cmp);
    let p = p_value(dip(&without_equals(&sorted))?, sorted.len())?;
    let (lower, upper) = halves(&sorted)?;
    let (low, high) = (super::median(lower)?, super::median(upper)?);
    let spread = (super::median_absolute_deviation(lower)?.powi(2)
        + super::median_absolute_deviation(upper)?.powi(2))
        / 2.0;
    let apart = high - low > LEAST_DISTANCE.ln_1p() && high - low > LEAST_SPREADS * spread.sqrt();
    (p < SIGNIFICANCE && apart).then(|| {
        (
            low.exp(),
            high.exp(),
            upper.len() as f64 / sorted.len() as f64,
        )
    })
}

/// Where to cut ascending values so that the distances from the medians of both halves are least in sum: a single stranger does not
/// make a half, as it would by least squares.
fn halves(sorted: &[f64]) -> Option<(&[f64], &[f64])> {
    let mut sums = vec![0.0];
    sums.extend(sorted.iter().scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    }));
    // Sum of the distances from the median of sorted[from..to]: the upper values minus the lower ones.
    let distance = |from: usize, to: usize| {
        let half = (to - from) / 2;
        let sum = |from: usize, to: usize| Some(sums.get(to)? - sums.get(from)?);
        Some(sum(to - half, to)? - sum(from, from + half)?)
    };
    let cost = |cut: usize| Some((cut, distance(0, cut)? + distance(cut, sorted.len())?));
    let (cut, _) = (1..sorted.len())
        .filter_map(cost)
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    sorted.split_at_checked(cut)
}

/// Ascending values with equals spread evenly, never beyond half the way to the next.
fn without_equals(sorted: &[f64]) -> Vec<f64> {
    let groups: Vec<&[f64]> = sorted.chunk_by(|a, b| a == b).collect();
    let of = |index: usize| groups.get(index).and_then(|group| group.first());
    let mut spread = Vec::with_capacity(sorted.len());
    for (index, group) in groups.iter().enumerate() {
        let Some(value) = group.first() else { continue };
        let room = |other: Option<&f64>| {
            other.map_or(SPREAD_OF_EQUALS, |other| {
                SPREAD_OF_EQUALS.min((other - value).abs() / 2.0)
            })
        };
        let (below, above) = (room(index.checked_sub(1).and_then(of)), room(of(index + 1)));
        let position = |number: usize| {
            value - below + (below + above) * (number as f64 + 0.5) / group.len() as f64
        };
        if group.len() == 1 {
            spread.push(*value);
        } else {
            spread.extend((0..group.len()).map(position));
        }
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::simulation::Draw;
    use crate::statistics::tests::near;

    fn modes_of(
        n: usize,
        seed: u64,
        mut one: impl FnMut(&mut Draw) -> f64,
    ) -> Option<(f64, f64, f64)> {
        let mut draw = Draw::seeded(seed);
        two_modes(&(0..n).map(|_| one(&mut draw).exp()).collect::<Vec<_>>())
    }

    #[test]
    fn two_modes_are_found_and_placed() {
        for (n, share) in [(20, 0.5), (50, 0.3), (200, 0.2), (1000, 0.9)] {
            let switching = |draw: &mut Draw| if draw.share() < share { 0.3 } else { 0.0 } + 0.02 * draw.normal();
            let (low, high, upper) =
                modes_of(n, 7, switching).unwrap_or_else(|| panic!("{n} {share}"));
            near(low, 1.0, 0.02);
            near(high, 0.3f64.exp(), 0.02);
            near(upper, share, 0.15);
        }
        let rounds = [100.0, 101.0, 140.0, 99.0, 141.0, 139.5, 100.5, 140.5];
        assert_eq!(two_modes(&rounds).map(|modes| modes.2), Some(0.5));
    }

    #[test]
    fn equals_are_spread_to_half_the_way_to_the_next() {
        // Two of 1: 0.01 below, where nothing is, and 0.002 above, half of the way to 1.004; each in the middle of its half.
        let spread = without_equals(&[1.0, 1.0, 1.004, 3.0]);
        for (got, expect) in spread.iter().zip([0.993, 0.999, 1.004, 3.0]) {
            near(*got, expect, 1e-12);
        }
        let spread = without_equals(&[0.5, 3.0, 3.0, 3.0, 3.0]);
        for (got, expect) in spread.iter().zip([0.5, 2.9925, 2.9975, 3.0025, 3.0075]) {
            near(*got, expect, 1e-12);
        }
    }

    #[test]
    fn a_stranger_is_no_mode() {
        assert_eq!(
            modes_of(100, 3, |draw| if draw.share() < 0.02 {
                2.0
            } else {
                0.02 * draw.normal()
            }),
            None
        );
        // Nor does it hide two of them.
        let mut values: Vec<f64> = (0..40)
            .map(|i| if i % 2 == 0 { 100.0 } else { 130.0 } + f64::from(i % 7))
            .collect();
        values.push(3000.0);
        let (low, high, _) = two_modes(&values).expect("two modes");
        assert!(
            (100.0..107.0).contains(&low) && (130.0..137.0).contains(&high),
            "{low} {high}"
        );
    }

    #[test]
    fn one_mode_is_left_alone() {
        let mut draw = Draw::seeded(11);
        for n in [8, 10, 20, 100, 300] {
            let mut found = 0;
            for _ in 0..600 {
                let samples = [
                    draw.rounds(n, |draw| 0.1 * draw.normal()),
                    draw.rounds(n, |draw| 0.3 * draw.share()),
                ];
                found += samples
                    .iter()
                    .filter(|sample| {
                        two_modes(&sample.iter().map(|x| x.exp()).collect::<Vec<_>>()).is_some()
                    })
                    .count();
            }
            // One in a hundred is what the significance allows.
            assert!(found <= 18, "{found} of 1200 samples of {n}");
        }
    }

    #[test]
    fn readings_in_steps_are_no_modes() {
        // 0.4 % steps, as percentiles of a histogram come; and a rate that hardly changes.
        assert_eq!(
            modes_of(300, 5, |draw| (0.01 * draw.normal() / 0.004).round()
                * 0.004),
            None
        );
        let counts: Vec<f64> = (0..60)
            .map(|i| if i % 3 == 0 { 1001.0 } else { 1000.0 })
            .collect();
        assert_eq!(two_modes(&counts), None);
        assert_eq!(two_modes(&[500.0; 40]), None);
        let exact: Vec<f64> = (0..60)
            .map(|i| if i % 3 == 0 { 1100.0 } else { 1000.0 })
            .collect();
        assert!(two_modes(&exact).is_some());
    }

    #[test]
    fn too_few_or_no_values() {
        assert_eq!(two_modes(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]), None);
        assert_eq!(two_modes(&[]), None);
        assert_eq!(two_modes(&[0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]), None);
    }
}
