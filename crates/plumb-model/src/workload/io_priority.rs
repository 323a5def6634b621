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
