//! What do the performance counters of Windows say? One query of counters with all their instances, by PDH ("Using the PDH Functions to Consume Counter Data", Microsoft Learn).
#![cfg_attr(
    not(windows),
    allow(dead_code, reason = "other systems have no such counters")
)]

use std::fmt;

#[cfg(not(windows))]
mod none;
#[cfg(windows)]
mod windows;

#[cfg(not(windows))]
pub(crate) use none::{Counter, Query};
#[cfg(windows)]
pub(crate) use windows::{Counter, Query};

/// How a call of PDH ended that did not succeed ("PDH Error Codes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status(pub u32);

impl Status {
    /// There is no counter set of this name.
    pub const NO_OBJECT: Status = Status(0xC000_0BB8);
    /// The set has no counter of this name.
    pub const NO_COUNTER: Status = Status(0xC000_0BB9);
    /// Nothing was counted: there is no instance.
    pub const NO_DATA: Status = Status(0x8000_07D5);
    /// This is not Windows.
    pub const NOT_WINDOWS: Status = Status(0);
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Status::NO_OBJECT => out.write_str("Windows has no counter set of this name here"),
            Status::NO_COUNTER => out.write_str("Windows has no counter of this name here"),
            Status::NO_DATA => out.write_str("no data"),
            Status::NOT_WINDOWS => {
                out.write_str("a Windows counter, and this system is not Windows")
            }
            Status(code) => write!(out, "PDH fails with error 0x{code:08X}"),
        }
    }
}

/// An instance and its value; without a value where PDH could not compute one, as from a first sample.
pub(crate) type InstanceValue = (String, Option<f64>);
