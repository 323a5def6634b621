//! Whose turn is it? One step in one round.

use plumb_model::run::worker_end::WorkerEnd;
use plumb_model::run::{EngineAccount, Event};

/// One step in one round.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub execution: u32,
    pub step: usize,
    pub round: u32,
}

impl Turn {
    /// What a worker's engine counted in it.
    pub fn engine_closed(self, job: u32, worker: u32, account: EngineAccount) -> Event {
        Event::EngineClosed {
            execution: self.execution,
            job,
            worker,
            account,
        }
    }

    /// What a worker did in it.
    pub fn worker_ended(self, job: u32, worker: u32, end: WorkerEnd) -> Event {
        Event::WorkerEnded {
            execution: self.execution,
            job,
            worker,
            end,
        }
    }
}
