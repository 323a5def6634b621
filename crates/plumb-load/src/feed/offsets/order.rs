//! Which unit of the target comes next? One file for all orders: each is a few lines of state and a tight loop over a batch.

use std::sync::atomic::{AtomicU64, Ordering};

use plumb_model::workload::{Layout, Offsets, Workload};

use super::generator::{Generator, Purpose, scramble};
use super::permutation::Permutation;
use super::ranks::Ranks;
use crate::engine::operation::Op;

/// The blocks that offsets are drawn from: `count` units of `unit_bytes`, the first at `base`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    pub base: u64,
    pub unit_bytes: u64,
    pub count: u64,
}

/// The state of each order.
#[derive(Debug)]
pub(super) enum Order {
    Rising {
        next: u64,
    },
    Falling {
        next: u64,
    },
    Strided(Stride),
    First,
    Covering(Covering),
    Uniform(Generator),
    HotSpot {
        generator: Generator,
        threshold: u64,
        hot: u64,
    },
    Ranked {
        generator: Generator,
        ranks: Ranks,
        scatter: Permutation,
    },
}

impl Order {
    /// The order that the workload asks for, where this worker begins.
    pub(super) fn new(
        workload: &Workload,
        space: Space,
        worker: u32,
        workers: u32,
        seed: u64,
    ) -> Result<Self, String> {
        // Workers with a span of their own have a permutation of their own, those that share one share it.
        let own = if workload.layout == Layout::Own {
            u64::from(worker) + 1
        } else {
            0
        };
        let key = |purpose: Purpose| scramble(seed ^ scramble(purpose as u64) ^ own);
        let shared = workload.layout == Layout::Shared && workers > 1;
        let first = if shared {
            share_of(space.count, worker, workers)
        } else {
            0
        };
        let places = Generator::from_parts(&[seed, Purpose::Places as u64, u64::from(worker)]);
        let ranked = |ranks, generator| Order::Ranked {
            generator,
            ranks,
            scatter: Permutation::new(space.count, key(Purpose::Scatter)),
        };
        Ok(match workload.offsets {
            Offsets::Sequential => Order::Rising { next: first },
            Offsets::Reverse => Order::Falling { next: first },
            Offsets::Strided(_) | Offsets::StridedBlocks(_) => {
                let mut stride = Stride::new(workload.stride_bytes().unwrap_or(0), space)?;
                stride.seek(first, space.count);
                Order::Strided(stride)
            }
            Offsets::First => Order::First,
            Offsets::Random => {
                let (ticket, step) = if shared {
                    (u64::from(worker), u64::from(workers))
                } else {
                    (0, 1)
                };
                Order::Covering(Covering::new(space.count, key(Purpose::Laps), ticket, step))
            }
            Offsets::RandomWithReplacement => Order::Uniform(places),
            Offsets::HotSpot {
                operations_percent,
                space_percent,
            } => {
                let hot = (space.count as f64 * space_percent / 100.0).round() as u64;
                let hot = hot.clamp(1, space.count.saturating_sub(1).max(1));
                let share = if hot == space.count {
                    1.0
                } else {
                    operations_percent / 100.0
                };
                Order::HotSpot {
                    generator: places,
                    threshold: (share * (1u64 << 32) as f64).round() as u64,
                    hot,
                }
            }
            Offsets::Zipf(exponent) => ranked(Ranks::zipf(space.count, exponent)?, places),
            Offsets::Pareto(power) => ranked(Ranks::pareto(space.count, power)?, places),
        })
    }
}

/// Where part `worker` of `workers` equal parts of `count` begins.
pub(super) fn share_of(count: u64, worker: u32, workers: u32) -> u64 {
    (u128::from(count) * u128::from(worker % workers) / u128::from(workers)) as u64
}

/// How the length of an operation is known while it is placed.
pub(super) trait Lengths: Copy {
    /// Sets the length where that is still to be done, and gives it in units.
    fn units(self, op: &mut Op) -> u64;
    /// `place`, moved back so that the block ends within `count` units.
    fn inside(self, place: u64, units: u64, count: u64) -> u64;
}

/// All operations have this length: one unit.
#[derive(Clone, Copy)]
pub(super) struct OneSize(pub u32);

impl Lengths for OneSize {
    #[inline(always)]
    fn units(self, op: &mut Op) -> u64 {
        op.len = self.0;
        1
    }

    #[inline(always)]
    fn inside(self, place: u64, _: u64, _: u64) -> u64 {
        place
    }
}

/// The length in units was drawn before, and waits in `offset`.
#[derive(Clone, Copy)]
pub(super) struct SizeInOffset;

impl Lengths for SizeInOffset {
    #[inline(always)]
    fn units(self, op: &mut Op) -> u64 {
        op.offset
    }

