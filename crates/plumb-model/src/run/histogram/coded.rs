//! How compact can a histogram be stored? As printable ASCII, by an adaptive binary range coder.
//!
//! Coded values, in this order: the number of occupied buckets and the first of them (13 bits each); for each bucket the step from the one before, less one,
//! and its count; then by how much the smallest value lies above its bucket's lowest, the same of the largest, and by how much the sum lies above that
//! of the lowest values. Steps and counts are Elias gamma codes (P. Elias, "Universal codeword sets and representations of the integers", IEEE Transactions on
//! Information Theory 21, 1975): the length in unary, each bit with a probability that is learned in the context of the lengths before it, then the first bit
//! below the highest, learned too, and the rest as it is. The coder is by G. N. N. Martin ("Range encoding", 1979) with the carry of LZMA (Igor Pavlov, LZMA
//! specification). Its bytes become 13 bits in two of 91 characters, which need no escape in JSON.

use super::{BUCKETS, Counts, Histogram, bounds};

/// Bits of the number of a bucket.
const NUMBER_BITS: u32 = 13;
/// Half of the range of a probability.
const HALF: u32 = 1 << 15;
/// A probability never reaches 0 or 1: distance that it keeps from both.
const LEAST: u32 = 256;
/// Number of observations that weigh in a probability.
const MEMORY: u32 = 14;
/// The range is renormalized below this.
const LEAST_RANGE: u32 = 1 << 24;
const LETTERS: u64 = 91;

/// Writes or reads bits, so that the order of coded values is defined once.
trait Coder {
    /// One bit: writes `bit`, or returns the stored one when reading; the probability of 1 is in units of 1/65,536.
    fn bit(&mut self, bit: bool, one: u32) -> Option<bool>;

    /// This many raw bits, highest first.
    fn plain(&mut self, value: u128, count: u32) -> Option<u128> {
        (0..count).rev().try_fold(0, |read, place| {
            Some(read << 1 | u128::from(self.bit(value >> place & 1 == 1, HALF)?))
        })
    }
}

/// State of a bit in one context: the probability of 1, and the number of observations.
#[derive(Clone, Copy)]
struct Learned {
    one: u32,
    seen: u32,
}

impl Learned {
    const NOTHING: Learned = Learned { one: HALF, seen: 0 };

    fn code(&mut self, coder: &mut impl Coder, bit: bool) -> Option<bool> {
        let bit = coder.bit(bit, self.one)?;
        // The mean of the observations, starting at one half, later of the most recent ones.
        let weight = (1 << 16) * 10 / (10 * self.seen + 16);
        let change = ((if bit { 65_536 - self.one } else { self.one }) * weight) >> 16;
        let one = if bit {
            self.one + change
        } else {
            self.one - change
        };
        *self = Learned {
            one: one.clamp(LEAST, 65_536 - LEAST),
            seen: (self.seen + 1).min(MEMORY),
        };
        Some(bit)
    }
}

/// Lengths of steps and counts so far, and the learned state of their contexts.
struct Model {
    steps: Box<[Learned]>,
    counts: Box<[Learned]>,
    firsts: Box<[Learned]>,
    last_step: u32,
    last_counts: [u32; 3],
}

/// Bits of the longest value, and one: contexts of a unary length.
const LENGTHS: usize = 65;
/// Number of lengths distinguished in the contexts of steps, and of counts.
const STEP_CLASSES: usize = 4;
const COUNT_CLASSES: usize = 15;

impl Model {
    fn new() -> Model {
        let nothing = |count: usize| vec![Learned::NOTHING; count].into_boxed_slice();
        Model {
            steps: nothing(STEP_CLASSES * STEP_CLASSES * LENGTHS),
            counts: nothing(COUNT_CLASSES * LENGTHS),
            firsts: nothing(2 * LENGTHS),
            last_step: 0,
            last_counts: [1; 3],
        }
    }

    /// A step to the next bucket, at least 1.
    fn step(&mut self, coder: &mut impl Coder, value: u64) -> Option<u64> {
        let near = (self.last_counts.iter().sum::<u32>() / 3).min(STEP_CLASSES as u32 - 1) as usize;
        let class = (self.last_step as usize).min(STEP_CLASSES - 1) * STEP_CLASSES + near;
        let length = length(
            coder,
            self.steps.get_mut(class * LENGTHS..(class + 1) * LENGTHS)?,
            value,
        )?;
        self.last_step = length - 1;
        let rest = coder.plain(u128::from(value), length - 1)? as u64;
        Some(1 << (length - 1) | rest)
    }

