//! How does a worker hand on what it knows of every operation (`log-each`)? In batches of fixed memory, which another thread takes and gives back empty.

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use plumb_model::run::operation::{LoggedBatch, LoggedOperation};

use crate::clock::Clock;

/// Operations in a batch.
const BATCH: usize = 2048;
/// Batches of each worker, about 1 MiB: one that it fills, and those on their way. At 500,000 operations/s they bridge 30 ms.
const BATCHES: usize = 8;

/// A filled batch on its way.
pub struct Filled {
    job: u32,
    worker: u32,
    operations: Vec<LoggedOperation>,
    home: Sender<Vec<LoggedOperation>>,
}

/// The worker's side.
pub struct OperationLog {
    job: u32,
    worker: u32,
    operations: Vec<LoggedOperation>,
    filled: Sender<Filled>,
    empty: Receiver<Vec<LoggedOperation>>,
    home: Sender<Vec<LoggedOperation>>,
    waited_ns: u64,
}

impl OperationLog {
    /// With all its memory.
    pub fn new(job: u32, worker: u32, filled: Sender<Filled>) -> OperationLog {
        let (home, empty) = bounded(BATCHES);
        for _ in 1..BATCHES {
            let _ = home.try_send(Vec::with_capacity(BATCH));
        }
        OperationLog {
            job,
            worker,
            operations: Vec::with_capacity(BATCH),
            filled,
            empty,
            home,
            waited_ns: 0,
        }
    }

    /// Adds an operation. Waits if all batches are on their way.
    #[inline(always)]
    pub fn add(&mut self, operation: LoggedOperation, clock: Clock) {
        self.operations.push(operation);
        if self.operations.len() == BATCH {
            self.hand_on(clock);
        }
    }

    /// Hands on what there is, if that needs no waiting: what has been handed on survives the process.
    pub fn hand_on_if_free(&mut self) {
        if !self.operations.is_empty()
            && let Ok(empty) = self.empty.try_recv()
        {
            self.exchange(empty);
        }
    }

    #[cold]
    fn hand_on(&mut self, clock: Clock) {
        let empty = self.empty.try_recv().or_else(|_| {
            let start_ns = clock.now_ns();
            let empty = self.empty.recv();
            self.waited_ns += clock.now_ns().saturating_sub(start_ns);
            empty
        });
        // Its own sender keeps the channel open.
        if let Ok(empty) = empty {
            self.exchange(empty);
        }
    }

    fn exchange(&mut self, empty: Vec<LoggedOperation>) {
        let filled = Filled {
            job: self.job,
            worker: self.worker,
            operations: std::mem::replace(&mut self.operations, empty),
            home: self.home.clone(),
        };
        if let Err(TrySendError::Full(filled) | TrySendError::Disconnected(filled)) =
            self.filled.try_send(filled)
        {
            // Nobody takes them any more.
            give_home(filled);
        }
    }

    /// Hands on the rest. Returns how long the worker has waited, in nanoseconds.
    pub fn end(mut self, clock: Clock) -> u64 {
        if !self.operations.is_empty() {
            self.hand_on(clock);
        }
        self.waited_ns
    }
}

fn give_home(filled: Filled) {
    let Filled {
        mut operations,
        home,
        ..
    } = filled;
    operations.clear();
    let _ = home.try_send(operations);
}

/// Where the batches of so many workers arrive.
pub fn channel(workers: u32) -> (Sender<Filled>, Receiver<Filled>) {
    bounded(workers as usize * BATCHES)
}

/// Takes batches until the last worker has ended.
pub fn take_all(execution: u32, filled: &Receiver<Filled>, keep: &mut dyn FnMut(LoggedBatch<'_>)) {
    for filled in filled {
        keep(LoggedBatch {
            execution,
            job: filled.job,
            worker: filled.worker,
            operations: &filled.operations,
        });
        give_home(filled);
    }
}
