//! How do the workers' ticks become one tick per interval? Counts are added and histograms merged as soon as all workers have reported.

use std::collections::BTreeMap;

use plumb_model::run::tick::{KindTick, Phase, Tick, WorkerTick, add_priorities};

use crate::worker::tick_buffer::{KindBuffer, TickBuffer};

/// Place of an interval in the order of a step.
type Key = (Phase, u64);

/// Ticks of one job under way.
pub struct Merge {
    execution: u32,
    job: u32,
    pending: BTreeMap<Key, Tick>,
    /// The last interval that each worker has reported; `None` before its first, and gone from the map when it has ended.
    reported: BTreeMap<u32, Option<Key>>,
    flushed: Option<Key>,
}

impl Merge {
    /// Nothing reported yet by any of `workers` workers.
    pub fn new(execution: u32, job: u32, workers: u32) -> Merge {
        Merge {
            execution,
            job,
            pending: BTreeMap::new(),
            reported: (0..workers).map(|worker| (worker, None)).collect(),
            flushed: None,
        }
    }

    /// Adds a worker's tick. One that comes after its interval was flushed counts in the next of its phase: nothing is lost, and what a worker did in the
    /// warm-up is not measured because it came late.
    pub fn add(&mut self, worker: u32, buffer: &TickBuffer) {
        let own = (buffer.phase, buffer.index);
        let late = self
            .flushed
            .filter(|flushed| own <= *flushed && own.0 == flushed.0);
        let key = late.map_or(own, |(phase, index)| (phase, index + 1));
        if let Some(last) = self.reported.get_mut(&worker) {
            *last = Some(own);
        }
        let tick = self.pending.entry(key).or_insert_with(|| Tick {
            execution: self.execution,
            job: self.job,
            phase: key.0,
            start_ns: buffer.start_ns,
            end_ns: buffer.end_ns,
            kinds: Vec::new(),
            lateness: None,
            backlog: None,
            workers: Vec::new(),
            ranks: None,
        });
        tick.start_ns = tick.start_ns.min(buffer.start_ns);
        tick.end_ns = tick.end_ns.max(buffer.end_ns);
        add_counts(tick, buffer);
        tick.workers.push(WorkerTick {
            worker,
            operations: buffer.operations(),
            bytes: buffer.bytes(),
            cpu_user_ns: buffer.account.map(|account| account.user_ns),
            cpu_system_ns: buffer.account.map(|account| account.system_ns),
            voluntary_switches: buffer
                .account
                .and_then(|account| account.voluntary_switches),
            involuntary_switches: buffer
                .account
                .and_then(|account| account.involuntary_switches),
            waited_for_cpu_ns: buffer.account.and_then(|account| account.waited_for_cpu_ns),
        });
    }

    /// The worker will report no more.
    pub fn end(&mut self, worker: u32) {
        self.reported.remove(&worker);
    }

    /// Ticks that are complete, in order. With `overdue`, those that still lack a worker as well: one that hangs in an operation must not
    /// hold back the record of the others.
    pub fn take(&mut self, overdue: bool) -> Vec<Tick> {
        let complete = if overdue {
            None
        } else {
            self.reported
                .values()
                .copied()
                .min()
                .map(|least| least.unwrap_or((Phase::WarmUp, 0)))
        };
        let first = self.reported.values().any(Option::is_none) && !overdue;
        let mut taken = Vec::new();
        while let Some(entry) = self.pending.first_entry() {
            if first || complete.is_some_and(|least| *entry.key() > least) {
                break;
            }
            self.flushed = self.flushed.max(Some(*entry.key()));
            let mut tick = entry.remove();
            tick.workers.sort_by_key(|worker| worker.worker);
            taken.push(tick);
        }
        taken
    }

    /// True when something waits.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }
}

