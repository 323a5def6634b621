//! How far is a sample from having one mode? Hartigan's dip with its probability.

/// Number of values below which the dip is meaningless: no sample of seven is improbable enough.
pub const LEAST_VALUES: usize = 8;

/// The dip: greatest distance between the distribution of the sample and the nearest distribution with one mode (Hartigan and Hartigan, "The
/// Dip Test of Unimodality", Annals of Statistics 13, 1985, by the construction of their section 3). `sorted` ascends and has no equals:
/// a frequent value is a mode of its own. `None` below two values.
pub fn dip(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len();
    let mut part = (0, n.checked_sub(1).filter(|last| *last > 0)?);
    // In counts of values; the step at a value is never bridged.
    let mut farthest: f64 = 1.0;
    loop {
        let (low, high) = part;
        let steps: Vec<Step> = sorted
            .get(low..=high)?
            .iter()
            .zip(low..)
            .map(|(x, below)| Step {
                x: *x,
                below: below as f64,
            })
            .collect();
        let convex = Line::below(&steps);
        let concave = Line::above(&steps);
        // Where the two lines are farthest apart, always at a corner of one of them.
        let (at, apart, of_convex) = farthest_corner(&steps, &convex, &concave)?;
        if apart <= farthest {
            break;
        }
        let (first, last) = if of_convex {
            (at, *concave.corners.iter().find(|corner| **corner >= at)?)
        } else {
            (
                *convex.corners.iter().rev().find(|corner| **corner <= at)?,
                at,
            )
        };
        for (index, step) in steps.iter().enumerate() {
            if index <= first {
                farthest = farthest.max(step.below + 1.0 - convex.at(step.x));
            }
            if index >= last {
                farthest = farthest.max(concave.at(step.x) - step.below);
            }
        }
        let inner = (low + first, low + last);
        if inner == part || inner.0 >= inner.1 {
            break;
        }
        part = inner;
    }
    Some(farthest / (2.0 * n as f64))
}

/// A step of the sample's distribution: the number of values below `x`; one more are at most `x`.
struct Step {
    x: f64,
    below: f64,
}

/// A convex line under the steps, or a concave one above them, straight between its corners.
struct Line {
    /// Indexes of steps.
    corners: Vec<usize>,
    points: Vec<(f64, f64)>,
}

impl Line {
    /// Greatest convex line that is nowhere above the feet of the steps.
    fn below(steps: &[Step]) -> Line {
        Line::hull(steps.iter().map(|step| (step.x, step.below)), 1.0)
    }

    /// Least concave line that is nowhere below the heads of the steps.
    fn above(steps: &[Step]) -> Line {
        Line::hull(steps.iter().map(|step| (step.x, step.below + 1.0)), -1.0)
    }

    /// Monotone chain (Andrew, "Another Efficient Algorithm for Convex Hulls in Two Dimensions", 1979); `side` 1 for the lower hull.
    fn hull(points: impl Iterator<Item = (f64, f64)>, side: f64) -> Line {
        let mut line = Line {
            corners: Vec::new(),
            points: Vec::new(),
        };
        for (index, point) in points.enumerate() {
            while let [.., (x1, y1), (x2, y2)] = line.points[..]
                && side * ((y2 - y1) * (point.0 - x1) - (point.1 - y1) * (x2 - x1)) >= 0.0
            {
                line.points.pop();
                line.corners.pop();
            }
            line.corners.push(index);
            line.points.push(point);
        }
        line
    }

    /// Height at x, which is within the line.
    fn at(&self, x: f64) -> f64 {
        let right = self.points.partition_point(|point| point.0 < x);
        let Some((x2, y2)) = self.points.get(right).copied() else {
            return self.points.last().map_or(0.0, |point| point.1);
        };
        match right.checked_sub(1).and_then(|left| self.points.get(left)) {
            Some((x1, y1)) if x < x2 => y1 + (y2 - y1) * (x - x1) / (x2 - x1),
            _ => y2,
        }
    }
}

