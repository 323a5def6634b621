//! Which requests does an operation on a file by name take?

use std::path::Path;

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::connection::WorkerConnection;
use super::frame::Frame;
use super::step::{Stage, Step, Work};
use crate::engine::failure::FailureKind;
use crate::engine::operation::Outcome;
use crate::feed::live_files::LiveFiles;
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::exchange::{SlotRange, Slots};
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::{CLASS_NETWORK_OPEN, FileHandle, Opening};

/// Data that is copied into a frame of several requests; larger files are written in requests of their own.
const COMPOUND_DATA_BYTES: u32 = 64 << 10;
/// Answers to one listing of a folder; fewer and larger ones cost less.
const LISTING_BYTES: u32 = 256 << 10;
/// A listing that takes more is taken for one that does not end.
const LISTING_ANSWERS_MAX: u32 = 20_000;
/// Attributes of a file (MS-FSCC 2.4.29).
const ATTRIBUTES_BYTES: u32 = 56;

impl Work {
    /// An operation on a file by name: everything in one frame where it fits.
    pub(super) fn send_by_name<S: Slots>(
        &mut self,
        slot: u32,
        path: &Path,
        line: &mut WorkerConnection,
        slots: &mut S,
        files: &LiveFiles,
    ) -> SmbResult<Step> {
        let agreed = &line.channel.agreed;
        let (read_max, write_max, writes_through) = (
            agreed.read_max_bytes,
            agreed.write_max_bytes,
            line.writes_through,
        );
        let name = path.to_string_lossy();
        let folder = path
            .parent()
            .map(|folder| folder.to_string_lossy())
            .unwrap_or_default();
        let len = self.op.len;
        let mut frame = Frame::new(slot, &mut line.channel.connection);
        if self.stage == Stage::Folder {
            return self.request_folder(slot, files, frame, slots);
        }
        if self.stage == Stage::Listing {
            return self.request_more_names(frame, slots);
        }
        let Some((opening, moved, further)) = Work::opening(self.op.kind, len) else {
            return Ok(Step::Done(Outcome::failed(FailureKind::Invalid)));
        };
        let fits = match self.op.kind {
            OperationKind::Create => len <= COMPOUND_DATA_BYTES.min(write_max),
            OperationKind::ReadFile => len <= COMPOUND_DATA_BYTES.min(read_max),
            _ => true,
        };
        if !frame
            .affords(&[0, if fits { moved } else { 0 }, 0][..if fits { 1 + further } else { 1 }])
        {
            return Ok(Step::NeedsCredits);
        }
        let opened = if self.op.kind == OperationKind::List {
            &folder
        } else {
            &name
        };
        frame
            .request(Command::Create, 0, None)
            .create(opening, opened);
        if !fits {
            self.stage = Stage::Opening;
            self.due += frame.end(slots)?;
            return Ok(Step::Sent);
        }
        self.request_content(&mut frame, slots, files, writes_through);
        if self.op.kind != OperationKind::List {
            frame
                .request(Command::Close, 0, None)
                .close(FileHandle::RELATED);
        }
        self.due += frame.end(slots)?;
        Ok(Step::Sent)
    }

    /// Goes on with the listing of a folder.
    fn request_more_names<S: Slots>(
        &mut self,
        mut frame: Frame<'_>,
        slots: &mut S,
    ) -> SmbResult<Step> {
        if !frame.affords(&[LISTING_BYTES]) {
            return Ok(Step::NeedsCredits);
        }
        frame
            .request(Command::QueryDirectory, LISTING_BYTES, None)
            .query_directory(self.file, false, LISTING_BYTES);
        self.due += frame.end(slots)?;
        self.requested += 1;
        if self.requested > LISTING_ANSWERS_MAX {
            return Err(Fault::Unruly(
                Statement::new("smb-lists-without-end-of-answers")
                    .count("answers", u64::from(LISTING_ANSWERS_MAX)),
            ));
        }
        Ok(Step::Sent)
    }

    /// What is done with the file between its opening and its closing, in the same frame.
    fn request_content<S: Slots>(
        &mut self,
        frame: &mut Frame<'_>,
        slots: &S,
        files: &LiveFiles,
        writes_through: bool,
    ) {
        let (slot, len) = (frame.slot, self.op.len);
        let related = FileHandle::RELATED;
        match self.op.kind {
            OperationKind::Create if len > 0 => {
                let draft = frame.request(Command::Write, len, None);
                draft.write(related, 0, len, writes_through);
                draft.raw(slots.bytes(SlotRange {
                    slot,
                    offset: 0,
                    len,
                }));
            }
            OperationKind::Stat => frame.request(Command::QueryInfo, 0, None).query_info(
                related,
                1,
                CLASS_NETWORK_OPEN,
                ATTRIBUTES_BYTES,
            ),
            OperationKind::ReadFile => frame
                .request(
                    Command::Read,
                    len,
                    Some(SlotRange {
                        slot,
                        offset: 0,
                        len,
                    }),
                )
                .read(related, 0, len),
            OperationKind::Rename => {
                let to = files.path(self.op.offset + u64::from(len));
                frame
                    .request(Command::SetInfo, 0, None)
                    .rename(related, &to.to_string_lossy());
            }
            OperationKind::Fsync => frame.request(Command::Flush, 0, None).flush(related),
            OperationKind::List => {
                self.stage = Stage::Listing;
                frame
                    .request(Command::QueryDirectory, LISTING_BYTES, None)
                    .query_directory(related, true, LISTING_BYTES);
            }
            _ => {}
        }
    }

    /// How an operation opens its file, the bytes that it moves in the same frame, and how many requests follow there.
    fn opening(kind: OperationKind, len: u32) -> Option<(Opening, u32, usize)> {
        Some(match kind {
            OperationKind::Create => (Opening::NEW, len, 2),
            OperationKind::Open => (Opening::TO_READ, 0, 1),
            OperationKind::Stat => (Opening::TO_LOOK, 0, 2),
            OperationKind::ReadFile => (Opening::TO_READ, len, 2),
            OperationKind::Rename => (Opening::TO_RENAME, 0, 2),
            OperationKind::Delete => (Opening::TO_DELETE, 0, 1),
            OperationKind::Fsync => (Opening::TO_WRITE, 0, 2),
            OperationKind::List => (Opening::TO_LIST, LISTING_BYTES, 1),
            _ => return None,
        })
    }

    /// Makes the folder of a name that is to be; one creation in a thousand pays for it.
    fn request_folder<S: Slots>(
        &mut self,
        slot: u32,
        files: &LiveFiles,
        mut frame: Frame<'_>,
        slots: &mut S,
    ) -> SmbResult<Step> {
        debug_assert_eq!(frame.slot, slot);
        if !frame.affords(&[0, 0]) {
            return Ok(Step::NeedsCredits);
        }
        let number = self.op.offset
            + if self.op.kind == OperationKind::Rename {
                u64::from(self.op.len)
            } else {
                0
            };
        let path = files.path(number);
        let folder = path
            .parent()
            .map(|folder| folder.to_string_lossy().into_owned())
            .unwrap_or_default();
        frame
            .request(Command::Create, 0, None)
            .create(Opening::NEW_FOLDER, &folder);
        frame
            .request(Command::Close, 0, None)
            .close(FileHandle::RELATED);
        self.due += frame.end(slots)?;
        Ok(Step::Sent)
    }
}
