//! How do the steps of an operation become requests of NFS 3? A procedure for each: a small file is found or made first, then read, written or committed.

use plumb_model::workload::OperationKind;

use super::tasks::{RequestResult, Step, Task, Terms, take_written};
use crate::shares::nfs::buffers::{Blocks, Part};
use crate::shares::nfs::call::StateId;
use crate::shares::nfs::client::LISTING_BYTES;
use crate::shares::nfs::message::Call;
use crate::shares::nfs::results::Failure;
use crate::shares::nfs::version3::{calls, replies};
use crate::shares::nfs::xdr::Reader;

impl Task {
    /// How the record names the request: by its procedure.
    pub(super) fn command_3(&self, step: Step, terms: &Terms) -> &'static str {
        match (step, self.op.kind) {
            (Step::Read { .. }, _) => "READ",
            (Step::Write { .. }, _) => "WRITE",
            (Step::Commit, _) => "COMMIT",
            (Step::MakeFolder(_), _) => "MKDIR",
            (Step::FindFolder(_) | Step::FindFile, _) => "LOOKUP",
            (_, OperationKind::List) if terms.lists_plain => "READDIR",
            (_, OperationKind::List) => "READDIRPLUS",
            (Step::Main, OperationKind::Create) => "CREATE",
            (Step::Main, OperationKind::Rename) => "RENAME",
            (Step::Main, OperationKind::Delete) => "REMOVE",
            (Step::More, OperationKind::Create) => "WRITE",
            (Step::More, OperationKind::ReadFile) => "READ",
            (Step::More, OperationKind::Fsync) => "COMMIT",
            (Step::More, _) => "GETATTR",
            _ => "LOOKUP",
        }
    }

    /// True when the answer to the first request of a small file, or to a part of it, leaves more to do.
    pub(super) fn goes_on_3(&self, step: Step, outcome: &RequestResult, terms: &Terms) -> bool {
        let begins = matches!(step, Step::Main | Step::FindFile);
        let moves = begins || outcome.moved > 0;
        match self.op.kind {
            OperationKind::Create => moves && self.moved < self.op.len,
            OperationKind::ReadFile => moves && !outcome.is_end && self.moved < terms.slot_bytes,
            OperationKind::Fsync | OperationKind::Stat => begins && self.file.is_some(),
            _ => false,
        }
    }

    pub(super) fn build_3(&self, call: &mut Call, step: Step, terms: &Terms) -> Option<()> {
        let op = &self.op;
        match step {
            Step::Read { at, len } => {
                calls::read(call, &terms.file?.0, op.offset + u64::from(at), len);
            }
            Step::Write { at, len } => {
                let part = self.part(at, len);
                let offset = op.offset + u64::from(at);
                calls::write(call, &terms.file?.0, offset, terms.stability, part);
            }
            Step::Commit => calls::commit(call, &terms.file?.0),
            Step::FindFolder(which) => {
                calls::look_up(call, &terms.folder?, &self.path(which).folder);
            }
            Step::MakeFolder(which) => {
                calls::make_folder(call, &terms.folder?, &self.path(which).folder);
            }
            Step::FindFile => calls::look_up(call, &self.of.handle?, &self.of.name),
            Step::Main => self.build_main_3(call, terms)?,
            Step::More if op.kind == OperationKind::List => self.build_listing_3(call, terms)?,
            Step::More => {
                let (file, offset) = (self.file?.0, u64::from(self.moved));
                match op.kind {
                    OperationKind::Create => {
                        let part = self.part(self.moved, self.piece(terms));
                        calls::write(call, &file, offset, terms.stability, part);
                    }
                    OperationKind::Fsync => calls::commit(call, &file),
                    OperationKind::Stat => calls::get_attributes(call, &file),
                    _ => calls::read(call, &file, offset, self.piece(terms)),
                }
            }
            // Nothing is open.
            Step::Close | Step::Confirm | Step::ReturnDelegation => return None,
        }
        Some(())
    }

    fn part(&self, at: u32, len: u32) -> Part {
        Part {
            block: self.op.slot,
            at,
            len,
        }
    }

    fn build_listing_3(&self, call: &mut Call, terms: &Terms) -> Option<()> {
        let from = (self.page.cookie, self.page.verifier);
        calls::list(
            call,
            &self.of.handle?,
            from,
            LISTING_BYTES,
            terms.lists_plain,
        );
        Some(())
    }

    fn build_main_3(&self, call: &mut Call, terms: &Terms) -> Option<()> {
        let (folder, name) = (self.of.handle?, self.of.name.as_str());
        match self.op.kind {
            OperationKind::List => self.build_listing_3(call, terms)?,
            OperationKind::Create => calls::create(call, &folder, name),
            OperationKind::Rename => {
                let to = self.to.handle?;
                calls::rename(call, (&folder, name), (&to, &self.to.name));
            }
            OperationKind::Delete => calls::remove(call, &folder, name),
            _ => calls::look_up(call, &folder, name),
        }
        Some(())
    }

    pub(super) fn read_3(
        &self,
        outcome: &mut RequestResult,
        reply: &mut Reader<'_>,
        step: Step,
        terms: &Terms,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        match step {
            // A reply that was received completely, because it is short or has more fields than usual.
            Step::Read { at, .. } => {
                self.take_data(outcome, replies::read(reply)?, at, blocks)?;
            }
            Step::Write { len, .. } => {
                take_written(outcome, replies::written(reply)?, len, terms)?;
            }
            Step::Commit => outcome.verifier = Some(replies::committed(reply)?),
            Step::FindFolder(_) => outcome.folder = Some(replies::look_up(reply)?.0),
            Step::MakeFolder(_) => outcome.folder = replies::made(reply)?.handle,
            Step::FindFile => outcome.opened = Some((replies::look_up(reply)?.0, StateId::NONE)),
            Step::Main => self.read_main_3(outcome, reply, terms)?,
            Step::More => match self.op.kind {
                OperationKind::List => {
                    outcome.page = Some(replies::list(reply, terms.lists_plain, drop)?);
                }
                OperationKind::Create => {
                    take_written(outcome, replies::written(reply)?, self.piece(terms), terms)?;
                }
                OperationKind::Fsync => outcome.verifier = Some(replies::committed(reply)?),
                OperationKind::Stat => drop(replies::get_attributes(reply)?),
                _ => self.take_data(outcome, replies::read(reply)?, self.moved, blocks)?,
            },
            Step::Close | Step::Confirm | Step::ReturnDelegation => {}
        }
        Ok(())
    }

    fn read_main_3(
        &self,
        outcome: &mut RequestResult,
        reply: &mut Reader<'_>,
        terms: &Terms,
    ) -> Result<(), Failure> {
        match self.op.kind {
            OperationKind::List => {
                outcome.page = Some(replies::list(reply, terms.lists_plain, drop)?);
            }
            OperationKind::Create => {
                let made = replies::made(reply)?;
                outcome.opened = made.handle.map(|file| (file, StateId::NONE));
            }
            OperationKind::Rename | OperationKind::Delete => replies::done(reply)?,
            OperationKind::Stat => {
                // The attributes usually come with the handle; else they are requested.
                let (file, attributes) = replies::look_up(reply)?;
                outcome.opened = attributes.is_none().then_some((file, StateId::NONE));
            }
            _ => outcome.opened = Some((replies::look_up(reply)?.0, StateId::NONE)),
        }
        Ok(())
    }
}