    /// The count of a bucket, at least 1.
    fn count(&mut self, coder: &mut impl Coder, value: u64) -> Option<u64> {
        let [older, old, last] = self.last_counts;
        let expected = (2 * last + old + older + 2) / 4;
        let class = (expected as usize).min(COUNT_CLASSES - 1);
        let length = length(
            coder,
            self.counts
                .get_mut(class * LENGTHS..(class + 1) * LENGTHS)?,
            value,
        )?;
        self.last_counts = [old, last, length];
        if length == 1 {
            return Some(1);
        }
        let first = self
            .firsts
            .get_mut((length + LENGTHS as u32).checked_sub(expected)? as usize)?;
        let first = first.code(coder, value >> (length - 2) & 1 == 1)?;
        let rest = coder.plain(u128::from(value), length - 2)? as u64;
        Some(1 << (length - 1) | u64::from(first) << (length - 2) | rest)
    }
}

/// Number of bits of a nonzero value, in unary.
fn length(coder: &mut impl Coder, learned: &mut [Learned], value: u64) -> Option<u32> {
    let length = u64::BITS - value.leading_zeros();
    let mut coded = 1;
    while coded < u64::BITS
        && learned
            .get_mut(coded as usize)?
            .code(coder, length > coded)?
    {
        coded += 1;
    }
    Some(coded)
}

/// Number of bits of a value below `limit`.
fn bits_below(limit: u128) -> u32 {
    u128::BITS - limit.saturating_sub(1).leading_zeros()
}

struct Writer {
    low: u64,
    range: u32,
    held: u8,
    /// Bytes that wait for a carry: the held one, followed by bytes of 255.
    waiting: u64,
    bytes: Vec<u8>,
}

impl Writer {
    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            self.bytes.push(self.held.wrapping_add(carry));
            (1..self.waiting).for_each(|_| self.bytes.push(0xff_u8.wrapping_add(carry)));
            (self.held, self.waiting) = ((self.low >> 24) as u8, 0);
        }
        self.waiting += 1;
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    /// All bytes except the first, which is always 0.
    fn end(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.shift());
        self.bytes.split_off(1)
    }
}

impl Coder for Writer {
    fn bit(&mut self, bit: bool, one: u32) -> Option<bool> {
        let bound = (self.range >> 16) * one;
        if bit {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        while self.range < LEAST_RANGE {
            self.range <<= 8;
            self.shift();
        }
        Some(bit)
    }
}

struct Reader<I> {
    code: u32,
    range: u32,
    bytes: I,
}

impl<I: Iterator<Item = u8>> Coder for Reader<I> {
    fn bit(&mut self, _: bool, one: u32) -> Option<bool> {
        let bound = (self.range >> 16) * one;
        let bit = self.code < bound;
        if bit {
            self.range = bound;
        } else {
            (self.code, self.range) = (self.code - bound, self.range - bound);
        }
        while self.range < LEAST_RANGE {
            self.code = self.code << 8 | u32::from(self.bytes.next()?);
            self.range <<= 8;
        }
        Some(bit)
    }
}

/// All printable ASCII except space, quote, backslash and tilde.
fn letter(value: u64) -> char {
    let value = value as u8 + b'!';
    let value = value + u8::from(value >= b'"');
    (value + u8::from(value >= b'\\')) as char
}

fn value_of(letter: u8) -> Option<u64> {
    let is_letter = (b'!'..b'~').contains(&letter) && letter != b'"' && letter != b'\\';
    is_letter.then(|| u64::from(letter - b'!' - u8::from(letter > b'"') - u8::from(letter > b'\\')))
}

fn as_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 16 / 13 + 2);
    let (mut held, mut bits) = (0u64, 0);
    for byte in bytes {
        (held, bits) = (held << 8 | u64::from(*byte), bits + 8);
        if bits >= 13 {
            bits -= 13;
            let value = held >> bits & 0x1fff;
            text.extend([letter(value / LETTERS), letter(value % LETTERS)]);
            held &= (1 << bits) - 1;
        }
    }
    match bits {
        0 => {}
        1..=6 => text.push(letter(held << (6 - bits))),
        _ => {
            let value = held << (13 - bits);
            text.extend([letter(value / LETTERS), letter(value % LETTERS)]);
        }
    }
    text
}

