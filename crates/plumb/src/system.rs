//! What of the system does the program itself set up? The limit of file sizes, and its allocator.

pub mod memory;

use std::io;

#[global_allocator]
pub static ALLOCATOR: memory::Allocator = memory::Allocator::new();

/// A write beyond the limit of file sizes (`ulimit -f`) fails with EFBIG, instead of ending the program by SIGXFSZ before it could clean up (setrlimit(2)).
#[cfg(unix)]
pub fn take_file_size_limit_as_error() -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).map(drop)
}

/// There is no such limit elsewhere.
#[cfg(not(unix))]
pub fn take_file_size_limit_as_error() -> io::Result<()> {
    Ok(())
}
