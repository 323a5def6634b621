//! What are the figures between two samples? Those of the interval, and of all intervals so far.

use std::borrow::Cow;
use std::collections::HashMap;

use plumb_model::results::watch::{WatchColumn, WatchInterval, WatchRow, WatchTable};
use plumb_model::run::metric::Reading;
use plumb_model::statement::Unit;

use super::formula::{Formula, Weighted};
use super::group::Group;
use super::groups::GROUPS;
use crate::figures::counters::{counter_rise, scaled_counter_rise};

/// Unknown counters are in a separate table, under the other program's names.
const OTHER: &str = "other";
/// What names of counters of other programs have and metrics have not: `Memory\Available Bytes`.
const FOREIGN_MARK: char = '\\';
/// The kernel counts these in milliseconds, in 32 bits (block/genhd.c, diskstats_show).
const MILLISECOND_COUNTERS: &str = "disk.";
const MILLISECOND_NS: f64 = 1e6;

/// Derives figures from samples, one after the other. The live view and a stored recording go through the same.
#[derive(Debug, Default)]
pub struct Derivation {
    /// Group of each metric that a figure is derived from.
    groups: HashMap<&'static str, usize>,
    before: Option<Sample>,
    totals: Vec<Total>,
    index_of: HashMap<RowKey, usize>,
    intervals: u64,
    first_ns: Option<u64>,
}

