//! What does a worker count within one interval? Its own tick, filled without lock or allocation, handed over at the interval's end.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{Phase, PriorityTick, SplitLatency};
use plumb_model::workload::{OperationKind, Workload};

use crate::engine::urgent;
use crate::system::ThreadAccount;

/// One worker's counts of one interval.
#[derive(Debug, Clone)]
pub struct TickBuffer {
    pub phase: Phase,
    /// Number of the interval within the phase.
    pub index: u64,
    pub start_ns: u64,
    pub end_ns: u64,
    /// One per kind of the workload, in its order; flushes that `fsync-every` adds come last.
    pub kinds: Vec<KindBuffer>,
    /// Open loop only.
    pub lateness: Option<Histogram>,
    pub backlog: Option<u64>,
    /// What the worker's thread used within the interval; missing if the system does not report it.
    pub account: Option<ThreadAccount>,
    /// How long each flush took that came after the last operation; they are counted among the flushes too.
    pub end_flushes_ns: Vec<u64>,
}

/// Counts of one kind of operation.
#[derive(Debug, Clone)]
pub struct KindBuffer {
    pub kind: OperationKind,
    pub bytes: u64,
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// Successes only: its count is their number.
    pub service: Histogram,
    /// Open loop only.
    pub response: Option<Histogram>,
    /// Where the time of submissions is measured.
    pub split: Option<SplitLatency>,
    /// By priority, where operations have several.
    pub priorities: Vec<PriorityTick>,
}

impl TickBuffer {
    /// An empty buffer for a workload, with or without the parts of latencies; all memory that the loop needs is allocated here.
    pub fn new(workload: &Workload, splits: bool) -> TickBuffer {
        let open = workload.is_open();
        let mut kinds: Vec<OperationKind> = workload.mix.0.iter().map(|(kind, _)| *kind).collect();
        kinds.push(OperationKind::Flush);
        // A mix of file operations may turn a deletion into a creation when nothing is left to delete.
        kinds.extend(
            workload
                .has_file_operations()
                .then_some(OperationKind::Create),
        );
        // A verified write that finds every block busy becomes a read.
        kinds.extend(workload.verify.then_some(OperationKind::Read));
        kinds.sort_unstable();
        kinds.dedup();
        let empty = |kind| KindBuffer {
            kind,
            bytes: 0,
            errors: BTreeMap::new(),
            service: Histogram::default(),
            response: open.then(Histogram::default),
            split: splits.then(SplitLatency::default),
            priorities: urgent::priorities_of(workload, kind)
                .into_iter()
                .map(|priority| PriorityTick {
                    priority,
                    service: Histogram::default(),
                    response: open.then(Histogram::default),
                    completion: splits.then(Histogram::default),
                })
                .collect(),
        };
        TickBuffer {
            phase: Phase::WarmUp,
            index: 0,
            start_ns: 0,
            end_ns: 0,
            kinds: kinds.into_iter().map(empty).collect(),
            lateness: open.then(Histogram::default),
            backlog: None,
            account: None,
            end_flushes_ns: Vec::new(),
        }
    }

    /// Forgets all counts; keeps the memory.
    pub fn clear(&mut self) {
        for kind in &mut self.kinds {
            kind.bytes = 0;
            kind.errors.clear();
            kind.service.clear();
            if let Some(response) = &mut kind.response {
                response.clear();
            }
            if let Some(split) = &mut kind.split {
                split.clear();
            }
            kind.priorities.iter_mut().for_each(PriorityTick::clear);
        }
        if let Some(lateness) = &mut self.lateness {
            lateness.clear();
        }
        self.backlog = None;
        self.account = None;
        self.end_flushes_ns.clear();
    }

    /// Operations that completed as requested, of all kinds.
    pub fn operations(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.service.count()).sum()
    }

    /// Bytes that they moved.
    pub fn bytes(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.bytes).sum()
    }
}
