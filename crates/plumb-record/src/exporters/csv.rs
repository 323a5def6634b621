//! How does a spreadsheet or a script read the figures? One line per step and kind of operation, with units in the column names.

use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "csv",
    meaning: "one line per step and kind of operation: rates, latencies and counts, with units in the column names (RFC 4180)",
    is_text: true,
    export,
};

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    Ok(vec![ExportedFile::from_bytes(
        "summary.csv",
        figures::steps(subject).csv().into_bytes(),
    )])
}
