//! How are numbers formatted? With three significant digits and a scaled unit.

use std::str::FromStr;
use std::sync::OnceLock;

use plumb_model::statement::Unit;

/// Units of sizes and bandwidths, if the user sets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// kB, MB, GB: thousands, as storage is sold.
    Decimal,
    /// KiB, MiB, GiB: 1024s, as memory is counted.
    Binary,
}

impl FromStr for Units {
    type Err = String;

    fn from_str(text: &str) -> Result<Units, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "decimal" => Ok(Units::Decimal),
            "binary" => Ok(Units::Binary),
            _ => Err(format!(
                "'{text}' is not a value of units: choose decimal (kB, MB, GB: 1000) or binary (KiB, MiB, GiB: 1024)"
            )),
        }
    }
}

/// The units set for this process. Without them sizes are binary, as for files and caches, and bandwidths decimal, as for devices.
static CHOSEN: OnceLock<Units> = OnceLock::new();

/// Sets the units of sizes and bandwidths for this process. Only the first call counts.
pub fn write_in(units: Units) {
    let _ = CHOSEN.set(units);
}

const BINARY: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const DECIMAL: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
const BINARY_RATES: [&str; 5] = ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"];
const DECIMAL_RATES: [&str; 5] = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];

/// A number with its unit: `41.2 us`, `1.5 GiB`, `92,000`.
pub fn quantity(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Bytes => show_bytes(value),
        Unit::BytesPerSecond => show_bandwidth(value),
        Unit::BitsPerSecond => show_bit_rate(value),
        Unit::PerSecond => show_count(value),
        Unit::Nanoseconds if value < 0.0 => format!("−{}", show_time_ns(-value)),
        Unit::Nanoseconds => show_time_ns(value),
        // Three digits would round 99.95 % to 100 %.
        Unit::Percent if (99.5..100.0).contains(&value) => {
            format!("{} %", (value * 100.0).round() / 100.0)
        }
        // Above zero, and too small for two decimals.
        Unit::Percent if value > 0.0 && value < 0.01 => "<0.01 %".into(),
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

/// An exact count: `1,234,567`.
pub fn count(value: u64) -> String {
    i64::try_from(value).map_or_else(|_| value.to_string(), group_thousands)
}

/// A size for people: three significant digits and a unit, binary by default (`1.5 GiB`).
pub fn show_bytes(bytes: f64) -> String {
    bytes_in(bytes, CHOSEN.get().copied().unwrap_or(Units::Binary))
}

/// A power of two up to this is a block size: 4 KiB stays 4 KiB in decimal units, not 4.1 kB.
const BLOCK_MAX: f64 = 16_777_216.0;

fn bytes_in(bytes: f64, units: Units) -> String {
    let is_block = (1024.0..=BLOCK_MAX).contains(&bytes) && bytes.log2().fract() == 0.0;
    match units {
        Units::Decimal if is_block => scale_by(bytes, 1024.0, &BINARY),
        Units::Decimal => scale_by(bytes, 1000.0, &DECIMAL),
        Units::Binary => scale_by(bytes, 1024.0, &BINARY),
    }
}

/// A change up to a factor of ten is stated in percent, a larger one as `134 times lower`, which reads better than +13,300 % or 0.00746.
const PERCENT_UP_TO: f64 = 10.0;

/// True for a ratio that is stated as a number of times higher or lower.
pub fn is_many_times(ratio: f64) -> bool {
    !(1.0 / PERCENT_UP_TO..=PERCENT_UP_TO).contains(&ratio)
}

/// How many times higher or lower a ratio is: 134 for 134 and for 1/134.
pub fn times_apart(ratio: f64) -> f64 {
    if ratio < 1.0 { 1.0 / ratio } else { ratio }
}

/// Bits per second in decimal units, as links are named: `10 Gbit/s`.
pub fn show_bit_rate(bits_per_s: f64) -> String {
    scale_by(
        bits_per_s,
        1000.0,
        &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"],
    )
}

/// A bandwidth for people, in decimal units by default (`1.23 GB/s`).
pub fn show_bandwidth(bytes_per_s: f64) -> String {
    bandwidth_in(bytes_per_s, CHOSEN.get().copied().unwrap_or(Units::Decimal))
}

fn bandwidth_in(bytes_per_s: f64, units: Units) -> String {
    match units {
        Units::Decimal => scale_by(bytes_per_s, 1000.0, &DECIMAL_RATES),
        Units::Binary => scale_by(bytes_per_s, 1024.0, &BINARY_RATES),
    }
}

/// A bandwidth as a number for a column headed by [`megabytes_per_s`].
pub fn in_megabytes_per_s(bytes_per_s: f64) -> f64 {
    match CHOSEN.get() {
        Some(Units::Binary) => bytes_per_s / 1_048_576.0,
        _ => bytes_per_s / 1e6,
    }
}

/// One unit for bandwidths up to `largest`, and the divisor for it.
pub fn bandwidth_scale(largest: f64) -> (&'static str, f64) {
    let (names, base) = match CHOSEN.get() {
        Some(Units::Binary) => (BINARY_RATES, 1024.0),
        _ => (DECIMAL_RATES, 1000.0),
    };
    match largest >= base * base {
        true => (names[2], base * base),
        false => (names[1], base),
    }
}

/// The unit of a column of bandwidths: `MB/s`.
pub fn megabytes_per_s() -> &'static str {
    match CHOSEN.get() {
        Some(Units::Binary) => BINARY_RATES[2],
        _ => DECIMAL_RATES[2],
    }
}

