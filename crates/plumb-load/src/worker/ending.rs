//! What does a worker do after its last operation? Flush if requested, reap what is in flight, close the engine, report.

use std::io;
use std::sync::atomic::Ordering;

use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::Phase;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::{Ended, Report, Slot, Stopped, Worker};
use crate::engine::operation::{Op, Outcome};
use crate::engine::{Wait, error_of, statement_of_error};

/// How long operations in flight are waited for once the run was stopped from outside.
const PATIENCE_NS: u64 = 5_000_000_000;
/// How often that is looked at.
const LOOK_NS: u64 = 100_000_000;

impl Stopped {
    /// The end of the step for the record if this worker stopped first.
    pub fn reason(self) -> StopReason {
        match self {
            Stopped::Time => StopReason::Time,
            Stopped::Bytes => StopReason::Bytes,
            Stopped::Operations => StopReason::Operations,
            Stopped::EndOfFiles => StopReason::EndOfFiles,
            Stopped::EndOfStream => StopReason::EndOfStream,
            Stopped::NoRoom => StopReason::NoRoom,
            Stopped::Steady => StopReason::Steady,
            Stopped::Signal | Stopped::MainJob | Stopped::BeforeTheStart => StopReason::Signal,
            Stopped::Error(error) => StopReason::Error(error),
        }
    }
}

impl Worker<'_> {
    /// True when an operation ended it, not a look at the time.
    pub(super) fn has_ended_within_an_interval(&self) -> bool {
        matches!(
            self.stopped,
            Some(Stopped::Error(_) | Stopped::NoRoom | Stopped::EndOfStream)
        )
    }

    /// `flush-at-end`: waits for what is in flight, then brings all that was written to stable storage, as an interval of the measurement. This
    /// includes the time until the data is safe. A step that is stopped from outside or by an error ends without.
    pub(super) fn flush_at_end(&mut self) -> io::Result<()> {
        let done = matches!(
            self.stopped,
            Some(
                Stopped::Time
                    | Stopped::Bytes
                    | Stopped::Operations
                    | Stopped::EndOfFiles
                    | Stopped::EndOfStream
                    | Stopped::NoRoom
                    | Stopped::Steady
            )
        );
        if !self.task.workload.flush_at_end || !done {
            return Ok(());
        }
        while self.in_flight > 0 && !self.is_stop_requested() {
            self.reap::<true, true>(Wait::One)?;
        }
        for file in 0..self.task.files {
            self.flush_one(file)?;
        }
        self.hand_over(self.task.clock.now_ns());
        Ok(())
    }

    fn flush_one(&mut self, file: u32) -> io::Result<()> {
        let start_ns = self.task.clock.now_ns();
        let op = Op {
            offset: 0,
            len: 0,
            slot: 0,
            file,
            kind: OperationKind::Flush,
            priority: 0,
        };
        if self.in_flight == 0
            && let Some(outcome) = self.carry_out_flush(&op)?
        {
            let now = self.task.clock.now_ns();
            let slot = Slot::of(op, start_ns);
            let is_counted = self.judge(&slot, now, outcome);
            self.log::<true>(&slot, now, is_counted);
            if outcome.is_success() {
                let took_ns = now.saturating_sub(start_ns);
                self.tick.end_flushes_ns.push(took_ns);
            }
        }
        Ok(())
    }

    /// By the engine's own fsync, else as an operation. `None`: the run was stopped meanwhile.
    fn carry_out_flush(&mut self, op: &Op) -> io::Result<Option<Outcome>> {
        if let Some(outcome) = self.engine.fsync(op.file) {
            return Ok(Some(outcome));
        }
        self.engine
            .submit(std::slice::from_ref(op), &mut self.done)?;
        while self.done.is_empty() {
            if self.is_stop_requested() {
                self.engine.finish();
            }
            self.engine.reap(Wait::One, &mut self.done)?;
        }
        Ok(self.done.pop().map(|done| done.outcome))
    }

    fn is_stop_requested(&self) -> bool {
        self.task.stop.load(Ordering::Relaxed)
    }

    /// After the stop: takes what is still in flight, as a tick of its own. However long that takes belongs to the figures; but who stops the run does not wait
    /// for storage that hangs.
    pub(super) fn drain(&mut self) -> io::Result<()> {
        let start_ns = self.tick.start_ns;
        (self.tick.phase, self.tick.index) = (Phase::Drain, 0);
        if self.in_flight == 0 {
            return Ok(());
        }
        let mut now = start_ns;
        let mut given_up_ns = u64::MAX;
        while self.in_flight > 0 && now < given_up_ns {
            now = self.reap::<true, true>(Wait::AtMost(LOOK_NS))?;
            if given_up_ns == u64::MAX && self.is_stop_requested() {
                given_up_ns = now.saturating_add(PATIENCE_NS);
            }
        }
        self.hand_over(now);
        match self.in_flight {
            0 => Ok(()),
            left => Err(error_of(
                Statement::new("storage-hangs").count("count", u64::from(left)),
            )),
        }
    }

    /// Lets go of the engine and reports the end.
    pub(super) fn end(mut self, outcome: io::Result<()>) {
        if let Err(error) = outcome {
            let failed = Statement::new("engine-failed").part("error", statement_of_error(&error));
            self.stopped = Some(Stopped::Error(failed));
        }
        let mut closing = self.engine.close();
        let mut stopped = self.stopped.take().unwrap_or(Stopped::Signal);
        match (closing.loss.take(), &stopped) {
            // The step has failed by itself, which is the better reason.
            (Some(loss), Stopped::Error(_)) => closing.remarks.push(loss),
            (Some(loss), _) => stopped = Stopped::Error(loss),
            (None, _) => {}
        }
        // The crew outlives its workers; a closed channel would mean that nobody wants the report.
        let ended = Ended {
            worker: self.task.worker,
            stopped,
            closing,
            reads: self.reads,
            levels: self.levels.levels(),
            waited_for_log_ns: self.task.log.take().map(|log| log.end(self.task.clock)),
        };
        let _ = self
            .task
            .reports
            .send((self.task.job, Report::Ended(Box::new(ended))));
    }
}
