//! Which law does throughput follow as concurrency rises, where is its peak, and how certain is that?
//!
//! The Universal Scalability Law (N. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapter 4): X(N) = g N / (1 + a (N - 1) + b N (N - 1)), with a, b >= 0.
//! N / X is linear in 1/g, a/g and b/g, so that least squares have a closed solution. Deviations are relative to the law, since throughput is known to
//! a percentage; the weights for this come from the previous fit.

use crate::statistics::mean;

/// Points below which nothing is fitted: three parameters, and as many degrees of freedom at least.
pub const POINTS_MIN: usize = 6;
/// Fits that follow each other until the weights no longer change.
const REWEIGHTED: usize = 4;
/// Samples of the bootstrap.
const SAMPLES: usize = 500;

/// Concurrency and the throughput of each round there.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub concurrency: f64,
    /// In the order of the rounds; all above 0.
    pub rounds: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Throughput of one.
    pub one: f64,
    pub contention: f64,
    pub coherency: f64,
}

impl Law {
    pub fn throughput(&self, n: f64) -> f64 {
        self.one * n / (1.0 + self.contention * (n - 1.0) + self.coherency * n * (n - 1.0))
    }

    /// Where throughput is greatest; `None` when it never falls.
    pub fn peak(&self) -> Option<f64> {
        let at = ((1.0 - self.contention).max(0.0) / self.coherency).sqrt();
        (self.coherency > 0.0 && at.is_finite()).then(|| at.max(1.0))
    }

    /// Greatest relative deviation of the points from the law.
    pub fn deviation(&self, points: &[(f64, f64)]) -> f64 {
        let deviations = points
            .iter()
            .map(|(n, x)| (x / self.throughput(*n) - 1.0).abs());
        deviations.fold(0.0, f64::max)
    }
}

/// The law that fits these points (concurrency, throughput) best. `None` with fewer than [`POINTS_MIN`] different concurrencies, or values that are not
/// above 0.
pub fn fit(points: &[(f64, f64)]) -> Option<Law> {
    let mut different: Vec<f64> = points.iter().map(|(n, _)| *n).collect();
    different.sort_by(f64::total_cmp);
    different.dedup();
    let sound = |value: f64| value.is_finite() && value > 0.0;
    if different.len() < POINTS_MIN || points.iter().any(|(n, x)| !sound(*n) || !sound(*x)) {
        return None;
    }
    let mut weights: Vec<f64> = points.iter().map(|(n, x)| x / n).collect();
    let mut law = weighted(points, &weights)?;
    for _ in 1..REWEIGHTED {
        for (weight, (n, _)) in weights.iter_mut().zip(points) {
            *weight = law.throughput(*n) / n;
        }
        law = weighted(points, &weights)?;
    }
    Some(law)
}

/// Which of contention and coherency are free: a bound that would be passed is kept to, whichever way gives the least squares.
const FREE: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

fn weighted(points: &[(f64, f64)], weights: &[f64]) -> Option<Law> {
    let mut best: Option<(f64, [f64; 3])> = None;
    for (contention, coherency) in FREE {
        let free = [true, contention, coherency];
        let Some(found) = solved(points, weights, free) else {
            continue;
        };
        if found[0] <= 0.0 || found[1] < 0.0 || found[2] < 0.0 {
            continue;
        }
        let squares: f64 = points
            .iter()
            .zip(weights)
            .map(|((n, x), weight)| {
                let basis = basis(*n);
                let law: f64 = basis.iter().zip(&found).map(|(b, c)| b * c).sum();
                ((n / x - law) * weight).powi(2)
            })
            .sum();
        if best.is_none_or(|(least, _)| squares < least) {
            best = Some((squares, found));
        }
    }
    let (_, [one, contention, coherency]) = best?;
    Some(Law {
        one: 1.0 / one,
        contention: contention / one,
        coherency: coherency / one,
    })
}

fn basis(n: f64) -> [f64; 3] {
    [1.0, n - 1.0, n * (n - 1.0)]
}

/// Weighted least squares of N / X over the free terms, by the normal equations and Gaussian elimination; fixed terms are 0.
fn solved(points: &[(f64, f64)], weights: &[f64], free: [bool; 3]) -> Option<[f64; 3]> {
    let terms: Vec<usize> = (0..3).filter(|term| free[*term]).collect();
    // Terms differ by orders of magnitude: each is measured by its own size.
    let scale: Vec<f64> = terms
        .iter()
        .map(|term| {
            let squares = points.iter().zip(weights);
            squares
                .map(|((n, _), weight)| (basis(*n)[*term] * weight).powi(2))
                .sum::<f64>()
                .sqrt()
        })
        .collect();
    if scale.iter().any(|scale| *scale <= 0.0) {
        return None;
    }
    let size = terms.len();
    let mut rows = vec![vec![0.0; size + 1]; size];
    for ((n, x), weight) in points.iter().zip(weights) {
        let basis = basis(*n);
        let scaled: Vec<f64> = terms
            .iter()
            .zip(&scale)
            .map(|(term, scale)| basis[*term] * weight / scale)
            .collect();
        for (row, left) in rows.iter_mut().zip(&scaled) {
            for (cell, right) in row.iter_mut().zip(&scaled) {
                *cell += left * right;
            }
            row[size] += left * n / x * weight;
        }
    }
    let solution = eliminated(rows)?;
    let mut found = [0.0; 3];
    for ((term, scale), value) in terms.iter().zip(&scale).zip(solution) {
        found[*term] = value / scale;
    }
    Some(found)
}

