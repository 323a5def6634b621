//! Which operations, block sizes and order of offsets? `rw`, `bs`, `bsrange`, `bssplit`, `random_distribution` and related options.

pub(super) mod directions;
mod distribution;
pub(super) mod rw;

use crate::fio_job::access::directions::directions;
use crate::fio_job::access::distribution::distribution;
use crate::fio_job::access::rw::{Access, Direction, Sizes, names};
use crate::fio_job::content::verify_method;
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::numbers::{by_direction, integer, numbers_by_direction, real};
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::{Section, percent};
use crate::fio_job::verification::is_partly_written;
use plumb_model::plan::PlanError;
use plumb_model::text::nearest::nearest;
use plumb_model::units::Bytes;
use plumb_model::workload::BlockSpan;
use plumb_model::workload::access::greatest_common_divisor;
use plumb_model::workload::preconditioning::Preconditioning;

/// Words of `rw`: which of read, write and trim, and whether at random.
const WORDS: &[(&str, [bool; 3], bool)] = &[
    ("read", [true, false, false], false),
    ("write", [false, true, false], false),
    ("trim", [false, false, true], false),
    ("randread", [true, false, false], true),
    ("randwrite", [false, true, false], true),
    ("randtrim", [false, false, true], true),
    ("rw", [true, true, false], false),
    ("readwrite", [true, true, false], false),
    ("randrw", [true, true, false], true),
    ("trimwrite", [false, true, true], false),
    ("randtrimwrite", [false, true, true], true),
];

