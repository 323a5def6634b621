//! What has the provider completed, and which operations are complete?

use std::time::{Duration, Instant};

use plumb_model::workload::OperationKind;

use super::connection::Connection;
use super::endpoint::{Completion, Context};
use super::error::error_cause;
use super::{KINDS, Rdma, is_of_one_operation, outcome_of};
use crate::engine::operation::{Done, Outcome};

impl Rdma<'_> {
    /// Counts completions and appends complete operations.
    pub(super) fn take(&mut self, done: &mut Vec<Done>) {
        let mut completions = std::mem::take(&mut self.completions);
        for completion in completions.drain(..) {
            if self.link.is_none() {
                break;
            }
            if completion.context.is_null() {
                // An error of no operation in particular: the provider lost the connection.
                self.lose(error_cause(completion.error), done);
                break;
            }
            let number =
                (completion.context.addr() - self.contexts.as_ptr().addr()) / size_of::<Context>();
            let slot = number / 2;
            if slot >= self.depth as usize {
                self.grants_free.push(number);
                if completion.error != 0 {
                    self.lose(error_cause(completion.error), done);
                }
                continue;
            }
            self.take_part(slot, number.is_multiple_of(2), &completion, done);
        }
        completions.clear();
        self.completions = completions;
    }

    pub(super) fn take_part(
        &mut self,
        slot: usize,
        is_first: bool,
        completion: &Completion,
        done: &mut Vec<Done>,
    ) {
        let flight = &mut self.flights[slot];
        if flight.parts == 0 {
            return;
        }
        flight.parts -= 1;
        let (op, parts) = (flight.op, flight.parts);
        if completion.error != 0 {
            if flight.outcome.is_success() {
                flight.outcome = outcome_of(completion.error);
            }
            if is_of_one_operation(completion.error) && parts > 0 {
                return;
            }
            flight.parts = 0;
            return self.fail(op, completion.error, done);
        }
        let receives = op.kind.is_message() && op.kind != OperationKind::Send;
        if is_first && receives && flight.outcome.is_success() {
            flight.outcome = Outcome::moved(completion.len.min(i32::MAX as usize) as u32);
        }
        if parts == 0 {
            let outcome = flight.outcome;
            done.push(Done {
                slot: slot as u32,
                outcome,
            });
            if let Some(index) = KINDS.iter().position(|(kind, _)| *kind == op.kind) {
                self.completed[index] += 1;
            }
        }
    }

    pub(super) fn add_counts(&mut self, link: &Connection) {
        let counts = link.endpoint.counts;
        self.counts.progress_calls += counts.progress_calls;
        self.counts.waits += counts.waits;
        self.counts.put_off += counts.put_off;
    }

    /// Takes completions until there are some or `until` has come.
    pub(super) fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        loop {
            let Some(link) = &mut self.link else { return };
            let left = until.map_or(Duration::ZERO, |until| {
                until.saturating_duration_since(Instant::now())
            });
            // With a full queue of the provider only its progress makes room.
            let wait_ms = if !self.waiting.is_empty() || !self.ungranted.is_empty() {
                left.as_millis().min(1)
            } else {
                left.as_millis()
            };
            let outcome = link.endpoint.completions(
                i32::try_from(wait_ms).unwrap_or(i32::MAX),
                &mut self.completions,
            );
            if let Err((_, reason)) = outcome {
                return self.lose(reason, done);
            }
            if !self.completions.is_empty() {
                return self.take(done);
            }
            if until.is_none_or(|until| Instant::now() >= until) {
                return;
            }
            if !self.waiting.is_empty() || !self.ungranted.is_empty() {
                self.begin_waiting(done);
            }
            if wait_ms == 0 && !self.choice.iopoll {
                std::thread::yield_now();
            }
        }
    }
}
