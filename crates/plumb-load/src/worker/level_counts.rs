//! How deep was a worker's queue, and how many operations went and came together? Counted by power of two, once for each batch.

use plumb_model::run::worker_end::Levels;

/// The greatest depth of a queue is 2^15.
const LEVELS: usize = 16;

/// [`Levels`] as they are counted.
#[derive(Debug, Clone, Default)]
pub struct LevelCounts {
    in_flight: [u64; LEVELS],
    submitted: [u64; LEVELS],
    completed: [u64; LEVELS],
}

impl LevelCounts {
    /// A batch of `count` operations, one at least, was submitted, after which `in_flight` were under way.
    #[inline(always)]
    pub fn submit(&mut self, count: u32, in_flight: u32) {
        self.in_flight[(in_flight.max(1).ilog2() as usize).min(LEVELS - 1)] += u64::from(count);
        self.submitted[rounded_up(count)] += 1;
    }

    /// So many operations, one at least, came back together.
    #[inline(always)]
    pub fn complete(&mut self, count: u32) {
        self.completed[rounded_up(count)] += 1;
    }

    /// For the record.
    pub fn levels(&self) -> Levels {
        let without_zeros = |counts: &[u64]| {
            let used = counts.iter().rposition(|count| *count > 0);
            counts[..used.map_or(0, |last| last + 1)].to_vec()
        };
        Levels {
            in_flight: without_zeros(&self.in_flight),
            submitted: without_zeros(&self.submitted),
            completed: without_zeros(&self.completed),
        }
    }
}

/// The power of two that is not below `count`.
#[inline(always)]
fn rounded_up(count: u32) -> usize {
    ((u32::BITS - count.saturating_sub(1).leading_zeros()) as usize).min(LEVELS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_powers_of_two() {
        let mut counts = LevelCounts::default();
        for (count, in_flight) in [(1, 1), (2, 3), (4, 7), (5, 8), (32_768, 32_768)] {
            counts.submit(count, in_flight);
        }
        counts.complete(1);
        counts.complete(3);
        let levels = counts.levels();
        assert_eq!(levels.in_flight[..4], [1, 2, 4, 5]);
        assert_eq!(levels.in_flight.last(), Some(&32_768));
        assert_eq!(levels.submitted[..4], [1, 1, 1, 1]);
        assert_eq!(levels.completed, [1, 0, 1]);
    }
}
