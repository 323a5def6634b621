//! How fast does memory travel between two hosts? One-sided reads and writes, messages and ping-pongs through libfabric, found at run time.

mod answer;
mod begin;
mod bindings;
mod completions;
mod connection;
mod endpoint;
mod error;
mod hello;
mod library;
pub mod listing;
mod messages;
pub mod ping;
mod provider;
mod reconnect;
pub mod responder;
#[cfg(test)]
mod tests;
mod write_ping_pong;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::run::EngineAccount;
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::{EngineChoice, OperationKind};

use self::connection::{Connection, DIAL_WAIT, GRANT_BYTES, GRANTS_AT_ONCE, dial, tag};
use self::endpoint::{Begun, Completion, Context, Counts};
use self::error::{error_cause, library_is_missing};
use self::library::{Library, NAMES};
use crate::engine::buffers::Region;
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::reconnect::Reconnect;
use crate::engine::{
    Closing, Engine, EngineKind, Opened, RemoteSetup, Setup, Unavailable, Wait, statement_of_error,
};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "rdma",
        meaning: "reads and writes the memory of a peer (plumb serve-net --rdma) and exchanges messages with it, through libfabric: read, write, send, receive, ping-pong",
        schemes: &[SchemeProperties {
            word: "rdma",
            meaning: "`plumb serve-net` on another host, through libfabric.",
            default_port: 7474,
            while_lost: WhileLost::Wait,
            is_share: false,
            host_is_share: false,
            writes_entire_files: false,
            lends_memory: true,
            needs_password: false,
            untried: None,
            unreachable_remedy: "check the name and the firewall, and start 'plumb serve-net --listen any --rdma' there",
        }],
        asynchronous: true,
        batch: 16,
        operations: &[
            OperationKind::Send,
            OperationKind::Receive,
            OperationKind::PingPong,
            OperationKind::Read,
            OperationKind::Write,
        ],
        by_auto: true,
        does_work: true,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: true,
        own_options: &[],
        fio: &[],
    },
    open,
};

/// `reap` comes back after this time without a completion.
const REAP_MS: u64 = 100;
/// After the end nothing is waited for longer than this.
const FINISH_WAIT: Duration = Duration::from_secs(10);
/// Operations that are counted, in the order of [`Rdma::completed`].
const KINDS: [(OperationKind, &str); 5] = [
    (OperationKind::Read, "reads_completed"),
    (OperationKind::Write, "writes_completed"),
    (OperationKind::Send, "sends_completed"),
    (OperationKind::Receive, "receives_completed"),
    (OperationKind::PingPong, "ping_pongs_completed"),
];

/// An operation that waits to be begun.
#[derive(Clone, Copy)]
struct Waiting {
    op: Op,
    /// Of a ping-pong: the answer is awaited already.
    is_half_begun: bool,
}

/// An operation in flight.
#[derive(Clone, Copy)]
struct Flight {
    op: Op,
    /// Completions that are to come; 0: none is in flight.
    parts: u8,
    outcome: Outcome,
}

struct Rdma<'a> {
    setup: RemoteSetup<'a>,
    choice: &'a EngineChoice,
    buffers: Region,
    depth: u32,
    library: Arc<Library>,
    /// Missing: lost.
    link: Option<Connection>,
    /// Contexts of the provider: two for each slot, then one for each grant. After the connection, which is closed first.
    contexts: Box<[Context]>,
    flights: Vec<Flight>,
    waiting: VecDeque<Waiting>,
    /// Receives that the peer does not know of: slot and length.
    ungranted: Vec<(u32, u32)>,
    grants_free: Vec<usize>,
    completions: Vec<Completion>,
    reconnect: Option<Reconnect<TcpStream>>,
    finishing: Option<Instant>,
    completed: [u64; KINDS.len()],
    failed: u64,
    reconnects: u64,
    /// Of connections that were lost.
    counts: Counts,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let (engine, (connection, refused)) = connected(setup)?;
    Ok(Opened {
        engine: Box::new(engine),
        connection,
        active: vec!["completion at delivery".into()],
        refused,
    })
}

/// What was agreed with the peer, by name, for the record, and what could not be had.
type Agreed = (BTreeMap<String, String>, Vec<Statement>);

