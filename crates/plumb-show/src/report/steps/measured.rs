//! What else was measured of each step? Workers, spread of the intervals, operations in flight, and device activity.

use plumb_model::results::summary::{OperationSummary, StepSummary, WorkerSummary, in_order};
use plumb_words::Words;
use plumb_words::numbers::show_count;

use super::super::tables;
use super::cells::{columns, latency_cells, latency_columns, number, percent, seconds};
use crate::chart::or_dash;
use crate::figure::{Column, Quantity, Table};
use crate::wording::MISSING;

/// Rows up to which the table of workers is open.
const OPEN_ROWS: usize = 12;

pub(super) fn section(steps: &[StepSummary], words: Words) -> String {
    let workers = workers(steps, words);
    let open = workers.rows.len() <= OPEN_ROWS;
    [
        ("label-workers-heading", workers, open),
        ("label-spread-heading", spread(steps, words), false),
        ("label-split-heading", split(steps, words), false),
        ("label-levels-heading", levels(steps, words), false),
        ("label-device-heading", devices(steps, words), false),
    ]
    .into_iter()
    .map(|(heading, table, open)| tables::folded(&words.label(heading), &table, open))
    .collect()
}

fn workers(steps: &[StepSummary], words: Words) -> Table {
    let row = |step: &StepSummary, worker: &WorkerSummary, kind: &str, of: &OperationSummary| {
        let cpu = worker.cpu.user_percent.zip(worker.cpu.system_percent);
        let head = vec![
            step.worker_name(worker),
            kind.to_string(),
            or_dash(Quantity::OperationsPerSecond, of.iops),
            or_dash(Quantity::Bandwidth, of.bandwidth_bytes_per_s),
            show_count(of.count as f64),
            show_count(of.errors as f64),
            seconds(worker.duration_s),
            percent(cpu.map(|(user, system)| user + system)),
        ];
        [head, latency_cells(&of.response_ns)].concat()
    };
    let mut rows = Vec::new();
    for step in steps {
        for worker in &step.workers {
            let kinds = in_order(&worker.operations);
            rows.extend(
                kinds
                    .into_iter()
                    .map(|(kind, of)| row(step, worker, kind, of)),
            );
        }
    }
    let numbers = [
        "label-operations-per-s",
        "label-bandwidth",
        "label-operations",
        "label-errors",
        "label-measured",
        "label-cpu-percent",
    ];
    let mut columns = columns(words, &["label-worker", "label-operation"], &numbers);
    columns.extend(latency_columns(words));
    Table {
        columns,
        rows,
        note: String::new(),
    }
}

/// The spread by kind, if there are enough intervals.
fn spread(steps: &[StepSummary], words: Words) -> Table {
    let mut rows = Vec::new();
    for step in steps {
        for (kind, of) in step.kinds() {
            let Some(spread) = &of.intervals else {
                continue;
            };
            let rate = |value| Quantity::OperationsPerSecond.text(value);
            let bandwidth = spread.bandwidth_bytes_per_s;
            rows.push(vec![
                step.name.clone(),
                kind.to_string(),
                spread.count.to_string(),
                Quantity::Latency.text(spread.length_s * 1e9),
                rate(spread.iops.min),
                rate(spread.iops.mean),
                rate(spread.iops.max),
                rate(spread.iops.standard_deviation),
                or_dash(Quantity::Bandwidth, bandwidth.map(|of| of.min)),
                or_dash(Quantity::Bandwidth, bandwidth.map(|of| of.max)),
            ]);
        }
    }
    let numbers = [
        "label-intervals",
        "label-interval-length",
        "label-lowest",
        "label-mean",
        "label-highest",
        "label-standard-deviation",
        "label-lowest-bandwidth",
        "label-highest-bandwidth",
    ];
    Table {
        columns: columns(words, &["label-step", "label-operation"], &numbers),
        rows,
        note: words.label("label-spread-note"),
    }
}

/// Both parts of the latency by kind, if measured.
fn split(steps: &[StepSummary], words: Words) -> Table {
    let mut rows = Vec::new();
    for step in steps {
        for (kind, of) in step.kinds() {
            let parts = [
                ("label-part-submission", &of.submission_ns),
                ("label-part-completion", &of.completion_ns),
            ];
            for (part, latency) in parts {
                let Some(latency) = latency else { continue };
                let head = vec![step.name.clone(), kind.to_string(), words.label(part)];
                rows.push([head, latency_cells(latency)].concat());
            }
        }
    }
    let titles = ["label-step", "label-operation", "label-part"];
    let mut columns = columns(words, &titles, &[]);
    columns.extend(latency_columns(words));
    Table {
        columns,
        rows,
        note: words.label("label-split-note"),
    }
}

/// One row per step, one column per level that any step has.
fn levels(steps: &[StepSummary], words: Words) -> Table {
    let mut levels: Vec<(u64, u64)> = steps
        .iter()
        .flat_map(|step| &step.depth_levels)
        .map(|level| (level.from, level.to))
        .collect();
    levels.sort_unstable();
    levels.dedup();
    let title = |(from, to): &(u64, u64)| {
        Column::number(match from == to {
            true => from.to_string(),
            false => format!("{from}-{to}"),
        })
    };
    let row = |step: &StepSummary| {
        let share = |level: &(u64, u64)| {
            let mut held = step.depth_levels.iter();
            let held = held.find(|held| held.from == level.0);
            held.map_or_else(|| MISSING.into(), |held| percent(Some(held.percent)))
        };
        let at_once = step.operations_per_submission;
        std::iter::once(step.name.clone())
            .chain(levels.iter().map(share))
            .chain([at_once.map_or_else(|| MISSING.into(), show_count)])
            .collect()
    };
    let counted = steps.iter().filter(|step| !step.depth_levels.is_empty());
    Table {
        columns: columns(words, &["label-step"], &[])
            .into_iter()
            .chain(levels.iter().map(title))
            .chain([Column::number(words.label("label-submitted-at-once"))])
            .collect(),
        rows: counted.map(row).collect(),
        note: words.label("label-levels-note"),
    }
}

fn devices(steps: &[StepSummary], words: Words) -> Table {
    let row = |step: &StepSummary| {
        let device = step.device.as_ref()?;
        let rate = |value| or_dash(Quantity::OperationsPerSecond, value);
        let bandwidth = |value| or_dash(Quantity::Bandwidth, value);
        Some(vec![
            step.name.clone(),
            device.name.clone(),
            percent(device.busy_percent),
            number(device.mean_queue),
            rate(device.reads_per_s),
            rate(device.writes_per_s),
            rate(device.flushes_per_s),
            bandwidth(device.read_bytes_per_s),
            bandwidth(device.write_bytes_per_s),
        ])
    };
    let numbers = [
        "label-busy",
        "label-mean-queue",
        "label-reads-per-s",
        "label-writes-per-s",
        "label-flushes-per-s",
        "label-device-read",
        "label-device-written",
    ];
    Table {
        columns: columns(words, &["label-step", "label-device"], &numbers),
        rows: steps.iter().filter_map(row).collect(),
        note: words.label("label-device-note"),
    }
}
