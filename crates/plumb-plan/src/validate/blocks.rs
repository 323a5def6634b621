//! Are blocks, offsets and sizes consistent, and can they bypass the page cache?

use std::collections::BTreeMap;

use plumb_model::engines;
use plumb_model::engines::properties::EngineProperties;
use plumb_model::plan::Origin;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::{Direct, Job, Layout, Offsets, OperationKind};

use super::engine_options::owner_of_what_is_set;
use super::rule::{BLOCK_MAX, Group, Rule, SECTOR_BYTES, TRIM_MAX, rule};

pub(super) const BLOCKS: &[Rule] = &[
    rule("block", |job| {
        (job.workload.smallest_block_bytes() == 0)
            .then(|| "a block size of 0 transfers no data; use for example block = 4k".into())
    }),
    rule("block", |job| {
        let largest = job.workload.largest_block_bytes();
        let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| kind);
        let most = if kinds.all(|kind| *kind == OperationKind::Trim) {
            TRIM_MAX
        } else {
            BLOCK_MAX
        };
        (largest > most).then(|| {
            format!(
                "a block of {} is larger than one call can transfer; the maximum is {most} bytes",
                Bytes(largest)
            )
        })
    }),
    rule("block", |job| {
        let workload = &job.workload;
        // Offsets of an access specification have their own alignment, those of a log any.
        if workload.access.is_some() || workload.replay.is_some() {
            return None;
        }
        let smallest = workload.smallest_block_bytes();
        let mut blocks = workload.block.0.iter();
        let (uneven, _) =
            blocks.find(|(block, _)| !block.from.0.is_multiple_of(smallest.max(1)))?;
        Some(format!(
            "block {uneven} is not a multiple of the smallest block {}; offsets are multiples of that",
            Bytes(smallest)
        ))
    }),
];

/// Zones are accessed one after another.
pub(super) const OF_ZONES: Group = Group {
    concerns: |job| {
        let workload = &job.workload;
        let keys = [workload.zone_size, workload.zone_range, workload.zone_skip];
        keys.iter().any(Option::is_some)
    },
    rules: &[
        rule("zone-size", |job| {
            let is_missing = job.workload.zone_steps().is_none();
            is_missing.then(|| {
                "zone-range and zone-skip need zone-size, the amount transferred per zone; use for example zone-size = 256m".into()
            })
        }),
        rule("zone-size", |job| {
            let workload = &job.workload;
            let goes_by_zones = matches!(
                workload.offsets,
                Offsets::Sequential | Offsets::Random | Offsets::RandomWithReplacement
            );
            let has_own = workload.access.is_some() || workload.replay.is_some();
            (!goes_by_zones || has_own || workload.layout == Layout::Stream).then(|| {
                "zones need offsets = sequential, random or random-with-replacement, and layout = shared or own; change these, or remove zone-size".into()
            })
        }),
        rule("zone-size", |job| {
            let workload = &job.workload;
            let steps = workload.zone_steps()?;
            let unit = workload.offset_unit_bytes().max(1);
            let parts = [steps.bytes, steps.range_bytes, steps.skip_bytes];
            let uneven = parts.into_iter().find(|bytes| !bytes.is_multiple_of(unit));
            uneven.map(|bytes| {
                format!(
                    "zones consist of full blocks, and {} is not a multiple of {}; change one of them",
                    Bytes(bytes),
                    Bytes(unit)
                )
            })
        }),
        rule("zone-range", |job| {
            let (steps, largest) = (
                job.workload.zone_steps()?,
                job.workload.largest_block_bytes(),
            );
            (steps.range_bytes < largest).then(|| {
                format!(
                    "a zone of {} is too small for a block of {}; use a larger zone-range",
                    Bytes(steps.range_bytes),
                    Bytes(largest)
                )
            })
        }),
    ],
};

