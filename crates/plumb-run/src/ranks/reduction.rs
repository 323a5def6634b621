//! How do the intervals of many ranks become one? Along a tree: each rank adds what its children hand up to its own, and hands the sum on.
//!
//! Nothing is dropped: what comes after its interval has been handed on is handed on by itself, so that the sums at rank 0 are those of all ranks whatever
//! comes late. How much a rank holds depends on its children and on how late they are, not on the number of ranks.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plumb_model::run::tick::{Phase, Tick};

/// Ranks that hand their intervals to one rank.
pub const FAN_OUT: u32 = 16;
/// An interval is not held longer than this for ranks that have not handed theirs up.
const PATIENCE: Duration = Duration::from_secs(1);

/// The rank that a rank hands its intervals to; `None` for rank 0.
pub fn parent(rank: u32) -> Option<u32> {
    rank.checked_sub(1).map(|before| before / FAN_OUT)
}

/// The ranks that hand theirs to this one.
pub fn children(rank: u32, size: u32) -> std::ops::Range<u32> {
    let first = rank.saturating_mul(FAN_OUT).saturating_add(1).min(size);
    first..first.saturating_add(FAN_OUT).min(size)
}

/// How many ranks hand their intervals up through this one, itself included.
pub fn branch(rank: u32, size: u32) -> u32 {
    // Each level of the branch is a row of neighbours.
    let (mut first, mut last, mut count) = (rank, rank, 0u32);
    while first < size {
        count += last.min(size - 1) - first + 1;
        first = first.saturating_mul(FAN_OUT).saturating_add(1);
        last = last.saturating_add(1).saturating_mul(FAN_OUT);
    }
    count
}

/// Execution, job, phase, number of the interval.
type Key = (u32, u32, u8, u64);

/// An interval that is being added up.
struct Pending {
    sum: Tick,
    since: Instant,
}

/// What one rank of the tree holds.
pub struct Reduction {
    /// Ranks that hand up through this one, itself included.
    branch: u32,
    /// Those of them that have ended the execution, by execution.
    ended: BTreeMap<u32, u32>,
    pending: BTreeMap<Key, Pending>,
}

impl Reduction {
    /// Nothing has been handed up yet.
    pub fn new(rank: u32, size: u32) -> Reduction {
        Reduction {
            branch: branch(rank, size),
            ended: BTreeMap::new(),
            pending: BTreeMap::new(),
        }
    }

    /// Takes an interval, of this rank or handed up by a child. One without a rank is skipped: it does not come from several ranks.
    pub fn take(&mut self, tick: Tick, now: Instant) {
        let Some(of) = tick.ranks else { return };
        let phase = match tick.phase {
            Phase::WarmUp => 0,
            Phase::Measure => 1,
            Phase::Drain => 2,
        };
        let key = (tick.execution, tick.job, phase, of.interval);
        match self.pending.get_mut(&key) {
            Some(pending) => pending.sum.add_ranks(&tick),
            None => {
                let pending = Pending {
                    sum: tick,
                    since: now,
                };
                self.pending.insert(key, pending);
            }
        }
    }

    /// So many more ranks of the branch have ended this execution, after all their intervals; or are lost.
    pub fn end(&mut self, execution: u32, ranks: u32) {
        *self.ended.entry(execution).or_default() += ranks;
        // Executions follow each other: the one before the last has nothing to come.
        while self.ended.len() > 2 {
            self.ended.pop_first();
        }
    }

    /// A rank of the branch is lost: nothing is expected of it any more.
    pub fn lose(&mut self) {
        self.branch = self.branch.saturating_sub(1);
    }

    /// The intervals that are to be handed on: those that all ranks have added to that still run, and those that were held long enough.
    pub fn ready(&mut self, now: Instant) -> Vec<Tick> {
        let (branch, ended) = (self.branch, &self.ended);
        let is_ready = |key: &Key, pending: &Pending| {
            let gone = ended.get(&key.0).copied().unwrap_or_default();
            let there = pending.sum.ranks.map_or(0, |of| of.ranks);
            there.saturating_add(gone) >= branch || now >= pending.since + PATIENCE
        };
        let keys: Vec<Key> = self
            .pending
            .iter()
            .filter(|(key, pending)| is_ready(key, pending))
            .map(|(key, _)| *key)
            .collect();
        let taken = keys.iter().filter_map(|key| self.pending.remove(key));
        taken
            .map(|mut pending| {
                pending.sum.shrink();
                pending.sum
            })
            .collect()
    }

