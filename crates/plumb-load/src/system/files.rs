//! What does the operating system report about a path? Kind and identity, free space, marks, locks, flags of an open file.

#[cfg(not(windows))]
use std::{fs::File, fs::Metadata, io, path::Path};

#[cfg(not(windows))]
use plumb_model::workload::AccessHint;

pub use super::file_traits::{Flags, Identity, MARK_BYTES_MAX, PathKind, Room, Traits};

/// The extended attribute that files made by plumb carry.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub const MARK: &str = "user.plumb.made";

/// Bytes of a disk that is a character device, as FreeBSD's are (DIOCGMEDIASIZE); `None` of other devices. Only what GEOM lists is opened: opening other
/// devices may do something, such as rewinding a tape.
#[cfg(target_os = "freebsd")]
pub fn disk_bytes(path: &Path) -> Option<u64> {
    if !super::geom::is_disk(path) {
        return None;
    }
    super::disk_bytes(&File::open(path).ok()?)
}

/// Who has such a disk, each as a phrase that follows "it is".
#[cfg(target_os = "freebsd")]
pub fn disk_uses(path: &Path) -> Vec<String> {
    super::geom::uses(path)
}

/// There are no such disks.
#[cfg(not(target_os = "freebsd"))]
pub fn disk_uses(_: &std::path::Path) -> Vec<String> {
    Vec::new()
}

/// The same of an NVMe namespace by its generic device.
#[cfg(target_os = "linux")]
pub fn disk_bytes(path: &Path) -> Option<u64> {
    let traits = traits_at(path).ok()?;
    Some(super::nvme::namespace(traits.device_number?)?.bytes)
}

/// There are none.
#[cfg(not(any(target_os = "freebsd", target_os = "linux")))]
pub fn disk_bytes(_: &std::path::Path) -> Option<u64> {
    None
}

/// The block device that shows the same bytes as a character device: that of an NVMe namespace, for its generic device. `None` of other devices.
#[cfg(target_os = "linux")]
pub fn shown_block_device(traits: &Traits) -> Option<std::path::PathBuf> {
    let is_character = traits.kind == PathKind::CharacterDevice;
    let number = traits.device_number.filter(|_| is_character)?;
    Some(super::nvme::namespace(number)?.block_device)
}

/// There are none.
#[cfg(not(target_os = "linux"))]
pub fn shown_block_device(_: &Traits) -> Option<std::path::PathBuf> {
    None
}

#[cfg(not(windows))]
fn unsupported(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("{what} is not available here"),
    )
}

