//! How do scripts that split fio's terse output read a run? One line for each job, in the version 3 that `fio --minimal` prints.

use plumb_model::workload::FioVersion;

use crate::exporter::fio_report::{Report, lines, of_steps};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "fio-terse",
    meaning: "fio terse output version 3, one line per job, for scripts that split it at semicolons",
    is_text: true,
    export,
};

/// fio's default version.
const VERSION: u8 = 3;

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let report = Report {
        subject,
        entries: of_steps(subject)?,
        global: Vec::new(),
        not_begun: None,
        fio_version: FioVersion::V3At33,
    };
    let mut text = lines(&report, VERSION);
    if text.is_empty() {
        text.push('\n');
    }
    Ok(vec![ExportedFile::from_bytes(
        "fio.terse",
        text.into_bytes(),
    )])
}
