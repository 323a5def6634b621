//! Before which other requests does a disk scheduler serve those of a job?

use std::fmt;
use std::str::FromStr;

use crate::text::word::serde_as_text;
use crate::units::{Bytes, UnitError};
use crate::workload::operation::OperationKind;

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
    /// Of operations of this kind only.
    pub kind: Option<OperationKind>,
    /// Of operations with this block size only.
    pub block: Option<Bytes>,
    /// Of all operations of this kind and block size.
    pub percent: f64,
    pub priority: IoPriority,
}

impl UrgentShare {
    /// True if it is a share of operations such as this one.
    pub fn is_of(&self, kind: OperationKind, block_bytes: u32) -> bool {
        self.kind.is_none_or(|of| of == kind)
            && self.block.is_none_or(|of| of.0 == u64::from(block_bytes))
    }
}

fn bad_share(text: &str) -> UnitError {
    UnitError(format!(
        "'{text}' is no share with a priority: write for example 20% realtime:0 or read 64k 20% realtime:0"
    ))
}

impl FromStr for UrgentShare {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || bad_share(text);
        let mut words = text.split_whitespace().peekable();
        let kind: Option<OperationKind> = words.peek().and_then(|word| word.parse().ok());
        if kind.is_some() {
            words.next();
        }
        let is_block = |word: &&&str| !word.ends_with('%') && word.parse::<f64>().is_err();
        let block = words.peek().filter(is_block).map(|word| word.parse());
        let block: Option<Bytes> = block.transpose().map_err(|_| bad())?;
        if block.is_some() {
            words.next();
        }
        let percent = words.next().ok_or_else(bad)?;
        let percent = percent
            .trim_end_matches('%')
            .parse::<f64>()
            .ok()
            .filter(|percent| *percent > 0.0 && *percent <= 100.0);
        let priority = words.next().ok_or_else(bad)?.parse()?;
        words.next().map_or(Ok(()), |_| Err(bad()))?;
        Ok(UrgentShare {
            kind,
            block,
            percent: percent.ok_or_else(bad)?,
            priority,
        })
    }
}

impl fmt::Display for UrgentShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kind) = self.kind {
            write!(f, "{kind} ")?;
        }
        if let Some(block) = self.block {
            write!(f, "{block} ")?;
        }
        write!(f, "{}% {}", self.percent, self.priority)
    }
}

/// All shares of a job. An operation has the priority of one of those that it belongs to, or that of its thread.
#[derive(Debug, Clone, PartialEq)]
pub struct UrgentShares(pub Vec<UrgentShare>);

impl FromStr for UrgentShares {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let shares: Vec<UrgentShare> = text
            .split(',')
            .map(str::parse)
            .collect::<Result<_, UnitError>>()?;
        for of in &shares {
            let alike = shares
                .iter()
                .filter(|share| (share.kind, share.block) == (of.kind, of.block));
            if alike.map(|share| share.percent).sum::<f64>() > 100.0 {
                return Err(UnitError(format!("the shares of '{text}' exceed 100%")));
            }
        }
        Ok(UrgentShares(shares))
    }
}

impl fmt::Display for UrgentShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, share) in self.0.iter().enumerate() {
            if index > 0 {
                write!(f, ", ")?;
            }
            write!(f, "{share}")?;
        }
        Ok(())
    }
}

serde_as_text!(
    UrgentShares,
    "UrgentShares",
    "a share of the operations and their priority, such as 20% realtime:0, or several, each with an operation and a block size, such as read 64k 20% realtime:0"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_a_priority() {
        for text in [
            "20% realtime:0",
            "0.5% best-effort:3",
            "100% idle",
            "read 20% idle, write 64k 30% realtime:1, write 64k 70% idle",
        ] {
            assert_eq!(text.parse::<UrgentShares>().expect(text).to_string(), text);
        }
        for text in [
            "20%",
            "0% idle",
            "120% idle",
            "x idle",
            "20% often",
            "20% idle 5",
            "read 60% idle, read 50% realtime:0",
            "64z 20% idle",
        ] {
            assert!(text.parse::<UrgentShares>().is_err(), "{text}");
        }
    }
}
