//! What becomes of a peer that is lost? What was in flight fails, the rest waits, and the peer is dialled until it is there again.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use crate::engine::error_of;
use plumb_model::run::ConnectionState;
use plumb_model::statement::Statement;
use plumb_model::workload::{OperationKind, PingPongBy, Workload};

use super::Rdma;
use super::connection::{Connection, DIAL_WAIT, GRANT_BYTES, GRANTS_AT_ONCE, Wish, dial};
use crate::engine::RemoteSetup;
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Outcome};
use crate::engine::reconnect::{Pauses, Reconnect};
use crate::fabric::memory_bytes;

/// Between attempts to dial a lost peer.
const PAUSES: Pauses = Pauses {
    before: Duration::from_millis(100),
    first: Duration::from_millis(200),
    most: Duration::from_secs(2),
};

/// A number that the workers and steps of one process share, and others do not: under it the peer keeps their memory.
fn memory_name(remote: &RemoteSetup<'_>) -> u64 {
    let text = format!("{} {}", std::process::id(), remote.remote);
    // FNV-1a (draft-eastlake-fnv): nothing depends on its strength.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Largest message of operations of these kinds; 0: there are none.
fn message_bytes(workload: &Workload, is_meant: impl Fn(OperationKind) -> bool) -> u32 {
    let exchanges = workload.mix.0.iter().any(|(kind, _)| is_meant(*kind));
    if exchanges {
        u32::try_from(workload.largest_block_bytes()).unwrap_or(u32::MAX)
    } else {
        0
    }
}

impl Rdma<'_> {
    pub(super) fn connect(&self, stream: TcpStream) -> Result<Connection, Statement> {
        let workload = self.setup.workload;
        let is_written =
            |kind| kind == OperationKind::PingPong && self.choice.ping_pong_by == PingPongBy::Write;
        let wish = Wish {
            provider: &self.choice.provider,
            depth: self.depth,
            message_bytes: message_bytes(workload, |kind| kind.is_message() && !is_written(kind)),
            memory_bytes: memory_bytes(workload),
            memory_name: memory_name(&self.setup),
            polling: self.choice.iopoll,
            block_bytes: workload.largest_block_bytes(),
            buffers: Some(self.buffers),
            landing_bytes: message_bytes(workload, is_written),
        };
        // SAFETY: the worker's buffers outlive its engine.
        unsafe {
            Connection::open(
                &self.library,
                stream,
                &wish,
                (self.depth as usize + 1) * GRANTS_AT_ONCE * GRANT_BYTES,
            )
        }
    }

    fn address(&self) -> String {
        format!("rdma://{}", self.setup.remote.host_and_port())
    }

    pub(super) fn attach(&mut self, link: Connection) {
        let first = 2 * self.depth as usize;
        self.grants_free = (first..self.contexts.len()).collect();
        self.link = Some(link);
    }

    /// The peer is gone: what was in flight fails, the rest waits for it to come back.
    #[cold]
    pub(super) fn lose(&mut self, reason: Statement, done: &mut Vec<Done>) {
        let Some(link) = self.link.take() else { return };
        self.add_counts(&link);
        // Closes the endpoint: from here on nobody touches buffers and contexts.
        drop(link);
        for flight in self.flights.iter_mut().filter(|flight| flight.parts > 0) {
            flight.parts = 0;
            self.failed += 1;
            done.push(Done {
                slot: flight.op.slot,
                outcome: Outcome::failed(FailureKind::ConnectionReset),
            });
        }
        self.waiting
            .iter_mut()
            .for_each(|waiting| waiting.is_half_begun = false);
        self.ungranted.clear();
        let address = self.setup.remote.host_and_port();
        self.reconnect = Some(Reconnect::new("plumb-rdma-dial", PAUSES, move || {
            dial(&address, DIAL_WAIT).ok()
        }));
        let lost = Statement::new("rdma-connection-lost")
            .name("place", self.address())
            .part("cause", reason);
        self.setup.journal.connection(ConnectionState::Lost, lost);
    }

    /// Tries to have the peer back, for `wait` at most. An error: it is back, but not with what was written.
    #[cold]
    pub(super) fn restore(&mut self, wait: Duration, done: &mut Vec<Done>) -> io::Result<()> {
        if self.finishing.is_some() {
            let given_up = self.waiting.drain(..).map(|waiting| Done {
                slot: waiting.op.slot,
                outcome: Outcome::failed(FailureKind::ConnectionReset),
            });
            done.extend(given_up);
            return Ok(());
        }
        // Dialling may take seconds when nothing answers at all; the intervals of the record continue meanwhile.
        let Some(reconnect) = &mut self.reconnect else {
            return Ok(());
        };
        let Some(stream) = reconnect.poll(wait)? else {
            return Ok(());
        };
        match self.connect(stream) {
            Ok(link) if link.welcome.is_new && self.setup.workload.verify => {
                Err(error_of(Statement::new("peer-memory-is-new")))
            }
            Ok(link) => {
                self.reconnects += 1;
                self.reconnect = None;
                let text = Statement::new(match link.welcome.is_new {
                    true => "connection-restored-memory-new",
                    false => "connection-restored-memory-kept",
                })
                .name("place", self.address());
                self.setup
                    .journal
                    .connection(ConnectionState::Restored, text);
                self.attach(link);
                Ok(())
            }
            // It is dialled again.
            Err(_) => Ok(()),
        }
    }
}
