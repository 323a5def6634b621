//! How are all units of a target placed once each, in an order that looks random, by any number of workers?

use std::sync::atomic::{AtomicU64, Ordering};

use super::generator::scramble;
use super::permutation::Permutation;
use crate::engine::operation::Op;

/// The blocks that offsets are drawn from: `count` units of `unit_bytes`, the first at `base`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    pub base: u64,
    pub unit_bytes: u64,
    pub count: u64,
}

/// How the length of an operation is known while it is placed.
pub(super) trait Lengths: Copy {
    /// Sets the length where that is still to be done, and gives it in units.
    fn units(self, op: &mut Op) -> u64;
    /// `position`, moved back so that the block ends within `count` units.
    fn inside(self, position: u64, units: u64, count: u64) -> u64;
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
    fn inside(self, position: u64, _: u64, _: u64) -> u64 {
        position
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
    fn inside(self, position: u64, units: u64, count: u64) -> u64 {
        position.min(count - units)
    }
}

impl Space {
    #[inline(always)]
    pub(super) fn offset(self, position: u64) -> u64 {
        self.base + position * self.unit_bytes
    }
}

/// A permutation of all units, another one each lap. Tickets count through the next power of two; those whose position is outside are skipped, so
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
    /// `tickets`: the first, and how much higher the next one is.
    pub(super) fn new(count: u64, key: u64, (ticket, step): (u64, u64)) -> Self {
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

    /// How many positions the tickets of this worker give from here to the end of lap `laps`, of `count` positions.
    pub(super) fn positions_within(&self, laps: u64, count: u64) -> u64 {
        let end = laps.saturating_mul(1 << self.bits);
        let tickets = end.saturating_sub(self.ticket).div_ceil(self.step);
        if count.is_power_of_two() {
            return tickets;
        }
        let mut walk = Covering {
            permutation: self.permutation,
            ..*self
        };
        let mut positions = 0;
        for _ in 0..tickets {
            if walk.ticket >= walk.lap_end {
                walk.begin_lap(count);
            }
            positions += u64::from(walk.permutation.position(walk.ticket) < count);
            walk.ticket += walk.step;
        }
        positions
    }

    /// Takes the permutation of the lap in which the ticket lies.
    #[cold]
    fn begin_lap(&mut self, count: u64) {
        let lap = self.ticket >> self.bits;
        self.permutation = Permutation::new(count, scramble(self.key.wrapping_add(lap)));
        self.lap_end = (lap + 1) << self.bits;
    }

    pub(super) fn assign_own<L: Lengths>(&mut self, lengths: L, space: Space, ops: &mut [Op]) {
        let mut assigned = 0;
        while assigned < ops.len() {
            assigned += self.assign_until(u64::MAX, lengths, space, &mut ops[assigned..]);
        }
    }

    pub(super) fn assign_from<L: Lengths>(
        &mut self,
        counter: &AtomicU64,
        lengths: L,
        space: Space,
        ops: &mut [Op],
    ) {
        let mut assigned = 0;
        while assigned < ops.len() {
            let count = (ops.len() - assigned) as u64;
            self.ticket = counter.fetch_add(count, Ordering::Relaxed);
            let last = self.ticket + count;
            while self.ticket < last {
                assigned += self.assign_until(last, lengths, space, &mut ops[assigned..]);
            }
        }
    }

    /// Places operations until all are, the lap ends, or ticket `last` is reached; gives how many.
    #[inline(always)]
    fn assign_until<L: Lengths>(
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
            return self.assign_all_inside(stop, lengths, space, ops);
        }
        let (permutation, step) = (self.permutation, self.step);
        let (mut ticket, mut assigned) = (self.ticket, 0);
        while assigned < ops.len() && ticket < stop {
            let op = &mut ops[assigned];
            let units = lengths.units(op);
            let at = permutation.position(ticket);
            ticket += step;
            // No branch on whether the position is inside: it would be mispredicted up to half the time.
            let is_inside = at < space.count;
            op.offset = if is_inside {
                space.offset(lengths.inside(at, units, space.count))
            } else {
                units
            };
            assigned += usize::from(is_inside);
        }
        self.ticket = ticket;
        assigned
    }

    /// The same if no position is outside, because the number of units is a power of two.
    #[inline(always)]
    fn assign_all_inside<L: Lengths>(
        &mut self,
        stop: u64,
        lengths: L,
        space: Space,
        ops: &mut [Op],
    ) -> usize {
        let (permutation, step, left) = (self.permutation, self.step, stop - self.ticket);
        let count = ops.len() as u64;
        // The division is for the last batch of a lap only.
        let assigned = if left >= count * step {
            count
        } else {
            count.min(left.div_ceil(step))
        };
        let mut ticket = self.ticket;
        for op in &mut ops[..assigned as usize] {
            let units = lengths.units(op);
            op.offset =
                space.offset(lengths.inside(permutation.position(ticket), units, space.count));
            ticket += step;
        }
        self.ticket = ticket;
        assigned as usize
    }
}
