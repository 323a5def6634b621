//! In which units does plumb write sizes and bandwidths? What `--units` says, else `PLUMB_UNITS`; else each in its usual one.

use plumb_words::numbers::Units;

/// The variable that chooses the units.
const OWN: &str = "PLUMB_UNITS";

/// The units for what `--units` says and for what is found by `variable` in the environment; `None` when nobody chose. Errors: `PLUMB_UNITS` names none.
pub fn chosen(
    asked: Option<Units>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Units>, String> {
    let set = || variable(OWN).filter(|value| !value.is_empty());
    match (asked, asked.map_or_else(set, |_| None)) {
        (None, Some(own)) => own
            .parse()
            .map(Some)
            .map_err(|reason| format!("{OWN}: {reason}")),
        (asked, _) => Ok(asked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_counts_before_the_variable() {
        let of = |asked, set: &str| chosen(asked, |_| Some(set.to_string()));
        assert_eq!(of(None, ""), Ok(None));
        assert_eq!(of(None, "binary"), Ok(Some(Units::Binary)));
        assert_eq!(of(Some(Units::Decimal), "binary"), Ok(Some(Units::Decimal)));
        let refused = of(None, "metric").expect_err("refused");
        assert!(refused.starts_with("PLUMB_UNITS: 'metric'"), "{refused}");
    }
}
