//! Which replies have arrived on a connection? Received frames are parsed, checked, and matched with requests.

use std::ops::Range;
use std::time::Duration;

use plumb_model::statement::Statement;

use crate::shares::smb::answer::{AnswerHeader, Fields, data, part};
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{Answer, NoSlots, Pending, Reply, SlotRange, Slots};
use crate::shares::smb::connection::inbox::{
    DIRECT_FROM_BYTES, Direct, READ_HEAD_BYTES, State, is_direct,
};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::HEADER_BYTES;
use crate::shares::smb::protect::TRANSFORM_BYTES;
use crate::shares::smb::status::Status;

/// What the beginning of a frame turned out to be.
enum Head {
    /// The answer to a READ: its data is received into the slot from now on.
    Taken,
    Incomplete,
    OfAnother,
}

impl Connection {
    /// The next answer that is there already; interim and unsolicited messages are taken and counted. With `may_receive` also of what waits in the
    /// socket, else only of what was received before.
    ///
    /// # Errors
    /// A connection that failed, or a server that breaks the protocol.
    pub fn next<S: Slots>(
        &mut self,
        may_receive: bool,
        slots: &mut S,
    ) -> SmbResult<Option<Answer>> {
        loop {
            let taken = self.take_buffered(slots).map_err(|fault| self.named(fault));
            if let Some(mut answer) = taken? {
                answer.arrived = self.inbox.arrived;
                (self.was_answered, self.has_answered, self.idle_messages) = (true, true, 0);
                self.answered_latest = self.answered_latest.max(Some(answer.sent));
                return Ok(Some(answer));
            }
            if !may_receive || !self.inbox.fill(&self.socket, slots)? {
                return Ok(None);
            }
        }
    }

    /// Invalid data in a protected session was not sent by a server that has the key.
    fn named(&self, fault: Fault) -> Fault {
        let is_protected = self.sealer.is_some() || (self.signs && self.signer.is_some());
        match fault {
            Fault::Garbage(what) if is_protected && !self.in_login => Fault::tampered(what),
            fault => fault,
        }
    }

    /// Header and body of an answer.
    pub fn message(&self, answer: &Answer) -> &[u8] {
        self.inbox.bytes(answer.range.clone())
    }

    /// Waits for the replies to all requests, in the order of the requests.
    ///
    /// # Errors
    /// As [`Connection::next`]; no answer within a minute.
    pub fn replies<S: Slots>(&mut self, slots: &mut S) -> SmbResult<Vec<Reply>> {
        let awaited: Vec<u64> = self
            .pending
            .iter()
            .map(|pending| pending.message_id)
            .collect();
        let mut replies = Vec::new();
        while !self.pending.is_empty() {
            self.send(slots)?;
            match self.next(true, slots)? {
                Some(answer) => {
                    let message = self.message(&answer).to_vec();
                    replies.push(Reply {
                        header: answer.header,
                        was_sealed: answer.was_sealed,
                        moved: answer.moved,
                        message,
                    });
                }
                None => self.wait(Duration::from_secs(1))?,
            }
        }
        replies.sort_by_key(|reply| awaited.iter().position(|id| *id == reply.header.message_id));
        Ok(replies)
    }

    /// One request without data and its answer; the body is laid out in [`Connection::draft`] already.
    ///
    /// # Errors
    /// As [`Connection::replies`].
    pub fn reply(&mut self) -> SmbResult<Reply> {
        self.end(None, &NoSlots)?;
        self.replies(&mut NoSlots)?
            .pop()
            .ok_or_else(Fault::no_answer)
    }

