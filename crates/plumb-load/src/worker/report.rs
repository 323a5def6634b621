//! What does a worker report to the crew? Its ticks, what went wrong, and how it ended.

use plumb_model::run::worker_end::Levels;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::engine::Closing;
use crate::engine::journal::JournalEntry;
use crate::verify::dumps::Dump;
use crate::worker::tick_buffer::TickBuffer;

/// Why a worker stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped {
    Time,
    Bytes,
    Operations,
    /// Nothing is left to work on (all files deleted).
    EndOfFiles,
    /// The sender ended the stream of messages.
    EndOfStream,
    /// The target has no more room, which was to be waited for.
    NoRoom,
    /// The figures of the job are steady, and that was to be waited for.
    Steady,
    /// The run was requested to stop.
    Signal,
    /// The main job of the step ended.
    MainJob,
    /// It ended before this job's start-delay was over: nothing was done.
    BeforeTheStart,
    /// The engine broke, or nothing but failures came back.
    Error(Statement),
}

/// Reports of a worker to the crew.
pub enum Report {
    Tick {
        worker: u32,
        tick: Box<TickBuffer>,
    },
    FirstError {
        kind: OperationKind,
        error: String,
        offset: u64,
    },
    Mismatch {
        offset: u64,
        block_bytes: u64,
        explanation: Statement,
        hex_window: String,
        /// Where the block is to be written to files.
        dump: Option<Box<Dump>>,
    },
    /// What the engine reports by itself.
    Journal {
        worker: u32,
        entry: JournalEntry,
    },
    Ended(Box<Ended>),
}

/// The end of a worker.
pub struct Ended {
    pub worker: u32,
    pub stopped: Stopped,
    pub closing: Closing,
    pub reads: Reads,
    /// Of the measuring; without any where the engine did one operation at a time.
    pub levels: Levels,
    /// How long it waited for the log of its operations. Missing: there is none.
    pub waited_for_log_ns: Option<u64>,
}

/// Whether a worker's reads found anything, warm-up included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reads {
    /// Reads of blocks that moved not one byte: there is nothing at their offset.
    pub empty: u64,
    /// Bytes that reads of blocks moved.
    pub bytes: u64,
}
