//! Which header, checksum and pattern of fio do blocks get, and when are they checked? The verify options.

use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;
use plumb_model::workload::access::greatest_common_divisor;
use plumb_model::workload::{BlockSizes, FioCheck, FioHeader, FioMarks, PatternPart};

use crate::fio_job::access::rw::Access;
use crate::fio_job::content::{pattern_bytes, verify_method};
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;

/// Sets verification.
pub fn verification(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let Some(method) = verify_method(section) else {
        return Ok(());
    };
    let check = section.read("verify", check)?.flatten();
    let is_nowhere = settings.get("target") == Some("null:");
    if is_nowhere && settings.get("engine") == Some("memory") {
        return Err(section.error(
            "verify",
            "plumb does not verify blocks in anonymous memory; omit verify, or use ioengine=mmap with a file on tmpfs, such as filename=/dev/shm/file",
        ));
    }
    if is_nowhere {
        remarks.add(
            &section.name,
            format!("verify={method}: nothing is stored, so nothing is checked, as in fio; the blocks are only read again"),
        );
    }
    settings.reads_back = access.writes() && section.flag_given("do_verify")?.unwrap_or(true);
    let Some(check) = check.filter(|_| !is_nowhere) else {
        return Ok(());
    };
    let marks = marks(section, check, settings)?;
    settings.set(section, "verify", "verify", "true");
    settings.set(section, "verify", "verify-as", marks.to_string());
    checks(section, access, settings)?;
    if !access.writes() {
        settings.set(section, "verify", "verify-existing", "true");
        return Ok(());
    }
    if !settings.reads_back {
        settings.set(section, "do_verify", "read-back", "false");
    }
    Ok(())
}

/// The check of this name; none for `null`, which checks nothing.
fn check(text: &str) -> Result<Option<FioCheck>, String> {
    let known = FioCheck::ALL.iter().find(|check| check.word() == text);
    match (text, known) {
        ("null", _) => Ok(None),
        ("header", _) => Ok(Some(FioCheck::Meta)),
        (_, Some(check)) => Ok(Some(*check)),
        (_, None) => {
            let names: Vec<&str> = FioCheck::ALL.iter().map(|check| check.word()).collect();
            Err(format!("'{text}' is not one of {}, null", names.join(", ")))
        }
    }
}

/// How blocks are marked.
fn marks(
    section: &Section,
    check: FioCheck,
    settings: &JobSettings,
) -> Result<FioMarks, PlanError> {
    let pattern = section.read("verify_pattern", parts)?.unwrap_or_default();
    if pattern.is_empty() && [FioCheck::Pattern, FioCheck::PatternHeader].contains(&check) {
        let why = format!("{check} needs verify_pattern, such as verify_pattern=0xdeadbeef");
        return Err(section.error("verify", why));
    }
    let bytes = |option: &str| Ok(section.bytes(option)?.filter(|bytes| *bytes > 0));
    let interval = bytes("verify_interval")?.and_then(|asked| interval(asked, settings));
    let partly = section.flag("verify_only")? && is_partly_written(section)?;
    Ok(FioMarks {
        check,
        header: FioHeader::default(),
        interval: interval.map(Bytes),
        header_at: Bytes(bytes("verify_offset")?.unwrap_or(0)),
        pattern,
        pattern_interval: bytes("verify_pattern_interval")?.map(Bytes),
        skips_unmarked: partly,
    })
}

/// Bytes from one header to the next, where that is not the smallest block: at most that, and a divisor of the smallest and the largest (fixup_options in fio's init.c).
fn interval(asked: u64, settings: &JobSettings) -> Option<u64> {
    let sizes = settings.get("block")?.parse::<BlockSizes>().ok()?;
    let smallest = settings.smallest_block()?;
    let largest = sizes.0.iter().map(|(span, _)| span.to.0).max()?;
    let asked = asked.min(smallest);
    let fits = smallest.is_multiple_of(asked) && largest.is_multiple_of(asked);
    let interval = if fits {
        asked
    } else {
        greatest_common_divisor(smallest, largest)
    };
    (interval != smallest).then_some(interval)
}

