//! What do systems other than Linux tell? Little so far: what is not there yet says so.

use std::fs::File;
use std::io;
use std::path::Path;

use super::{DirectTrial, Exclusive, Identity, Kind, Space};

const REASON: &str = "not available on this system";

fn unavailable<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, REASON))
}

/// Not told here.
pub(crate) fn cpu_of_other_threads() -> Option<(u64, u64)> {
    None
}

/// Not told here.
pub(crate) fn process_cpu_ns() -> Option<u64> {
    None
}

pub(crate) fn identity(path: &Path) -> io::Result<Identity> {
    let found = std::fs::metadata(path)?;
    let kind = match (found.is_dir(), found.is_file()) {
        (true, _) => Kind::Directory,
        (_, true) => Kind::File,
        _ => Kind::Other,
    };
    let none = (0, 0);
    Ok(Identity {
        kind,
        size_bytes: found.len(),
        device: none,
        stands_for: none,
        mount_id: None,
        is_compressed: None,
        direct_alignment_bytes: None,
    })
}

pub(crate) fn space(_: &Path) -> io::Result<Space> {
    unavailable()
}

/// Unused without /proc; the value of nearly all systems.
pub(crate) fn clock_ticks_per_second() -> f64 {
    100.0
}

/// Unused without /proc; the value of nearly all systems.
pub(crate) fn page_bytes() -> f64 {
    4096.0
}

pub(crate) fn context_switches() -> Option<(u64, u64)> {
    None
}

pub(crate) fn unwritten_bytes(_: &File, _: u64) -> io::Result<u64> {
    unavailable()
}

pub(crate) fn cached_bytes(_: &File, _: u64) -> io::Result<u64> {
    unavailable()
}

pub(crate) fn try_direct_read(_: &Path) -> DirectTrial {
    DirectTrial::Untried(REASON.into())
}

pub(crate) fn try_direct_in(_: &Path) -> (DirectTrial, Option<u64>) {
    (DirectTrial::Untried(REASON.into()), None)
}

pub(crate) fn try_exclusive(_: &Path) -> Exclusive {
    Exclusive::Untried(REASON.into())
}

/// Other systems have no such links.
pub(crate) fn block_device_number(_: &Path) -> Option<(u32, u32)> {
    None
}
