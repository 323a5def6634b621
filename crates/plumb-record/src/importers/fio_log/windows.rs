//! What do logs with windows contain? A mean for each time window: readings over time, and their time-weighted mean.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::run::metric::Reading;
use plumb_model::workload::operation::OperationKind;

use crate::importer::{RunBuilder, Span};

/// Most windows of one kind of operation: above that, pairs are merged.
const WINDOWS_MAX: usize = 16_384;

/// A time window with its mean.
#[derive(Debug, Clone, Copy)]
struct Window {
    end_ms: u64,
    length_ms: u64,
    mean: f64,
}

/// Windows by kind of operation, in file order.
#[derive(Debug, Default)]
pub struct Windows(BTreeMap<OperationKind, Kind>);

#[derive(Debug, Default)]
struct Kind {
    windows: Vec<Window>,
    /// Lines merged into one window.
    fold: u64,
    /// Lines in the last window.
    held: u64,
    end_ms: u64,
}

impl Windows {
    /// Adds a line: it marks the end of its window, which began at the end of the previous one of the same kind.
    pub fn add(&mut self, time_ms: u64, kind: OperationKind, value: u64) {
        let known = self.0.entry(kind).or_insert_with(|| Kind {
            fold: 1,
            ..Kind::default()
        });
        let window = Window {
            end_ms: time_ms,
            length_ms: time_ms.saturating_sub(known.end_ms),
            mean: value as f64,
        };
        known.end_ms = known.end_ms.max(time_ms);
        match known.windows.last_mut().filter(|_| known.held < known.fold) {
            Some(last) => *last = joined(*last, window),
            None => {
                known.windows.push(window);
                known.held = 0;
            }
        }
        known.held += 1;
        if known.windows.len() >= WINDOWS_MAX {
            known.windows = known
                .windows
                .chunks(2)
                .map(|pair| pair.iter().copied().reduce(joined).unwrap_or(window))
                .collect();
            known.fold = known.fold.saturating_mul(2);
            known.held = known.fold;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The distinct kinds.
    pub fn kinds(&self) -> impl Iterator<Item = OperationKind> {
        self.0.keys().copied()
    }

    /// Operations in each window of a rate log, with its end time.
    pub fn counts(&self) -> impl Iterator<Item = (u64, OperationKind, u64)> + '_ {
        let count = |window: &Window| {
            (window.mean * window.length_ms as f64 / 1e3)
                .round()
                .min(1e15) as u64
        };
        self.0.iter().flat_map(move |(kind, of)| {
            of.windows
                .iter()
                .map(move |window| (window.end_ms, *kind, count(window)))
        })
    }

    /// Reports the time-weighted mean of each kind, and adds the windows as readings: `fio.clat_ns`, `fio.bw_bytes_per_s`, `fio.iops`.
    pub fn state(&self, builder: &mut RunBuilder, span: Span, word: &str) {
        let (metric, factor) = match word {
            "bw" => ("fio.bw_bytes_per_s", 1024.0),
            "iops" => ("fio.iops", 1.0),
            "clat" => ("fio.clat_ns", 1.0),
            "slat" => ("fio.slat_ns", 1.0),
            _ => ("fio.lat_ns", 1.0),
        };
        for (kind, of) in &self.0 {
            let Some(all) = of.windows.iter().copied().reduce(joined) else {
                continue;
            };
            let mean = all.mean * factor;
            let mut reported = Reported {
                kind: Some(*kind),
                ..Reported::default()
            };
            match word {
                "bw" => reported.bandwidth_bytes_per_s = Some(mean),
                "iops" => reported.iops = Some(mean),
                word => reported.figures.push(ReportedFigure {
                    name: format!("{word}, mean of the windows"),
                    value: mean,
                    unit: "ns".into(),
                }),
            }
            builder.reported(span, 0, reported);
            builder
                .run()
                .readings
                .extend(of.windows.iter().map(|window| {
                    Reading {
                        metric: Cow::Borrowed(metric),
                        instance: kind.word().into(),
                        time_ns: span
                            .start_ns
                            .saturating_add(window.end_ms.saturating_mul(1_000_000)),
                        value: Some(window.mean * factor),
                    }
                }));
        }
    }
}

/// Two windows merged, weighted by their durations.
fn joined(first: Window, second: Window) -> Window {
    let length_ms = first.length_ms.saturating_add(second.length_ms);
    let sum = first.mean * first.length_ms as f64 + second.mean * second.length_ms as f64;
    let mean = if length_ms > 0 {
        sum / length_ms as f64
    } else {
        (first.mean + second.mean) / 2.0
    };
    Window {
        end_ms: first.end_ms.max(second.end_ms),
        length_ms,
        mean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_weighted_by_their_time_and_folded_when_there_are_many() {
        let mut windows = Windows::default();
        windows.add(100, OperationKind::Read, 1000);
        windows.add(400, OperationKind::Read, 2000);
        assert_eq!(
            windows.counts().collect::<Vec<_>>(),
            [
                (100, OperationKind::Read, 100),
                (400, OperationKind::Read, 600)
            ]
        );
        let mut many = Windows::default();
        (1..=100_000).for_each(|at| many.add(at * 10, OperationKind::Write, 500));
        let counts: Vec<_> = many.counts().collect();
        assert!(
            counts.len() < WINDOWS_MAX
                && counts.iter().map(|(_, _, count)| count).sum::<u64>() == 500_000,
            "{}",
            counts.len()
        );
        assert!(counts.is_sorted_by_key(|(end, _, _)| *end));
    }
}
