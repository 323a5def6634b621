//! How do programs that read fio results read a run? fio's JSON+ of the full run, with one job for each step and job.

use plumb_model::workload::FioVersion;

use crate::exporter::fio_report::{Report, document, of_steps};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "fio-json",
    meaning: "fio JSON+ (3.33) with options, latencies and histograms, all steps in one file, for programs that read fio results",
    is_text: true,
    export,
};

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let report = Report {
        subject,
        entries: of_steps(subject)?,
        global: Vec::new(),
        not_begun: None,
        fio_version: FioVersion::V3At33,
    };
    let text = document(&report, true);
    Ok(vec![ExportedFile::from_bytes(
        "fio.json",
        text.into_bytes(),
    )])
}
