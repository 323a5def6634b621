//! How does a script read counter figures over time? One line per interval and figure, for those that `plumb watch` shows.

use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};
use plumb_model::results::watch::WatchInterval;

use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "csv-counters",
    meaning: "what plumb watch shows: one line per interval and counter value, named as in its JSON (RFC 4180)",
    is_text: true,
    export,
};

const HEAD: [&str; 7] = [
    "begin_ns", "end_ns", "table", "instance", "kind", "figure", "value",
];

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    Ok(vec![ExportedFile::streamed("counters.csv", |out| {
        write(subject, out)
    })])
}

fn write(subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = WriterBuilder::new()
        .terminator(Terminator::Any(b'\n'))
        .from_writer(out);
    lines.write_record(HEAD)?;
    (subject.samples)(&mut |_, interval| match interval {
        Some(interval) => write_interval(interval, &mut lines),
        None => Ok(()),
    })?;
    lines.flush()
}

/// An unknown figure is an empty field.
fn write_interval<W: Write>(
    interval: &WatchInterval,
    lines: &mut csv::Writer<W>,
) -> io::Result<()> {
    let (begin, end) = (interval.begin_ns.to_string(), interval.end_ns.to_string());
    for table in &interval.tables {
        for row in &table.rows {
            for (column, value) in table.columns.iter().zip(&row.values) {
                let value = value.map(|value| value.to_string()).unwrap_or_default();
                lines.write_record([
                    begin.as_str(),
                    end.as_str(),
                    table.group,
                    row.instance.as_ref(),
                    row.kind,
                    column.id,
                    value.as_str(),
                ])?;
            }
        }
    }
    Ok(())
}
