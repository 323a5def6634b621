//! At which run did a figure change? Change points of a series by E-divisive means with Student's t-test.
//!
//! The measure of the best split of a series is by Matteson and James, "A Nonparametric Approach for Multiple Change Point
//! Analysis of Multivariate Data", JASA 109 (2014). The search in windows, the test with Student's t instead of random permutations
//! (so that the same runs always give the same result), and dropping of weak points from the weakest on are Hunter: Fleming et al., "Hunter:
//! Using Change Point Detection to Hunt for Performance Regressions", ICPE 2023, now Apache Otava. The differences from Otava 0.8 are all on the conservative
//! side. A segment has several runs, and most of them must show the change: an outlier is not a change. The p-value accounts for choosing the best of many positions,
//! and for autocorrelation of runs: without that, 2 to 60 lines of 100 show a change where nothing changed. And the test uses
//! the sample variance (n - 1), as Student's does, not that of a population; after a point was dropped, both of its neighbors are tested again.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::statistics::median;

/// By what a point counts as a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Values that are looked at together; the next window begins half a window further, or at the last change found.
    pub window: usize,
    /// Largest probability of such a difference when nothing changed.
    pub p_value_max: f64,
    /// Minimum size of a change, in the unit of the values.
    pub distance_min: f64,
    /// Values that a stretch has at least.
    pub stretch_min: usize,
}

/// Candidate points may have a probability larger by this factor; the final decision is on entire segments.
const FIRST_PASS: f64 = 10.0;

/// A change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Index of the first value of the new stretch.
    pub index: usize,
    /// Mean of the stretch before.
    pub before: f64,
    /// Mean of the stretch from here on.
    pub after: f64,
    /// Distance between the means of both, or between their medians where that is smaller, or points the other way: then 0. One run far off
    /// moves a mean; that most runs moved is what makes a change.
    pub distance: f64,
    /// Probability of such a difference of means when nothing changed.
    pub p_value: f64,
}

/// The changes in a series of finite values, in rising order.
pub fn change_points(values: &[f64], parameters: &Parameters) -> Vec<Change> {
    let mut found = Vec::new();
    let step = (parameters.window / 2).max(1);
    let mut start = 0;
    while start < values.len() {
        let end = (start + parameters.window).min(values.len());
        let inside = in_window(&values[start..end], parameters);
        let last = inside.last().map_or(0, |index| start + index);
        found.extend(inside.into_iter().map(|index| start + index));
        start = last.max(start + step);
    }
    found.sort_unstable();
    found.dedup();
    strong(values, found, parameters)
}

/// Variance of the values around the means of the stretches between these changes. `None` when there are no more values than stretches.
pub fn variance_around(values: &[f64], changes: &[Change]) -> Option<f64> {
    let borders: Vec<usize> = std::iter::once(0)
        .chain(changes.iter().map(|change| change.index))
        .chain([values.len()])
        .collect();
    let squares = |part: &[usize]| {
        let stretch = &values[part[0]..part[1]];
        let mean = mean(stretch);
        stretch
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
    };
    let freedom = values
        .len()
        .checked_sub(borders.len() - 1)
        .filter(|freedom| *freedom > 0)?;
    Some(borders.windows(2).map(squares).sum::<f64>() / freedom as f64)
}

/// Divides a window as long as the best place to divide it is worth a look. Indices in rising order.
fn in_window(values: &[f64], parameters: &Parameters) -> Vec<usize> {
    let pairs = PairDistances::of(values);
    let mut borders = vec![0, values.len()];
    loop {
        let best = borders
            .windows(2)
            .filter_map(|part| pairs.best_division(part[0], part[1], parameters.stretch_min));
        let best = best.reduce(|best, other| {
            if other.divergence > best.divergence {
                other
            } else {
                best
            }
        });
        let Some(best) = best else { break };
        let index = borders.partition_point(|border| *border < best.at);
        let (left, right) = (
            &values[borders[index - 1]..best.at],
            &values[best.at..borders[index]],
        );
        if p_value(left, right) > parameters.p_value_max * FIRST_PASS {
            break;
        }
        borders.insert(index, best.at);
    }
    borders[1..borders.len() - 1].to_vec()
}

/// Sums of distances between the values of a window.
struct PairDistances {
    count: usize,
    /// `within[from * (count + 1) + to]`: sum of |x - y| over all pairs of the values from `from` to before `to`.
    within: Vec<f64>,
}

