//! What happened in one interval of load?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::run::histogram::Histogram;
use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;
use crate::workload::operation::OperationKind;
use std::fmt;
use std::str::FromStr;

words! {
    /// Phase of the load.
    Phase, "phase" {
        /// Warm-up; excluded from all figures.
        WarmUp = "warm-up",
        /// Measured.
        Measure = "measure",
        /// After the stop: only completions of operations that were submitted before. Counted in the histograms, not in rates.
        Drain = "drain",
    }
}

/// One job in one interval, over all its workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Which execution (index into the run's executions).
    pub execution: u32,
    /// Which job of the step.
    pub job: u32,
    pub phase: Phase,
    /// Start of the interval, nanoseconds since the start of the run.
    pub start_ns: u64,
    /// Actual end of the interval, which a stalled machine may have delayed.
    pub end_ns: u64,
    /// What completed, by kind; only kinds that occurred.
    pub kinds: Vec<KindTick>,
    /// Open loop: from when operations were due to when they were submitted. Missing in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<Histogram>,
    /// Open loop: operations that were due by the end of the interval and not yet submitted. Missing in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// Figures of each worker. Empty in the common record of many ranks: the record of each rank has its workers.
    pub workers: Vec<WorkerTick>,
    /// The ranks included, in the common record of many ranks. Missing for one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RankTick>,
}

/// The ranks included in an interval of a run of many ranks. Several entries of one interval add up: late data is recorded separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankTick {
    /// How many ranks.
    pub ranks: u32,
    /// Number of the interval within the execution, from its common start: the same for all ranks.
    pub interval: u64,
}

impl Tick {
    /// Adds the interval that follows, of the same job and phase, so that both become one: counts added, histograms merged, from the start of the first
    /// to the end of the last; the backlog, a state, is that of the later one. All sums stay the same. Returns `false`, and changes
    /// nothing, if that would not hold: there is a gap between them, the workers differ, or only one of them has latencies.
    pub fn absorb(&mut self, next: &Tick) -> bool {
        let same_work =
            (self.execution, self.job, self.phase) == (next.execution, next.job, next.phase);
        let adjoining = self.start_ns <= next.start_ns && next.start_ns <= self.end_ns;
        let same_workers = self
            .workers
            .iter()
            .map(|worker| worker.worker)
            .eq(next.workers.iter().map(|worker| worker.worker));
        // With many ranks: the same number in each, so that both still show whether all took part.
        let same_ranks = match (self.ranks, next.ranks) {
            (None, None) => true,
            (Some(mine), Some(theirs)) => mine.ranks == theirs.ranks,
            _ => false,
        };
        if !same_work
            || !same_ranks
            || !adjoining
            || !same_workers
            || self
                .is_untimed()
                .zip(next.is_untimed())
                .is_some_and(|(mine, theirs)| mine != theirs)
        {
            return false;
        }
        self.end_ns = self.end_ns.max(next.end_ns);
        add_kinds(&mut self.kinds, &next.kinds);
        if let Some(lateness) = &next.lateness {
            self.lateness.get_or_insert_default().merge(lateness);
        }
        self.backlog = next.backlog.or(self.backlog);
        self.workers
            .iter_mut()
            .zip(&next.workers)
            .for_each(|(worker, more)| worker.absorb(more));
        true
    }

    /// Adds the same interval of other ranks: counts added, histograms merged, from the first start to the last end; the backlogs add up.
    pub fn add_ranks(&mut self, other: &Tick) {
        self.start_ns = self.start_ns.min(other.start_ns);
        self.end_ns = self.end_ns.max(other.end_ns);
        add_kinds(&mut self.kinds, &other.kinds);
        if let Some(lateness) = &other.lateness {
            self.lateness.get_or_insert_default().merge(lateness);
        }
        self.backlog = match (self.backlog, other.backlog) {
            (Some(mine), Some(theirs)) => Some(mine + theirs),
            (mine, theirs) => mine.or(theirs),
        };
        if let (Some(mine), Some(theirs)) = (&mut self.ranks, &other.ranks) {
            mine.ranks += theirs.ranks;
        }
    }

    /// Frees the memory of empty buckets: see [`Histogram::shrink`].
    pub fn shrink(&mut self) {
        for kind in &mut self.kinds {
            kind.service.shrink();
            kind.response.iter_mut().for_each(Histogram::shrink);
            kind.split.iter_mut().for_each(SplitLatency::shrink);
            let histograms = kind
                .priorities
                .iter_mut()
                .flat_map(PriorityTick::histograms);
            histograms.for_each(Histogram::shrink);
        }
        self.lateness.iter_mut().for_each(Histogram::shrink);
    }