/// Sets mix, block and offsets.
pub fn access(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<Access, PlanError> {
    let (word, modifier) = match section.text("rw") {
        Some(text) => text
            .split_once(':')
            .map_or((text, None), |(word, modifier)| (word, Some(modifier))),
        None => ("read", None),
    };
    let Some((_, uses, random)) = WORDS.iter().find(|(known, ..)| *known == word) else {
        let words: Vec<&str> = WORDS.iter().map(|(word, ..)| *word).collect();
        return Err(section.error(
            "rw",
            format!(
                "'{word}' is not one of {}{}",
                words.join(", "),
                nearest(word, &words)
            ),
        ));
    };
    let reads = read_percent(section)?;
    let (uses, is_random) = used_when_verifying(section, *uses, *random)?;
    let uses = &uses;
    let access = Access {
        uses: *uses,
        random: is_random,
    };
    let modifier = modifier.filter(|_| is_random || !random);
    let mix = match uses {
        [true, true, _] if reads == 100.0 => "read".to_string(),
        [true, true, _] if reads == 0.0 => "write".to_string(),
        [true, true, _] => format!("read:{reads},write:{}", 100.0 - reads),
        [true, ..] => "read".to_string(),
        [_, true, true] => "trim:1,write:1".to_string(),
        [_, true, _] => "write".to_string(),
        _ => "trim".to_string(),
    };
    settings.set(section, "rw", "mix", mix);
    if access.is_trimwrite() {
        settings.set(section, "rw", "trim-first", "true");
    }
    settings.modifies = uses[1] || uses[2];
    let sizes = blocks(section, &access, settings, remarks)?;
    let (smallest, is_mixed) = (smallest(&sizes), has_several(&sizes));
    let aligns = alignments(section, &access, &sizes)?;
    let shares = offsets(section, &access, modifier, smallest, settings, remarks)?;
    zones(section, &sizes, settings)?;
    let first = aligns.first().copied().unwrap_or(smallest);
    let each =
        sizes
            .into_iter()
            .zip(shares)
            .zip(aligns)
            .map(|((sizes, random_percent), align_bytes)| Direction {
                sizes,
                random_percent,
                align_bytes,
            });
    settings.directions = directions(section, &access, each.collect(), settings, remarks)?;
    if is_mixed && settings.directions.is_none() {
        with_map(section, settings);
    }
    if access.random && first != smallest && settings.directions.is_none() {
        settings.set(section, "ba", "align", Bytes(first).to_string());
    }
    Ok(access)
}

/// The smallest size of all directions, in bytes.
fn smallest(sizes: &[Sizes]) -> u64 {
    let sizes = sizes.iter().flatten().map(|(size, _)| size.from.0);
    sizes.min().unwrap_or(0)
}

fn has_several(sizes: &[Sizes]) -> bool {
    let mut sizes = sizes.iter().flatten().map(|(size, _)| size.only());
    let first = sizes.next().flatten();
    first.is_none() || sizes.any(|size| size != first)
}

/// fio's random map tracks blocks of several sizes: each byte is accessed once.
fn with_map(section: &Section, settings: &mut JobSettings) {
    if settings.get("offsets") != Some("random") {
        return;
    }
    let is_split = section.text("bssplit").is_some();
    let option = if is_split { "bssplit" } else { "bsrange" };
    settings.set(section, option, "offsets", "random-map");
}

/// Percentage of reads in a mix; of rwmixread and rwmixwrite the later counts.
fn read_percent(section: &Section) -> Result<f64, PlanError> {
    let (reads, writes) = (
        section.percent("rwmixread")?,
        section.percent("rwmixwrite")?,
    );
    Ok(match (reads, writes) {
        (Some(reads), None) => reads,
        (None, Some(writes)) => 100.0 - writes,
        (Some(reads), Some(_)) if section.order("rwmixread") > section.order("rwmixwrite") => reads,
        (Some(_), Some(writes)) => 100.0 - writes,
        (None, None) => 50.0,
    })
}

/// Sets the block sizes of all directions together; returns those of each direction in use.
fn blocks(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<Vec<Sizes>, PlanError> {
    type Reader = fn(&Section, &str) -> Result<Sizes, String>;
    type Divider = fn(&str) -> [Option<&str>; 3];
    // bssplit counts before bsrange before bs (get_next_buflen in io_u.c).
    const OPTIONS: [(&str, Reader, Divider); 3] = [
        ("bssplit", split, by_direction),
        ("bsrange", range, by_direction),
        ("bs", one, numbers_by_direction),
    ];
    let given = OPTIONS
        .iter()
        .find(|(option, ..)| section.text(option).is_some());
    let default = || vec![(BlockSpan::one(Bytes(4096)), 100.0)];
    let (option, of_directions) = match given {
        None => (
            "bs",
            access
                .used([None; 3])
                .into_iter()
                .map(|_| default())
                .collect(),
        ),
        Some((option, reader, divider)) => {
            let values = access
                .used(divider(section.text(option).unwrap_or_default()))
                .into_iter();
            let sizes = values
                .map(|value| value.map_or_else(|| Ok(default()), |value| reader(section, value)));
            (
                *option,
                sizes
                    .collect::<Result<Vec<Sizes>, _>>()
                    .map_err(|why| section.error(option, why))?,
            )
        }
    };
    let mut of_directions: Vec<Sizes> = of_directions;
    if access.is_trimwrite() {
        // The write has the size of the trim before it.
        of_directions.swap(0, 1);
        of_directions[1] = of_directions[0].clone();
    }
    let mut blocks = of_directions.iter().flatten();
    if blocks.any(|(size, _)| size.from.0 == 0) {
        return Err(section.error(option, "a block size of 0 transfers no data"));
    }
    if option == "bsrange" {
        remark_truncated_ranges(section, access, remarks);
    }
    let texts: Vec<String> = match of_directions.first().map(Vec::as_slice) {
        Some([(size, _)]) => vec![size.to_string()],
        sizes => sizes
            .unwrap_or_default()
            .iter()
            .map(|(size, share)| format!("{size}:{share}"))
            .collect(),
    };
    settings.set(section, option, "block", texts.join(","));
    Ok(of_directions)
}

/// Alignment of random offsets of each direction in use, in bytes: `ba`, else the smallest block. Sequential offsets follow each other without it.
fn alignments(section: &Section, access: &Access, sizes: &[Sizes]) -> Result<Vec<u64>, PlanError> {
    let asked = section.read("ba", |text| {
        let values = access.used(numbers_by_direction(text)).into_iter();
        values
            .map(|text| text.map(|text| section.bytes_of(text)).transpose())
            .collect::<Result<Vec<_>, _>>()
    })?;
    let asked = asked
        .filter(|_| access.random)
        .unwrap_or_else(|| vec![None; sizes.len()]);
    let smallest = |sizes: &Sizes| sizes.iter().map(|(size, _)| size.from.0).min();
    let each = asked.into_iter().zip(sizes);
    Ok(each
        .map(|(asked, sizes)| {
            asked
                .filter(|align| *align > 0)
                .or(smallest(sizes))
                .unwrap_or(1)
        })
        .collect())
}

fn one(section: &Section, text: &str) -> Result<Sizes, String> {
    Ok(vec![(
        BlockSpan::one(Bytes(section.bytes_of(text)?)),
        100.0,
    )])
}

/// `1k-4k`: every multiple of the smaller size up to the larger, with equal probability, as fio draws from it.
fn range(section: &Section, text: &str) -> Result<Sizes, String> {
    let (from, to) = ends(section, text)?;
    // A trim of 4g exceeds the length of an operation.
    let to = if to >> 32 > 0 && to - from <= u64::from(u32::MAX) {
        to - from
    } else {
        to
    };
    let to = Bytes(to - to % from);
    let span = BlockSpan {
        from: Bytes(from),
        to,
    };
    Ok(vec![(span, 100.0)])
}

/// The two sizes of a range, smaller first, in bytes; fio accepts any order.
fn ends(section: &Section, text: &str) -> Result<(u64, u64), String> {
    let bad = || format!("'{text}' is not a range; use for example 1k-4k");
    let (a, b) = text.split_once(['-', ':']).ok_or_else(bad)?;
    let (a, b) = (section.bytes_of(a)?, section.bytes_of(b)?);
    if a == 0 || b == 0 {
        return Err(bad());
    }
    Ok((a.min(b), a.max(b)))
}

/// Notes that the largest size of a range is left out.
fn remark_truncated_ranges(section: &Section, access: &Access, remarks: &mut Remarks) {
    let text = section.text("bsrange").unwrap_or_default();
    for text in access.used(by_direction(text)).into_iter().flatten() {
        let cut = ends(section, text).ok().zip(range(section, text).ok());
        let Some(((_, asked), sizes)) = cut else {
            continue;
        };
        for (span, _) in sizes.iter().filter(|(span, _)| span.to.0 < asked) {
            let text = format!(
                "bsrange={text}: the largest blocks are {}, the largest multiple of {} that one operation can transfer",
                span.to, span.from
            );
            remarks.add(&section.name, text);
        }
    }
}

/// `4k/10:64k/50:32k/`: sizes with percentages; sizes without one share the rest evenly.
fn split(section: &Section, text: &str) -> Result<Sizes, String> {
    let mut sizes: Vec<(u64, Option<f64>)> = Vec::new();
    for part in text
        .split(':')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let share = Some(share.trim().trim_end_matches('/'))
            .filter(|share| !share.is_empty())
            .map(percent)
            .transpose()?;
        sizes.push((section.bytes_of(size)?, share));
    }
    let given: f64 = sizes.iter().filter_map(|(_, share)| *share).sum();
    if given > 100.0 {
        return Err(format!(
            "the percentages in '{text}' add up to {given}, more than 100"
        ));
    }
    let open = sizes.iter().filter(|(_, share)| share.is_none()).count();
    let rest = (100.0 - given) / open.max(1) as f64;
    let mut shares: Sizes = Vec::new();
    for (size, share) in sizes {
        let size = BlockSpan::one(Bytes(size));
        let share = share.unwrap_or(rest);
        match shares.iter_mut().find(|(known, _)| *known == size) {
            Some((_, sum)) => *sum += share,
            None => shares.push((size, share)),
        }
    }
    shares.retain(|(_, share)| *share > 0.0);
    if shares.is_empty() {
        Err(format!("'{text}' has no size with a percentage above 0"))
    } else {
        Ok(shares)
    }
}

/// Sets the order of offsets; returns the percentage of random offsets of each direction in use.
fn offsets(
    section: &Section,
    access: &Access,
    modifier: Option<&str>,
    smallest: u64,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<Vec<f64>, PlanError> {
    let count = names(access).len();
    if !access.random {
        let order = match modifier {
            None => "sequential".to_string(),
            // Of a job that verifies, both directions go over the file together.
            Some(text) if count > 1 && verify_method(section).is_none() => {
                let why = format!(
                    "a mix in order with a hole after each block (':{text}') is not available without verify; remove it, or use rw=read, rw=write or rw=randrw"
                );
                return Err(section.error("rw", why));
            }
            Some(text) => with_step(section, text, smallest, settings)
                .map_err(|why| section.error("rw", why))?,
        };
        settings.set(section, "rw", "offsets", order);
        return Ok(vec![0.0; count]);
    }
    let mut order = section
        .read("random_distribution", |text| {
            distribution(access, text, section)
        })?
        .unwrap_or_else(|| "random".to_string());
    let mut option = "random_distribution";
    if let Some(runs) = modifier.filter(|runs| *runs != "1") {
        (order, option) = (seldom(section, runs, &order)?, "rw");
    }
    // fio keeps no random map for offsets whose alignment differs from their block size (HOWTO, blockalign).
    let is_aligned = section.text("ba").is_some();
    // An LFSR goes over all blocks before it repeats one, and needs no map for that.
    if let Some(preconditioning) = preconditioning(section, access, &order)? {
        (order, option) = (preconditioning, "sprandom");
    }
    let has_map =
        section.text("random_generator") == Some("lfsr") || !section.flag("norandommap")?;
    if order == "random" && (!has_map || is_aligned) {
        let by = if is_aligned { "ba" } else { "norandommap" };
        (order, option) = ("random-with-replacement".to_string(), by);
    }
    let shares_of = |option, of: fn(f64) -> f64| {
        section.read(option, |text| {
            access
                .used(numbers_by_direction(text))
                .into_iter()
                .map(|text| text.map_or(Ok(100.0), |text| percent(text).map(of)))
                .collect::<Result<Vec<_>, _>>()
        })
    };
    let shares = match shares_of("percentage_random", |share| share)? {
        None => shares_of("percentage_sequential", |share| 100.0 - share)?,
        shares => shares,
    };
    let shares = shares.unwrap_or_else(|| vec![100.0; count]);
    if shares.iter().all(|share| *share == 0.0) {
        (order, option) = ("sequential".to_string(), "percentage_random");
    }
    if ["zipf", "pareto", "normal"]
        .iter()
        .any(|name| order.starts_with(name))
    {
        remarks.add(
            &section.name,
            "hot blocks are scattered over the file as in fio, but to different offsets",
        );
    }
    settings.set(section, option, "offsets", order);
    Ok(shares)
}

/// `sprandom`: random writes that bring an SSD to steady state.
fn preconditioning(
    section: &Section,
    access: &Access,
    order: &str,
) -> Result<Option<String>, PlanError> {
    if !section.flag("sprandom")? {
        return Ok(None);
    }
    let is_other = match section.text("random_generator") {
        Some(generator) => generator != "lfsr",
        None => order != "random",
    };
    let keeps_map = section.flag_given("norandommap")? == Some(false);
    if access.uses != [false, true, false] || is_other || keeps_map {
        return Err(section.error(
            "sprandom",
            "it needs rw=randwrite, random_generator=lfsr and norandommap=1",
        ));
    }
    let share = section.read("spr_op", real)?.unwrap_or(0.15);
    if !(share > 0.0 && share < 1.0) {
        return Err(section.error("spr_op", format!("{share} is not between 0 and 1")));
    }
    let regions = section.count("spr_num_regions")?.unwrap_or(100);
    let cache = section.bytes("spr_cs")?.unwrap_or(0);
    let how = Preconditioning {
        over_provisioning_percent: (share * 1e6).round() / 1e4,
        regions,
        cache: Bytes(cache),
    };
    let text = how.to_string();
    text.parse::<Preconditioning>()
        .map_err(|why| section.error("spr_num_regions", why.to_string()))?;
    Ok(Some(format!("precondition:{text}")))
}

/// `rw=randread:8`: a new random offset after every eight operations, with sequential or identical offsets between (`rw_sequencer=identical`).
fn seldom(section: &Section, runs: &str, order: &str) -> Result<String, PlanError> {
    let runs = integer(runs)
        .map_err(|why| section.error("rw", why))?
        .max(1);
    if order != "random" {
        return Err(section.error(
            "rw",
            format!("a new random offset after every {runs} operations needs a uniform distribution; remove random_distribution"),
        ));
    }
    let between = section.word("rw_sequencer", &["sequential", "identical"])?;
    Ok(match between {
        Some("identical") => format!("random-repeats:{runs}"),
        _ => format!("random-runs:{runs}"),
    })
}

/// Bytes of the blocks of `rw=read:8k` in a file where fio's job ends with the last block that fits: the file ends there, or within the block that would be
/// next. Where the hole reaches the end of the file, the job begins again instead.
pub fn until_end(section: &Section, settings: &JobSettings, file_bytes: u64) -> Option<u64> {
    let bytes_of = |key| Some(settings.get(key)?.parse::<Bytes>().ok()?.0);
    let (block, hole) = (bytes_of("zone-size")?, bytes_of("zone-skip")?);
    let is_modifier = section.text("zonesize").is_none() && block > 0;
    let (before, step) = (file_bytes.checked_sub(block)?, block.checked_add(hole)?);
    let end = before / step * step + block;
    let is_end = end == file_bytes || end + hole < file_bytes;
    (is_modifier && is_end).then(|| block * (before / step + 1))
}

/// Sets the zones of `zonemode=strided`, which `zonesize` alone also requests.
fn zones(section: &Section, sizes: &[Sizes], settings: &mut JobSettings) -> Result<(), PlanError> {
    if settings.get("zone-size").is_some() && has_several(sizes) {
        let why = "a hole after each block needs a single block size; give one bs";
        return Err(section.error("rw", why));
    }
    let size = section.bytes("zonesize")?.filter(|bytes| *bytes > 0);
    let is_strided = match section.text("zonemode") {
        None => size.is_some(),
        Some("none") => false,
        Some("strided") => true,
        Some(other) => {
            let why = format!("'{other}' is not none or strided");
            return Err(section.error("zonemode", why));
        }
    };
    if !is_strided {
        return Ok(());
    }
    let size = size.ok_or_else(|| section.error("zonemode", "strided zones need zonesize"))?;
    settings.set(section, "zonesize", "zone-size", Bytes(size).to_string());
    for (option, key) in [("zonerange", "zone-range"), ("zoneskip", "zone-skip")] {
        if let Some(bytes) = section.bytes(option)?.filter(|bytes| *bytes > 0) {
            settings.set(section, option, key, Bytes(bytes).to_string());
        }
    }
    Ok(())
}

/// `rw=read:8k`: the hole after each block, in bytes (HOWTO, readwrite).
fn with_step(
    section: &Section,
    text: &str,
    block: u64,
    settings: &mut JobSettings,
) -> Result<String, String> {
    if let Some(back) = text.strip_prefix('-') {
        let back = section.bytes_of(back)?;
        return if block.checked_mul(2) == Some(back) {
            Ok("reverse".to_string())
        } else {
            Err(format!(
                "in reverse order plumb steps by one block; use :-{} for blocks of {}",
                Bytes(block.saturating_mul(2)),
                Bytes(block)
            ))
        };
    }
    let hole = section.bytes_of(text)?;
    if hole > 0 {
        // A zone of one block: at the end of the file it restarts at the beginning, as in fio.
        settings.set(section, "rw", "zone-size", Bytes(block).to_string());
        settings.set(section, "rw", "zone-skip", Bytes(hole).to_string());
        let alignment = greatest_common_divisor(block, hole);
        if alignment < block {
            settings.set(section, "rw", "align", Bytes(alignment).to_string());
        }
    }
    Ok("sequential".to_string())
}

/// Which of read, write and trim the job uses, and whether at random: with `verify_only` it reads what it would write, or all of its file where that cannot be
/// known.
///
/// # Errors
/// Blocks without a header would not tell which of them were written.
fn used_when_verifying(
    section: &Section,
    uses: [bool; 3],
    random: bool,
) -> Result<([bool; 3], bool), PlanError> {
    if !section.flag("verify_only")? {
        return Ok((uses, random));
    }
    let refuse = |why: &str| Err(section.error("verify_only", why));
    let Some(method) = verify_method(section) else {
        return refuse("nothing to verify; also set verify=crc32c");
    };
    let reads = [true, false, false];
    // A verify state says how far the job came.
    if !is_partly_written(section)? || section.flag("verify_state_load")? && !uses[0] {
        return match uses[2] {
            true => refuse("trimmed blocks cannot be verified; use rw=write"),
            false => Ok((reads, random)),
        };
    }
    if method == "pattern" {
        return refuse(
            "blocks without a header do not tell which of them were written; use verify=pattern_hdr, or rw=write",
        );
    }
    Ok((reads, false))
}
