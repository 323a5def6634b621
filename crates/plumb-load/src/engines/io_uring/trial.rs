//! Does the ring do what it was set up for? Tried with the very files and buffers of the run, before anything is measured.

use std::io;

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::Uring;
use super::entries::Trim;
use super::ring::refusal;
use crate::engine::failure::{Code, Failure};
use crate::engine::operation::{Done, Op};
use crate::engine::trial::failed_trials;
use crate::engine::{Engine, Setup, Unavailable, Wait, trim_by_call};

impl Uring<'_> {
    /// One read of every readable file with the very ring that will be used: a ring with IOPOLL on a target that cannot poll is set up
    /// without complaint, and then *completes* every operation with EOPNOTSUPP.
    pub(super) fn probe(&mut self, setup: &Setup<'_>) -> Result<(), Unavailable> {
        for failed in failed_trials(self, setup, refusal)? {
            if self.polls && failed.error == libc::EOPNOTSUPP {
                return Err(Unavailable(
                    Statement::new("target-cannot-be-polled").name("path", failed.path()),
                ));
            }
            // EIO of the medium is for the run to count; a refusal of the kind of request is for now.
            if matches!(failed.error, libc::EINVAL | libc::EOPNOTSUPP | libc::ENOSYS) {
                return Err(failed.refusal());
            }
        }
        Ok(())
    }

    /// Asks the kernel how it can discard blocks of the file, with a range of no bytes: EINVAL is the answer of a kernel that knows the command and a device
    /// that discards (blk_validate_byte_range in block/ioctl.c).
    pub(super) fn choose_trim(
        &mut self,
        setup: &Setup<'_>,
        active: &mut Vec<String>,
        refused: &mut Vec<Statement>,
    ) -> Result<(), Unavailable> {
        let Some(file) = setup.files.first() else {
            return Ok(());
        };
        if !file.block_device {
            active.push(trim_by_call(file).into());
            return Ok(());
        }
        self.entries.trim = Trim::Command;
        let op = Op {
            offset: 0,
            len: 0,
            slot: 0,
            file: 0,
            kind: OperationKind::Trim,
            priority: 0,
        };
        let mut done = Vec::new();
        self.submit(&[op], &mut Vec::new())
            .map_err(|error| refusal(&error))?;
        while done.is_empty() {
            self.reap(Wait::One, &mut done)
                .map_err(|error| refusal(&error))?;
        }
        let error = failure_number(&done);
        if matches!(error, 0 | libc::EINVAL) {
            active.push("trim by BLOCK_URING_CMD_DISCARD".into());
        } else {
            self.entries.trim = Trim::Call;
            active.push(trim_by_call(file).into());
            refused.push(
                Statement::new("refused-with-error")
                    .name("feature", "BLOCK_URING_CMD_DISCARD")
                    .name("error", io::Error::from_raw_os_error(error).to_string()),
            );
        }
        Ok(())
    }
}

/// The error number of a trial operation; 0 when it succeeded.
fn failure_number(done: &[Done]) -> i32 {
    match done.first().map(|done| done.outcome.get()) {
        Some(Ok(_)) => 0,
        Some(Err(Failure {
            code: Code::System(number),
            ..
        })) => number as i32,
        _ => libc::EIO,
    }
}
