//! How do people and scripts that use fio's normal output read a run? Its text, with a block for each job.

use plumb_model::workload::FioVersion;

use crate::exporter::fio_report::{Report, blocks, header, of_steps};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "fio-text",
    meaning: "fio normal output (3.33), for people and scripts that read it",
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
    let members = report.entries.iter().map(|entry| entry.members).sum();
    let version = &subject.run.header.plumb_version;
    let text = header(&report.entries, &[], version, members) + &blocks(&report);
    Ok(vec![ExportedFile::from_bytes("fio.txt", text.into_bytes())])
}
