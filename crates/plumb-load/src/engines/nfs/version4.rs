//! How do the steps of an operation become requests of NFS 4? A COMPOUND for each, which from 4.1 on opens and closes a small file too where its data fits.

use plumb_model::workload::OperationKind;

use super::tasks::{RequestResult, Step, Task, Terms, take_written};
use crate::shares::nfs::buffers::{Blocks, Part};
use crate::shares::nfs::call::{Access, Opener, Opening, StateId, attribute, op};
use crate::shares::nfs::client::LISTING_BYTES;
use crate::shares::nfs::message::Call;
use crate::shares::nfs::results::{Failure, Results};

impl Task {
    pub(super) fn build_4(&self, call: &mut Call, step: Step, terms: &Terms) -> Option<()> {
        let op = &self.op;
        match step {
            Step::Read { at, len } => {
                let (file, state) = terms.file?;
                call.put(&file);
                call.read(state, op.offset + u64::from(at), len);
            }
            Step::Write { at, len } => {
                let (file, state) = terms.file?;
                call.put(&file);
                call.write(
                    state,
                    op.offset + u64::from(at),
                    terms.stability,
                    Part {
                        block: op.slot,
                        at,
                        len,
                    },
                );
            }
            Step::Commit => {
                call.put(&terms.file?.0);
                call.commit();
            }
            Step::FindFolder(which) => {
                call.put(&terms.folder?);
                call.look_up(&self.path(which).folder);
                call.get_handle();
            }
            Step::MakeFolder(which) => {
                call.put(&terms.folder?);
                call.make_folder(&self.path(which).folder);
                call.get_handle();
            }
            Step::Main => self.build_main(call, terms)?,
            Step::More => match op.kind {
                OperationKind::List => self.build_listing(call)?,
                kind => {
                    let (file, state) = self.file?;
                    call.put(&file);
                    match kind {
                        OperationKind::Create => self.build_write(call, state, terms),
                        _ => call.read(state, u64::from(self.moved), self.piece(terms)),
                    }
                }
            },
            // Of NFS 3, and of 4.0, only.
            Step::FindFile | Step::Confirm | Step::ReturnDelegation => return None,
            Step::Close => {
                let (file, state) = self.file?;
                call.put(&file);
                call.close(state, 0);
            }
        }
        Some(())
    }

    fn build_write(&self, call: &mut Call, state: StateId, terms: &Terms) {
        let part = Part {
            block: self.op.slot,
            at: self.moved,
            len: self.piece(terms),
        };
        call.write(state, u64::from(self.moved), terms.stability, part);
    }

    fn build_listing(&self, call: &mut Call) -> Option<()> {
        call.put(&self.of.handle?);
        let set = attribute::TYPE | attribute::SIZE | attribute::TIME_MODIFY;
        call.list(self.page.cookie, self.page.verifier, LISTING_BYTES, set);
        Some(())
    }

    fn build_main(&self, call: &mut Call, terms: &Terms) -> Option<()> {
        let (name, current) = (self.of.name.as_str(), StateId::CURRENT);
        if self.op.kind == OperationKind::List {
            return self.build_listing(call);
        }
        call.put(&self.of.handle?);
        let opener = Opener {
            client: terms.client,
            owner: u64::from(self.op.slot),
            sequence: None,
        };
        let open = |call: &mut Call, opening, access| {
            call.open(opening, access, opener);
            call.get_handle();
        };
        match self.op.kind {
            OperationKind::Create => {
                open(call, Opening::New(name), Access::Write);
                if self.op.len > 0 {
                    self.build_write(call, current, terms);
                }
            }
            OperationKind::Open => open(call, Opening::Existing(name), Access::Read),
            OperationKind::ReadFile => {
                open(call, Opening::Existing(name), Access::Read);
                call.read(current, 0, self.piece(terms));
            }
            OperationKind::Fsync => {
                open(call, Opening::Existing(name), Access::Write);
                call.commit();
            }
            OperationKind::Stat => {
                call.look_up(name);
                call.get_attributes(attribute::TYPE | attribute::SIZE | attribute::TIME_MODIFY);
            }
            OperationKind::Rename => {
                call.save();
                call.put(&self.to.handle?);
                call.rename(name, &self.to.name);
            }
            _ => call.remove(name),
        }
        if self.opens() && self.is_single(terms) {
            call.close(current, 0);
        }
        Some(())
    }

    pub(super) fn read_4(
        &self,
        outcome: &mut RequestResult,
        results: &mut Results<'_>,
        step: Step,
        terms: &Terms,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        results.done(op::PUTFH)?;
        match step {
            // A reply that was received completely, because it is short or has more fields than usual.
            Step::Read { at, .. } => self.take_data_4(outcome, results, at, blocks)?,
            Step::Write { len, .. } => take_written(outcome, results.write()?, len, terms)?,
            Step::Commit => outcome.verifier = Some(results.commit()?),
            Step::FindFolder(_) => {
                results.done(op::LOOKUP)?;
                outcome.folder = Some(results.handle()?);
            }
            Step::MakeFolder(_) => {
                results.make_folder()?;
                outcome.folder = Some(results.handle()?);
            }
            Step::FindFile | Step::Confirm | Step::ReturnDelegation => {}
            Step::Close => results.close()?,
            Step::More => match self.op.kind {
                OperationKind::List => outcome.page = Some(results.list(drop)?),
                OperationKind::Create => {
                    take_written(outcome, results.write()?, self.piece(terms), terms)?
                }
                _ => self.take_data_4(outcome, results, self.moved, blocks)?,
            },
            Step::Main => self.read_main(outcome, results, terms, blocks)?,
        }
        Ok(())
    }

    fn read_main(
        &self,
        outcome: &mut RequestResult,
        results: &mut Results<'_>,
        terms: &Terms,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        if self.opens() {
            let grant = results.open()?;
            outcome.opened = Some((results.handle()?, grant.state));
        }
        match self.op.kind {
            OperationKind::Create if self.op.len > 0 => {
                take_written(outcome, results.write()?, self.piece(terms), terms)?
            }
            OperationKind::ReadFile => self.take_data_4(outcome, results, 0, blocks)?,
            OperationKind::Fsync => outcome.verifier = Some(results.commit()?),
            OperationKind::List => outcome.page = Some(results.list(drop)?),
            OperationKind::Stat => {
                results.done(op::LOOKUP)?;
                results.attributes()?;
            }
            OperationKind::Rename => {
                results.done(op::SAVEFH)?;
                results.done(op::PUTFH)?;
                results.done(op::RENAME)?;
            }
            OperationKind::Delete => results.done(op::REMOVE)?,
            _ => {}
        }
        if self.opens() && self.is_single(terms) {
            results.close()?;
            outcome.opened = None;
        }
        Ok(())
    }

    fn take_data_4(
        &self,
        outcome: &mut RequestResult,
        results: &mut Results<'_>,
        at: u32,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        let (is_end, data) = results.read()?;
        self.take_data(outcome, (is_end, data), at, blocks)
    }
}
