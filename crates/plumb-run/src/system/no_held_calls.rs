//! Systems whose kernel does not hold calls for another process.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::HeldRun;

/// Runs a command whose calls are held.
///
/// # Errors
/// Always: only 64-bit Linux can.
pub fn run_held(_: &[OsString], _: &Path, _: &[PathBuf], _: Duration) -> io::Result<HeldRun> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "only 64-bit Linux can hold the calls of a program (seccomp)",
    ))
}
