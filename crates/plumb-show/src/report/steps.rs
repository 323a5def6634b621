//! What are the figures of every step: throughput, latencies, kinds of operations, rounds and jobs?

use plumb_model::imported::StatedFigure;
use plumb_model::plan::Plan;
use plumb_model::step_end::ends_text;
use plumb_model::summary::{Latency, OperationSummary, StepSummary, Summary};
use plumb_model::units::{group_thousands, show_count};

use super::tables;
use crate::chart::or_dash;
use crate::escape::escape;
use crate::figure::{Column, Quantity, Table, percent_text};
use crate::wording::{MISSING, stated_text, with_micro_sign};

/// Rows up to which the tables of rounds stand open.
const OPEN_ROWS: usize = 12;

pub(super) fn section(summary: &Summary) -> String {
    if summary.steps.is_empty() {
        return "<p>No step ran.</p>\n".into();
    }
    let mut out = notes(&summary.plan);
    out.push_str(&format!(
        "<h3>Throughput</h3>\n{}",
        tables::html(&throughput(&summary.steps))
    ));
    out.push_str(&format!(
        "<h3>Response time</h3>\n{}",
        tables::html(&latencies(&summary.steps, |step| Some(&step.response_ns)))
    ));
    // In a closed loop both are the same figures.
    if summary
        .steps
        .iter()
        .any(|step| step.service_ns != step.response_ns)
    {
        out.push_str(&tables::folded(
            "Service time, from submission to completion",
            &latencies(&summary.steps, |step| Some(&step.service_ns)),
            false,
        ));
    }
    let lateness = latencies(&summary.steps, |step| step.lateness_ns.as_ref());
    out.push_str(&tables::folded(
        "Lateness, from when operations were due to their submission",
        &lateness,
        false,
    ));
    out.push_str(&tables::folded(
        "CPU that the load generator took",
        &cost(&summary.steps),
        false,
    ));
    out.push_str(&tables::folded(
        "By kind of operation",
        &kinds(&summary.steps),
        false,
    ));
    out.push_str(&tables::folded("Errors", &errors(&summary.steps), true));
    out.push_str(&tables::folded(
        "Jobs of steps with several",
        &jobs(&summary.steps),
        false,
    ));
    out.push_str(&tables::folded(
        "As the program states it",
        &stated(&summary.steps),
        true,
    ));
    let rounds = rounds(&summary.steps);
    out.push_str(&tables::folded(
        "Each round by itself",
        &rounds,
        rounds.rows.len() <= OPEN_ROWS,
    ));
    out
}

/// What the figures include and what they do not.
fn notes(plan: &Plan) -> String {
    let items: Vec<String> = plan
        .notes()
        .iter()
        .map(|(name, note)| {
            format!(
                "<li><strong>{}</strong> {}</li>\n",
                escape(name),
                escape(note)
            )
        })
        .collect();
    if items.is_empty() {
        String::new()
    } else {
        format!(
            "<h3>What the figures include and what they do not</h3>\n<ul class=\"notes\">\n{}</ul>\n",
            items.concat()
        )
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| MISSING.into(), show_count)
}

/// A count, or a dash where the source of an imported run tells other figures and not this.
fn known(count: u64, others: bool) -> String {
    if count == 0 && others {
        MISSING.into()
    } else {
        whole(count)
    }
}

/// Measured time, or a dash where the source of an imported run does not tell it.
fn seconds(duration_s: f64) -> String {
    if duration_s > 0.0 {
        format!("{} s", show_count(duration_s))
    } else {
        MISSING.into()
    }
}

/// What the source of an imported run states and no other table has.
fn stated(steps: &[StepSummary]) -> Table {
    let row = |step: &StepSummary, figure: &StatedFigure| {
        vec![
            step.name.clone(),
            figure.name.clone(),
            with_micro_sign(&stated_text(figure)),
        ]
    };
    Table {
        columns: columns(&["step", "figure"], &["value"]),
        rows: steps
            .iter()
            .flat_map(|step| step.stated.iter().map(move |figure| row(step, figure)))
            .collect(),
        note: String::new(),
    }
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| MISSING.into(), percent_text)
}

