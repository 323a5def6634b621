//! How are ticks summed? Counts added, histograms merged, never averaged.

use std::collections::BTreeMap;

use plumb_model::results::summary::{Latency, OperationSummary};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{KindTick, SplitLatency, Tick};
use plumb_model::workload::OperationKind;

/// What completed, of one kind or of all.
#[derive(Default)]
pub(crate) struct Tally {
    /// Operations and bytes that count in rates.
    pub count: u64,
    pub bytes: u64,
    /// Some of it moves data: operations that do not (a stat) have no bandwidth, rather than one of 0.
    pub moves_data: bool,
    /// Failed operations, whenever they failed.
    pub errors: BTreeMap<String, u64>,
    /// Latencies, with those of the drain: leaving the longest operations out because they ended after the stop would flatter the tail.
    pub service: Histogram,
    pub response: Histogram,
    /// The parts of `service`, if measured.
    pub split: Option<SplitLatency>,
}

impl Tally {
    /// Adds one interval of one kind; `in_rates` as [`crate::figures::executions::Execution::in_rates`] says.
    pub fn add(&mut self, tick: &KindTick, in_rates: bool) {
        // A program that failed copied nothing that counts: it has no speed, rather than one of 0.
        let has_failed = tick.kind == OperationKind::Copy && tick.count == 0;
        self.moves_data |= tick.kind.moves_data() && !has_failed;
        if in_rates {
            self.count += tick.count;
            self.bytes = self.bytes.saturating_add(tick.bytes);
        }
        for (kind, count) in &tick.errors {
            *self.errors.entry(kind.clone()).or_default() += count;
        }
        self.service.merge(&tick.service);
        self.response
            .merge(tick.response.as_ref().unwrap_or(&tick.service));
        self.add_split(tick.split.as_ref());
    }

    fn add_split(&mut self, split: Option<&SplitLatency>) {
        if let Some(split) = split {
            self.split.get_or_insert_default().merge(split);
        }
    }

    fn did_something(&self) -> bool {
        self.count > 0 || !self.errors.is_empty() || self.response.count() > 0
    }

    /// Bytes per second; missing when no time was measured or no data was to be moved.
    pub fn bandwidth(&self, duration_s: f64) -> Option<f64> {
        // Operations without bytes: nothing was transferred, or the source of an imported run does not report it.
        let known = self.bytes > 0 || self.count == 0;
        rate(self.bytes as f64, duration_s).filter(|_| self.moves_data && known)
    }

    /// The figures over `duration_s` seconds of measured time.
    pub fn summary(&self, duration_s: f64) -> OperationSummary {
        OperationSummary {
            count: self.count,
            bytes: self.bytes,
            uncounted: false,
            errors: self.errors.values().sum(),
            errors_by_kind: self.errors.clone(),
            iops: rate(self.count as f64, duration_s),
            bandwidth_bytes_per_s: self.bandwidth(duration_s),
            response_ns: latency(&self.response),
            service_ns: latency(&self.service),
            submission_ns: self.split.as_ref().map(|split| latency(&split.submission)),
            completion_ns: self.split.as_ref().map(|split| latency(&split.completion)),
            intervals: None,
        }
    }
}

/// Tallies by kind of operation.
#[derive(Default)]
pub(crate) struct Kinds(pub BTreeMap<OperationKind, Tally>);

impl Kinds {
    /// Adds one tick.
    pub fn add(&mut self, tick: &Tick, in_rates: bool) {
        for kind in &tick.kinds {
            self.0.entry(kind.kind).or_default().add(kind, in_rates);
        }
    }

    /// The figures by kind.
    pub fn summaries(&self, duration_s: f64) -> BTreeMap<String, OperationSummary> {
        self.0
            .iter()
            .map(|(kind, tally)| (kind.word().to_string(), tally.summary(duration_s)))
            .collect()
    }

    /// All kinds together. Flushes among other operations are separate: only their errors count here.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        let others = self
            .0
            .iter()
            .any(|(kind, tally)| *kind != OperationKind::Flush && tally.did_something());
        for (kind, tally) in &self.0 {
            for (error, count) in &tally.errors {
                *total.errors.entry(error.clone()).or_default() += count;
            }
            if others && *kind == OperationKind::Flush {
                continue;
            }
            total.count += tally.count;
            total.bytes = total.bytes.saturating_add(tally.bytes);
            total.moves_data |= tally.moves_data;
            total.service.merge(&tally.service);
            total.response.merge(&tally.response);
            total.add_split(tally.split.as_ref());
        }
        total
    }
}

/// True if flushes are excluded from the total figures: these ticks also have other operations.
pub(crate) fn flushes_apart<'t>(ticks: impl IntoIterator<Item = &'t Tick>) -> bool {
    let other = |kind: &KindTick| {
        kind.kind != OperationKind::Flush && (kind.count > 0 || !kind.errors.is_empty())
    };
    ticks.into_iter().any(|tick| tick.kinds.iter().any(other))
}

/// `amount` per second; missing when no time was measured.
pub(crate) fn rate(amount: f64, duration_s: f64) -> Option<f64> {
    (duration_s > 0.0).then(|| amount / duration_s)
}

/// A quantile in nanoseconds, when there are samples enough to state it.
pub(crate) fn stated_quantile(histogram: &Histogram, quantile: f64) -> Option<f64> {
    histogram
        .supports(quantile)
        .then(|| histogram.quantile_ns(quantile))
        .flatten()
        .map(|ns| ns as f64)
}

/// The figures of a histogram.
pub(crate) fn latency(histogram: &Histogram) -> Latency {
    let at = |quantile| stated_quantile(histogram, quantile);
    Latency {
        count: histogram.count(),
        min: histogram.min_ns().map(|ns| ns as f64),
        mean: histogram.mean_ns(),
        p50: at(0.5),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        p99_9: at(0.999),
        p99_99: at(0.9999),
        p99_999: at(0.99999),
        p99_9999: at(0.999999),
        max: histogram.max_ns().map(|ns| ns as f64),
    }
}
