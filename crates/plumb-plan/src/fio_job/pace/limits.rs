//! What limits or ends a job besides its rate? Flow groups, a low queue, the maximum latency and the minimum rate.

use crate::fio_job::access::rw::{Access, names};
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::numbers::{integer, numbers_by_direction};
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::MinRate;

const MICROSECOND_NS: u64 = 1000;
const MILLISECOND_NS: u64 = 1_000_000;
/// The cycle of fio where `rate_cycle` is not given.
const CYCLE_MS: u64 = 1000;
/// The shortest interval that plumb records, in milliseconds.
const INTERVAL_MIN_MS: u64 = 10;

/// Fills in all of them.
pub fn limits(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    flow(section, settings, remarks)?;
    refill(section, settings)?;
    let longest = section.span_ns("max_latency", MICROSECOND_NS)?;
    if let Some(longest) = longest.filter(|longest| *longest > 0) {
        let text = Nanos(longest).to_string();
        settings.set(section, "max_latency", "max-latency", text);
    }
    least_rates(section, access, settings)
}

/// The share in a flow group. fio 3.33 reads a weight as an unsigned number of 32 bits.
fn flow(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let number = |text: &str| {
        let number = text.trim().parse::<i64>().ok();
        let number = number.filter(|number| i32::try_from(*number).is_ok());
        number.ok_or_else(|| format!("'{text}' is not a 32-bit integer"))
    };
    let weight = section.read("flow", number)?.unwrap_or(0);
    if weight == 0 {
        return Ok(());
    }
    if weight < 0 {
        let text = format!(
            "flow={weight}: fio 3.33 reads a negative weight as {}, so it does not keep this ratio between the jobs; use positive weights",
            weight as u32
        );
        remarks.add(&section.name, text);
    }
    settings.set(section, "flow", "flow-weight", (weight as u32).to_string());
    let group = section.count("flow_id")?.unwrap_or(0);
    if group > 0 {
        settings.set(section, "flow_id", "flow-group", group.to_string());
    }
    let pause = section.integer("flow_sleep")?.unwrap_or(0);
    if pause > 0 {
        let pause = Nanos(pause.saturating_mul(MICROSECOND_NS));
        settings.set(section, "flow_sleep", "flow-pause", pause.to_string());
    }
    Ok(())
}

/// Batch sizes of submission and completion: one by default (options.c, iodepth_batch and iodepth_batch_complete_min).
pub fn batches(section: &Section, depth: u32, settings: &mut JobSettings) -> Result<(), PlanError> {
    let batch = section.count("iodepth_batch")?;
    let least = section.count("iodepth_batch_complete_min")?.unwrap_or(1);
    let most = section.count("iodepth_batch_complete_max")?;
    if depth > 1 || batch.is_some() {
        let together = match batch.unwrap_or(1) {
            0 => depth,
            batch => batch.min(depth),
        };
        settings.set(section, "iodepth_batch", "batch", together.to_string());
    }
    let taken = most.unwrap_or(0).max(least).min(depth);
    // With a minimum of 0 fio polls for completions after each submission and takes what is available; plumb does so without a number.
    if depth > 1 && least > 0 {
        settings.set(
            section,
            "iodepth_batch_complete_max",
            "reap",
            taken.to_string(),
        );
    }
    Ok(())
}

/// When the queue is filled again: once it is full, fio waits for iodepth_batch_complete_min operations, and until no more than iodepth_low are left
/// (wait_for_completions in backend.c).
fn refill(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    let depth = settings.get("depth").and_then(|text| text.parse().ok());
    let Some(depth) = depth.filter(|depth: &u32| *depth > 1) else {
        return Ok(());
    };
    let low = section.count("iodepth_low")?.filter(|low| *low < depth);
    let together = section
        .count("iodepth_batch_complete_min")?
        .filter(|count| *count > 1)
        .map(|count| depth - count.min(depth));
    let left = match (low, together) {
        (Some(low), Some(left)) => low.min(left),
        (low, left) => match low.or(left) {
            Some(left) => left,
            None => return Ok(()),
        },
    };
    // A completed operation makes room for the next.
    if left + 1 < depth {
        let option = if low == Some(left) {
            "iodepth_low"
        } else {
            "iodepth_batch_complete_min"
        };
        settings.set(section, option, "refill-at", left.to_string());
    }
    Ok(())
}

/// The minimum rates, evaluated over the recording intervals.
fn least_rates(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
) -> Result<(), PlanError> {
    let clones = u64::from(settings.numjobs);
    let bytes = least(section, access, "rate_min", &|text| section.bytes_of(text))?;
    let count = least(section, access, "rate_iops_min", &integer)?;
    let rate_bytes = least(section, access, "rate", &|text| section.bytes_of(text));
    let rate_count = least(section, access, "rate_iops", &integer);
    for (option, least, rate) in [
        ("rate_min", bytes, rate_bytes),
        ("rate_iops_min", count, rate_count),
    ] {
        let rate = rate.ok().flatten().filter(|rate| *rate > 0);
        if least.zip(rate).is_some_and(|(least, rate)| least > rate) {
            return Err(section.error(option, "the minimum rate exceeds the rate"));
        }
    }
    if let Some(bytes) = bytes {
        let all = MinRate::Bandwidth(Bytes(bytes.saturating_mul(clones)));
        settings.set(section, "rate_min", "min-rate", all.to_string());
    }
    if let Some(count) = count {
        let all = MinRate::Iops(count.saturating_mul(clones) as f64);
        settings.set(section, "rate_iops_min", "min-rate", all.to_string());
    }
    if bytes.or(count).is_some() {
        let cycle = section.integer("rate_cycle")?.unwrap_or(CYCLE_MS);
        let interval = cycle.clamp(INTERVAL_MIN_MS, 3_600_000) * MILLISECOND_NS;
        settings.set(
            section,
            "rate_cycle",
            "interval",
            Nanos(interval).to_string(),
        );
    }
    Ok(())
}

/// The minimum rate of the directions in use, which must be equal.
fn least(
    section: &Section,
    access: &Access,
    option: &str,
    reader: &dyn Fn(&str) -> Result<u64, String>,
) -> Result<Option<u64>, PlanError> {
    let rates = section.read(option, |text| {
        let values = access.used(numbers_by_direction(text)).into_iter();
        let values = values.map(|text| text.map_or(Ok(0), reader));
        values.collect::<Result<Vec<u64>, _>>()
    })?;
    let Some(rates) = rates.filter(|rates| rates.iter().any(|rate| *rate > 0)) else {
        return Ok(None);
    };
    if rates.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(section.error(
            option,
            format!(
                "{} have different limits; use one job for each, which run concurrently",
                names(access).join(" and ")
            ),
        ));
    }
    Ok(rates.first().copied())
}
