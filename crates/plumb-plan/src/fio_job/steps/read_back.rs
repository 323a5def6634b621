//! Which step reads back and checks what another wrote?

use crate::fio_job::job_settings::JobSettings;
use crate::{JobFile, StepFile};

/// The step after a verified one: all written data is read and verified.
pub fn read_back_step(main: &JobSettings, beside: &[JobSettings], name: String) -> StepFile {
    let mut step = StepFile {
        main: read_back(main),
        ..StepFile::default()
    };
    step.main.name = name;
    step.beside = beside
        .iter()
        .filter(|settings| settings.reads_back)
        .map(read_back)
        .collect();
    step
}

fn read_back(written: &JobSettings) -> JobFile {
    const SAME: &[&str] = &[
        "target",
        "paths",
        "path-order",
        "engine",
        "positioned",
        "block",
        "depth",
        "batch",
        "size",
        "start",
        "direct",
        "cold",
        "access-hint",
        "content",
        "compress-percent",
        "verify",
        "verify-as",
        "stop-at-mismatch",
        "verify-threads",
        "verify-pin",
        "dump-mismatches",
        "keep",
        "reuse",
        "extend",
        "pin",
        "seed",
    ];
    let line = written.line;
    let own: &[&str] = if written.is_shared {
        &[]
    } else {
        &["layout", "workers"]
    };
    let mut settings = JobSettings {
        name: written.name.clone(),
        line,
        ..JobSettings::default()
    };
    settings.entries.extend(
        written
            .entries
            .iter()
            .filter(|entry| SAME.contains(&entry.key.as_str()) || own.contains(&entry.key.as_str()))
            .cloned(),
    );
    settings.set_at(line, "mix", "read");
    // With a map of written blocks fio reads back in write order, without one in offset order.
    let order = written
        .get("offsets")
        .filter(|order| ["random", "random-map"].contains(order));
    settings.set_at(line, "offsets", order.unwrap_or("sequential"));
    if written.get("verify").is_some() {
        settings.set_at(line, "written-only", "true");
        settings.set_at(line, "passes", "1");
    } else if let Some(bytes) = written.get("bytes") {
        settings.set_at(line, "bytes", bytes);
    }
    settings.job()
}