#[cfg(unix)]
mod unix {
    use std::fs::OpenOptions;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};

    use rustix::fs::{FlockOperation, SeekFrom};
    use rustix::io::Errno;

    use super::*;
    use crate::system::device_numbers;

    /// Reads the parts of `stat` that matter here.
    pub fn traits(file: &File) -> io::Result<Traits> {
        file.metadata().map(|metadata| traits_by(&metadata))
    }

    /// The same of what a path leads to; a symlink is reported as itself.
    pub fn traits_at(path: &Path) -> io::Result<Traits> {
        std::fs::symlink_metadata(path).map(|metadata| traits_by(&metadata))
    }

    fn traits_by(metadata: &Metadata) -> Traits {
        let kind = match metadata.file_type() {
            kind if kind.is_dir() => PathKind::Directory,
            kind if kind.is_file() => PathKind::File,
            kind if kind.is_block_device() => PathKind::BlockDevice,
            kind if kind.is_char_device() => PathKind::CharacterDevice,
            _ => PathKind::Other,
        };
        let device = matches!(kind, PathKind::BlockDevice | PathKind::CharacterDevice);
        Traits {
            kind,
            size_bytes: if kind == PathKind::File {
                metadata.len()
            } else {
                0
            },
            identity: Some(Identity {
                device: metadata.dev(),
                inode: metadata.ino(),
            }),
            device_number: device
                .then(|| device_numbers::known(metadata.rdev()))
                .flatten(),
            names: Some(metadata.nlink()),
            modified_ns: Some(
                i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec()),
            ),
            changed_ns: Some(
                i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()),
            ),
        }
    }

    /// Opens a file that is no symlink (O_NOFOLLOW: the name was resolved before), and never takes a terminal over (O_NOCTTY).
    pub fn open(path: &Path, flags: Flags) -> io::Result<File> {
        let mut custom = libc::O_NOFOLLOW | libc::O_NOCTTY;
        for (is_set, flag) in [
            (flags.direct, O_DIRECT),
            (flags.sync, libc::O_SYNC),
            (flags.data_sync, libc::O_DSYNC),
            (flags.exclusive, libc::O_EXCL),
        ] {
            custom |= if is_set { flag } else { 0 };
        }
        let mut options = OpenOptions::new();
        options
            .read(flags.read)
            .write(flags.write)
            .create_new(flags.create)
            .mode(0o600)
            .custom_flags(custom);
        options
            .open(path)
            .and_then(|file| uncached(file, flags.direct))
    }

    #[cfg(not(target_os = "macos"))]
    pub const O_DIRECT: i32 = libc::O_DIRECT;
    /// There is no such flag: see [`uncached`].
    #[cfg(target_os = "macos")]
    pub const O_DIRECT: i32 = 0;

    /// What stands for O_DIRECT where there is no such flag: macOS keeps no data of the file in its cache (fcntl(2), F_NOCACHE). What lies there already is used.
    #[cfg(target_os = "macos")]
    pub fn uncached(file: File, direct: bool) -> io::Result<File> {
        use std::os::fd::AsRawFd;
        // SAFETY: a call with a number, on an open descriptor.
        if direct && unsafe { libc::fcntl(file.as_raw_fd(), libc::F_NOCACHE, 1) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(file)
    }

    #[cfg(not(target_os = "macos"))]
    #[inline(always)]
    pub fn uncached(file: File, _: bool) -> io::Result<File> {
        Ok(file)
    }

    /// Room on the file system that holds `path`.
    pub fn room(path: &Path) -> io::Result<Room> {
        let found = rustix::fs::statvfs(path)?;
        // btrfs and many network file systems have no table of inodes and report 0 of 0.
        let free_files = (found.f_files > 0).then_some(found.f_favail);
        Ok(Room {
            free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
            total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
            free_files,
        })
    }

    /// The first byte of `start..end` that was never written: a hole, or (on ext4, XFS, btrfs) an unwritten extent without dirty pages.
    /// `None` when there is none, or if the file system does not support it: lseek(2) may report the entire file as data.
    pub fn first_hole(file: &File, start: u64, end: u64) -> Option<u64> {
        rustix::fs::seek(file, SeekFrom::Hole(start))
            .ok()
            .filter(|at| *at < end)
    }

    /// Drops the clean pages of the file from the page cache.
    #[cfg(not(target_os = "macos"))]
    pub fn forget_cached(file: &File, start: u64, len: u64) -> io::Result<()> {
        Ok(rustix::fs::fadvise(
            file,
            start,
            std::num::NonZeroU64::new(len),
            rustix::fs::Advice::DontNeed,
        )?)
    }

    /// There is no call for it.
    #[cfg(target_os = "macos")]
    pub fn forget_cached(_: &File, _: u64, _: u64) -> io::Result<()> {
        Err(unsupported("dropping a file from the page cache"))
    }

    /// Tells the kernel in which order a range will be accessed.
    #[cfg(not(target_os = "macos"))]
    pub fn announce(file: &File, start: u64, len: u64, hint: AccessHint) -> io::Result<()> {
        use rustix::fs::Advice;
        let advice = match hint {
            AccessHint::None => return Ok(()),
            AccessHint::Sequential => Advice::Sequential,
            AccessHint::Random => Advice::Random,
            AccessHint::Noreuse => Advice::NoReuse,
        };
        Ok(rustix::fs::fadvise(
            file,
            start,
            std::num::NonZeroU64::new(len),
            advice,
        )?)
    }

    /// There is no call for it, and it is only a hint.
    #[cfg(target_os = "macos")]
    pub fn announce(_: &File, _: u64, _: u64, _: AccessHint) -> io::Result<()> {
        Ok(())
    }

    /// Bytes of a range that are in the page cache. `None` if the kernel does not report it: cachestat(2) came with Linux 6.5.
    #[cfg(target_os = "linux")]
    pub fn cached_bytes(file: &File, start: u64, len: u64) -> Option<u64> {
        use std::os::fd::AsRawFd;
        /// The same number on all architectures (asm-generic/unistd.h).
        const SYS_CACHESTAT: libc::c_long = 451;
        let (range, mut found) = ([start, len], [0u64; 5]);
        // SAFETY: struct cachestat_range is two numbers of 64 bits, struct cachestat five (linux/mman.h); both live over the call. sysconf has no side effects.
        let (rc, page) = unsafe {
            let rc = libc::syscall(
                SYS_CACHESTAT,
                file.as_raw_fd(),
                range.as_ptr(),
                found.as_mut_ptr(),
                0,
            );
            (rc, libc::sysconf(libc::_SC_PAGESIZE))
        };
        (rc == 0).then(|| {
            found[0]
                .saturating_mul(u64::try_from(page).unwrap_or(4096))
                .min(len)
        })
    }

    #[cfg(not(target_os = "linux"))]
    pub fn cached_bytes(_: &File, _: u64, _: u64) -> Option<u64> {
        None
    }

    /// Writes everything of the file system that holds `file` to stable storage.
    #[cfg(target_os = "linux")]
    pub fn sync_file_system(file: &File) -> io::Result<()> {
        Ok(rustix::fs::syncfs(file)?)
    }

    /// The same, as far as there is a call for it: all file systems are instructed to write, which sync(2) does not wait for; the file itself is waited for.
    #[cfg(not(target_os = "linux"))]
    pub fn sync_file_system(file: &File) -> io::Result<()> {
        rustix::fs::sync();
        file.sync_all()
    }

    /// Takes the advisory lock of the entire file (flock(2); it ends with the process, also on SIGKILL). `false`: another one has it.
    pub fn lock(file: &File) -> io::Result<bool> {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// True of a file of the user that this process acts for.
    pub fn is_of_this_user(file: &File) -> bool {
        file.metadata()
            .is_ok_and(|metadata| metadata.uid() == rustix::process::geteuid().as_raw())
    }

    /// Asks a process to end (SIGTERM).
    pub fn end_process(process: u32) -> io::Result<()> {
        let number = i32::try_from(process)
            .ok()
            .and_then(rustix::process::Pid::from_raw)
            .ok_or(io::ErrorKind::InvalidInput)?;
        Ok(rustix::process::kill_process(
            number,
            rustix::process::Signal::TERM,
        )?)
    }

    /// True when another program holds a record lock on the file (fcntl(2)), as virtual machines do on their images.
    pub fn has_record_lock(file: &File) -> bool {
        match rustix::fs::fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK | Errno::ACCESS) => true,
            Err(_) => false,
            Ok(()) => {
                let _ = rustix::fs::fcntl_lock(file, FlockOperation::NonBlockingUnlock);
                false
            }
        }
    }

    /// The mark on a file, if it has one.
    pub fn mark(file: &File) -> Option<String> {
        let mut value = vec![0u8; 4096];
        let len = super::attributes::get(file, value.as_mut_slice()).ok()?;
        value.truncate(len);
        String::from_utf8(value).ok()
    }

    /// Marks a file. An error of kind `Unsupported` when the file system keeps no extended attributes.
    pub fn set_mark(file: &File, value: &str) -> io::Result<()> {
        super::attributes::set(file, value.as_bytes()).map_err(|error| {
            match error.raw_os_error() {
                // Two numbers on some systems, one on others.
                Some(number) if number == libc::EOPNOTSUPP || number == libc::ENOTSUP => {
                    unsupported("keeping extended attributes")
                }
                _ => error,
            }
        })
    }

    /// RLIMIT_NOFILE: descriptors that a process may have open. `None`: any number, or the system does not report it.
    pub fn open_files_limit() -> Option<u64> {
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current
    }

    /// RLIMIT_FSIZE: writing beyond it raises SIGXFSZ, which ends the process.
    pub fn file_size_limit_bytes() -> Option<u64> {
        rustix::process::getrlimit(rustix::process::Resource::Fsize).current
    }
}