/// A place to divide at, and how far apart it sets the two parts.
#[derive(Debug, Clone, Copy)]
struct Division {
    at: usize,
    divergence: f64,
}

impl PairDistances {
    fn of(values: &[f64]) -> PairDistances {
        let count = values.len();
        let mut within = vec![0.0; (count + 1) * (count + 1)];
        let index = |from: usize, to: usize| from * (count + 1) + to;
        for length in 2..=count {
            for from in 0..=count - length {
                let to = from + length;
                let shorter = within[index(from + 1, to)] + within[index(from, to - 1)]
                    - within[index(from + 1, to - 1)];
                within[index(from, to)] = shorter + (values[from] - values[to - 1]).abs();
            }
        }
        PairDistances { count, within }
    }

    fn sum(&self, from: usize, to: usize) -> f64 {
        self.within[from * (self.count + 1) + to]
    }

    /// Where the values from `start` to before `end` fall apart best: the largest divergence (equation 7 of Matteson and James, exponent 1)
    /// between the values before a place and those from there to any later one. `None` when there are not enough for two stretches.
    fn best_division(&self, start: usize, end: usize, stretch_min: usize) -> Option<Division> {
        let mut best: Option<Division> = None;
        for at in start + stretch_min..=end.saturating_sub(stretch_min) {
            for to in at + stretch_min..=end {
                let divergence = self.divergence(start, at, to);
                if best.is_none_or(|best| divergence > best.divergence) {
                    best = Some(Division { at, divergence });
                }
            }
        }
        best
    }

    fn divergence(&self, start: usize, at: usize, to: usize) -> f64 {
        let (n, m) = ((at - start) as f64, (to - at) as f64);
        let (left, right) = (self.sum(start, at), self.sum(at, to));
        let between = self.sum(start, to) - left - right;
        // Parts of one value have no pairs: 0, not 0/0.
        let mean_pair = |sum: f64, count: f64| {
            if count > 1.0 {
                sum / (count - 1.0)
            } else {
                0.0
            }
        };
        2.0 / (m + n) * (between - m * mean_pair(left, n) - n * mean_pair(right, m))
    }
}

/// Drops the weakest point until all that are left are significant and large enough.
fn strong(values: &[f64], mut at: Vec<usize>, parameters: &Parameters) -> Vec<Change> {
    let mut medians = Medians::default();
    loop {
        let changes = between_stretches(values, &at, parameters, &mut medians);
        let unlikely = changes
            .iter()
            .enumerate()
            .max_by(|(_, a), (_, b)| a.p_value.total_cmp(&b.p_value));
        let Some((mut weakest, change)) = unlikely else {
            return changes;
        };
        if change.p_value < parameters.p_value_max {
            let smallest = changes
                .iter()
                .enumerate()
                .min_by(|(_, a), (_, b)| a.distance.total_cmp(&b.distance));
            let Some((index, _)) =
                smallest.filter(|(_, change)| change.distance <= parameters.distance_min)
            else {
                return changes;
            };
            weakest = index;
        }
        at.remove(weakest);
    }
}

/// Each point with the entire segments before and after it.
fn between_stretches(
    values: &[f64],
    at: &[usize],
    parameters: &Parameters,
    medians: &mut Medians,
) -> Vec<Change> {
    let borders: Vec<usize> = std::iter::once(0)
        .chain(at.iter().copied())
        .chain([values.len()])
        .collect();
    let stretches: Vec<&[f64]> = borders
        .windows(2)
        .map(|part| &values[part[0]..part[1]])
        .collect();
    let resemblance = resemblance(&stretches);
    let mut change = |(position, pair): (usize, &[&[f64]])| {
        let (left, right) = (pair[0], pair[1]);
        // The best of all places was chosen, and the best of many is far off by chance more often than one that was named beforehand.
        let positions = (left.len() + right.len() + 1)
            .saturating_sub(2 * parameters.stretch_min)
            .max(1);
        let p_value = (difference(left, right, resemblance) * positions as f64).min(1.0);
        let (before, after) = (mean(left), mean(right));
        Change {
            index: borders[position + 1],
            before,
            after,
            distance: distance(
                (
                    left,
                    medians.of(values, borders[position], borders[position + 1]),
                ),
                (
                    right,
                    medians.of(values, borders[position + 1], borders[position + 2]),
                ),
            ),
            p_value,
        }
    };
    stretches.windows(2).enumerate().map(&mut change).collect()
}

