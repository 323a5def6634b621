//! What do FreeBSD and macOS report by calls? Kinds and space of files, CPU time and context switches of the process; what is not there says so. Never run there.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use super::{DirectTrial, Exclusive, Identity, Kind, Space};

const REASON: &str = "not available on this system";

fn unavailable<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, REASON))
}

/// What getrusage(2) says of this process, or of the thread that asks.
fn usage(who: libc::c_int) -> Option<libc::rusage> {
    // SAFETY: plain data, of which zero is a valid value; getrusage writes it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the length of the call.
    (unsafe { libc::getrusage(who, &mut usage) } == 0).then_some(usage)
}

/// CPU time in user and kernel mode, in nanoseconds, of all threads of this process but the one that asks.
#[cfg(target_os = "freebsd")]
pub(crate) fn cpu_of_other_threads() -> Option<(u64, u64)> {
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    // The part first: what is spent between the two calls is counted for the others, not taken from them.
    let (own, all) = (usage(libc::RUSAGE_THREAD)?, usage(libc::RUSAGE_SELF)?);
    Some((
        ns(all.ru_utime).saturating_sub(ns(own.ru_utime)),
        ns(all.ru_stime).saturating_sub(ns(own.ru_stime)),
    ))
}

/// macOS does not report it of one thread by this call.
#[cfg(not(target_os = "freebsd"))]
pub(crate) fn cpu_of_other_threads() -> Option<(u64, u64)> {
    None
}

/// CPU time of this process in nanoseconds, all threads, ended ones included.
pub(crate) fn process_cpu_ns() -> Option<u64> {
    // SAFETY: plain data, of which zero is a valid value; clock_gettime writes it.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the length of the call.
    let rc = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    (rc == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

pub(crate) fn identity(path: &Path) -> io::Result<Identity> {
    let found = std::fs::metadata(path)?;
    let kind = match found.file_type() {
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_file() => Kind::File,
        kind if kind.is_block_device() => Kind::BlockDevice,
        kind if kind.is_char_device() => Kind::CharacterDevice,
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

pub(crate) fn space(path: &Path) -> io::Result<Space> {
    let found = rustix::fs::statvfs(path)?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Ok(Space {
        total_bytes: bytes(found.f_blocks),
        free_bytes: bytes(found.f_bavail),
    })
}

/// Unused without /proc; the value of nearly all systems.
pub(crate) fn clock_ticks_per_second() -> f64 {
    100.0
}

/// Unused without /proc; the value of nearly all systems.
pub(crate) fn page_bytes() -> f64 {
    4096.0
}

/// Voluntary and involuntary context switches of this process, all threads.
pub(crate) fn context_switches() -> Option<(u64, u64)> {
    let usage = usage(libc::RUSAGE_SELF)?;
    Some((
        u64::try_from(usage.ru_nvcsw).ok()?,
        u64::try_from(usage.ru_nivcsw).ok()?,
    ))
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
