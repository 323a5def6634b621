//! What is still to be sent? Frames in order, data straight from the slots, as much at once as the socket takes.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Write};
use std::net::TcpStream;
use std::ops::Range;

use plumb_model::statement::Statement;

use crate::shares::smb::connection::exchange::{SlotRange, Slots};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::protect::{Sealer, TRANSFORM_BYTES};

/// Pieces given to the kernel at once.
const PIECES_AT_ONCE: usize = 16;

/// A piece of what is to be sent.
enum Piece {
    /// Of the outbox's own bytes.
    Own(Range<usize>),
    /// Data of a slot, which stays untouched until its answer has come.
    Slot(SlotRange),
}

/// Frames on their way out.
#[derive(Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    end: usize,
    pieces: VecDeque<Piece>,
    /// Bytes that the socket took since the connection began, and those that it is still to take.
    pub sent_bytes: u64,
    left_bytes: u64,
}

impl Outbox {
    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Where the last frame ends among all bytes of the connection.
    pub fn end(&self) -> u64 {
        self.sent_bytes + self.left_bytes
    }

    /// Room for so many bytes at the end. Grows at first, and is used again from then on.
    fn room(&mut self, count: usize) -> Range<usize> {
        let range = self.end..self.end + count;
        self.left_bytes += count as u64;
        if self.bytes.len() < range.end {
            self.bytes.resize(range.end.next_power_of_two(), 0);
        }
        self.end = range.end;
        match self.pieces.back_mut() {
            Some(Piece::Own(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push_back(Piece::Own(range.clone())),
        }
        range
    }

    /// A frame in the clear: these bytes, then the data.
    pub fn plain(&mut self, message: &[u8], data: Option<SlotRange>) {
        let len = message.len() + data.map_or(0, |range| range.len as usize);
        let room = self.room(4 + message.len());
        let frame = &mut self.bytes[room];
        frame[..4].copy_from_slice(&(len as u32).to_be_bytes());
        frame[4..].copy_from_slice(message);
        self.left_bytes += data.map_or(0, |range| u64::from(range.len));
        self.pieces.extend(data.map(Piece::Slot));
    }

    /// An encrypted frame of these bytes and the data.
    ///
    /// # Errors
    /// As [`Sealer::seal`].
    pub fn sealed(&mut self, sealer: &mut Sealer, message: &[u8], data: &[u8]) -> SmbResult<()> {
        let len = TRANSFORM_BYTES + message.len() + data.len();
        let room = self.room(4 + len);
        let frame = &mut self.bytes[room];
        frame[..4].copy_from_slice(&(len as u32).to_be_bytes());
        let frame = &mut frame[4..];
        frame[TRANSFORM_BYTES..TRANSFORM_BYTES + message.len()].copy_from_slice(message);
        sealer.seal(frame, data)
    }

    /// Sends what the socket takes without waiting. `true`: nothing is left.
    ///
    /// # Errors
    /// A connection that failed.
    pub fn send<S: Slots>(&mut self, mut socket: &TcpStream, slots: &S) -> SmbResult<bool> {
        while !self.pieces.is_empty() {
            let mut slices = [IoSlice::new(&[]); PIECES_AT_ONCE];
            let mut count = 0;
            for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
                *slice = IoSlice::new(match piece {
                    Piece::Own(range) => &self.bytes[range.clone()],
                    Piece::Slot(range) => slots.bytes(*range),
                });
                count += 1;
            }
            match socket.write_vectored(&slices[..count]) {
                Ok(0) => return Err(Fault::Lost(Statement::new("smb-connection-closed"))),
                Ok(sent) => {
                    self.sent_bytes += sent as u64;
                    self.left_bytes -= sent as u64;
                    self.advance(sent);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::io(&error)),
            }
        }
        self.end = 0;
        Ok(true)
    }

    /// So many bytes are sent.
    fn advance(&mut self, mut sent: usize) {
        while let Some(piece) = self.pieces.front_mut() {
            let len = match piece {
                Piece::Own(range) => range.len(),
                Piece::Slot(range) => range.len as usize,
            };
            if sent < len {
                match piece {
                    Piece::Own(range) => range.start += sent,
                    Piece::Slot(range) => {
                        range.offset += sent as u32;
                        range.len -= sent as u32;
                    }
                }
                return;
            }
            sent -= len;
            self.pieces.pop_front();
        }
    }
}