    #[inline(always)]
    fn inside(self, place: u64, units: u64, count: u64) -> u64 {
        place.min(count - units)
    }
}

impl Space {
    #[inline(always)]
    fn offset(self, place: u64) -> u64 {
        self.base + place * self.unit_bytes
    }
}

/// Sets the offsets (and lengths) of a batch: one choice for all, then a tight loop.
pub(super) fn place<L: Lengths>(
    lengths: L,
    space: Space,
    order: &mut Order,
    stream: Option<&AtomicU64>,
    ops: &mut [Op],
) {
    match order {
        Order::Rising { next } | Order::Falling { next } if stream.is_some() => {
            // What matters is that no two batches get the same place; the order between workers is theirs.
            let taken = ops.iter_mut().map(|op| lengths.units(op)).sum();
            *next = stream.map_or(0, |counter| counter.fetch_add(taken, Ordering::Relaxed))
                % space.count;
        }
        Order::Strided(stride) => {
            if let Some(counter) = stream {
                stride.seek(
                    counter.fetch_add(ops.len() as u64, Ordering::Relaxed) % space.count,
                    space.count,
                );
            }
        }
        _ => {}
    }
    match order {
        Order::Rising { next } => walk(lengths, space, next, ops, |from, _| from),
        Order::Falling { next } => walk(lengths, space, next, ops, |from, units| {
            space.count - units - from
        }),
        Order::Strided(stride) => each(lengths, space, ops, || stride.next(space.count)),
        Order::First => each(lengths, space, ops, || 0),
        Order::Covering(covering) => match stream {
            Some(counter) => covering.place_from(counter, lengths, space, ops),
            None => covering.place_own(lengths, space, ops),
        },
        Order::Uniform(generator) => drawn(lengths, space, generator, ops, |generator| {
            generator.below(space.count)
        }),
        Order::HotSpot {
            generator,
            threshold,
            hot,
        } => drawn(lengths, space, generator, ops, |generator| {
            let is_hot = generator.draw() >> 32 < *threshold;
            let (first, part) = if is_hot {
                (0, *hot)
            } else {
                (*hot, space.count - *hot)
            };
            first + generator.below(part)
        }),
        Order::Ranked {
            generator,
            ranks,
            scatter,
        } => {
            drawn(lengths, space, generator, ops, |generator| {
                scatter.place_below(ranks.draw(generator), space.count)
            });
        }
    }
}

/// Each operation at the place that `next` gives.
#[inline(always)]
fn each<L: Lengths>(lengths: L, space: Space, ops: &mut [Op], mut next: impl FnMut() -> u64) {
    for op in ops {
        let units = lengths.units(op);
        op.offset = space.offset(lengths.inside(next(), units, space.count));
    }
}

/// Each operation at a drawn place. The generator is held in a register meanwhile.
#[inline(always)]
fn drawn<L: Lengths>(
    lengths: L,
    space: Space,
    generator: &mut Generator,
    ops: &mut [Op],
    draw: impl Fn(&mut Generator) -> u64,
) {
    let mut held = generator.clone();
    each(lengths, space, ops, || draw(&mut held));
    *generator = held;
}

/// Block after block; `turn` gives the place of a block from the walked distance and its units.
#[inline(always)]
fn walk<L: Lengths>(
    lengths: L,
    space: Space,
    next: &mut u64,
    ops: &mut [Op],
    turn: impl Fn(u64, u64) -> u64,
) {
    let mut from = *next;
    for op in ops {
        let units = lengths.units(op);
        op.offset = space.offset(turn(lengths.inside(from, units, space.count), units));
        from += units;
        from -= if from >= space.count { space.count } else { 0 };
    }
    *next = from;
}

/// A strided walk, in units.
#[derive(Debug)]
pub(super) struct Stride {
    step: u64,
    shift: u64,
    at: u64,
}

impl Stride {
    fn new(step: u64, space: Space) -> Result<Self, String> {
        if step == 0 || !step.is_multiple_of(space.unit_bytes) {
            return Err(format!(
                "strided:{step} is no multiple of the smallest block of {} bytes: choose one",
                space.unit_bytes
            ));
        }
        Ok(Stride {
            step: (step / space.unit_bytes).min(space.count),
            shift: 0,
            at: 0,
        })
    }

    /// Goes to the `index`-th place of the `count` places of a full cycle of laps.
    fn seek(&mut self, index: u64, count: u64) {
        // The first `rest` laps have one place more than the others.
        let (places, rest) = (count / self.step, count % self.step);
        let longer = rest * (places + 1);
        let (shift, turn) = if index < longer {
            (index / (places + 1), index % (places + 1))
        } else {
            (rest + (index - longer) / places, (index - longer) % places)
        };
        (self.shift, self.at) = (shift, shift + turn * self.step);
    }

