//! How compact was a histogram stored in format 2? As some hundred letters: Rice codes with an adaptive parameter, six bits per letter.
//!
//! `SUM MIN MAX LETTERS`, the first three in decimal nanoseconds. The letters (RFC 4648, base64url without padding) hold, from the highest bit on: 13 bits
//! for the number of occupied buckets; then for each of them the step from the bucket before (13 bits for the number of the first) and its count, both less
//! one, each as a Rice code (R. F. Rice, "Some Practical Universal Noiseless Coding Techniques", JPL Publication 79-22, 1979) with k bits of remainder. k is log2 of the
//! mean of the values of its sort so far, in which the newest has a weight of a quarter. A quotient of 20 or more is 20 ones, then 6 bits for the length of
//! the value less one, then the value. Counts of neighbouring buckets are alike, so that this takes a tenth more than their entropy.

use super::{Counts, Histogram};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Bits of the number of a bucket.
const NUMBER_BITS: u32 = 13;
/// The quotient from which a value is written in full.
const LONGEST_QUOTIENT: u64 = 20;

/// Mean of the values so far, times 16.
#[derive(Default)]
struct Mean(u64);

impl Mean {
    /// Bits of remainder of the next value.
    fn bits(&self) -> u32 {
        (self.0 / 16).max(1).ilog2()
    }

    fn take(&mut self, value: u64) {
        self.0 = (self.0 - self.0 / 4).saturating_add(value.saturating_mul(4));
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    letter: u8,
    filled: u32,
}

impl Writer {
    fn bits(&mut self, value: u64, count: u32) {
        for bit in (0..count).rev() {
            self.letter = self.letter << 1 | (value >> bit & 1) as u8;
            self.filled += 1;
            if self.filled == 6 {
                self.text.push(LETTERS[usize::from(self.letter)] as char);
                (self.letter, self.filled) = (0, 0);
            }
        }
    }

    fn rice(&mut self, value: u64, mean: &mut Mean) {
        let (bits, quotient) = (mean.bits(), value >> mean.bits());
        if quotient < LONGEST_QUOTIENT {
            self.bits(u64::MAX << 1, quotient as u32 + 1);
            self.bits(value, bits);
        } else {
            let length = u64::BITS - value.leading_zeros();
            self.bits(u64::MAX, LONGEST_QUOTIENT as u32);
            self.bits(u64::from(length - 1), 6);
            self.bits(value, length);
        }
        mean.take(value);
    }

    fn end(mut self) -> String {
        if self.filled > 0 {
            self.bits(0, 6 - self.filled);
        }
        self.text
    }
}

/// Value of each letter; `NO_LETTER` for other bytes.
const VALUES: [u8; 256] = {
    let mut values = [NO_LETTER; 256];
    let mut value = 0;
    while value < LETTERS.len() {
        values[LETTERS[value] as usize] = value as u8;
        value += 1;
    }
    values
};
const NO_LETTER: u8 = 0xff;

struct Reader<'a> {
    letters: std::slice::Iter<'a, u8>,
    /// The next bits, from the highest one, and their number.
    held: u64,
    bits: u32,
}

impl<'a> Reader<'a> {
    fn new(letters: &'a str) -> Reader<'a> {
        Reader {
            letters: letters.as_bytes().iter(),
            held: 0,
            bits: 0,
        }
    }

    /// Holds at least 59 bits unless the letters end.
    #[inline]
    fn fill(&mut self) {
        while self.bits <= u64::BITS - 6 {
            let Some(value) = self
                .letters
                .as_slice()
                .first()
                .map(|letter| VALUES[usize::from(*letter)])
            else {
                return;
            };
            if value == NO_LETTER {
                return;
            }
            self.letters.next();
            self.held |= u64::from(value) << (u64::BITS - 6 - self.bits);
            self.bits += 6;
        }
    }

    #[inline]
    fn bits(&mut self, count: u32) -> Option<u64> {
        if count > 32 {
            let high = self.bits(count - 32)?;
            return Some(high << 32 | self.bits(32)?);
        }
        self.fill();
        if self.bits < count {
            return None;
        }
        let value = self.held.checked_shr(u64::BITS - count).unwrap_or(0);
        self.drop_bits(count);
        Some(value)
    }

    #[inline]
    fn drop_bits(&mut self, count: u32) {
        self.held <<= count;
        self.bits -= count;
    }

    #[inline]
    fn rice(&mut self, mean: &mut Mean) -> Option<u64> {
        self.fill();
        let quotient = u64::from(self.held.leading_ones().min(LONGEST_QUOTIENT as u32));
        let taken = (quotient as u32 + 1).min(LONGEST_QUOTIENT as u32);
        if self.bits < taken {
            return None;
        }
        self.drop_bits(taken);
        let value = if quotient < LONGEST_QUOTIENT {
            (quotient << mean.bits()).checked_add(self.bits(mean.bits())?)?
        } else {
            let length = self.bits(6)? as u32 + 1;
            self.bits(length)?
        };
        mean.take(value);
        Some(value)
    }
}

impl Histogram {
    /// The text: coded bit by bit (coded.rs), which has no space in it.
    pub fn packed(&self) -> String {
        super::coded::text(self).unwrap_or_else(|| self.packed_by_rice())
    }