/// True of a job that writes blocks which cannot be told without fio's own random numbers: not all of its file, once each.
pub fn is_partly_written(section: &Section) -> Result<bool, PlanError> {
    let word = section.text("rw").unwrap_or("read");
    let word = word.split_once(':').map_or(word, |(word, _)| word);
    let is_limited = ["io_size", "io_limit", "number_ios"]
        .iter()
        .any(|option| section.text(option).is_some());
    let draws = section.flag("norandommap")?
        || section.flag("sprandom")?
        || section.text("random_distribution").is_some();
    Ok(match word {
        "rw" | "readwrite" | "randrw" => true,
        "randwrite" => draws || is_limited,
        _ => false,
    })
}

/// `verify_pattern`: bytes, and `%o` for the offset of the block.
fn parts(text: &str) -> Result<Vec<PatternPart>, String> {
    let (mut parts, mut begin, mut is_quoted) = (Vec::new(), 0, false);
    let add = |piece: &str, parts: &mut Vec<PatternPart>| {
        if !piece.trim().is_empty() {
            parts.push(PatternPart::Bytes(pattern_bytes(piece)?));
        }
        Ok::<_, String>(())
    };
    for (at, letter) in text.char_indices() {
        is_quoted ^= letter == '"';
        if !is_quoted && at >= begin && text[at..].starts_with("%o") {
            add(&text[begin..at], &mut parts)?;
            parts.push(PatternPart::Offset);
            begin = at + 2;
        }
    }
    add(&text[begin..], &mut parts)?;
    if parts.is_empty() {
        return Err(format!("'{text}' is an empty pattern"));
    }
    Ok(parts)
}

/// When blocks are checked, and by which threads; where blocks that differ are written to.
fn checks(section: &Section, access: &Access, settings: &mut JobSettings) -> Result<(), PlanError> {
    if section.flag("verify_fatal")? {
        settings.set(section, "verify_fatal", "stop-at-mismatch", "true");
    }
    if section.flag("verify_dump")? {
        settings.set(section, "verify_dump", "dump-mismatches", ".");
    }
    let threads = section.integer("verify_async")?.unwrap_or(0);
    if threads > 0 {
        settings.set(
            section,
            "verify_async",
            "verify-threads",
            threads.to_string(),
        );
        if let Some(cpus) = section.text("verify_async_cpus") {
            settings.set(section, "verify_async_cpus", "verify-pin", cpus);
        }
    }
    // It is the list of writes that fio reads back from, and it keeps none to replay the job's operations instead. plumb finds the blocks to read back in
    // the order of the job's operations in either case.
    let replays = section.flag("experimental_verify")?;
    let backlog = section.integer("verify_backlog")?.unwrap_or(0);
    if backlog == 0 || replays || !access.writes() || !settings.reads_back {
        return Ok(());
    }
    settings.set(
        section,
        "verify_backlog",
        "verify-backlog",
        backlog.to_string(),
    );
    let batch = section.integer("verify_backlog_batch")?.unwrap_or(0);
    if batch > 0 {
        settings.set(
            section,
            "verify_backlog_batch",
            "verify-backlog-batch",
            batch.to_string(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_in_patterns() {
        let shown = |text: &str| {
            let marks = FioMarks {
                pattern: parts(text)?,
                ..FioMarks::of(FioCheck::Meta)
            };
            Ok::<_, String>(marks.to_string())
        };
        for (text, marks) in [
            ("%o", "meta pattern=%o"),
            ("1%o", "meta pattern=01%o"),
            ("%o0xdeadbeef%o", "meta pattern=%odeadbeef%o"),
            ("-100xab\"1\"%o\"2\"", "meta pattern=f6ffffffab31%o32"),
            ("\"%o\"", "meta pattern=256f"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(marks), "{text}");
        }
        for text in ["", "%x", "%o%", "\"%o"] {
            assert!(shown(text).is_err(), "{text}");
        }
    }
}
