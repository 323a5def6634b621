//! On which CPUs may workers run?

use std::fmt;
use std::str::FromStr;

use crate::text::word::serde_as_text;
use crate::units::UnitError;

/// Where workers may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pin {
    /// Anywhere.
    No,
    /// Worker n on the n-th allowed CPU, round robin.
    Each,
    /// Worker n on the n-th of these CPUs, round robin.
    Cpus(Vec<u32>),
    /// All workers on the CPUs of these NUMA nodes.
    Numa(Vec<u32>),
}

impl FromStr for Pin {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || {
            UnitError(format!(
                "'{text}' is no pinning: choose false, each, a list of CPUs such as 0-3,8, or nodes such as numa:0 or numa:0-1"
            ))
        };
        match text.trim() {
            "false" | "no" => return Ok(Pin::No),
            "true" | "each" => return Ok(Pin::Each),
            _ => {}
        }
        if let Some(nodes) = text.trim().strip_prefix("numa:") {
            return numbers(nodes).map(Pin::Numa).ok_or_else(bad);
        }
        numbers(text.trim()).map(Pin::Cpus).ok_or_else(bad)
    }
}

/// `0-3,8` as numbers.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let low: u32 = low.trim().parse().ok()?;
        let high: u32 = high.trim().parse().ok()?;
        if low > high || high > 65_535 {
            return None;
        }
        numbers.extend(low..=high);
    }
    Some(numbers)
}

fn listed(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    texts.join(",")
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pin::No => write!(f, "false"),
            Pin::Each => write!(f, "each"),
            Pin::Numa(nodes) => write!(f, "numa:{}", listed(nodes)),
            Pin::Cpus(cpus) => f.write_str(&listed(cpus)),
        }
    }
}

serde_as_text!(
    Pin,
    "Pin",
    "false, each (worker n on CPU n), a list of CPUs such as 0-3,8, or numa:NODES"
);
