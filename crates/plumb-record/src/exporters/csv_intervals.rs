//! How does a script read a run over time? One line per interval, job and kind of operation, with units in the column names.

use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "csv-intervals",
    meaning: "one line per recorded interval, job and kind of operation, with units in the column names (RFC 4180)",
    is_text: true,
    export,
};

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    Ok(vec![ExportedFile::streamed("intervals.csv", |out| {
        out.write_all(figures::interval_columns().csv().as_bytes())?;
        figures::each_intervals(subject, &mut |lines| {
            out.write_all(lines.csv_lines().as_bytes())
        })
    })])
}
