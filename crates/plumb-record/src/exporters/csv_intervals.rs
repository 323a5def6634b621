//! How does a script get what happened over time? One line per interval, job and kind of operation, with units in the heads of the columns.

use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "csv-intervals",
    meaning: "one line per interval of the record, job and kind of operation, with units in the heads (RFC 4180)",
    is_text: true,
    export,
};

fn export(subject: &Subject<'_>) -> Result<Vec<ExportedFile>, ExportError> {
    Ok(vec![ExportedFile { name: "intervals.csv".into(), bytes: figures::intervals(subject).csv().into_bytes() }])
}
