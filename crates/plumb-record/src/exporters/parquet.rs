//! How do DuckDB and pandas read a whole run? Three tables in Apache Parquet: what each interval did, every counter, every bucket of every histogram.

mod file;
mod thrift;

use plumb_model::histogram::Histogram;
use plumb_model::run::Run;

use crate::exporter::table::{Cell, Column, Table, Unit};
use crate::exporter::{ExportError, ExportedFile, Exporter, Places, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "parquet",
    meaning: "three tables for DuckDB, pandas and the like: ticks.parquet, readings.parquet (counters) and histograms.parquet (every bucket)",
    is_text: false,
    export,
};

fn export(subject: &Subject<'_>) -> Result<Vec<ExportedFile>, ExportError> {
    let header = &subject.run.header;
    let about = [("run", header.id.as_str()), ("plan", &header.plan.name), ("started", &header.started), ("plumb", &header.plumb_version)];
    let of = |name: &str, table: &Table| ExportedFile { name: name.into(), bytes: file::bytes(table, &about) };
    Ok(vec![
        of("ticks.parquet", &figures::intervals(subject)),
        of("readings.parquet", &readings(subject.run)),
        of("histograms.parquet", &histograms(subject.run)),
    ])
}

fn readings(run: &Run) -> Table {
    let mut table = Table::new(vec![
        Column::whole("time", Unit::Moment),
        Column::text("metric"),
        Column::text("instance"),
        Column::real("value", Unit::None),
    ]);
    for reading in &run.readings {
        table.push([
            Cell::Whole(Some(reading.time_ns)),
            Cell::Text(&reading.metric),
            Cell::Text(&reading.instance),
            Cell::Real(reading.value),
        ]);
    }
    table
}

/// One line for each occupied bucket. `time` is `service`, `response` (only where it differs: in an open loop) or `lateness`.
fn histograms(run: &Run) -> Table {
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::whole("round", Unit::None),
        Column::whole("job", Unit::None),
        Column::text("operation"),
        Column::text("phase"),
        Column::whole("start", Unit::Moment),
        Column::text("time"),
        Column::whole("low", Unit::Latency),
        Column::whole("width", Unit::Latency),
        Column::whole("count", Unit::None),
    ]);
    let places = Places::of(run);
    for tick in &run.ticks {
        let mut add = |operation: &str, time: &str, histogram: &Histogram| {
            for (low, width, count) in histogram.buckets() {
                table.push([
                    Cell::Text(places.name_of(tick.execution)),
                    Cell::Whole(places.round_of(tick.execution).map(|round| u64::from(round) + 1)),
                    Cell::Whole(Some(u64::from(tick.job))),
                    Cell::Text(operation),
                    Cell::Text(tick.phase.word()),
                    Cell::Whole(Some(tick.start_ns)),
                    Cell::Text(time),
                    Cell::Whole(Some(low)),
                    Cell::Whole(Some(width)),
                    Cell::Whole(Some(count)),
                ]);
            }
        };
        for kind in &tick.kinds {
            add(kind.kind.word(), "service", &kind.service);
            kind.response.iter().for_each(|response| add(kind.kind.word(), "response", response));
        }
        tick.lateness.iter().for_each(|lateness| add("", "lateness", lateness));
    }
    table
}
