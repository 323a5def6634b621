//! What has come from the server? Frames are taken apart; the data of large reads goes straight to its slot.

use std::io::{self, IoSliceMut, Read};
use std::net::TcpStream;
use std::ops::Range;

use super::answer::{AnswerHeader, Fields, data, part};
use super::command::Command;
use super::connection::{Answer, Connection, Pending, Place, Slots};
use super::draft::HEADER_BYTES;
use super::fault::{Fault, Outcome};
use super::protect::{Opening, TRANSFORM_BYTES};
use super::status::Status;

/// Bytes read at once when answers are small.
const WINDOW_BYTES: usize = 32 << 10;
/// Bytes before the data of a READ's answer (MS-SMB2 2.2.20).
const READ_HEAD_BYTES: usize = HEADER_BYTES + 16;
/// A READ of at least so many bytes is received straight into its slot.
const DIRECT_FROM_BYTES: u32 = 4 << 10;
/// What a frame may hold beside the data of one request.
const FRAME_SLACK_BYTES: usize = 64 << 10;

/// Data of a READ that is being received into its slot.
struct Direct {
    pending: Pending,
    header: AnswerHeader,
    /// Header and fixed part of the answer, decrypted.
    head: [u8; READ_HEAD_BYTES],
    place: Place,
    received: u32,
    opening: Option<Opening>,
}

/// What the beginning of a frame turned out to be.
enum Head {
    /// The answer to a READ: its data is received into the slot from now on.
    Taken,
    Incomplete,
    OfAnother,
}

enum State {
    /// Between two frames.
    Between,
    /// In a frame that is there whole: its next message, and its end.
    Messages {
        range: Range<usize>,
        sealed: bool,
    },
    Direct(Box<Direct>),
}

/// What was received and not taken yet.
pub struct Inbox {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    state: State,
    /// Bytes of the frame that is incomplete, with its length field.
    missing: usize,
    /// Reads in flight that go straight to their slots.
    direct_reads: u32,
    /// Bytes received of long answers since somebody looked.
    pub amid_bytes: usize,
    /// The longest frame that a server may send.
    pub frame_max_bytes: usize,
}

impl Default for Inbox {
    fn default() -> Self {
        let bytes = vec![0; WINDOW_BYTES];
        let state = State::Between;
        Inbox {
            bytes,
            start: 0,
            end: 0,
            state,
            missing: 0,
            direct_reads: 0,
            amid_bytes: 0,
            frame_max_bytes: 2 * FRAME_SLACK_BYTES,
        }
    }
}

impl Inbox {
    /// Frames may carry so much data from now on.
    pub fn allow(&mut self, data_bytes: u32) {
        self.frame_max_bytes = data_bytes as usize + 2 * FRAME_SLACK_BYTES;
    }

    /// Bytes of a message that was taken.
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// A request goes out.
    pub fn expect(&mut self, pending: &Pending) {
        self.direct_reads += u32::from(is_direct(pending));
    }

