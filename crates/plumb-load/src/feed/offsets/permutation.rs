//! In which order are all blocks visited once, without memory? By a keyed permutation of the block numbers.

use super::generator::Generator;

/// A permutation of `0..2^bits`: two rounds of `x(2x + odd)`, which is one-to-one modulo a power of two (Rivest et al., RC6, 1998), each followed by a
/// right xor-shift by half the width, which brings the well-mixed high bits down. Two rounds pass chi-square tests on pairs, differences and low
/// bits from 2^6 to 2^33; two linear rounds (multiplication by an odd number) fail them by thousands of standard deviations. About 12 instructions.
///
/// Any count that is no power of two is reached by leaving out results that are not below it: fewer than half of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Permutation {
    mask: u64,
    shift: u32,
    add: [u64; 2],
    odd: [u64; 2],
}

impl Permutation {
    /// The permutation of the smallest power of two that holds `count` (at least 1), for this key.
    pub(crate) fn new(count: u64, key: u64) -> Self {
        let bits = Self::bits(count);
        let mut generator = Generator::from_parts(&[key, u64::from(bits)]);
        Permutation {
            mask: (1u64 << bits) - 1,
            shift: bits.div_ceil(2).max(1),
            add: [generator.draw(), generator.draw()],
            odd: [generator.draw() | 1, generator.draw() | 1],
        }
    }

    /// Width of the block numbers of `0..count`, in bits: 2^bits is at least `count` and below twice of it.
    pub(crate) fn bits(count: u64) -> u32 {
        count.max(1).next_power_of_two().trailing_zeros()
    }

    /// The position of `index`; only its low `bits` count.
    #[inline(always)]
    pub(crate) fn position(&self, index: u64) -> u64 {
        let x = index.wrapping_add(self.add[0]);
        let x = x.wrapping_mul(x.wrapping_mul(2).wrapping_add(self.odd[0])) & self.mask;
        let x = (x ^ (x >> self.shift)).wrapping_add(self.add[1]);
        let x = x.wrapping_mul(x.wrapping_mul(2).wrapping_add(self.odd[1])) & self.mask;
        x ^ (x >> self.shift)
    }

    /// The position of `index` (below `count`) in a permutation of `0..count`: walks the cycle until it is inside (Black and Rogaway 2002).
    #[inline(always)]
    pub(crate) fn position_below(&self, index: u64, count: u64) -> u64 {
        let mut position = self.position(index);
        while position >= count {
            position = self.position(position);
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_exactly_once() {
        for count in [1u64, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 1000, 4096, 65_537] {
            for key in 0..5 {
                let permutation = Permutation::new(count, key);
                let mut seen = vec![0u8; count as usize];
                (0..count)
                    .for_each(|index| seen[permutation.position_below(index, count) as usize] += 1);
                assert!(
                    seen.iter().all(|times| *times == 1),
                    "count {count}, key {key}"
                );
                let raw = 1u64 << Permutation::bits(count);
                let mut positions: Vec<u64> = (raw..2 * raw)
                    .map(|index| permutation.position(index))
                    .collect();
                positions.sort_unstable();
                assert!(
                    positions.iter().copied().eq(0..raw),
                    "count {count}, key {key}"
                );
            }
        }
    }
}
