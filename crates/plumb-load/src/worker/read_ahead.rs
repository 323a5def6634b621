//! When may a training reader read ahead? An accelerator takes one batch after the other and computes for a fixed time on each.

use plumb_model::workload::Workload;

/// The batches of one worker.
pub struct ReadAhead {
    /// Operations of a batch.
    batch: u64,
    compute_ns: u64,
    /// Operations that were started, and those of them that are done.
    started: u64,
    done: u64,
    /// Operations that are done, of batches that the accelerator has not begun.
    ready: u64,
    /// When the last operation of the newest such batch was done.
    ready_ns: u64,
    /// When the accelerator has computed all that it has begun.
    free_ns: u64,
}

impl ReadAhead {
    /// With the operations that may start before the accelerator has begun its first batch; `None`: nothing is read ahead.
    pub fn of(workload: &Workload) -> Option<(ReadAhead, u64)> {
        let prefetch = workload.prefetch.filter(|prefetch| *prefetch > 0)?;
        let batch = Some(workload.burst_operations).filter(|batch| *batch > 0)?;
        let ahead = ReadAhead {
            batch,
            compute_ns: workload.burst_pause.0,
            started: 0,
            done: 0,
            ready: 0,
            ready_ns: 0,
            free_ns: 0,
        };
        Some((ahead, batch.saturating_mul(prefetch)))
    }

    /// So many operations were started.
    pub fn start(&mut self, count: u64) {
        self.started += count;
    }

    /// Of all that were started, so many are in flight. Returns the operations that may start now, because batches were begun.
    pub fn advance(&mut self, in_flight: u32, now: u64) -> u64 {
        // Batches that were complete before, then those that are now: a batch begins when it is complete and the accelerator is free.
        let before = self.begin(now);
        let done = self.started - u64::from(in_flight);
        let batches = self.ready / self.batch;
        self.ready += done - self.done;
        self.done = done;
        if self.ready / self.batch > batches {
            self.ready_ns = now;
        }
        (before + self.begin(now)) * self.batch
    }

    /// Begins the batches for which the accelerator was free by now; returns their number.
    fn begin(&mut self, now: u64) -> u64 {
        let mut begun = 0;
        while self.ready >= self.batch && self.free_ns <= now {
            self.free_ns = self.free_ns.max(self.ready_ns) + self.compute_ns;
            self.ready -= self.batch;
            begun += 1;
        }
        begun
    }

    /// When the accelerator begins the next batch; `u64::MAX`: when that has been read.
    pub fn next_ns(&self) -> u64 {
        match self.ready >= self.batch {
            true => self.free_ns,
            false => u64::MAX,
        }
    }
}