    /// Receives what is there, without waiting. `false`: nothing is there.
    ///
    /// # Errors
    /// A connection that is closed or failed.
    pub fn fill<S: Slots>(&mut self, mut socket: &TcpStream, slots: &mut S) -> Outcome<bool> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        // While data of reads is expected, only as much as a head: the rest shall not be copied.
        let head = 4 + TRANSFORM_BYTES + READ_HEAD_BYTES;
        let wanted = if self.direct_reads > 0 {
            head
        } else {
            WINDOW_BYTES
        }
        .max(self.missing);
        if self.bytes.len() < self.end + wanted {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            self.bytes
                .resize((self.end + wanted).max(self.bytes.len()), 0);
        }
        let (end, room) = (self.end, self.end..self.end + wanted);
        let result = loop {
            let result = match &mut self.state {
                State::Direct(direct) => {
                    let rest = Place {
                        offset: direct.place.offset + direct.received,
                        len: direct.place.len - direct.received,
                        ..direct.place
                    };
                    socket.read_vectored(&mut [
                        IoSliceMut::new(slots.bytes_mut(rest)),
                        IoSliceMut::new(&mut self.bytes[room.clone()]),
                    ])
                }
                _ => socket.read(&mut self.bytes[room.clone()]),
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        match result {
            Ok(0) => Err(Fault::Lost(
                if self.is_amid() {
                    "the server closed the connection in the middle of a message"
                } else {
                    "the server closed the connection"
                }
                .into(),
            )),
            Ok(mut count) => {
                if self.missing > 0 || matches!(self.state, State::Direct(_)) {
                    self.amid_bytes += count;
                }
                if let State::Direct(direct) = &mut self.state {
                    let into_slot = count.min((direct.place.len - direct.received) as usize);
                    direct.received += into_slot as u32;
                    count -= into_slot;
                }
                self.end = end + count;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(Fault::io(&error)),
        }
    }

    /// A part of a message has come.
    pub fn is_amid(&self) -> bool {
        self.start < self.end || matches!(self.state, State::Direct(_))
    }
}

fn is_direct(pending: &Pending) -> bool {
    pending
        .sink
        .is_some_and(|sink| sink.len >= DIRECT_FROM_BYTES)
}

impl Connection {
    /// The next answer in what was received.
    pub(super) fn take_buffered<S: Slots>(&mut self, slots: &mut S) -> Outcome<Option<Answer>> {
        loop {
            match std::mem::replace(&mut self.inbox.state, State::Between) {
                State::Direct(direct) if direct.received == direct.place.len => {
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
    fn begin_frame<S: Slots>(&mut self, slots: &mut S) -> Outcome<bool> {
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
            (0, _) => return Err(Fault::garbage(format!("a frame of {len} bytes"))),
            (other, _) => return Err(Fault::garbage(format!("a frame of type 0x{other:02x}"))),
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
            return Err(Fault::garbage(
                "a message in the clear in an encrypted session",
            ));
        }
        self.inbox.state = State::Messages { range, sealed };
        Ok(true)
    }

    /// Decrypts a frame that is there whole.
    fn open_frame(&mut self, range: Range<usize>) -> Outcome<()> {
        let frame = &mut self.inbox.bytes[range];
        let Some((header, message)) = frame
            .split_first_chunk_mut::<TRANSFORM_BYTES>()
            .filter(|(_, message)| message.len() >= HEADER_BYTES)
        else {
            return Err(Fault::garbage("an encrypted frame that is too short"));
        };
        let sealer = self
            .sealer
            .as_ref()
            .ok_or_else(|| Fault::garbage("an encrypted message where none was agreed"))?;
        sealer.open(header, message)
    }

    /// Begins to receive the data of a READ straight into its slot, when the frame is such an answer.
    fn begin_direct<S: Slots>(&mut self, len: usize, slots: &mut S) -> Outcome<Head> {
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
        let fields = Fields(&head[HEADER_BYTES..]);
        let count = len - head_bytes;
        let is_whole = header.next == 0
            && fields.u8(2) == Some(READ_HEAD_BYTES as u8)
            && fields.u32(4) == Some(count as u32);
        let Some(at) = self
            .pending
            .iter()
            .position(|pending| pending.message_id == header.message_id)
        else {
            return Ok(Head::OfAnother);
        };
        let pending = self.pending[at];
        let Some(sink) = pending.sink.filter(|sink| sink.len as usize >= count) else {
            return Ok(Head::OfAnother);
        };
        if !is_whole
            || header.status != Status::SUCCESS
            || header.command != Command::Read as u16
            || header.session_id != self.session_id
        {
            return Ok(Head::OfAnother);
        }
        self.pending.remove(at);
        let place = Place {
            len: count as u32,
            ..sink
        };
        // What came with the head.
        let early = (have - 4 - head_bytes).min(count);
        let from = inbox.start + 4 + head_bytes;
        slots
            .bytes_mut(Place {
                len: early as u32,
                ..place
            })
            .copy_from_slice(&inbox.bytes[from..from + early]);
        inbox.start = from + early;
        inbox.state = State::Direct(Box::new(Direct {
            pending,
            header,
            head,
            place,
            received: early as u32,
            opening,
        }));
        Ok(Head::Taken)
    }

    /// All data of a READ has come.
    fn finish_direct<S: Slots>(&mut self, direct: Direct, slots: &mut S) -> Outcome<Answer> {
        let Direct {
            pending,
            header,
            head,
            place,
            opening,
            ..
        } = direct;
        self.inbox.direct_reads -= u32::from(is_direct(&pending));
        let sealed = opening.is_some();
        match opening {
            Some(mut opening) => {
                opening.decrypt(slots.bytes_mut(place));
                opening.end()?;
            }
            None => self.verify(&header, &head, slots.bytes(place))?,
        }
        self.grant(header.credits);
        Ok(answer(&pending, header, sealed, place.len, 0..0))
    }

    /// Takes the next message of a frame; `None` for one that is no answer to be handed on.
    fn take_message<S: Slots>(
        &mut self,
        range: Range<usize>,
        sealed: bool,
        slots: &mut S,
    ) -> Outcome<Option<Answer>> {
        let frame = &self.inbox.bytes[range.clone()];
        let header = AnswerHeader::read(frame)?;
        let len = match header.next {
            0 => frame.len(),
            next if next >= HEADER_BYTES && next < frame.len() => next,
            next => {
                return Err(Fault::garbage(format!(
                    "a message that points {next} bytes ahead, in a frame of {}",
                    frame.len()
                )));
            }
        };
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
        if header.session_id != self.session_id && header.session_id != 0 && !self.in_login {
            return Err(Fault::garbage(format!(
                "an answer of session {:#x}, which is not this one",
                header.session_id
            )));
        }
        let at = self
            .pending
            .iter()
            .position(|pending| pending.message_id == header.message_id);
        let Some(at) = at.filter(|at| self.pending[*at].command as u16 == header.command) else {
            return Err(Fault::garbage(format!(
                "an answer to message {}, which was not asked",
                header.message_id
            )));
        };
        if header.status == Status::PENDING {
            if !header.is_async {
                return Err(Fault::garbage(
                    "an answer that is to come later, but is none of those that may (STATUS_PENDING without a number)",
                ));
            }
            self.counts.pending_answers += 1;
            self.took_idle()?;
            return Ok(None);
        }
        if [Status::USER_SESSION_DELETED, Status(0xC000_035C)].contains(&header.status) {
            return Err(Fault::Lost(format!(
                "the session has ended on the server ({})",
                header.status
            )));
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

    /// Bytes that a READ or WRITE moved; those of a READ are copied to their slot.
    fn moved<S: Slots>(
        &self,
        pending: &Pending,
        message: Range<usize>,
        slots: &mut S,
    ) -> Outcome<u32> {
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
                    return Err(Fault::garbage(format!(
                        "{} bytes in answer to a READ of {}",
                        bytes.len(),
                        sink.len
                    )));
                }
                slots
                    .bytes_mut(Place {
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
    fn verify(&self, header: &AnswerHeader, message: &[u8], data: &[u8]) -> Outcome<()> {
        match &self.signer {
            Some(signer)
                if self.signs && signer.signature(true, message, data) != message[48..64] =>
            {
                Err(Fault::tampered(format!(
                    "an answer with status {} whose signature is missing or wrong",
                    header.status
                )))
            }
            _ => Ok(()),
        }
    }

    fn grant(&mut self, credits: u16) {
        self.credits = (self.credits + u32::from(credits)).min(u32::from(u16::MAX));
        self.counts.credits_granted += u64::from(credits);
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
        bytes: asked,
        sent,
        ..
    } = *pending;
    Answer {
        tag,
        command,
        status: header.status,
        moved,
        asked,
        sent,
        header,
        was_sealed,
        range,
    }
}
