//! By how much do two sides differ, and how certain is that? Trimmed means of rounds with their standard error, on logarithms.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Added to the estimated autocorrelation, in standard errors of it: from a few rounds it is hardly known, and to believe it too
/// small is what makes noise look like a difference.
const CAUTION: f64 = 0.5;
/// Rounds per side below which no autocorrelation is estimated.
const LEAST_ROUNDS_FOR_AUTOCORRELATION: usize = 4;
/// More rounds than anybody will run.
const MOST_ROUNDS: u32 = 1_000_000;

/// Distance between two sides, in the unit of the values. Of logarithms it is the logarithm of a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Second side minus first.
    pub estimate: f64,
    /// Standard error of the estimate, `inflation` included. 0 when nothing scatters.
    pub standard_error: f64,
    /// Degrees of freedom of Student's t.
    pub freedom: f64,
    /// Factor by which the standard error was widened because rounds resemble their neighbours; 1 when it was not.
    pub inflation: f64,
    /// Added to the interval below and above, independent of scatter: uncertainty of the values themselves. At least 0.
    pub slack: (f64, f64),
}

impl Shift {
    /// Interval that covers the true distance with this confidence (0.95). Without any scatter or slack it is the point.
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let half = self.half_width(confidence);
        (
            self.estimate - half - self.slack.0,
            self.estimate + half + self.slack.1,
        )
    }

    /// The same with more slack.
    pub fn with_slack(self, below: f64, above: f64) -> Shift {
        Shift {
            slack: (self.slack.0 + below, self.slack.1 + above),
            ..self
        }
    }

    /// Half the width of that interval without slack.
    pub fn half_width(&self, confidence: f64) -> f64 {
        if self.standard_error > 0.0 {
            self.standard_error * t_quantile(confidence, self.freedom)
        } else {
            0.0
        }
    }

    /// Probability of a distance at least this large when there is none (two-sided). Without any scatter: 0, or 1 for no distance.
    pub fn p_value(&self) -> f64 {
        self.p_value_beyond(0.0)
    }

    /// Probability of an estimate at least this far out if the true distance is `limit` (at least 0), on the estimate's side of 0: below
    /// 1 - confidence exactly if the entire interval is beyond the limit. 1 if the estimate itself is not.
    pub fn p_value_beyond(&self, limit: f64) -> f64 {
        if self.estimate < 0.0 {
            self.p_value_below(-limit)
        } else {
            self.p_value_above(limit)
        }
    }

    /// The same for a true distance of `bound`, of either sign, and an estimate above it.
    pub fn p_value_above(&self, bound: f64) -> f64 {
        self.p_value_of(self.estimate - self.slack.0 - bound)
    }

    /// The same for an estimate below it.
    pub fn p_value_below(&self, bound: f64) -> f64 {
        self.p_value_of(bound - self.slack.1 - self.estimate)
    }

    fn p_value_of(&self, beyond: f64) -> f64 {
        if beyond.is_nan() || beyond <= 0.0 {
            return 1.0;
        }
        if self.standard_error > 0.0 {
            super::two_sided(beyond / self.standard_error, self.freedom)
        } else {
            0.0
        }
    }

    /// Rounds a side, in all, until the half-width of the interval, slack included, is probably at most `half_width`: the standard error falls with the
    /// root of their number, the degrees of freedom grow with it. `rounds` is how many there are now (the mean of both sides); never
    /// fewer are returned. `None` for a width that is not above 0, or when a million rounds would not do.
    pub fn rounds_needed(&self, rounds: usize, half_width: f64, confidence: f64) -> Option<u32> {
        // No number of rounds takes the slack away.
        let half_width = half_width - self.slack.0.max(self.slack.1);
        let now = u32::try_from(rounds).ok().filter(|now| *now > 1)?;
        let projected = |n: u32| {
            let standard_error = self.standard_error * (f64::from(now) / f64::from(n)).sqrt();
            let freedom = self.freedom * f64::from(n - 1) / f64::from(now - 1);
            Shift {
                standard_error,
                freedom,
                ..*self
            }
            .half_width(confidence)
        };
        if half_width.is_nan() || half_width <= 0.0 || projected(MOST_ROUNDS) > half_width {
            return None;
        }
        // Every quantile of Student's t is between the current one and that of the normal distribution: so is the result. The
        // projected width falls with the number of rounds, so that halving finds the first that is narrow enough.
        let rounds_at =
            |quantile: f64| f64::from(now) * (self.standard_error * quantile / half_width).powi(2);
        let bound = |rounds: f64| (rounds as u32).clamp(now, MOST_ROUNDS.max(now));
        let (mut low, mut high) = (
            bound(rounds_at(normal_quantile(confidence))),
            bound(rounds_at(t_quantile(confidence, self.freedom)) + 2.0),
        );
        while low < high {
            let middle = low + (high - low) / 2;
            if projected(middle) <= half_width {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    }
}

/// Second side minus first, for separately measured sides, in the order of their rounds: trimmed means with
/// standard errors of winsorised variances and Welch's degrees of freedom (Yuen, "The Two-Sample Trimmed t for Unequal Population
/// Variances", Biometrika 61, 1974), widened when rounds resemble their neighbours. `None` below two values on either side, or when
/// one is not finite.
pub fn independent(a: &[f64], b: &[f64]) -> Option<Shift> {
    let (first, second) = (Trimmed::of(a)?, Trimmed::of(b)?);
    let (square_a, square_b) = (first.squared_error()?, second.squared_error()?);
    let (kept_a, kept_b) = (first.kept as f64 - 1.0, second.kept as f64 - 1.0);
    let squares = square_a + square_b;
    // Welch-Satterthwaite; without any scatter there is nothing to weigh.
    let freedom = if squares > 0.0 {
        squares.powi(2) / (square_a.powi(2) / kept_a + square_b.powi(2) / kept_b)
    } else {
        kept_a + kept_b
    };
    let dependence = Dependence::between_rounds(a, b);
    let inflation = (dependence.variance / dependence.bias).sqrt();
    Some(Shift {
        estimate: second.mean - first.mean,
        standard_error: squares.sqrt() * inflation,
        freedom: (freedom / dependence.variance).max(1.0),
        inflation,
        slack: (0.0, 0.0),
    })
}

/// Mean of differences within blocks: the trimmed t of one sample (Tukey and McLaughlin, "Less Vulnerable Confidence and Significance
/// Procedures for Location Based on a Single Sample", Sankhya A 25, 1963). The order within a block was drawn, hence no widening.
/// `None` below two values, or when one is not finite.
pub fn paired(differences: &[f64]) -> Option<Shift> {
    let trimmed = Trimmed::of(differences)?;
    let standard_error = trimmed.squared_error()?.sqrt();
    Some(Shift {
        estimate: trimmed.mean,
        standard_error,
        freedom: trimmed.kept as f64 - 1.0,
        inflation: 1.0,
        slack: (0.0, 0.0),
    })
}

/// Trimmed mean of one side and, from two values on, its interval at 95 % (like [`paired`], without widening). `None` if empty,
/// or when a value is not finite.
pub fn location(values: &[f64]) -> Option<(f64, Option<(f64, f64)>)> {
    let trimmed = Trimmed::of(values)?;
    Some((
        trimmed.mean,
        paired(values).map(|shift| shift.interval(0.95)),
    ))
}

/// Mean without the tenth of the values at each end, and the spread that belongs to it.
struct Trimmed {
    mean: f64,
    /// Sample variance (n - 1) after the ends were pulled in to the outermost values that are kept.
    winsorised_variance: f64,
    values: usize,
    /// Values that the mean is of.
    kept: usize,
}

impl Trimmed {
    fn of(values: &[f64]) -> Option<Self> {
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let cut = values.len() / 10;
        let kept = sorted.get(cut..sorted.len() - cut)?;
        let (lowest, highest) = (*kept.first()?, *kept.last()?);
        // Around the lowest, so that equal values give exactly their value and no variance.
        let mean =
            lowest + super::mean(&kept.iter().map(|value| value - lowest).collect::<Vec<_>>())?;
        let winsorised: Vec<f64> = sorted
            .iter()
            .map(|value| value.clamp(lowest, highest) - lowest)
            .collect();
        let winsorised_variance =
            super::standard_deviation(&winsorised).map_or(0.0, |deviation| deviation.powi(2));
        Some(Trimmed {
            mean,
            winsorised_variance,
            values: values.len(),
            kept: kept.len(),
        })
    }

    /// Squared standard error of the trimmed mean (Yuen 1974); `None` below two values.
    fn squared_error(&self) -> Option<f64> {
        let (n, kept) = (self.values as f64, self.kept as f64);
        (self.values > 1).then(|| (n - 1.0) * self.winsorised_variance / (kept * (kept - 1.0)))
    }
}

/// What it costs that rounds resemble their neighbours.
struct Dependence {
    /// Factor on the variance of a mean.
    variance: f64,
    /// Factor by which the sample variance comes out too small.
    bias: f64,
}

impl Dependence {
    const NONE: Dependence = Dependence {
        variance: 1.0,
        bias: 1.0,
    };

    /// As if both sides were autoregressive of the first order with one coefficient r, which the lag-1 autocorrelation of both together
    /// estimates. It comes out too small by (1 + 3 r) / n (Kendall, "Note on Bias in the Estimation of Autocorrelation", Biometrika 41,
    /// 1954; Marriott and Pope, ibid.), which is put back, and [`CAUTION`] is added.
    fn between_rounds(a: &[f64], b: &[f64]) -> Self {
        let both = [a, b].map(lagged_products);
        let squares: f64 = both.iter().map(|(_, squares)| squares).sum();
        if a.len().min(b.len()) < LEAST_ROUNDS_FOR_AUTOCORRELATION || squares <= 0.0 {
            return Dependence::NONE;
        }
        let raw = both.iter().map(|(products, _)| products).sum::<f64>() / squares;
        let all = (a.len() + b.len()) as f64;
        let n = all / 2.0;
        let r = (raw + (1.0 + 3.0 * raw) / n + CAUTION / all.sqrt()).clamp(0.0, 0.95);
        // Variance of the mean of n values of such a series, in units of that of n independent ones.
        let lags = 1..n.ceil() as i32;
        let variance = 1.0
            + 2.0
                * lags
                    .map(|lag| (1.0 - f64::from(lag) / n).max(0.0) * r.powi(lag))
                    .sum::<f64>();
        // The expected sample variance of such a series (Law, "Simulation Modeling and Analysis", section 4.4).
        Dependence {
            variance,
            bias: ((n - variance) / (n - 1.0)).max(0.2),
        }
    }
}

/// Sum of products of neighbours and sum of squares, around the mean.
fn lagged_products(values: &[f64]) -> (f64, f64) {
    let middle = super::mean(values).unwrap_or_default();
    let away: Vec<f64> = values.iter().map(|value| value - middle).collect();
    let products = away
        .windows(2)
        .map(|pair| pair.iter().product::<f64>())
        .sum();
    (products, away.iter().map(|value| value * value).sum())
}

/// As [`t_quantile`], of the normal distribution.
fn normal_quantile(confidence: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + confidence / 2.0)
}

