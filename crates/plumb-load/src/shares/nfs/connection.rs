//! How do many requests share one connection? Each has a slot of the session; answers come in any order, and data goes straight to where it is wanted.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::buffers::{Blocks, Part};
use super::call::Call;
use super::head::{accepted, data_head};
use super::results::{Failure, Results};
use super::status::Status;
use super::xdr::{Garbled, Reader, padding};
use crate::system::nfs_client;

/// Bytes of the answer to a READ before its data: length of the message, head of RPC, COMPOUND, SEQUENCE, PUTFH, READ.
const DATA_HEAD_BYTES: usize = 4 + 24 + 12 + 44 + 8 + 16;
/// Data from this length on is received where it belongs; shorter data is copied there, which saves system calls.
const BULK_BYTES: u32 = 16 << 10;
/// Bytes received at once when no bulk data is expected.
const RECEIVE_BYTES: usize = 64 << 10;
/// Parts of messages handed over in one system call.
const PARTS_AT_ONCE: usize = 24;
/// The number of a message holds its slot in these low bits.
const SLOT_BITS: u32 = 10;
/// Messages in a row that nobody asked for, after which a server is not listened to any more.
const STRAYS_MAX: u32 = 1000;
/// A message before the session is agreed is no longer than this.
const FIRST_ANSWERS_BYTES: usize = 64 << 10;

/// An answer of the server.
#[derive(Debug)]
pub struct Answer {
    /// What the caller gave with the call.
    pub token: u64,
    /// From the call to the answer.
    pub elapsed: Duration,
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
}

impl Answer {
    /// For a READ whose data lies in its place: bytes, and whether the end of the file was reached.
    pub fn data(&self) -> Option<(u32, bool)> {
        match self.body {
            Body::Data { len, is_end } => Some((len, is_end)),
            Body::Results { .. } => None,
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
    sent: Instant,
}

/// Where the next bytes belong.
#[derive(Debug)]
enum Phase {
    /// To a message, after so many bytes that are of no use any more.
    Message { skip: usize },
    /// To the data of a READ; zeros follow.
    Data {
        slot: u32,
        place: Part,
        got: u32,
        is_end: bool,
        skip: usize,
    },
}

/// A connection, and the session on it.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    credential: Vec<u8>,
    session: Option<[u8; 16]>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    serial: u32,
    /// Calls to be sent, and how much of the first one was.
    outgoing: VecDeque<Call>,
    sent_of_first: usize,
    /// Memory of calls that were sent.
    spare: Vec<Vec<u8>>,
    received: Vec<u8>,
    start: usize,
    end: usize,
    /// Fragments of a message that came in several.
    fragments: Vec<u8>,
    phase: Phase,
    answer_max_bytes: usize,
    /// READs in flight with bulk data.
    bulk: u32,
    /// Messages since the last answer that were none to us.
    strays: u32,
}

impl Connection {
    /// A connection without a session; `stream` does not block.
    pub fn new(stream: TcpStream, credential: Vec<u8>) -> Connection {
        Connection {
            stream,
            credential,
            session: None,
            slots: vec![Slot::default()],
            free: vec![0],
            serial: 0,
            outgoing: VecDeque::new(),
            sent_of_first: 0,
            spare: Vec::new(),
            received: vec![0; RECEIVE_BYTES],
            start: 0,
            end: 0,
            fragments: Vec::new(),
            phase: Phase::Message { skip: 0 },
            answer_max_bytes: FIRST_ANSWERS_BYTES,
            bulk: 0,
            strays: 0,
        }
    }

    /// From now on calls belong to this session. Nothing is in flight.
    pub fn enter(&mut self, session: [u8; 16], slots: u32, answer_max_bytes: u32) {
        let slots = slots.clamp(1, 1 << SLOT_BITS);
        self.session = Some(session);
        self.slots = (0..slots).map(|_| Slot::default()).collect();
        self.free = (0..slots).rev().collect();
        // The agreed length is that of the answer; RPC's head comes on top.
        self.answer_max_bytes = answer_max_bytes as usize + 1024;
    }

    /// Calls belong to no session any more; gives the one they belonged to.
    pub fn leave(&mut self) -> Option<[u8; 16]> {
        self.session.take()
    }

