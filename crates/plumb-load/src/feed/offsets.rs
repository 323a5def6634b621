//! Where does the next operation go, how long is it, and of which kind is it? Filled in for an entire batch, from a seed.
//!
//! User-space instructions for an operation, drawn in batches of 32 (callgrind, x86-64 baseline): sequential, reverse, strided 13 to 18; with
//! replacement 17; random 28 where the number of blocks is a power of two, else up to 50; hot spot 30; Zipf and Pareto 78; some 27 more for several block
//! sizes; kinds 3, or 27 for a mix. Batches of one: some 30 more. No allocation, no lock, no division, no call into the mathematical library.

mod access;
mod covering;
mod generator;
mod order;
mod permutation;
mod preconditioning;
mod random_map;
mod ranks;
mod rare;
mod room;
mod shares;
mod span;
mod zone_steps;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use plumb_model::units::Bytes;
use plumb_model::workload::{Layout, OperationKind, Workload};

use crate::engine::operation::Op;
pub use access::AccessSequence;
use covering::{OneSize, SizeInOffset, Space};
pub(crate) use generator::{Generator, Purpose};
use order::{Order, assign};
use room::Room;
use shares::Shares;
pub use span::Span;

/// Length of one operation, in bytes and in (begun) units.
#[derive(Debug, Clone, Copy)]
struct Size {
    len: u32,
    units: u32,
}

#[derive(Debug)]
enum Sizes {
    One(Size),
    Several {
        shares: Shares<Size>,
        generator: Generator,
    },
    /// Ranges: of each the smallest size, and how many multiples of it there are.
    Ranges {
        shares: Shares<(Size, u64)>,
        unit_bytes: u64,
        generator: Generator,
    },
}

/// The offsets and lengths of one worker's operations.
///
/// The *unit* is the smallest block size, or what offsets are to be aligned to. Offsets are multiples of the unit, and `offset + len` never passes the end of the span. The span's start
/// is rounded up to a multiple of the unit, and a rest at the end that is shorter than a unit is left alone.
///
/// | order | what a worker does |
/// |---|---|
/// | sequential, reverse | goes over the span, then begins again. Of several sizes, one that would cross the end is drawn again; where none fits, it is moved back to end there |
/// | strided | rises by the step (in bytes or blocks); each lap starts one unit further, so that each unit starts exactly one block in `step / unit` laps |
/// | first | stays at the first unit |
/// | random | each unit starts exactly one block in a lap, in a new order each lap; with one block size that is: each block once |
/// | random map | each unit is moved exactly once in a pass, whatever the sizes: a block ends where it would meet one that was moved. Each worker by itself |
/// | random with replacement, hot spot | independent draws |
/// | normal, zoned | independent draws |
/// | random runs | random with a run of blocks as the unit |
/// | precondition | each unit once in a random order, some of them once more: [`Preconditioning`](plumb_model::workload::preconditioning::Preconditioning) |
/// | Zipf, Pareto | independent draws of a rank; ranks are scattered over the span by a permutation that the seed fixes |
///
/// With zones ([`Workload::zone_steps`]) sequential and random go over one zone after the other, each worker by itself.
///
/// In every other random order a larger block that would cross the end of the span is moved back to end there.
///
/// How workers share one span ([`Layout::Shared`]): random covers the span once *between* them (worker w of W takes tickets w, w + W, ... of
/// one permutation). Sequential, reverse and strided workers each go over the entire span, but worker w starts at the part w/W of it: when all start at
/// 0 they read the same blocks in lockstep, and all but the first are answered by a cache (fio issue 1501); `same-start` requests that anyway. The other
/// orders are independent draws
/// with the same hot blocks. [`Layout::Stream`]: one counter for all workers, each batch takes the next offsets, so that sequential is one sequential
/// stream and random covers the span once between them, whoever is faster. [`Layout::Own`]: the span is the worker's alone.
#[derive(Debug)]
pub struct OffsetSequence {
    source: Source,
    /// Operations drawn beforehand: choosing the order costs about 100 instructions, too many for each batch of one.
    ahead: Vec<Op>,
    /// How many of them are used up.
    taken: usize,
}

const AHEAD: usize = 32;

/// Blocks that are counted for their part of a pass; more would delay the start by seconds.
const COUNTED_MAX: u64 = 1 << 28;

/// What offsets and lengths are drawn from.
#[derive(Debug)]
struct Source {
    space: Space,
    sizes: Sizes,
    order: Order,
    stream: Option<Arc<AtomicU64>>,
    /// The span is that of one worker's blocks in a file of segments.
    segmented: bool,
}

