//! What does the crew know of one job while it runs?

use crossbeam_channel::{Receiver, Sender};
use plumb_model::run::EngineRecord;
use plumb_model::statement::Statement;

use crate::crew::merge::Merge;
use crate::crew::worker_sum::WorkerSum;
use crate::worker::tick_buffer::TickBuffer;
use crate::worker::{Reads, Timeline};

/// One job's side of the crew.
pub(super) struct JobState {
    pub ready: Receiver<Result<EngineRecord, Statement>>,
    pub go: Vec<Sender<Timeline>>,
    pub spare: Sender<Box<TickBuffer>>,
    pub merge: Merge,
    /// Each worker by itself.
    pub sums: Vec<WorkerSum>,
    pub running: u32,
    /// Of the workers that have ended.
    pub reads: Reads,
    pub last_flush_ns: u64,
    pub path: String,
}