fn add_counts(tick: &mut Tick, buffer: &TickBuffer) {
    // Operations that were due and never submitted have a response time alone.
    let waited = |kind: &KindBuffer| {
        kind.response
            .as_ref()
            .is_some_and(|response| response.count() > 0)
    };
    for kind in buffer
        .kinds
        .iter()
        .filter(|kind| kind.service.count() > 0 || !kind.errors.is_empty() || waited(kind))
    {
        let index = tick
            .kinds
            .iter()
            .position(|known| known.kind == kind.kind)
            .unwrap_or_else(|| {
                let response = kind.response.as_ref().map(|_| Default::default());
                tick.kinds.push(KindTick {
                    kind: kind.kind,
                    count: 0,
                    bytes: 0,
                    errors: BTreeMap::new(),
                    service: Default::default(),
                    response,
                    split: kind.split.as_ref().map(|_| Default::default()),
                    priorities: Vec::new(),
                });
                tick.kinds.len() - 1
            });
        let sum = &mut tick.kinds[index];
        sum.count += kind.service.count();
        sum.bytes += kind.bytes * kind.kind.directions();
        for (error, count) in &kind.errors {
            *sum.errors.entry(error.to_string()).or_default() += count;
        }
        sum.service.merge(&kind.service);
        if let (Some(sum), Some(response)) = (&mut sum.response, &kind.response) {
            sum.merge(response);
        }
        if let (Some(sum), Some(split)) = (&mut sum.split, &kind.split) {
            sum.merge(split);
        }
        add_priorities(&mut sum.priorities, &kind.priorities);
    }
    if let Some(lateness) = &buffer.lateness {
        tick.lateness.get_or_insert_default().merge(lateness);
    }
    if let Some(backlog) = buffer.backlog {
        *tick.backlog.get_or_insert_default() += backlog;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::workload::Workload;

    fn buffer(phase: Phase, index: u64, count: u64) -> TickBuffer {
        let mut buffer = TickBuffer::new(&Workload::default(), false);
        (buffer.phase, buffer.index, buffer.start_ns, buffer.end_ns) =
            (phase, index, index * 10, index * 10 + 10);
        for _ in 0..count {
            buffer.kinds[0].service.record(100);
        }
        buffer
    }

    fn counts(ticks: &[Tick]) -> Vec<u64> {
        ticks
            .iter()
            .map(|tick| tick.kinds.iter().map(|kind| kind.count).sum())
            .collect()
    }

    #[test]
    fn an_interval_is_complete_when_all_workers_have_reported() {
        let mut merge = Merge::new(0, 0, 2);
        merge.add(0, &buffer(Phase::Measure, 0, 1));
        merge.add(0, &buffer(Phase::Measure, 1, 2));
        assert!(merge.take(false).is_empty());
        merge.add(1, &buffer(Phase::Measure, 0, 10));
        assert_eq!(counts(&merge.take(false)), [11]);
        merge.end(0);
        merge.add(1, &buffer(Phase::Measure, 1, 20));
        merge.end(1);
        assert_eq!(counts(&merge.take(false)), [22]);
    }

    #[test]
    fn a_warm_up_that_comes_late_is_no_measurement() {
        let mut merge = Merge::new(0, 0, 2);
        merge.add(0, &buffer(Phase::WarmUp, 0, 1));
        merge.add(0, &buffer(Phase::Measure, 0, 2));
        assert_eq!(counts(&merge.take(true)), [1, 2]);
        merge.add(1, &buffer(Phase::WarmUp, 0, 10));
        merge.add(1, &buffer(Phase::Measure, 0, 20));
        let late = merge.take(true);
        assert_eq!(counts(&late), [10, 20]);
        assert_eq!(
            (late[0].phase, late[1].phase),
            (Phase::WarmUp, Phase::Measure)
        );
        merge.add(0, &buffer(Phase::Measure, 1, 3));
        assert_eq!(
            counts(&merge.take(true)),
            [3],
            "the order of the measuring goes on"
        );
    }

    #[test]
    fn a_worker_that_hangs_holds_nothing_back_and_loses_nothing() {
        let mut merge = Merge::new(0, 0, 2);
        merge.add(0, &buffer(Phase::Measure, 0, 1));
        assert_eq!(counts(&merge.take(true)), [1]);
        merge.add(1, &buffer(Phase::Measure, 0, 10));
        merge.add(0, &buffer(Phase::Measure, 1, 2));
        merge.add(1, &buffer(Phase::Measure, 1, 20));
        assert_eq!(counts(&merge.take(false)), [32]);
    }
}