    /// The socket, for its counters.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// True when a call may be sent now.
    pub fn has_free_slot(&self) -> bool {
        !self.free.is_empty()
    }

    /// Begins a call.
    pub fn call(&mut self) -> Call {
        Call::begin(
            self.spare.pop().unwrap_or_default(),
            &self.credential,
            self.session.as_ref(),
        )
    }

    /// Takes a call to be sent with the next [`Connection::push`]; a slot must be free. `data`: where the data of its READ goes, which follows SEQUENCE and
    /// PUTFH and is the last operation.
    ///
    /// # Errors
    /// No slot is free: the server has left as many calls without an answer as the session takes.
    pub fn send(&mut self, mut call: Call, token: u64, data: Option<Part>) -> Result<(), Failure> {
        let Some(slot) = self.free.pop() else {
            return Err(Failure::Connection(
                "the server has left all calls of the session without an answer".into(),
            ));
        };
        self.serial = self.serial.wrapping_add(1);
        let xid = self.serial << SLOT_BITS | slot;
        let highest = self.slots.len() as u32 - 1;
        let place = &mut self.slots[slot as usize];
        call.finish(xid, slot, highest, place.sequence.wrapping_add(1));
        place.pending = Some(Pending {
            xid,
            token,
            sequenced: call.is_sequenced(),
            data,
            sent: Instant::now(),
        });
        self.bulk += u32::from(is_bulk(data));
        self.outgoing.push_back(call);
        Ok(())
    }