/// One row of one group: group, kind, instance.
type RowKey = (usize, usize, Cow<'static, str>);

/// All values of one time.
#[derive(Debug, Default)]
struct Sample {
    time_ns: u64,
    values: HashMap<Cow<'static, str>, HashMap<String, f64>>,
    /// The instances of each group, in recorded order.
    instances: Vec<Vec<String>>,
    /// Counters of other programs without a group: metric and instance.
    other: Vec<(Cow<'static, str>, String)>,
}

impl Sample {
    fn value(&self, metric: &str, instance: &str) -> Option<f64> {
        self.values.get(metric)?.get(instance).copied()
    }
}

/// What all intervals so far add up to, of one row.
#[derive(Debug)]
struct Total {
    key: RowKey,
    sums: Vec<Option<Weighted>>,
    largest: Vec<Option<f64>>,
}

/// A row of an interval, before it is divided.
struct Row {
    key: RowKey,
    figures: Vec<Option<Weighted>>,
}

impl Derivation {
    pub fn new() -> Derivation {
        let mut groups = HashMap::new();
        for (at, group) in GROUPS.iter().enumerate() {
            let formulas = group.kinds.iter().flat_map(|kind| kind.formulas);
            for metric in formulas.flat_map(|formula| formula.metrics()) {
                groups.insert(metric, at);
            }
        }
        Derivation {
            groups,
            ..Derivation::default()
        }
    }

    /// Takes the readings of one sample, all of one time. `None` for the first one, and for one that is no later than the one before.
    pub fn take(&mut self, readings: &[Reading]) -> Option<WatchInterval> {
        let sample = self.sample(readings)?;
        self.first_ns.get_or_insert(sample.time_ns);
        let before = self.before.replace(sample)?;
        let now = self.before.as_ref()?;
        if now.time_ns <= before.time_ns {
            return None;
        }
        let rows = rows(&before, now);
        let (begin_ns, end_ns) = (before.time_ns, now.time_ns);
        self.intervals += 1;
        rows.iter().for_each(|row| self.add(row));
        let rows = rows
            .into_iter()
            .map(|row| (values(&row.key, &row.figures), row.key, Vec::new()));
        let tables = tables(rows.collect());
        Some(WatchInterval {
            begin_ns,
            end_ns,
            tables,
        })
    }

    /// Intervals so far.
    pub fn intervals(&self) -> u64 {
        self.intervals
    }

    /// From the first sample to the last, in nanoseconds.
    pub fn span_ns(&self) -> u64 {
        let last = self.before.as_ref().map(|sample| sample.time_ns);
        last.zip(self.first_ns)
            .map_or(0, |(last, first)| last.saturating_sub(first))
    }

    /// All intervals so far together.
    pub fn tables(&self) -> Vec<WatchTable> {
        let rows = self.totals.iter().map(|total| {
            let values = values(&total.key, &total.sums);
            (values, total.key.clone(), total.largest.clone())
        });
        tables(rows.collect())
    }

    /// `None` without a reading.
    fn sample(&self, readings: &[Reading]) -> Option<Sample> {
        let mut sample = Sample {
            time_ns: readings.first()?.time_ns,
            instances: vec![Vec::new(); GROUPS.len()],
            ..Sample::default()
        };
        for reading in readings {
            if let Some(group) = self.groups.get(reading.metric.as_ref()) {
                let known = &mut sample.instances[*group];
                if !known.contains(&reading.instance) {
                    known.push(reading.instance.clone());
                }
            } else if reading.metric.contains(FOREIGN_MARK) {
                let name = (reading.metric.clone(), reading.instance.clone());
                sample.other.push(name);
            } else {
                continue;
            }
            if let Some(value) = reading.value.filter(|value| value.is_finite()) {
                let of_metric = sample.values.entry(reading.metric.clone()).or_default();
                of_metric.insert(reading.instance.clone(), value);
            }
        }
        Some(sample)
    }

    fn add(&mut self, row: &Row) {
        let at = *self.index_of.entry(row.key.clone()).or_insert_with(|| {
            self.totals.push(Total {
                key: row.key.clone(),
                sums: vec![None; row.figures.len()],
                largest: vec![None; row.figures.len()],
            });
            self.totals.len() - 1
        });
        let total = &mut self.totals[at];
        for ((figure, sum), largest) in row
            .figures
            .iter()
            .zip(&mut total.sums)
            .zip(&mut total.largest)
        {
            let Some(figure) = figure else { continue };
            sum.get_or_insert_default().add(*figure);
            if let Some(mean) = figure.mean() {
                *largest = Some(largest.map_or(mean, |largest: f64| largest.max(mean)));
            }
        }
    }
}

/// How much a counter rose. What fell without a wrap was reset: the rise is not known.
fn rise(metric: &str, before: f64, after: f64) -> Option<f64> {
    if metric.starts_with(MILLISECOND_COUNTERS) && metric.ends_with("_ns") {
        scaled_counter_rise(before, after, MILLISECOND_NS)
    } else {
        counter_rise(before, after)
    }
}

/// Every row of every group between two samples; those of which nothing is known are left out.
fn rows(before: &Sample, now: &Sample) -> Vec<Row> {
    let interval_ns = (now.time_ns - before.time_ns) as f64;
    let figure = |formula: Formula, instance: &str| {
        let of_rise = |metric: &str| {
            let (before, after) = (
                before.value(metric, instance)?,
                now.value(metric, instance)?,
            );
            rise(metric, before, after)
        };
        formula.over(interval_ns, of_rise, |metric| now.value(metric, instance))
    };
    let mut rows = Vec::new();
    for (at, group) in GROUPS.iter().enumerate() {
        let first = rows.len();
        for instance in &now.instances[at] {
            for (kind_at, kind) in group.kinds.iter().enumerate() {
                let formulas = kind.formulas.iter();
                let figures: Vec<_> = formulas.map(|formula| figure(*formula, instance)).collect();
                if figures.iter().any(Option::is_some) {
                    let key = (at, kind_at, Cow::Owned(instance.clone()));
                    rows.push(Row { key, figures });
                }
            }
        }
        if group.has_total && rows.len() > first {
            let total = total_of(&rows[first..], at);
            rows.insert(first, total);
        }
    }
    for (metric, instance) in &now.other {
        let value = now.value(metric, instance);
        let seconds = interval_ns / 1e9;
        let figure = value.map(|value| Weighted {
            sum: value * seconds,
            weight: seconds,
        });
        let name = match instance.as_str() {
            "" => metric.to_string(),
            instance => format!("{metric} ({instance})"),
        };
        if figure.is_some() {
            rows.push(Row {
                key: (GROUPS.len(), 0, name.into()),
                figures: vec![figure],
            });
        }
    }
    rows
}

/// The first row of a group that adds all things up.
fn total_of(rows: &[Row], group: usize) -> Row {
    let mut figures: Vec<Option<Weighted>> = vec![None; GROUPS[group].columns.len()];
    for row in rows {
        for (sum, figure) in figures.iter_mut().zip(&row.figures) {
            if let Some(figure) = figure {
                sum.get_or_insert_default().add(*figure);
            }
        }
    }
    Row {
        key: (group, 0, Cow::Borrowed("")),
        figures,
    }
}

/// The mean of each column. A time of 0 is below the resolution of the kernel's counter, such as milliseconds: it is unknown.
fn values((group, _, _): &RowKey, figures: &[Option<Weighted>]) -> Vec<Option<f64>> {
    let columns = GROUPS.get(*group).map_or(&[][..], |group| group.columns);
    let is_time = |at: usize| {
        let unit = columns.get(at).and_then(|column| column.unit);
        unit == Some(Unit::Nanoseconds)
    };
    let mean = |(at, figure): (usize, &Option<Weighted>)| {
        let mean = figure.and_then(Weighted::mean)?;
        (mean > 0.0 || !is_time(at)).then_some(mean)
    };
    figures.iter().enumerate().map(mean).collect()
}

/// A row: values, place, largest values.
type Derived = (Vec<Option<f64>>, RowKey, Vec<Option<f64>>);

/// The rows as tables, in the order of the groups.
fn tables(mut rows: Vec<Derived>) -> Vec<WatchTable> {
    rows.sort_by_key(|(_, (group, _, _), _)| *group);
    rows.chunk_by(|(_, (a, _, _), _), (_, (b, _, _), _)| a == b)
        .map(|rows| {
            let at = rows[0].1.0;
            match GROUPS.get(at) {
                Some(group) => WatchTable {
                    group: group.id,
                    label: group.label,
                    columns: columns(group),
                    rows: rows.iter().map(|row| row_of(group, row)).collect(),
                },
                None => WatchTable {
                    group: OTHER,
                    label: "label-watch-other",
                    columns: vec![WatchColumn {
                        id: "value",
                        label: "label-watch-value",
                        unit: None,
                    }],
                    rows: rows.iter().map(other_row).collect(),
                },
            }
        })
        .collect()
}

fn columns(group: &Group) -> Vec<WatchColumn> {
    let columns = group.columns.iter();
    columns
        .map(|column| WatchColumn {
            id: column.id,
            label: column.label,
            unit: column.unit,
        })
        .collect()
}

fn row_of(group: &Group, (values, (_, kind, instance), largest): &Derived) -> WatchRow {
    let kind = &group.kinds[*kind];
    let is_total = group.has_total && instance.is_empty();
    WatchRow {
        instance: instance.clone(),
        kind: if is_total { "all" } else { kind.id },
        label: if is_total {
            "label-watch-all"
        } else {
            kind.label
        },
        is_active: is_active(values, largest),
        values: values.clone(),
        largest: largest.clone(),
    }
}

fn other_row((values, (_, _, name), largest): &Derived) -> WatchRow {
    WatchRow {
        instance: name.clone(),
        kind: "",
        label: "",
        is_active: is_active(values, largest),
        values: values.clone(),
        largest: largest.clone(),
    }
}

fn is_active(values: &[Option<f64>], largest: &[Option<f64>]) -> bool {
    let mut all = values.iter().chain(largest).flatten();
    all.any(|value| *value > 0.0)
}
