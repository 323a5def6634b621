//! Do the rounds of a run drift in one direction? A test of order that also works on few values.

use statrs::distribution::{ContinuousCDF, Normal};

/// Up to this many values without equals among them, the probability is exact.
const MOST_EXACT: usize = 50;

/// A tendency over the order of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Median of the changes per step between all pairs (Sen, "Estimates of the Regression Coefficient Based on Kendall's Tau", JASA 63,
    /// 1968), in the unit of the values: robust against single strangers.
    pub slope: f64,
    /// Probability of an order at least this regular, either way, when the order means nothing.
    pub p_value: f64,
}

/// Mann-Kendall test (Mann, "Nonparametric Tests Against Trend", Econometrica 13, 1945; Kendall, "Rank Correlation Methods", 4th ed., 1975):
/// exact up to 50 different values, else by the normal approximation with corrections for ties and continuity. `None` below five values,
/// where even a perfect order proves nothing, or when one is not a number.
pub fn drift(values: &[f64]) -> Option<Drift> {
    let n = values.len();
    if n < 5 || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let pairs = || (0..n).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
    let change = |(earlier, later): (usize, usize)| {
        Some((
            values.get(later)? - values.get(earlier)?,
            (later - earlier) as f64,
        ))
    };
    let changes: Vec<(f64, f64)> = pairs().filter_map(change).collect();
    let slope = super::median(
        &changes
            .iter()
            .map(|(change, steps)| change / steps)
            .collect::<Vec<_>>(),
    )?;
    let rising = changes.iter().filter(|(change, _)| *change > 0.0).count();
    let falling = changes.iter().filter(|(change, _)| *change < 0.0).count();
    let ties = changes.len() - rising - falling;
    let p_value = if ties == 0 && n <= MOST_EXACT {
        exact(n, rising.min(falling))
    } else {
        approximate(values, rising, falling)?
    };
    Some(Drift { slope, p_value })
}

/// Twice the probability of at most `inversions` pairs out of order in a random order of `n` values.
fn exact(n: usize, inversions: usize) -> f64 {
    // Distribution of the inversions: the i-th inserted value adds 0 to i - 1 of them, each with the same probability.
    let mut distribution = vec![1.0];
    for size in 2..=n {
        let mut next = vec![0.0; distribution.len() + size - 1];
        for (before, probability) in distribution.iter().enumerate() {
            next.iter_mut()
                .skip(before)
                .take(size)
                .for_each(|sum: &mut f64| *sum += probability / size as f64);
        }
        distribution = next;
    }
    (2.0 * distribution.iter().take(inversions + 1).sum::<f64>()).min(1.0)
}

fn approximate(values: &[f64], rising: usize, falling: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let weight = |count: usize| count as f64 * (count as f64 - 1.0) * (2.0 * count as f64 + 5.0);
    let tied: f64 = sorted
        .chunk_by(|a, b| a == b)
        .map(|equal| weight(equal.len()))
        .sum();
    let variance = (weight(values.len()) - tied) / 18.0;
    let distance = (rising.abs_diff(falling) as f64 - 1.0).max(0.0);
    if variance <= 0.0 {
        return Some(1.0);
    }
    Some((2.0 * Normal::standard().cdf(-distance / variance.sqrt())).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::near;

    #[test]
    fn exact_probabilities() {
        // SciPy 1.17.1: kendalltau(range(n), x, method="exact").pvalue and theilslopes(x)[0].
        let check = |values: &[f64], slope: f64, p: f64| {
            let drift = drift(values).expect("values");
            near(drift.slope, slope, 1e-12);
            near(drift.p_value, p, 1e-12);
        };
        check(&[1.0, 2.0, 3.0, 4.0, 5.0], 1.0, 0.016_666_666_666_666_666);
        check(
            &[5.0, 3.0, 4.0, 1.0, 2.0, 0.0],
            -1.0,
            0.055_555_555_555_555_55,
        );
        check(
            &[1.0, 3.0, 2.0, 4.0, 6.0, 5.0, 7.0, 8.0],
            1.0,
            0.001_736_111_111_111_111,
        );
        assert_eq!(drift(&[1.0, 2.0, 3.0, 4.0]), None);
        assert_eq!(drift(&[1.0, 2.0, 3.0, 4.0, f64::NAN]), None);
    }

    #[test]
    fn ties_and_long_series() {
        // S = 27 of 36 pairs, variance (1656 - 54) / 18 = 89: 2 * scipy.stats.norm.sf(26 / sqrt(89)) = 0.005852.
        let tied = drift(&[2.0, 2.0, 1.0, 3.0, 3.0, 4.0, 5.0, 4.0, 6.0]).expect("values");
        near(tied.p_value, 0.005_852, 1e-6);
        near(tied.slope, 0.5, 1e-12);
        near(drift(&[7.0; 9]).expect("values").p_value, 1.0, 0.0);
        let long: Vec<f64> = (0..200).map(f64::from).collect();
        assert!(drift(&long).expect("values").p_value < 1e-12);
    }
}