    #[inline(always)]
    fn next(&mut self, count: u64) -> u64 {
        let at = self.at;
        self.at += self.step;
        if self.at >= count {
            self.shift = if self.shift + 1 >= self.step {
                0
            } else {
                self.shift + 1
            };
            self.at = self.shift;
        }
        at
    }
}

/// A permutation of all units, another one each lap. Tickets count through the next power of two; those whose place is outside are passed over, so
/// that tickets can be dealt out to workers beforehand and still every unit comes once.
#[derive(Debug)]
pub(super) struct Covering {
    key: u64,
    permutation: Permutation,
    lap_end: u64,
    bits: u32,
    pub ticket: u64,
    pub step: u64,
}

impl Covering {
    fn new(count: u64, key: u64, ticket: u64, step: u64) -> Self {
        let bits = Permutation::bits(count);
        let mut covering = Covering {
            key,
            permutation: Permutation::new(count, key),
            lap_end: 0,
            bits,
            ticket,
            step,
        };
        covering.begin_lap(count);
        covering
    }

    /// How many places the tickets of this worker give from here to the end of lap `laps`, of `count` places.
    pub(super) fn places_within(&self, laps: u64, count: u64) -> u64 {
        let end = laps.saturating_mul(1 << self.bits);
        let tickets = end.saturating_sub(self.ticket).div_ceil(self.step);
        if count.is_power_of_two() {
            return tickets;
        }
        let mut walk = Covering {
            permutation: self.permutation,
            ..*self
        };
        let mut places = 0;
        for _ in 0..tickets {
            if walk.ticket >= walk.lap_end {
                walk.begin_lap(count);
            }
            places += u64::from(walk.permutation.place(walk.ticket) < count);
            walk.ticket += walk.step;
        }
        places
    }

    /// Takes the permutation of the lap in which the ticket lies.
    #[cold]
    fn begin_lap(&mut self, count: u64) {
        let lap = self.ticket >> self.bits;
        self.permutation = Permutation::new(count, scramble(self.key.wrapping_add(lap)));
        self.lap_end = (lap + 1) << self.bits;
    }

    fn place_own<L: Lengths>(&mut self, lengths: L, space: Space, ops: &mut [Op]) {
        let mut placed = 0;
        while placed < ops.len() {
            placed += self.place_until(u64::MAX, lengths, space, &mut ops[placed..]);
        }
    }

    fn place_from<L: Lengths>(
        &mut self,
        counter: &AtomicU64,
        lengths: L,
        space: Space,
        ops: &mut [Op],
    ) {
        let mut placed = 0;
        while placed < ops.len() {
            let wanted = (ops.len() - placed) as u64;
            self.ticket = counter.fetch_add(wanted, Ordering::Relaxed);
            let last = self.ticket + wanted;
            while self.ticket < last {
                placed += self.place_until(last, lengths, space, &mut ops[placed..]);
            }
        }
    }

    /// Places operations until all are, the lap ends, or ticket `last` is reached; gives how many.
    #[inline(always)]
    fn place_until<L: Lengths>(
        &mut self,
        last: u64,
        lengths: L,
        space: Space,
        ops: &mut [Op],
    ) -> usize {
        if self.ticket >= self.lap_end {
            self.begin_lap(space.count);
        }
        let stop = last.min(self.lap_end);
        if space.count.is_power_of_two() {
            return self.place_all_inside(stop, lengths, space, ops);
        }
        let (permutation, step) = (self.permutation, self.step);
        let (mut ticket, mut placed) = (self.ticket, 0);
        while placed < ops.len() && ticket < stop {
            let op = &mut ops[placed];
            let units = lengths.units(op);
            let at = permutation.place(ticket);
            ticket += step;
            // No jump on whether the place is inside: it would be mispredicted up to half the time.
            let is_inside = at < space.count;
            op.offset = if is_inside {
                space.offset(lengths.inside(at, units, space.count))
            } else {
                units
            };
            placed += usize::from(is_inside);
        }
        self.ticket = ticket;
        placed
    }

    /// The same where no place lies outside, because the number of units is a power of two.
    #[inline(always)]
    fn place_all_inside<L: Lengths>(
        &mut self,
        stop: u64,
        lengths: L,
        space: Space,
        ops: &mut [Op],
    ) -> usize {
        let (permutation, step, left) = (self.permutation, self.step, stop - self.ticket);
        let wanted = ops.len() as u64;
        // The division is for the last batch of a lap only.
        let placed = if left >= wanted * step {
            wanted
        } else {
            wanted.min(left.div_ceil(step))
        };
        let mut ticket = self.ticket;
        for op in &mut ops[..placed as usize] {
            let units = lengths.units(op);
            op.offset = space.offset(lengths.inside(permutation.place(ticket), units, space.count));
            ticket += step;
        }
        self.ticket = ticket;
        placed as usize
    }
}