/// `align` aligns random offsets.
pub(super) const OF_ALIGN: Group = Group {
    concerns: |job| job.workload.align.is_some(),
    rules: &[
        rule("align", |job| {
            let workload = &job.workload;
            let is_zero = workload.align == Some(Bytes(0));
            is_zero.then(|| "align cannot be 0; use for example align = 4k".into())
        }),
        rule("align", |job| {
            let workload = &job.workload;
            let (order, is_multiple) = (&workload.offsets, workload.access.is_some());
            let in_order = matches!(
                order,
                Offsets::Sequential
                    | Offsets::Reverse
                    | Offsets::Strided(_)
                    | Offsets::StridedBlocks(_)
                    | Offsets::First
            );
            let by_zones = workload.zone_size.is_some();
            (in_order && !by_zones || is_multiple || workload.replay.is_some()).then(|| {
                "align is for random offsets and zones, not for access or a replay, which have their own; use offsets = random, or remove align".into()
            })
        }),
        rule("align", |job| {
            let workload = &job.workload;
            let smallest = workload.smallest_block_bytes();
            let fits = workload.offset_unit_bytes().is_multiple_of(smallest.max(1));
            (workload.verify && !fits).then(|| {
                format!(
                    "verify tracks blocks of {}, and align is not a multiple of that; remove one of them",
                    Bytes(smallest)
                )
            })
        }),
    ],
};

/// Start offsets of workers.
pub(super) const OF_START: Group = Group {
    concerns: |job| job.workload.same_start,
    rules: &[
        rule("same-start", |job| {
            let workload = &job.workload;
            let goes_over = matches!(
                workload.offsets,
                Offsets::Sequential
                    | Offsets::Reverse
                    | Offsets::Strided(_)
                    | Offsets::StridedBlocks(_)
            );
            let goes_over = goes_over || workload.access.is_some();
            (!goes_over || workload.replay.is_some() || workload.layout != Layout::Shared).then(|| {
                "same-start is for workers that access one target sequentially; use layout = shared and offsets = sequential, or remove it".into()
            })
        }),
        rule("same-start", |job| {
            let workload = &job.workload;
            (workload.verify && workload.writes_data() && workload.workers > 1).then(|| {
                "with same-start workers write the same block concurrently, so verify cannot know whose data to expect; remove one of them".into()
            })
        }),
    ],
};

/// Each worker tracks its own blocks.
pub(super) const OF_RANDOM_MAP: Group = Group {
    concerns: |job| job.workload.offsets == Offsets::RandomMap,
    rules: &[rule("offsets", |job| {
        (job.workload.layout == Layout::Stream).then(|| {
            "with random-map each worker has its own map, but layout = stream has one order of blocks for all; use layout = shared or own, or offsets = random".into()
        })
    })],
};

/// `precondition` writes a device once over, and some blocks twice.
pub(super) const OF_PRECONDITION: Group = Group {
    concerns: |job| matches!(job.workload.offsets, Offsets::Precondition(_)),
    rules: &[
        rule("offsets", |job| {
            let mut kinds = job.workload.mix.0.iter().map(|(kind, _)| *kind);
            let is_write = kinds.all(|kind| kind == OperationKind::Write);
            (!is_write || job.workload.access.is_some()).then(|| {
                "precondition brings an SSD to steady state by writes; use mix = write without access, or offsets = random".into()
            })
        }),
        rule("offsets", |job| {
            let workload = &job.workload;
            let is_shared = workload.all_workers() > 1 && workload.layout != Layout::Own;
            (is_shared || workload.layout == Layout::Stream).then(|| {
                "with precondition each worker needs blocks of its own; use workers = 1, or layout = own".into()
            })
        }),
        rule("block", |job| {
            job.workload.block.only_size().is_none().then(|| {
                "precondition writes pages of one size, best that of the mapping unit of the device; use one block size".into()
            })
        }),
    ],
};

/// An access specification draws kind, size and offset of each operation together.
pub(super) const OF_ACCESS: Group = Group {
    concerns: |job| job.workload.access.is_some(),
    rules: &[
        rule("layout", |job| {
            (job.workload.layout == Layout::Stream).then(|| {
                "layout = stream feeds one order of blocks to all workers, but with access each worker draws its own; use layout = shared or own".into()
            })
        }),
        rule("verify", |job| {
            job.workload.verify.then(|| {
                "verify needs blocks that never overlap partially, but offsets of access are aligned to less than a block; remove one of them".into()
            })
        }),
    ],
};

