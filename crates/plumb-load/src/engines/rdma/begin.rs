//! How is an operation handed to the provider?

use plumb_model::workload::OperationKind;

use super::connection::tag;
use super::endpoint::Begun;
use super::{Flight, Rdma, Waiting};
use crate::engine::operation::Outcome;

impl Rdma<'_> {
    /// Begins an operation. `Err`: it waits for room.
    pub(super) fn begin(&mut self, waiting: Waiting) -> Result<Begun, Waiting> {
        let Some(link) = &mut self.link else {
            return Err(waiting);
        };
        let op = waiting.op;
        let (slot, len) = (op.slot as usize, op.len as usize);
        let within = op
            .offset
            .checked_add(u64::from(op.len))
            .is_some_and(|end| end <= link.welcome.memory_bytes);
        if !op.kind.is_message() && !within {
            return Ok(Begun::Failed(libc::EINVAL));
        }
        // SAFETY: the slot is below the depth, so that buffer and contexts lie inside their regions; all stay until the operation has come back or the
        // endpoint is closed, and the worker does not touch the buffer before.
        let (begun, parts) = unsafe {
            let descriptor = link
                .buffers
                .as_ref()
                .map_or(std::ptr::null_mut(), |buffers| buffers.descriptor);
            let start = self.buffers.base.add(slot * self.buffers.stride);
            let buffer = (start, len, descriptor);
            let message = (start.cast_const(), len, descriptor);
            let first = self.contexts.as_mut_ptr().add(2 * slot);
            let remote = (link.welcome.base.wrapping_add(op.offset), link.welcome.key);
            let (peer, endpoint) = (link.peer, &mut link.endpoint);
            match op.kind {
                OperationKind::Read => {
                    (endpoint.move_memory(false, buffer, peer, remote, first), 1)
                }
                OperationKind::Write => {
                    (endpoint.move_memory(true, buffer, peer, remote, first), 1)
                }
                OperationKind::Send => (
                    endpoint.send(message, peer, tag::of(tag::DATA, op.slot), first),
                    1,
                ),
                OperationKind::Receive => (
                    endpoint.receive(buffer, peer, (tag::of(tag::GIFT, op.slot), 0), first),
                    1,
                ),
                OperationKind::PingPong if link.landing.is_some() => {
                    let written = link.landing.as_mut().map(|landing| {
                        landing.send(endpoint, buffer, (peer, op.slot), first.add(1))
                    });
                    (written.unwrap_or(Begun::Failed(libc::EINVAL)), 2)
                }
                OperationKind::PingPong => {
                    if !waiting.is_half_begun {
                        match endpoint.receive(
                            buffer,
                            peer,
                            (tag::of(tag::PONG, op.slot), 0),
                            first,
                        ) {
                            Begun::Yes => {}
                            Begun::Later => return Err(waiting),
                            failed => return Ok(failed),
                        }
                    }
                    // The reply overwrites the message with the same bytes, after the peer has received it completely.
                    (
                        endpoint.send(message, peer, tag::of(tag::PING, op.slot), first.add(1)),
                        2,
                    )
                }
                _ => (Begun::Failed(libc::EOPNOTSUPP), 0),
            }
        };
        match begun {
            Begun::Yes => {
                self.flights[slot] = Flight {
                    op,
                    parts,
                    outcome: Outcome::moved(op.len),
                };
                if op.kind == OperationKind::Receive {
                    self.ungranted.push((op.slot, op.len));
                }
                Ok(Begun::Yes)
            }
            Begun::Later => Err(Waiting {
                op,
                is_half_begun: op.kind == OperationKind::PingPong,
            }),
            Begun::Failed(error) => Ok(Begun::Failed(error)),
        }
    }
}
