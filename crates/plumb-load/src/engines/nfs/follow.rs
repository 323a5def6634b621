//! What follows from the answer to a request, for the operation that it belongs to?

use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::pipeline::Pipeline;
use super::tasks::{RequestResult, Step, Which};
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Outcome};
use crate::shares::nfs::call::Stability;
use crate::shares::nfs::results::{Failure, Page};
use crate::shares::nfs::status::Status;

/// Delay before a request is repeated if the server asked for a retry. A Linux client begins with 100 ms too (NFS4_POLL_RETRY_MIN).
const LATER: Duration = Duration::from_millis(100);

impl Pipeline<'_> {
    /// Notes whether the server forgot writes that were not committed (RFC 8881, 18.3.4).
    pub(super) fn compare_verifier(
        &mut self,
        verifier: Option<[u8; 8]>,
        written: Option<Stability>,
        step: Step,
    ) {
        let Some(verifier) = verifier else { return };
        if self.verifier.is_some_and(|first| first != verifier) && self.uncommitted {
            self.lost_writes = true;
            self.remarks.push(Statement::new("server-forgot-writes"));
        }
        self.verifier = Some(verifier);
        match written {
            Some(Stability::Unstable) => {
                self.counts.unstable_writes += 1;
                self.uncommitted = true;
            }
            // A server does not lose data that it reports as stable, even if that was not requested.
            Some(_) => self.counts.stable_writes += 1,
            None => self.uncommitted &= !matches!(step, Step::Commit),
        }
    }

    /// True if the status is not passed to the operation because the request is repeated, now or later.
    pub(super) fn makes_again(
        &mut self,
        (slot, step): (u32, Step),
        status: Status,
        has_opened: bool,
        done: &mut Vec<Done>,
    ) -> bool {
        let Some(task) = &mut self.tasks[slot as usize] else {
            return false;
        };
        // A request that has opened a file must not be made again.
        if status.means_retry() && !has_opened {
            self.counts.delayed += 1;
            if let Some(outcome) = self.given_up {
                task.error = task.error.or(Some(outcome));
                self.conclude(slot, done);
            } else {
                task.requests += 1;
                self.later.push((Instant::now() + LATER, slot, step));
            }
            return true;
        }
        if status == Status::NOTSUPP && task.lists() && !self.terms.lists_plain {
            self.terms.lists_plain = true;
            self.request(slot, step);
            return true;
        }
        // The owner was replaced by one that the server does not know, and opens the file.
        let is_open = step == Step::Main && task.opens();
        if status == Status::BAD_SEQID && is_open && !task.owner_replaced {
            task.owner_replaced = true;
            self.request(slot, step);
            return true;
        }
        false
    }

    /// Takes the outcome of a request, and queues what follows.
    pub(super) fn follow(&mut self, slot: u32, step: Step, outcome: RequestResult) {
        let Some(task) = &mut self.tasks[slot as usize] else {
            return;
        };
        let status = outcome.failure.as_ref().and_then(Failure::status);
        let failed = status.map(Status::outcome);
        match step {
            Step::Read { at, len } | Step::Write { at, len } => {
                task.error = task.error.or(failed);
                if failed.is_none() && outcome.moved < len {
                    let rest = (at + outcome.moved, len - outcome.moved);
                    match step {
                        // The end of the file, or nothing moves any more: the block is short from here on.
                        _ if outcome.is_end || outcome.moved == 0 => {
                            task.moved = task.moved.min(rest.0)
                        }
                        Step::Read { .. } => self.request(
                            slot,
                            Step::Read {
                                at: rest.0,
                                len: rest.1,
                            },
                        ),
                        _ => self.request(
                            slot,
                            Step::Write {
                                at: rest.0,
                                len: rest.1,
                            },
                        ),
                    }
                }
            }
            Step::Commit => {
                let lost = std::mem::take(&mut self.lost_writes)
                    .then_some(Outcome::failed(FailureKind::Io));
                // A server that answers each write from stable storage needs no COMMIT, and some have none (RFC 1813, 3.3.21).
                let is_needless = status == Some(Status::NOTSUPP) && !self.uncommitted;
                task.error = failed.filter(|_| !is_needless).or(lost);
            }
            Step::FindFolder(which) | Step::MakeFolder(which) => {
                self.follow_folder(slot, which, step, &outcome, status)
            }
            Step::Close => task.error = task.error.or(failed),
            Step::Main | Step::More | Step::FindFile | Step::Confirm | Step::ReturnDelegation => {
                self.follow_file(slot, step, outcome, failed)
            }
        }
    }

    fn follow_folder(
        &mut self,
        slot: u32,
        which: Which,
        step: Step,
        outcome: &RequestResult,
        status: Option<Status>,
    ) {
        let Some(task) = &mut self.tasks[slot as usize] else {
            return;
        };
        let makes = matches!(
            (task.op.kind, which),
            (OperationKind::Create, Which::Of) | (OperationKind::Rename, Which::To)
        );
        match (status, outcome.folder) {
            (None, Some(handle)) => {
                self.folders.insert(task.path(which).folder.clone(), handle);
                self.advance(slot);
            }
            // The first file of a folder makes the folder; one creation in a thousand pays for it.
            (Some(Status::NOENT), _) if makes && matches!(step, Step::FindFolder(_)) => {
                self.request(slot, Step::MakeFolder(which))
            }
            // Another operation was faster; or an NFS 3 server did not return the handle of the new file.
            (None, None) if matches!(step, Step::MakeFolder(_)) => self.advance(slot),
            (Some(Status::EXIST), _) => self.advance(slot),
            (status, _) => task.error = Some(status.unwrap_or(Status::IO).outcome()),
        }
    }

    fn follow_file(
        &mut self,
        slot: u32,
        step: Step,
        outcome: RequestResult,
        failed: Option<Outcome>,
    ) {
        let Some(task) = &mut self.tasks[slot as usize] else {
            return;
        };
        task.file = outcome.opened.or(task.file);
        task.moved += outcome.moved;
        // A delegation that the server does not take back is none.
        let failed = failed.filter(|_| step != Step::ReturnDelegation);
        task.error = failed;
        if let Some(page) = outcome.page {
            task.page = Page {
                is_last: page.is_last || page.names == 0 || page.cookie == task.page.cookie,
                ..page
            };
            if !task.page.is_last {
                self.request(slot, Step::More);
            }
            return;
        }
        if self.terms.is_version_3() {
            let goes_on = failed.is_none() && task.goes_on_3(step, &outcome, &self.terms);
            let next = if task.file.is_some() {
                Step::More
            } else {
                Step::FindFile
            };
            if goes_on {
                self.request(slot, next);
            }
            return;
        }
        if self.terms.is_version_4_0() && task.opens() {
            let next = task.next_4_0(step, &outcome, failed.is_some(), &self.terms);
            if let Some(next) = next {
                self.request(slot, next);
            }
            return;
        }
        if task.file.is_none() {
            return;
        }
        let all = match task.op.kind {
            OperationKind::Create => task.moved >= task.op.len,
            _ => outcome.is_end || task.moved >= self.terms.slot_bytes,
        };
        let next = if failed.is_some() || all || outcome.moved == 0 {
            Step::Close
        } else {
            Step::More
        };
        self.request(slot, next);
    }
}
