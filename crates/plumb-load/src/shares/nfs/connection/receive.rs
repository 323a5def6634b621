//! Which replies have arrived on a connection? Messages are assembled, matched with requests, and data goes directly to its destination.

use std::io::{self, IoSliceMut};

use plumb_model::statement::Statement;

use super::{Answer, Body, Connection, Phase, Proof, RECEIVE_BYTES, SLOT_BITS, closed, lost};
use crate::engine::stages::{RequestTimes, since_arrival};
use crate::shares::nfs::buffers::{Blocks, Part};
use crate::shares::nfs::gss::context::Opened;
use crate::shares::nfs::head::{DATA_HEAD_BYTES, data_head, data_in, verified};
use crate::shares::nfs::results::{Failure, Results};
use crate::shares::nfs::status::Status;
use crate::shares::nfs::xdr::{Garbled, Reader, padding};
use crate::system::arrivals::{discard, receive};

/// Unrequested messages in a row, after which the connection is closed.
const STRAYS_MAX: u32 = 1000;

impl Connection {
    /// The next answer that is there already; `None` when there is none yet.
    ///
    /// # Errors
    /// The connection is lost, or the peer does not implement NFS.
    pub fn next_answer(&mut self, blocks: &mut Blocks) -> Result<Option<Answer>, Failure> {
        loop {
            if let Some(answer) = self.parse(blocks)? {
                self.waits_since = None;
                return Ok(Some(answer));
            }
            if !self.receive(blocks)? {
                return Ok(None);
            }
        }
    }

