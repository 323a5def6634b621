//! How many operations concurrently, at which rate, and until when? Engine, depth, rates, think times, stop conditions, CPUs.

pub(super) mod flushes;
mod limits;
mod machine;
mod priorities;

use crate::fio_job::pace::limits::batches;
pub use crate::fio_job::pace::limits::limits;
pub use crate::fio_job::pace::machine::{memory, processors, scheduler};
pub use crate::fio_job::pace::priorities::{priority, urgent};

use crate::fio_job::access::rw::{Access, mean_bytes, names};
use crate::fio_job::access::until_end;
use crate::fio_job::engines::{FIO_DEFAULT, Nearest, files_engine, on_directories};
use crate::fio_job::extent::{at_least_one, bytes_there};
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::numbers::{integer, numbers_by_direction};
use crate::fio_job::pace::flushes::flushes_among;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::engines;
use plumb_model::plan::PlanError;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::BlockSizes;

const SECOND_NS: u64 = 1_000_000_000;
const MICROSECOND_NS: u64 = 1000;
/// The shortest interval that plumb records, in milliseconds.
const INTERVAL_MIN_MS: u64 = 10;

/// Sets engine, depth, batch and ring options.
pub fn engine(
    section: &Section,
    engine: Nearest,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let asked = section.text("ioengine").unwrap_or(FIO_DEFAULT);
    let depth = at_least_one(section, "iodepth")?;
    let Nearest::Engine { name, deep } = engine else {
        if let Nearest::Files(kind) = engine {
            settings.set(section, "ioengine", "mix", kind);
            settings.set(section, "ioengine", "engine", files_engine());
            if on_directories(asked) {
                settings.set(section, "ioengine", "file-size", "directory");
            }
        }
        return Ok(());
    };
    settings.set(section, "ioengine", "engine", name);
    if asked == "sync" {
        // read(2) and write(2), with lseek(2) before them (engines/sync.c).
        settings.set(section, "ioengine", "positioned", "false");
    }
    let plain = asked.trim_start_matches('p');
    if name != plain {
        remarks.add(
            &section.name,
            format!("ioengine={asked}: plumb's closest engine is {name}"),
        );
    }
    if deep {
        settings.set(section, "iodepth", "depth", depth.to_string());
    } else if depth > 1 {
        remarks.add(
            &section.name,
            format!(
                "iodepth={depth} has no effect with ioengine={asked}, as in fio: one operation is outstanding; for this depth use --set engine=io_uring{} --set depth={depth}",
                if asked == "sync" { " --set positioned=true" } else { "" }
            ),
        );
    }
    if deep {
        batches(section, depth, settings)?;
    }
    if engines::is(name, |engine| engine.submits_apart) {
        let is_left_out = section.flag("gtod_reduce")? || section.flag("disable_slat")?;
        let is_measured = (!is_left_out).to_string();
        settings.set(section, "disable_slat", "submission-latency", is_measured);
    }
    call_flags(section, asked, settings, remarks)?;
    if asked == "e4defrag" {
        donor(section, settings)?;
    }
    if engines::is(name, |engine| engine.own_options.contains(&"iopoll")) {
        return ring(section, settings);
    }
    if section.flag("hipri")? && asked != WITH_FLAGS {
        return Err(section.error(
            "hipri",
            "only io_uring and pvsync2 support polled completions; use ioengine=io_uring and direct=1",
        ));
    }
    Ok(())
}

/// Where the extents of `ioengine=e4defrag` come from.
fn donor(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    if section.text("donorname").is_none_or(str::is_empty) {
        return Err(section.error("ioengine", "e4defrag needs donorname"));
    }
    if section.flag("inplace")? {
        settings.set(section, "inplace", "donor-each", "true");
    }
    Ok(())
}

/// Ring options.
fn ring(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    for (option, key) in [("hipri", "iopoll"), ("sqthread_poll", "sqpoll")] {
        if section.flag(option)? {
            settings.set(section, option, key, "true");
        }
    }
    let (buffers, files) = (
        section.flag_given("fixedbufs")?,
        section.flag_given("registerfiles")?,
    );
    if let Some(registered) = buffers.or(files) {
        let option = if buffers.is_some() {
            "fixedbufs"
        } else {
            "registerfiles"
        };
        settings.set(section, option, "registered", registered.to_string());
    }
    Ok(())
}

