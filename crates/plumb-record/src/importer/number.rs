//! How are printed numbers of other programs parsed? Only finite, non-negative ones are accepted.

/// A number; anything else (an empty field, `+++++`, `NaN`, `-1`, `1e999`) is missing.
pub(crate) fn finite(text: &str) -> Option<f64> {
    text.trim()
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite() && *number >= 0.0)
}

/// An integer.
pub(crate) fn integer(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_measurements_are_missing() {
        for text in ["", "+++++", "NaN", "inf", "-1", "1e999", "0x10", "1,5"] {
            assert_eq!(finite(text), None, "{text}");
            assert_eq!(integer(text), None, "{text}");
        }
        assert_eq!((finite(" 1.5 "), integer(" 7\t")), (Some(1.5), Some(7)));
    }
}
