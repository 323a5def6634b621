//! Does a series drift slowly, without a step? A linear fit, tested with allowance for autocorrelation.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::statistics::trend;

/// A straight line through a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightLine {
    /// Value of the line at the first and at the last place.
    pub first: f64,
    pub last: f64,
    /// Probability of such a slope when there is none.
    pub p_value: f64,
    /// Variance around the line.
    pub variance: f64,
}

/// Least-squares line through the values in their order. The t test of its slope (Draper and Smith, "Applied Regression Analysis", 3rd ed.,
/// section 1.5) counts as many values as would be independent, n (1 - r) / (1 + r), with the lag-1 autocorrelation r around the line (Bartlett,
/// "Some Aspects of the Time-Correlation Problem in Regard to Tests of Significance", Journal of the Royal Statistical Society 98, 1935).
/// `None` below four values.
pub fn straight_line(values: &[f64]) -> Option<StraightLine> {
    let n = values.len() as f64;
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .map(|(index, value)| (index as f64, *value))
        .collect();
    let line = trend(&points).filter(|_| values.len() > 3)?;
    let away: Vec<f64> = points
        .iter()
        .map(|(x, y)| y - line.intercept - line.slope * x)
        .collect();
    let squares: f64 = away.iter().map(|value| value * value).sum();
    let products: f64 = away.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let resemblance = if squares > 0.0 {
        (products / squares).clamp(0.0, 0.95)
    } else {
        0.0
    };
    let independent = (1.0 - resemblance) / (1.0 + resemblance);
    // Sum of squares of 0, 1, ..., n - 1 around their mean.
    let spread = n * (n * n - 1.0) / 12.0;
    let error = (squares / (n - 2.0) / spread / independent).sqrt();
    let freedom = (n * independent - 2.0).max(1.0);
    let p_value = match (line.slope / error).abs() {
        t if t.is_nan() => 1.0,
        t if t.is_infinite() => 0.0,
        t => {
            StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |distribution| 2.0 * distribution.cdf(-t))
        }
    };
    Some(StraightLine {
        first: line.intercept,
        last: line.intercept + line.slope * (n - 1.0),
        p_value,
        variance: squares / (n - 2.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, expect: f64) {
        assert!((got / expect - 1.0).abs() < 1e-9, "{got} is not {expect}");
    }

    #[test]
    fn the_line_is_that_of_scipy() {
        // NumPy 2.4.6 and SciPy 1.17.1: default_rng(7), round(linspace(7, 6.7, 20) + 0.05 * standard_normal(20), 3); line of
        // scipy.stats.linregress, p-value by scipy.stats.t.sf from the formula in the comment with r = 0.0851.
        let values = [
            7.0, 6.999, 6.955, 6.908, 6.914, 6.871, 6.908, 6.956, 6.849, 6.827, 6.867, 6.844,
            6.816, 6.748, 6.777, 6.798, 6.68, 6.709, 6.621, 6.636,
        ];
        let line = straight_line(&values).expect("a line");
        near(line.first, 7.004957142857142);
        near(line.last, 6.663342857142856);
        near(line.variance, 0.0014274597744360876);
        near(line.p_value, 1.119856325414016e-08);
    }

    #[test]
    fn no_slope_and_nothing_but_slope() {
        assert_eq!(straight_line(&[1.0, 2.0, 3.0]), None);
        assert_eq!(
            straight_line(&[5.0; 10]).map(|line| (line.first, line.last, line.p_value)),
            Some((5.0, 5.0, 1.0))
        );
        let rising: Vec<f64> = (0..10).map(f64::from).collect();
        assert!(
            straight_line(&rising)
                .is_some_and(|line| line.p_value < 1e-12 && (line.last - 9.0).abs() < 1e-9)
        );
    }
}
