//! Which events does a running step report?

use std::time::Duration;

use plumb_model::run::tick::Tick;
use plumb_model::run::worker_end::WorkerEnd;
use plumb_model::run::{ConnectionState, EngineAccount, EngineRecord, WriteBackFailure};
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;
use plumb_words::english;

/// What happens while a step runs.
#[derive(Debug)]
pub enum LoadEvent {
    EngineOpened {
        job: u32,
        record: EngineRecord,
    },
    /// Load has started, at this time since the run's start.
    Started {
        time_ns: u64,
    },
    Tick(Tick),
    FirstError {
        job: u32,
        kind: OperationKind,
        error: String,
        path: String,
        offset: u64,
    },
    Mismatch {
        job: u32,
        path: String,
        offset: u64,
        block_bytes: u64,
        explanation: Statement,
        hex_window: String,
    },
    Connection {
        job: u32,
        worker: u32,
        state: ConnectionState,
        text: Statement,
        /// How long before it was noticed.
        ago: Duration,
    },
    EngineClosed {
        job: u32,
        worker: u32,
        account: EngineAccount,
    },
    WorkerEnded {
        job: u32,
        worker: u32,
        end: Box<WorkerEnd>,
    },
    /// Data that counts as written could not be brought to storage.
    WriteBackFailed(WriteBackFailure),
    Remark {
        job: u32,
        text: Statement,
    },
    /// An interval of the main job has passed: time to sample counters and to draw.
    Interval {
        time_ns: u64,
    },
}

/// Why a step could not start.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadError(pub Statement);

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&english(&self.0))
    }
}

impl std::error::Error for LoadError {}