/// Sets rate and arrivals, or think times and bursts.
pub fn rates(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let by_count = per_second(section, access, "rate_iops", &integer)?;
    let by_bytes = per_second(section, access, "rate", &|text| section.bytes_of(text))?;
    let (option, rates) = match (by_count, by_bytes) {
        // fio uses rate_iops only without rate (setup_rate in init.c).
        (_, Some(mut rates)) => {
            rates
                .iter_mut()
                .enumerate()
                .for_each(|(direction, rate)| *rate /= mean_block_bytes(settings, direction));
            ("rate", Some(rates))
        }
        (rates, None) => ("rate_iops", rates),
    };
    if let Some(rates) = rates.filter(|rates| limits_part_of(access, *rates)) {
        kind_rates(section, access, option, rates, settings)?;
    } else if let Some(rates) = rates {
        let one = rates[0] + rates[1] + rates[2];
        let rate = one * f64::from(settings.numjobs);
        settings.set(section, option, "rate", rate.to_string());
        if access.uses[0] && access.uses[1] {
            settings.set(
                section,
                option,
                "mix",
                format!("read:{},write:{}", rates[0], rates[1]),
            );
        }
        if section.word("rate_process", &["linear", "poisson"])? == Some("poisson") {
            settings.set(section, "rate_process", "arrivals", "poisson");
        }
    }
    think_time(section, settings, remarks)
}

/// True when a direction in use has no limit.
fn limits_part_of(access: &Access, rates: [f64; 3]) -> bool {
    rates
        .iter()
        .zip(access.uses)
        .any(|(rate, used)| used && *rate == 0.0)
}

/// Sets the rates of single directions. As in fio another direction replaces operations that are not due.
fn kind_rates(
    section: &Section,
    access: &Access,
    option: &str,
    rates: [f64; 3],
    settings: &mut JobSettings,
) -> Result<(), PlanError> {
    let flushes = ["fsync", "fdatasync"];
    let counts_writes = flushes.iter().any(|flush| section.text(flush).is_some());
    if settings.directions.is_some() || counts_writes {
        let why = if counts_writes {
            "flushes count writes"
        } else {
            "each has its own position in the file"
        };
        let names = names(access).join(" and ");
        return Err(section.error(
            option,
            format!("it limits only one of {names}, and {why}; use one job for each, which run concurrently"),
        ));
    }
    if section.text("rate_process") == Some("poisson") {
        return Err(section.error(
            "rate_process",
            "a rate for reads or writes only has fixed intervals; give a rate for both, or remove it",
        ));
    }
    let all = names(access)
        .into_iter()
        .zip(rates.into_iter().zip(access.uses).filter(|(_, used)| *used));
    let texts = all
        .filter(|(_, (rate, _))| *rate > 0.0)
        .map(|(name, (rate, _))| format!("{name}:{}", rate * f64::from(settings.numjobs)));
    let texts: Vec<String> = texts.collect();
    settings.set(section, option, "kind-rates", texts.join(","));
    Ok(())
}

/// Operations per second of each direction in use, 0 for no limit; `None` if none has one.
fn per_second(
    section: &Section,
    access: &Access,
    option: &str,
    reader: &dyn Fn(&str) -> Result<u64, String>,
) -> Result<Option<[f64; 3]>, PlanError> {
    let Some(text) = section.text(option) else {
        return Ok(None);
    };
    let mut rates = [0.0; 3];
    for (index, value) in numbers_by_direction(text)
        .into_iter()
        .enumerate()
        .filter(|(index, _)| access.uses[*index])
    {
        let rate = value
            .map(reader)
            .transpose()
            .map_err(|why| section.error(option, why))?
            .unwrap_or(0);
        rates[index] = rate as f64;
    }
    Ok(Some(rates).filter(|rates| rates.iter().any(|rate| *rate > 0.0)))
}

