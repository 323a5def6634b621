//! What does the load generator need of the operating system beyond I/O? Time stamps, CPU accounts, pinning, precise sleep.

pub mod arrivals;
#[cfg(unix)]
mod device_numbers;
pub mod file_traits;
pub mod files;
pub mod folders;
#[cfg(target_os = "freebsd")]
mod freebsd;
#[cfg(any(target_os = "freebsd", test))]
pub mod geom;
pub mod interfaces;
pub mod kernel_files;
#[cfg(target_os = "linux")]
mod linux;
pub mod mounts;
pub mod nfs_client;
#[cfg(target_os = "linux")]
pub mod nvme;
#[cfg(unix)]
pub mod offsets;
pub mod openers;
#[cfg(not(any(target_os = "linux", target_os = "freebsd", windows)))]
mod other;
pub mod processes;
pub mod programs;
pub mod related_devices;
#[cfg(any(target_os = "freebsd", target_os = "macos"))]
pub mod sysctl;
pub mod tcp_connections;
pub mod trees;
#[cfg(windows)]
pub(crate) mod windows;

use std::time::Duration;

use crate::engine::failure::{Code, Failure, FailureKind};

/// Pages of a file can be dropped from the page cache.
pub const DROPS_PAGES: bool = cfg!(any(target_os = "linux", target_os = "freebsd"));

/// Files can be kept from every change (ioctl_iflags(2)).
pub const HAS_IMMUTABLE_FILES: bool = cfg!(target_os = "linux");

/// CPU time and context switches of the calling thread since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadAccount {
    pub user_ns: u64,
    pub system_ns: u64,
    /// Missing if the system does not report it, like all that follows.
    pub voluntary_switches: Option<u64>,
    pub involuntary_switches: Option<u64>,
    /// Time in which the thread could have run and waited for a CPU.
    pub waited_for_cpu_ns: Option<u64>,
    /// Page faults that were served from memory, and from storage.
    pub minor_faults: Option<u64>,
    pub major_faults: Option<u64>,
}

/// The time-stamp counter of x86-64, or the virtual count of the generic timer of arm64. Only meaningful where [`counter_is_steady`].
#[inline(always)]
pub fn counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: rdtsc reads a register and is available on every x86-64 processor.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: reads a register that Linux lets programs read; where a processor's erratum forbids it, the kernel reads it for the program.
        unsafe {
            core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
        }
        ticks
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    0
}

/// Name of [`counter`], for the record.
pub const COUNTER: &str = if cfg!(target_arch = "aarch64") {
    "cntvct"
} else {
    "tsc"
};

/// Bytes of a page of memory.
pub fn page_bytes() -> usize {
    #[cfg(unix)]
    return rustix::param::page_size();
    #[cfg(not(unix))]
    4096
}

/// Gives the requests of the calling thread a priority.
///
/// # Errors
/// The system's own, or that it has none.
#[cfg(not(target_os = "linux"))]
pub fn set_io_priority(_: u8, _: u8) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Gives the calling thread a table of descriptors of its own, where the system has that.
#[cfg(not(target_os = "linux"))]
pub fn own_descriptors() {}

/// Takes memory of the calling thread from these nodes.
///
/// # Errors
/// Always: the system has no such call.
#[cfg(not(target_os = "linux"))]
pub fn set_memory_policy(_: &plumb_model::workload::MemoryPolicy) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Waits until all earlier loads have ended, so that a time stamp taken next covers them.
#[inline(always)]
pub fn load_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: lfence has no effect but ordering; part of SSE2, which every x86-64 processor has.
    unsafe {
        core::arch::x86_64::_mm_lfence()
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: barriers have no effect but ordering: earlier loads end, and only then later instructions begin.
    unsafe {
        core::arch::asm!("dsb ishld", "isb", options(nostack, preserves_flags));
    }
}

/// Changes with every start of the machine; empty if the system does not report it.
pub fn boot_id() -> String {
    // FreeBSD has a name of the machine, but none of each start: its start of a process is a time of day, which is enough beside that.
    #[cfg(target_os = "freebsd")]
    return sysctl::text(c"kern.hostuuid").unwrap_or_default();
    #[cfg(target_os = "macos")]
    return sysctl::text(c"kern.bootsessionuuid").unwrap_or_default();
    #[cfg(not(any(target_os = "freebsd", target_os = "macos")))]
    kernel_files::trimmed("/proc/sys/kernel/random/boot_id")
}