    /// Approximate memory in bytes, once shrunk.
    pub fn memory_bytes(&self) -> usize {
        let kinds = self.kinds.iter().map(|kind| {
            size_of::<KindTick>()
                + kind.service.memory_bytes()
                + kind.response.as_ref().map_or(0, Histogram::memory_bytes)
                + kind.split.as_ref().map_or(0, SplitLatency::memory_bytes)
                + kind
                    .priorities
                    .iter()
                    .map(PriorityTick::memory_bytes)
                    .sum::<usize>()
        });
        let lateness = self.lateness.as_ref().map_or(0, Histogram::memory_bytes);
        size_of::<Tick>()
            + kinds.sum::<usize>()
            + lateness
            + self.workers.len() * size_of::<WorkerTick>()
    }

    /// True if operations were counted without latencies, as in some imported runs; `None` if nothing completed.
    fn is_untimed(&self) -> Option<bool> {
        self.kinds
            .iter()
            .filter(|kind| kind.count > 0)
            .map(|kind| kind.service.count() == 0)
            .reduce(|any, more| any || more)
    }
}

/// Adds operations kind by kind: counts added, histograms merged.
pub fn add_kinds(kinds: &mut Vec<KindTick>, more: &[KindTick]) {
    for kind in more {
        match kinds.iter_mut().find(|known| known.kind == kind.kind) {
            Some(known) => known.absorb(kind),
            None => kinds.push(kind.clone()),
        }
    }
}

impl KindTick {
    fn absorb(&mut self, next: &KindTick) {
        self.count += next.count;
        self.bytes = self.bytes.saturating_add(next.bytes);
        for (error, count) in &next.errors {
            *self.errors.entry(error.clone()).or_default() += count;
        }
        if let (None, Some(_)) = (&self.response, &next.response) {
            self.response = Some(self.service.clone());
        }
        if let Some(response) = &mut self.response {
            response.merge(next.response.as_ref().unwrap_or(&next.service));
        }
        self.split = match (self.split.take(), &next.split) {
            (Some(mut mine), Some(theirs)) => {
                mine.merge(theirs);
                Some(mine)
            }
            _ => None,
        };
        add_priorities(&mut self.priorities, &next.priorities);
        self.service.merge(&next.service);
    }
}

/// Adds operations priority by priority; those of which there are none are left out.
pub fn add_priorities(priorities: &mut Vec<PriorityTick>, more: &[PriorityTick]) {
    for of in more.iter().filter(|of| of.service.count() > 0) {
        match priorities
            .iter_mut()
            .find(|known| known.priority == of.priority)
        {
            Some(known) => known.merge(of),
            None => priorities.push(of.clone()),
        }
    }
    priorities.sort_by_key(|of| of.priority);
}

impl WorkerTick {
    /// Values missing in one of them stay missing.
    fn absorb(&mut self, next: &WorkerTick) {
        let add = |mine: &mut Option<u64>, theirs: Option<u64>| {
            *mine = mine.zip(theirs).map(|(a, b)| a.saturating_add(b))
        };
        self.operations += next.operations;
        self.bytes = self.bytes.saturating_add(next.bytes);
        add(&mut self.cpu_user_ns, next.cpu_user_ns);
        add(&mut self.cpu_system_ns, next.cpu_system_ns);
        add(&mut self.voluntary_switches, next.voluntary_switches);
        add(&mut self.involuntary_switches, next.involuntary_switches);
        add(&mut self.waited_for_cpu_ns, next.waited_for_cpu_ns);
    }
}

/// Completed operations of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KindTick {
    pub kind: OperationKind,
    /// Operations that succeeded.
    pub count: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Operations that failed, by the kernel's name of the error (`EIO`, `ENOSPC`) or `short` (fewer bytes than requested) or `mismatch`
    /// (verification). They are in no histogram and not in `count`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// From submission to completion, successful operations only.
    pub service: Histogram,
    /// From when they were due to completion. Missing in a closed loop, where it equals `service`. In the last interval of a step it also holds the
    /// operations that were due and never submitted, with their waiting time up to then, a lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Histogram>,
    /// The parts of `service`; missing if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitLatency>,
    /// By priority, in rising order; each operation is in one. Empty where all operations have that of their thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<PriorityTick>,
}

/// Operations of one I/O priority.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PriorityTick {
    /// In the form of the kernel (linux/ioprio.h): class from bit 13 on, level below; 0: that of the thread.
    pub priority: u16,
    /// As [`KindTick::service`].
    pub service: Histogram,
    /// As [`KindTick::response`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Histogram>,
    /// As [`SplitLatency::completion`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<Histogram>,
}

impl PriorityTick {
    /// Class and level.
    pub fn class_and_level(&self) -> (u16, u16) {
        (self.priority >> 13, self.priority & 0x1fff)
    }

    /// Clears all operations; keeps the memory.
    pub fn clear(&mut self) {
        self.histograms().for_each(Histogram::clear);
    }

    fn histograms(&mut self) -> impl Iterator<Item = &mut Histogram> {
        let parts = self.response.iter_mut().chain(self.completion.iter_mut());
        std::iter::once(&mut self.service).chain(parts)
    }

