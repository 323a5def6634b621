//! How are latencies counted? A log-linear histogram: constant relative error, mergeable, no clipping.

mod coded;
#[cfg(test)]
mod laws;
mod packed;
mod sparse;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sparse::Sparse;

/// log2 of the number of buckets in an octave.
const SUB_BITS: u32 = 7;
const SUB: usize = 1 << SUB_BITS;
/// Buckets for the whole range of u64: one of `SUB` exact values, then `SUB` buckets for each higher octave.
const BUCKETS: usize = (64 - SUB_BITS as usize + 1) * SUB;

/// Counts of values in nanoseconds. Values below 128 are exact; above, a bucket is 1/128 of its octave wide, so that its
/// middle is at most 0.4 % away from any value in it. The whole range of u64 fits: nothing is clipped.
#[derive(Clone)]
pub struct Histogram {
    /// One count per bucket, or empty while the counts lie in `sparse`.
    counts: Box<[u64]>,
    /// Occupied buckets only: a histogram read from a record takes some hundred bytes instead of 58 KiB, so that a long run fits into
    /// memory. Converted to `counts` when something is added.
    sparse: Sparse,
    count: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

/// The bucket that `value_ns` falls into.
#[inline(always)]
fn bucket_of(value_ns: u64) -> usize {
    // The octave is counted from the leading zeros; `| SUB` keeps the small values in the first, exact octaves.
    let shift = (63 - SUB_BITS) - (value_ns | SUB as u64).leading_zeros();
    ((shift as usize) << SUB_BITS) + (value_ns >> shift) as usize
}

/// The lowest value of a bucket and the width of the bucket, both in nanoseconds.
fn bounds(bucket: usize) -> (u64, u64) {
    if bucket < 2 * SUB {
        return (bucket as u64, 1);
    }
    let shift = (bucket >> SUB_BITS) - 1;
    let low = ((bucket - (shift << SUB_BITS)) as u64) << shift;
    (low, 1 << shift)
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram {
            counts: vec![0; BUCKETS].into_boxed_slice(),
            sparse: Sparse::default(),
            count: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        (self.count, self.sum_ns, self.min_ns, self.max_ns)
            == (other.count, other.sum_ns, other.min_ns, other.max_ns)
            && self.occupied().eq(other.occupied())
    }
}

impl Eq for Histogram {}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Histogram({} values, {:?} to {:?} ns)",
            self.count,
            self.min_ns(),
            self.max_ns()
        )
    }
}

impl Histogram {
    /// Counts one value. No allocation, no branch that depends on the value beyond its range.
    #[inline(always)]
    pub fn record(&mut self, value_ns: u64) {
        self.record_n(value_ns, 1);
    }

    /// Counts `n` equal values.
    #[inline(always)]
    pub fn record_n(&mut self, value_ns: u64, n: u64) {
        let bucket = bucket_of(value_ns);
        // bucket_of is below BUCKETS for every u64 (asserted by a test); `get_mut` keeps the loop free of a panic path.
        match self.counts.get_mut(bucket) {
            Some(slot) => *slot += n,
            None => self.spread()[bucket] += n,
        }
        self.count += n;
        self.sum_ns += u128::from(value_ns) * u128::from(n);
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
    }

    /// The counts, one per bucket, expanded from the sparse form if needed.
    #[cold]
    fn spread(&mut self) -> &mut [u64] {
        if self.counts.is_empty() {
            self.counts = vec![0; BUCKETS].into_boxed_slice();
            for (bucket, count) in std::mem::take(&mut self.sparse).iter() {
                self.counts[bucket] = count;
            }
        }
        &mut self.counts
    }

    /// Adds all counts of `other`. Exact: histograms are merged, never averaged.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        let counts = self.spread();
        if other.counts.is_empty() {
            other
                .sparse
                .iter()
                .for_each(|(bucket, count)| counts[bucket] += count);
        } else {
            let (first, last) = (bucket_of(other.min_ns), bucket_of(other.max_ns));
            for (mine, theirs) in counts[first..=last]
                .iter_mut()
                .zip(&other.counts[first..=last])
            {
                *mine += theirs;
            }
        }
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Removes values that were counted before. The minimum and maximum of the rest are exact unless they were among these, else known to a bucket.
    pub fn take_out(&mut self, values_ns: &[u64]) {
        for value_ns in values_ns {
            let counted = self.spread().get_mut(bucket_of(*value_ns));
            let Some(counted) = counted.filter(|counted| **counted > 0) else {
                continue;
            };
            *counted -= 1;
            self.count -= 1;
            self.sum_ns = self.sum_ns.saturating_sub(u128::from(*value_ns));
        }
        let mut left = self.occupied().map(|(bucket, _)| bucket);
        let first = left.next();
        let last = left.last().or(first);
        (self.min_ns, self.max_ns) = match first.zip(last) {
            Some((first, last)) => {
                let (highest, width) = bounds(last);
                let (low, high) = (bounds(first).0, highest + (width - 1));
                (self.min_ns.max(low), self.max_ns.min(high))
            }
            None => (u64::MAX, 0),
        };
    }