fn mean_block_bytes(settings: &JobSettings, direction: usize) -> f64 {
    if let Some(mean) = settings
        .directions
        .as_ref()
        .and_then(|directions| directions.mean_block_bytes(direction))
    {
        return mean;
    }
    let sizes = settings
        .get("block")
        .and_then(|text| text.parse::<BlockSizes>().ok());
    sizes.map_or(4096.0, |sizes| mean_bytes(&sizes.0))
}

/// A pause after each operation, or after several: bursts. At any depth fio pauses the whole job.
fn think_time(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let Some(pause) = section
        .span_ns("thinktime", MICROSECOND_NS)?
        .filter(|pause| *pause > 0)
    else {
        return Ok(());
    };
    let blocks = section.integer("thinktime_blocks")?.unwrap_or(1).max(1);
    let has_rate = settings.get("rate").is_some();
    if section.flag("rate_ignore_thinktime")? {
        if has_rate {
            let option = "rate_ignore_thinktime";
            settings.set(section, option, "rate-ignores-pauses", "true");
        } else if settings.get("kind-rates").is_some() {
            remarks.add(
                &section.name,
                "rate_ignore_thinktime: a rate of reads or writes only makes up for pauses",
            );
        }
    }
    let deep = settings.get("depth").is_some_and(|depth| depth != "1");
    if blocks == 1 && !deep && !has_rate {
        settings.set(section, "thinktime", "think-time", Nanos(pause).to_string());
    } else {
        let option = if section.text("thinktime_blocks").is_some() {
            "thinktime_blocks"
        } else {
            "thinktime"
        };
        settings.set(section, option, "burst-operations", blocks.to_string());
        settings.set(
            section,
            "thinktime",
            "burst-pause",
            Nanos(pause).to_string(),
        );
    }
    Ok(())
}

/// Sets the end of the job, its warm-up and the recording interval.
pub fn stops(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let clones = u64::from(settings.numjobs);
    let time = section
        .span_ns("runtime", SECOND_NS)?
        .filter(|time| *time > 0);
    settings.time_ns = time;
    if let Some(time) = time {
        settings.set(section, "runtime", "time", Nanos(time).to_string());
    }
    let until_time = section.until_time()?;
    if section.flag("time_based")? && !until_time {
        remarks.add(
            &section.name,
            "time_based has no effect without runtime, as in fio",
        );
    }
    if let Some(count) = section.integer("number_ios")?.filter(|count| *count > 0) {
        let each = count.saturating_add(flushes_among(count, settings));
        let all = each.saturating_mul(clones);
        settings.set(section, "number_ios", "operations", all.to_string());
    }
    settings.loops = section.integer("loops")?.unwrap_or(1).max(1);
    if !until_time && !settings.on_files && !settings.replays {
        amount(section, settings, remarks)?;
    }
    // For a target that stores nothing, as much is read as was written.
    settings.reads_back &= settings.get("verify").is_some() || settings.get("bytes").is_some();
    if let Some(warm_up) = section
        .span_ns("ramp_time", SECOND_NS)?
        .filter(|time| *time > 0)
    {
        settings.warm_up_ns = warm_up;
        settings.set(section, "ramp_time", "warm-up", Nanos(warm_up).to_string());
    }
    if let Some(interval) = section
        .integer("log_avg_msec")?
        .filter(|interval| *interval > 0)
    {
        let interval = interval.clamp(INTERVAL_MIN_MS, 3_600_000);
        settings.set(
            section,
            "log_avg_msec",
            "interval",
            Nanos(interval * 1_000_000).to_string(),
        );
    }
    Ok(())
}