/// An engine with its connection.
fn connected<'a>(setup: Setup<'a>) -> Result<(Rdma<'a>, Agreed), Unavailable> {
    let Some(remote) = setup.remote else {
        return Err(Unavailable(Statement::new("target-is-no-rdma-peer")));
    };
    let library = Library::open(NAMES).map_err(|reason| Unavailable(library_is_missing(reason)))?;
    let address = remote.remote.host_and_port();
    let depth = setup.depth;
    let mut engine = Rdma {
        choice: setup.choice,
        buffers: setup.buffers,
        depth,
        library,
        link: None,
        contexts: Context::several(3 * depth as usize + 1),
        flights: vec![
            Flight {
                op: EMPTY,
                parts: 0,
                outcome: Outcome::moved(0)
            };
            depth as usize
        ],
        waiting: VecDeque::with_capacity(depth as usize),
        ungranted: Vec::with_capacity(depth as usize),
        grants_free: Vec::new(),
        completions: Vec::with_capacity(64),
        reconnect: None,
        finishing: None,
        completed: [0; KINDS.len()],
        failed: 0,
        reconnects: 0,
        counts: Counts::default(),
        setup: remote,
    };
    let stream = dial(&address, DIAL_WAIT).map_err(|error| unreachable(&address, &error))?;
    let link = engine.connect(stream).map_err(|reason| {
        Unavailable(
            Statement::new("rdma-peer-refuses")
                .name("place", format!("rdma://{address}"))
                .part("reason", reason),
        )
    })?;
    let agreed = described(&engine, &link);
    engine.attach(link);
    Ok((engine, agreed))
}

const EMPTY: Op = Op {
    offset: 0,
    len: 0,
    slot: 0,
    file: 0,
    kind: OperationKind::Read,
    priority: 0,
};

fn unreachable(address: &str, error: &io::Error) -> Unavailable {
    Unavailable(
        Statement::new("rdma-peer-does-not-answer")
            .name("place", format!("rdma://{address}"))
            .part("error", statement_of_error(error)),
    )
}

fn described(engine: &Rdma<'_>, link: &Connection) -> Agreed {
    let mut connection: BTreeMap<String, String> = link
        .endpoint
        .description()
        .into_iter()
        .map(|(name, value)| (name.to_string(), value))
        .collect();
    connection.insert(
        "peer".into(),
        link.stream.peer_addr().map_or_else(
            |_| engine.setup.remote.host_and_port(),
            |peer| peer.to_string(),
        ),
    );
    connection.insert("peer_software".into(), link.welcome.software.clone());
    connection.insert("memory_bytes".into(), link.welcome.memory_bytes.to_string());
    connection.insert(
        "memory".into(),
        if link.welcome.is_new { "new" } else { "kept" }.into(),
    );
    if link.landing.is_some() {
        connection.insert(
            "ping_pong_by".into(),
            "one-sided writes; both ends poll the last byte of the message in memory".into(),
        );
        let waiting = if engine.choice.iopoll {
            "polls"
        } else {
            "polls, then yields the CPU, blocks in the kernel after one millisecond"
        };
        connection.insert("waiting".into(), waiting.into());
    }
    let outstanding = link.endpoint.outstanding_max();
    let few = outstanding < engine.depth as usize;
    let refused = few.then(|| {
        Statement::new("refused-depth-by-provider")
            .count("depth", u64::from(engine.depth))
            .count("outstanding", outstanding as u64)
    });
    (connection, refused.into_iter().collect())
}

/// A failure after which the connection still works: this operation alone was wrong.
fn is_of_one_operation(error: i32) -> bool {
    // FI_ETRUNC: a message was longer than its buffer.
    const TRUNCATED: i32 = 265;
    matches!(
        error,
        libc::EINVAL | libc::EMSGSIZE | libc::ENOMEM | TRUNCATED
    )
}

/// What an error number of libfabric means: below 256 it is the system's, others are its own.
fn outcome_of(error: i32) -> Outcome {
    if (1..256).contains(&error) {
        Outcome::of_system(-error)
    } else {
        Outcome::refused(FailureKind::Io, error.unsigned_abs())
    }
}

