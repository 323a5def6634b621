//! Before which other requests does a disk scheduler serve those of a job?

use std::fmt;
use std::str::FromStr;

use crate::text::word::serde_as_text;
use crate::units::UnitError;

/// Class and level of Linux (ioprio_set(2)): level 0 is served first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoPriority {
    /// Before all others.
    Realtime(u8),
    /// The class of programs that ask for none.
    BestEffort(u8),
    /// When nobody else has requests.
    Idle,
}

impl IoPriority {
    /// The numbers of the kernel (linux/ioprio.h).
    pub fn class_and_level(self) -> (u8, u8) {
        match self {
            IoPriority::Realtime(level) => (1, level),
            IoPriority::BestEffort(level) => (2, level),
            IoPriority::Idle => (3, 0),
        }
    }
}

impl FromStr for IoPriority {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (class, level) = text.split_once(':').unwrap_or((text, "0"));
        let level = level.parse::<u8>().ok().filter(|level| *level < 8);
        match (class.trim(), level) {
            ("realtime", Some(level)) => Ok(IoPriority::Realtime(level)),
            ("best-effort", Some(level)) => Ok(IoPriority::BestEffort(level)),
            ("idle", Some(_)) => Ok(IoPriority::Idle),
            _ => Err(UnitError(format!(
                "'{text}' is no priority: write realtime:0 to realtime:7, best-effort:0 to best-effort:7, or idle"
            ))),
        }
    }
}

impl fmt::Display for IoPriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IoPriority::Realtime(level) => write!(f, "realtime:{level}"),
            IoPriority::BestEffort(level) => write!(f, "best-effort:{level}"),
            IoPriority::Idle => write!(f, "idle"),
        }
    }
}

serde_as_text!(
    IoPriority,
    "IoPriority",
    "realtime:0 to realtime:7, best-effort:0 to best-effort:7, or idle"
);

/// Operations that have a priority of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UrgentShare {
    /// Of all operations.
    pub percent: f64,
    pub priority: IoPriority,
}

impl FromStr for UrgentShare {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || {
            UnitError(format!(
                "'{text}' is no share with a priority: write for example 20% realtime:0"
            ))
        };
        let (share, priority) = text.trim().split_once(' ').ok_or_else(bad)?;
        let percent = share
            .trim_end_matches('%')
            .parse::<f64>()
            .ok()
            .filter(|percent| *percent > 0.0 && *percent <= 100.0);
        Ok(UrgentShare {
            percent: percent.ok_or_else(bad)?,
            priority: priority.trim().parse()?,
        })
    }
}

impl fmt::Display for UrgentShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}% {}", self.percent, self.priority)
    }
}

serde_as_text!(
    UrgentShare,
    "UrgentShare",
    "a share of the operations and their priority, such as 20% realtime:0"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_a_priority() {
        for text in ["20% realtime:0", "0.5% best-effort:3", "100% idle"] {
            assert_eq!(text.parse::<UrgentShare>().expect(text).to_string(), text);
        }
        for text in ["20%", "0% idle", "120% idle", "x idle", "20% often"] {
            assert!(text.parse::<UrgentShare>().is_err(), "{text}");
        }
    }
}