/// Where Linux and macOS keep the mark: extended attributes (xattr(7)).
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod attributes {
    use rustix::fs::XattrFlags;

    use super::*;

    pub fn get(file: &File, value: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::fs::fgetxattr(file, MARK, value)?)
    }

    pub fn set(file: &File, value: &[u8]) -> io::Result<()> {
        Ok(rustix::fs::fsetxattr(
            file,
            MARK,
            value,
            XattrFlags::empty(),
        )?)
    }
}

/// Where FreeBSD keeps it: extended attributes in the name space of users (extattr(2), extattr(9)).
#[cfg(target_os = "freebsd")]
mod attributes {
    use std::ffi::CStr;
    use std::os::fd::AsRawFd;

    use super::*;

    const NAME: &CStr = c"plumb.made";

    fn moved(bytes: isize) -> io::Result<usize> {
        usize::try_from(bytes).map_err(|_| io::Error::last_os_error())
    }

    pub fn get(file: &File, value: &mut [u8]) -> io::Result<usize> {
        // SAFETY: name and buffer live over the call, and the buffer's length is passed.
        moved(unsafe {
            libc::extattr_get_fd(
                file.as_raw_fd(),
                libc::EXTATTR_NAMESPACE_USER,
                NAME.as_ptr(),
                value.as_mut_ptr().cast(),
                value.len(),
            )
        })
    }

