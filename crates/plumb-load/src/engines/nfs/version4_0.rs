//! Which steps does an operation on a small file take in NFS 4.0? OPEN, READ or WRITE, and CLOSE apart, for a COMPOUND has no name there for the file that it has opened.

use plumb_model::workload::OperationKind;

use super::tasks::{RequestResult, Step, Task, Terms};
use crate::shares::nfs::buffers::Blocks;
use crate::shares::nfs::call::{Access, Opening, op};
use crate::shares::nfs::message::Call;
use crate::shares::nfs::open_owner::OpenOwner;
use crate::shares::nfs::results::{Failure, Results};

impl Task {
    /// How the record names the requests that are others than in later versions.
    pub(super) fn command_4_0(&self, step: Step) -> Option<&'static str> {
        match (step, self.op.kind) {
            (Step::Main, _) if self.opens() => Some("OPEN"),
            (Step::More, OperationKind::Fsync) => Some("COMMIT"),
            _ => None,
        }
    }

    /// What follows from the answer to a step of an operation that opens a small file; `None`: it is done, or has failed with nothing open.
    pub(super) fn next_4_0(
        &mut self,
        step: Step,
        outcome: &RequestResult,
        has_failed: bool,
        terms: &Terms,
    ) -> Option<Step> {
        self.delegation = match step {
            Step::ReturnDelegation => None,
            _ => outcome.delegation.or(self.delegation),
        };
        if step == Step::Confirm && has_failed {
            // The server forgets what was not confirmed.
            self.file = None;
        }
        self.file?;
        if outcome.must_confirm {
            return Some(Step::Confirm);
        }
        if self.delegation.is_some() && !has_failed {
            return Some(Step::ReturnDelegation);
        }
        let is_all = match self.op.kind {
            OperationKind::Create => self.moved >= self.op.len,
            OperationKind::ReadFile => outcome.is_end || self.moved >= terms.slot_bytes,
            OperationKind::Fsync => step == Step::More,
            _ => true,
        };
        let nothing_moved = step == Step::More && outcome.moved == 0;
        Some(if has_failed || is_all || nothing_moved {
            Step::Close
        } else {
            Step::More
        })
    }

    pub(super) fn build_4_0(
        &self,
        call: &mut Call,
        step: Step,
        terms: &Terms,
        owner: &OpenOwner,
    ) -> Option<()> {
        let commits = step == Step::More && self.op.kind == OperationKind::Fsync;
        if commits || matches!(step, Step::Confirm | Step::ReturnDelegation | Step::Close) {
            let (file, state) = self.file?;
            call.put(&file);
            match step {
                Step::Confirm => call.open_confirm(state, owner.sequence()),
                Step::ReturnDelegation => call.return_delegation(self.delegation?),
                Step::Close => call.close(state, owner.sequence()),
                _ => call.commit(),
            }
            return Some(());
        }
        if step != Step::Main || !self.opens() {
            return self.build_4(call, step, terms);
        }
        let name = self.of.name.as_str();
        let (opening, access) = match self.op.kind {
            OperationKind::Create => (Opening::New(name), Access::Write),
            OperationKind::Fsync => (Opening::Existing(name), Access::Write),
            _ => (Opening::Existing(name), Access::Read),
        };
        call.put(&self.of.handle?);
        call.open(opening, access, owner.opener(terms.client));
        call.get_handle();
        Some(())
    }

    pub(super) fn read_4_0(
        &self,
        outcome: &mut RequestResult,
        results: &mut Results<'_>,
        step: Step,
        terms: &Terms,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        match step {
            Step::Main if self.opens() => {
                results.done(op::PUTFH)?;
                let (status, grant) = results.counted(op::OPEN, |results| results.open());
                outcome.owner_status = status;
                let grant = grant?;
                outcome.opened = Some((results.handle()?, grant.state));
                outcome.must_confirm = grant.must_confirm;
                outcome.delegation = grant.delegation;
            }
            Step::Confirm => {
                results.done(op::PUTFH)?;
                let confirm = |results: &mut Results<'_>| results.open_confirm();
                let (status, state) = results.counted(op::OPEN_CONFIRM, confirm);
                outcome.owner_status = status;
                let state = state?;
                outcome.opened = self.file.map(|(file, _)| (file, state));
            }
            Step::Close => {
                results.done(op::PUTFH)?;
                let (status, closed) = results.counted(op::CLOSE, |results| results.close());
                outcome.owner_status = status;
                closed?;
            }
            Step::ReturnDelegation => {
                results.done(op::PUTFH)?;
                results.done(op::DELEGRETURN)?;
            }
            Step::More if self.op.kind == OperationKind::Fsync => {
                results.done(op::PUTFH)?;
                outcome.verifier = Some(results.commit()?);
            }
            _ => self.read_4(outcome, results, step, terms, blocks)?,
        }
        Ok(())
    }
}
