//! What is written, with which durability? Buffers, direct, sync, fsync and seeds.

use crate::fio_job::access::rw::Access;
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::workload::DedupeSet;

/// Longest pattern in bytes: with more, a plan would hardly be readable. fio 3.33 takes 512, later versions any number.
pub const PATTERN_MAX_BYTES: usize = 64 << 10;

/// Sets direct, sync and fsync-every, and flush-at-end from fsync_on_close.
pub fn durability(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
) -> Result<(), PlanError> {
    // One key with two names: the later counts.
    let (direct, buffered) = (
        section.flag_given("direct")?,
        section.flag_given("buffered")?,
    );
    let by_buffered = buffered.is_some() && section.order("buffered") >= section.order("direct");
    if let Some(direct) = if by_buffered {
        buffered.map(|buffered| !buffered)
    } else {
        direct
    } {
        settings.set(
            section,
            if by_buffered { "buffered" } else { "direct" },
            "direct",
            direct.to_string(),
        );
    }
    match section.word("sync", &["none", "0", "sync", "1", "dsync"])? {
        Some("sync" | "1") => settings.set(section, "sync", "sync", "sync"),
        Some("dsync") => settings.set(section, "sync", "sync", "dsync"),
        _ => {}
    }
    let every = |option: &str| {
        let every = section.integer(option)?;
        Ok::<_, PlanError>(every.filter(|every| *every > 0 && access.writes()))
    };
    let both = (every("fsync")?, every("fdatasync")?);
    // If both are due fio executes an fsync.
    let often = match both {
        (Some(fsync), Some(fdatasync)) if fdatasync % fsync != 0 => Some(("fdatasync", fdatasync)),
        (Some(fsync), _) => Some(("fsync", fsync)),
        (None, fdatasync) => fdatasync.map(|every| ("fdatasync", every)),
    };
    if let Some((option, every)) = often {
        settings.set(section, option, "fsync-every", every.to_string());
        if access.uses[0] {
            settings.set(section, option, "flush-after-reads", "true");
        }
        if option == "fsync" {
            settings.set(section, option, "flush-metadata", "true");
        }
    }
    if section.flag("fsync_on_close")? && access.writes() {
        settings.set(section, "fsync_on_close", "flush-at-end", "true");
    }
    Ok(())
}

/// Sets the state of the files at the start of the step: cached or not, or new. `fresh` and `unfilled` if fio would create a missing file while writing.
pub fn beginning(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let (cold, over) = (
        section.flag_given("invalidate")?.unwrap_or(true),
        section.flag("overwrite")?,
    );
    if settings.get("target") == Some("null:") {
        return Ok(());
    }
    let read_before = section.flag("pre_read")?;
    if read_before {
        settings.set(section, "pre_read", "pre-read", "true");
    }
    // fio drops cached pages of a job's files before it starts, unless disabled.
    if cold && !read_before && settings.get("direct") != Some("true") {
        settings.set(section, "invalidate", "cold", "true");
        // With a map or in order it drops them again at the start of each pass (loop_cache_invalidate in its io_u.c); a replay has none.
        let has_passes = section.text("read_iolog").is_none()
            && settings.get("offsets") != Some("random-with-replacement");
        if section.until_time()? && has_passes {
            settings.set(section, "time_based", "cold-passes", "true");
        }
    }
    announced(section, settings)?;
    if section.flag("fill_device")? {
        return until_full(section, access, settings, remarks);
    }
    let only_writes = access.uses == [false, true, false];
    if !only_writes || over || read_before {
        return Ok(());
    }
    // A file with the job's own name may exist; one in plumb's own folder is always new.
    if settings.is_shared || settings.has_names_of_fio() {
        settings.set(section, "overwrite", "unfilled", "true");
    } else if settings.start_bytes == 0 && settings.get("verify").is_none() {
        settings.set(section, "overwrite", "fresh", "true");
    } else {
        return Ok(());
    }
    let modes = ["none", "0", "native", "posix", "1", "keep", "truncate"];
    // By default fio preallocates (native); keep and truncate leave the file as it is after writing.
    if matches!(
        section.word("fallocate", &modes)?,
        None | Some("native" | "posix" | "1")
    ) {
        settings.set(section, "fallocate", "preallocate", "true");
    }
    Ok(())
}

