//! Does the kernel take asynchronous requests for these files? Tried before anything is measured: it refuses those of file systems that it holds for unsafe.

use std::io;

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::queue::{Aio, unavailable};
use crate::engine::failure::Code;
use crate::engine::operation::Op;
use crate::engine::{Engine, Setup, Unavailable, Wait};

impl Aio<'_> {
    /// One read of every readable file.
    pub(super) fn probe(&mut self, setup: &Setup<'_>) -> Result<(), Unavailable> {
        let readable = setup.files.iter().enumerate();
        for (number, file) in readable.filter(|(_, file)| file.readable) {
            let len = setup.buffers.slot_bytes.min(file.end_bytes as usize) as u32;
            if len == 0 {
                continue;
            }
            let op = Op {
                offset: 0,
                len,
                slot: 0,
                file: number as u32,
                kind: OperationKind::Read,
            };
            let mut done = Vec::new();
            self.submit(&[op], &mut done)
                .map_err(|error| unavailable(&error))?;
            while done.is_empty() {
                self.reap(Wait::One, &mut done)
                    .map_err(|error| unavailable(&error))?;
            }
            let failed = done.first().and_then(|done| done.outcome.get().err());
            let Some(Code::System(error)) = failed.map(|failure| failure.code) else {
                continue;
            };
            let (path, error) = (file.path.display().to_string(), error as i32);
            // Network file systems and character devices that are no disks (aio(4), vfs.aio.enable_unsafe).
            if error == libc::EOPNOTSUPP {
                return Err(Unavailable(
                    Statement::new("aio-is-unsafe-here").name("path", path),
                ));
            }
            // EIO of the medium is for the run to count; a refusal of the kind of request is for now.
            if matches!(error, libc::EINVAL | libc::ENOSYS) {
                return Err(Unavailable(
                    Statement::new("trial-read-fails")
                        .name("bytes", len.to_string())
                        .name("path", path)
                        .name("error", io::Error::from_raw_os_error(error).to_string()),
                ));
            }
        }
        Ok(())
    }
}