impl OffsetSequence {
    /// The sequence of worker `worker` (0-based) of `workers` over `span`. `stream` is the counter, starting at 0, that all workers of a job with
    /// [`Layout::Stream`] share; it is not used otherwise. The same arguments give the same sequence on every machine.
    ///
    /// # Errors
    /// What does not fit, and what to change: no block size, a block of 0 bytes, 2 GiB or more, a span shorter than the largest block, a step that is no multiple
    /// of the unit, a stream layout without a counter.
    pub fn new(
        workload: &Workload,
        span: Span,
        worker: u32,
        workers: u32,
        seed: u64,
        stream: Option<Arc<AtomicU64>>,
    ) -> Result<Self, String> {
        let space = space_of(workload, span)?;
        let stream = match (workload.layout, stream) {
            (Layout::Stream, None) => {
                return Err(
                    "layout stream requires one counter shared by all workers of the job".into(),
                );
            }
            (Layout::Stream, counter) => counter,
            _ => None,
        };
        let sizes = Sizes::new(workload, space.unit_bytes, seed, worker)?;
        let order = Order::new(workload, space, worker, workers, seed)?;
        let blank = Op {
            offset: 0,
            len: 0,
            slot: 0,
            file: 0,
            kind: OperationKind::Read,
            priority: 0,
        };
        Ok(OffsetSequence {
            source: Source {
                space,
                sizes,
                order,
                stream,
                segmented: workload.segments().is_some(),
            },
            ahead: vec![blank; AHEAD],
            taken: AHEAD,
        })
    }

    /// Bytes after which this worker has done its part of going over the span `passes` times together with all others. Workers with a span of their
    /// own go over that. With one block size, every order but the independent draws has touched each block exactly once after one pass, and random exactly
    /// `passes` times after several.
    ///
    /// The blocks that several workers take in turns from a permutation are counted here, which takes some 10 ns for each; those beyond the first 2^28 by their
    /// mean.
    pub fn pass_bytes(&self, passes: u64, layout: Layout, worker: u32, workers: u32) -> u64 {
        let Space {
            count, unit_bytes, ..
        } = self.source.space;
        let total = u128::from(count) * u128::from(passes);
        let (worker, workers) = (u128::from(worker), u128::from(workers.max(1)));
        let units = match (layout, &self.source.order) {
            (_, Order::Zones(walk)) if self.source.segmented => {
                u128::from(walk.units_of_a_lap(self.source.space)) * u128::from(passes)
            }
            (_, Order::Precondition(writes)) => u128::from(writes.of_a_pass()) * u128::from(passes),
            (Layout::Own, _) | (_, Order::Map(_)) => total,
            (Layout::Shared, Order::Covering(covering)) if workers > 1 => {
                let laps = passes.min((COUNTED_MAX / count).max(1));
                u128::from(covering.positions_within(laps, count))
                    + (total - u128::from(count) * u128::from(laps)) / workers
            }
            // Where a worker begins is where the part of the one before ends.
            (Layout::Shared, _) => total * (worker + 1) / workers - total * worker / workers,
            (Layout::Stream, _) => total / workers + u128::from(worker < total % workers),
        };
        u64::try_from(units * u128::from(unit_bytes)).unwrap_or(u64::MAX)
    }

    /// Sets `offset` and `len` of each operation, and leaves the other fields alone. How operations are cut into batches does not change the sequence.
    #[inline]
    pub fn fill(&mut self, ops: &mut [Op]) {
        // Batches of a stream are not split: workers would take 32 offsets at once.
        if ops.len() >= AHEAD / 2 && self.taken == self.ahead.len() || self.source.stream.is_some()
        {
            return self.source.draw(ops);
        }
        for op in ops {
            if self.taken == self.ahead.len() {
                self.source.draw(&mut self.ahead);
                self.taken = 0;
            }
            let next = &self.ahead[self.taken];
            (op.offset, op.len) = (next.offset, next.len);
            self.taken += 1;
        }
    }
}

/// The units of a span. Errors: as of [`OffsetSequence::new`].
fn space_of(workload: &Workload, span: Span) -> Result<Space, String> {
    let unit_bytes = workload.offset_unit_bytes();
    if unit_bytes == 0 || workload.smallest_block_bytes() == 0 {
        return Err("a block of 0 bytes transfers nothing: set block to a size such as 4k".into());
    }
    let end = span
        .start
        .checked_add(span.len)
        .ok_or("the part of the target ends beyond 2^64 bytes: reduce start or size")?;
    let base = span
        .start
        .checked_next_multiple_of(unit_bytes)
        .unwrap_or(end);
    let count = end.saturating_sub(base) / unit_bytes;
    let largest = workload.largest_block_bytes();
    if count < largest.div_ceil(unit_bytes) {
        return Err(format!(
            "the part of the target at offset {} with {} bytes is smaller than one block of {largest} bytes: increase size or reduce block{}",
            span.start,
            span.len,
            if workload.layout == Layout::Own {
                " or workers"
            } else {
                ""
            }
        ));
    }
    if count > 1 << 62 {
        return Err(format!("{count} blocks exceed the limit: increase block"));
    }
    Ok(Space {
        base,
        unit_bytes,
        count,
    })
}

