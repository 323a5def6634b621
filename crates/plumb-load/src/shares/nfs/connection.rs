//! How do many requests share one connection? Each has a slot (of the session in NFS 4); answers come in any order, and data goes straight to where it is wanted.

mod receive;

use std::collections::VecDeque;
use std::io::{self, IoSlice, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use plumb_model::statement::Statement;

use super::buffers::{Blocks, Part};
use super::gss::Service;
use super::gss::context::{Context, first_credential};
use super::message::{Call, Protocol};
use super::results::Failure;
use crate::engine::lookout::{Awaited, Lookout};
use crate::engine::stages::RequestTimes;
use crate::engine::stop_request::{LOOK, StopRequest};
use crate::system::arrivals::{CAN_DISCARD, stamp_arrivals};

/// Data from this length on is received where it belongs; shorter data is copied there, which saves system calls.
const BULK_BYTES: u32 = 16 << 10;
/// Bytes received at once when no bulk data is expected.
const RECEIVE_BYTES: usize = 64 << 10;
/// Parts of messages handed over in one system call.
const PARTS_AT_ONCE: usize = 24;
/// The number of a message holds its slot in these low bits.
const SLOT_BITS: u32 = 10;
/// Calls in flight at most, by the width of that.
pub const SLOTS_MAX: u32 = 1 << SLOT_BITS;
/// A message before the session is agreed is no longer than this.
const FIRST_ANSWERS_BYTES: usize = 64 << 10;

/// An answer of the server.
#[derive(Debug)]
pub struct Answer {
    /// What the caller gave with the call.
    pub token: u64,
    pub times: RequestTimes,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// Data of a READ lies where it was wanted.
    Data { len: u32, is_end: bool },
    /// Where the results stand among the bytes received.
    Results {
        from: usize,
        to: usize,
        sequenced: bool,
    },
    /// The server has no such procedure.
    Unavailable,
}

impl Answer {
    /// For a READ whose data was received in place: bytes, and whether the end of the file was reached.
    pub fn data(&self) -> Option<(u32, bool)> {
        match self.body {
            Body::Data { len, is_end } => Some((len, is_end)),
            Body::Results { .. } | Body::Unavailable => None,
        }
    }
}

/// A slot of the session: one request at a time.
#[derive(Debug, Default)]
struct Slot {
    /// Number of the last request that the server took.
    sequence: u32,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    xid: u32,
    token: u64,
    sequenced: bool,
    /// Where the data of a READ goes.
    data: Option<Part>,
    /// The data is received in place.
    is_bulk: bool,
    /// Number of the call in its context of RPCSEC_GSS.
    in_context: Option<u32>,
    sent: Instant,
    /// From then until the socket had taken its last byte.
    send_queue: Option<Duration>,
}

/// Where the next bytes belong.
#[derive(Debug)]
enum Phase {
    /// To a message, after so many bytes that are of no use any more.
    Message { skip: usize },
    /// To the data of a READ; zeros follow.
    Data {
        slot: u32,
        part: Part,
        got: u32,
        is_end: bool,
        skip: usize,
    },
}

/// Credentials of calls.
#[derive(Debug)]
pub enum Proof {
    /// By numbers of the user and his groups: the body of AUTH_SYS.
    Numbers,
    /// A context of RPCSEC_GSS is about to be agreed.
    Beginning(Service),
    /// By a context of RPCSEC_GSS.
    Context(Box<Context>),
}

/// A connection, and the session on it where the protocol has one.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    credential: Vec<u8>,
    proof: Proof,
    /// What the server proved itself by when a context was begun.
    first_verifier: Vec<u8>,
    protocol: Protocol,
    session: Option<[u8; 16]>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    serial: u32,
    /// Calls to be sent, and how much of the first one was.
    outgoing: VecDeque<Call>,
    sent_of_first: usize,
    sent_bytes: u64,
    received_bytes: u64,
    /// When the last bytes that were received reached the machine, if the system reports it.
    arrived: Option<SystemTime>,
    /// Memory of calls that were sent.
    spare: Vec<Vec<u8>>,
    received: Vec<u8>,
    start: usize,
    end: usize,
    /// Fragments of a message that came in several.
    fragments: Vec<u8>,
    phase: Phase,
    answer_max_bytes: usize,
    /// A call was sent that renews the client's lease in NFS 4.0.
    renewed: Arc<AtomicBool>,
    /// READs in flight with bulk data.
    bulk: u32,
    /// Messages since the last answer that were none to us.
    strays: u32,
    stop: StopRequest,
    /// How the socket is waited for.
    pub lookout: Lookout,
    /// Data that would be received in place is discarded in the kernel.
    discards: bool,
    /// Since when the server is waited for although a stop is requested.
    waits_since: Option<Instant>,
}

