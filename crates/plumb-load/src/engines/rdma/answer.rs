//! How is the reply of a ping-pong by one-sided writes awaited, which has no completion?

use std::time::Instant;

use super::Rdma;
use super::endpoint::Completion;
use super::error::error_cause;
use super::write_ping_pong::{Patience, PingPongMemory};
use crate::engine::operation::Done;

impl Rdma<'_> {
    /// Takes completions, and polls for a reply without a completion, until an operation is done or `until` is reached.
    pub(super) fn wait_for_answer(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let before = done.len();
        let mut patience = Patience::new(self.choice.iopoll);
        let mut wait_ms = 0;
        while let Some(link) = &mut self.link {
            // Over TCP what the peer writes comes here within this call.
            if let Err((_, reason)) = link.endpoint.completions(wait_ms, &mut self.completions) {
                return self.lose(reason, done);
            }
            let answered = link.landing.as_mut().and_then(PingPongMemory::answered);
            if let Some(failed) = self
                .completions
                .iter()
                .find(|completion| completion.error != 0)
            {
                // Whether the message is there, and which number comes next, is not known any more.
                let reason = error_cause(failed.error);
                self.completions.clear();
                return self.lose(reason, done);
            }
            if !self.completions.is_empty() {
                self.take(done);
            }
            if let Some((slot, len)) = answered {
                let completed = Completion {
                    context: std::ptr::null(),
                    len,
                    tag: 0,
                    error: 0,
                };
                self.take_part(slot as usize, true, &completed, done);
            }
            if done.len() > before || until.is_none_or(|until| Instant::now() >= until) {
                return;
            }
            if !self.waiting.is_empty() {
                self.begin_waiting(done);
            }
            wait_ms = patience.look();
        }
    }
}