    /// The text as format 2 has it; what is empty is written so still.
    fn packed_by_rice(&self) -> String {
        let mut writer = Writer::default();
        let (mut steps, mut counts) = (Mean::default(), Mean::default());
        writer.bits(self.occupied().count() as u64, NUMBER_BITS);
        let mut last = None;
        for (bucket, count) in self.occupied() {
            match last.replace(bucket) {
                Some(last) => writer.rice((bucket - last - 1) as u64, &mut steps),
                None => writer.bits(bucket as u64, NUMBER_BITS),
            }
            writer.rice(count - 1, &mut counts);
        }
        let (min_ns, max_ns) = (self.min_ns().unwrap_or(0), self.max_ns);
        format!("{} {min_ns} {max_ns} {}", self.sum_ns, writer.end())
    }

    /// The histogram of a text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn unpacked(text: &str) -> Result<Histogram, String> {
        if !text.contains(' ') {
            return super::coded::histogram(text);
        }
        let mut words = text.split(' ');
        let mut word = || words.next().ok_or("histogram: it is cut off");
        let sum_ns = word()?;
        let mut number = || {
            word()?
                .parse::<u64>()
                .map_err(|_| "histogram: a time is no number")
        };
        let (min_ns, max_ns) = (number()?, number()?);
        let mut reader = Reader::new(word()?);
        let ends_early = "histogram: its letters end early, or are none";
        let buckets = reader.bits(NUMBER_BITS).ok_or(ends_early)?;
        let (mut steps, mut means) = (Mean::default(), Mean::default());
        let mut next = |place: u64| {
            let step = if place == 0 {
                reader.bits(NUMBER_BITS)?
            } else {
                reader.rice(&mut steps)?.checked_add(1)?
            };
            Some((step, reader.rice(&mut means)?.checked_add(1)?))
        };
        let mut counts = Counts::default();
        for place in 0..buckets {
            let (step, count) = next(place).ok_or(ends_early)?;
            counts.add(step, count)?;
        }
        counts.histogram(super::sum(sum_ns)?, min_ns, max_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = (u64, u64)>) -> Histogram {
        let mut histogram = Histogram::default();
        values
            .into_iter()
            .for_each(|(value, count)| histogram.record_n(value, count));
        histogram
    }

    #[test]
    fn every_histogram_comes_back() {
        let all = [
            of([]),
            of([(0, 1)]),
            of([(u64::MAX, 1)]),
            of([(0, 1), (1, 1 << 50), (u64::MAX >> 1, 3)]),
            of((1..3000).map(|value| (value * value, value % 7 + 1))),
            of((0..64).map(|shift| (1 << shift, 1 + (1 << (shift / 2))))),
        ];
        for histogram in all {
            for text in [histogram.packed(), histogram.packed_by_rice()] {
                assert!(
                    Histogram::unpacked(&text).as_ref() == Ok(&histogram),
                    "{text}"
                );
                assert!(text.is_ascii() && !text.contains(['"', '\\']));
            }
        }
    }

    /// Counts that scatter as those of 20,000 operations do, around a curve with a long tail.
    fn noisy(seed: u64) -> Histogram {
        let mut state = seed;
        let mut share = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        of((0..20_000).map(|_| {
            let normal = (0..12).map(|_| share()).sum::<f64>() - 6.0;
            let tail = if share() < 0.01 { 20.0 * share() } else { 1.0 };
            ((800.0 * (0.15 * normal).exp() * tail) as u64, 1)
        }))
    }

    #[test]
    fn what_every_bit_tells_takes_a_sixth_less_than_rice_codes() {
        let (mut coded, mut by_rice) = (0, 0);
        for seed in 1..20 {
            let histogram = noisy(seed);
            let text = histogram.packed();
            assert!(
                Histogram::unpacked(&text).as_ref() == Ok(&histogram),
                "{text}"
            );
            (coded, by_rice) = (
                coded + text.len(),
                by_rice + histogram.packed_by_rice().len(),
            );
        }
        assert!(coded * 6 < by_rice * 5, "{coded} and {by_rice}");
    }

    #[test]
    fn it_is_small() {
        // 2,000 operations over 200 buckets: the JSON of the same took more than 1,000 bytes.
        let text = of((0..2_000u64).map(|at| (1024 + (at * at) % 1600, 1))).packed();
        assert!(text.len() < 240, "{}: {text}", text.len());
    }

    #[test]
    fn damage_is_refused() {
        let histogram = of((1..300).map(|value| (value * 37, value)));
        for text in [histogram.packed(), histogram.packed_by_rice()] {
            for length in 0..text.len() {
                assert!(Histogram::unpacked(&text[..length]).is_err(), "{length}");
            }
            for at in 0..text.len() {
                for letter in ["A", "_", " ", "9", "~"] {
                    let mut damaged = text.clone();
                    damaged.replace_range(at..=at, letter);
                    // Whatever is decoded is consistent.
                    if let Ok(histogram) = Histogram::unpacked(&damaged) {
                        assert!(histogram.count() == 0 || histogram.quantile_ns(0.5).is_some());
                    }
                }
            }
        }
    }
}