    /// Sends as much as the socket takes now.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn push(&mut self, blocks: &Blocks) -> Result<(), Failure> {
        while !self.outgoing.is_empty() {
            let mut parts = [IoSlice::new(&[]); PARTS_AT_ONCE];
            let (mut count, mut skip) = (0, self.sent_of_first);
            'calls: for call in &self.outgoing {
                let (head, payload, tail) = call.parts();
                for part in [
                    head,
                    payload.map_or(&[][..], |place| blocks.get(place)),
                    tail,
                ] {
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

    fn was_sent(&mut self, bytes: usize) {
        self.sent_of_first += bytes;
        while let Some(first) = self.outgoing.front()
            && self.sent_of_first >= first.wire_bytes()
        {
            self.sent_of_first -= first.wire_bytes();
            if let Some(call) = self.outgoing.pop_front() {
                self.spare.push(call.into_bytes());
            }
        }
    }

    /// Waits until there is something to receive, or room for what is to be sent; at most `timeout`.
    pub fn wait(&self, timeout: Duration) {
        nfs_client::wait(&self.stream, !self.outgoing.is_empty(), timeout);
    }

    /// The next answer that is there already; `None` when there is none yet.
    ///
    /// # Errors
    /// The connection is lost, or what answers does not speak NFS.
    pub fn next_answer(&mut self, blocks: &mut Blocks) -> Result<Option<Answer>, Failure> {
        loop {
            if let Some(answer) = self.parse(blocks)? {
                return Ok(Some(answer));
            }
            if !self.receive(blocks)? {
                return Ok(None);
            }
        }
    }

    /// The results of an answer; valid until the next one is asked for.
    ///
    /// # Errors
    /// The server refused the request as a whole.
    pub fn results(&self, answer: &Answer) -> Result<Results<'_>, Failure> {
        let Body::Results {
            from,
            to,
            sequenced,
        } = answer.body
        else {
            return Err(Garbled.into());
        };
        let mut results = Results::new(&self.received[from..to])?;
        if sequenced {
            results.sequence()?;
        }
        Ok(results)
    }

    /// Receives what is there; `false`: nothing.
    fn receive(&mut self, blocks: &mut Blocks) -> Result<bool, Failure> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.received.len()
            || self.received.len() - self.start < DATA_HEAD_BYTES
        {
            self.received.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        // Ahead of bulk data only its head is taken: the data itself is to be received in its place, not copied there.
        let room = self.received.len() - self.end;
        let room = if self.bulk > 0 {
            room.min(DATA_HEAD_BYTES.saturating_sub(self.end - self.start).max(4))
        } else {
            room
        };
        let spare = &mut self.received[self.end..];
        let got = match &self.phase {
            Phase::Data {
                place, got, skip, ..
            } => {
                let rest = Part {
                    at: place.at + got,
                    len: place.len - got,
                    ..*place
                };
                let ahead = spare.len().min(if self.bulk > 1 {
                    skip + DATA_HEAD_BYTES
                } else {
                    RECEIVE_BYTES
                });
                (&self.stream).read_vectored(&mut [
                    IoSliceMut::new(blocks.get_mut(rest)),
                    IoSliceMut::new(&mut spare[..ahead]),
                ])
            }
            Phase::Message { .. } => {
                // A message that is there in part, and no data: all of it.
                let whole = self.bulk > 0 && self.end - self.start >= DATA_HEAD_BYTES;
                let len = if whole { spare.len() } else { room };
                (&self.stream).read(&mut spare[..len])
            }
        };
        match got {
            Ok(0) => Err(closed()),
            Ok(bytes) => {
                self.was_received(bytes);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(lost(&error)),
        }
    }

    fn was_received(&mut self, bytes: usize) {
        let mut bytes = bytes;
        if let Phase::Data { place, got, .. } = &mut self.phase {
            let of_data = bytes.min((place.len - *got) as usize);
            *got += of_data as u32;
            bytes -= of_data;
        }
        self.end += bytes;
    }

    /// Makes an answer of what was received.
    fn parse(&mut self, blocks: &mut Blocks) -> Result<Option<Answer>, Failure> {
        loop {
            let skip = match self.phase {
                Phase::Data { place, got, .. } if got < place.len => return Ok(None),
                Phase::Data {
                    slot,
                    place,
                    is_end,
                    skip,
                    ..
                } => {
                    self.phase = Phase::Message { skip };
                    let body = Body::Data {
                        len: place.len,
                        is_end,
                    };
                    return Ok(self.conclude(slot, true, body));
                }
                Phase::Message { skip } => skip,
            };
            let gone = skip.min(self.end - self.start);
            self.start += gone;
            self.phase = Phase::Message { skip: skip - gone };
            let bytes = &self.received[self.start..self.end];
            let Some(mark) = bytes.first_chunk::<4>().filter(|_| gone == skip) else {
                return Ok(None);
            };
            let mark = u32::from_be_bytes(*mark);
            let (len, is_last) = ((mark & !(1 << 31)) as usize, mark >> 31 == 1);
            if len + self.fragments.len() > self.answer_max_bytes {
                return Err(Failure::Connection(format!(
                    "the server sent a message of {len} bytes, more than was agreed: it speaks no NFS"
                )));
            }
            let message = &bytes[4..bytes.len().min(4 + len)];
            let is_whole = message.len() == len;
            if is_last
                && self.fragments.is_empty()
                && self.begin_data(message.len(), len, blocks)?
            {
                continue;
            }
            if !is_whole {
                self.make_room(4 + len);
                return Ok(None);
            }
            self.phase = Phase::Message { skip: 4 + len };
            let from = self.start + 4;
            if !is_last || !self.fragments.is_empty() {
                self.fragments
                    .extend_from_slice(&self.received[from..from + len]);
                if !is_last && len == 0 {
                    return Err(Failure::Connection(
                        "the server sent an empty fragment that is not the last one of its message"
                            .into(),
                    ));
                }
                if !is_last {
                    continue;
                }
                // All fragments in one piece, before what follows.
                let message = std::mem::take(&mut self.fragments);
                self.received
                    .splice(from..from + len, message.iter().copied());
                self.end = self.end + message.len() - len;
                self.phase = Phase::Message {
                    skip: 4 + message.len(),
                };
                if let Some(answer) = self.answer(from, from + message.len())? {
                    return Ok(Some(answer));
                }
                continue;
            }
            if let Some(answer) = self.answer(from, from + len)? {
                return Ok(Some(answer));
            }
        }
    }

    /// Room for a message of so many bytes at `start`.
    fn make_room(&mut self, bytes: usize) {
        if self.start + bytes > self.received.len() {
            self.received.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if bytes > self.received.len() {
                self.received.resize(bytes, 0);
            }
        }
    }

    /// If the message is a READ's answer with data, of which `there` bytes of `len` are there: its data goes to its place from now on.
    fn begin_data(
        &mut self,
        there: usize,
        len: usize,
        blocks: &mut Blocks,
    ) -> Result<bool, Failure> {
        let message = &self.received[self.start + 4..self.start + 4 + there];
        let Some(xid) = message
            .first_chunk::<4>()
            .map(|xid| u32::from_be_bytes(*xid))
        else {
            return Ok(false);
        };
        let slot = xid & ((1 << SLOT_BITS) - 1);
        let Some(pending) = self
            .slots
            .get(slot as usize)
            .and_then(|slot| slot.pending.as_ref())
            .filter(|pending| pending.xid == xid)
        else {
            return Ok(false);
        };
        let Some(place) = pending.data else {
            return Ok(false);
        };
        // A head that is not whole yet, or an error: what is there decides nothing.
        let Ok((is_end, data, at)) = data_head(message) else {
            return Ok(false);
        };
        if data > place.len || at + data as usize + padding(data as usize) > len {
            return Err(Failure::Connection(format!(
                "the server answered {data} bytes to a READ of {}",
                place.len
            )));
        }
        let place = Part { len: data, ..place };
        let copied = (there - at).min(data as usize);
        let bytes = &message[at..at + copied];
        blocks
            .get_mut(Part {
                len: copied as u32,
                ..place
            })
            .copy_from_slice(bytes);
        self.start += 4 + at + copied;
        let skip = len - at - data as usize;
        self.phase = Phase::Data {
            slot,
            place,
            got: copied as u32,
            is_end,
            skip,
        };
        Ok(true)
    }

    /// The answer in a whole message; `None` when it is none to us.
    fn answer(&mut self, from: usize, to: usize) -> Result<Option<Answer>, Failure> {
        let mut reader = Reader::new(&self.received[from..to]);
        let xid = reader.u32()?;
        let slot = xid & ((1 << SLOT_BITS) - 1);
        let is_ours = self
            .slots
            .get(slot as usize)
            .and_then(|slot| slot.pending.as_ref())
            .is_some_and(|pending| pending.xid == xid);
        const REPLY: u32 = 1;
        if reader.u32()? != REPLY || !is_ours {
            // A call of the server, to which nobody listens, or an answer that comes twice.
            self.strays += 1;
            if self.strays > STRAYS_MAX {
                return Err(Failure::Connection(format!(
                    "the server sent more than {STRAYS_MAX} messages that nobody asked for"
                )));
            }
            return Ok(None);
        }
        let accepted = accepted(&mut reader);
        let body_at = from + reader.position();
        let sequenced = self.slots[slot as usize]
            .pending
            .as_ref()
            .is_some_and(|pending| pending.sequenced);
        let taken = accepted.and_then(|()| {
            Ok(sequenced
                && Results::new(&self.received[body_at..to])?
                    .sequence()
                    .is_ok())
        });
        let taken = taken.inspect_err(|_| {
            // A refused call is answered: its slot is free, and may be needed to take leave.
            self.conclude(
                slot,
                false,
                Body::Results {
                    from: body_at,
                    to,
                    sequenced,
                },
            );
        })?;
        Ok(self.conclude(
            slot,
            taken,
            Body::Results {
                from: body_at,
                to,
                sequenced,
            },
        ))
    }

    /// Frees the slot of an answer. `taken`: the server has counted the request.
    fn conclude(&mut self, slot: u32, taken: bool, body: Body) -> Option<Answer> {
        self.strays = 0;
        let place = &mut self.slots[slot as usize];
        let pending = place.pending.take()?;
        place.sequence = place.sequence.wrapping_add(u32::from(taken));
        self.free.push(slot);
        self.bulk -= u32::from(is_bulk(pending.data));
        Some(Answer {
            token: pending.token,
            elapsed: pending.sent.elapsed(),
            body,
        })
    }
}

fn is_bulk(data: Option<Part>) -> bool {
    data.is_some_and(|place| place.len >= BULK_BYTES)
}

fn closed() -> Failure {
    Failure::Connection("the server closed the connection".into())
}

fn lost(error: &io::Error) -> Failure {
    Failure::Connection(format!("the connection failed: {error}"))
}

impl Failure {
    /// The server's status, when there is one.
    pub fn status(&self) -> Option<Status> {
        match self {
            Failure::Status(status) => Some(*status),
            Failure::Connection(_) => None,
        }
    }
}
