//! How do DuckDB and pandas read a full run? Three tables in Apache Parquet: every interval, every counter, every histogram bucket.

mod file;
mod thrift;

use std::io;

use plumb_model::run::histogram::Histogram;
use plumb_model::run::metric::Reading;
use plumb_model::run::tick::Tick;

use self::file::Writer;
use crate::exporter::table::{Cell, Column, Table, Unit};
use crate::exporter::{ExecutionIndex, ExportError, ExportedFile, Exporter, Subject, figures};

/// Rows of a row group, which is held in memory by writer and reader.
const LINES: usize = 1 << 16;

pub static EXPORTER: Exporter = Exporter {
    name: "parquet",
    meaning: "three tables for DuckDB, pandas and the like: ticks.parquet, readings.parquet (counters) and histograms.parquet (every bucket)",
    is_text: false,
    export,
};

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    Ok(vec![
        ExportedFile::streamed("ticks.parquet", |out| {
            let mut file = Writer::begin(out, figures::interval_columns(), &about(subject))?;
            figures::each_intervals(subject, &mut |lines| file.group(&lines))?;
            file.end()
        }),
        ExportedFile::streamed("readings.parquet", |out| {
            let mut lines = Lines::new(
                Writer::begin(out, reading_columns(), &about(subject))?,
                reading_columns,
            );
            subject.each_reading(|reading| lines.push(|table| push_reading(table, reading)))?;
            lines.end()
        }),
        ExportedFile::streamed("histograms.parquet", |out| {
            let executions = ExecutionIndex::of(subject.run);
            let mut lines = Lines::new(
                Writer::begin(out, histogram_columns(), &about(subject))?,
                histogram_columns,
            );
            subject
                .each_tick(|tick| lines.push(|table| push_histograms(table, &executions, tick)))?;
            lines.end()
        }),
    ])
}

fn about<'a>(subject: &Subject<'a>) -> [(&'static str, &'a str); 4] {
    let header = &subject.run.header;
    [
        ("run", &header.id),
        ("plan", &header.plan.name),
        ("started", &header.started),
        ("plumb", &header.plumb_version),
    ]
}

/// Rows that are written as soon as a row group is full.
struct Lines<'a> {
    file: Writer<'a>,
    columns: fn() -> Table,
    table: Table,
    failure: io::Result<()>,
}

impl<'a> Lines<'a> {
    fn new(file: Writer<'a>, columns: fn() -> Table) -> Lines<'a> {
        Lines {
            file,
            columns,
            table: columns(),
            failure: Ok(()),
        }
    }

    fn push(&mut self, add: impl FnOnce(&mut Table)) {
        add(&mut self.table);
        if self.table.lines() >= LINES && self.failure.is_ok() {
            self.failure = self
                .file
                .group(&std::mem::replace(&mut self.table, (self.columns)()));
        }
    }

    fn end(mut self) -> io::Result<()> {
        self.failure?;
        self.file.group(&self.table)?;
        self.file.end()
    }
}

fn reading_columns() -> Table {
    Table::new(vec![
        Column::integer("time", Unit::Moment),
        Column::text("metric"),
        Column::text("instance"),
        Column::real("value", Unit::None),
    ])
}

fn push_reading(table: &mut Table, reading: &Reading) {
    table.push([
        Cell::Integer(Some(reading.time_ns)),
        Cell::Text(&reading.metric),
        Cell::Text(&reading.instance),
        Cell::Real(reading.value),
    ]);
}

/// One line for each occupied bucket. `time` is `service`, `response` (only where it differs: in an open loop) or `lateness`.
fn histogram_columns() -> Table {
    Table::new(vec![
        Column::text("step"),
        Column::integer("round", Unit::None),
        Column::integer("job", Unit::None),
        Column::text("operation"),
        Column::text("phase"),
        Column::integer("start", Unit::Moment),
        Column::text("time"),
        Column::integer("low", Unit::Latency),
        Column::integer("width", Unit::Latency),
        Column::integer("count", Unit::None),
    ])
}

fn push_histograms(table: &mut Table, executions: &ExecutionIndex, tick: &Tick) {
    let mut add = |operation: &str, time: &str, histogram: &Histogram| {
        for (low, width, count) in histogram.buckets() {
            table.push([
                Cell::Text(executions.name_of(tick.execution)),
                Cell::Integer(
                    executions
                        .round_of(tick.execution)
                        .map(|round| u64::from(round) + 1),
                ),
                Cell::Integer(Some(u64::from(tick.job))),
                Cell::Text(operation),
                Cell::Text(tick.phase.word()),
                Cell::Integer(Some(tick.start_ns)),
                Cell::Text(time),
                Cell::Integer(Some(low)),
                Cell::Integer(Some(width)),
                Cell::Integer(Some(count)),
            ]);
        }
    };
    for kind in &tick.kinds {
        add(kind.kind.word(), "service", &kind.service);
        kind.response
            .iter()
            .for_each(|response| add(kind.kind.word(), "response", response));
    }
    tick.lateness
        .iter()
        .for_each(|lateness| add("", "lateness", lateness));
}
