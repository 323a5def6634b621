//! How does a worker go over a target zone by zone? What fio calls `zonemode=strided` (HOWTO, zonesize).

use plumb_model::workload::{Offsets, Workload, ZoneSteps};

use super::covering::{Covering, Lengths, Space};
use super::generator::{Generator, scramble};
use crate::engine::operation::Op;

/// How blocks are placed within a zone.
#[derive(Debug)]
enum Within {
    /// One after the other, and from the start of the zone again.
    Rising {
        next: u64,
    },
    /// Each once in a random order; a new order in each zone.
    Covering(Covering),
    Drawn(Generator),
}

/// Zones of `range` units, with `skip` units between one and the next. All in units.
#[derive(Debug)]
pub(super) struct ZoneWalk {
    /// What is done in a zone before the next one begins.
    amount: u64,
    range: u64,
    skip: u64,
    /// Where the zone begins, and what is done in it.
    begin: u64,
    done: u64,
    /// Units of the largest block: what holds none is no zone.
    largest: u64,
    /// Zones that were begun.
    zones: u64,
    key: u64,
    within: Within,
}

impl ZoneWalk {
    /// `key` fixes the orders within the zones, `generator` what is drawn independently.
    ///
    /// # Errors
    /// A zone is not a multiple of the block, or the order does not support zones.
    pub(super) fn new(
        steps: ZoneSteps,
        workload: &Workload,
        space: Space,
        key: u64,
        generator: Generator,
    ) -> Result<Self, String> {
        let units = |name: &str, bytes: u64| match bytes % space.unit_bytes {
            0 => Ok(bytes / space.unit_bytes),
            _ => Err(format!(
                "{name} = {bytes} is not a multiple of the block of {} bytes: use a multiple",
                space.unit_bytes
            )),
        };
        let largest = workload.largest_block_bytes().div_ceil(space.unit_bytes);
        let within = match &workload.offsets {
            Offsets::Sequential => Within::Rising { next: 0 },
            Offsets::Random => Within::Covering(Covering::new(1, key, (0, 1))),
            Offsets::RandomWithReplacement => Within::Drawn(generator),
            other => {
                return Err(format!(
                    "zones support sequential or random offsets, not {other}"
                ));
            }
        };
        let mut walk = ZoneWalk {
            amount: units("zone-size", steps.bytes)?.max(1),
            range: units("zone-range", steps.range_bytes)?.clamp(largest.max(1), space.count),
            skip: units("zone-skip", steps.skip_bytes)?,
            begin: 0,
            done: 0,
            largest,
            zones: 0,
            key,
            within,
        };
        walk.enter(0, space);
        Ok(walk)
    }

    /// Units that one lap over the zones comes to, when each is gone over once.
    pub(super) fn units_of_a_lap(&self, space: Space) -> u64 {
        let each = self.range.saturating_add(self.skip).max(1);
        let full_zones = (space.count + self.skip) / each;
        full_zones * self.range
    }

    /// Units of the zone: the last one may end before the others.
    fn here(&self, space: Space) -> u64 {
        self.range.min(space.count - self.begin)
    }

    fn enter(&mut self, begin: u64, space: Space) {
        (self.begin, self.done) = (begin, 0);
        self.zones += 1;
        let here = self.here(space);
        match &mut self.within {
            Within::Rising { next } => *next = 0,
            Within::Covering(covering) => {
                let key = scramble(self.key.wrapping_add(self.zones));
                *covering = Covering::new(here, key, (0, 1));
            }
            Within::Drawn(_) => {}
        }
    }

    fn enter_next(&mut self, space: Space) {
        let next = self
            .begin
            .saturating_add(self.range)
            .saturating_add(self.skip);
        let is_room = space.count.saturating_sub(next) >= self.largest;
        self.enter(if is_room { next } else { 0 }, space);
    }

    pub(super) fn assign<L: Lengths>(&mut self, lengths: L, space: Space, ops: &mut [Op]) {
        for op in ops {
            let units = lengths.units(op);
            if self.done >= self.amount {
                self.enter_next(space);
            }
            let here = self.here(space);
            let zone = Space {
                base: space.offset(self.begin),
                count: here,
                ..space
            };
            match &mut self.within {
                Within::Rising { next } => {
                    if *next >= here {
                        *next = 0;
                    }
                    op.offset = zone.offset(lengths.inside(*next, units, zone.count));
                    *next += units;
                }
                Within::Covering(covering) => {
                    covering.assign_own(lengths, zone, std::slice::from_mut(op));
                }
                Within::Drawn(generator) => {
                    let position = generator.below(here);
                    op.offset = zone.offset(lengths.inside(position, units, zone.count));
                }
            }
            self.done += units;
        }
    }
}
