//! Does the kernel take asynchronous requests for these files? Tried before anything is measured: it refuses those of file systems that it holds for unsafe.

use plumb_model::statement::Statement;

use super::queue::{Aio, unavailable};
use crate::engine::trial::failed_trials;
use crate::engine::{Setup, Unavailable};

impl Aio<'_> {
    /// One read of every readable file.
    pub(super) fn probe(&mut self, setup: &Setup<'_>) -> Result<(), Unavailable> {
        for failed in failed_trials(self, setup, unavailable)? {
            // Network file systems and character devices that are no disks (aio(4), vfs.aio.enable_unsafe).
            if failed.error == libc::EOPNOTSUPP {
                return Err(Unavailable(
                    Statement::new("aio-is-unsafe-here").name("path", failed.path()),
                ));
            }
            // EIO of the medium is for the run to count; a refusal of the kind of request is for now.
            if matches!(failed.error, libc::EINVAL | libc::ENOSYS) {
                return Err(failed.refusal());
            }
        }
        Ok(())
    }
}
