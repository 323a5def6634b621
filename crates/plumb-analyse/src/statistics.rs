//! How certain is a number? Robust location and spread, intervals over rounds, and trends with significance.

#[cfg(test)]
mod calibration;
pub mod change_points;
pub mod cliff;
pub mod dip;
pub mod drift;
pub mod effect;
pub mod holm;
pub mod knee;
#[cfg(test)]
mod laws;
pub mod modes;
pub mod outliers;
#[cfg(test)]
pub(crate) mod simulation;
pub mod steady_state;
pub mod straight_line;
pub mod universal_scalability;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean; `None` when empty.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation (n - 1); `None` below two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let middle = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Median; `None` when empty.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted.get(middle).copied(),
        _ => Some((sorted.get(middle.checked_sub(1)?)? + sorted.get(middle)?) / 2.0),
    }
}

/// Median absolute deviation from the median, times 1.4826 so that it estimates the standard deviation of a normal distribution
/// (Rousseeuw and Croux, "Alternatives to the Median Absolute Deviation", JASA 88, 1993). `None` when empty.
pub fn median_absolute_deviation(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    Some(1.4826 * median(&distances)?)
}

/// Lowest and highest; `None` when empty.
pub fn range(values: &[f64]) -> Option<(f64, f64)> {
    let low = values.iter().copied().min_by(f64::total_cmp)?;
    let high = values.iter().copied().max_by(f64::total_cmp)?;
    Some((low, high))
}

/// Confidence interval of the mean by Student's t distribution ("The Probable Error of a Mean", Biometrika 6, 1908); rounds are the
/// samples. `confidence` is for example 0.95. `None` below two values or when they are not finite.
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let (middle, deviation) = (mean(values)?, standard_deviation(values)?);
    let n = values.len() as f64;
    let t = StudentsT::new(0.0, 1.0, n - 1.0)
        .ok()?
        .inverse_cdf(0.5 + confidence / 2.0);
    let half = t * deviation / n.sqrt();
    half.is_finite().then_some((middle - half, middle + half))
}

/// A straight line through points by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Change of y per unit of x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
    /// Probability of a slope at least this far from 0 if there were none (two-sided t test with n - 2 degrees of freedom).
    pub p_value: f64,
}

/// Least-squares line and the t test of its slope (Draper and Smith, "Applied Regression Analysis", 3rd ed., section 1.5). `None` below
/// three points or when all x are equal.
pub fn trend(points: &[(f64, f64)]) -> Option<Trend> {
    let n = points.len() as f64;
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let (x_mean, y_mean) = (mean(&xs)?, mean(&ys)?);
    let sxx: f64 = xs.iter().map(|x| (x - x_mean).powi(2)).sum();
    let sxy: f64 = points
        .iter()
        .map(|(x, y)| (x - x_mean) * (y - y_mean))
        .sum();
    if points.len() < 3 || sxx <= 0.0 {
        return None;
    }
    let slope = sxy / sxx;
    let intercept = y_mean - slope * x_mean;
    let residual: f64 = points
        .iter()
        .map(|(x, y)| (y - intercept - slope * x).powi(2))
        .sum();
    let error = (residual / (n - 2.0) / sxx).sqrt();
    Some(Trend {
        slope,
        intercept,
        p_value: two_sided(slope / error, n - 2.0),
    })
}

/// Probability of a difference of means at least this large between two samples of one population (Welch, "The Generalization of
/// 'Student's' Problem when Several Different Population Variances are Involved", Biometrika 34, 1947). `None` below two values on either side.
pub fn difference_p_value(a: &[f64], b: &[f64]) -> Option<f64> {
    let (n_a, n_b) = (a.len() as f64, b.len() as f64);
    let (var_a, var_b) = (
        standard_deviation(a)?.powi(2) / n_a,
        standard_deviation(b)?.powi(2) / n_b,
    );
    let distance = (mean(a)? - mean(b)?).abs();
    if var_a + var_b <= 0.0 {
        return Some(if distance > 0.0 { 0.0 } else { 1.0 });
    }
    // Welch-Satterthwaite degrees of freedom.
    let freedom =
        (var_a + var_b).powi(2) / (var_a.powi(2) / (n_a - 1.0) + var_b.powi(2) / (n_b - 1.0));
    Some(two_sided(distance / (var_a + var_b).sqrt(), freedom))
}

/// Two-sided probability of Student's t. A line without any scatter gives 0/0 or an infinite t: no trend, or a certain one.
fn two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_nan() {
        return 1.0;
    }
    if t.is_infinite() {
        return 0.0;
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |distribution| 2.0 * distribution.cdf(-t.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yields of Student's sleep data, group 1 and 2 (Biometrika 6, 1908; R's data set `sleep`).
    pub(super) const SLEEP_1: [f64; 10] = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    pub(super) const SLEEP_2: [f64; 10] = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

    pub(super) fn near(got: f64, expect: f64, tolerance: f64) {
        assert!(
            (got - expect).abs() <= tolerance,
            "{got} is not {expect} within {tolerance}"
        );
    }

    #[test]
    fn welch_test_gives_the_published_value() {
        // R documentation of t.test: t = -1.8608, df = 17.776, p-value = 0.07939; scipy.stats.ttest_ind(equal_var=False) agrees.
        near(
            difference_p_value(&SLEEP_1, &SLEEP_2).expect("two samples"),
            0.079_39,
            5e-6,
        );
    }

    #[test]
    fn interval_of_a_mean() {
        // R: t.test(sleep$extra[1:10])$conf.int = (-0.5297804, 2.0297804).
        let (low, high) = mean_interval(&SLEEP_1, 0.95).expect("ten values");
        near(low, -0.529_780_4, 1e-6);
        near(high, 2.029_780_4, 1e-6);
        assert_eq!(mean_interval(&[1.0], 0.95), None);
    }

    #[test]
    fn trend_of_anscombe() {
        // Anscombe, "Graphs in Statistical Analysis", American Statistician 27, 1973, first set: y = 3.0001 + 0.5001 x, p = 0.00217.
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [
            8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68,
        ];
        let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
        let line = trend(&points).expect("a line");
        near(line.slope, 0.500_091, 1e-6);
        near(line.intercept, 3.000_091, 1e-6);
        near(line.p_value, 0.002_170, 1e-6);
    }

    #[test]
    fn lines_without_scatter() {
        let flat: Vec<(f64, f64)> = (0..5).map(|i| (f64::from(i), 7.0)).collect();
        near(trend(&flat).expect("a line").p_value, 1.0, 1e-9);
        let rising: Vec<(f64, f64)> = (0..5).map(|i| (f64::from(i), f64::from(i))).collect();
        near(trend(&rising).expect("a line").p_value, 0.0, 1e-9);
        assert_eq!(trend(&rising[..2]), None);
        assert_eq!(trend(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    }

    #[test]
    fn robust_location_and_spread() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        // scipy.stats.median_abs_deviation([1, 1, 2, 2, 4, 6, 9], scale=1) = 1.
        near(
            median_absolute_deviation(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]).expect("values"),
            1.4826,
            1e-12,
        );
    }
}