/// Sets the amount of data of a job without a time limit.
fn amount(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let clones = u64::from(settings.numjobs);
    // Trims before writes do not count.
    let times = if settings.get("trim-first").is_some() {
        2
    } else {
        1
    };
    let asked = section.bytes("io_size")?.filter(|bytes| *bytes > 0);
    // Each block is verified once, however often the job before wrote it.
    let asked = match within_region(section, settings) {
        Some(region) if section.flag("verify_only")? => asked.map(|bytes| bytes.min(region)),
        _ => asked,
    };
    // Passes count neither the directions of a mix apart nor the holes between blocks.
    let counts_passes = settings.get("access").is_none() && settings.get("zone-skip").is_none();
    let once = asked.or_else(|| {
        let files = u64::from(settings.files.max(1));
        let region = match within_region(section, settings) {
            None if !counts_passes => bytes_there(section, settings),
            region => region,
        };
        let of_file = |bytes| {
            let full = full_blocks(bytes, settings);
            until_end(section, settings, bytes).map_or(full, |lap| lap.min(full))
        };
        region.map(|bytes| of_file(bytes / files).saturating_mul(files))
    });
    let option = if asked.is_some() { "io_size" } else { "size" };
    let goes_over = settings.is_shared
        && settings.get("target") != Some("null:")
        && settings.get("access").is_none();
    let preconditions = settings
        .get("offsets")
        .is_some_and(|order| order.starts_with("precondition"));
    match once {
        // fio writes as much as the device has flash, whatever io_size is.
        Some(_) if preconditions => settings.set(section, "sprandom", "passes", "1".to_string()),
        // The size of the file or device is known at the start of the run.
        None if goes_over => settings.set(section, "filename", "passes", (clones * times).to_string()),
        Some(bytes) => settings.set(section, option, "bytes", Bytes(bytes.saturating_mul(clones * times)).to_string()),
        None if settings.get("until-full").is_some() => {
            let each = if settings.has_names_of_fio() { clones } else { 1 };
            settings.set(section, "fill_device", "passes", each.to_string());
        },
        None if settings.time_ns.is_none() && settings.get("operations").is_none() => remarks
            .add(&section.name, "neither size nor runtime is given: fio passes over the entire target once, plumb measures for 10 s"),
        None => {}
    }
    Ok(())
}

/// fio skips the rest of each file after its last full block, unless it draws offsets without a map.
fn full_blocks(bytes: u64, settings: &JobSettings) -> u64 {
    if settings.get("offsets") == Some("random-with-replacement") {
        return bytes;
    }
    let block = settings.get("block").and_then(|text| text.parse().ok());
    match block {
        Some(Bytes(block)) if (1..=bytes).contains(&block) => bytes - bytes % block,
        _ => bytes,
    }
}

/// `size`, limited by the size of the files.
fn within_region(section: &Section, settings: &JobSettings) -> Option<u64> {
    let asked = section
        .text("size")
        .and_then(|text| section.bytes_of(text).ok())
        .filter(|bytes| *bytes > 0);
    match (asked, settings.region_bytes) {
        (Some(asked), Some(region)) => Some(asked.min(region)),
        (asked, region) => region.or(asked),
    }
}

/// The engine of fio whose calls have flags (engines/sync.c).
const WITH_FLAGS: &str = "pvsync2";

/// Names of the engine of fio whose writes have one of these flags too (engines/libaio.c).
const LINUX_AIO: [&str; 3] = ["libaio", "aio", "linuxaio"];

/// Sets the flags of each read and write.
fn call_flags(
    section: &Section,
    asked: &str,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let is_direct = section.flag("direct")?;
    for (option, has_effect) in [
        ("hipri", is_direct),
        ("nowait", true),
        ("uncached", !is_direct),
        ("atomic", true),
    ] {
        let is_of_rings = option == "hipri" && asked != WITH_FLAGS;
        if is_of_rings || !section.flag(option)? {
            continue;
        }
        let has_flag = asked == WITH_FLAGS || option == "atomic" && LINUX_AIO.contains(&asked);
        if !has_flag {
            let engines = match option {
                "atomic" => "ioengine=pvsync2 or libaio",
                _ => "ioengine=pvsync2",
            };
            let why =
                format!("plumb sets this flag only for {engines}; use that engine, or remove it");
            return Err(section.error(option, why));
        }
        if has_effect {
            settings.set(section, option, option, "true");
        } else {
            let other = if is_direct { "direct" } else { "buffered" };
            remarks.add(
                &section.name,
                format!("{option} has no effect on {other} I/O, as in fio"),
            );
        }
    }
    Ok(())
}
