//! What do a request and its answer consist of, on their way over a connection?

use std::ops::Range;
use std::time::{Instant, SystemTime};

use crate::shares::smb::answer::AnswerHeader;
use crate::shares::smb::command::Command;
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::HEADER_BYTES;
use crate::shares::smb::status::Status;

/// Part of a slot's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotRange {
    pub slot: u32,
    pub offset: u32,
    pub len: u32,
}

/// Where the data of requests and answers lies.
pub trait Slots {
    /// The bytes of a part.
    fn bytes(&self, range: SlotRange) -> &[u8];

    /// The same, to be filled.
    fn bytes_mut(&mut self, range: SlotRange) -> &mut [u8];
}

/// For exchanges without data.
pub struct NoSlots;

impl Slots for NoSlots {
    fn bytes(&self, _: SlotRange) -> &[u8] {
        &[]
    }

    fn bytes_mut(&mut self, _: SlotRange) -> &mut [u8] {
        &mut []
    }
}

/// A request as its sender describes it; the body is laid out in the connection's draft.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead {
    pub command: Command,
    /// Bytes that it moves in either direction; they decide what it costs in credits.
    pub bytes: u32,
    /// Comes back with the answer.
    pub tag: u32,
    /// Where the data of a READ goes.
    pub sink: Option<SlotRange>,
}

impl RequestHead {
    /// A request without bulk data.
    pub fn plain(command: Command) -> RequestHead {
        RequestHead {
            command,
            bytes: 0,
            tag: 0,
            sink: None,
        }
    }
}

/// A request that waits for its answer.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    pub message_id: u64,
    pub command: Command,
    pub tag: u32,
    pub bytes: u32,
    pub sink: Option<SlotRange>,
    pub sent: Instant,
    /// Where its frame ends among all bytes that are sent; missing while the frame is in the making.
    pub end: Option<u64>,
    /// When the socket had taken its last byte.
    pub handed_over: Option<Instant>,
}

/// A reply. Its bytes are those of the connection's message until the next receive.
#[derive(Debug, Clone)]
pub struct Answer {
    pub tag: u32,
    pub command: Command,
    pub status: Status,
    /// Bytes read or written, of those requested.
    pub moved: u32,
    pub requested: u32,
    /// When the request was laid out, and when the socket had taken its last byte.
    pub sent: Instant,
    pub handed_over: Option<Instant>,
    /// When the last bytes that were received with it reached the machine, if the system reports it.
    pub arrived: Option<SystemTime>,
    pub header: AnswerHeader,
    /// It came encrypted.
    pub was_sealed: bool,
    pub(in crate::shares::smb) range: Range<usize>,
}

/// A complete reply, for exchanges that wait.
#[derive(Debug)]
pub struct Reply {
    pub header: AnswerHeader,
    /// It came encrypted.
    pub was_sealed: bool,
    pub moved: u32,
    /// Header and body.
    pub message: Vec<u8>,
}

impl Reply {
    /// What follows the header.
    pub fn body(&self) -> &[u8] {
        self.message.get(HEADER_BYTES..).unwrap_or_default()
    }

    /// The answer, if it is a success.
    ///
    /// # Errors
    /// The server's status.
    pub fn success(self, command: Command) -> SmbResult<Reply> {
        if self.header.status.is_success() {
            Ok(self)
        } else {
            Err(Fault::Status(command, self.header.status))
        }
    }
}

/// What was counted on a connection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub credits_granted: u64,
    /// Interim answers: the server takes longer.
    pub pending_answers: u64,
}
