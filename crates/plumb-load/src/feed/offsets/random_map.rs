//! How is every unit moved exactly once in a pass when blocks differ in size? By a map of the units that were moved, as fio's random map.

use plumb_model::workload::Layout;

use super::covering::{Lengths, Space};
use super::generator::Generator;
use crate::engine::operation::Op;

/// Units that one map holds at most: 1 GiB of memory.
const UNITS_MAX: u64 = 1 << 33;

/// Each block begins at a unit that is drawn, or at the first one behind it that was not moved in this pass, and ends where it would meet one that was moved,
/// or the end of the span. So does fio (`__get_next_rand_offset` and `mark_random_map` in its io_u.c). When all have been moved, the next pass begins.
#[derive(Debug)]
pub(super) struct RandomMap {
    generator: Generator,
    moved: Moved,
    left: u64,
}

impl RandomMap {
    /// A map of one worker.
    ///
    /// # Errors
    /// Too many units for a map, or workers that share one order of offsets.
    pub(super) fn new(
        layout: Layout,
        count: u64,
        generator: Generator,
    ) -> Result<RandomMap, String> {
        if layout == Layout::Stream {
            return Err(
                "offsets random-map keeps one map per worker: set layout to shared or own".into(),
            );
        }
        if count > UNITS_MAX {
            return Err(format!(
                "offsets random-map keeps one bit per block, for at most {UNITS_MAX} blocks, and there are {count}: increase the smallest block, or use random"
            ));
        }
        Ok(RandomMap {
            generator,
            moved: Moved::new(count),
            left: count,
        })
    }

    pub(super) fn assign<L: Lengths>(&mut self, lengths: L, space: Space, ops: &mut [Op]) {
        for op in ops {
            let units = lengths.units(op);
            let (position, taken) = self.take(units, space.count);
            op.offset = space.offset(position);
            if taken < units {
                op.len = (taken * space.unit_bytes) as u32;
            }
        }
    }

    /// The next position, and how many of `units` there were not used yet.
    pub(super) fn take(&mut self, units: u64, count: u64) -> (u64, u64) {
        if self.left == 0 {
            self.moved = Moved::new(count);
            self.left = count;
        }
        let drawn = self.generator.below(count);
        let behind = self.moved.next_free(drawn);
        let first = behind.or_else(|| self.moved.next_free(0)).unwrap_or(0);
        let mut end = first;
        while end < count && end - first < units && !self.moved.has(end) {
            self.moved.add(end);
            end += 1;
        }
        self.left -= end - first;
        (first, end - first)
    }
}

/// A bit for each unit, and above each level one with a bit for each of its words that is full: the next free unit is found in a few steps.
#[derive(Debug)]
struct Moved {
    levels: Vec<Vec<u64>>,
}

impl Moved {
    /// Nothing was moved. What is beyond `count` counts as moved.
    fn new(count: u64) -> Moved {
        let mut levels = Vec::new();
        let mut bits = count;
        loop {
            let words = bits.div_ceil(64);
            let mut level = vec![0u64; words as usize];
            let rest = bits % 64;
            if let Some(last) = level.last_mut().filter(|_| rest > 0) {
                *last = u64::MAX << rest;
            }
            levels.push(level);
            if words <= 1 {
                return Moved { levels };
            }
            bits = words;
        }
    }

    fn has(&self, unit: u64) -> bool {
        self.levels[0][(unit / 64) as usize] >> (unit % 64) & 1 == 1
    }

    fn add(&mut self, unit: u64) {
        let mut at = unit;
        for level in &mut self.levels {
            let word = &mut level[(at / 64) as usize];
            *word |= 1 << (at % 64);
            if *word != u64::MAX {
                return;
            }
            at /= 64;
        }
    }

    /// The first unit from here on that was not moved.
    fn next_free(&self, from: u64) -> Option<u64> {
        let mut at = from;
        for (height, level) in self.levels.iter().enumerate() {
            // Of this word only what is not below `at`.
            let word = level.get((at / 64) as usize)? | ((1u64 << (at % 64)) - 1);
            if word != u64::MAX {
                let free = at / 64 * 64 + u64::from(word.trailing_ones());
                return Some(self.lowest_below(height, free));
            }
            at = at / 64 + 1;
        }
        None
    }

    /// The first free unit below bit `at` of level `height`.
    fn lowest_below(&self, height: usize, at: u64) -> u64 {
        let below = self.levels[..height].iter().rev();
        below.fold(at, |at, level| {
            at * 64 + u64::from(level[at as usize].trailing_ones())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_free_unit_is_the_first_one_that_was_not_added() {
        for count in [1, 63, 64, 65, 4096, 4097, 300_000] {
            let mut map = Moved::new(count);
            let mut plain = vec![false; count as usize];
            let mut generator = Generator::from_parts(&[count]);
            for step in 0..4000 {
                // Runs fill whole words.
                let first = generator.below(count);
                let len = if step % 3 == 0 {
                    1
                } else {
                    generator.below(700)
                };
                for unit in first..(first + len).min(count) {
                    map.add(unit);
                    plain[unit as usize] = true;
                }
                let from = generator.below(count);
                let next = plain[from as usize..].iter().position(|moved| !moved);
                let next = next.map(|distance| from + distance as u64);
                assert_eq!(map.next_free(from), next, "{count} units from {from}");
                assert_eq!(map.has(from), plain[from as usize]);
            }
        }
    }
}