impl Connection {
    /// A connection without a session; `stream` does not block.
    pub fn new(stream: TcpStream, credential: Vec<u8>, protocol: Protocol) -> Connection {
        stamp_arrivals(&stream);
        Connection {
            stream,
            credential,
            proof: Proof::Numbers,
            first_verifier: Vec::new(),
            protocol,
            session: None,
            slots: vec![Slot::default()],
            free: vec![0],
            serial: 0,
            outgoing: VecDeque::new(),
            sent_of_first: 0,
            sent_bytes: 0,
            received_bytes: 0,
            arrived: None,
            spare: Vec::new(),
            received: vec![0; RECEIVE_BYTES],
            start: 0,
            end: 0,
            fragments: Vec::new(),
            phase: Phase::Message { skip: 0 },
            answer_max_bytes: FIRST_ANSWERS_BYTES,
            renewed: Arc::default(),
            bulk: 0,
            strays: 0,
            stop: StopRequest::default(),
            lookout: Lookout::default(),
            discards: false,
            waits_since: None,
        }
    }

    /// From now on calls are of this protocol. Nothing is in flight.
    pub fn speak(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    /// The protocol in use.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// From now on calls prove themselves so. Nothing is in flight.
    pub fn prove(&mut self, proof: Proof) {
        match &proof {
            Proof::Numbers => {}
            Proof::Beginning(service) => self.credential = first_credential(*service),
            Proof::Context(context) => self.credential = context.credential(),
        }
        self.proof = proof;
    }

    /// What the server proved itself by in its answer to the call that began a context.
    pub fn first_verifier(&self) -> &[u8] {
        &self.first_verifier
    }

    /// From now on so many calls may be in flight, or fewer where fewer are allowed; how many. `session` is missing where the protocol has none. Nothing is
    /// in flight.
    pub fn enter(&mut self, session: Option<[u8; 16]>, slots: u32, answer_max_bytes: u32) -> u32 {
        let most = match &self.proof {
            Proof::Context(context) => context.window().min(SLOTS_MAX),
            _ => SLOTS_MAX,
        };
        let slots = slots.clamp(1, most);
        self.session = session;
        self.slots = (0..slots).map(|_| Slot::default()).collect();
        self.free = (0..slots).rev().collect();
        // The agreed length is that of the answer; RPC's head comes on top.
        self.answer_max_bytes = answer_max_bytes as usize + 1024;
        slots
    }

    /// Calls belong to no session any more; gives the one they belonged to.
    pub fn leave(&mut self) -> Option<[u8; 16]> {
        self.session.take()
    }

    /// The socket, for its counters.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Set with each call that renews the client's lease in NFS 4.0; for the thread that renews it in time.
    pub fn renewed(&self) -> Arc<AtomicBool> {
        self.renewed.clone()
    }

    /// The data of large READs is discarded in the kernel from now on.
    ///
    /// # Errors
    /// The data is protected, or the system cannot do that.
    pub fn discard_data(&mut self) -> Result<(), Statement> {
        if matches!(&self.proof, Proof::Context(context) if context.covers_results()) {
            return Err(Statement::new("discard-in-protected-session"));
        }
        if !CAN_DISCARD {
            return Err(Statement::new("discard-on-this-system"));
        }
        self.discards = true;
        Ok(())
    }

    /// True when a call may be sent now.
    pub fn has_free_slot(&self) -> bool {
        !self.free.is_empty()
    }

    /// Begins a call.
    pub fn call(&mut self) -> Call {
        let bytes = self.spare.pop().unwrap_or_default();
        let begin = match self.proof {
            Proof::Numbers => Call::begin,
            Proof::Beginning(_) => Call::begin_context,
            Proof::Context(_) => Call::begin_secured,
        };
        let mut call = begin(bytes, &self.credential, self.protocol);
        if let Some(session) = &self.session {
            call.sequence(session);
        }
        call
    }

    /// Takes a call to be sent with the next [`Connection::push`]; a slot must be free. `data`: where the data of its READ goes, which follows SEQUENCE (from
    /// NFS 4.1 on) and PUTFH and is the last operation.
    ///
    /// # Errors
    /// No slot is free: the server has left as many calls without an answer as the session takes. Or the context of RPCSEC_GSS has come to its end.
    pub fn send(&mut self, mut call: Call, token: u64, data: Option<Part>) -> Result<(), Failure> {
        let mut in_context = None;
        let mut in_place = true;
        if let Proof::Context(context) = &mut self.proof {
            let number = context.next_number()?;
            call.number_in_context(number);
            in_context = Some(number);
            // Data that has to be checked or decrypted first is copied afterwards.
            in_place = !context.covers_results();
        }
        let Some(slot) = self.free.pop() else {
            return Err(Failure::Connection(Statement::new(
                "nfs-calls-left-unanswered",
            )));
        };
        if self.free.len() + 1 == self.slots.len() {
            // Nothing was waited for until now.
            self.waits_since = None;
        }
        self.serial = self.serial.wrapping_add(1);
        let xid = self.serial << SLOT_BITS | slot;
        let highest = self.slots.len() as u32 - 1;
        let entry = &mut self.slots[slot as usize];
        call.finish(xid, slot, highest, entry.sequence.wrapping_add(1));
        let is_bulk = in_place && is_bulk(data);
        entry.pending = Some(Pending {
            xid,
            token,
            sequenced: call.is_sequenced(),
            data,
            is_bulk,
            in_context,
            sent: Instant::now(),
            send_queue: None,
        });
        if call.renews_lease {
            self.renewed.store(true, Ordering::Relaxed);
        }
        self.bulk += u32::from(is_bulk);
        self.outgoing.push_back(call);
        Ok(())
    }

    /// Sends as much as the socket takes now.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn push(&mut self, blocks: &Blocks) -> Result<(), Failure> {
        if let Proof::Context(context) = &mut self.proof {
            // Those before the last that is sealed are sealed.
            let sealed = |call: &Call| call.sequence_to_seal().is_none();
            let from = self
                .outgoing
                .iter()
                .rposition(sealed)
                .map_or(0, |at| at + 1);
            for call in self.outgoing.iter_mut().skip(from) {
                context.seal(call, blocks)?;
            }
        }
        while !self.outgoing.is_empty() {
            let mut parts = [IoSlice::new(&[]); PARTS_AT_ONCE];
            let (mut count, mut skip) = (0, self.sent_of_first);
            'calls: for call in &self.outgoing {
                let (head, payload, tail) = call.parts();
                for part in [head, payload.map_or(&[][..], |part| blocks.get(part)), tail] {
                    let gone = skip.min(part.len());
                    skip -= gone;
                    if gone == part.len() {
                        continue;
                    }
                    if count == PARTS_AT_ONCE {
                        break 'calls;
                    }
                    parts[count] = IoSlice::new(&part[gone..]);
                    count += 1;
                }
            }
            match (&self.stream).write_vectored(&parts[..count]) {
                Ok(0) => return Err(closed()),
                Ok(sent) => self.was_sent(sent),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(lost(&error)),
            }
        }
        Ok(())
    }

    /// Bytes sent and received since the connection began.
    pub fn moved_bytes(&self) -> (u64, u64) {
        (self.sent_bytes, self.received_bytes)
    }

    fn was_sent(&mut self, bytes: usize) {
        self.sent_bytes += bytes as u64;
        self.sent_of_first += bytes;
        // The clock is read once for all calls of one handing over.
        let mut now = None;
        while let Some(first) = self.outgoing.front()
            && self.sent_of_first >= first.wire_bytes()
            && let Some(call) = self.outgoing.pop_front()
        {
            self.sent_of_first -= call.wire_bytes();
            let xid = call.xid();
            let entry = self.slots.get_mut((xid & (SLOTS_MAX - 1)) as usize);
            let pending = entry.and_then(|slot| slot.pending.as_mut());
            if let Some(pending) = pending.filter(|pending| pending.xid == xid) {
                let now = *now.get_or_insert_with(Instant::now);
                pending.send_queue = Some(now.saturating_duration_since(pending.sent));
            }
            self.spare.push(call.into_bytes());
        }
    }

    /// Waits no longer than a moment for a server that does not answer once this is made.
    pub fn set_stop(&mut self, stop: &StopRequest) {
        self.stop = stop.clone();
    }

    /// Waits until there is something to receive, or room for what is to be sent; at most `timeout`.
    ///
    /// # Errors
    /// A stop is requested, and the server has not responded since.
    pub fn wait(&mut self, timeout: Duration) -> Result<(), Failure> {
        if self.stop.is_made() && self.free.len() < self.slots.len() {
            let since = *self.waits_since.get_or_insert_with(Instant::now);
            if let Some(waited) = self.stop.is_enough(since) {
                let time = waited.as_nanos() as f64;
                return Err(Failure::Stopped(
                    Statement::new("nfs-no-answer-after-stop").time_ns("time", time),
                ));
            }
        }
        let missing_bytes = match &self.phase {
            Phase::Data { part, got, .. } => (part.len - got) as usize,
            Phase::Message { .. } => 0,
        };
        let awaited = Awaited {
            sends: !self.outgoing.is_empty(),
            requests: self.slots.len() - self.free.len(),
            large: self.bulk as usize,
            missing_bytes,
        };
        // So that a stop request is noticed soon. The next send or receive reports errors of the socket.
        let _ = self.lookout.wait(&self.stream, awaited, timeout.min(LOOK));
        Ok(())
    }
}

fn is_bulk(data: Option<Part>) -> bool {
    data.is_some_and(|part| part.len >= BULK_BYTES)
}

fn closed() -> Failure {
    Failure::Connection(Statement::new("nfs-server-closed"))
}

fn lost(error: &io::Error) -> Failure {
    Failure::Connection(Statement::new("nfs-connection-failed").name("error", error.to_string()))
}
