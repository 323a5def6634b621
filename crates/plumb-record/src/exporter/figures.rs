//! Which rows of figures does a run have? One for each step and kind of operation, for each round, and for each interval.

use std::collections::BTreeMap;
use std::io;

use plumb_model::results::summary::{Latency, OperationSummary, StepSummary, in_order};
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{KindTick, Tick};

use super::table::{Cell, Column, Table, Unit};
use super::{ExecutionIndex, Subject};

const RESPONSE: [&str; 10] = [
    "response_min",
    "response_mean",
    "response_p50",
    "response_p90",
    "response_p95",
    "response_p99",
    "response_p99_9",
    "response_p99_99",
    "response_p99_999",
    "response_max",
];

fn latencies(latency: &Latency) -> [Cell<'static>; RESPONSE.len()] {
    let of = latency;
    [
        of.min, of.mean, of.p50, of.p90, of.p95, of.p99, of.p99_9, of.p99_99, of.p99_999, of.max,
    ]
    .map(Cell::Real)
}

/// One row for each step and kind of operation over all rounds, then rows for its jobs, if there are several, and for workers that are reported individually.
pub fn steps(subject: &Subject<'_>) -> Table {
    let mut columns = vec![
        Column::text("step"),
        Column::text("operation"),
        Column::text("engine"),
        Column::real("asked_depth", Unit::None),
        Column::real("achieved_depth", Unit::None),
        Column::real("duration", Unit::Seconds),
        Column::integer("operations", Unit::None),
        Column::integer("bytes", Unit::None),
        Column::integer("errors", Unit::None),
        Column::real("iops", Unit::None),
        Column::real("bandwidth", Unit::BytesPerSecond),
    ];
    columns.extend(RESPONSE.map(|name| Column::real(name, Unit::Latency)));
    columns.push(Column::text("job"));
    let mut table = Table::new(columns);
    for step in &subject.summary.steps {
        push_kinds(&mut table, step, "", &step.operations);
        for (part, operations) in step.parts() {
            push_kinds(&mut table, step, &part, operations);
        }
    }
    table
}

/// A row for each kind of operation of a step or of part of it.
fn push_kinds(
    table: &mut Table,
    step: &StepSummary,
    part: &str,
    operations: &BTreeMap<String, OperationSummary>,
) {
    // Depth and time are those of the step.
    let of_step = |value: Option<f64>| value.filter(|_| part.is_empty());
    for (kind, operation) in in_order(operations) {
        let first = [
            Cell::Text(&step.name),
            Cell::Text(kind),
            Cell::Text(&step.engine),
            Cell::Real(of_step(step.requested_depth)),
            Cell::Real(of_step(step.achieved_depth)),
            Cell::Real(of_step(Some(step.duration_s))),
            Cell::Integer(Some(operation.count)),
            Cell::Integer(Some(operation.bytes)),
            Cell::Integer(Some(operation.errors)),
            Cell::Real(operation.iops),
            Cell::Real(operation.bandwidth_bytes_per_s),
        ];
        let times = latencies(&operation.response_ns);
        let last = [Cell::Text(part)];
        table.push(first.into_iter().chain(times).chain(last));
    }
}

/// One row for each step and round, all kinds of operations together.
pub fn rounds(subject: &Subject<'_>) -> Table {
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::integer("round", Unit::None),
        Column::real("duration", Unit::Seconds),
        Column::integer("operations", Unit::None),
        Column::integer("errors", Unit::None),
        Column::real("iops", Unit::None),
        Column::real("bandwidth", Unit::BytesPerSecond),
        Column::real("response_p50", Unit::Latency),
        Column::real("response_p99", Unit::Latency),
    ]);
    for step in &subject.summary.steps {
        for round in &step.rounds {
            table.push([
                Cell::Text(&step.name),
                Cell::Integer(Some(u64::from(round.round) + 1)),
                Cell::Real(Some(round.duration_s)),
                Cell::Integer(Some(round.operations)),
                Cell::Integer(Some(round.errors)),
                Cell::Real(round.iops),
                Cell::Real(round.bandwidth_bytes_per_s),
                Cell::Real(round.response_p50_ns),
                Cell::Real(round.response_p99_ns),
            ]);
        }
    }
    table
}

/// Rows held in memory while the record is read.
pub const CHUNK_LINES: usize = 1 << 14;

/// The columns of [`intervals`], without rows.
pub fn interval_columns() -> Table {
    Table::new(vec![
        Column::text("step"),
        Column::integer("round", Unit::None),
        Column::integer("job", Unit::None),
        Column::text("operation"),
        Column::text("phase"),
        Column::integer("start", Unit::Moment),
        Column::integer("end", Unit::Moment),
        Column::integer("operations", Unit::None),
        Column::integer("bytes", Unit::None),
        Column::integer("errors", Unit::None),
        Column::real("iops", Unit::None),
        Column::real("bandwidth", Unit::BytesPerSecond),
        Column::real("response_mean", Unit::Latency),
        Column::real("response_p50", Unit::Latency),
        Column::real("response_p99", Unit::Latency),
        Column::real("response_max", Unit::Latency),
        Column::integer("backlog", Unit::None),
    ])
}

