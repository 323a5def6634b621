//! How many units were checked, and how many of them without a known content? Counted by each worker on a cache line of its own.

use std::sync::atomic::{AtomicU64, Ordering};

/// More workers than these share lines.
const LANES: usize = 64;

/// Counts of a worker. Processors fetch two lines at once.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Lane {
    checked: AtomicU64,
    undecided: AtomicU64,
}

/// Counts of all workers.
#[derive(Debug)]
pub(super) struct Counts(Vec<Lane>);

impl Default for Counts {
    fn default() -> Self {
        Counts((0..LANES).map(|_| Lane::default()).collect())
    }
}

impl Counts {
    /// Adds what this worker checked.
    pub fn add(&self, worker: u32, checked: u64, undecided: u64) {
        let lane = &self.0[worker as usize % LANES];
        lane.checked.fetch_add(checked, Ordering::Relaxed);
        if undecided > 0 {
            lane.undecided.fetch_add(undecided, Ordering::Relaxed);
        }
    }

    pub fn checked(&self) -> u64 {
        self.sum(|lane| &lane.checked)
    }

    pub fn undecided(&self) -> u64 {
        self.sum(|lane| &lane.undecided)
    }

    fn sum(&self, of: fn(&Lane) -> &AtomicU64) -> u64 {
        let lanes = self.0.iter();
        lanes.map(|lane| of(lane).load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_count_apart_and_add_up() {
        let counts = Counts::default();
        for (worker, checked, undecided) in [(0, 3, 1), (1, 5, 0), (63, 7, 2), (64, 11, 0)] {
            counts.add(worker, checked, undecided);
        }
        assert_eq!((counts.checked(), counts.undecided()), (26, 3));
        assert_eq!(counts.0[0].checked.load(Ordering::Relaxed), 14);
        let lines = |worker: usize| std::ptr::from_ref(&counts.0[worker]) as usize / 128;
        assert!((1..LANES).all(|worker| lines(worker) > lines(worker - 1)));
    }
}