#[cfg(target_os = "freebsd")]
pub use freebsd::*;
#[cfg(target_os = "linux")]
pub use linux::*;
#[cfg(not(any(target_os = "linux", target_os = "freebsd", windows)))]
pub use other::*;
#[cfg(windows)]
pub use windows::*;

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

/// What a code of GetLastError means.
#[cfg(windows)]
pub fn failure_kind(code: i32) -> FailureKind {
    crate::engine::failure::windows::kind(code as u32)
}

/// What an error number of the system is.
pub fn code(number: u32) -> Code {
    match cfg!(windows) {
        true => Code::Windows(number),
        false => Code::System(number),
    }
}

/// How a trim of a file or a block device is done by a call, for the record.
pub fn trim_by_call(block_device: bool) -> &'static str {
    #[cfg(windows)]
    return windows::trim::Trim::of(block_device).name();
    #[cfg(not(windows))]
    match block_device {
        true => "trim by ioctl BLKDISCARD",
        false => "trim by fallocate PUNCH_HOLE",
    }
}

/// The record's name of an error number, such as `ENOSPC`.
pub fn errno_name(errno: i32) -> std::borrow::Cow<'static, str> {
    let (kind, code) = (failure_kind(errno), code(errno as u32));
    Failure { kind, code }.name()
}

/// Closes a file and returns the error of close(2), which `drop` does not: network and FUSE file systems may write then. Whatever the result, the
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

/// Closes a file; this system does not report errors of that.
#[cfg(not(unix))]
pub fn close(_: std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// Gives an empty file its length in allocated blocks (fallocate(2)); as a hole where the file system does not allocate ahead.
///
/// # Errors
/// There is no room, or the file may not become so long.
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
pub fn allocate(file: &std::fs::File, len: u64) -> std::io::Result<()> {
    use rustix::io::Errno;
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, len) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => file.set_len(len),
        allocated => Ok(allocated?),
    }
}

/// Gives an empty file its length.
///
/// # Errors
/// The file may not become so long.
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
pub fn allocate(file: &std::fs::File, len: u64) -> std::io::Result<()> {
    file.set_len(len)
}

/// Brings the data of a file to stable storage: fdatasync(2).
#[cfg(all(unix, not(target_os = "macos")))]
pub fn flush_data(fd: std::os::fd::RawFd) -> libc::c_int {
    // SAFETY: plain call on a descriptor.
    unsafe { libc::fdatasync(fd) }
}

/// macOS has one call that reaches the medium: fsync(2) there leaves data in the cache of the drive (fcntl(2), F_FULLFSYNC).
#[cfg(target_os = "macos")]
pub fn flush_data(fd: std::os::fd::RawFd) -> libc::c_int {
    // SAFETY: plain call on a descriptor.
    unsafe { libc::fcntl(fd, libc::F_FULLFSYNC) }
}

/// Brings a file to stable storage with all its metadata: fsync(2).
#[cfg(all(unix, not(target_os = "macos")))]
pub fn flush_all(fd: std::os::fd::RawFd) -> libc::c_int {
    // SAFETY: plain call on a descriptor.
    unsafe { libc::fsync(fd) }
}

#[cfg(target_os = "macos")]
pub fn flush_all(fd: std::os::fd::RawFd) -> libc::c_int {
    flush_data(fd)
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
#[cfg(any(target_os = "linux", windows))]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_runs_where_it_was_told() {
        std::thread::spawn(|| {
            let first = *allowed_cpus().first().expect("a CPU");
            pin_thread(&[first]).expect("pin");
            // Windows reports the CPUs of the process, whose other threads continue as before.
            if cfg!(target_os = "linux") {
                assert_eq!(allowed_cpus(), vec![first]);
            }
            assert!(pin_thread(&[]).is_err());
        })
        .join()
        .expect("thread");
    }

    #[test]
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