/// A whole count in full.
pub(super) fn whole(count: u64) -> String {
    group_thousands(i64::try_from(count).unwrap_or(i64::MAX))
}

pub(super) fn columns(texts: &[&str], numbers: &[&str]) -> Vec<Column> {
    texts
        .iter()
        .map(|title| Column::text(*title))
        .chain(numbers.iter().map(|title| Column::number(*title)))
        .collect()
}

fn throughput(steps: &[StepSummary]) -> Table {
    let row = |step: &StepSummary| {
        let asked = match (step.asked_rate, step.asked_depth) {
            (Some(rate), _) => format!("{}/s", show_count(rate)),
            (None, depth) => number(depth),
        };
        vec![
            step.name.clone(),
            or_dash(Quantity::OperationsPerSecond, step.total.iops),
            or_dash(Quantity::Bandwidth, step.total.bandwidth_bytes_per_s),
            asked,
            number(step.achieved_depth),
            known(step.total.count, step.total.uncounted),
            whole(step.total.errors),
            seconds(step.duration_s),
            ends_text(&step.ended_by),
        ]
    };
    let numbers = [
        "operations/s",
        "bandwidth",
        "asked depth",
        "achieved depth",
        "operations",
        "errors",
        "measured",
    ];
    let mut columns = columns(&["step"], &numbers);
    columns.push(Column::text("ended by"));
    let mut rows: Vec<Vec<String>> = steps.iter().map(row).collect();
    let mut note =
        "Depth is asked over all workers (or the asked rate, in an open loop); achieved depth is the mean number of operations in flight."
            .to_string();
    if steps.iter().any(|step| step.flushes().is_some()) {
        columns.insert(2, Column::number("flushes/s"));
        for (row, step) in rows.iter_mut().zip(steps) {
            row.insert(
                2,
                or_dash(
                    Quantity::OperationsPerSecond,
                    step.flushes().and_then(|flushes| flushes.iops),
                ),
            );
        }
        note += " Flushes are in no other figure of this table but errors and achieved depth.";
    }
    Table {
        columns,
        rows,
        note,
    }
}

fn cost(steps: &[StepSummary]) -> Table {
    let row = |step: &StepSummary| {
        vec![
            step.name.clone(),
            percent(step.cpu.user_percent),
            percent(step.cpu.system_percent),
            percent(step.cpu.busiest_worker_percent),
            or_dash(Quantity::Latency, step.cpu.ns_per_operation),
            number(step.cpu.switches_per_operation),
        ]
    };
    let numbers = [
        "user",
        "system",
        "busiest worker",
        "CPU time per operation",
        "context switches per operation",
    ];
    let note = "Percent of one CPU: 200 % are two CPUs full.";
    Table {
        columns: columns(&["step"], &numbers),
        rows: steps.iter().map(row).collect(),
        note: note.into(),
    }
}

/// Names and values of all figures of a latency.
pub(super) fn latency_cells(latency: &Latency) -> Vec<String> {
    let figures = [
        latency.min,
        latency.mean,
        latency.p50,
        latency.p90,
        latency.p95,
        latency.p99,
        latency.p99_9,
        latency.p99_99,
        latency.p99_999,
        latency.p99_9999,
        latency.max,
    ];
    figures
        .iter()
        .map(|figure| or_dash(Quantity::Latency, *figure))
        .collect()
}

pub(super) const LATENCY_TITLES: [&str; 11] = [
    "shortest",
    "mean",
    "50 %",
    "90 %",
    "95 %",
    "99 %",
    "99.9 %",
    "99.99 %",
    "99.999 %",
    "99.9999 %",
    "longest",
];

