//! Which order of offsets is equivalent to `random_distribution`?

use crate::fio_job::access::rw::Access;
use crate::fio_job::numbers::{by_direction, real};
use crate::fio_job::section::{Section, percent};
use plumb_model::units::UnitError;
use plumb_model::workload::block_list::BlockList;

/// The order of offsets for a distribution. Several for the directions must be the same.
pub(super) fn distribution(
    access: &Access,
    text: &str,
    section: &Section,
) -> Result<String, String> {
    // Its commas are no directions.
    if let Some(blocks) = text.strip_prefix("sequence:") {
        return listed(blocks, section);
    }
    let mut used: Vec<&str> = access
        .used(by_direction(text))
        .into_iter()
        .flatten()
        .collect();
    used.dedup();
    let text = match used.as_slice() {
        [one] => *one,
        [] => "random",
        _ => return Err("reads and writes of one job have the same order in plumb; use one job for each, which run concurrently".into()),
    };
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    // A second number gives the position of the hottest block; fio 3.33 expects it after a colon, and ignores text after a slash.
    let number = || real(value.split([':', '/']).next().unwrap_or_default());
    match name {
        "random" => Ok("random".into()),
        "zipf" if value.is_empty() => Ok("zipf:1.1".into()),
        "pareto" if value.is_empty() => Ok("pareto:0.2".into()),
        "zipf" => number().map(|exponent| format!("zipf:{exponent}")),
        "pareto" => number().map(|power| format!("pareto:{power}")),
        "normal" | "gauss" => number().map(|deviation| format!("normal:{deviation}")),
        "zoned" => zones(value),
        "zoned_abs" => absolute_zones(value, section),
        other => Err(format!(
            "'{other}' is not one of random, zipf, pareto, normal, zoned, zoned_abs, sequence"
        )),
    }
}

/// `2,0,1`: these blocks in turn; with `random_sequence_stride` each cycle continues behind the one before.
fn listed(blocks: &str, section: &Section) -> Result<String, String> {
    let list: BlockList = blocks.parse().map_err(|why: UnitError| why.to_string())?;
    let moves = section.flag("random_sequence_stride");
    Ok(match moves.map_err(|why| why.to_string())? {
        true => format!("listed-moving:{list}"),
        false => format!("listed:{list}"),
    })
}

/// `60/10:30/20:10/70`: a percentage of the operations on a percentage of the space each. Zones without a percentage share the rest, as in fio.
fn zones(text: &str) -> Result<String, String> {
    let mut zones: Vec<(f64, Option<f64>)> = Vec::new();
    for zone in text.split(':').filter(|zone| !zone.is_empty()) {
        let (operations, space) = zone.split_once('/').unwrap_or((zone, ""));
        let space = Some(space)
            .filter(|space| !space.is_empty())
            .map(percent)
            .transpose()?;
        zones.push((percent(operations)?, space));
    }
    let given: f64 = zones.iter().filter_map(|(_, space)| *space).sum();
    let open = zones.iter().filter(|(_, space)| space.is_none()).count();
    let rest = (100.0 - given) / open.max(1) as f64;
    let filled = zones
        .into_iter()
        .map(|(operations, space)| (operations, space.unwrap_or(rest)));
    two_or_more(filled.collect())
}

/// `60/20g:30/100g:10/500g`: the same with sizes; space after the last zone is not accessed.
fn absolute_zones(text: &str, section: &Section) -> Result<String, String> {
    let mut zones: Vec<(f64, u64)> = Vec::new();
    for zone in text.split(':').filter(|zone| !zone.is_empty()) {
        let (operations, size) = zone
            .split_once('/')
            .ok_or_else(|| format!("'{zone}' is not a zone; use for example 60/20g"))?;
        zones.push((percent(operations)?, section.bytes_of(size)?));
    }
    let total_bytes = ["filesize", "size"]
        .iter()
        .find_map(|option| section.bytes_of(section.text(option)?).ok())
        .ok_or("zones in bytes need the size; set size")?;
    let sum: u64 = zones.iter().map(|(_, bytes)| bytes).sum();
    if sum > total_bytes {
        return Err(format!("the zones of '{text}' exceed the size"));
    }
    if sum < total_bytes {
        zones.push((0.0, total_bytes - sum));
    }
    let share = |bytes: u64| bytes as f64 / total_bytes as f64 * 100.0;
    let shares = zones
        .iter()
        .map(|(operations, bytes)| (*operations, share(*bytes)));
    two_or_more(shares.collect())
}

/// Two zones that cover everything are a hot spot, which older results have.
fn two_or_more(zones: Vec<(f64, f64)>) -> Result<String, String> {
    if let [(operations, space), (others, rest)] = zones.as_slice()
        && operations + others == 100.0
        && space + rest == 100.0
        && *space > 0.0
        && *rest > 0.0
    {
        return Ok(format!("hot-spot:{operations}/{space}"));
    }
    let zones = plumb_model::workload::zones::Zones::new(&zones)?;
    Ok(format!("zoned:{zones}"))
}
