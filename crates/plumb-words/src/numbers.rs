//! How are numbers written? With three significant digits and the unit that makes them short.

use plumb_model::statement::Unit;
use plumb_model::units::{
    group_thousands, show_bandwidth, show_bit_rate, show_bytes, show_count, show_time_ns,
};

/// A number with its unit: `41.2 us`, `1.5 GiB`, `92,000`.
pub fn quantity(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Bytes => show_bytes(value),
        Unit::BytesPerSecond => show_bandwidth(value),
        Unit::BitsPerSecond => show_bit_rate(value),
        Unit::PerSecond => show_count(value),
        Unit::Nanoseconds if value < 0.0 => format!("−{}", show_time_ns(-value)),
        Unit::Nanoseconds => show_time_ns(value),
        // Three digits would make all of it: 99.95 % of the intervals are not all of them.
        Unit::Percent if (99.5..100.0).contains(&value) => {
            format!("{} %", (value * 100.0).round() / 100.0)
        }
        Unit::Percent => format!("{} %", show_count(value)),
        Unit::PercentChange => {
            let sign = if value > 0.0 { "+" } else { "" };
            format!("{sign}{} %", show_count(value))
        }
        Unit::Times => format!("{} times", show_count(value)),
    }
}

/// A number without a unit: `12.3`, `92,000`.
pub fn number(value: f64) -> String {
    show_count(value)
}

/// How many, to the last one: `1,234,567`.
pub fn count(value: u64) -> String {
    i64::try_from(value).map_or_else(|_| value.to_string(), group_thousands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_its_form() {
        for (value, unit, expected) in [
            (1_610_612_736.0, Unit::Bytes, "1.5 GiB"),
            (1_230_000_000.0, Unit::BytesPerSecond, "1.23 GB/s"),
            (1e10, Unit::BitsPerSecond, "10 Gbit/s"),
            (91_960.0, Unit::PerSecond, "92,000"),
            (41_200.0, Unit::Nanoseconds, "41.2 us"),
            (-41_200.0, Unit::Nanoseconds, "−41.2 us"),
            (12.34, Unit::Percent, "12.3 %"),
            (99.95, Unit::Percent, "99.95 %"),
            (12.34, Unit::PercentChange, "+12.3 %"),
            (-12.34, Unit::PercentChange, "-12.3 %"),
            (2.5, Unit::Times, "2.5 times"),
        ] {
            assert_eq!(quantity(value, unit), expected);
        }
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(u64::MAX), "18446744073709551615");
    }
}