    /// Frees the memory of empty buckets: some hundred bytes remain of 58 KiB. For histograms kept in large numbers.
    pub fn shrink(&mut self) {
        if !self.counts.is_empty() {
            let mut sparse = Sparse::default();
            self.occupied()
                .for_each(|(bucket, count)| sparse.add(bucket as u32, count));
            sparse.close();
            (self.sparse, self.counts) = (sparse, Box::default());
        }
    }

    /// Approximate memory of its counts, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.counts) + self.sparse.memory_bytes()
    }

    /// Clears all counts; cost proportional to the span of values held, not to the full range.
    pub fn clear(&mut self) {
        self.sparse.clear();
        if self.count > 0 && !self.counts.is_empty() {
            let (first, last) = (bucket_of(self.min_ns), bucket_of(self.max_ns));
            self.counts[first..=last].fill(0);
        }
        self.count = 0;
        self.sum_ns = 0;
        self.min_ns = u64::MAX;
        self.max_ns = 0;
    }

    /// Width of the bucket that holds `value_ns`, in nanoseconds: a quantile is the middle of its bucket, with an uncertainty of half of this.
    pub fn bucket_width_ns(value_ns: u64) -> u64 {
        bounds(bucket_of(value_ns)).1
    }

    /// Nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of values counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Exact sum of all values, in nanoseconds.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// Exact smallest value in nanoseconds; `None` when empty.
    pub fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min_ns)
    }

    /// Exact largest value in nanoseconds; `None` when empty.
    pub fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max_ns)
    }

    /// Exact mean in nanoseconds; `None` when empty.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// The value below or at which a share `quantile` (0 to 1) of all values lies, in nanoseconds, within 0.4 %; `None` when empty.
    /// Does not check whether there are enough samples: see [`Histogram::supports`].
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        self.ranked_ns(((quantile * self.count as f64).ceil() as u64).clamp(1, self.count))
    }

    /// The value of this rank, 1 for the smallest, in nanoseconds, within 0.4 %; `None` if there are fewer values.
    pub fn ranked_ns(&self, rank: u64) -> Option<u64> {
        let mut seen = 0;
        self.values_ns().find_map(|(value_ns, count)| {
            seen += count;
            (seen >= rank).then_some(value_ns)
        })
    }

    /// Number of values of at most `limit_ns`: as exact as [`Histogram::ranked_ns`] and consistent with it; exact if all values are.
    pub fn count_within(&self, limit_ns: u64) -> u64 {
        if self.max_ns <= limit_ns {
            return self.count;
        }
        // At least the largest value is above.
        self.values_ns()
            .take_while(|(value_ns, _)| *value_ns <= limit_ns)
            .map(|(_, count)| count)
            .sum::<u64>()
            .min(self.count.saturating_sub(1))
    }

    /// The middle of each occupied bucket in rising order, with the number of values in it.
    fn values_ns(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.occupied().map(|(bucket, count)| {
            let (low, width) = bounds(bucket);
            (
                (low + (width - 1) / 2).clamp(self.min_ns, self.max_ns),
                count,
            )
        })
    }

    /// True if there are enough samples for this quantile: at least 10 values are expected above it
    /// (1,000 samples for the 99th percentile). Medians need 2 values.
    pub fn supports(&self, quantile: f64) -> bool {
        self.count as f64 * (1.0 - quantile) >= if quantile <= 0.5 { 1.0 } else { 9.999 }
    }

    /// Occupied buckets in rising order: (lowest value, width, count), in nanoseconds.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.occupied().map(|(bucket, count)| {
            let (low, width) = bounds(bucket);
            (low, width, count)
        })
    }

    fn occupied(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let span = if self.count == 0 || self.counts.is_empty() {
            0..0
        } else {
            bucket_of(self.min_ns)..bucket_of(self.max_ns) + 1
        };
        let first = span.start;
        let dense = self.counts[span]
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(move |(i, count)| (first + i, *count));
        self.sparse.iter().chain(dense)
    }
}

