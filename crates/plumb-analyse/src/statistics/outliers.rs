//! Which values lie far from the others?

/// Nearer than this part of the middle is not far, however closely the others agree.
const LEAST_DISTANCE: f64 = 0.05;
/// Number of values below which outliers cannot be determined.
const LEAST_VALUES: usize = 5;

/// Indexes of the values far from the median, in input order: modified z-score by the median absolute deviation
/// (Iglewicz and Hoaglin, "How to Detect and Handle Outliers", ASQC 1993), on logarithms. Their limit of 3.5 is for large samples; from
/// few values the deviation itself is uncertain, and with six of them every seventh sample of a normal distribution would show one. The
/// limit 3.5 (1 + 12 / n) keeps that below 4 in 100 samples of 5 to 100 values. Values are positive; empty below five of them or when one
/// is not positive.
pub fn outliers(values: &[f64]) -> Vec<usize> {
    if values.len() < LEAST_VALUES
        || values
            .iter()
            .any(|value| !value.is_finite() || *value <= 0.0)
    {
        return Vec::new();
    }
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let (Some(middle), Some(deviation)) = (
        super::median(&logarithms),
        super::median_absolute_deviation(&logarithms),
    ) else {
        return Vec::new();
    };
    let limit = (3.5 * (1.0 + 12.0 / values.len() as f64) * deviation).max(LEAST_DISTANCE.ln_1p());
    logarithms
        .iter()
        .enumerate()
        .filter(|(_, value)| (**value - middle).abs() > limit)
        .map(|(index, _)| index)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::simulation::Draw;

    #[test]
    fn strangers_are_named() {
        let check =
            |values: &[f64], expect: &[usize]| assert_eq!(outliers(values), expect, "{values:?}");
        check(&[100.0, 101.0, 99.0, 100.5, 99.5, 70.0], &[5]);
        check(&[100.0, 300.0, 99.0, 100.5, 99.5, 101.0, 30.0], &[1, 6]);
        // A deviation of next to nothing does not shout.
        check(&[100.0, 100.0, 100.0, 100.0, 100.0, 100.1, 96.0], &[]);
        check(&[100.0, 100.0, 100.0, 100.0, 100.0, 100.1, 92.0], &[6]);
        check(&[100.0, 100.0, 100.0, 30.0], &[]);
        check(&[100.0, 100.0, 100.0, 100.0, 0.0], &[]);
        check(&[100.0, 100.0, 100.0, 100.0, f64::NAN], &[]);
        check(&[], &[]);
    }

    #[test]
    fn a_normal_distribution_seldom_shows_one() {
        let mut draw = Draw::seeded(1);
        for n in [5, 6, 7, 8, 10, 15, 20, 50, 100] {
            let shows = |_: &usize| {
                !outliers(
                    &(0..n)
                        .map(|_| (0.3 * draw.normal()).exp())
                        .collect::<Vec<_>>(),
                )
                .is_empty()
            };
            let shown = (0..4000).filter(shows).count();
            assert!(shown < 160, "{shown} of 4000 samples of {n}");
        }
    }
}
