//! Which requests does one operation need, and what follows from the replies?

use std::time::{Duration, Instant};

use plumb_model::workload::OperationKind;

use super::connection::WorkerConnection;
use super::frame::Frame;
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Op, Outcome};
use crate::feed::live_files::LiveFiles;
use crate::shares::smb::answer::Created;
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::Connection;
use crate::shares::smb::connection::exchange::{Answer, RequestHead, SlotRange, Slots};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::{FileHandle, HEADER_BYTES};
use crate::shares::smb::status::Status;

/// Where an operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The slot is free.
    Rest,
    /// Blocks of the open file, or of a file that was opened for this operation.
    Blocks,
    /// All of it in one frame.
    Frame,
    /// A file is opened whose data goes in requests of its own.
    Opening,
    /// A folder is listed.
    Listing,
    /// The folder of a new name is made.
    Folder,
    Closing,
}

/// Result of sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Sent,
    NeedsCredits,
    Done(Outcome),
}

/// What follows a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Other replies are due.
    More,
    /// More requests are to be sent.
    SendMore,
    Done(Outcome),
}

/// One slot's operation.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    pub(super) op: Op,
    pub(super) stage: Stage,
    /// Answers that are due.
    pub(super) due: u32,
    /// Bytes requested so far, and transferred.
    pub(super) requested: u32,
    moved: u32,
    /// First failure.
    status: Status,
    pub(super) file: FileHandle,
    made_folder: bool,
    /// It has waited for credits.
    pub waited: bool,
    /// Since when it waits for the credits of its first request.
    pub waits_since: Option<Instant>,
    /// When the first request was laid out that has its answer.
    first_sent: Option<Instant>,
    /// Requests that its block went out in.
    requests: u32,
}

impl Work {
    /// A slot without an operation.
    pub fn none() -> Work {
        let op = Op {
            offset: 0,
            len: 0,
            slot: 0,
            file: 0,
            kind: OperationKind::Read,
            priority: 0,
        };
        Work::of(op, Stage::Rest)
    }

    fn of(op: Op, stage: Stage) -> Work {
        Work {
            op,
            stage,
            due: 0,
            requested: 0,
            moved: 0,
            status: Status::SUCCESS,
            file: FileHandle::RELATED,
            made_folder: false,
            waited: false,
            waits_since: None,
            first_sent: None,
            requests: 0,
        }
    }
}

fn is_block(kind: OperationKind) -> bool {
    matches!(kind, OperationKind::Read | OperationKind::Write)
}

impl Work {
    /// Takes an operation.
    pub fn begin(&mut self, op: Op, slot_bytes: usize) {
        let len = match op.kind {
            // The length of the file is not known: as much as the slot holds.
            OperationKind::ReadFile if op.len == 0 => slot_bytes as u32,
            _ => op.len,
        };
        let op = Op { len, ..op };
        *self = Work::of(
            op,
            if is_block(op.kind) {
                Stage::Blocks
            } else {
                Stage::Frame
            },
        );
    }

    /// The slot is free again.
    pub fn rest(&mut self) {
        self.stage = Stage::Rest;
    }

    /// How long something of it has been on its way, up to `now`.
    pub fn on_wire(&self, now: Instant) -> Duration {
        self.first_sent
            .map_or(Duration::ZERO, |sent| now.saturating_duration_since(sent))
    }

    /// Its block went out in several requests.
    pub fn was_split(&self) -> bool {
        self.requests > 1
    }

    /// An operation is there.
    pub fn is_busy(&self) -> bool {
        self.stage != Stage::Rest
    }

    /// A request of it was sent.
    pub fn was_sent(&self) -> bool {
        self.due > 0
            || self.requested > 0
            || self.made_folder
            || !matches!(self.stage, Stage::Blocks | Stage::Frame)
    }

    /// Numbers of the files by name that it works on; a listing works on none in particular.
    fn files(&self) -> Option<(u64, u64)> {
        let kind = self.op.kind;
        let is_by_name = self.is_busy() && kind.is_file_operation() && kind != OperationKind::List;
        is_by_name.then(|| {
            (
                self.op.offset,
                self.op.offset
                    + if kind == OperationKind::Rename {
                        u64::from(self.op.len)
                    } else {
                        0
                    },
            )
        })
    }

    /// Both work on one file.
    pub fn shares_file(&self, other: &Work) -> bool {
        match (self.files(), other.files()) {
            (Some((a, b)), Some((c, d))) => a == c || a == d || b == c || b == d,
            _ => false,
        }
    }

    /// Sends the next requests, as far as credits allow.
    pub fn send_next<S: Slots>(
        &mut self,
        slot: u32,
        line: &mut WorkerConnection,
        slots: &mut S,
        files: Option<&LiveFiles>,
    ) -> SmbResult<Step> {
        match self.stage {
            Stage::Rest => Ok(Step::Sent),
            Stage::Blocks => self.send_blocks(slot, line, slots),
            Stage::Frame if self.op.kind == OperationKind::Flush => {
                self.send_flush(slot, line, slots)
            }
            Stage::Closing => self.send_close(slot, &mut line.channel.connection, slots),
            Stage::Frame | Stage::Opening | Stage::Listing | Stage::Folder => {
                let Some(files) = files else {
                    return Ok(Step::Done(Outcome::failed(FailureKind::Invalid)));
                };
                let path = files.path(self.op.offset);
                self.send_by_name(slot, &path, line, slots, files)
            }
        }
    }

