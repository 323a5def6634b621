//! How do programs that compare fio results read a run? fio's JSON+, one file for each step, as fio writes one for each call; fio-plot draws series from
//! them.

use plumb_model::workload::FioVersion;

use crate::exporter::fio::{distinct, file_stem, steps};
use crate::exporter::fio_report::{Report, document, of_step};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "fio-json-steps",
    meaning: "fio JSON+, one file per step, for fio-plot, which compares files",
    is_text: true,
    export,
};

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let mut names = Vec::new();
    let mut files = Vec::new();
    let mut file = |name: String, entries| {
        let report = Report {
            subject,
            entries,
            global: Vec::new(),
            not_begun: None,
            fio_version: FioVersion::V3At33,
        };
        files.push(ExportedFile::from_bytes(
            name,
            document(&report, true).into_bytes(),
        ));
    };
    let steps = steps(subject)?;
    for at in &steps {
        let step = &subject.summary.steps[*at];
        let name = distinct(&mut names, &file_stem(&step.name)) + ".json";
        file(name, of_step(subject, step, 0));
    }
    if steps.is_empty() {
        file("empty.json".into(), Vec::new());
    }
    Ok(files)
}
