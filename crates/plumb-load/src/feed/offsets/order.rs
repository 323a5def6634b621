//! Which unit of the target comes next? One file for all orders: each is a few lines of state and a tight loop over a batch.

use std::sync::atomic::{AtomicU64, Ordering};

use plumb_model::workload::zones::Zones;
use plumb_model::workload::{Layout, Offsets, Workload};

use super::covering::{Covering, Lengths, Space};
use super::generator::{Generator, Purpose, scramble};
use super::permutation::Permutation;
use super::preconditioning::Writes;
use super::random_map::RandomMap;
use super::ranks::Ranks;
use super::rare::{Bell, Listed, Repeated, Runs};
use super::shares::Shares;
use super::zone_steps::ZoneWalk;
use crate::engine::operation::Op;

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
    Repeated(Repeated),
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
    Bell(Bell),
    Zoned {
        generator: Generator,
        zones: Shares<(u64, u64)>,
    },
    Runs(Runs),
    Zones(ZoneWalk),
    Map(RandomMap),
    Listed(Listed),
    Precondition(Writes),
}

impl Order {
    /// The order that the workload requests, from this worker's start.
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
        // Where it begins; its first ticket, and how many further the next one is.
        let (first, tickets) = if shared {
            let part = if workload.same_start { 0 } else { worker };
            let first = share_of(space.count, part, workers);
            (first, (u64::from(worker), u64::from(workers)))
        } else {
            (0, (0, 1))
        };
        let generator = Generator::from_parts(&[seed, Purpose::Offsets as u64, u64::from(worker)]);
        let covering = |count| Covering::new(count, key(Purpose::Laps), tickets);
        let ranked = |ranks, generator| Order::Ranked {
            generator,
            ranks,
            scatter: Permutation::new(space.count, key(Purpose::Scatter)),
        };
        if let Some(steps) = workload.zone_steps() {
            let key = key(Purpose::Laps) ^ u64::from(worker);
            return ZoneWalk::new(steps, workload, space, key, generator).map(Order::Zones);
        }
        Ok(match workload.offsets {
            Offsets::Sequential => Order::Rising { next: first },
            Offsets::Reverse => Order::Falling { next: first },
            Offsets::Strided(_) | Offsets::StridedBlocks(_) => {
                let mut stride = Stride::new(workload.stride_bytes().unwrap_or(0), space)?;
                stride.seek(first, space.count);
                Order::Strided(stride)
            }
            Offsets::First => Order::First,
            Offsets::Random => Order::Covering(covering(space.count)),
            Offsets::RandomMap => {
                Order::Map(RandomMap::new(workload.layout, space.count, generator)?)
            }
            Offsets::RandomWithReplacement if workload.repeats_draws() => {
                Order::Repeated(Repeated::new(generator, space.count))
            }
            Offsets::RandomWithReplacement => Order::Uniform(generator),
            Offsets::HotSpot {
                operations_percent,
                space_percent,
            } => hot_spot(operations_percent, space_percent, space.count, generator),
            Offsets::Normal(percent) => Order::Bell(Bell {
                generator,
                scatter: Permutation::new(space.count, key(Purpose::Scatter)),
                width: ((space.count as f64 * percent / 100.0).ceil() as u64).min(space.count / 2),
            }),
            Offsets::Zoned(zones) => Order::Zoned {
                generator,
                zones: parts(&zones, space.count)?,
            },
            Offsets::RandomRuns(blocks) => {
                let count = space.count.div_ceil(blocks);
                Order::Runs(Runs::new(covering(count), count, blocks))
            }
            Offsets::RandomRepeats(times) => {
                Order::Runs(Runs::repeats(covering(space.count), space.count, times))
            }
            Offsets::Listed(list) => Order::Listed(Listed::new(list, false)),
            Offsets::ListedMoving(list) => Order::Listed(Listed::new(list, true)),
            Offsets::Precondition(how) => {
                let first = Covering::new(space.count, key(Purpose::Laps), (0, 1));
                Order::Precondition(Writes::new(how, workload, space, first, generator)?)
            }
            Offsets::Zipf(exponent) => ranked(Ranks::zipf(space.count, exponent)?, generator),
            Offsets::Pareto(power) => ranked(Ranks::pareto(space.count, power)?, generator),
        })
    }
}

