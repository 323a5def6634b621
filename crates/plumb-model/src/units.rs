//! How are sizes and times written and parsed? `4k` and `4KiB` are 4096 bytes, `4kB` is 4000, `10s` ten seconds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The text is not a size, time or number; the message says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnitError(pub String);

/// A size in bytes. Text form: a number with an optional suffix: `k`, `m`, `g`, `t` and `KiB`, `MiB`, ... are 1024^n, as fio reads them (kb_base=1024);
/// `kB`, `MB`, ... are 1000^n, whatever the letters' case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// A span of time in nanoseconds. Text form: a number with a suffix `ns`, `us`, `ms`, `s`, `m` (`min`), `h`; a bare number is seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

impl Nanos {
    /// One second, in nanoseconds.
    pub const SECOND: Nanos = Nanos(1_000_000_000);

    /// The span in seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

const BINARY: [(&str, u64); 4] = [
    ("t", 1 << 40),
    ("g", 1 << 30),
    ("m", 1 << 20),
    ("k", 1 << 10),
];

const DECIMAL: [(&str, u64); 4] = [
    ("t", 1_000_000_000_000),
    ("g", 1_000_000_000),
    ("m", 1_000_000),
    ("k", 1_000),
];

const SPANS: [(&str, u64); 6] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Splits `12.5ms` into `("12.5", "ms")`.
fn split_number(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// `number * factor` if it is an integer that fits into a u64.
fn scaled(number: &str, factor: u64) -> Option<u64> {
    let digits = number.replace('_', "");
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let value = digits.parse::<f64>().ok()? * factor as f64;
    (value.is_finite() && (0.0..1.8e19).contains(&value)).then(|| value.round() as u64)
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let lower = text.trim().to_ascii_lowercase();
        let (number, suffix) = split_number(&lower);
        let bad = || {
            UnitError(format!(
                "'{text}' is not a size: write a number, not negative, with an optional suffix: k, m, g, t or KiB, MiB, GiB, TiB are 1024s, kB, MB, GB, TB are 1000s, such as 4k (4096 bytes) or 10GB"
            ))
        };
        let (letter, powers) = match suffix.strip_suffix("ib") {
            Some(letter) => (letter, BINARY),
            None => match suffix.strip_suffix('b') {
                Some(letter) => (letter, DECIMAL),
                None => (suffix, BINARY),
            },
        };
        let factor = match letter {
            "" => 1,
            letter => {
                powers
                    .iter()
                    .find(|(name, _)| *name == letter)
                    .ok_or_else(bad)?
                    .1
            }
        };
        scaled(number, factor).map(Bytes).ok_or_else(bad)
    }
}

impl FromStr for Nanos {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let lower = text.trim().to_ascii_lowercase();
        let (number, suffix) = split_number(&lower);
        let bad = || {
            UnitError(format!(
                "'{text}' is not a time: write a number, not negative, with a suffix ns, us, ms, s, m or h, such as 10s or 100ms"
            ))
        };
        let factor = match suffix {
            "" | "sec" => 1_000_000_000,
            "min" => 60_000_000_000,
            name => {
                SPANS
                    .iter()
                    .find(|(span, _)| *span == name)
                    .ok_or_else(bad)?
                    .1
            }
        };
        scaled(number, factor).map(Nanos).ok_or_else(bad)
    }
}

impl fmt::Display for Bytes {
    /// Exact: the largest suffix that divides the size without a rest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match BINARY
            .iter()
            .find(|(_, factor)| self.0 != 0 && self.0.is_multiple_of(*factor))
        {
            Some((suffix, factor)) => write!(f, "{}{suffix}", self.0 / factor),
            None => write!(f, "{}", self.0),
        }
    }
}

impl fmt::Display for Nanos {
    /// Exact: the largest suffix that divides the span without a rest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match SPANS
            .iter()
            .find(|(_, factor)| self.0 != 0 && self.0.is_multiple_of(*factor))
        {
            Some((suffix, factor)) => write!(f, "{}{suffix}", self.0 / factor),
            None => write!(f, "{}s", self.0),
        }
    }
}

/// A number or a text, as TOML and flags give them.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Whole(u64),
    Real(f64),
    Text(String),
}

macro_rules! serde_by_text {
    ($name:ident, $schema:literal, $meaning:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = match NumberOrText::deserialize(deserializer)? {
                    NumberOrText::Whole(n) => n.to_string(),
                    NumberOrText::Real(n) => n.to_string(),
                    NumberOrText::Text(text) => text,
                };
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": ["string", "integer", "number"], "description": $meaning })
            }
        }
    };
}

serde_by_text!(
    Bytes,
    "Bytes",
    "a size in bytes, with an optional binary suffix: 4096, 4k, 1g"
);
serde_by_text!(
    Nanos,
    "Nanos",
    "a span of time with a suffix: 10s, 100ms, 5m; a bare number is seconds"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("4k", 4096),
            ("4K", 4096),
            ("4KiB", 4096),
            ("4kB", 4000),
            ("4KB", 4000),
            ("1.5 GB", 1_500_000_000),
            ("10GiB", 10 << 30),
            ("512B", 512),
            ("1.5m", 1_572_864),
            ("512", 512),
            ("2g", 2 << 30),
            ("1_000", 1000),
        ] {
            assert_eq!(text.parse::<Bytes>().expect(text), Bytes(bytes), "{text}");
        }
        for text in ["", "k", "4x", "-4k", "4kk", "99999999999g", "1.2.3"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn times() {
        for (text, ns) in [
            ("10s", 10_000_000_000),
            ("100ms", 100_000_000),
            ("2", 2_000_000_000),
            ("1.5us", 1_500),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(text.parse::<Nanos>().expect(text), Nanos(ns), "{text}");
        }
        assert!("10 parsecs".parse::<Nanos>().is_err());
    }

    #[test]
    fn exact_text_reads_back() {
        for bytes in [0, 1, 512, 4096, 5000, 1 << 20, (1 << 30) + 1] {
            assert_eq!(
                Bytes(bytes).to_string().parse::<Bytes>().expect("size"),
                Bytes(bytes)
            );
        }
        for ns in [0, 1, 1500, 1_000_000, 90_000_000_000, 3_600_000_000_000] {
            assert_eq!(
                Nanos(ns).to_string().parse::<Nanos>().expect("time"),
                Nanos(ns)
            );
        }
    }
}