    pub fn set(file: &File, value: &[u8]) -> io::Result<()> {
        // SAFETY: as above; the buffer is only read.
        moved(unsafe {
            libc::extattr_set_fd(
                file.as_raw_fd(),
                libc::EXTATTR_NAMESPACE_USER,
                NAME.as_ptr(),
                value.as_ptr().cast(),
                value.len(),
            )
        })
        .map(drop)
    }
}

/// What a path of Unix leads to, links followed.
#[cfg(unix)]
mod unix_paths {
    use std::path::{Component, PathBuf};

    use super::*;

    pub fn resolved(path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    /// True when the given name goes through a symlink to reach `path`.
    pub fn goes_through_link(given: &Path, path: &Path) -> bool {
        let Ok(absolute) = std::path::absolute(given) else {
            return false;
        };
        let mut plain = PathBuf::new();
        for component in absolute.components() {
            match component {
                Component::ParentDir => drop(plain.pop()),
                component => plain.push(component),
            }
        }
        plain != path
    }

    /// Opens a file or folder so that it can be brought to stable storage.
    pub fn open_to_sync(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    /// Names by which Windows calls devices are none here.
    pub fn is_device_name(_: &Path) -> bool {
        false
    }

    /// Bytes of a device.
    pub fn device_bytes(device: &mut File) -> io::Result<u64> {
        use std::io::Seek;
        device.seek(std::io::SeekFrom::End(0))
    }

    /// Users of a device without a number; numbers identify it here.
    pub fn uses_of_device(_: &Path) -> Option<Vec<String>> {
        None
    }

    /// Takes what lies on a device from everybody; a claim does that here.
    pub fn take_volumes(_: &Path) -> io::Result<Vec<File>> {
        Ok(Vec::new())
    }
}

#[cfg(windows)]
pub use super::windows::files::{
    allow_open_files, announce, cached_bytes, device_bytes, end_process, file_size_limit_bytes,
    first_hole, forget_cached, goes_through_link, has_record_lock, is_device_name, is_of_this_user,
    lock, mark, open, open_files_limit, open_to_sync, resolved, room, set_mark, sync_file_system,
    take_volumes, traits, traits_at, uses_of_device,
};
#[cfg(unix)]
pub use plumb_system::open_files::allow as allow_open_files;
#[cfg(unix)]
pub(super) use unix::{O_DIRECT, uncached};
#[cfg(unix)]
pub use unix::{
    announce, cached_bytes, end_process, file_size_limit_bytes, first_hole, forget_cached,
    has_record_lock, is_of_this_user, lock, mark, open, open_files_limit, room, set_mark,
    sync_file_system, traits, traits_at,
};
#[cfg(unix)]
pub use unix_paths::{
    device_bytes, goes_through_link, is_device_name, open_to_sync, resolved, take_volumes,
    uses_of_device,
};
