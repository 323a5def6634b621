//! How are random bits drawn in the hot loop? Five instructions for 64 bits, reproducible from a seed on every machine.

/// A wyrand generator: a Weyl sequence, a 64x64 multiplication, both halves folded (Wang Yi, wyhash final version 4, public domain; passes
/// BigCrush and PractRand). Not for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Generator {
    state: u64,
}

const STEP: u64 = 0xa076_1d64_78bd_642f;
const TWIST: u64 = 0xe703_7ed1_a0b4_28db;

/// SplitMix64's finaliser: neighbouring inputs give unrelated outputs (Steele, Lea, Flood 2014; constants by Stafford, variant 13).
pub(crate) fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// What the random sequences of one seed are for: each purpose has its own, so that one more draw here changes nothing there.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Offsets = 1,
    Laps = 2,
    Scatter = 3,
    Sizes = 4,
    Kinds = 5,
    Content = 6,
    Pool = 7,
    Repeats = 8,
    Verification = 9,
    Access = 10,
}

impl Generator {
    /// The generator that belongs to these numbers, in this order: seed first, then purpose, worker, ...
    #[inline]
    pub(crate) fn from_parts(parts: &[u64]) -> Self {
        let state = parts
            .iter()
            .fold(0x9e37_79b9_7f4a_7c15, |state: u64, part| {
                scramble(state.wrapping_add(STEP) ^ part)
            });
        Generator { state }
    }

    /// 64 random bits.
    #[inline(always)]
    pub(crate) fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let product = u128::from(self.state) * u128::from(self.state ^ TWIST);
        (product >> 64) as u64 ^ product as u64
    }

    /// A number below `bound`; off from uniform by at most `bound` / 2^64 (Lemire 2019, without the rejection step).
    #[inline(always)]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_never_changes() {
        let mut generator = Generator::from_parts(&[1, 2]);
        let drawn: Vec<u64> = (0..3).map(|_| generator.draw()).collect();
        assert_eq!(
            drawn, PINNED,
            "recorded seeds would no longer give the runs they gave"
        );
        assert_ne!(
            Generator::from_parts(&[1, 2]),
            Generator::from_parts(&[2, 1])
        );
    }

    const PINNED: [u64; 3] = [
        15032168763544711815,
        6422238458047346241,
        17385855505251091509,
    ];

    #[test]
    fn every_bit_is_set_half_the_time() {
        let mut generator = Generator::from_parts(&[7]);
        let draws = 100_000;
        let mut set = [0u32; 64];
        for _ in 0..draws {
            let bits = generator.draw();
            (0..64).for_each(|bit| set[bit] += (bits >> bit & 1) as u32);
        }
        // Five standard deviations of a fair coin thrown `draws` times.
        let bound = 5.0 * f64::from(draws).sqrt() / 2.0;
        for (bit, count) in set.iter().enumerate() {
            assert!(
                (f64::from(*count) - f64::from(draws) / 2.0).abs() < bound,
                "bit {bit} was set {count} times of {draws}"
            );
        }
    }
}
