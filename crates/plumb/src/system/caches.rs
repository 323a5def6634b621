//! How does the kernel forget what it has read from files?

use std::io;

/// Writes what is unwritten, and drops pages (1), names and inodes (2) or both (3) of all files from memory (proc_sys_vm(5), drop_caches).
///
/// # Errors
/// Only root may.
#[cfg(target_os = "linux")]
pub fn drop_caches(what: u8) -> io::Result<()> {
    // SAFETY: takes nothing, and always succeeds.
    unsafe { libc::sync() };
    std::fs::write("/proc/sys/vm/drop_caches", what.to_string())
}

/// Only Linux has such a file.
#[cfg(not(target_os = "linux"))]
pub fn drop_caches(_: u8) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
