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
    /// All workers on the CPUs of this NUMA node.
    Numa(u32),
}

impl FromStr for Pin {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || {
            UnitError(format!(
                "'{text}' is no pinning: choose false, each, a list of CPUs such as 0-3,8, or numa:0"
            ))
        };
        match text.trim() {
            "false" | "no" => return Ok(Pin::No),
            "true" | "each" => return Ok(Pin::Each),
            _ => {}
        }
        if let Some(node) = text.trim().strip_prefix("numa:") {
            return node.parse().map(Pin::Numa).map_err(|_| bad());
        }
        let mut cpus = Vec::new();
        for part in text.trim().split(',') {
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            let (low, high): (u32, u32) = (
                low.trim().parse().map_err(|_| bad())?,
                high.trim().parse().map_err(|_| bad())?,
            );
            if low > high || high > 65_535 {
                return Err(bad());
            }
            cpus.extend(low..=high);
        }
        Ok(Pin::Cpus(cpus))
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pin::No => write!(f, "false"),
            Pin::Each => write!(f, "each"),
            Pin::Numa(node) => write!(f, "numa:{node}"),
            Pin::Cpus(cpus) => write!(
                f,
                "{}",
                cpus.iter()
                    .map(u32::to_string)
                    .collect::<Vec<_>>()
                    .join(",")
            ),
        }
    }
}

serde_as_text!(
    Pin,
    "Pin",
    "false, each (worker n on CPU n), a list of CPUs such as 0-3,8, or numa:NODE"
);