    /// The next answer in what was received.
    fn take_buffered<S: Slots>(&mut self, slots: &mut S) -> SmbResult<Option<Answer>> {
        loop {
            match std::mem::replace(&mut self.inbox.state, State::Between) {
                State::Direct(direct) if direct.received == direct.range.len => {
                    return self.finish_direct(*direct, slots).map(Some);
                }
                State::Direct(direct) => {
                    self.inbox.state = State::Direct(direct);
                    return Ok(None);
                }
                State::Messages { range, sealed } => {
                    if let Some(answer) = self.take_message(range, sealed, slots)? {
                        return Ok(Some(answer));
                    }
                }
                State::Between => {
                    if !self.begin_frame(slots)? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Looks at the beginning of the next frame. `false`: more must be received first.
    fn begin_frame<S: Slots>(&mut self, slots: &mut S) -> SmbResult<bool> {
        let inbox = &mut self.inbox;
        let have = inbox.end - inbox.start;
        inbox.missing = 0;
        if have < 4 {
            return Ok(false);
        }
        let head = &inbox.bytes[inbox.start..inbox.end];
        let len = u32::from_be_bytes([0, head[1], head[2], head[3]]) as usize;
        // The transport's only type beside a message is a keep-alive (RFC 1002 4.3.1), without content.
        match (head[0], len) {
            (0x85, 0) => {
                inbox.start += 4;
                self.took_idle()?;
                return Ok(true);
            }
            (0, HEADER_BYTES..) if len <= inbox.frame_max_bytes => {}
            (0, _) => {
                let what = Statement::new("smb-frame-of-length").count("bytes", len as u64);
                return Err(Fault::Garbage(what));
            }
            (other, _) => {
                let what =
                    Statement::new("smb-frame-of-type").name("type", format!("{other:#04x}"));
                return Err(Fault::Garbage(what));
            }
        }
        if inbox.direct_reads > 0 {
            match self.begin_direct(len, slots)? {
                Head::Taken => return Ok(true),
                Head::Incomplete => return Ok(false),
                Head::OfAnother => {}
            }
        }
        let inbox = &mut self.inbox;
        if have < 4 + len {
            inbox.missing = 4 + len - have;
            return Ok(false);
        }
        let mut range = inbox.start + 4..inbox.start + 4 + len;
        inbox.start = range.end;
        let sealed = inbox.bytes[range.clone()].starts_with(b"\xfdSMB");
        if sealed {
            self.open_frame(range.clone())?;
            range.start += TRANSFORM_BYTES;
        } else if self.sealer.is_some() && !self.in_login {
            return Err(Fault::tampered(Statement::new("smb-message-in-the-clear")));
        }
        self.inbox.state = State::Messages { range, sealed };
        Ok(true)
    }

    /// Decrypts a frame that is completely received.
    fn open_frame(&mut self, range: Range<usize>) -> SmbResult<()> {
        let frame = &mut self.inbox.bytes[range];
        let Some((header, message)) = frame
            .split_first_chunk_mut::<TRANSFORM_BYTES>()
            .filter(|(_, message)| message.len() >= HEADER_BYTES)
        else {
            return Err(Fault::Garbage(Statement::new(
                "smb-encrypted-frame-too-short",
            )));
        };
        let sealer = self
            .sealer
            .as_ref()
            .ok_or_else(|| Fault::Garbage(Statement::new("smb-encryption-not-agreed")))?;
        sealer.open(header, message)
    }

    /// Begins to receive the data of a READ straight into its slot, when the frame is such an answer.
    fn begin_direct<S: Slots>(&mut self, len: usize, slots: &mut S) -> SmbResult<Head> {
        let inbox = &mut self.inbox;
        let transform = if self.sealer.is_some() {
            TRANSFORM_BYTES
        } else {
            0
        };
        let head_bytes = transform + READ_HEAD_BYTES;
        let have = inbox.end - inbox.start;
        if len < head_bytes + DIRECT_FROM_BYTES as usize / 2 {
            return Ok(Head::OfAnother);
        }
        if have < 4 + head_bytes {
            return Ok(Head::Incomplete);
        }
        let frame = &inbox.bytes[inbox.start + 4..inbox.end];
        let mut head = [0; READ_HEAD_BYTES];
        head.copy_from_slice(&frame[transform..head_bytes]);
        let mut opening = None;
        if let Some(sealer) = &self.sealer {
            let Some(header) = frame
                .first_chunk::<TRANSFORM_BYTES>()
                .filter(|header| header.starts_with(b"\xfdSMB"))
            else {
                return Ok(Head::OfAnother);
            };
            let Some(mut begun) = sealer.begin_opening(header, len - TRANSFORM_BYTES) else {
                return Ok(Head::OfAnother);
            };
            begun.decrypt(&mut head);
            opening = Some(begun);
        }
        // What is no plain answer to a READ is left to the way of all others, which judges it.
        let Ok(header) = AnswerHeader::read(&head) else {
            return Ok(Head::OfAnother);
        };
        let count = len - head_bytes;
        let Some((at, range)) = self.read_by(&header, &head, count) else {
            return Ok(Head::OfAnother);
        };
        let pending = self.pending[at];
        self.pending.remove(at);
        let inbox = &mut self.inbox;
        // What came with the head.
        let early = (have - 4 - head_bytes).min(count);
        let from = inbox.start + 4 + head_bytes;
        slots
            .bytes_mut(SlotRange {
                len: early as u32,
                ..range
            })
            .copy_from_slice(&inbox.bytes[from..from + early]);
        inbox.start = from + early;
        inbox.state = State::Direct(Box::new(Direct {
            pending,
            header,
            head,
            range,
            received: early as u32,
            opening,
        }));
        Ok(Head::Taken)
    }

    /// Where the READ stands that is answered plainly with so many bytes, and where they go; `None`: it is another answer.
    fn read_by(
        &self,
        header: &AnswerHeader,
        head: &[u8; READ_HEAD_BYTES],
        count: usize,
    ) -> Option<(usize, SlotRange)> {
        let fields = Fields(&head[HEADER_BYTES..]);
        let is_plain = header.next == 0
            && fields.u8(2) == Some(READ_HEAD_BYTES as u8)
            && fields.u32(4) == Some(count as u32)
            && header.status == Status::SUCCESS
            && header.command == Command::Read as u16
            && header.session_id == self.session_id;
        let at = self
            .pending
            .iter()
            .position(|pending| pending.message_id == header.message_id)?;
        let sink = self.pending[at]
            .sink
            .filter(|sink| is_plain && sink.len as usize >= count)?;
        let range = SlotRange {
            len: count as u32,
            ..sink
        };
        Some((at, range))
    }

    /// All data of a READ has come.
    fn finish_direct<S: Slots>(&mut self, direct: Direct, slots: &mut S) -> SmbResult<Answer> {
        let Direct {
            pending,
            header,
            head,
            range,
            opening,
            ..
        } = direct;
        self.inbox.direct_reads -= u32::from(is_direct(&pending));
        let sealed = opening.is_some();
        match opening {
            Some(mut opening) => {
                opening.decrypt(slots.bytes_mut(range));
                opening.end()?;
            }
            None => self.verify(&header, &head, slots.bytes(range))?,
        }
        self.grant(header.credits);
        Ok(answer(&pending, header, sealed, range.len, 0..0))
    }

    /// Takes the next message of a frame; `None` for one that is no answer to be handed on.
    fn take_message<S: Slots>(
        &mut self,
        range: Range<usize>,
        sealed: bool,
        slots: &mut S,
    ) -> SmbResult<Option<Answer>> {
        let frame = &self.inbox.bytes[range.clone()];
        let header = AnswerHeader::read(frame)?;
        let len = message_len(frame.len(), header.next)?;
        let message = range.start..range.start + len;
        if len < frame.len() {
            self.inbox.state = State::Messages {
                range: message.end..range.end,
                sealed,
            };
        }
        self.grant(header.credits);
        // An oplock or lease break, or another notice: nothing is held here that could be broken.
        if header.message_id == u64::MAX {
            self.took_idle()?;
            return Ok(None);
        }
        let at = self.pending_index(&header)?;
        if header.status == Status::PENDING {
            if !header.is_async {
                return Err(Fault::Garbage(Statement::new("smb-pending-without-number")));
            }
            self.counts.pending_answers += 1;
            self.took_idle()?;
            return Ok(None);
        }
        if [Status::USER_SESSION_DELETED, Status(0xC000_035C)].contains(&header.status) {
            let status = header.status.to_string();
            return Err(Fault::Lost(
                Statement::new("smb-session-ended").name("status", status),
            ));
        }
        let bytes = &self.inbox.bytes[message.clone()];
        if !sealed {
            self.verify(&header, bytes, &[])?;
        }
        let pending = self.pending[at];
        self.pending.remove(at);
        self.inbox.direct_reads -= u32::from(is_direct(&pending));
        let moved = if header.status.is_success() {
            self.moved(&pending, message.clone(), slots)?
        } else {
            0
        };
        Ok(Some(answer(&pending, header, sealed, moved, message)))
    }

    /// Where the request stands that an answer belongs to.
    fn pending_index(&self, header: &AnswerHeader) -> SmbResult<usize> {
        if header.session_id != self.session_id && header.session_id != 0 && !self.in_login {
            let session = format!("{:#x}", header.session_id);
            return Err(Fault::Garbage(
                Statement::new("smb-answer-of-another-session").name("session", session),
            ));
        }
        let is_requested = |pending: &Pending| {
            pending.message_id == header.message_id && pending.command as u16 == header.command
        };
        self.pending.iter().position(is_requested).ok_or_else(|| {
            let message = header.message_id.to_string();
            Fault::Garbage(Statement::new("smb-answer-was-not-asked").name("message", message))
        })
    }

    /// Bytes that a READ or WRITE moved; those of a READ are copied to their slot.
    fn moved<S: Slots>(
        &self,
        pending: &Pending,
        message: Range<usize>,
        slots: &mut S,
    ) -> SmbResult<u32> {
        let body = &self.inbox.bytes[message.start + HEADER_BYTES..message.end];
        let fields = Fields(body);
        match pending.command {
            Command::Read => {
                let bytes = part("READ", || {
                    data(body, usize::from(fields.u8(2)?), fields.u32(4)? as usize)
                })?;
                let Some(sink) = pending.sink else {
                    return Ok(bytes.len() as u32);
                };
                if bytes.len() > sink.len as usize {
                    return Err(Fault::read_too_long(bytes.len(), sink.len));
                }
                slots
                    .bytes_mut(SlotRange {
                        len: bytes.len() as u32,
                        ..sink
                    })
                    .copy_from_slice(bytes);
                Ok(bytes.len() as u32)
            }
            Command::Write => part("WRITE", || {
                fields.u32(4).filter(|count| *count <= pending.bytes)
            }),
            _ => Ok(0),
        }
    }

    /// Checks a signature where messages are signed.
    fn verify(&self, header: &AnswerHeader, message: &[u8], data: &[u8]) -> SmbResult<()> {
        match &self.signer {
            Some(signer) if self.signs && !signer.has_signed(message, data) => {
                Err(Fault::tampered(
                    Statement::new("smb-answer-not-signed")
                        .name("status", header.status.to_string()),
                ))
            }
            _ => Ok(()),
        }
    }

    fn grant(&mut self, credits: u16) {
        self.credits = (self.credits + u32::from(credits)).min(u32::from(u16::MAX));
        self.counts.credits_granted += u64::from(credits);
    }
}

/// Bytes of a message at the beginning of what is left of a frame; `next`: its offset of the next one.
fn message_len(frame_bytes: usize, next: usize) -> SmbResult<usize> {
    match next {
        0 => Ok(frame_bytes),
        next if next >= HEADER_BYTES && next < frame_bytes => Ok(next),
        next => Err(Fault::Garbage(
            Statement::new("smb-message-points-beyond")
                .count("next", next as u64)
                .count("bytes", frame_bytes as u64),
        )),
    }
}

fn answer(
    pending: &Pending,
    header: AnswerHeader,
    was_sealed: bool,
    moved: u32,
    range: Range<usize>,
) -> Answer {
    let Pending {
        tag,
        command,
        bytes: requested,
        sent,
        handed_over,
        ..
    } = *pending;
    Answer {
        tag,
        command,
        status: header.status,
        moved,
        requested,
        sent,
        handed_over,
        arrived: None,
        header,
        was_sealed,
        range,
    }
}
