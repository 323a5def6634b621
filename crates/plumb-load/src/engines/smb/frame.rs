//! How do several requests of one operation go out together?

use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{RequestHead, SlotRange, Slots};
use crate::shares::smb::fault::SmbResult;
use crate::shares::smb::frame_builder::FrameBuilder;

/// One frame of requests for a slot.
pub(super) struct Frame<'a> {
    pub(super) slot: u32,
    connection: &'a mut Connection,
    requests: u32,
}

impl<'a> Frame<'a> {
    pub(super) fn new(slot: u32, connection: &'a mut Connection) -> Frame<'a> {
        Frame {
            slot,
            connection,
            requests: 0,
        }
    }

    /// The credits for requests of so many bytes are there.
    pub(super) fn affords(&self, bytes: &[u32]) -> bool {
        bytes
            .iter()
            .map(|bytes| self.connection.charge(*bytes))
            .sum::<u32>()
            <= self.connection.credits()
    }

    pub(super) fn request(
        &mut self,
        command: Command,
        bytes: u32,
        sink: Option<SlotRange>,
    ) -> &mut FrameBuilder {
        self.requests += 1;
        self.connection.begin(RequestHead {
            command,
            bytes,
            tag: self.slot,
            sink,
        })
    }

    /// Puts it to what is to be sent; how many answers are due.
    pub(super) fn end<S: Slots>(self, slots: &S) -> SmbResult<u32> {
        self.connection.end(None, slots)?;
        Ok(self.requests)
    }
}
