//! What happens to an operation that is not a plain success? It is counted as an error, reported the first time, and too many in a row end the step.

use std::borrow::Cow;

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::{Report, Slot, Stopped, Worker};
use crate::engine::failure::{Failure, FailureKind};
use crate::engine::operation::{Done, Outcome};
use crate::verify::Mismatch;
use crate::verify::dumps::Dump;

/// Mismatches that a worker reports with offset and bytes; further ones are only counted.
const MISMATCHES_REPORTED: u64 = 100;
/// So many failures in a row, without one success between, end the step: the target is gone or full.
pub(super) const FAILURES_IN_A_ROW_MAX: u64 = 1000;

/// True of a write for which there was no room, or not for all of it.
fn is_full(outcome: Result<u32, Failure>) -> bool {
    use FailureKind::{NoSpace, QuotaExceeded};
    outcome.map_or_else(
        |failure| matches!(failure.kind, NoSpace | QuotaExceeded),
        |_| true,
    )
}

impl Worker<'_> {
    /// True for an operation that was submitted in the same batch, of the same kind and length, and succeeded too: when a batch shares its
    /// stamps, such operations have equal latencies and are counted at once.
    #[inline(always)]
    pub(super) fn is_alike(&self, done: &Done, first: &Slot) -> bool {
        let slot = &self.slots[done.slot as usize];
        done.outcome.is_all_of(first.op.len)
            && slot.op.len == first.op.len
            && slot.start_ns == first.start_ns
            && slot.op.kind == first.op.kind
    }

    /// A completion that is not a plain success: an error, fewer bytes than requested, a kind that moves no data, or one to be verified. True: it counts as
    /// a success.
    #[cold]
    pub(super) fn judge(&mut self, slot: &Slot, now: u64, outcome: Outcome) -> bool {
        let kind = slot.op.kind;
        self.reads.empty +=
            u64::from(kind.reads_blocks() && outcome.is_all_of(0) && slot.op.len > 0);
        // For a trim the kernel reports success only.
        let outcome = if kind == OperationKind::Trim && outcome.is_success() {
            Ok(slot.op.len)
        } else {
            outcome.get()
        };
        let complete = outcome.ok().filter(|moved| {
            !kind.moves_data() || kind == OperationKind::ReadFile || *moved == slot.op.len
        });
        let verdict = self.feed.check(&slot.op, complete.is_some(), self.buffers);
        while let Some(mismatch) = self.feed.late_mismatch(false) {
            self.take_late(mismatch);
        }
        if let (Some(moved), None) = (complete, &verdict) {
            self.count_parts(slot, now);
            self.count_priority(slot, now);
            self.count(
                kind,
                if kind.moves_data() {
                    u64::from(moved)
                } else {
                    0
                },
                now.saturating_sub(slot.start_ns),
                now.saturating_sub(slot.due_ns),
                1,
            );
            return true;
        }
        if outcome.is_err_and(|failure| failure.kind == FailureKind::EndOfStream) {
            self.stopped.get_or_insert(Stopped::EndOfStream);
            return false;
        }
        if self.task.workload.until_full && kind.writes_blocks() && is_full(outcome) {
            self.stopped.get_or_insert(Stopped::NoRoom);
            return false;
        }
        let name: Cow<'static, str> = match (&verdict, outcome) {
            (Some(_), _) => "mismatch".into(),
            (None, Ok(_)) => "short".into(),
            (None, Err(failure)) => failure.name(),
        };
        let is_refused = verdict.is_none() && outcome.is_err();
        if let Some(mismatch) = verdict {
            self.take_mismatch(mismatch);
        }
        if !self
            .errors_seen
            .iter()
            .any(|(seen, error)| *seen == kind && *error == name)
        {
            self.errors_seen.push((kind, name.clone()));
            self.report(Report::FirstError {
                kind,
                error: name.to_string(),
                offset: slot.op.offset,
            });
        }
        let index = usize::from(self.index_of_kind[kind as usize]);
        *self.tick.kinds[index]
            .errors
            .entry(name.clone())
            .or_default() += 1;
        if self.task.workload.stop_at_error && is_refused {
            let why = Statement::new("stopped-at-error").name("error", name.clone());
            self.stopped.get_or_insert(Stopped::Error(why));
        }
        self.failures_in_a_row += 1;
        if self.failures_in_a_row == FAILURES_IN_A_ROW_MAX {
            let nothing = outcome == Ok(0) && kind.reads_blocks();
            self.stopped = Some(Stopped::Error(
                Statement::new(match nothing {
                    true => "reads-in-a-row-of-nothing",
                    false => "failures-in-a-row",
                })
                .count("count", FAILURES_IN_A_ROW_MAX)
                .name("error", name),
            ));
        }
        false
    }

    /// A block differs: it is reported, and may end the job.
    fn take_mismatch(&mut self, mismatch: Mismatch) {
        if self.task.workload.stop_at_mismatch {
            self.feed.end_all();
            let why = Statement::new("stopped-at-mismatch");
            self.stopped.get_or_insert(Stopped::Error(why));
        }
        self.report_mismatch(mismatch);
    }

    /// The same of a block that a thread has checked. The read has been counted, the error is counted beside it.
    #[cold]
    fn take_late(&mut self, mismatch: Mismatch) {
        let is_first = self.mismatches == 0;
        let offset = mismatch.offset;
        self.take_mismatch(mismatch);
        let (kind, error) = (OperationKind::Read, "mismatch");
        if is_first {
            self.report(Report::FirstError {
                kind,
                error: error.into(),
                offset,
            });
        }
        let index = usize::from(self.index_of_kind[kind as usize]);
        let errors = &mut self.tick.kinds[index].errors;
        *errors.entry(error.into()).or_default() += 1;
    }

    /// Waits for the blocks that threads are checking; what they find is an interval of its own.
    pub(super) fn await_checks(&mut self) {
        let mut is_any = false;
        while let Some(mismatch) = self.feed.late_mismatch(true) {
            is_any = true;
            self.take_late(mismatch);
        }
        if is_any {
            self.hand_over(self.task.clock.now_ns());
        }
    }

    /// The first ones are reported with offset and bytes.
    fn report_mismatch(&mut self, mismatch: Mismatch) {
        if self.mismatches == MISMATCHES_REPORTED {
            return;
        }
        self.mismatches += 1;
        let report = Report::Mismatch {
            offset: mismatch.offset,
            block_bytes: u64::from(mismatch.block_bytes),
            explanation: mismatch.explanation,
            hex_window: mismatch.hex_window.into(),
            dump: self.task.workload.dump_mismatches.as_ref().map(|_| {
                Box::new(Dump {
                    received: mismatch.received.into(),
                    expected: mismatch.expected.map(Into::into),
                })
            }),
        };
        self.report(report);
    }
}
