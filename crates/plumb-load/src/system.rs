//! What does the load generator need of the operating system beyond I/O? Time stamps, CPU accounts, pinning, precise sleep.

pub mod files;
pub mod folders;
pub mod kernel_files;
#[cfg(target_os = "linux")]
mod linux;
pub mod mounts;
pub mod nfs_client;
pub mod openers;
#[cfg(not(target_os = "linux"))]
mod other;
pub mod processes;
pub mod programs;
pub mod related_devices;
pub mod tcp_connections;
pub mod trees;

use std::time::Duration;

use crate::engine::failure::{Code, Failure, FailureKind};

/// CPU time and context switches of the calling thread since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadAccount {
    pub user_ns: u64,
    pub system_ns: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    /// Time in which the thread could have run and waited for a CPU. Missing where the kernel does not tell.
    pub waited_for_cpu_ns: Option<u64>,
}

/// The time-stamp counter. Only meaningful where [`counter_is_steady`].
#[inline(always)]
pub fn counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: rdtsc reads a register and is available on every x86-64 processor.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// Waits until all earlier loads have ended, so that a time stamp taken next covers them.
#[inline(always)]
pub fn load_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: lfence has no effect but ordering; part of SSE2, which every x86-64 processor has.
    unsafe {
        core::arch::x86_64::_mm_lfence()
    }
}

/// True when the kernel itself trusts the time-stamp counter: constant rate, runs in all sleep states, same on all CPUs.
pub fn counter_is_steady() -> bool {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return false;
    }
    let source =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .unwrap_or_default();
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = cpu
        .lines()
        .find(|line| line.starts_with("flags"))
        .unwrap_or_default();
    source.trim() == "tsc"
        && ["constant_tsc", "nonstop_tsc"]
            .iter()
            .all(|flag| flags.split_ascii_whitespace().any(|have| have == *flag))
}

/// Memory of this host in bytes, or less where its cgroup allows less; `None` where the system does not tell in these files.
pub fn memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let total = total
        .split_ascii_whitespace()
        .next()?
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)?;
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    Some(total.min(limit.unwrap_or(u64::MAX)))
}

/// Name of this host; empty where the system does not tell it in this file.
pub fn host_name() -> String {
    trimmed("/proc/sys/kernel/hostname")
}

/// Changes with every start of the machine; empty where the system does not tell.
pub fn boot_id() -> String {
    trimmed("/proc/sys/kernel/random/boot_id")
}