/// Solves linear equations whose right side is the last column; `None` without a unique solution.
fn eliminated(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        if rows[pivot][column].abs() < 1e-12 {
            return None;
        }
        rows.swap(column, pivot);
        let head = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let factor = row[column] / head[column];
            if index != column {
                row.iter_mut()
                    .zip(&head)
                    .for_each(|(cell, above)| *cell -= factor * above);
            }
        }
    }
    Some(
        (0..size)
            .map(|row| rows[row][size] / rows[row][row])
            .collect(),
    )
}

/// Interval of 95 % of the peak: the lower end, and the upper one unless the law may never fall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeakInterval {
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// Bootstraps the peak of `law` over the rounds. `None` when no concurrency has two rounds.
///
/// Rounds are drawn from the deviations of all rounds from the mean of their concurrency (their logarithms, all pooled, made larger for the degrees of freedom
/// that the means took; Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 6.3). Where the means lie farther from the law than the
/// rounds explain, the deviations are made larger by that ratio (R. Birge, "The Calculation of Errors by the Method of Least Squares", Physical Review 40, 1932).
pub fn peak_interval(law: &Law, measured: &[Measured], seed: u64) -> Option<PeakInterval> {
    let logarithms: Vec<Vec<f64>> = measured
        .iter()
        .map(|at| at.rounds.iter().map(|x| x.ln()).collect())
        .collect();
    let means: Vec<f64> = logarithms
        .iter()
        .map(|of| mean(of))
        .collect::<Option<_>>()?;
    let mut pool = Vec::new();
    for (of, middle) in logarithms.iter().zip(&means).filter(|(of, _)| of.len() > 1) {
        let rounds = of.len() as f64;
        let larger = (rounds / (rounds - 1.0)).sqrt();
        pool.extend(of.iter().map(|value| (value - middle) * larger));
    }
    if pool.is_empty() {
        return None;
    }
    let wider = birge_ratio(law, measured, &means, &pool);
    let mut random = Draws(seed);
    let mut peaks = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let sample: Vec<(f64, f64)> = measured
            .iter()
            .map(|at| {
                let drawn = (0..at.rounds.len()).map(|_| pool[random.below(pool.len())]);
                let error = wider * drawn.sum::<f64>() / at.rounds.len() as f64;
                (at.concurrency, law.throughput(at.concurrency) * error.exp())
            })
            .collect();
        peaks.push(
            fit(&sample)
                .and_then(|law| law.peak())
                .unwrap_or(f64::INFINITY),
        );
    }
    peaks.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let index = (share * (SAMPLES - 1) as f64).round() as usize;
        peaks.get(index).copied().filter(|peak| peak.is_finite())
    };
    Some(PeakInterval {
        low: at(0.025),
        high: at(0.975),
    })
}

/// Factor by which the means are farther from the law than the spread of the rounds explains; 1 if they are not.
fn birge_ratio(law: &Law, measured: &[Measured], means: &[f64], pool: &[f64]) -> f64 {
    let variance = pool.iter().map(|value| value * value).sum::<f64>() / pool.len() as f64;
    let squares: f64 = measured
        .iter()
        .zip(means)
        .map(|(at, middle)| {
            let distance = middle - law.throughput(at.concurrency).ln();
            distance * distance * at.rounds.len() as f64
        })
        .sum();
    let freedom = measured.len().saturating_sub(3).max(1) as f64;
    let ratio = (squares / freedom / variance).sqrt();
    if ratio.is_finite() {
        ratio.max(1.0)
    } else {
        1.0
    }
}