    /// Intervals that are held.
    pub fn held(&self) -> usize {
        self.pending.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::run::histogram::Histogram;
    use plumb_model::run::tick::{KindTick, RankTick};
    use plumb_model::workload::OperationKind;

    fn tick(interval: u64, ns: u64) -> Tick {
        let mut service = Histogram::default();
        service.record(ns);
        Tick {
            execution: 0,
            job: 0,
            phase: Phase::Measure,
            start_ns: interval * 1000 + ns % 7,
            end_ns: interval * 1000 + 1000,
            kinds: vec![KindTick {
                kind: OperationKind::Read,
                count: 1,
                bytes: 4096,
                errors: BTreeMap::new(),
                service,
                response: None,
                split: None,
                priorities: Vec::new(),
            }],
            lateness: None,
            backlog: None,
            workers: Vec::new(),
            ranks: Some(RankTick { ranks: 1, interval }),
        }
    }

    #[test]
    fn every_rank_but_the_first_has_one_parent_and_all_branches_end_at_rank_0() {
        for size in [1u32, 2, 16, 17, 18, 273, 274, 10_000] {
            let mut seen = 0;
            for rank in 0..size {
                for child in children(rank, size) {
                    assert_eq!(parent(child), Some(rank));
                    seen += 1;
                }
                let below: u32 = children(rank, size).map(|child| branch(child, size)).sum();
                assert_eq!(branch(rank, size), below + 1, "{rank} of {size}");
            }
            assert_eq!((seen, branch(0, size)), (size - 1, size));
        }
        assert_eq!(parent(0), None);
    }

    #[test]
    fn an_interval_waits_for_all_and_a_late_one_is_handed_on_by_itself() {
        let now = Instant::now();
        let mut reduction = Reduction::new(0, 3);
        reduction.take(tick(0, 10), now);
        reduction.take(tick(0, 20), now);
        assert!(reduction.ready(now).is_empty());
        reduction.take(tick(1, 10), now);
        reduction.take(tick(0, 30), now);
        let ready = reduction.ready(now);
        assert_eq!((ready.len(), ready[0].kinds[0].count), (1, 3));
        assert_eq!(
            ready[0].ranks,
            Some(RankTick {
                ranks: 3,
                interval: 0
            })
        );
        assert_eq!(ready[0].kinds[0].service.sum_ns(), 60);
        // Held too long: what is there goes, and what comes later goes too.
        let late = now + PATIENCE;
        assert_eq!(reduction.ready(late)[0].kinds[0].count, 1);
        reduction.take(tick(1, 20), late);
        reduction.end(0, 2);
        assert_eq!(reduction.ready(late)[0].kinds[0].count, 1);
        assert_eq!(reduction.held(), 0);
    }

    /// All ranks hand up along the tree, in an order of chance: the sums are those of the pooled samples, to the last bucket.
    #[test]
    fn the_sums_of_the_tree_are_those_of_all_samples() {
        const SIZE: u32 = 300;
        let now = Instant::now();
        let mut tree: Vec<Reduction> = (0..SIZE).map(|rank| Reduction::new(rank, SIZE)).collect();
        let mut pooled = Histogram::default();
        let mut random = 12345u64;
        let mut next = move || {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            random >> 33
        };
        for interval in 0..3 {
            for rank in 0..SIZE {
                let ns = next() % 10_000_000;
                pooled.record(ns);
                tree[rank as usize].take(tick(interval, ns), now);
            }
        }
        let mut arrived: Vec<Tick> = Vec::new();
        // Some ranks are late: they hand on a part first and the rest afterwards.
        for time in [now, now + PATIENCE, now + 2 * PATIENCE, now + 3 * PATIENCE] {
            for rank in (0..SIZE).rev() {
                if time == now && next() % 5 == 0 {
                    continue;
                }
                let ready = tree[rank as usize].ready(time);
                match parent(rank) {
                    Some(above) => ready
                        .into_iter()
                        .for_each(|tick| tree[above as usize].take(tick, time)),
                    None => arrived.extend(ready),
                }
            }
        }
        let mut sum = Histogram::default();
        let mut ranks = 0;
        for tick in &arrived {
            sum.merge(&tick.kinds[0].service);
            ranks += tick.ranks.map_or(0, |of| of.ranks);
        }
        assert_eq!((sum, ranks), (pooled, 3 * SIZE));
        assert!(tree.iter().all(|rank| rank.held() == 0));
    }
}
