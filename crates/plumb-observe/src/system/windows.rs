//! What does Windows report by calls: of files and volumes, of processes, and by trials?

mod files;
mod filter_drivers;
mod host;
mod network_adapters;
mod processes;
mod volume;

use std::fs::File;
use std::io;
use std::path::Path;

pub(crate) use files::{identity, space, try_direct_in, try_direct_read, unwritten_bytes};
pub(crate) use filter_drivers::filter_drivers;
pub(crate) use host::host;
pub(crate) use network_adapters::network_adapters;
pub(crate) use processes::{
    ProcessTree, cpu_of_other_threads, own_counts, process_cpu_ns, process_name,
};
pub(crate) use volume::{disk_of, volume_of};

use super::Exclusive;

const REASON: &str = "not available on Windows";

fn unavailable<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, REASON))
}

/// Unused without /proc; the value of nearly all systems.
pub(crate) fn clock_ticks_per_second() -> f64 {
    100.0
}

/// Unused without /proc; the value of nearly all systems.
pub(crate) fn page_bytes() -> f64 {
    4096.0
}

/// Not reported of a process.
pub(crate) fn context_switches() -> Option<(u64, u64)> {
    None
}

pub(crate) fn cached_bytes(_: &File, _: u64) -> io::Result<u64> {
    unavailable()
}

pub(crate) fn try_exclusive(_: &Path) -> Exclusive {
    Exclusive::Untried(REASON.into())
}

/// Windows has no such links.
pub(crate) fn block_device_number(_: &Path) -> Option<(u32, u32)> {
    None
}

/// Why the last call did not succeed.
fn failed(call: &str) -> String {
    format!("{call} fails: {}", io::Error::last_os_error())
}

/// A text for a call, which ends with 0.
pub(in crate::system) fn wide(text: impl AsRef<std::ffi::OsStr>) -> Vec<u16> {
    use std::os::windows::ffi::OsStrExt;
    text.as_ref().encode_wide().chain([0]).collect()
}