impl Rdma<'_> {
    /// Starts what waits, then grants the peer its sends.
    fn begin_waiting(&mut self, done: &mut Vec<Done>) {
        while let Some(waiting) = self.waiting.pop_front() {
            match self.begin(waiting) {
                Ok(Begun::Failed(error)) => self.fail(waiting.op, error, done),
                Ok(_) => {}
                Err(waiting) => {
                    self.waiting.push_front(waiting);
                    break;
                }
            }
        }
        while !self.ungranted.is_empty() && self.grant(done) {}
    }

    /// One message of grants. `false`: not now.
    fn grant(&mut self, done: &mut Vec<Done>) -> bool {
        let (Some(link), Some(&free)) = (&mut self.link, self.grants_free.last()) else {
            return false;
        };
        let count = self.ungranted.len().min(GRANTS_AT_ONCE);
        let address = free - 2 * self.depth as usize;
        // SAFETY: the scratch memory has room for a message for each context of grants, and this one is free.
        let begun = unsafe {
            let start = link
                .scratch_start()
                .add(address * GRANTS_AT_ONCE * GRANT_BYTES);
            for (number, (slot, len)) in self.ungranted[..count].iter().enumerate() {
                let grant = (u64::from(*slot) << 32 | u64::from(*len)).to_be_bytes();
                std::ptr::copy_nonoverlapping(
                    grant.as_ptr(),
                    start.add(number * GRANT_BYTES),
                    GRANT_BYTES,
                );
            }
            let message = (
                start.cast_const(),
                count * GRANT_BYTES,
                link.scratch.descriptor,
            );
            link.endpoint.send(
                message,
                link.peer,
                tag::of(tag::GRANT, 0),
                self.contexts.as_mut_ptr().add(free),
            )
        };
        match begun {
            Begun::Yes => {
                self.grants_free.pop();
                self.ungranted.drain(..count);
                !self.ungranted.is_empty()
            }
            Begun::Later => false,
            Begun::Failed(error) => {
                self.lose(error_cause(error), done);
                false
            }
        }
    }

    fn fail(&mut self, op: Op, error: i32, done: &mut Vec<Done>) {
        self.failed += 1;
        done.push(Done {
            slot: op.slot,
            outcome: outcome_of(error),
        });
        if !is_of_one_operation(error) {
            self.lose(error_cause(error), done);
        }
    }
}

impl Engine for Rdma<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            let waiting = Waiting {
                op: *op,
                is_half_begun: false,
            };
            // None overtakes another.
            if !self.waiting.is_empty() || self.link.is_none() {
                self.waiting.push_back(waiting);
                continue;
            }
            match self.begin(waiting) {
                Ok(Begun::Failed(error)) => self.fail(*op, error, done),
                Ok(_) => {}
                Err(waiting) => self.waiting.push_back(waiting),
            }
        }
        if !self.ungranted.is_empty() || (!self.waiting.is_empty() && self.link.is_some()) {
            self.begin_waiting(done);
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let before = done.len();
        let wait = match wait {
            Wait::No => Duration::ZERO,
            Wait::One => Duration::from_millis(REAP_MS),
            Wait::AtMost(ns) => Duration::from_nanos(ns).min(Duration::from_millis(REAP_MS)),
        };
        if self.link.is_none() {
            self.restore(wait, done)?;
            self.begin_waiting(done);
            return Ok(());
        }
        if !self.waiting.is_empty() || !self.ungranted.is_empty() {
            self.begin_waiting(done);
        }
        let until = (wait > Duration::ZERO && done.len() == before).then(|| Instant::now() + wait);
        if self
            .link
            .as_ref()
            .is_some_and(|link| link.landing.is_some())
        {
            self.wait_for_answer(until, done);
        } else {
            self.wait(until, done);
        }
        if done.len() == before && wait > Duration::ZERO {
            let late = self
                .finishing
                .is_some_and(|since| since.elapsed() > FINISH_WAIT);
            if self.link.as_ref().is_some_and(Connection::is_gone) {
                self.lose(Statement::new("cause-peer-closed"), done);
            } else if late {
                self.lose(Statement::new("cause-peer-silent"), done);
            }
        }
        if !done.is_empty() && !self.waiting.is_empty() && self.link.is_some() {
            self.begin_waiting(done);
        }
        Ok(())
    }

    fn finish(&mut self) {
        self.finishing = Some(Instant::now());
    }

    fn close(&mut self) -> Closing {
        if let Some(link) = self.link.take() {
            self.add_counts(&link);
        }
        let mut numbers: BTreeMap<String, f64> = KINDS
            .iter()
            .zip(self.completed)
            .filter(|(_, count)| *count > 0)
            .map(|((_, name), count)| ((*name).to_string(), count as f64))
            .collect();
        for (name, count) in [
            ("operations_failed", self.failed),
            ("progress_calls", self.counts.progress_calls),
            ("waits", self.counts.waits),
            ("operations_put_off", self.counts.put_off),
            ("reconnects", self.reconnects),
        ] {
            numbers.insert(name.into(), count as f64);
        }
        Closing {
            account: EngineAccount {
                numbers,
                ..EngineAccount::default()
            },
            ..Closing::default()
        }
    }
}