/// One row for each interval, job and kind of operation; rows of the same step, job and kind are adjacent and ordered by time. For a long run these are the
/// condensed intervals.
pub fn intervals(subject: &Subject<'_>) -> Table {
    let mut table = interval_columns();
    let executions = ExecutionIndex::of(subject.run);
    for (tick, kind) in interval_lines(subject.run, &executions) {
        push_interval(&mut table, &executions, tick, kind);
    }
    table
}

/// The same rows for every interval of the record, in tables of some thousand rows each.
///
/// # Errors
/// The record cannot be read, or `take` fails.
pub fn each_intervals(
    subject: &Subject<'_>,
    take: &mut dyn FnMut(Table) -> io::Result<()>,
) -> io::Result<()> {
    if subject.record.is_none() {
        return take(intervals(subject));
    }
    let executions = ExecutionIndex::of(subject.run);
    // One pass for each group of rows: rows that are adjacent in the table are scattered in the record.
    let mut groups: Vec<_> = interval_lines(subject.run, &executions)
        .iter()
        .map(|(tick, kind)| (executions.step_of(tick.execution), kind.kind, tick.job))
        .collect();
    groups.dedup();
    for group in groups {
        let (mut table, mut failure) = (interval_columns(), Ok(()));
        subject.each_tick(|tick| {
            for kind in tick
                .kinds
                .iter()
                .filter(|kind| (executions.step_of(tick.execution), kind.kind, tick.job) == group)
            {
                push_interval(&mut table, &executions, tick, kind);
            }
            if table.lines() >= CHUNK_LINES && failure.is_ok() {
                failure = take(std::mem::replace(&mut table, interval_columns()));
            }
        })?;
        failure?;
        take(table)?;
    }
    Ok(())
}

/// Ticks that wait until none that ended earlier can come any more: jobs of a step end their intervals almost together.
const WAITING_TICKS: usize = 256;

/// The rows of [`each_intervals`], in the order in which the intervals ended: some databases of time series refuse what is older than what they have.
///
/// # Errors
/// The record cannot be read, or `take` fails.
pub fn each_intervals_by_time(
    subject: &Subject<'_>,
    take: &mut dyn FnMut(Table) -> io::Result<()>,
) -> io::Result<()> {
    let executions = ExecutionIndex::of(subject.run);
    let mut pass_on = |waiting: &mut Vec<Tick>, kept: usize| {
        waiting.sort_by_key(|tick| tick.end_ns);
        let mut table = interval_columns();
        for tick in waiting.drain(..waiting.len().saturating_sub(kept)) {
            for kind in &tick.kinds {
                push_interval(&mut table, &executions, &tick, kind);
            }
        }
        take(table)
    };
    let (mut waiting, mut failure) = (Vec::new(), Ok(()));
    subject.each_tick(|tick| {
        waiting.push(tick.clone());
        if waiting.len() >= 2 * WAITING_TICKS && failure.is_ok() {
            failure = pass_on(&mut waiting, WAITING_TICKS);
        }
    })?;
    failure?;
    pass_on(&mut waiting, 0)
}

fn interval_lines<'a>(run: &'a Run, executions: &ExecutionIndex) -> Vec<(&'a Tick, &'a KindTick)> {
    let mut lines: Vec<_> = run
        .ticks
        .iter()
        .flat_map(|tick| tick.kinds.iter().map(move |kind| (tick, kind)))
        .collect();
    lines.sort_by_key(|(tick, kind)| {
        (
            executions.step_of(tick.execution),
            kind.kind,
            tick.job,
            tick.start_ns,
        )
    });
    lines
}

fn push_interval(table: &mut Table, executions: &ExecutionIndex, tick: &Tick, kind: &KindTick) {
    let response = kind.response.as_ref().unwrap_or(&kind.service);
    table.push([
        Cell::Text(executions.name_of(tick.execution)),
        Cell::Integer(
            executions
                .round_of(tick.execution)
                .map(|round| u64::from(round) + 1),
        ),
        Cell::Integer(Some(u64::from(tick.job))),
        Cell::Text(kind.kind.word()),
        Cell::Text(tick.phase.word()),
        Cell::Integer(Some(tick.start_ns)),
        Cell::Integer(Some(tick.end_ns)),
        Cell::Integer(Some(kind.count)),
        Cell::Integer(Some(kind.bytes)),
        Cell::Integer(Some(kind.errors.values().sum())),
        Cell::Real(per_second(tick, kind.count)),
        Cell::Real(per_second(tick, kind.bytes).filter(|_| kind.kind.moves_data())),
        Cell::Real(response.mean_ns()),
        Cell::Real(quantile(response, 0.5)),
        Cell::Real(quantile(response, 0.99)),
        Cell::Real(response.max_ns().map(|ns| ns as f64)),
        Cell::Integer(tick.backlog),
    ]);
}

/// Rate per second in an interval; missing if the interval has no length.
pub fn per_second(tick: &Tick, amount: u64) -> Option<f64> {
    let length_ns = tick
        .end_ns
        .checked_sub(tick.start_ns)
        .filter(|ns| *ns > 0)?;
    Some(amount as f64 / (length_ns as f64 / 1e9))
}

/// A quantile in nanoseconds; missing if there are too few samples for it.
pub fn quantile(histogram: &Histogram, quantile: f64) -> Option<f64> {
    histogram
        .supports(quantile)
        .then(|| histogram.quantile_ns(quantile))
        .flatten()
        .map(|ns| ns as f64)
}