/// The stored form: `buckets` alternates (step to the next occupied bucket, count), so that it is short and exact.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// log2 of the buckets in an octave; a reader with another resolution refuses the record.
    sub_bits: u32,
    /// As text: u128 exceeds the integers that JSON readers keep exactly.
    sum_ns: String,
    min_ns: u64,
    max_ns: u64,
    buckets: Vec<u64>,
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buckets = Vec::new();
        let mut last = 0;
        for (bucket, count) in self.occupied() {
            buckets.extend([(bucket - last) as u64, count]);
            last = bucket;
        }
        let (min_ns, max_ns) = (self.min_ns().unwrap_or(0), self.max_ns);
        Stored {
            sub_bits: SUB_BITS,
            sum_ns: self.sum_ns.to_string(),
            min_ns,
            max_ns,
            buckets,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Histogram::try_from(Stored::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl TryFrom<Stored> for Histogram {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Histogram, String> {
        if stored.sub_bits != SUB_BITS {
            return Err(wrong(&format!(
                "has {} sub-bucket bits, this program reads {SUB_BITS}",
                stored.sub_bits
            )));
        }
        if !stored.buckets.len().is_multiple_of(2) {
            return Err(wrong("a bucket without its count"));
        }
        let mut counts = Counts::default();
        stored
            .buckets
            .chunks_exact(2)
            .try_for_each(|pair| counts.add(pair[0], pair[1]))?;
        counts.histogram(sum(&stored.sum_ns)?, stored.min_ns, stored.max_ns)
    }
}

/// The counts of a histogram while reading it.
#[derive(Default)]
struct Counts {
    sparse: Sparse,
    first: Option<u64>,
    bucket: u64,
    count: u64,
}

/// A sum as text; may be missing in an empty histogram.
fn sum(text: &str) -> Result<u128, String> {
    text.parse().or_else(|_| {
        if text.is_empty() {
            Ok(0)
        } else {
            Err(wrong("sum is no number"))
        }
    })
}

fn wrong(what: &str) -> String {
    format!("histogram: {what}")
}

impl Counts {
    /// The next bucket, by distance from the previous one, with its count.
    fn add(&mut self, step: u64, count: u64) -> Result<(), String> {
        self.bucket = self
            .bucket
            .checked_add(step)
            .filter(|b| *b < BUCKETS as u64)
            .ok_or_else(|| wrong("bucket out of range"))?;
        self.count = self
            .count
            .checked_add(count)
            .ok_or_else(|| wrong("count overflows"))?;
        self.first = self.first.or((count > 0).then_some(self.bucket));
        self.sparse.add(self.bucket as u32, count);
        Ok(())
    }

    /// The histogram, if sum, minimum and maximum are consistent with the counts.
    fn histogram(mut self, sum_ns: u128, min_ns: u64, max_ns: u64) -> Result<Histogram, String> {
        self.sparse.close();
        let ends = self
            .first
            .zip(self.sparse.last())
            .map(|(first, last)| (first as usize, last as usize));
        let Counts { sparse, count, .. } = self;
        let mut histogram = Histogram {
            counts: Box::default(),
            sparse,
            count,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        };
        if count > 0 {
            (histogram.sum_ns, histogram.min_ns, histogram.max_ns) = (sum_ns, min_ns, max_ns);
            if min_ns > max_ns || ends != Some((bucket_of(min_ns), bucket_of(max_ns))) {
                return Err(wrong(
                    "minimum and maximum do not lie in the outermost buckets",
                ));
            }
            let range =
                u128::from(min_ns) * u128::from(count)..=u128::from(max_ns) * u128::from(count);
            if !range.contains(&histogram.sum_ns) {
                return Err(wrong("sum lies outside of what its values can make"));
            }
        }
        Ok(histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_bucket_within_one_percent() {
        let mut value = 1u64;
        loop {
            for near in [value - 1, value, value.saturating_add(1)] {
                let bucket = bucket_of(near);
                assert!(bucket < BUCKETS, "{near}");
                let (low, width) = bounds(bucket);
                assert!(low <= near && near - low < width, "{near} in {low}+{width}");
                let middle = low + (width - 1) / 2;
                assert!(
                    (middle as f64 - near as f64).abs() <= 0.004 * near as f64,
                    "{near} shown as {middle}"
                );
            }
            match value.checked_mul(3) {
                Some(next) => value = next / 2 + 1,
                None => break,
            }
        }
        assert!(bucket_of(u64::MAX) < BUCKETS);
    }

    #[test]
    fn what_is_taken_out_is_as_if_it_had_never_been_counted() {
        let of = |values: &[u64]| {
            let mut histogram = Histogram::default();
            values.iter().for_each(|value| histogram.record(*value));
            histogram
        };
        let mut histogram = of(&[5, 90, 1000, 70_000, 70_000]);
        histogram.shrink();
        histogram.take_out(&[90, 70_000]);
        assert_eq!(histogram, of(&[5, 1000, 70_000]));
        histogram.take_out(&[5, 70_000, 12]);
        assert_eq!((histogram.count(), histogram.sum_ns()), (1, 1000));
        let ends = histogram.min_ns().zip(histogram.max_ns());
        assert_eq!(ends, Some((1000, 1003)), "of its bucket");
        histogram.take_out(&[1000]);
        assert_eq!(histogram, Histogram::default());
    }

    #[test]
    fn quantiles_of_a_known_set() {
        let mut histogram = Histogram::default();
        for value in 1..=10_000 {
            histogram.record(value);
        }
        for (quantile, value) in [
            (0.5, 5000.0),
            (0.9, 9000.0),
            (0.999, 9990.0),
            (1.0, 10_000.0),
        ] {
            let got = histogram.quantile_ns(quantile).expect("not empty") as f64;
            assert!((got / value - 1.0f64).abs() < 0.004, "{quantile}: {got}");
        }
        assert_eq!(
            (histogram.min_ns(), histogram.max_ns(), histogram.mean_ns()),
            (Some(1), Some(10_000), Some(5000.5))
        );
        assert!(histogram.supports(0.999) && !histogram.supports(0.9999));
    }

    #[test]
    fn ranks_and_limits_agree() {
        let mut histogram = Histogram::default();
        (1..=10_000u64).for_each(|value| histogram.record(value * 1000));
        for rank in [1, 77, 5000, 9999] {
            let value_ns = histogram.ranked_ns(rank).expect("a value");
            assert!(
                (value_ns as f64 / (rank * 1000) as f64 - 1.0).abs() < 0.004,
                "{rank}: {value_ns}"
            );
            assert!(
                histogram.count_within(value_ns) >= rank
                    && histogram.count_within(value_ns - 1) < rank,
                "{rank}: {value_ns}"
            );
        }
        assert_eq!(histogram.ranked_ns(10_001), None);
        // The maximum shares a bucket with other values, and is known exactly.
        assert_eq!(
            (
                histogram.count_within(10_000_000),
                histogram.count_within(9_999_999)
            ),
            (10_000, 9999)
        );
        assert_eq!(
            (
                histogram.count_within(999),
                Histogram::default().count_within(5)
            ),
            (0, 0)
        );
    }

    #[test]
    fn both_forms_behave_alike() {
        let stored = |buckets: Vec<u64>, sum: &str, min: u64, max: u64| {
            let value = serde_json::json!({"sub_bits": SUB_BITS, "sum_ns": sum, "min_ns": min, "max_ns": max, "buckets": buckets});
            serde_json::from_value::<Histogram>(value)
        };
        let read = || stored(vec![5, 2, 3, 1], "18", 5, 8).expect("valid");
        let mut recorded = Histogram::default();
        recorded.record_n(5, 2);
        recorded.record(8);
        assert!(read() == recorded && read().counts.is_empty());
        assert_eq!(read().quantile_ns(0.9), recorded.quantile_ns(0.9));
        let (mut a, mut b) = (read(), recorded.clone());
        a.record(1000);
        a.merge(&read());
        b.record(1000);
        b.merge(&recorded);
        assert!(a == b && a.count() == 7);
        a = read();
        a.clear();
        assert!(a == Histogram::default());
        for (buckets, sum, min, max) in [
            (vec![5, 2, 3, 1], "18", 4, 8),
            (vec![5, 2, 3, 1], "18", 5, 9),
            (vec![5, 2, 3, 1], "99", 5, 8),
            (vec![5, 2, 3], "18", 5, 8),
            (vec![5, u64::MAX, 3, 1], "18", 5, 8),
            (vec![u64::MAX, 2, 3, 1], "18", 5, 8),
        ] {
            assert!(
                stored(buckets.clone(), sum, min, max).is_err(),
                "{buckets:?} {sum} {min} {max}"
            );
        }
    }

    #[test]
    fn a_shrunken_histogram_is_the_same_and_still_counts() {
        let mut whole = Histogram::default();
        [7, 7, 300, 1 << 40]
            .into_iter()
            .for_each(|value| whole.record(value));
        let mut small = whole.clone();
        small.shrink();
        assert!(small == whole && small.counts.is_empty());
        whole.record(8);
        small.record(8);
        assert!(small == whole);
        let mut empty = Histogram::default();
        empty.shrink();
        assert!(empty == Histogram::default() && empty.quantile_ns(0.5).is_none());
    }

    #[test]
    fn merging_equals_recording_together() {
        let (mut a, mut b, mut both) = (
            Histogram::default(),
            Histogram::default(),
            Histogram::default(),
        );
        for i in 0..1000u64 {
            let value = i * i * 77;
            if i % 3 == 0 {
                a.record(value)
            } else {
                b.record(value)
            }
            both.record(value);
        }
        a.merge(&b);
        assert!(a == both);
        a.clear();
        assert!(a == Histogram::default());
    }
}