impl Source {
    #[inline(never)]
    fn draw(&mut self, ops: &mut [Op]) {
        match &mut self.sizes {
            Sizes::One(size) => assign(
                OneSize(size.len),
                self.space,
                &mut self.order,
                self.stream.as_deref(),
                ops,
            ),
            Sizes::Several { shares, generator } => {
                let mut held = generator.clone();
                let mut room = Room::before(&self.order, self.space, self.stream.is_some());
                for op in ops.iter_mut() {
                    let size = room.fit(|| shares.pick(held.draw()), |size| size.units.into());
                    op.len = size.len;
                    op.offset = u64::from(size.units);
                }
                *generator = held;
                self.assign_sized(ops);
            }
            Sizes::Ranges {
                shares,
                unit_bytes,
                generator,
            } => {
                let mut room = Room::before(&self.order, self.space, self.stream.is_some());
                for op in ops.iter_mut() {
                    let draw = || {
                        let (smallest, count) = shares.pick(generator.draw());
                        smallest.len * (1 + generator.below(count) as u32)
                    };
                    op.len = room.fit(draw, |len| u64::from(*len).div_ceil(*unit_bytes));
                    op.offset = u64::from(op.len).div_ceil(*unit_bytes);
                }
                self.assign_sized(ops);
            }
        }
    }

    /// Places operations whose lengths are drawn.
    fn assign_sized(&mut self, ops: &mut [Op]) {
        assign(
            SizeInOffset,
            self.space,
            &mut self.order,
            self.stream.as_deref(),
            ops,
        );
    }
}

impl Sizes {
    fn new(workload: &Workload, unit_bytes: u64, seed: u64, worker: u32) -> Result<Self, String> {
        let only_trims = workload
            .mix
            .0
            .iter()
            .all(|(kind, _)| *kind == OperationKind::Trim);
        // i32 is what engines report back, and Linux moves at most 0x7fff_f000 bytes at once (read(2)); a trim is reported as done or not.
        let most = if only_trims { u32::MAX } else { 0x7fff_f000 };
        let size_of = |bytes: Bytes| {
            let len = u32::try_from(bytes.0).ok().filter(|len| *len <= most);
            let len = len.ok_or_else(|| {
                format!("a block of {bytes} exceeds the limit of one operation: use less than 2g")
            })?;
            let units = u64::from(len).div_ceil(unit_bytes) as u32;
            Ok::<Size, String>(Size { len, units })
        };
        let mut sizes = Vec::with_capacity(workload.block.0.len());
        for (block, weight) in &workload.block.0 {
            size_of(block.to)?;
            sizes.push(((size_of(block.from)?, block.count()), *weight));
        }
        let described = |why| format!("block '{}': {why}", workload.block);
        let generator = Generator::from_parts(&[seed, Purpose::Sizes as u64, u64::from(worker)]);
        if sizes.iter().any(|((_, count), _)| *count > 1) {
            return Ok(Sizes::Ranges {
                shares: Shares::new(&sizes).map_err(described)?,
                unit_bytes,
                generator,
            });
        }
        let sizes: Vec<(Size, f64)> = sizes
            .into_iter()
            .map(|((size, _), weight)| (size, weight))
            .collect();
        let shares = Shares::new(&sizes).map_err(described)?;
        Ok(match shares.only() {
            Some(size) if size.units == 1 => Sizes::One(size),
            _ => Sizes::Several { shares, generator },
        })
    }
}

/// The kinds of one worker's operations: independent seeded draws by the weights of the mix, so that shares are exact on average and there is no pattern
/// that a device or a lock could fall in step with. A share p of n operations has a standard deviation of sqrt(p (1 - p) / n).
#[derive(Debug)]
pub struct KindSequence {
    shares: Shares<OperationKind>,
    generator: Generator,
}

impl KindSequence {
    /// The sequence of worker `worker`.
    ///
    /// # Errors
    /// Says so when the mix has no operation with a weight above 0.
    pub fn new(workload: &Workload, seed: u64, worker: u32) -> Result<Self, String> {
        let shares =
            Shares::new(&workload.mix.0).map_err(|why| format!("mix '{}': {why}", workload.mix))?;
        Ok(KindSequence {
            shares,
            generator: Generator::from_parts(&[seed, Purpose::Kinds as u64, u64::from(worker)]),
        })
    }

    /// The only kind, when the mix has but one: it can then be set once instead of for each batch.
    pub fn only(&self) -> Option<OperationKind> {
        self.shares.only()
    }

    /// Sets `kind` of each operation, and leaves the other fields alone.
    pub fn fill(&mut self, ops: &mut [Op]) {
        match self.shares.only() {
            Some(kind) => ops.iter_mut().for_each(|op| op.kind = kind),
            None => {
                let mut held = self.generator.clone();
                ops.iter_mut()
                    .for_each(|op| op.kind = self.shares.pick(held.draw()));
                self.generator = held;
            }
        }
    }
}

#[cfg(test)]
mod tests;