/// Makes a full file system the end of the job.
fn until_full(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    if access.uses != [false, true, false] {
        return Err(section.error(
            "fill_device",
            "only writes fill a file system; use rw=write, and read the file in a later section with stonewall",
        ));
    }
    settings.set(section, "fill_device", "until-full", "true");
    if section.text("size").is_none() {
        remarks.add(
            &section.name,
            "fill_device: plumb's record needs space too; if it would be on the file system that is filled, choose another location with --plumb-output",
        );
    }
    Ok(())
}

/// Sets what the kernel is told about the order of buffered accesses: by default whether any of them is random.
fn announced(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    let is_random = section
        .text("rw")
        .is_some_and(|word| word.starts_with("rand"));
    let words = ["0", "1", "random", "sequential", "noreuse"];
    let hint = match section.word("fadvise_hint", &words)? {
        Some("0") => return Ok(()),
        Some("1") | None if is_random => "random",
        Some("1") | None => "sequential",
        Some(word) => word,
    };
    if settings.get("direct") != Some("true") {
        settings.set(section, "fadvise_hint", "access-hint", hint);
    }
    Ok(())
}

/// For a job that only lays out its files: what it would do with them is left out.
pub fn create_only(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    if !section.flag("create_only")? {
        return Ok(());
    }
    for key in [
        "fresh",
        "cold",
        "cold-passes",
        "access-hint",
        "pre-read",
        "verify",
        "verify-as",
        "stop-at-mismatch",
        "verify-backlog",
        "verify-backlog-batch",
        "verify-threads",
        "verify-pin",
        "dump-mismatches",
        "until-steady",
    ] {
        settings.drop_key(key);
    }
    settings.depths.clear();
    settings.reads_back = false;
    settings.delay_ns = 0;
    settings.set(section, "create_only", "prepare-only", "true");
    if settings.get("keep").is_none() {
        settings.set(section, "create_only", "keep", "true");
    }
    Ok(())
}

/// Sets the content.
pub fn content(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
) -> Result<(), PlanError> {
    let refilled = section.flag_given("refill_buffers")?;
    let pattern = section.read("buffer_pattern", pattern)?;
    let compressed = section
        .percent("buffer_compress_percentage")?
        .filter(|share| *share > 0.0);
    let repeated = section
        .percent("dedupe_percentage")?
        .filter(|share| *share > 0.0);
    if !access.writes() {
        return Ok(());
    }
    if section.flag("zero_buffers")? {
        settings.set(section, "zero_buffers", "content", "zeros");
    } else if let Some(pattern) = pattern {
        settings.set(section, "buffer_pattern", "content", pattern);
    } else if compressed.is_some() || repeated.is_some() {
        for (option, key, share) in [
            ("buffer_compress_percentage", "compress-percent", compressed),
            ("dedupe_percentage", "dedupe-percent", repeated),
        ] {
            if let Some(share) = share {
                settings.set(section, option, key, share.to_string());
            }
        }
        if repeated.is_some() {
            repeats(section, settings)?;
        }
    } else if refilled == Some(true) {
        settings.set(section, "refill_buffers", "content", "random");
    } else {
        match section.flag_given("scramble_buffers")? {
            Some(false) => settings.set(section, "scramble_buffers", "content", "reused"),
            // Blocks that are verified have contents of their own.
            _ if verify_method(section).is_some() => {}
            _ => settings.set(section, "scramble_buffers", "content", "scrambled"),
        }
    }
    Ok(())
}

/// Sets which blocks repeat: for `dedupe_mode=working_set` a percentage of the blocks in `size`.
fn repeats(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    if section.word("dedupe_mode", &["repeat", "working_set"])? != Some("working_set") {
        return Ok(());
    }
    let share = section
        .percent("dedupe_working_set_percentage")?
        .unwrap_or(5.0);
    let (Some(region), Some(block)) = (settings.region_bytes, settings.smallest_block()) else {
        return Err(section.error(
            "dedupe_mode",
            "the working set is a percentage of size, as in fio; set size",
        ));
    };
    let blocks = (region as f64 * share / 100.0 / block.max(1) as f64) as u64;
    let set = DedupeSet {
        blocks: blocks.max(1),
        is_shared: section.flag("dedupe_global")?,
    };
    settings.set(section, "dedupe_mode", "dedupe-set", set.to_string());
    Ok(())
}