pub(super) const SIZES: &[Rule] = &[
    rule("size", |job| {
        let workload = &job.workload;
        let mut kinds = workload.mix.0.iter().map(|(kind, _)| kind);
        let size = workload
            .size
            .filter(|_| !kinds.all(|kind| kind.is_file_operation()))?;
        let parts = if workload.layout == Layout::Own {
            u64::from(workload.workers)
        } else {
            1
        };
        let largest = workload.largest_block_bytes();
        (size.0 / parts.max(1) < largest).then(|| {
            let share = if parts > 1 {
                format!(" for each of {parts} workers (layout own)")
            } else {
                String::new()
            };
            format!("size {size} is smaller than one block of {}{share}; use a larger size or a smaller block", Bytes(largest))
        })
    }),
    rule("offsets", |job| {
        let (step, largest) = (
            job.workload.stride_bytes().unwrap_or(0),
            job.workload.largest_block_bytes(),
        );
        (step > 0 && step < largest).then(|| {
            format!(
                "a stride of {} is smaller than the block of {}, so blocks would overlap; use for example strided:{}",
                Bytes(step),
                Bytes(largest),
                Bytes(largest * 2)
            )
        })
    }),
];

/// The engine that a job sets, or that owns the options it sets.
fn engine_of(job: &Job) -> Option<&'static EngineProperties> {
    engines::named(&job.engine.engine).or_else(|| owner_of_what_is_set(job))
}

/// Uses direct I/O if the target supports it, unless set otherwise: blocks of a local target, in full sectors, with a capable engine. One default for `plumb
/// check`, a workload from flags and a plan file (docs/decisions/0005).
pub(crate) fn bypass_cache_if_possible(job: &mut Job, origins: &mut BTreeMap<String, Origin>) {
    let workload = &job.workload;
    let can = matches!(job.target, Target::Path(_))
        && !workload.has_file_operations()
        && workload.replay.is_none()
        && workload.unit_bytes().is_multiple_of(SECTOR_BYTES)
        && workload.start.0.is_multiple_of(SECTOR_BYTES)
        && job.engine.call_size.0.is_multiple_of(SECTOR_BYTES)
        && engine_of(job).is_none_or(|engine| engine.never_direct.is_none());
    if can && !origins.contains_key("direct") {
        job.workload.direct = Direct::Try;
        origins.insert("direct".into(), Origin::Resolved);
    }
}

/// Blocks and alignments that direct I/O does not support.
fn is_odd_for_direct(job: &Job) -> bool {
    job.workload.direct == Direct::Yes && !job.workload.unit_bytes().is_multiple_of(SECTOR_BYTES)
}

pub(super) const DIRECT: &[Rule] = &[
    rule("access", |job| {
        (is_odd_for_direct(job) && job.workload.access.is_some()).then(|| {
            format!("direct I/O needs sizes and alignments that are multiples of {SECTOR_BYTES} bytes; change the access lines or use direct = false")
        })
    }),
    rule("block", |job| {
        is_odd_for_direct(job).then(|| {
            format!(
                "direct I/O needs blocks that are multiples of {SECTOR_BYTES} bytes, and block = {}; change the block or use direct = false",
                job.workload.block
            )
        })
    }),
    rule("start", |job| {
        let start = job.workload.start;
        (job.workload.direct == Direct::Yes && !start.0.is_multiple_of(SECTOR_BYTES)).then(|| {
            format!("direct I/O needs a start that is a multiple of {SECTOR_BYTES} bytes, and start = {start}")
        })
    }),
    rule("direct", |job| {
        let engine = engine_of(job)?;
        let why = engine.never_direct?;
        (job.workload.direct == Direct::Yes).then(|| {
            format!(
                "the {} engine {why}; choose another engine or use direct = false",
                engine.name
            )
        })
    }),
];
