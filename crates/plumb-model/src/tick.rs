//! What did one interval of load do?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::histogram::Histogram;
use crate::units::UnitError;
use crate::workload::{OperationKind, serde_as_text, words};
use std::fmt;
use std::str::FromStr;

words! {
    /// What the load was for.
    Phase, "phase" {
        /// Load before the measuring; left out of all figures.
        WarmUp = "warm-up",
        /// Measured.
        Measure = "measure",
        /// After the stop: only completions of operations that were submitted before. Counted in the histograms, not in rates.
        Drain = "drain",
    }
}

/// What one job did in one interval, over all its workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Which execution (index into the run's executions).
    pub execution: u32,
    /// Which job of the step.
    pub job: u32,
    pub phase: Phase,
    /// First moment of the interval, nanoseconds since the start of the run.
    pub start_ns: u64,
    /// End of the interval; its real length, which a stalled machine may have stretched.
    pub end_ns: u64,
    /// What completed, by kind; only kinds that occurred.
    pub kinds: Vec<KindTick>,
    /// Open loop: from when operations were due to when they were submitted. Missing in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<Histogram>,
    /// Open loop: operations that were due by the end of the interval and not yet submitted. Missing in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// Each worker's own account.
    pub workers: Vec<WorkerTick>,
}

/// Completed operations of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KindTick {
    pub kind: OperationKind,
    /// Operations that completed as asked.
    pub count: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Operations that failed, by the kernel's name of the error (`EIO`, `ENOSPC`) or `short` (fewer bytes than asked) or `mismatch`
    /// (verification). They are in no histogram and not in `count`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// From submission to completion, successful operations only.
    pub service: Histogram,
    /// From when they were due to completion. Missing in a closed loop, where it equals `service`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Histogram>,
}

/// One worker's account of one interval. CPU and switches are missing where the system does not tell.
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
}