/// Medians of stretches by their borders. While points are dropped most stretches remain, and sorting them again and again took most of the time.
#[derive(Default)]
struct Medians(BTreeMap<(usize, usize), f64>);

impl Medians {
    fn of(&mut self, values: &[f64], from: usize, to: usize) -> f64 {
        let of_stretch = || median(&values[from..to]).unwrap_or_default();
        *self.0.entry((from, to)).or_insert_with(of_stretch)
    }
}

/// Of two stretches, each with its median.
fn distance((left, left_median): (&[f64], f64), (right, right_median): (&[f64], f64)) -> f64 {
    let of_means = mean(right) - mean(left);
    let of_medians = right_median - left_median;
    if of_means * of_medians > 0.0 {
        of_means.abs().min(of_medians.abs())
    } else {
        0.0
    }
}

/// How much a value resembles the one before it: lag-1 autocorrelation around the means of the stretches, from 0 on. What it lacks in short series
/// (Marriott and Pope, "Bias in the Estimation of Autocorrelations", Biometrika 41, 1954) is not put back: in short series that would hide steps
/// that everybody sees, and the test of this file says how many false alarms it costs.
fn resemblance(stretches: &[&[f64]]) -> f64 {
    let (mut products, mut squares) = (0.0, 0.0);
    for stretch in stretches {
        let middle = mean(stretch);
        products += stretch
            .windows(2)
            .map(|pair| (pair[0] - middle) * (pair[1] - middle))
            .sum::<f64>();
        squares += stretch
            .iter()
            .map(|value| (value - middle).powi(2))
            .sum::<f64>();
    }
    if squares > 0.0 {
        (products / squares).clamp(0.0, 0.95)
    } else {
        0.0
    }
}

/// Two-sided p-value of a difference of means between two stretches whose values resemble their neighbours: Student's t with the variance of
/// each mean, and the degrees of freedom, as those of an autoregressive series of the first order.
fn difference(left: &[f64], right: &[f64], resemblance: f64) -> f64 {
    let (n, m) = (left.len() as f64, right.len() as f64);
    let (variance_n, variance_m) = (
        mean_variance(left.len(), resemblance),
        mean_variance(right.len(), resemblance),
    );
    // What the deviations from the means of both stretches lack of the true variance (Law, "Simulation Modeling and Analysis", section 4.4).
    let kept = ((n - variance_n + m - variance_m) / (n + m - 2.0)).max(0.2);
    let error = (variance_n / n + variance_m / m) / kept;
    let freedom = (n + m - 2.0) * (n + m) / (n * variance_n + m * variance_m);
    student(left, right, error, freedom.max(1.0))
}

/// Variance of the mean of `count` values of such a series, in units of that of independent ones.
fn mean_variance(count: usize, resemblance: f64) -> f64 {
    let n = count as f64;
    let mut sum = 0.0;
    for lag in 1..count {
        let term = (1.0 - lag as f64 / n) * resemblance.powi(lag as i32);
        // Terms fall: this one and all others are lost in rounding.
        if sum + term == sum {
            break;
        }
        sum += term;
    }
    1.0 + 2.0 * sum
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Two-sided p-value of Student's t test with the variance of both sides pooled ("The Probable Error of a Mean", Biometrika 6, 1908).
fn p_value(left: &[f64], right: &[f64]) -> f64 {
    let (n, m) = (left.len() as f64, right.len() as f64);
    student(left, right, 1.0 / n + 1.0 / m, n + m - 2.0)
}

/// The same, with the variance of the difference of means in units of the variance of a value, and the degrees of freedom.
/// 1 when there is nothing to estimate a variance from.
fn student(left: &[f64], right: &[f64], error: f64, freedom: f64) -> f64 {
    let pooled = (left.len() + right.len()) as f64 - 2.0;
    if pooled < 1.0 {
        return 1.0;
    }
    let (low, high) = (mean(left), mean(right));
    let squares = |values: &[f64], middle: f64| {
        values
            .iter()
            .map(|value| (value - middle).powi(2))
            .sum::<f64>()
    };
    let variance = (squares(left, low) + squares(right, high)) / pooled;
    let t = (high - low).abs() / (variance * error).sqrt();
    match t {
        t if t.is_nan() => 1.0,
        t if t.is_infinite() => 0.0,
        t => {
            StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |distribution| 2.0 * distribution.cdf(-t))
        }
    }
}

#[cfg(test)]
mod tests;
