//! Which bytes does fio fill a block with that has no pattern? They follow from the seed in its header.

/// Sequences of words that stand in turn (`--seed-buckets` of fio's configure, which is 4 unless it is set), and the factor of the seed for each.
const FACTORS: [u64; 4] = [1, 2, 3, 5];
/// From one word of a sequence to the next: the golden ratio as a fraction of 2^64, as the Linux kernel's hash functions have it.
const STEP: u64 = 0x61c8_8646_80b5_83eb;

/// The first bytes of a block: all of a whole number of rows, the rest as the first sequence goes on.
pub(super) fn content(rand_seed: u64, bytes: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes + 8);
    let mut words = FACTORS.map(|factor| rand_seed.wrapping_mul(factor));
    for _ in 0..bytes / (8 * FACTORS.len()) {
        for word in &mut words {
            out.extend(word.to_le_bytes());
            *word = word.wrapping_mul(STEP);
        }
    }
    while out.len() < bytes {
        out.extend(words[0].to_le_bytes());
        words[0] = words[0].wrapping_mul(STEP);
    }
    out.truncate(bytes);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_stand_in_turn() {
        let words: Vec<u64> = content(7, 88)
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")))
            .collect();
        let step = |word: u64| word.wrapping_mul(STEP);
        assert_eq!(words[..4], [7, 14, 21, 35]);
        assert_eq!(words[4..8], [step(7), step(14), step(21), step(35)]);
        // What is left of a row goes on with the first sequence.
        assert_eq!(
            words[8..],
            [
                step(step(7)),
                step(step(step(7))),
                step(step(step(step(7))))
            ]
        );
        assert_eq!(content(7, 13)[8..], step(7).to_le_bytes()[..5]);
    }
}
