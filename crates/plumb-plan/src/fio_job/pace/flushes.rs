//! Which flushes does fio execute at the ends of its loops, and after the last write?

use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;

/// Sets `last-flush`, and notes the flushes between loops.
///
/// fio 3.33 checks for a due flush before each operation, even before one that no longer fits into its file. So the last write is followed by a flush if the
/// rest of the file is smaller than a block, and each loop except the last ends with one and begins with another.
pub fn flushes(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    let flushes_often = settings.get("fsync-every").is_some();
    let flushes_ends = settings.get("flush-at-end").is_some();
    let block = settings.get("block").and_then(|text| text.parse().ok());
    let order = settings.get("offsets");
    let has_passes = matches!(order, None | Some("sequential" | "random"));
    let is_plain = settings.directions.is_none() && settings.get("trim-first").is_none();
    let (Some(Bytes(block)), true) = (block, has_passes && is_plain && settings.files <= 1) else {
        return Ok(());
    };
    if !(flushes_often || flushes_ends) || settings.get("operations").is_some() {
        return Ok(());
    }
    let asked = section.bytes("io_size")?.filter(|bytes| *bytes > 0);
    let sized = section
        .text("size")
        .and_then(|text| section.bytes_of(text).ok());
    let region = match (sized.filter(|bytes| *bytes > 0), settings.region_bytes) {
        (Some(sized), Some(region)) => Some(sized.min(region)),
        (sized, region) => region.or(sized),
    };
    let has_rest = region.is_some_and(|bytes| bytes >= block && bytes % block != 0);
    if flushes_often && !flushes_ends && has_rest && asked.is_none() && !section.until_time()? {
        settings.set(section, "fsync", "last-flush", "true");
    }
    let each = match (section.flag("fsync_on_close")?, flushes_ends) {
        (true, _) => 2,
        (false, ends) => u32::from(ends),
    };
    if !flushes_often {
        settings.set(section, "end_fsync", "flush-metadata", "true");
    }
    if asked
        .zip(region)
        .is_some_and(|(asked, region)| asked > region)
    {
        settings.set(section, "io_size", "pass-flushes", each.to_string());
    }
    settings.pass_flushes = Some(each);
    Ok(())
}

/// True if all of these jobs have as many passes as loops within one step, and flush between the loops as fio does.
pub fn go_on_over_loops(jobs: &[&mut JobSettings]) -> bool {
    let only_writes = |settings: &JobSettings| {
        settings.get("mix") == Some("write")
            && !settings.reads_back
            && !settings.on_files
            && !settings.replays
            && ["operations", "until-full"]
                .iter()
                .all(|key| settings.get(key).is_none())
    };
    let flush = |settings: &JobSettings| settings.pass_flushes.is_some();
    jobs.iter().any(|settings| flush(settings)) && jobs.iter().all(|settings| only_writes(settings))
}

/// Flushes between so many writes: fio does not count them.
pub fn flushes_among(writes: u64, settings: &JobSettings) -> u64 {
    let every = settings
        .get("fsync-every")
        .filter(|_| settings.get("mix") == Some("write"));
    let every: Option<u64> = every.and_then(|every| every.parse().ok());
    every.map_or(0, |every| (writes - 1) / every.max(1))
}
