//! What is a counter, and what is one value of it?

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// How to interpret the values of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricKind {
    /// Counter: only rises (until it wraps or resets); two readings give a rate.
    Counter,
    /// Gauge: a state at one moment.
    Gauge,
}

/// A metric of a source. Static: the list of sources gives the list of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// Identity, dotted, lower case, unit last: `disk.read_bytes`.
    pub id: &'static str,
    /// Unit of the value: `bytes`, `ns`, `operations`, `per_second`, `bytes_per_second`, `seconds`, `percent`, `1` (a plain number).
    pub unit: &'static str,
    pub kind: MetricKind,
    /// One sentence, with the kernel document or man page as reference.
    pub meaning: &'static str,
}

/// One value of one metric at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// [`Metric::id`].
    #[serde(rename = "m")]
    pub metric: Cow<'static, str>,
    /// Instance: `vda`, `cpu3`, a mount point; empty if there is only one.
    #[serde(rename = "i", default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// Nanoseconds since the start of the run.
    #[serde(rename = "t")]
    pub time_ns: u64,
    /// The value, or `None` if it could not be read: never 0 for a missing value.
    #[serde(rename = "v")]
    pub value: Option<f64>,
}
