//! What does fio print on standard error about blocks that differ from what was written? One message for each, in its words.

use std::path::Path;

use plumb_load::verify::dumps;
use plumb_model::run::Event;
use plumb_model::statement::{Argument, Statement};
use plumb_record::exporter::Subject;
use plumb_words::english;

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
