//! What does fio print on standard error about operations that failed, and about blocks that differ from what was written? One message for each, in its words.

use std::collections::BTreeMap;
use std::path::Path;

use plumb_load::verify::dumps;
use plumb_model::run::Event;
use plumb_model::statement::{Argument, Statement};
use plumb_model::workload::operation::OperationKind;
use plumb_record::exporter::Subject;
use plumb_record::exporter::fio_report::{Entry, job_error};
use plumb_words::english;

use super::jobs::Jobs;

/// The first failure of each kind of operation and error, as `log_io_error` of fio's io_u.c; none of jobs with `ignore_error`.
pub fn error_lines(subject: &Subject<'_>, jobs: &Jobs) -> Vec<String> {
    let ignores = |entry: &Entry| entry.option("ignore_error", &jobs.global).is_some();
    if jobs.entries.iter().any(ignores) {
        return Vec::new();
    }
    let steps = &subject.run.header.plan.steps;
    let mut step_of = BTreeMap::new();
    let mut lines = Vec::new();
    for note in &subject.run.notes {
        match &note.event {
            Event::ExecutionStarted {
                execution, step, ..
            } => drop(step_of.insert(*execution, *step)),
            Event::FirstError {
                execution,
                job,
                kind,
                error,
                path,
                offset,
            } if !matches!(error.as_str(), "mismatch" | "short") => {
                let step = step_of
                    .get(execution)
                    .and_then(|at| steps.get(*at as usize));
                let job = step.and_then(|step| step.jobs.get(*job as usize));
                let sizes = job.map(|job| {
                    let workload = &job.workload;
                    (
                        workload.smallest_block_bytes(),
                        workload.largest_block_bytes(),
                    )
                });
                let length = match sizes {
                    Some((least, most)) if least == most => format!(", buflen={least}"),
                    _ => String::new(),
                };
                let text = job_error(error).text;
                let kind = match kind {
                    OperationKind::Flush => "sync",
                    kind => kind.word(),
                };
                lines.push(format!(
                    "fio: io_u error on file {path}: {text}: {kind} offset={offset}{length}"
                ));
            }
            _ => {}
        }
    }
    lines
}

/// All messages, in the order in which the blocks were found.
pub fn mismatch_lines(subject: &Subject<'_>) -> Vec<String> {
    let mut jobs = subject
        .run
        .header
        .plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs);
    let folder = jobs.find_map(|job| job.workload.dump_mismatches.as_deref());
    let folder = folder.map(Path::new);
    let notes = subject.run.notes.iter();
    let found = notes.filter_map(|note| match &note.event {
        Event::Mismatch {
            path,
            offset,
            block_bytes,
            explanation,
            ..
        } => {
            let place = format!("at file {path} offset {offset}, length {block_bytes}");
            let mut lines = message(explanation, &place);
            if let Some(folder) = folder {
                let files = dumps::files(folder, path, *offset, explanation);
                for (kind, file) in files.iter().filter(|(_, file)| file.exists()) {
                    lines += &format!("\n       {kind} data dumped as {}", file.display());
                }
            }
            Some(lines)
        }
        _ => None,
    });
    found.collect()
}

/// As in verify.c of fio: `verify_header`, `log_verify_failure` and `check_pattern`.
fn message(explanation: &Statement, place: &str) -> String {
    let text = |name: &str| match explanation.arguments.get(name) {
        Some(Argument::Name(text)) => text.as_str(),
        _ => "",
    };
    match explanation.id.as_ref() {
        "fio-block-without-header" => format!(
            "verify: bad magic header {}, wanted {} {place}",
            text("found"),
            text("expected")
        ),
        "fio-block-field" => format!(
            "verify: bad header {} {}, wanted {} {place}",
            text("field"),
            text("found"),
            text("expected")
        ),
        "fio-block-checksum" => format!(
            "{:.8}: verify failed {place}\n       Expected CRC: {}\n       Received CRC: {}",
            text("check"),
            text("expected"),
            text("found")
        ),
        "fio-block-pattern" => {
            let byte = |name: &str| u8::from_str_radix(text(name), 16).unwrap_or_default();
            let bits = (byte("found") ^ byte("expected")).count_ones();
            format!(
                "fio: got pattern '{}', wanted '{}'. Bad bits {bits}\nfio: bad pattern block offset {}\npattern: verify failed {place}",
                text("found"),
                text("expected"),
                text("at")
            )
        }
        _ => format!("verify: {} {place}", english(explanation)),
    }
}

#[cfg(test)]
mod tests {
    use super::message;
    use plumb_model::statement::Statement;

    #[test]
    fn messages_are_those_of_fio() {
        let place = "at file f offset 8192, length 4096";
        let checksum = Statement::new("fio-block-checksum")
            .name("check", "crc32c-intel")
            .name("expected", "01020304")
            .name("found", "05060708");
        assert_eq!(
            message(&checksum, place),
            "crc32c-i: verify failed at file f offset 8192, length 4096\n       Expected CRC: 01020304\n       Received CRC: 05060708"
        );
        let pattern = Statement::new("fio-block-pattern")
            .name("at", "17")
            .name("found", "ff")
            .name("expected", "0f");
        assert_eq!(
            message(&pattern, place),
            "fio: got pattern 'ff', wanted '0f'. Bad bits 4\nfio: bad pattern block offset 17\npattern: verify failed at file f offset 8192, length 4096"
        );
        let header = Statement::new("fio-block-without-header")
            .name("found", "0")
            .name("expected", "acca");
        assert_eq!(
            message(&header, place),
            "verify: bad magic header 0, wanted acca at file f offset 8192, length 4096"
        );
        let older = Statement::new("block-of-older-write")
            .name("found", "1")
            .name("count", "2");
        assert!(message(&older, place).starts_with("verify: holds write 1"));
    }
}