    /// The results of a reply; valid until the next receive.
    ///
    /// # Errors
    /// The server refused the entire request.
    pub fn results(&self, answer: &Answer) -> Result<Results<'_>, Failure> {
        let Body::Results {
            from,
            to,
            sequenced,
        } = answer.body
        else {
            return Err(match answer.body {
                Body::Unavailable => Failure::Status(Status::NOTSUPP),
                _ => Garbled.into(),
            });
        };
        let mut results = Results::new(&self.received[from..to])?;
        if sequenced {
            results.sequence()?;
        }
        Ok(results)
    }

    /// The reply of a procedure; valid until the next receive.
    ///
    /// # Errors
    /// It is data received in place, or the server has no such procedure.
    pub fn reply(&self, answer: &Answer) -> Result<Reader<'_>, Failure> {
        match answer.body {
            Body::Results { from, to, .. } => Ok(Reader::new(&self.received[from..to])),
            Body::Data { .. } => Err(Garbled.into()),
            Body::Unavailable => Err(Failure::Status(Status::NOTSUPP)),
        }
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
        // Ahead of bulk data only its head is taken: the data itself is received in place, not copied.
        let room = self.received.len() - self.end;
        let room = if self.bulk > 0 {
            room.min(DATA_HEAD_BYTES.saturating_sub(self.end - self.start).max(4))
        } else {
            room
        };
        let spare = &mut self.received[self.end..];
        let got = match &self.phase {
            Phase::Data {
                part, got, skip, ..
            } => {
                let rest = Part {
                    at: part.at + got,
                    len: part.len - got,
                    ..*part
                };
                if self.discards {
                    // What follows is wanted, and comes with the next call.
                    discard(&self.stream, blocks.get_mut(rest))
                } else {
                    let ahead = spare.len().min(if self.bulk > 1 {
                        skip + DATA_HEAD_BYTES
                    } else {
                        RECEIVE_BYTES
                    });
                    let in_place = IoSliceMut::new(blocks.get_mut(rest));
                    let behind = IoSliceMut::new(&mut spare[..ahead]);
                    receive(&self.stream, &mut [in_place, behind])
                }
            }
            Phase::Message { .. } => {
                // A message that is there in part, and no data: all of it.
                let is_bulk = self.bulk > 0 && self.end - self.start >= DATA_HEAD_BYTES;
                let len = if is_bulk { spare.len() } else { room };
                receive(&self.stream, &mut [IoSliceMut::new(&mut spare[..len])])
            }
        };
        match got {
            Ok(received) if received.bytes == 0 => Err(closed()),
            Ok(received) => {
                self.arrived = received.arrived;
                self.was_received(received.bytes);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(lost(&error)),
        }
    }

    fn was_received(&mut self, bytes: usize) {
        self.received_bytes += bytes as u64;
        let mut bytes = bytes;
        if let Phase::Data { part, got, .. } = &mut self.phase {
            let of_data = bytes.min((part.len - *got) as usize);
            *got += of_data as u32;
            bytes -= of_data;
        }
        self.end += bytes;
    }

    /// Makes an answer of what was received.
    fn parse(&mut self, blocks: &mut Blocks) -> Result<Option<Answer>, Failure> {
        loop {
            let skip = match self.phase {
                Phase::Data { part, got, .. } if got < part.len => return Ok(None),
                Phase::Data {
                    slot,
                    part,
                    is_end,
                    skip,
                    ..
                } => {
                    self.phase = Phase::Message { skip };
                    let body = Body::Data {
                        len: part.len,
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
                return Err(Failure::Connection(
                    Statement::new("nfs-message-too-long").count("bytes", len as u64),
                ));
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
            let Some(to) = self.gather(from, len, is_last)? else {
                continue;
            };
            if let Some(answer) = self.answer(from, to, blocks)? {
                return Ok(Some(answer));
            }
        }
    }

    /// Takes the fragment of so many bytes at `from`. Gives where its message ends, which then lies there in one piece; `None`: more fragments follow.
    fn gather(&mut self, from: usize, len: usize, is_last: bool) -> Result<Option<usize>, Failure> {
        if is_last && self.fragments.is_empty() {
            return Ok(Some(from + len));
        }
        if !is_last && len == 0 {
            return Err(Failure::Connection(Statement::new("nfs-empty-fragment")));
        }
        self.fragments
            .extend_from_slice(&self.received[from..from + len]);
        if !is_last {
            return Ok(None);
        }
        // All fragments in one piece, before what follows.
        let message = std::mem::take(&mut self.fragments);
        self.received
            .splice(from..from + len, message.iter().copied());
        self.end = self.end + message.len() - len;
        self.phase = Phase::Message {
            skip: 4 + message.len(),
        };
        Ok(Some(from + message.len()))
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

    /// If the message is a READ's answer with data, of which `there` bytes of `len` are there: its data is received in place from now on.
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
        let Some(part) = pending.data else {
            return Ok(false);
        };
        // An incomplete header, or an error: not decidable yet.
        if self.opens_results() {
            return Ok(false);
        }
        let Ok((is_end, data, at)) = data_head(message, self.protocol) else {
            return Ok(false);
        };
        self.verify(pending.in_context, &mut Reader::new(&message[8..]))?;
        if data > part.len || at + data as usize + padding(data as usize) > len {
            return Err(too_long(data, part));
        }
        let part = Part { len: data, ..part };
        let copied = (there - at).min(data as usize);
        let bytes = &message[at..at + copied];
        blocks
            .get_mut(Part {
                len: copied as u32,
                ..part
            })
            .copy_from_slice(bytes);
        self.start += 4 + at + copied;
        let skip = len - at - data as usize;
        self.phase = Phase::Data {
            slot,
            part,
            got: copied as u32,
            is_end,
            skip,
        };
        Ok(true)
    }

    /// The reply in a complete message; `None` if it matches no request.
    fn answer(
        &mut self,
        from: usize,
        to: usize,
        blocks: &mut Blocks,
    ) -> Result<Option<Answer>, Failure> {
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
                return Err(Failure::Connection(
                    Statement::new("nfs-messages-not-asked-for")
                        .count("most", u64::from(STRAYS_MAX)),
                ));
            }
            return Ok(None);
        }
        if matches!(self.proof, Proof::Beginning(_)) {
            // Checked by the key that is not there before the rest is read.
            let (mut head, mut first) = (reader, Vec::new());
            let _ = verified(&mut head, |verifier| {
                first = verifier.to_vec();
                Ok(())
            });
            self.first_verifier = first;
        }
        let pending = self.slots[slot as usize].pending.as_ref();
        let sequenced = pending.is_some_and(|pending| pending.sequenced);
        let in_context = pending.and_then(|pending| pending.in_context);
        let verified = self.verify(in_context, &mut reader);
        if matches!(verified, Err(Failure::Status(_))) {
            return Ok(self.conclude(slot, false, Body::Unavailable));
        }
        let body_at = from + reader.position();
        let mut body = Body::Results {
            from: body_at,
            to,
            sequenced,
        };
        let taken = verified.and_then(|()| {
            let (from, to) = self.open(in_context, body_at, to)?;
            body = self.body(slot, (from, to), blocks)?;
            Ok(sequenced && Results::new(&self.received[from..to])?.sequence().is_ok())
        });
        let taken = taken.inspect_err(|_| {
            // A refused call is answered: its slot is free, and may be needed to take leave.
            let refused = Body::Results {
                from: body_at,
                to,
                sequenced,
            };
            self.conclude(slot, false, refused);
        })?;
        Ok(self.conclude(slot, taken, body))
    }

    /// Results must be verified completely before they are parsed.
    fn opens_results(&self) -> bool {
        matches!(&self.proof, Proof::Context(context) if context.covers_results())
    }

    /// Checks the verifier in the head of a reply.
    fn verify(&self, in_context: Option<u32>, reader: &mut Reader<'_>) -> Result<(), Failure> {
        verified(reader, |verifier| match (&self.proof, in_context) {
            (Proof::Context(context), Some(number)) => context.check(number, verifier),
            _ => Ok(()),
        })
    }

    /// Opens the results that lie from there to there, and gives where they lie then.
    fn open(
        &mut self,
        in_context: Option<u32>,
        from: usize,
        to: usize,
    ) -> Result<(usize, usize), Failure> {
        let (Proof::Context(context), Some(number)) = (&self.proof, in_context) else {
            return Ok((from, to));
        };
        match context.open(number, &self.received[from..to])? {
            Opened::There(begin, end) => Ok((from + begin, from + end)),
            Opened::Decrypted(plain) => {
                // Shorter than what it was decrypted from.
                let end = from + plain.len();
                self.received[from..end].copy_from_slice(&plain);
                Ok((from + 4, end))
            }
        }
    }

    /// Processes results: verified data is copied to its destination.
    fn body(
        &self,
        slot: u32,
        (from, to): (usize, usize),
        blocks: &mut Blocks,
    ) -> Result<Body, Failure> {
        let pending = self.slots[slot as usize].pending.as_ref();
        let sequenced = pending.is_some_and(|pending| pending.sequenced);
        let results = Body::Results {
            from,
            to,
            sequenced,
        };
        let Some(part) = pending.and_then(|pending| pending.data) else {
            return Ok(results);
        };
        let opened = &self.received[from..to];
        // An error is handled by the caller.
        let Ok((is_end, len, at)) = data_in(opened, self.protocol) else {
            return Ok(results);
        };
        if len > part.len {
            return Err(too_long(len, part));
        }
        let data = opened.get(at..at + len as usize).ok_or(Garbled)?;
        blocks.get_mut(Part { len, ..part }).copy_from_slice(data);
        Ok(Body::Data { len, is_end })
    }

    /// Frees the slot of an answer. `taken`: the server has counted the request.
    fn conclude(&mut self, slot: u32, taken: bool, body: Body) -> Option<Answer> {
        self.strays = 0;
        let entry = &mut self.slots[slot as usize];
        let pending = entry.pending.take()?;
        entry.sequence = entry.sequence.wrapping_add(u32::from(taken));
        self.free.push(slot);
        self.bulk -= u32::from(pending.is_bulk);
        Some(Answer {
            token: pending.token,
            times: RequestTimes {
                response: pending.sent.elapsed(),
                send_queue: pending.send_queue,
                wake_up: since_arrival(self.arrived),
            },
            body,
        })
    }
}

fn too_long(bytes: u32, part: Part) -> Failure {
    Failure::Connection(
        Statement::new("nfs-read-too-long")
            .count("bytes", u64::from(bytes))
            .count("asked", u64::from(part.len)),
    )
}
