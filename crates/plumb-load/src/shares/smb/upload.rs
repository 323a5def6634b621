//! How is a file on a share filled? In one frame where it is small, else by several writes at once.

use std::time::Duration;

use crate::share::NextPiece;
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{NoSlots, Reply, RequestHead, SlotRange, Slots};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::{FileHandle, Opening};
use crate::shares::smb::session::Channel;

/// Requests in flight when a file is filled, and the most that each of them carries.
pub(super) const FILL_DEPTH: u32 = 8;
pub(super) const FILL_BYTES: u32 = 1 << 20;

/// Buffers of the requests that fill a file.
pub(super) struct Pieces(pub(super) Vec<u8>);

impl Slots for Pieces {
    fn bytes(&self, range: SlotRange) -> &[u8] {
        let from = range.slot as usize * FILL_BYTES as usize + range.offset as usize;
        &self.0[from..from + range.len as usize]
    }

    fn bytes_mut(&mut self, range: SlotRange) -> &mut [u8] {
        let from = range.slot as usize * FILL_BYTES as usize + range.offset as usize;
        &mut self.0[from..from + range.len as usize]
    }
}

/// Sends the requests that `lay_out` begins, as one frame, and waits for the answers; all of them are successes.
pub(super) fn frame(
    connection: &mut Connection,
    lay_out: impl FnOnce(&mut Connection),
) -> SmbResult<Vec<Reply>> {
    lay_out(connection);
    connection.end(None, &NoSlots)?;
    let replies = connection.replies(&mut NoSlots)?;
    for reply in &replies {
        let status = reply.header.status;
        if !status.is_success() {
            let command = Command::ALL
                .into_iter()
                .find(|command| *command as u16 == reply.header.command)
                .unwrap_or(Command::Create);
            return Err(Fault::Status(command, status));
        }
    }
    Ok(replies)
}

pub(super) fn close(connection: &mut Connection, file: FileHandle) -> SmbResult<()> {
    frame(connection, |connection| {
        connection
            .begin(RequestHead::plain(Command::Close))
            .close(file)
    })
    .map(drop)
}

/// Makes a small file in one frame: made, written, flushed, closed.
pub(super) fn make_small(connection: &mut Connection, path: &str, data: &[u8]) -> SmbResult<()> {
    let len = data.len() as u32;
    let replies = frame(connection, |connection| {
        connection
            .begin(RequestHead::plain(Command::Create))
            .create(Opening::NEW, path);
        if len > 0 {
            let draft = connection.begin(RequestHead {
                bytes: len,
                ..RequestHead::plain(Command::Write)
            });
            draft.write(FileHandle::RELATED, 0, len, false);
            draft.raw(data);
        }
        connection
            .begin(RequestHead::plain(Command::Flush))
            .flush(FileHandle::RELATED);
        connection
            .begin(RequestHead::plain(Command::Close))
            .close(FileHandle::RELATED);
    })?;
    let moved: u32 = replies.iter().map(|reply| reply.moved).sum();
    if moved < len {
        Err(Fault::written_in_part(moved, len))
    } else {
        Ok(())
    }
}

/// Fills a part of an open file, several requests at once, flushes and closes it. `false`: `next` stopped it.
pub(super) fn fill(
    channel: &mut Channel,
    pieces: &mut Pieces,
    file: FileHandle,
    range: std::ops::Range<u64>,
    next: NextPiece<'_>,
) -> SmbResult<bool> {
    let piece_bytes = FILL_BYTES.min(channel.agreed.write_max_bytes);
    let connection = &mut channel.connection;
    let mut free: Vec<u32> = (0..FILL_DEPTH).collect();
    let (mut at, mut goes_on, mut failure) = (range.start, true, None);
    loop {
        while goes_on && failure.is_none() && at < range.end {
            let left = (range.end - at).min(u64::from(piece_bytes)) as u32;
            let len = connection.affordable(left);
            // A server that grants less than a piece needs gets smaller ones, once waiting yields nothing more.
            if len == 0 || (len < left && connection.due() > 0) {
                break;
            }
            let Some(slot) = free.pop() else { break };
            let piece = SlotRange {
                slot,
                offset: 0,
                len,
            };
            goes_on = next(at, pieces.bytes_mut(piece));
            if !goes_on {
                break;
            }
            let head = RequestHead {
                bytes: piece.len,
                tag: slot,
                ..RequestHead::plain(Command::Write)
            };
            connection.begin(head).write(file, at, piece.len, false);
            connection.end(Some(piece), pieces)?;
            connection.send(pieces)?;
            at += u64::from(piece.len);
        }
        if connection.due() == 0 {
            break;
        }
        connection.send(pieces)?;
        match connection.next(true, pieces)? {
            Some(answer) if !answer.status.is_success() => {
                failure = failure.or(Some(Fault::Status(Command::Write, answer.status)))
            }
            Some(answer) if answer.moved < answer.requested => {
                failure = failure.or(Some(Fault::written_in_part(answer.moved, answer.requested)));
            }
            Some(answer) => free.push(answer.tag),
            None => connection.wait(Duration::from_secs(1))?,
        }
    }
    if failure.is_none() && goes_on && at < range.end {
        return Err(Fault::no_credits());
    }
    if failure.is_none() && goes_on {
        failure = frame(connection, |connection| {
            connection
                .begin(RequestHead::plain(Command::Flush))
                .flush(file)
        })
        .err();
    }
    let closed = close(connection, file);
    failure.map_or(closed, Err).map(|()| goes_on)
}
