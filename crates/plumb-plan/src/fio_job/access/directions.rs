//! If reads and writes of one job differ in blocks or offsets, which access specification is equivalent?

use crate::fio_job::access::rw::{Access, Direction, Directions};
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;
use plumb_model::workload::access::rounded;
use plumb_model::workload::{AccessLine, AccessLines, After, Mix, OperationKind};

/// What the directions in use request beyond a mix, blocks and one order of offsets; `None` if there is nothing more. `each` has the directions in use.
pub fn directions(
    section: &Section,
    access: &Access,
    each: Vec<Direction>,
    settings: &JobSettings,
    remarks: &mut Remarks,
) -> Result<Option<Directions>, PlanError> {
    let unlike = each.windows(2).any(|pair| pair[0] != pair[1]);
    let shares = || each.iter().map(|direction| direction.random_percent);
    let in_part = shares().any(|share| share > 0.0 && share < 100.0);
    // Reads and writes of a sequential mix each have their own position (last_pos of each direction, io_u.c).
    let apart = each.len() > 1 && !access.is_trimwrite() && shares().any(|share| share < 100.0);
    if !(unlike || in_part || apart) {
        return Ok(None);
    }
    let by_size = ["bssplit", "bsrange", "bs"]
        .into_iter()
        .find(|option| section.text(option).is_some());
    let option = if in_part {
        "percentage_random"
    } else {
        by_size.unwrap_or("rw")
    };
    let obstacle = obstacle(section, access, settings);
    match obstacle {
        Some(what) if unlike || in_part => {
            return Err(section.error(
                option,
                format!("{what}; use one job per direction, which run concurrently"),
            ));
        }
        Some(_) => {
            remarks
                .add(&section.name, "reads and writes of this mix share one sequential position in the file; in fio each has its own");
            return Ok(None);
        }
        None => {}
    }
    let once = has_map(&each, settings);
    if shares().any(|share| share > 0.0) && !once {
        remarks
            .add(&section.name, "random offsets are drawn independently: a block may repeat before all others were accessed, as with norandommap");
    }
    let mut of_each = each.into_iter();
    Ok(Some(Directions {
        option,
        each: access
            .uses
            .map(|used| if used { of_each.next() } else { None }),
    }))
}

/// Random offsets occur once each, as with fio's map: if all blocks are multiples of the smallest, and start at multiples of it.
fn has_map(each: &[Direction], settings: &JobSettings) -> bool {
    let sizes = || {
        let sizes = each.iter().flat_map(|direction| &direction.sizes);
        sizes.map(|(size, _)| size.from.0)
    };
    let smallest = sizes().min().unwrap_or(0);
    let is_unit = |direction: &Direction| direction.align_bytes == smallest;
    settings.get("offsets") == Some("random")
        && smallest > 0
        && each.iter().all(is_unit)
        && sizes().all(|size| size.is_multiple_of(smallest))
}

/// Why an access specification cannot express it.
fn obstacle(section: &Section, access: &Access, settings: &JobSettings) -> Option<String> {
    const PLAIN: &[&str] = &["random", "random-with-replacement", "sequential"];
    if access.uses[2] {
        return Some("all trims are random, or all are sequential".into());
    }
    if let Some(order) = settings
        .get("offsets")
        .filter(|order| !PLAIN.contains(order))
    {
        return Some(format!(
            "with offsets = {order} all operations of a job share block sizes and order"
        ));
    }
    let verified = section
        .text("verify")
        .is_some_and(|method| !["0", "null"].contains(&method));
    verified.then(|| "verify needs blocks that never overlap partially".into())
}

/// Writes the directions as an access specification, once the mix is known.
pub fn settle_directions(section: &Section, settings: &mut JobSettings) {
    let Some(Directions { option, each }) = settings.directions.take() else {
        return;
    };
    let mix = settings
        .get("mix")
        .and_then(|mix| mix.parse::<Mix>().ok())
        .map(|mix| mix.0)
        .unwrap_or_default();
    let total: f64 = mix.iter().map(|(_, share)| share).sum();
    // Sequential successors are not looked up in the map.
    let used: Vec<Direction> = each.iter().flatten().cloned().collect();
    let once = has_map(&used, settings);
    let mut lines = Vec::new();
    for (kind, direction) in [OperationKind::Read, OperationKind::Write]
        .into_iter()
        .zip(each)
    {
        let Some(Direction {
            sizes,
            random_percent,
            align_bytes,
        }) = direction
        else {
            continue;
        };
        let of_kind = mix
            .iter()
            .find(|(item, _)| *item == kind)
            .map_or(0.0, |(_, share)| share / total);
        let weight: f64 = sizes.iter().map(|(_, share)| share).sum();
        lines.extend(sizes.iter().map(|(size, share)| AccessLine {
            size: *size,
            share: rounded(share / weight * of_kind * 100.0),
            reads_percent: if kind == OperationKind::Read {
                100.0
            } else {
                0.0
            },
            random_percent,
            once: once && random_percent > 0.0,
            after: After::Same,
            align: Bytes(align_bytes),
            ..AccessLine::default()
        }));
    }
    lines.retain(|line| line.share > 0.0);
    ["mix", "block", "offsets"]
        .iter()
        .for_each(|key| settings.drop_key(key));
    settings.set(section, option, "access", AccessLines(lines).to_string());
}