/// A time for people (`41.2 us`); input in nanoseconds.
pub fn show_time_ns(ns: f64) -> String {
    if ns < 60e9 {
        scale_by(ns, 1000.0, &["ns", "us", "ms", "s"])
    } else {
        show_long_time(ns / 1e9)
    }
}

/// Minutes, hours, days and years (`1 min 20 s`, `5.9 years`); input in seconds.
fn show_long_time(seconds: f64) -> String {
    const DAY_S: f64 = 86_400.0;
    const YEAR_S: f64 = 365.25 * DAY_S;
    let seconds = seconds.min(1e6 * YEAR_S);
    if seconds >= 2.0 * YEAR_S {
        return format!("{} years", three_digits(seconds / YEAR_S));
    }
    if seconds >= 7.0 * DAY_S {
        return format!("{} days", three_digits(seconds / DAY_S));
    }
    let rounded = seconds.round() as u64;
    match (rounded / 3600, rounded / 60 % 60, rounded % 60) {
        (0, minutes, rest) => format!("{minutes} min {rest} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A count for people: thousands separated by commas, at most three significant digits kept above 1000 (`92,000`).
pub fn show_count(count: f64) -> String {
    if count.abs() < 1000.0 {
        return three_digits(count);
    }
    let step = 10f64.powi(count.abs().log10().floor() as i32 - 2);
    group_thousands(((count / step).round() * step) as i64)
}

/// `1234567` as `1,234,567`.
pub fn group_thousands(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if value < 0 { format!("-{out}") } else { out }
}

/// Three significant digits without trailing noise: 12.3, 1.23, 123.
fn three_digits(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        s if s == 0.0 || s >= 99.95 => format!("{value:.0}"),
        s if s >= 9.995 => format!("{value:.1}"),
        s if s >= 0.01 => format!("{value:.2}"),
        s if s >= 1e-4 => {
            let decimals = 2 - s.log10().floor() as i32;
            format!("{value:.*}", decimals.unsigned_abs() as usize)
        }
        _ => return format!("{value:.2e}"),
    };
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

fn scale_by(value: f64, base: f64, names: &[&str]) -> String {
    let mut scaled = value;
    let mut name = names[0];
    for next in &names[1..] {
        if scaled.abs() < base * 0.9995 {
            break;
        }
        scaled /= base;
        name = next;
    }
    format!("{} {name}", three_digits(scaled))
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
            (0.012, Unit::Percent, "0.01 %"),
            (0.000_534, Unit::Percent, "<0.01 %"),
            (12.34, Unit::PercentChange, "+12.3 %"),
            (-12.34, Unit::PercentChange, "-12.3 %"),
            (2.5, Unit::Times, "2.5 times"),
        ] {
            assert_eq!(quantity(value, unit), expected);
        }
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(u64::MAX), "18446744073709551615");
    }

    #[test]
    fn for_people() {
        assert_eq!(show_count(92_123.0), "92,100");
        assert_eq!(show_count(7.0), "7");
        for (value, expected) in [
            (0.002, "0.002"),
            (0.00123, "0.00123"),
            (0.009_999, "0.01"),
            (-0.000_123_4, "-0.000123"),
            (0.000_02, "2.00e-5"),
        ] {
            assert_eq!(show_count(value), expected);
        }
        assert_eq!(show_bytes(3.0 * 1024f64.powi(3)), "3 GiB");
        assert_eq!(show_bandwidth(735.8e6), "736 MB/s");
        assert_eq!(bytes_in(1_610_612_736.0, Units::Decimal), "1.61 GB");
        assert_eq!(bytes_in(4096.0, Units::Decimal), "4 KiB");
        assert_eq!(bandwidth_in(1_048_576.0, Units::Binary), "1 MiB/s");
        assert_eq!("Binary".parse(), Ok(Units::Binary));
        assert!("metric".parse::<Units>().is_err());
        assert_eq!(show_time_ns(41_234.0), "41.2 us");
        assert_eq!(show_time_ns(80e9), "1 min 20 s");
        assert_eq!(show_time_ns(30.0 * 3.6e12), "30 h 0 min");
        assert_eq!(show_time_ns(200.0 * 3.6e12), "8.33 days");
        assert_eq!(show_time_ns(51_793.0 * 3.6e12), "5.91 years");
    }
}