/// Distance from the center of Student's t that contains `confidence` of it.
pub(crate) fn t_quantile(confidence: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |distribution| {
        distribution.inverse_cdf(0.5 + confidence / 2.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::{SLEEP_1, SLEEP_2, near};

    // SciPy is 1.17.1 throughout.

    #[test]
    fn trimmed_t_of_two_samples() {
        // scipy.stats.ttest_ind(SLEEP_2, SLEEP_1, trim=0.1, equal_var=False) and its df and confidence_interval(0.95).
        let shift = independent(&SLEEP_1, &SLEEP_2).expect("two samples");
        near(shift.estimate, 1.5625, 1e-12);
        // These are not rounds in the order of time: the autocorrelation is taken out for the check.
        let plain = without_widening(shift, &SLEEP_1, &SLEEP_2);
        near(plain.freedom, 13.896_459_066_478_641, 1e-9);
        near(plain.p_value(), 0.139_364_945_396_404_8, 1e-9);
        near(plain.interval(0.95).0, -0.576_261_699_222_831_1, 1e-8);
        near(plain.interval(0.95).1, 3.701_261_699_222_831_3, 1e-8);
        // Below ten values nothing is cut: ttest_ind(SLEEP_2[:8], SLEEP_1[:6], equal_var=False), Welch's test.
        let welch = independent(&SLEEP_1[..6], &SLEEP_2[..8]).expect("two samples");
        let plain = without_widening(welch, &SLEEP_1[..6], &SLEEP_2[..8]);
        near(plain.freedom, 11.570_594_222_766_069, 1e-9);
        near(plain.p_value(), 0.113_249_387_401_351_85, 1e-9);
        near(plain.interval(0.95).1, 3.974_886_026_605_999_8, 1e-8);
    }

    fn without_widening(shift: Shift, a: &[f64], b: &[f64]) -> Shift {
        let freedom = shift.freedom * Dependence::between_rounds(a, b).variance;
        Shift {
            standard_error: shift.standard_error / shift.inflation,
            freedom,
            inflation: 1.0,
            ..shift
        }
    }

    #[test]
    fn trimmed_t_of_one_sample() {
        // scipy.stats.ttest_ind(numpy.array(SLEEP_2) - SLEEP_1, numpy.zeros(10), trim=.1, equal_var=False): a side without scatter adds none.
        let differences: Vec<f64> = SLEEP_1
            .iter()
            .zip(SLEEP_2)
            .map(|(one, two)| two - one)
            .collect();
        let shift = paired(&differences).expect("ten differences");
        near(shift.estimate, 1.4, 1e-12);
        near(shift.freedom, 7.0, 0.0);
        near(shift.interval(0.95).0, 0.845_086_474_349_948_5, 1e-8);
        near(shift.p_value(), 0.000_561_139_656_595_141_3, 1e-12);
        assert_eq!(
            location(&differences),
            Some((shift.estimate, Some(shift.interval(0.95))))
        );
    }

    #[test]
    fn quantiles_of_t() {
        // scipy.stats.t.ppf(0.5 + confidence / 2, freedom).
        for (confidence, freedom, expect) in [
            (0.95, 1.0, 12.706_204_736_174_694),
            (0.95, 1.7, 5.118_838_988_253_056),
            (0.999_999, 3.3, 91.045_777_894_381_2),
            (0.9995, 10.0, 5.048_972_748_180_853),
            (0.95, 1000.0, 1.962_339_080_826_408_3),
        ] {
            near(t_quantile(confidence, freedom) / expect, 1.0, 1e-7);
        }
    }

    #[test]
    fn rounds_that_resemble_their_neighbours_widen_the_interval() {
        // The same by NumPy: r = sum of lagged products / sum of squares; r + (1 + 3 r) / 6 + 0.5 / sqrt(12) = 0.790416;
        // f = 1 + 2 sum (1 - k/6) r^k = 4.00724; bias (6 - f) / 5 = 0.398552; widened sqrt(f / bias) = 3.170885.
        let (a, b) = (
            [1.0, 1.1, 1.3, 1.2, 1.0, 0.9],
            [1.5, 1.6, 1.4, 1.7, 1.9, 1.8],
        );
        let shift = independent(&a, &b).expect("two samples");
        near(shift.inflation, 3.170_884_73, 1e-8);
        near(shift.half_width(0.95), 1.148_022_93, 1e-7);
        near(shift.p_value(), 0.187_394_41, 1e-7);
        // Rounds that alternate are not taken for more than they are.
        let alternating = [1.0, 2.0, 1.0, 2.0, 1.0, 2.0];
        near(
            independent(&alternating, &alternating)
                .expect("two samples")
                .inflation,
            1.0,
            0.0,
        );
        // Three rounds tell nothing of it.
        near(
            independent(&a[..3], &b).expect("two samples").inflation,
            1.0,
            0.0,
        );
    }

    #[test]
    fn nothing_scatters() {
        let third = 1.0f64 / 3.0;
        for (one, two, p) in [(third, third, 1.0), (third, 0.4, 0.0)] {
            for shift in [independent(&[one; 7], &[two; 6]), paired(&[two - one; 5])] {
                let shift = shift.expect("values");
                assert_eq!((shift.p_value(), shift.half_width(0.95)), (p, 0.0));
                assert_eq!(shift.interval(0.95), (two - one, two - one));
                assert_eq!(shift.rounds_needed(5, 0.01, 0.95), Some(5));
            }
        }
    }

    #[test]
    fn too_few_values_or_none_that_count() {
        assert_eq!(location(&[]), None);
        assert_eq!(location(&[3.0]), Some((3.0, None)));
        assert_eq!(location(&[3.0, f64::NAN]), None);
        assert_eq!(independent(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(independent(&[1.0, 2.0], &[1.0, f64::NEG_INFINITY]), None);
        assert_eq!((paired(&[1.0]), paired(&[])), (None, None));
    }

    #[test]
    fn rounds_that_would_be_enough() {
        let shift = paired(&[0.1, 0.2, 0.3, 0.1, 0.3]).expect("five differences");
        let now = shift.half_width(0.95);
        assert_eq!(shift.rounds_needed(5, now, 0.95), Some(5));
        // Standard error 0.1 / sqrt(5); n rounds give t(n - 1) * 0.1 / sqrt(n): 0.0518 with 17 rounds, 0.0497 with 18 (scipy.stats.t.ppf).
        assert_eq!(shift.rounds_needed(5, 0.05, 0.95), Some(18));
        assert_eq!(shift.rounds_needed(5, 0.0, 0.95), None);
        assert_eq!(shift.rounds_needed(5, f64::NAN, 0.95), None);
        assert_eq!(shift.rounds_needed(5, 1e-9, 0.95), None);
    }
}
