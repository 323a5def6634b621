//! What is a counter source? Something that reads one area of the kernel's counters and tells them as readings.

use plumb_model::metric::{Metric, MetricKind, Reading};

use crate::files::KernelFiles;

/// One source of readings. Static: its metrics are known before anything is read.
pub struct Source {
    /// Name of the source, that of its file: `diskstats`.
    pub name: &'static str,
    /// One sentence: what it tells and where it reads it.
    pub meaning: &'static str,
    /// Every metric it can give. It gives no other.
    pub metrics: &'static [Metric],
    /// Appends one reading for each metric and instance, with `time_ns` 0 (the observer stamps all readings of a sample with one time).
    ///
    /// Never fails: what cannot be read is a reading without a value - for each wanted instance where these are known beforehand (disks),
    /// else one with an empty instance. A file that is cut short or holds garbage gives missing values, never a panic and never 0.
    pub read: fn(&mut KernelFiles, &Scope, &mut Vec<Reading>),
}

/// Which instances are wanted, where a source has many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Kernel names of block devices (`vda1`, `md0`); `None` for all that the kernel counts.
    pub disks: Option<Vec<String>>,
}

impl Scope {
    /// True when readings of this block device are wanted.
    pub fn wants_disk(&self, name: &str) -> bool {
        self.disks.as_ref().is_none_or(|disks| disks.iter().any(|disk| disk == name))
    }
}

/// A metric that rises for ever.
pub(crate) const fn counter(id: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric { id, unit, kind: MetricKind::Counter, meaning }
}

/// A metric that states one moment.
pub(crate) const fn gauge(id: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric { id, unit, kind: MetricKind::Gauge, meaning }
}

/// Appends one reading; the time is stamped by the observer.
pub(crate) fn push(out: &mut Vec<Reading>, metric: &Metric, instance: &str, value: Option<f64>) {
    out.push(Reading { metric: metric.id.into(), instance: instance.to_owned(), time_ns: 0, value });
}

/// A whole number of the kernel, times `scale`. `None` for anything that is no whole number (the kernel prints no other counters).
pub(crate) fn scaled(token: Option<&str>, scale: f64) -> Option<f64> {
    token?.trim().parse::<u64>().ok().map(|value| value as f64 * scale)
}
