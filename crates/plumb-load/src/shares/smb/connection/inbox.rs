//! What has come from the server? Frames are taken apart; the data of large reads goes straight to its slot.

use std::io::{self, IoSliceMut};
use std::net::TcpStream;
use std::ops::Range;
use std::time::SystemTime;

use plumb_model::statement::Statement;

use crate::shares::smb::answer::AnswerHeader;
use crate::shares::smb::connection::exchange::{Pending, SlotRange, Slots};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::HEADER_BYTES;
use crate::shares::smb::protect::{Opening, TRANSFORM_BYTES};
use crate::system::arrivals::{Received, discard, receive};

/// Bytes read at once when answers are small.
const WINDOW_BYTES: usize = 32 << 10;
/// Bytes before the data of a READ's answer (MS-SMB2 2.2.20).
pub(in crate::shares::smb) const READ_HEAD_BYTES: usize = HEADER_BYTES + 16;
/// A READ of at least so many bytes is received straight into its slot.
pub(in crate::shares::smb) const DIRECT_FROM_BYTES: u32 = 16 << 10;
/// What a frame may hold beside the data of one request.
const FRAME_SLACK_BYTES: usize = 64 << 10;

/// Data of a READ that is being received into its slot.
pub(in crate::shares::smb) struct Direct {
    pub(in crate::shares::smb) pending: Pending,
    pub(in crate::shares::smb) header: AnswerHeader,
    /// Header and fixed part of the answer, decrypted.
    pub(in crate::shares::smb) head: [u8; READ_HEAD_BYTES],
    pub(in crate::shares::smb) range: SlotRange,
    pub(in crate::shares::smb) received: u32,
    pub(in crate::shares::smb) opening: Option<Opening>,
}

/// Where in the stream of frames the inbox is.
pub(in crate::shares::smb) enum State {
    /// Between two frames.
    Between,
    /// In a frame that is completely received: its next message, and its end.
    Messages {
        range: Range<usize>,
        sealed: bool,
    },
    Direct(Box<Direct>),
}

/// What was received and not taken yet.
pub struct Inbox {
    pub(in crate::shares::smb) bytes: Vec<u8>,
    pub(in crate::shares::smb) start: usize,
    pub(in crate::shares::smb) end: usize,
    pub(in crate::shares::smb) state: State,
    /// Bytes of the frame that is incomplete, with its length field.
    pub(in crate::shares::smb) missing: usize,
    /// Reads in flight that go straight to their slots.
    pub(in crate::shares::smb) direct_reads: u32,
    /// Bytes received of long replies since the last check.
    pub amid_bytes: usize,
    /// The longest frame that a server may send.
    pub frame_max_bytes: usize,
    /// Bytes that came since the connection began.
    pub received_bytes: u64,
    /// When the last of them reached the machine, if the system reports it.
    pub arrived: Option<SystemTime>,
    /// Data that would be received into its slot is discarded in the kernel.
    pub discards: bool,
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
            received_bytes: 0,
            arrived: None,
            discards: false,
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
    pub fn fill<S: Slots>(&mut self, socket: &TcpStream, slots: &mut S) -> SmbResult<bool> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        // While data of reads is expected, only as much as a head: the rest shall not be copied.
        let head = 4 + TRANSFORM_BYTES + READ_HEAD_BYTES;
        let needed = if self.direct_reads > 0 {
            head
        } else {
            WINDOW_BYTES
        }
        .max(self.missing);
        if self.bytes.len() < self.end + needed {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            self.bytes
                .resize((self.end + needed).max(self.bytes.len()), 0);
        }
        let (end, room) = (self.end, self.end..self.end + needed);
        let result = loop {
            match self.receive(socket, slots, room.clone()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        match result {
            Ok(received) if received.bytes == 0 => {
                Err(Fault::Lost(Statement::new(if self.is_amid() {
                    "smb-server-closed-amid-a-message"
                } else {
                    "smb-server-closed"
                })))
            }
            Ok(received) => {
                let mut count = received.bytes;
                self.arrived = received.arrived;
                self.received_bytes += count as u64;
                if self.missing > 0 || matches!(self.state, State::Direct(_)) {
                    self.amid_bytes += count;
                }
                if let State::Direct(direct) = &mut self.state {
                    let into_slot = count.min((direct.range.len - direct.received) as usize);
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

    /// Receives what belongs to a slot there, or discards it, and the rest where there is room.
    fn receive<S: Slots>(
        &mut self,
        socket: &TcpStream,
        slots: &mut S,
        room: Range<usize>,
    ) -> io::Result<Received> {
        let behind = &mut self.bytes[room];
        let State::Direct(direct) = &self.state else {
            return receive(socket, &mut [IoSliceMut::new(behind)]);
        };
        let rest = SlotRange {
            offset: direct.range.offset + direct.received,
            len: direct.range.len - direct.received,
            ..direct.range
        };
        let into_slot = slots.bytes_mut(rest);
        if self.discards {
            // What follows is wanted, and comes with the next call.
            return discard(socket, into_slot);
        }
        let parts = &mut [IoSliceMut::new(into_slot), IoSliceMut::new(behind)];
        receive(socket, parts)
    }

    /// Bytes of data that are missing of the answer that has begun to come.
    pub fn missing_bytes(&self) -> usize {
        match &self.state {
            State::Direct(direct) => (direct.range.len - direct.received) as usize,
            _ => 0,
        }
    }

    /// A part of a message has come.
    pub fn is_amid(&self) -> bool {
        self.start < self.end || matches!(self.state, State::Direct(_))
    }
}

/// True when the data is received straight into its slot.
pub(in crate::shares::smb) fn is_direct(pending: &Pending) -> bool {
    pending
        .sink
        .is_some_and(|sink| sink.len >= DIRECT_FROM_BYTES)
}
