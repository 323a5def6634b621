//! Which I/O priority do the requests of a job have, and which of them another one?

use crate::fio_job::access::rw::Access;
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::numbers::{by_direction, integer, real};
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;

/// Directions whose requests can have a priority of their own.
const NAMES: [&str; 2] = ["read", "write"];
const REALTIME: u64 = 1;

/// A class of ioprio_set(2) with a level, in the form of plans.
fn in_words(class: u64, level: u64) -> Result<String, String> {
    match class {
        1 => Ok(format!("realtime:{level}")),
        2 => Ok(format!("best-effort:{level}")),
        3 => Ok("idle".to_string()),
        other => Err(format!(
            "{other} is not one of 1 (realtime), 2 (best effort) and 3 (idle)"
        )),
    }
}

/// Sets the request priority: `prioclass` 1 (realtime) to 3 (idle), best effort if only `prio` is given, as in ionice(1).
pub fn priority(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    let (class, level) = (section.integer("prioclass")?, section.integer("prio")?);
    if class == Some(0) || (class.is_none() && level.is_none()) {
        return Ok(());
    }
    let priority = in_words(class.unwrap_or(2), level.unwrap_or(0));
    let priority = priority.map_err(|why| section.error("prioclass", why))?;
    let option = if level.is_some() { "prio" } else { "prioclass" };
    settings.set(section, option, "io-priority", priority);
    Ok(())
}

/// Sets the priorities of single requests: `cmdprio_percentage` of all, or `cmdprio_bssplit` by block size, with `cmdprio_class` (1, realtime) and `cmdprio` (0).
pub fn urgent(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let by_size = section.text("cmdprio_bssplit").is_some();
    let mut shares = Vec::new();
    for (direction, name) in NAMES
        .iter()
        .enumerate()
        .filter(|(index, _)| access.uses[*index])
    {
        let number = |option: &str, default: u64| -> Result<u64, PlanError> {
            let of_direction = |text: &str| by_direction(text)[direction].map(integer).transpose();
            Ok(section
                .read(option, of_direction)?
                .flatten()
                .unwrap_or(default))
        };
        let class = number("cmdprio_class", REALTIME)?;
        let priority = in_words(class, number("cmdprio", 0)?);
        let priority = priority.map_err(|why| section.error("cmdprio_class", why))?;
        let percent = number("cmdprio_percentage", 0)?;
        if percent > 0 && by_size {
            return Err(section.error(
                "cmdprio_bssplit",
                "it excludes cmdprio_percentage, as in fio; use one of them",
            ));
        }
        if percent > 0 {
            shares.push(format!("{name} {percent}% {priority}"));
        }
        let of_sizes = section.read("cmdprio_bssplit", |text| {
            let entries = by_direction(text)[direction].unwrap_or_default().split(':');
            let entries = entries.filter(|entry| !entry.is_empty());
            let shares = entries.map(|entry| of_size(section, entry, &priority));
            shares.collect::<Result<Vec<_>, _>>()
        })?;
        let of_sizes = of_sizes.into_iter().flatten().flatten();
        shares.extend(of_sizes.map(|share| format!("{name} {share}")));
    }
    let option = if by_size {
        "cmdprio_bssplit"
    } else {
        "cmdprio_percentage"
    };
    let has_hint = |entry: &str| {
        let hint = entry.split('/').nth(4);
        hint.is_some_and(|hint| hint.trim() != "0")
    };
    let text = section.text("cmdprio_bssplit").unwrap_or_default();
    if text.split([',', ':']).any(has_hint) {
        remarks.add(
            &section.name,
            "cmdprio_bssplit: hints have no effect; classes and levels have",
        );
    }
    if !shares.is_empty() {
        settings.set(section, option, "urgent", shares.join(", "));
    }
    Ok(())
}

/// `64k/40` or `64k/40/1/2`: block size and percentage, with class and level or the `priority` of the job; `None` for a percentage of 0.
fn of_size(section: &Section, entry: &str, priority: &str) -> Result<Option<String>, String> {
    let fields: Vec<&str> = entry.split('/').collect();
    let (block, percent, own) = match fields.as_slice() {
        [block, percent] => (block, percent, None),
        [block, percent, class, level] => (block, percent, Some((class, level))),
        // The last field is a hint.
        [block, percent, class, level, _] => (block, percent, Some((class, level))),
        _ => {
            return Err(format!(
                "'{entry}' is not SIZE/PERCENT or SIZE/PERCENT/CLASS/LEVEL"
            ));
        }
    };
    let own = own.map(|(class, level)| in_words(integer(class)?, integer(level)?));
    let priority = own.transpose()?.unwrap_or_else(|| priority.to_string());
    let (block, percent) = (Bytes(section.bytes_of(block)?), real(percent)?);
    Ok((percent > 0.0).then(|| format!("{block} {percent}% {priority}")))
}
