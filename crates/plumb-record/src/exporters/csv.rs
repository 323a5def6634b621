//! How does a spreadsheet or a script get the figures? One line per step and kind of operation, with units in the heads of the columns.

use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "csv",
    meaning: "one line per step and kind of operation: rates, latencies and counts, with units in the heads (RFC 4180)",
    is_text: true,
    export,
};

fn export(subject: &Subject<'_>) -> Result<Vec<ExportedFile>, ExportError> {
    Ok(vec![ExportedFile { name: "summary.csv".into(), bytes: figures::steps(subject).csv().into_bytes() }])
}