fn as_bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut held, mut bits) = (0u64, 0);
    for pair in text.as_bytes().chunks(2) {
        (held, bits) = match *pair {
            [one] => (
                held << 6 | Some(value_of(one)?).filter(|value| *value < 64)?,
                bits + 6,
            ),
            [first, second] => {
                let value = value_of(first)? * LETTERS + value_of(second)?;
                (
                    held << 13 | Some(value).filter(|value| *value < 1 << 13)?,
                    bits + 13,
                )
            }
            _ => return None,
        };
        while bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
        held &= (1 << bits) - 1;
    }
    Some(bytes)
}

/// The text of a histogram; `None` if it is empty, or its sum is inconsistent with its buckets.
pub(super) fn text(histogram: &Histogram) -> Option<String> {
    let (first, _) = histogram.occupied().next()?;
    let mut writer = Writer {
        low: 0,
        range: u32::MAX,
        held: 0,
        waiting: 1,
        bytes: Vec::new(),
    };
    let mut model = Model::new();
    writer.plain(histogram.occupied().count() as u128, NUMBER_BITS)?;
    writer.plain(first as u128, NUMBER_BITS)?;
    let (mut last, mut lowest, mut span) = (first, 0u128, 1u128);
    for (bucket, count) in histogram.occupied() {
        if bucket > last {
            model.step(&mut writer, (bucket - last) as u64)?;
        }
        model.count(&mut writer, count)?;
        let (low, width) = bounds(bucket);
        lowest += u128::from(low) * u128::from(count);
        span += u128::from(width - 1) * u128::from(count);
        last = bucket;
    }
    for (value, bucket) in [(histogram.min_ns, first), (histogram.max_ns, last)] {
        let (low, width) = bounds(bucket);
        writer.plain(
            u128::from(value.checked_sub(low)?),
            bits_below(u128::from(width)),
        )?;
    }
    let above = histogram
        .sum_ns
        .checked_sub(lowest)
        .filter(|above| *above < span)?;
    writer.plain(above, bits_below(span))?;
    Some(as_text(&writer.end()))
}

/// The histogram of a text.
///
/// # Errors
/// What is wrong with it.
pub(super) fn histogram(text: &str) -> Result<Histogram, String> {
    let damaged = "histogram: its letters end early, or are none";
    let bytes = as_bytes(text).ok_or(damaged)?;
    let mut bytes = bytes.into_iter();
    let code = bytes
        .by_ref()
        .take(4)
        .fold(0, |code, byte| code << 8 | u32::from(byte));
    let mut reader = Reader {
        code,
        range: u32::MAX,
        bytes,
    };
    let mut model = Model::new();
    let mut counts = Counts::default();
    let (mut first, mut last, mut lowest, mut span) = (0, 0, 0u128, 1u128);
    let number = |reader: &mut Reader<_>| reader.plain(0, NUMBER_BITS).ok_or(damaged);
    let buckets = number(&mut reader)?;
    let begin = number(&mut reader)? as u64;
    for place in 0..buckets {
        let step = if place == 0 {
            begin
        } else {
            model.step(&mut reader, 1).ok_or(damaged)?
        };
        let count = model.count(&mut reader, 1).ok_or(damaged)?;
        counts.add(step, count)?;
        last = counts.bucket as usize;
        first = if place == 0 { last } else { first };
        let (low, width) = bounds(last);
        lowest += u128::from(low) * u128::from(count);
        span += u128::from(width - 1) * u128::from(count);
    }
    let mut end = |bucket: usize| {
        let (low, width) = bounds(bucket.min(BUCKETS - 1));
        Some(low.saturating_add(reader.plain(0, bits_below(u128::from(width)))? as u64))
    };
    let (min_ns, max_ns) = (end(first).ok_or(damaged)?, end(last).ok_or(damaged)?);
    let sum_ns = reader
        .plain(0, bits_below(span))
        .and_then(|above| lowest.checked_add(above))
        .ok_or(damaged)?;
    if reader.bytes.next().is_some() {
        return Err("histogram: there are letters after its end".into());
    }
    counts.histogram(sum_ns, min_ns, max_ns)
}
