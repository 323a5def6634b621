//! What do the management classes of Windows (CIM) report that no plain call does? Rows of a class, requested in WQL as `Get-CimInstance -Query` asks.
#![cfg_attr(
    not(windows),
    allow(dead_code, reason = "other systems have no such classes")
)]

use std::collections::BTreeMap;

#[cfg(not(windows))]
mod none;
#[cfg(windows)]
mod windows;

#[cfg(not(windows))]
pub(crate) use none::rows;
#[cfg(windows)]
pub(crate) use windows::rows;

/// A value of a property. One that is null is not there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Number(f64),
    Flag(bool),
}

/// An instance of a class. Names of properties are the same in upper and lower case (CIM, DSP0004), and stand here in lower case.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Row(BTreeMap<String, Value>);

impl Row {
    pub fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_ascii_lowercase(), value);
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(&name.to_ascii_lowercase())
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            // Numbers of 64 bits come as text ("Numbers", WMI SDK).
            Value::Text(text) => text.parse().ok(),
            Value::Flag(_) => None,
        }
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.value(name)? {
            Value::Flag(flag) => Some(*flag),
            _ => None,
        }
    }
}

/// Why a class cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Windows has no such namespace or class here: the feature is not installed.
    Missing(String),
    Other(String),
}

impl Refusal {
    pub fn reason(self) -> String {
        match self {
            Refusal::Missing(reason) | Refusal::Other(reason) => reason,
        }
    }
}

/// A class in its namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    pub namespace: &'static str,
    pub name: &'static str,
}