    fn merge(&mut self, other: &PriorityTick) {
        if let (None, Some(_)) = (&self.response, &other.response) {
            self.response = Some(self.service.clone());
        }
        if let Some(response) = &mut self.response {
            response.merge(other.response.as_ref().unwrap_or(&other.service));
        }
        if let (None, Some(_)) = (&self.completion, &other.completion) {
            self.completion = Some(self.service.clone());
        }
        if let Some(completion) = &mut self.completion {
            completion.merge(other.completion.as_ref().unwrap_or(&other.service));
        }
        self.service.merge(&other.service);
    }

    fn memory_bytes(&self) -> usize {
        let parts = self.response.iter().chain(&self.completion);
        let parts = parts.map(Histogram::memory_bytes).sum::<usize>();
        size_of::<PriorityTick>() + self.service.memory_bytes() + parts
    }
}

/// Service times split in two; each operation is in both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SplitLatency {
    /// Until the system accepted the operation; fio's slat.
    pub submission: Histogram,
    /// From there to its end; fio's clat.
    pub completion: Histogram,
}

impl SplitLatency {
    /// Counts `n` operations of equal latency, in nanoseconds.
    pub fn record_n(&mut self, submission_ns: u64, completion_ns: u64, n: u64) {
        self.submission.record_n(submission_ns, n);
        self.completion.record_n(completion_ns, n);
    }

    /// Merges another one.
    pub fn merge(&mut self, other: &SplitLatency) {
        self.submission.merge(&other.submission);
        self.completion.merge(&other.completion);
    }

    /// Clears all operations; keeps the memory.
    pub fn clear(&mut self) {
        self.submission.clear();
        self.completion.clear();
    }

    fn shrink(&mut self) {
        self.submission.shrink();
        self.completion.shrink();
    }

    fn memory_bytes(&self) -> usize {
        self.submission.memory_bytes() + self.completion.memory_bytes()
    }
}

/// One worker in one interval. CPU and switches are missing if the system does not report them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerTick {
    pub worker: u32,
    pub operations: u64,
    pub bytes: u64,
    /// CPU time of the worker's thread in user and kernel mode.
    pub cpu_user_ns: Option<u64>,
    pub cpu_system_ns: Option<u64>,
    /// Context switches: the thread waited / was preempted.
    pub voluntary_switches: Option<u64>,
    pub involuntary_switches: Option<u64>,
    /// Time in which the thread was runnable and waited for a CPU. Missing if the system does not report it, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_for_cpu_ns: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(start_ns: u64, end_ns: u64, values: &[u64]) -> Tick {
        let mut service = Histogram::default();
        values.iter().for_each(|value| service.record(*value));
        let count = values.len() as u64;
        let kind = KindTick {
            kind: OperationKind::Read,
            count,
            bytes: count * 4096,
            errors: BTreeMap::new(),
            service,
            response: None,
            split: None,
            priorities: Vec::new(),
        };
        let worker = WorkerTick {
            operations: count,
            cpu_user_ns: Some(count),
            ..WorkerTick::default()
        };
        let kinds = if values.is_empty() {
            Vec::new()
        } else {
            vec![kind]
        };
        Tick {
            execution: 0,
            job: 0,
            phase: Phase::Measure,
            start_ns,
            end_ns,
            kinds,
            lateness: None,
            backlog: None,
            workers: vec![worker],
            ranks: None,
        }
    }

    #[test]
    fn intervals_in_a_row_become_one_with_the_same_sums() {
        let mut first = tick(0, 10, &[5, 900]);
        assert!(first.absorb(&tick(10, 21, &[])) && first.absorb(&tick(20, 30, &[7])));
        let mut whole = tick(0, 30, &[5, 900, 7]);
        first.shrink();
        whole.shrink();
        assert_eq!(first, whole);
        assert_eq!(first.memory_bytes(), whole.memory_bytes());
        let mut open = tick(30, 40, &[8]);
        open.kinds[0].response = Some(tick(0, 0, &[80]).kinds[0].service.clone());
        open.backlog = Some(3);
        assert!(first.absorb(&open));
        assert!(
            first.kinds[0].response == Some(tick(0, 0, &[5, 900, 7, 80]).kinds[0].service.clone())
                && first.backlog == Some(3)
        );
    }

    #[test]
    fn intervals_that_do_not_belong_together_stay_apart() {
        let mut first = tick(0, 10, &[5]);
        let changed = |change: fn(&mut Tick)| {
            let mut next = tick(10, 20, &[6]);
            change(&mut next);
            next
        };
        let others = [
            changed(|next| next.start_ns = 11),
            changed(|next| next.job = 1),
            changed(|next| next.phase = Phase::Drain),
            changed(|next| next.workers[0].worker = 1),
            changed(|next| next.kinds[0].service.clear()),
        ];
        for next in &others {
            assert!(!first.absorb(next), "{next:?}");
        }
        assert_eq!(first, tick(0, 10, &[5]));
        let silent = changed(|next| next.workers[0].cpu_user_ns = None);
        assert!(
            first.absorb(&silent)
                && first.workers[0].cpu_user_ns.is_none()
                && first.workers[0].operations == 2
        );
    }
}
