//! Does the kernel take this engine's requests for these files? One read of each is tried before anything is measured.

use std::io;

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::engine::failure::Code;
use crate::engine::operation::Op;
use crate::engine::{Engine, OpenFile, Setup, Unavailable, Wait};

/// A trial read that failed.
pub struct FailedTrial<'f> {
    pub file: &'f OpenFile,
    pub bytes: u32,
    /// The system's error number.
    pub error: i32,
}

impl FailedTrial<'_> {
    pub fn path(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The refusal that every engine gives.
    pub fn refusal(&self) -> Unavailable {
        let error = io::Error::from_raw_os_error(self.error).to_string();
        Unavailable(
            Statement::new("trial-read-fails")
                .name("bytes", self.bytes.to_string())
                .name("path", self.path())
                .name("error", error),
        )
    }
}

/// Reads the first block of every readable file with the very engine, files and buffers of the run: what failed with an error of the system.
///
/// # Errors
/// The engine itself cannot submit or complete a request; reported by `broken`.
pub fn failed_trials<'f>(
    engine: &mut impl Engine,
    setup: &Setup<'f>,
    broken: impl Fn(&io::Error) -> Unavailable,
) -> Result<Vec<FailedTrial<'f>>, Unavailable> {
    let mut failed = Vec::new();
    // Buffers of a load that only trims hold nothing.
    if setup.trims && setup.buffers.slot_bytes <= 1 {
        return Ok(failed);
    }
    for (number, file) in setup.files.iter().enumerate() {
        let bytes = setup.buffers.slot_bytes.min(file.end_bytes as usize) as u32;
        if !file.readable || bytes == 0 {
            continue;
        }
        let op = Op {
            offset: 0,
            len: bytes,
            slot: 0,
            file: number as u32,
            kind: OperationKind::Read,
            priority: 0,
        };
        let mut done = Vec::new();
        let submitted = engine.submit(&[op], &mut done);
        submitted.map_err(|error| broken(&error))?;
        // Some engines come back with nothing while a thread of the kernel carries the operation out (io_iopoll_check in io_uring.c).
        while done.is_empty() {
            let reaped = engine.reap(Wait::One, &mut done);
            reaped.map_err(|error| broken(&error))?;
        }
        let failure = done.first().and_then(|done| done.outcome.get().err());
        if let Some(Code::System(error)) = failure.map(|failure| failure.code) {
            let error = error as i32;
            failed.push(FailedTrial { file, bytes, error });
        }
    }
    Ok(failed)
}
