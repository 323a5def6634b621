//! What has one worker done over an entire execution? The sum of its ticks, reported at its end.

use std::collections::BTreeMap;

use plumb_model::run::tick::{KindTick, Phase, add_priorities};
use plumb_model::run::worker_end::{Levels, WorkerEnd};

use crate::system::ThreadAccount;
use crate::worker::Stopped;
use crate::worker::tick_buffer::{KindBuffer, TickBuffer};

/// One worker's ticks so far, without the warm-up.
#[derive(Default)]
pub struct WorkerSum {
    /// First and last moment of the measuring, and the last one of the drain.
    span_ns: Option<(u64, u64)>,
    drained_ns: Option<u64>,
    /// By kind, with what completed in the drain.
    kinds: Vec<KindTick>,
    /// Operations and bytes by kind that completed in the drain.
    drained: Vec<(u64, u64)>,
    account: Option<ThreadAccount>,
    operations: u64,
    end_flushes_ns: Vec<u64>,
}

impl WorkerSum {
    /// Adds a tick; `apart` keeps kinds and histograms.
    pub fn add(&mut self, buffer: &TickBuffer, apart: bool) {
        match buffer.phase {
            Phase::WarmUp => return,
            Phase::Measure => {
                let (start, end) = self.span_ns.unwrap_or((buffer.start_ns, buffer.end_ns));
                self.span_ns = Some((start.min(buffer.start_ns), end.max(buffer.end_ns)));
                // Failed ones were under way as well.
                let failed = buffer.kinds.iter().flat_map(|kind| kind.errors.values());
                self.operations += buffer.operations() + failed.sum::<u64>();
            }
            Phase::Drain => self.drained_ns = Some(buffer.end_ns),
        }
        self.end_flushes_ns.extend(&buffer.end_flushes_ns);
        self.account = match (self.account, buffer.account) {
            (Some(before), Some(more)) => Some(together(before, more)),
            (before, more) => before.or(more),
        };
        if apart {
            buffer
                .kinds
                .iter()
                .for_each(|kind| self.add_kind(kind, buffer.phase == Phase::Drain));
        }
    }

    fn add_kind(&mut self, kind: &KindBuffer, drain: bool) {
        if kind.service.count() == 0 && kind.errors.is_empty() {
            return;
        }
        let known = self.kinds.iter().position(|known| known.kind == kind.kind);
        let index = known.unwrap_or_else(|| {
            self.kinds.push(KindTick {
                kind: kind.kind,
                count: 0,
                bytes: 0,
                errors: BTreeMap::new(),
                service: Default::default(),
                response: kind.response.as_ref().map(|_| Default::default()),
                split: kind.split.as_ref().map(|_| Default::default()),
                priorities: Vec::new(),
            });
            self.drained.push((0, 0));
            self.kinds.len() - 1
        });
        let (count, bytes) = (kind.service.count(), kind.bytes * kind.kind.directions());
        let sum = &mut self.kinds[index];
        if drain {
            let drained = &mut self.drained[index];
            *drained = (drained.0 + count, drained.1 + bytes);
        } else {
            (sum.count, sum.bytes) = (sum.count + count, sum.bytes + bytes);
        }
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

    /// The total, once the worker has ended.
    pub fn end(mut self, stopped: Stopped, levels: Levels) -> WorkerEnd {
        let stopped_by = stopped.reason();
        let (start_ns, mut end_ns) = self.span_ns.unwrap_or_default();
        if stopped_by.drain_counts() {
            end_ns = self
                .drained_ns
                .map_or(end_ns, |drained| drained.max(end_ns));
            for (sum, (count, bytes)) in self.kinds.iter_mut().zip(&self.drained) {
                (sum.count, sum.bytes) = (sum.count + count, sum.bytes + bytes);
            }
        }
        let one_by_one = |operations: u64| Levels {
            in_flight: vec![operations],
            submitted: vec![operations],
            completed: vec![operations],
        };
        let levels = match (levels.is_empty(), self.operations) {
            (true, operations) if operations > 0 => one_by_one(operations),
            _ => levels,
        };
        self.kinds.iter_mut().for_each(|kind| kind.service.shrink());
        let account = self.account;
        WorkerEnd {
            stopped_by,
            start_ns,
            end_ns,
            kinds: self.kinds,
            cpu_user_ns: account.map(|account| account.user_ns),
            cpu_system_ns: account.map(|account| account.system_ns),
            voluntary_switches: account.and_then(|account| account.voluntary_switches),
            involuntary_switches: account.and_then(|account| account.involuntary_switches),
            minor_faults: account.and_then(|account| account.minor_faults),
            major_faults: account.and_then(|account| account.major_faults),
            levels,
            end_flushes_ns: self.end_flushes_ns,
        }
    }
}

fn together(a: ThreadAccount, b: ThreadAccount) -> ThreadAccount {
    let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
    ThreadAccount {
        user_ns: a.user_ns + b.user_ns,
        system_ns: a.system_ns + b.system_ns,
        voluntary_switches: sum(a.voluntary_switches, b.voluntary_switches),
        involuntary_switches: sum(a.involuntary_switches, b.involuntary_switches),
        waited_for_cpu_ns: sum(a.waited_for_cpu_ns, b.waited_for_cpu_ns),
        minor_faults: sum(a.minor_faults, b.minor_faults),
        major_faults: sum(a.major_faults, b.major_faults),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::run::step_end::StopReason;
    use plumb_model::workload::Workload;

    fn tick(phase: Phase, start_ns: u64, count: u64) -> TickBuffer {
        let mut tick = TickBuffer::new(&Workload::default(), false);
        (tick.phase, tick.start_ns, tick.end_ns) = (phase, start_ns, start_ns + 10);
        tick.kinds[0].service.record_n(100, count);
        tick.kinds[0].bytes = count * 4096;
        tick
    }

    #[test]
    fn a_worker_is_reported_without_its_warm_up() {
        let end_of = |stopped: Stopped, apart: bool| {
            let mut sum = WorkerSum::default();
            sum.add(&tick(Phase::WarmUp, 0, 1000), apart);
            sum.add(&tick(Phase::Measure, 10, 3), apart);
            sum.add(&tick(Phase::Measure, 20, 4), apart);
            sum.add(&tick(Phase::Drain, 30, 1), apart);
            sum.end(stopped, Levels::default())
        };
        let by_count = end_of(Stopped::Operations, true);
        assert_eq!((by_count.start_ns, by_count.end_ns), (10, 40));
        assert_eq!(by_count.kinds[0].count, 8);
        let by_time = end_of(Stopped::Time, true);
        assert_eq!(
            (
                by_time.end_ns,
                by_time.kinds[0].count,
                by_time.kinds[0].bytes
            ),
            (30, 7, 7 * 4096)
        );
        assert_eq!(
            (by_time.kinds[0].service.count(), by_time.levels.in_flight),
            (8, vec![7])
        );
        assert_eq!(by_time.stopped_by, StopReason::Time);
        assert!(end_of(Stopped::Time, false).kinds.is_empty());
    }
}