/// (index of the step, distance, is it a corner of the convex line?)
fn farthest_corner(steps: &[Step], convex: &Line, concave: &Line) -> Option<(usize, f64, bool)> {
    let apart = |(corner, of_convex): (usize, bool)| {
        let step = steps.get(corner)?;
        Some((corner, concave.at(step.x) - convex.at(step.x), of_convex))
    };
    let corners = concave
        .corners
        .iter()
        .map(|corner| (*corner, false))
        .chain(convex.corners.iter().map(|corner| (*corner, true)));
    corners.filter_map(apart).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Probability of a dip at least this large in a sample of `n` values when the truth is uniform, the least favourable distribution with
/// one mode; between the rows of `QUANTILES` by sqrt(n) dip and the logarithm of the probability. 0.5 stands for anything above, 0.001
/// for anything below. `None` below eight values.
pub fn p_value(dip: f64, n: usize) -> Option<f64> {
    if n < LEAST_VALUES {
        return None;
    }
    let size = n as f64;
    let right = QUANTILES
        .partition_point(|row| row.0 < size)
        .min(QUANTILES.len() - 1);
    let (left, right) = (
        QUANTILES.get(right.saturating_sub(1))?,
        QUANTILES.get(right)?,
    );
    let share = if right.0 > left.0 {
        ((size - left.0) / (right.0 - left.0)).clamp(0.0, 1.0)
    } else {
        1.0
    };
    let scaled = size.sqrt() * dip;
    let mut last: Option<(f64, f64)> = None;
    for ((level, low), high) in LEVELS.iter().zip(left.1).zip(right.1) {
        let quantile = low + share * (high - low);
        if scaled < quantile {
            let Some((level_before, before)) = last else {
                return Some(0.5);
            };
            let part = (scaled - before) / (quantile - before);
            return Some((level_before.ln() + part * (level / level_before).ln()).exp());
        }
        last = Some((*level, quantile));
    }
    LEVELS.last().copied()
}

/// Probabilities of the columns of [`QUANTILES`].
const LEVELS: [f64; 8] = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001];

