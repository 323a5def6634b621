//! Where in the target does the next block lie?

use std::fmt;
use std::str::FromStr;

use crate::text::word::serde_as_text;
use crate::units::{Bytes, UnitError};
use crate::workload::Workload;
use crate::workload::block_list::BlockList;
use crate::workload::preconditioning::Preconditioning;
use crate::workload::zones::Zones;

/// Where in the target the next block lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Offsets {
    /// Rising, from the start; begins again at the end.
    Sequential,
    /// Falling, from the end; begins again at the start.
    Reverse,
    /// Rising by a fixed step in bytes from block start to block start; the next lap starts one block further.
    Strided(Bytes),
    /// The same with a step of so many blocks (the smallest, when there are several): fits every block of a sweep.
    StridedBlocks(u64),
    /// Always the first block.
    First,
    /// Random, each block exactly once before any comes again (a permutation, no memory).
    Random,
    /// Random, each byte exactly once before any comes again, whatever the sizes of the blocks: a block is cut where it would meet what was done
    /// already (a map in memory, as fio's random map).
    RandomMap,
    /// Random, drawn independently: blocks may repeat at once.
    RandomWithReplacement,
    /// Zipf's law with this exponent (above 0): few blocks get most operations. The hot blocks are scattered.
    Zipf(f64),
    /// Pareto with this power (0 to 1, exclusive); 0.2 sends 80 % of operations to 20 % of the blocks. Scattered.
    Pareto(f64),
    /// A share of operations (percent) goes to the first share (percent) of the target, the rest to the remainder.
    HotSpot {
        operations_percent: f64,
        space_percent: f64,
    },
    /// As fio's distribution of this name: the mean of twelve uniform draws, which has a standard deviation of 1/12 of the target, and a uniform draw of this
    /// share (percent, at most 50) of the target on both sides together. Scattered.
    Normal(f64),
    /// Zones with a share of the operations each; within a zone independent draws.
    Zoned(Zones),
    /// Random places of so many blocks that follow each other; each block exactly once before any comes again.
    RandomRuns(u64),
    /// Random places, each so many times in a row (fio's rw_sequencer=identical); each place before any comes again later.
    RandomRepeats(u64),
    /// These blocks, one after the other, again and again; those beyond the end of the target are counted from its start again.
    Listed(BlockList),
    /// The same relative to a base that advances by the length of the list after each cycle.
    ListedMoving(BlockList),
    /// Random writes that bring an SSD to steady state (fio's sprandom).
    Precondition(Preconditioning),
}

impl Workload {
    /// True where blocks drawn with replacement are drawn again in the same order after each pass. fio begins its random numbers anew after each pass of a job
    /// that verifies until its time is up (`clear_io_state` in its libfio.c): a later job that reads longer than this one wrote meets only blocks that were
    /// written.
    pub fn repeats_draws(&self) -> bool {
        let is_seeded = self.verify_as.is_some() && self.seed.is_some();
        let is_timed = self.time.is_some() && self.bytes.is_none() && self.operations.is_none();
        is_seeded && is_timed && self.offsets == Offsets::RandomWithReplacement
    }
}

/// A finite number, with or without a sign of percent.
fn number(value: &str) -> Option<f64> {
    let number = value.trim_end_matches('%').parse::<f64>().ok();
    number.filter(|number| number.is_finite())
}

/// `80/20`: operations and space, in percent.
fn hot_spot(value: &str) -> Option<Offsets> {
    let (operations, space) = value.split_once('/')?;
    let (operations_percent, space_percent) = (number(operations)?, number(space)?);
    let fit =
        (0.0..=100.0).contains(&operations_percent) && space_percent > 0.0 && space_percent < 100.0;
    fit.then_some(Offsets::HotSpot {
        operations_percent,
        space_percent,
    })
}