/// Where part `worker` of `workers` equal parts of `count` begins.
pub(super) fn share_of(count: u64, worker: u32, workers: u32) -> u64 {
    (u128::from(count) * u128::from(worker % workers) / u128::from(workers)) as u64
}

/// Sets the offsets (and lengths) of a batch: one choice for all, then a tight loop.
pub(super) fn assign<L: Lengths>(
    lengths: L,
    space: Space,
    order: &mut Order,
    stream: Option<&AtomicU64>,
    ops: &mut [Op],
) {
    match order {
        Order::Rising { next } | Order::Falling { next } if stream.is_some() => {
            // What matters is that no two batches get the same offset; the order between workers does not.
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
            Some(counter) => covering.assign_from(counter, lengths, space, ops),
            None => covering.assign_own(lengths, space, ops),
        },
        Order::Uniform(generator) => drawn(lengths, space, generator, ops, |generator| {
            generator.below(space.count)
        }),
        Order::Repeated(draws) => each(lengths, space, ops, || draws.next(space.count)),
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
        Order::Bell(bell) => each(lengths, space, ops, || bell.next(space.count)),
        Order::Zoned { generator, zones } => drawn(lengths, space, generator, ops, |generator| {
            let (first, units) = zones.pick(generator.draw());
            first + generator.below(units)
        }),
        Order::Runs(runs) => each(lengths, space, ops, || runs.next(space.count, stream)),
        Order::Zones(walk) => walk.assign(lengths, space, ops),
        Order::Map(map) => map.assign(lengths, space, ops),
        Order::Listed(listed) => each(lengths, space, ops, || listed.next(space.count, stream)),
        Order::Precondition(writes) => each(lengths, space, ops, || writes.next(space.count)),
        Order::Ranked {
            generator,
            ranks,
            scatter,
        } => {
            drawn(lengths, space, generator, ops, |generator| {
                scatter.position_below(ranks.draw(generator), space.count)
            });
        }
    }
}

fn hot_spot(
    operations_percent: f64,
    space_percent: f64,
    count: u64,
    generator: Generator,
) -> Order {
    let hot = (count as f64 * space_percent / 100.0).round() as u64;
    let hot = hot.clamp(1, count.saturating_sub(1).max(1));
    let share = if hot == count {
        1.0
    } else {
        operations_percent / 100.0
    };
    Order::HotSpot {
        generator,
        threshold: (share * (1u64 << 32) as f64).round() as u64,
        hot,
    }
}

/// First unit and number of units of each zone, with its share of the operations.
fn parts(zones: &Zones, count: u64) -> Result<Shares<(u64, u64)>, String> {
    let (mut begin, mut space) = (0, 0.0);
    let mut parts = Vec::new();
    for (operations, percent) in zones.each() {
        space += f64::from(*percent);
        let end = ((count as f64 * space / 100.0).round() as u64).clamp(begin, count);
        // A zone without a unit gives its share to the others.
        if end > begin && *operations > 0.0 {
            parts.push(((begin, end - begin), f64::from(*operations)));
        }
        begin = end;
    }
    Shares::new(&parts).map_err(|why| format!("zoned:{zones}: {why}"))
}

/// Each operation at the position that `next` gives.
#[inline(always)]
fn each<L: Lengths>(lengths: L, space: Space, ops: &mut [Op], mut next: impl FnMut() -> u64) {
    for op in ops {
        let units = lengths.units(op);
        op.offset = space.offset(lengths.inside(next(), units, space.count));
    }
}

/// Each operation at a random position. The generator is kept in a register.
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

/// Block after block; `turn` gives the position of a block from the distance so far and its units.
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
                "strided:{step} is not a multiple of the smallest block of {} bytes: use a multiple",
                space.unit_bytes
            ));
        }
        Ok(Stride {
            step: (step / space.unit_bytes).min(space.count),
            shift: 0,
            at: 0,
        })
    }

    /// Goes to the `index`-th of the `count` positions of a full cycle of laps.
    fn seek(&mut self, index: u64, count: u64) {
        // The first `rest` laps have one position more than the others.
        let (generator, rest) = (count / self.step, count % self.step);
        let longer = rest * (generator + 1);
        let (shift, turn) = if index < longer {
            (index / (generator + 1), index % (generator + 1))
        } else {
            (
                rest + (index - longer) / generator,
                (index - longer) % generator,
            )
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