fn trimmed(path: &str) -> String {
    std::fs::read_to_string(path)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

#[cfg(target_os = "linux")]
pub use linux::*;
#[cfg(not(target_os = "linux"))]
pub use other::*;

/// Error numbers that every Unix has.
#[cfg(unix)]
const KINDS: &[(i32, FailureKind)] = &[
    (libc::EPERM, FailureKind::NotPermitted),
    (libc::ENOENT, FailureKind::NotFound),
    (libc::EINTR, FailureKind::Interrupted),
    (libc::EIO, FailureKind::Io),
    (libc::ENXIO, FailureKind::NoDeviceOrAddress),
    (libc::EBADF, FailureKind::BadFile),
    (libc::EAGAIN, FailureKind::TryAgain),
    (libc::ENOMEM, FailureKind::OutOfMemory),
    (libc::EACCES, FailureKind::AccessDenied),
    (libc::EFAULT, FailureKind::BadAddress),
    (libc::EBUSY, FailureKind::Busy),
    (libc::EEXIST, FailureKind::AlreadyExists),
    (libc::EXDEV, FailureKind::CrossesDevices),
    (libc::ENODEV, FailureKind::NoDevice),
    (libc::ENOTDIR, FailureKind::NotADirectory),
    (libc::EISDIR, FailureKind::IsADirectory),
    (libc::EINVAL, FailureKind::Invalid),
    (libc::ENFILE, FailureKind::TooManyFilesOfSystem),
    (libc::EMFILE, FailureKind::TooManyFiles),
    (libc::ETXTBSY, FailureKind::ExecutableBusy),
    (libc::EFBIG, FailureKind::FileTooBig),
    (libc::ENOSPC, FailureKind::NoSpace),
    (libc::EROFS, FailureKind::ReadOnly),
    (libc::EMLINK, FailureKind::TooManyLinks),
    (libc::EPIPE, FailureKind::BrokenPipe),
    (libc::EDOM, FailureKind::OutOfDomain),
    (libc::ERANGE, FailureKind::OutOfRange),
    (libc::EDEADLK, FailureKind::Deadlock),
    (libc::ENAMETOOLONG, FailureKind::NameTooLong),
    (libc::ENOSYS, FailureKind::NotImplemented),
    (libc::ENOTEMPTY, FailureKind::NotEmpty),
    (libc::ELOOP, FailureKind::TooManySymlinks),
    (libc::EOVERFLOW, FailureKind::Overflow),
    (libc::EOPNOTSUPP, FailureKind::NotSupported),
    (libc::ETIMEDOUT, FailureKind::TimedOut),
    (libc::EDQUOT, FailureKind::QuotaExceeded),
    (libc::ESTALE, FailureKind::Stale),
    (libc::ECANCELED, FailureKind::Canceled),
    (libc::EILSEQ, FailureKind::IllegalSequence),
    (libc::ENOTCONN, FailureKind::NotConnected),
    (libc::ECONNRESET, FailureKind::ConnectionReset),
    (libc::EHOSTDOWN, FailureKind::HostDown),
    (libc::EHOSTUNREACH, FailureKind::HostUnreachable),
    (libc::ENOLINK, FailureKind::LinkSevered),
    (libc::EBADMSG, FailureKind::BadMessage),
    (libc::EPROTO, FailureKind::ProtocolError),
    (libc::ENOBUFS, FailureKind::NoBuffers),
    (libc::ENETDOWN, FailureKind::NetworkDown),
    (libc::ENETUNREACH, FailureKind::NetworkUnreachable),
    (libc::ECONNREFUSED, FailureKind::ConnectionRefused),
    (libc::ECONNABORTED, FailureKind::ConnectionAborted),
];

/// What disks, reservations and damaged file systems fail with besides (blk_errors in block/blk-core.c; EFSCORRUPTED of ext4 and XFS is EUCLEAN).
#[cfg(target_os = "linux")]
const OF_LINUX: &[(i32, FailureKind)] = &[
    (libc::ENODATA, FailureKind::NoData),
    (libc::EREMOTEIO, FailureKind::RemoteIo),
    (libc::EBADE, FailureKind::BadExchange),
    (libc::EUCLEAN, FailureKind::NeedsCleaning),
    (libc::ENOMEDIUM, FailureKind::NoMedium),
    (libc::ENOKEY, FailureKind::NoKey),
    (libc::ETIME, FailureKind::TimerExpired),
    (libc::EREMCHG, FailureKind::RemoteChanged),
];
#[cfg(all(unix, not(target_os = "linux")))]
const OF_LINUX: &[(i32, FailureKind)] = &[];

/// What an error number of the system means.
#[cfg(unix)]
pub fn failure_kind(errno: i32) -> FailureKind {
    KINDS
        .iter()
        .chain(OF_LINUX)
        .find(|(number, _)| *number == errno)
        .map_or(FailureKind::Other, |(_, kind)| *kind)
}

/// This system's numbers are not told apart yet: the record has them as they are.
#[cfg(not(unix))]
pub fn failure_kind(_: i32) -> FailureKind {
    FailureKind::Other
}

/// The record's name of an error number, such as `ENOSPC`.
pub fn errno_name(errno: i32) -> std::borrow::Cow<'static, str> {
    let (kind, code) = (failure_kind(errno), Code::System(errno as u32));
    Failure { kind, code }.name()
}

/// Closes a file and says what close(2) says, which `drop` does not: file systems on a network and in user space may write then. Whatever it says, the
/// file is closed.
///
/// # Errors
/// As close(2). An interrupted call is none: the descriptor is gone (Linux).
#[cfg(unix)]
pub fn close(file: std::fs::File) -> std::io::Result<()> {
    use std::os::fd::IntoRawFd;
    // SAFETY: the descriptor is given up by its only owner and closed once.
    let rc = unsafe { libc::close(file.into_raw_fd()) };
    let error = std::io::Error::last_os_error();
    if rc == 0 || error.kind() == std::io::ErrorKind::Interrupted {
        Ok(())
    } else {
        Err(error)
    }
}

/// Closes a file; this system does not tell whether that failed.
#[cfg(not(unix))]
pub fn close(_: std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// Sleeps for about this long.
pub fn sleep_ns(ns: u64) {
    std::thread::sleep(Duration::from_nanos(ns));
}

/// Lets a listener take its port although connections of an earlier one still wait there for stray segments (SO_REUSEADDR, socket(7)). Windows means something
/// else by the option, and needs none.
pub fn reuse_address(socket: &socket2::Socket) -> std::io::Result<()> {
    if cfg!(unix) {
        socket.set_reuse_address(true)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pinned_thread_runs_where_it_was_told() {
        std::thread::spawn(|| {
            let first = *allowed_cpus().first().expect("a CPU");
            pin_thread(&[first]).expect("pin");
            assert_eq!(allowed_cpus(), vec![first]);
            assert!(pin_thread(&[]).is_err());
        })
        .join()
        .expect("thread");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_account_rises_with_work() {
        let before = thread_account().expect("rusage");
        let mut sum = 0u64;
        while thread_account()
            .is_some_and(|now| now.user_ns + now.system_ns <= before.user_ns + before.system_ns)
        {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
    }
}
