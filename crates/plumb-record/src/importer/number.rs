//! How are numbers read that another program printed? Only those that can be: finite and not below zero.

/// A number; what is none (an empty field, `+++++`, `NaN`, `-1`, `1e999`) is missing.
pub(crate) fn finite(text: &str) -> Option<f64> {
    text.trim()
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite() && *number >= 0.0)
}

/// A whole number.
pub(crate) fn whole(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_measure_is_missing() {
        for text in ["", "+++++", "NaN", "inf", "-1", "1e999", "0x10", "1,5"] {
            assert_eq!(finite(text), None, "{text}");
            assert_eq!(whole(text), None, "{text}");
        }
        assert_eq!((finite(" 1.5 "), whole(" 7\t")), (Some(1.5), Some(7)));
    }
}