/// Seeded draws: the same record gives the same interval (splitmix64; Steele, Lea and Flood, OOPSLA 2014).
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::simulation::Draw;

    const LADDER: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

    fn law(contention: f64, coherency: f64) -> Law {
        Law {
            one: 5000.0,
            contention,
            coherency,
        }
    }

    fn exact(law: &Law) -> Vec<(f64, f64)> {
        LADDER.iter().map(|n| (*n, law.throughput(*n))).collect()
    }

    #[test]
    fn exact_points_give_the_law_back() {
        for (contention, coherency) in [(0.05, 0.0005), (0.0, 0.001), (0.3, 0.0), (0.0, 0.0)] {
            let truth = law(contention, coherency);
            let found = fit(&exact(&truth)).expect("a law");
            assert!((found.one / truth.one - 1.0).abs() < 1e-6, "{found:?}");
            assert!((found.contention - contention).abs() < 1e-6, "{found:?}");
            assert!((found.coherency - coherency).abs() < 1e-8, "{found:?}");
            assert!(found.deviation(&exact(&truth)) < 1e-6);
        }
        // sqrt(0.95 / 0.0005)
        let peak = law(0.05, 0.0005).peak().expect("a peak");
        assert!((peak - 43.589).abs() < 0.001, "{peak}");
        assert_eq!(law(0.2, 0.0).peak(), None);
        assert_eq!(
            law(1.5, 0.01).peak(),
            Some(1.0),
            "it falls from the first on"
        );
    }

    #[test]
    fn few_points_are_not_fitted() {
        let points = exact(&law(0.05, 0.0005));
        assert_eq!(fit(&points[..5]), None);
        let mut repeated = points[..5].to_vec();
        repeated.extend_from_slice(&points[..5]);
        assert_eq!(fit(&repeated), None, "six different concurrencies");
        let mut nothing = points.clone();
        nothing[3].1 = 0.0;
        assert_eq!(fit(&nothing), None);
    }

    /// How many of the cases are tried: the figures do not depend on the system, and the Windows program is tested without optimisation.
    const CASES: usize = if cfg!(windows) { 1 } else { usize::MAX };

    /// Ladders with rounds of a known law that deviate by so much, and how often the interval holds the true peak.
    fn coverage(truth: Law, rounds: usize, deviation: f64) -> (usize, usize, f64) {
        const LADDERS: usize = 200;
        let mut draw = Draw::seeded(7);
        let peak = truth.peak().unwrap_or(f64::INFINITY);
        let (mut held, mut within, mut widths) = (0, 0, 0.0);
        for seed in 0..LADDERS {
            let measured: Vec<Measured> = LADDER
                .iter()
                .map(|n| Measured {
                    concurrency: *n,
                    rounds: draw
                        .rounds(rounds, |draw| deviation * draw.normal())
                        .iter()
                        .map(|error| truth.throughput(*n) * error.exp())
                        .collect(),
                })
                .collect();
            let points: Vec<(f64, f64)> = measured
                .iter()
                .map(|at| {
                    let logarithms: Vec<f64> = at.rounds.iter().map(|x| x.ln()).collect();
                    (at.concurrency, mean(&logarithms).expect("rounds").exp())
                })
                .collect();
            let found = fit(&points).expect("a law");
            let interval = peak_interval(&found, &measured, seed as u64).expect("an interval");
            let (low, high) = (
                interval.low.unwrap_or(f64::INFINITY),
                interval.high.unwrap_or(f64::INFINITY),
            );
            held += usize::from(low <= peak && peak <= high);
            within += usize::from(high <= 128.0);
            widths += (high / low).ln();
        }
        (held, within, (widths / LADDERS as f64).exp())
    }

    #[test]
    fn the_interval_holds_the_true_peak_as_often_as_it_says() {
        let cases = [(3, 0.03), (3, 0.08), (6, 0.05), (2, 0.03)];
        for (rounds, deviation) in cases.into_iter().take(CASES) {
            let (held, within, width) = coverage(law(0.05, 0.0005), rounds, deviation);
            println!(
                "{rounds} rounds that deviate by {deviation}: {held} of 200 hold the peak, {within} are within the ladder, {width:.2} times wide"
            );
            // 95 % of 200 are 190; with a standard error of 3.
            assert!((180..=200).contains(&held), "{rounds} {deviation}: {held}");
            assert!(within > 150 && width < 3.0, "{within} {width}");
        }
    }

    #[test]
    fn a_law_without_a_peak_is_not_given_one() {
        // A peak at 1,000 lies far beyond the ladder, and one of 0.3 contention without coherency nowhere.
        let truths = [law(0.02, 0.000_000_98), law(0.3, 0.0)];
        for truth in truths.into_iter().take(CASES) {
            let (held, within, _) = coverage(truth, 3, 0.03);
            println!("{truth:?}: {held} hold it, {within} claim a peak within the ladder");
            assert!(within <= 8, "{truth:?}: {within}");
        }
    }

    #[test]
    fn one_round_gives_no_interval() {
        let truth = law(0.05, 0.0005);
        let measured: Vec<Measured> = exact(&truth)
            .iter()
            .map(|(n, x)| Measured {
                concurrency: *n,
                rounds: vec![*x],
            })
            .collect();
        assert_eq!(peak_interval(&truth, &measured, 1), None);
    }
}
