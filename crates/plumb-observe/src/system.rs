//! What does the operating system report only through calls? The only place in this crate with system calls and `unsafe`.
#![cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        reason = "never constructed on systems that do not report it"
    )
)]

pub(crate) mod block_devices;
pub(crate) mod blocked;
pub(crate) mod btrfs;
pub(crate) mod cim;
pub(crate) mod control_groups;
pub(crate) mod core_times;
pub(crate) mod devstat;
pub(crate) mod event_tracing;
pub(crate) mod file_regions;
pub(crate) mod freebsd_facts;
pub(crate) mod geom;
mod hypervisor;
pub(crate) mod interface;
pub(crate) mod kernel_files;
#[cfg(target_os = "linux")]
mod linux;
pub(crate) mod mounts;
pub(crate) mod netlink;
pub(crate) mod open_paths;
pub(crate) mod opened_files;
#[cfg(not(any(target_os = "linux", windows)))]
mod other;
pub(crate) mod paths;
pub(crate) mod pdh;
pub(crate) mod processes;
pub(crate) mod program_counts;
pub(crate) mod task_delays;
pub(crate) mod tcp_connections;
pub(crate) mod tracepoints;
#[cfg(windows)]
mod windows;
pub(crate) mod windows_facts;

use std::io;
use std::path::Path;

/// The system that plumb runs on.
pub(crate) const IS_LINUX: bool = cfg!(target_os = "linux");
pub(crate) const IS_WINDOWS: bool = cfg!(windows);
pub(crate) const IS_FREEBSD: bool = cfg!(target_os = "freebsd");

/// True for the machine itself, where it runs Windows.
pub(crate) fn is_this_windows(root: &Path) -> bool {
    IS_WINDOWS && root == Path::new("/")
}

pub(crate) use hypervisor::{hypervisor, owns_hypervisor};
#[cfg(target_os = "freebsd")]
pub(crate) use plumb_system::sysctl;

/// The type of a path, following symlinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    File,
    BlockDevice,
    CharacterDevice,
    Other,
}

/// Data of the system about a path, following symlinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub kind: Kind,
    /// Size of a file in bytes; 0 for devices.
    pub size_bytes: u64,
    /// Major and minor number of the device under the file system; (0, n) where it is none.
    pub device: (u32, u32),
    /// Major and minor number that a device file stands for.
    pub stands_for: (u32, u32),
    /// Number of the mount in /proc/self/mountinfo (statx STATX_MNT_ID, Linux 5.8); missing on older kernels.
    pub mount_id: Option<u64>,
    /// The file system says that this file is compressed (statx STATX_ATTR_COMPRESSED); missing when it does not support the question.
    pub is_compressed: Option<bool>,
    /// Alignment of offset and length for O_DIRECT (statx STATX_DIOALIGN, Linux 6.1), 0 when the file does not support it; missing when
    /// the kernel or file system does not report.
    pub direct_alignment_bytes: Option<u64>,
}

/// Space of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Space {
    pub total_bytes: u64,
    /// For this user: without what is reserved for others.
    pub free_bytes: u64,
}

/// Result of an O_DIRECT test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DirectTrial {
    /// A read (and in a directory a write before it) went through; the smallest block that did, in bytes.
    Works(u64),
    /// Refused, with the reason.
    Refused(String),
    /// Could not be tried (no permission, no space, read-only), with the reason.
    Untried(String),
}

/// Result of an exclusive open of a block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Exclusive {
    /// Not claimed in the kernel.
    Free,
    /// Mounted, swapped to, member of an array or mapping, or claimed by another program - in whatever mount namespace.
    Claimed,
    /// Could not be tried, with the reason.
    Untried(String),
}

/// Lets this process have so many files open, if its hard limit allows that.
#[cfg(unix)]
pub(crate) use plumb_system::open_files::allow as allow_open_files;

/// There is no such limit.
#[cfg(windows)]
pub(crate) fn allow_open_files(_: u64) {}

/// Reads at an offset; how many bytes, 0 at the end.
#[cfg(unix)]
pub(crate) fn read_at(file: &std::fs::File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

/// The same; it moves the position of the file, which nothing here depends on.
#[cfg(windows)]
pub(crate) fn read_at(file: &std::fs::File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(not(any(target_os = "linux", windows)))]
pub(crate) use other::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// The first `length` bytes at `offset` of a file or device, for a look at its signatures.
pub(crate) fn bytes_at(path: &Path, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::with_capacity(length);
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