/// The same blocks in the same order in each run, if the job requests it or verifies: a later job finds what an earlier one wrote. `plumb fio` repeats others, too.
/// `number`: of the job's first clone among all clones, from 1 on; each job has an order of its own.
pub fn seed(section: &Section, number: u64, settings: &mut JobSettings) -> Result<(), PlanError> {
    if let Some(seed) = section.integer("randseed")? {
        let own = seed.wrapping_add(number - 1);
        settings.set(section, "randseed", "seed", own.to_string());
        return Ok(());
    }
    let all = section.flag_given("allrandrepeat")?;
    let repeats = all.or(section.flag_given("randrepeat")?);
    if repeats.unwrap_or_else(|| settings.get("verify-as").is_some()) {
        settings.set(section, "randrepeat", "seed", number.to_string());
    }
    Ok(())
}

/// The request of `verify`; none if it requests nothing.
pub fn verify_method(section: &Section) -> Option<&str> {
    section.text("verify").filter(|method| *method != "0")
}

/// `0xdeadbeef`, `"text"`, a decimal number or several of these, as plumb's pattern:HEX.
fn pattern(text: &str) -> Result<String, String> {
    let bytes = pattern_bytes(text)?;
    Ok(format!("pattern:{}", hex(&bytes)))
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a pattern of fio.
pub fn pattern_bytes(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('"') {
            let (words, after) = after
                .split_once('"')
                .ok_or("a string in a pattern must end with a quotation mark")?;
            bytes.extend(words.bytes());
            rest = after;
        } else if let Some(after) = rest.strip_prefix("0x") {
            let length = after
                .find(|c: char| !c.is_ascii_hexdigit())
                .unwrap_or(after.len());
            bytes.extend(of_digits(&after[..length]));
            rest = &after[length..];
        } else {
            let length = of_number(rest);
            let word = &rest[..length];
            let number = word.parse::<u32>();
            let number = number.or_else(|_| word.parse::<i32>().map(i32::cast_unsigned));
            let number = number.map_err(|_| {
                format!("'{text}' is not a supported pattern; use 0x with hexadecimal digits, a string in quotation marks, or a number")
            })?;
            // The bytes in memory order, without leading zeros; of a negative number all four.
            let used = 4 - number.leading_zeros() as usize / 8;
            bytes.extend(&number.to_le_bytes()[..used.max(1)]);
            rest = &rest[length..];
        }
        rest = rest.trim_start();
        if bytes.len() > PATTERN_MAX_BYTES {
            return Err(format!(
                "the pattern is longer than {PATTERN_MAX_BYTES} bytes"
            ));
        }
    }
    if bytes.is_empty() {
        return Err(format!("'{text}' is an empty pattern"));
    }
    Ok(bytes)
}

/// Length of the decimal number at the start, which may be negative. It ends where 0x begins.
fn of_number(text: &str) -> usize {
    let sign = usize::from(text.starts_with('-'));
    let digits = text[sign..].find(|c: char| !c.is_ascii_digit());
    let length = digits.map_or(text.len(), |digits| sign + digits);
    let is_hexadecimal = text[..length].ends_with('0') && text[length..].starts_with('x');
    length - usize::from(is_hexadecimal)
}

/// Hexadecimal digits as bytes, an odd first one with a zero before it.
fn of_digits(digits: &str) -> Vec<u8> {
    let even = if digits.len().is_multiple_of(2) {
        digits.to_string()
    } else {
        format!("0{digits}")
    };
    (0..even.len())
        .step_by(2)
        .filter_map(|at| u8::from_str_radix(&even[at..at + 2], 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn patterns() {
        for (text, hex) in [
            ("0xdeadbeef", "pattern:deadbeef"),
            ("0xabc", "pattern:0abc"),
            ("\"ab\"", "pattern:6162"),
            ("\"a\"0xff\"b\"", "pattern:61ff62"),
            ("255", "pattern:ff"),
            ("256", "pattern:0001"),
            ("0", "pattern:00"),
            ("-12", "pattern:f4ffffff"),
            ("\"abcd\"-120xdeadface", "pattern:61626364f4ffffffdeadface"),
            ("120xff", "pattern:0cff"),
            ("300-5", "pattern:2c01fbffffff"),
            ("0x12-30xff", "pattern:12fdffffffff"),
        ] {
            assert_eq!(pattern(text).as_deref(), Ok(hex), "{text}");
        }
        for text in [
            "",
            "0x",
            "%o",
            "\"a",
            "'file'",
            "99999999999",
            "-",
            "--1",
            "-99999999999",
            "ä",
        ] {
            assert!(pattern(text).is_err(), "{text}");
        }
    }
}
