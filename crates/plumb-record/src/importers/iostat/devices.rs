//! What do the counters of each device stand at? Sums of what each interval adds, as readings.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use plumb_model::run::metric::Reading;

use super::report::Values;

/// Most readings: of longer files every second report is dropped, repeatedly. Counters lose nothing by it but the times between.
const READINGS_MAX: usize = 400_000;
/// Devices of one file.
const DEVICES_MAX: usize = 10_000;
/// Metrics of plumb's source diskstats that iostat computes its columns from.
const METRICS: [&str; 14] = [
    "disk.reads",
    "disk.read_bytes",
    "disk.read_merges",
    "disk.read_time_ns",
    "disk.writes",
    "disk.write_bytes",
    "disk.write_merges",
    "disk.write_time_ns",
    "disk.discards",
    "disk.discard_bytes",
    "disk.flushes",
    "disk.flush_time_ns",
    "disk.queue_time_ns",
    "disk.busy_ns",
];

/// The counters of one device; missing where a column is.
type Counters = [Option<f64>; METRICS.len()];

/// All devices.
#[derive(Debug, Default)]
pub struct Devices {
    counters: BTreeMap<String, Counters>,
    readings: Vec<Reading>,
    samples: u64,
    /// One of `2^dropped` reports is kept.
    dropped: u32,
    /// A device was not in every report.
    pub had_gaps: bool,
}

/// What an interval of so many seconds adds to each counter.
fn rise(values: &Values, seconds: f64) -> Counters {
    let sum = |rate: Option<f64>| rate.map(|rate| rate * seconds);
    let time = |rate: Option<f64>, ms: Option<f64>| Some(rate? * ms? * 1e6 * seconds);
    [
        sum(values.reads),
        sum(values.read_bytes),
        sum(values.read_merges),
        time(values.reads, values.read_ms),
        sum(values.writes),
        sum(values.write_bytes),
        sum(values.write_merges),
        time(values.writes, values.write_ms),
        sum(values.discards),
        sum(values.discard_bytes),
        sum(values.flushes),
        time(values.flushes, values.flush_ms),
        values.queue.map(|queue| queue * seconds * 1e9),
        values
            .busy_percent
            .map(|percent| percent / 100.0 * seconds * 1e9),
    ]
}

impl Devices {
    /// The first report: all counters begin at 0.
    pub fn begin(&mut self, names: impl Iterator<Item = String>) {
        self.counters = names
            .take(DEVICES_MAX)
            .map(|name| (name, [Some(0.0); METRICS.len()]))
            .collect();
        for name in self.counters.keys().cloned().collect::<Vec<_>>() {
            self.push(&name, 0, [Some(0.0); METRICS.len()]);
        }
        self.samples = 1;
    }

    /// Adds a report over the interval between two times.
    pub fn add(&mut self, before_ns: u64, now_ns: u64, report: &[(String, Values)]) {
        let seconds = now_ns.saturating_sub(before_ns) as f64 / 1e9;
        for (name, _) in report {
            if !self.counters.contains_key(name) && self.counters.len() < DEVICES_MAX {
                self.had_gaps = true;
                self.counters
                    .insert(name.clone(), [Some(0.0); METRICS.len()]);
                // Its counters begin with the report before.
                if self.keeps(self.samples - 1) {
                    self.push(name, before_ns, [Some(0.0); METRICS.len()]);
                }
            }
        }
        let mut named = BTreeSet::new();
        for (name, values) in report {
            let rises = rise(values, seconds);
            // A name that stands twice in a report is a mistake of the file.
            if let Some(counters) = self.counters.get_mut(name).filter(|_| named.insert(name)) {
                for (counter, rise) in counters.iter_mut().zip(rises) {
                    *counter = counter.zip(rise).map(|(counter, rise)| counter + rise);
                }
            }
        }
        // With -z, devices without a request are left out.
        self.had_gaps |= named.len() < self.counters.len();
        if self.keeps(self.samples) {
            for (name, counters) in self.counters.clone() {
                self.push(&name, now_ns, counters);
            }
        }
        self.samples += 1;
        if self.readings.len() > READINGS_MAX
            && self.readings.len() > 2 * METRICS.len() * self.counters.len()
        {
            self.thin();
        }
    }

    fn keeps(&self, sample: u64) -> bool {
        sample.is_multiple_of(self.every())
    }

    /// One of so many reports is kept.
    pub fn every(&self) -> u64 {
        1 << self.dropped.min(40)
    }

    /// Drops every second time.
    fn thin(&mut self) {
        self.dropped += 1;
        let (mut sample, mut last) = (0u64, None);
        self.readings.retain(|reading| {
            if last.is_some_and(|last| last != reading.time_ns) {
                sample += 1;
            }
            last = Some(reading.time_ns);
            sample.is_multiple_of(2)
        });
    }

    fn push(&mut self, name: &str, time_ns: u64, counters: Counters) {
        for (metric, value) in METRICS.iter().zip(counters) {
            self.readings.push(Reading {
                metric: Cow::Borrowed(metric),
                instance: name.into(),
                time_ns,
                value,
            });
        }
    }

    /// The readings in the order of time.
    pub fn into_readings(self) -> Vec<Reading> {
        self.readings
    }
}