fn latencies(steps: &[StepSummary], which: fn(&StepSummary) -> Option<&Latency>) -> Table {
    let row = |step: &StepSummary| {
        let latency = which(step)?;
        Some(
            [
                vec![
                    step.name.clone(),
                    known(latency.count, latency.mean.or(latency.max).is_some()),
                ],
                latency_cells(latency),
            ]
            .concat(),
        )
    };
    let columns = [
        columns(&["step"], &["samples"]),
        columns(&[], &LATENCY_TITLES),
    ]
    .concat();
    let note = format!(
        "{MISSING} stands where there are too few samples to state the percentile; a percentile that no step has samples for is left out."
    );
    Table {
        columns,
        rows: steps.iter().filter_map(row).collect(),
        note,
    }
}

/// The figures of each kind, for steps with several kinds.
fn kinds(steps: &[StepSummary]) -> Table {
    let row = |step: &StepSummary, kind: &str, operation: &OperationSummary| {
        let head = vec![
            step.name.clone(),
            kind.to_string(),
            or_dash(Quantity::OperationsPerSecond, operation.iops),
            or_dash(Quantity::Bandwidth, operation.bandwidth_bytes_per_s),
            whole(operation.errors),
        ];
        [head, latency_cells(&operation.response_ns)].concat()
    };
    let mixed = steps.iter().filter(|step| step.operations.len() > 1);
    let rows = mixed
        .flat_map(|step| {
            step.operations
                .iter()
                .map(move |(kind, operation)| row(step, kind, operation))
        })
        .collect();
    let columns = [
        columns(
            &["step", "operation"],
            &["operations/s", "bandwidth", "errors"],
        ),
        columns(&[], &LATENCY_TITLES),
    ]
    .concat();
    Table {
        columns,
        rows,
        note: String::new(),
    }
}

fn errors(steps: &[StepSummary]) -> Table {
    let mut rows = Vec::new();
    for step in steps {
        for (operation, summary) in &step.operations {
            for (kind, count) in &summary.errors_by_kind {
                rows.push(vec![
                    step.name.clone(),
                    operation.clone(),
                    kind.clone(),
                    whole(*count),
                ]);
            }
        }
    }
    Table {
        columns: columns(&["step", "operation", "error"], &["count"]),
        rows,
        note: "Failed operations are in no other figure of this page.".into(),
    }
}

fn jobs(steps: &[StepSummary]) -> Table {
    let mut rows = Vec::new();
    for step in steps {
        for job in &step.jobs {
            for (kind, operation) in &job.operations {
                let head = vec![
                    step.name.clone(),
                    job.name.clone(),
                    kind.clone(),
                    or_dash(Quantity::OperationsPerSecond, operation.iops),
                    or_dash(Quantity::Bandwidth, operation.bandwidth_bytes_per_s),
                    number(job.achieved_depth),
                ];
                rows.push([head, latency_cells(&operation.response_ns)].concat());
            }
        }
    }
    let numbers = columns(&[], &["operations/s", "bandwidth", "achieved depth"]);
    let columns = [
        columns(&["step", "job", "operation"], &[]),
        numbers,
        columns(&[], &LATENCY_TITLES),
    ]
    .concat();
    Table {
        columns,
        rows,
        note: String::new(),
    }
}

fn rounds(steps: &[StepSummary]) -> Table {
    let mut rows = Vec::new();
    for step in steps.iter().filter(|step| step.rounds.len() > 1) {
        for round in &step.rounds {
            rows.push(vec![
                step.name.clone(),
                (round.round + 1).to_string(),
                or_dash(Quantity::OperationsPerSecond, round.iops),
                or_dash(Quantity::Bandwidth, round.bandwidth_bytes_per_s),
                known(round.operations, step.total.uncounted),
                whole(round.errors),
                or_dash(Quantity::Latency, round.response_p50_ns),
                or_dash(Quantity::Latency, round.response_p99_ns),
                seconds(round.duration_s),
            ]);
        }
    }
    let numbers = [
        "round",
        "operations/s",
        "bandwidth",
        "operations",
        "errors",
        "50 %",
        "99 %",
        "measured",
    ];
    Table {
        columns: columns(&["step"], &numbers),
        rows,
        note: String::new(),
    }
}
