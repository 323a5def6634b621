//! How are numbers of requests and addresses spread over a table? By a multiplication, with a secret number so that no capture can make them collide.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Odd, with bits all over (the golden ratio).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Makes hashers that share one secret.
#[derive(Debug, Clone, Copy)]
pub struct Mixing {
    secret: u64,
}

impl Default for Mixing {
    fn default() -> Mixing {
        // The standard library draws it from the system.
        let secret = RandomState::new().hash_one(FACTOR);
        Mixing { secret }
    }
}

impl BuildHasher for Mixing {
    type Hasher = Mixed;

    fn build_hasher(&self) -> Mixed {
        Mixed(self.secret)
    }
}

/// The state of one hash.
#[derive(Debug)]
pub struct Mixed(u64);

impl Mixed {
    /// Both halves of the product: the upper ones depend on all bits below.
    fn mix(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * u128::from(FACTOR);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u16(&mut self, value: u16) {
        self.mix(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_u128(&mut self, value: u128) {
        self.mix(value as u64);
        self.mix((value >> 64) as u64);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_lie_apart_and_secrets_differ() {
        let (one, other) = (Mixing::default(), Mixing::default());
        let low_bits = |mixing: &Mixing| -> Vec<u64> {
            let hashes = (0..4096u64).map(|number| mixing.hash_one(number) & 0xfff);
            hashes.collect()
        };
        let mut seen = low_bits(&one);
        assert_ne!(seen, low_bits(&other));
        seen.sort_unstable();
        seen.dedup();
        // A random spread leaves 37 % of the places empty.
        assert!(seen.len() > 2200, "{}", seen.len());
        assert_ne!(one.hash_one([1u16, 2]), one.hash_one([2u16, 1]));
    }
}