impl FromStr for Offsets {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let lower = text.trim().to_ascii_lowercase().replace('_', "-");
        let (name, value) = lower
            .split_once(':')
            .map_or((lower.as_str(), None), |(name, value)| (name, Some(value)));
        let found = match (name, value) {
            ("sequential", None) => Some(Offsets::Sequential),
            ("reverse", None) => Some(Offsets::Reverse),
            ("first", None) => Some(Offsets::First),
            ("random", None) => Some(Offsets::Random),
            ("random-map", None) => Some(Offsets::RandomMap),
            ("random-with-replacement", None) => Some(Offsets::RandomWithReplacement),
            ("strided", Some(step)) if step.ends_with("block") || step.ends_with("blocks") => {
                let count = step
                    .trim_end_matches('s')
                    .strip_suffix("-block")
                    .and_then(|count| count.trim().parse::<u64>().ok());
                count.filter(|count| *count > 0).map(Offsets::StridedBlocks)
            }
            ("strided", Some(step)) => Some(Offsets::Strided(step.parse()?))
                .filter(|offsets| *offsets != Offsets::Strided(Bytes(0))),
            ("zipf", value) => number(value.unwrap_or("1.1"))
                .filter(|n| *n > 0.0 && *n <= 10.0)
                .map(Offsets::Zipf),
            ("pareto", value) => number(value.unwrap_or("0.2"))
                .filter(|n| *n > 0.0 && *n < 1.0)
                .map(Offsets::Pareto),
            ("normal", Some(value)) => number(value)
                .filter(|n| *n >= 0.0 && *n < 100.0)
                .map(Offsets::Normal),
            ("zoned", Some(value)) => Some(Offsets::Zoned(value.parse()?)),
            ("random-runs", Some(value)) => value
                .parse::<u64>()
                .ok()
                .filter(|blocks| *blocks > 0)
                .map(Offsets::RandomRuns),
            ("random-repeats", Some(value)) => value
                .parse::<u64>()
                .ok()
                .filter(|times| *times > 0)
                .map(Offsets::RandomRepeats),
            ("listed", Some(value)) => Some(Offsets::Listed(value.parse()?)),
            ("listed-moving", Some(value)) => Some(Offsets::ListedMoving(value.parse()?)),
            ("precondition", Some(value)) => Some(Offsets::Precondition(value.parse()?)),
            ("hot-spot", value) => hot_spot(value.unwrap_or("80/20")),
            _ => None,
        };
        found.ok_or_else(|| {
            UnitError(format!(
                "'{text}' is no order of offsets: choose one of sequential, reverse, strided:64k, strided:18-blocks, first, random, random-map, random-with-replacement, zipf:1.1, pareto:0.2, hot-spot:80/20, normal:5, zoned:60/10:30/20:10/70, random-runs:8, random-repeats:8, listed:2,0,1, listed-moving:2,0,1, precondition:15"
            ))
        })
    }
}

impl fmt::Display for Offsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Offsets::Sequential => write!(f, "sequential"),
            Offsets::Reverse => write!(f, "reverse"),
            Offsets::Strided(step) => write!(f, "strided:{step}"),
            Offsets::StridedBlocks(count) => write!(f, "strided:{count}-blocks"),
            Offsets::First => write!(f, "first"),
            Offsets::Random => write!(f, "random"),
            Offsets::RandomMap => write!(f, "random-map"),
            Offsets::RandomWithReplacement => write!(f, "random-with-replacement"),
            Offsets::Zipf(exponent) => write!(f, "zipf:{exponent}"),
            Offsets::Pareto(power) => write!(f, "pareto:{power}"),
            Offsets::HotSpot {
                operations_percent,
                space_percent,
            } => write!(f, "hot-spot:{operations_percent}/{space_percent}"),
            Offsets::Normal(deviation) => write!(f, "normal:{deviation}"),
            Offsets::Zoned(zones) => write!(f, "zoned:{zones}"),
            Offsets::RandomRuns(blocks) => write!(f, "random-runs:{blocks}"),
            Offsets::RandomRepeats(times) => write!(f, "random-repeats:{times}"),
            Offsets::Listed(list) => write!(f, "listed:{list}"),
            Offsets::ListedMoving(list) => write!(f, "listed-moving:{list}"),
            Offsets::Precondition(how) => write!(f, "precondition:{how}"),
        }
    }
}

serde_as_text!(
    Offsets,
    "Offsets",
    "sequential, reverse, strided:STEP, strided:N-blocks, first (always the first block), random (each block once), random-map (each byte once, blocks of several sizes are cut for that), random-with-replacement, zipf:EXPONENT, pareto:POWER, hot-spot:OPERATIONS/SPACE, normal:DEVIATION (fio's distribution), zoned:OPERATIONS/SPACE:OPERATIONS/SPACE:... (percent), random-runs:BLOCKS (runs of blocks at random places), random-repeats:TIMES (each random block so many times in a row), listed:BLOCKS (these block numbers in turn, with commas), listed-moving:BLOCKS (the same, each cycle further by the length of the list), precondition:PERCENT/REGIONS/CACHE (random writes that bring an SSD with so much over-provisioning to steady state in one pass, 100 regions by default)"
);