/// Size of the sample, and sqrt(n) dip of uniform samples at each of [`LEVELS`]: quantiles of 200,000 samples by the simulation
/// in the tests below (seed 1 and so many repetitions). Above 1,000 values they hardly change.
const QUANTILES: [(f64, [f64; 8]); 11] = [
    (
        8.0,
        [
            0.3138, 0.3543, 0.4005, 0.4349, 0.4704, 0.4903, 0.5062, 0.5485,
        ],
    ),
    (
        10.0,
        [
            0.3092, 0.3754, 0.4125, 0.4415, 0.4764, 0.5040, 0.5290, 0.5726,
        ],
    ),
    (
        12.0,
        [
            0.3155, 0.3814, 0.4156, 0.4503, 0.4893, 0.5143, 0.5368, 0.5872,
        ],
    ),
    (
        15.0,
        [
            0.3238, 0.3860, 0.4259, 0.4592, 0.4982, 0.5253, 0.5514, 0.5974,
        ],
    ),
    (
        20.0,
        [
            0.3282, 0.3956, 0.4348, 0.4701, 0.5114, 0.5396, 0.5647, 0.6210,
        ],
    ),
    (
        30.0,
        [
            0.3367, 0.4049, 0.4463, 0.4832, 0.5266, 0.5552, 0.5833, 0.6438,
        ],
    ),
    (
        50.0,
        [
            0.3454, 0.4158, 0.4589, 0.4969, 0.5428, 0.5739, 0.6029, 0.6648,
        ],
    ),
    (
        100.0,
        [
            0.3548, 0.4271, 0.4715, 0.5106, 0.5572, 0.5908, 0.6212, 0.6867,
        ],
    ),
    (
        200.0,
        [
            0.3616, 0.4352, 0.4806, 0.5208, 0.5692, 0.6028, 0.6346, 0.7027,
        ],
    ),
    (
        500.0,
        [
            0.3677, 0.4425, 0.4885, 0.5298, 0.5793, 0.6145, 0.6500, 0.7203,
        ],
    ),
    (
        1000.0,
        [
            0.3712, 0.4468, 0.4931, 0.5346, 0.5851, 0.6191, 0.6539, 0.7245,
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::simulation::Draw;
    use crate::statistics::tests::{SLEEP_1, near};

    /// sqrt(n) dip of uniform samples, ascending.
    fn simulated(n: usize, repetitions: usize, seed: u64) -> Vec<f64> {
        let mut draw = Draw::seeded(seed);
        let mut dips: Vec<f64> = (0..repetitions)
            .map(|_| {
                let mut values = draw.rounds(n, Draw::share);
                values.sort_by(f64::total_cmp);
                (n as f64).sqrt() * dip(&values).expect("values")
            })
            .collect();
        dips.sort_by(f64::total_cmp);
        dips
    }

    /// Fractions of multiples of the golden ratio, three in ten of them moved up by 3.
    fn moved(n: u32) -> Vec<f64> {
        let value = |i: u32| {
            (f64::from(i) * 0.618_033_988_749_894_9).fract() + if i % 10 < 3 { 3.0 } else { 0.0 }
        };
        (0..n).map(value).collect()
    }

    #[test]
    fn dips_as_published() {
        // Python package diptest 0.12.0 (a port of R's diptest): dipstat(x), and diptest(x)[1] from its table.
        let check = |mut values: Vec<f64>, expect: f64, p: f64| {
            values.sort_by(f64::total_cmp);
            let dip = dip(&values).expect("values");
            near(dip, expect, 1e-9);
            let got = p_value(dip, values.len()).expect("enough values");
            assert!(
                if p < 0.001 {
                    got <= 0.001
                } else if p > 0.5 {
                    got == 0.5
                } else {
                    (got / p - 1.0).abs() < 0.1
                },
                "{got} for {p}"
            );
        };
        check(SLEEP_1.to_vec(), 0.0875, 0.755_995_310_468_246_1);
        let twelve = [
            1.0, 1.1, 1.25, 1.3, 1.45, 1.5, 5.0, 5.1, 5.25, 5.3, 5.45, 5.6,
        ];
        check(twelve.to_vec(), 0.213_414_634_146_341_51, 0.0);
        check(
            (1..=30).map(|i| f64::from(i * i)).collect(),
            0.016_666_666_666_666_666,
            1.0,
        );
        check(
            (-15..=15).map(|i| f64::from(i * i * i)).collect(),
            0.016_129_032_258_064_516,
            1.0,
        );
        check(
            moved(40),
            0.101_619_747_011_856_86,
            0.001_434_938_379_700_323_5,
        );
        check(moved(200), 0.100_596_416_995_256_79, 0.0);
        assert_eq!(dip(&[1.0]), None);
        assert_eq!(dip(&[1.0, 2.0]), Some(0.25));
    }

    #[test]
    fn the_table_is_what_samples_give() {
        for n in [8, 11, 20, 70, 200] {
            let dips = simulated(n, 10_000, 2);
            for (level, tolerance) in [(0.5, 0.03), (0.1, 0.01), (0.05, 0.008), (0.01, 0.0035)] {
                let shares = dips
                    .iter()
                    .filter(|dip| p_value(**dip / (n as f64).sqrt(), n).is_some_and(|p| p < level))
                    .count();
                near(shares as f64 / 1e4, level, tolerance);
            }
        }
        assert_eq!(p_value(0.2, 7), None);
        assert!(
            p_value(0.02, 5000).is_some_and(|p| p <= 0.001)
                && p_value(0.005, 5000).is_some_and(|p| p >= 0.5)
        );
    }
}
