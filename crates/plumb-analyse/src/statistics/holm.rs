//! How likely is each of many differences by chance, given the number of tests?

/// p-values adjusted for their number, in their order: the chance that any effect without cause falls below a limit is at most that
/// limit (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979). A value that is
/// not a number counts as 1.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = p_values
        .iter()
        .map(|p| if p.is_nan() { 1.0 } else { *p })
        .enumerate()
        .collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut highest: f64 = 0.0;
    for (rank, (index, p)) in order.into_iter().enumerate() {
        highest = highest.max(p * (p_values.len() - rank) as f64).min(1.0);
        if let Some(position) = adjusted.get_mut(index) {
            *position = highest;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusts_as_r_does() {
        // R 4.x: p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.5), "holm") = 0.040 0.090 0.090 0.025 0.500.
        let got = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (got, expect) in got.iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
            assert!((got - expect).abs() < 1e-12, "{got} is not {expect}");
        }
        assert_eq!(holm(&[0.7, 0.6]), [1.0, 1.0]);
        assert_eq!(holm(&[f64::NAN, 0.01]), [1.0, 0.02]);
        assert!(holm(&[]).is_empty());
    }
}