    fn send_flush<S: Slots>(
        &mut self,
        slot: u32,
        line: &mut WorkerConnection,
        slots: &mut S,
    ) -> SmbResult<Step> {
        let Some(file) = line.file else {
            return Ok(Step::Done(Outcome::failed(FailureKind::BadFile)));
        };
        let mut frame = Frame::new(slot, &mut line.channel.connection);
        if !frame.affords(&[0]) {
            return Ok(Step::NeedsCredits);
        }
        frame.request(Command::Flush, 0, None).flush(file);
        self.due += frame.end(slots)?;
        Ok(Step::Sent)
    }

    fn send_close<S: Slots>(
        &mut self,
        slot: u32,
        connection: &mut Connection,
        slots: &mut S,
    ) -> SmbResult<Step> {
        let mut frame = Frame::new(slot, connection);
        if !frame.affords(&[0]) {
            return Ok(Step::NeedsCredits);
        }
        frame.request(Command::Close, 0, None).close(self.file);
        self.due += frame.end(slots)?;
        Ok(Step::Sent)
    }

    /// The block, or what is left of it, in requests that the server takes.
    fn send_blocks<S: Slots>(
        &mut self,
        slot: u32,
        line: &mut WorkerConnection,
        slots: &mut S,
    ) -> SmbResult<Step> {
        let writes = matches!(self.op.kind, OperationKind::Write | OperationKind::Create);
        let (file, offset) = if is_block(self.op.kind) {
            (line.file, self.op.offset)
        } else {
            (Some(self.file), 0)
        };
        let Some(file) = file.filter(|_| !writes || line.is_writable || !is_block(self.op.kind))
        else {
            return Ok(Step::Done(Outcome::failed(FailureKind::BadFile)));
        };
        let agreed = &line.channel.agreed;
        let max = if writes {
            agreed.write_max_bytes
        } else {
            agreed.read_max_bytes
        };
        let connection = &mut line.channel.connection;
        while self.requested < self.op.len {
            let mut len = (self.op.len - self.requested).min(max);
            if connection.credits() < connection.charge(len) {
                if connection.due() > 0 {
                    return Ok(Step::NeedsCredits);
                }
                // A server that grants less than one request needs gets smaller ones.
                len = connection.affordable(len);
                if len == 0 {
                    return Err(Fault::no_credits());
                }
            }
            let range = SlotRange {
                slot,
                offset: self.requested,
                len,
            };
            let at = offset + u64::from(self.requested);
            let sink = (!writes).then_some(range);
            let command = if writes {
                Command::Write
            } else {
                Command::Read
            };
            let draft = connection.begin(RequestHead {
                command,
                bytes: len,
                tag: slot,
                sink,
            });
            if writes {
                draft.write(file, at, len, line.writes_through)
            } else {
                draft.read(file, at, len)
            }
            connection.end(writes.then_some(range), slots)?;
            self.requested += len;
            self.due += 1;
            self.requests += 1;
        }
        Ok(Step::Sent)
    }

    /// Takes an answer; `message` is its header and body.
    pub fn answered(&mut self, message: &[u8], answer: &Answer) -> SmbResult<After> {
        self.due = self.due.saturating_sub(1);
        let sent = answer.sent;
        self.first_sent = Some(self.first_sent.map_or(sent, |first| first.min(sent)));
        self.moved += answer.moved;
        let status = answer.status;
        let is_end = status == Status::END_OF_FILE
            || (answer.command == Command::QueryDirectory && status == Status::NO_MORE_FILES);
        if !status.is_success() && !is_end && self.status == Status::SUCCESS {
            self.status = status;
        }
        if status.is_success() && answer.command == Command::Create {
            self.file = Created::read(message.get(HEADER_BYTES..).unwrap_or_default())?.file;
        }
        if self.due > 0 {
            return Ok(After::More);
        }
        Ok(self.follow(is_end))
    }

    /// All requests are answered: what comes next?
    fn follow(&mut self, is_end: bool) -> After {
        let failed = self.status != Status::SUCCESS;
        match self.stage {
            Stage::Folder => {
                // Another may have made it meanwhile.
                if failed && self.status != Status::OBJECT_NAME_COLLISION {
                    return self.done();
                }
                (self.status, self.stage, self.requested, self.moved) =
                    (Status::SUCCESS, Stage::Frame, 0, 0);
                After::SendMore
            }
            Stage::Frame | Stage::Opening
                if self.status == Status::OBJECT_PATH_NOT_FOUND && self.may_make_folder() =>
            {
                (self.status, self.stage, self.made_folder) =
                    (Status::SUCCESS, Stage::Folder, true);
                After::SendMore
            }
            Stage::Opening if !failed => {
                self.stage = Stage::Blocks;
                After::SendMore
            }
            Stage::Listing if !failed && !is_end => After::SendMore,
            Stage::Listing if self.file != FileHandle::RELATED => {
                self.stage = Stage::Closing;
                After::SendMore
            }
            Stage::Blocks if self.requested < self.op.len && !failed => After::More,
            Stage::Blocks if !is_block(self.op.kind) => {
                self.stage = Stage::Closing;
                After::SendMore
            }
            _ => self.done(),
        }
    }

    fn may_make_folder(&self) -> bool {
        !self.made_folder && matches!(self.op.kind, OperationKind::Create | OperationKind::Rename)
    }

    fn done(&self) -> After {
        let moves = self.op.kind.moves_data();
        After::Done(match self.status {
            Status::SUCCESS if moves => Outcome::moved(self.moved),
            Status::SUCCESS => Outcome::moved(0),
            status => status.outcome(),
        })
    }
}
