//! What does the operating system have to be asked about a path? Kind and identity, free space, marks, locks, flags of an open file.

#[cfg(not(windows))]
use std::fs::{File, Metadata};
#[cfg(not(windows))]
use std::io;
#[cfg(not(windows))]
use std::path::Path;

/// What a path is, as far as load on it is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    Directory,
    File,
    BlockDevice,
    CharacterDevice,
    /// A pipe, a socket, or something that this system does not tell.
    Other,
}

/// Which file a name stood for when it was judged: a name may be made to stand for another file later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// `st_dev` and `st_ino`.
    pub device: u64,
    pub inode: u64,
}

/// The parts of `stat` that the site judges by. `None` where the system does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    pub kind: PathKind,
    /// Length of a file in bytes; 0 for devices.
    pub size_bytes: u64,
    pub identity: Option<Identity>,
    /// Major and minor number of a device file.
    pub device_number: Option<(u32, u32)>,
    /// Names (hard links) that the file has.
    pub names: Option<u64>,
    /// Last change of the content, nanoseconds since 1970.
    pub modified_ns: Option<i128>,
    /// Last change of the inode (ctime), nanoseconds since 1970: no call sets it.
    pub changed_ns: Option<i128>,
}

/// How a file is to be opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    pub read: bool,
    pub write: bool,
    /// Make the file; fail when the name is taken. Readable and writable for its owner only.
    pub create: bool,
    /// O_DIRECT.
    pub direct: bool,
    /// O_SYNC, or O_DSYNC.
    pub sync: bool,
    pub data_sync: bool,
    /// O_EXCL on a block device: fails while a mount, RAID, mapping or swap has it.
    pub exclusive: bool,
    /// A file that is made is marked by its mode: the sticky bit, which means nothing on a file (inode(7)) and which nobody sets there.
    pub marked: bool,
}

/// Room on a file system, for a user without privileges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    pub free_bytes: u64,
    pub total_bytes: u64,
    /// Files that can still be made; missing when the file system has no fixed number.
    pub free_files: Option<u64>,
}

/// Longer marks are none of plumb's: some file systems hold no more.
pub const MARK_BYTES_MAX: usize = 3500;
/// The extended attribute that files made by plumb carry.
#[cfg(target_os = "linux")]
pub const MARK: &str = "user.plumb.made";

#[cfg(not(windows))]
fn unsupported(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("{what} is not available here"),
    )
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::OpenOptions;
    use std::num::NonZeroU64;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};

    use rustix::fs::{Advice, FlockOperation, SeekFrom, XattrFlags};
    use rustix::io::Errno;

    use super::*;

    /// Reads the parts of `stat` that matter here.
    pub fn traits(file: &File) -> io::Result<Traits> {
        file.metadata().map(|metadata| traits_by(&metadata))
    }

    /// The same of what a path leads to; a symlink is told as itself.
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
            device_number: device.then(|| {
                (
                    rustix::fs::major(metadata.rdev()),
                    rustix::fs::minor(metadata.rdev()),
                )
            }),
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
        for (wanted, flag) in [
            (flags.direct, libc::O_DIRECT),
            (flags.sync, libc::O_SYNC),
            (flags.data_sync, libc::O_DSYNC),
            (flags.exclusive, libc::O_EXCL),
        ] {
            custom |= if wanted { flag } else { 0 };
        }
        let mut options = OpenOptions::new();
        options
            .read(flags.read)
            .write(flags.write)
            .create_new(flags.create)
            .mode(0o600)
            .custom_flags(custom);
        options.open(path)
    }

    /// Room on the file system that holds `path`.
    pub fn room(path: &Path) -> io::Result<Room> {
        let found = rustix::fs::statvfs(path)?;
        // btrfs and many network file systems have no table of inodes and say 0 of 0.
        let free_files = (found.f_files > 0).then_some(found.f_favail);
        Ok(Room {
            free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
            total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
            free_files,
        })
    }

    /// The first byte of `start..end` that was never written: a hole, or (on ext4, XFS, btrfs) an unwritten extent without dirty pages.
    /// `None` when there is none, or when the file system cannot tell: lseek(2) lets it report the whole file as data.
    pub fn first_hole(file: &File, start: u64, end: u64) -> Option<u64> {
        rustix::fs::seek(file, SeekFrom::Hole(start))
            .ok()
            .filter(|at| *at < end)
    }

    /// Drops the clean pages of the file from the page cache.
    pub fn forget_cached(file: &File, start: u64, len: u64) -> io::Result<()> {
        Ok(rustix::fs::fadvise(
            file,
            start,
            NonZeroU64::new(len),
            Advice::DontNeed,
        )?)
    }

    /// Bytes of a range that are in the page cache. `None` where the kernel does not tell: cachestat(2) came with Linux 6.5.
    pub fn cached_bytes(file: &File, start: u64, len: u64) -> Option<u64> {
        use std::os::fd::AsRawFd;
        /// The same number on all architectures (asm-generic/unistd.h).
        const SYS_CACHESTAT: libc::c_long = 451;
        let (range, mut found) = ([start, len], [0u64; 5]);
        // SAFETY: struct cachestat_range is two numbers of 64 bits, struct cachestat five (linux/mman.h); both live over the call. sysconf only tells.
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

    /// Writes everything of the file system that holds `file` to stable storage.
    pub fn sync_file_system(file: &File) -> io::Result<()> {
        Ok(rustix::fs::syncfs(file)?)
    }

    /// Takes the advisory lock of the whole file (flock(2); it ends with the process, also on SIGKILL). `false`: another one has it.
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
        let len = rustix::fs::fgetxattr(file, MARK, value.as_mut_slice()).ok()?;
        value.truncate(len);
        String::from_utf8(value).ok()
    }

    /// Marks a file. An error of kind `Unsupported` when the file system keeps no extended attributes.
    pub fn set_mark(file: &File, value: &str) -> io::Result<()> {
        rustix::fs::fsetxattr(file, MARK, value.as_bytes(), XattrFlags::empty()).map_err(|error| {
            match error {
                Errno::OPNOTSUPP => unsupported("keeping extended attributes"),
                error => error.into(),
            }
        })
    }

    /// RLIMIT_NOFILE: descriptors that a process may have open. `None`: any number, or the system does not tell.
    pub fn open_files_limit() -> Option<u64> {
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current
    }

    /// RLIMIT_FSIZE: writing beyond it raises SIGXFSZ, which ends the process.
    pub fn file_size_limit_bytes() -> Option<u64> {
        rustix::process::getrlimit(rustix::process::Resource::Fsize).current
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod other {
    use super::*;

    pub fn traits(file: &File) -> io::Result<Traits> {
        file.metadata().map(|metadata| traits_by(&metadata))
    }

    pub fn traits_at(path: &Path) -> io::Result<Traits> {
        std::fs::symlink_metadata(path).map(|metadata| traits_by(&metadata))
    }

    fn traits_by(metadata: &Metadata) -> Traits {
        let kind = if metadata.is_dir() {
            PathKind::Directory
        } else if metadata.is_file() {
            PathKind::File
        } else {
            PathKind::Other
        };
        Traits {
            kind,
            size_bytes: metadata.len(),
            identity: None,
            device_number: None,
            names: None,
            modified_ns: None,
            changed_ns: None,
        }
    }

    pub fn open(path: &Path, flags: Flags) -> io::Result<File> {
        if flags.direct || flags.sync || flags.data_sync || flags.exclusive {
            return Err(unsupported("opening with direct, sync or dsync"));
        }
        std::fs::OpenOptions::new()
            .read(flags.read)
            .write(flags.write)
            .create_new(flags.create)
            .open(path)
    }

    pub fn room(_: &Path) -> io::Result<Room> {
        Err(unsupported("the free space of a file system"))
    }

    pub fn first_hole(_: &File, _: u64, _: u64) -> Option<u64> {
        None
    }

    pub fn forget_cached(_: &File, _: u64, _: u64) -> io::Result<()> {
        Err(unsupported("dropping a file from the cache"))
    }

    pub fn cached_bytes(_: &File, _: u64, _: u64) -> Option<u64> {
        None
    }

    pub fn sync_file_system(file: &File) -> io::Result<()> {
        file.sync_all()
    }

    pub fn lock(_: &File) -> io::Result<bool> {
        Err(unsupported("locking a file"))
    }

    pub fn is_of_this_user(_: &File) -> bool {
        false
    }

    pub fn end_process(_: u32) -> io::Result<()> {
        Err(unsupported("ending another process"))
    }

    pub fn has_record_lock(_: &File) -> bool {
        false
    }

    pub fn mark(_: &File) -> Option<String> {
        None
    }

    pub fn set_mark(_: &File, _: &str) -> io::Result<()> {
        Err(unsupported("marking a file"))
    }

    pub fn open_files_limit() -> Option<u64> {
        None
    }

    pub fn file_size_limit_bytes() -> Option<u64> {
        None
    }
}

/// What a path of Unix leads to, links followed.
#[cfg(unix)]
mod unix {
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

    /// Bytes of a device.
    pub fn device_bytes(device: &mut File) -> io::Result<u64> {
        use std::io::Seek;
        device.seek(std::io::SeekFrom::End(0))
    }

    /// Who uses a device that has no number; numbers tell it here.
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
    cached_bytes, device_bytes, end_process, file_size_limit_bytes, first_hole, forget_cached,
    goes_through_link, has_record_lock, is_of_this_user, lock, mark, open, open_files_limit,
    open_to_sync, resolved, room, set_mark, sync_file_system, take_volumes, traits, traits_at,
    uses_of_device,
};
#[cfg(target_os = "linux")]
pub use linux::{
    cached_bytes, end_process, file_size_limit_bytes, first_hole, forget_cached, has_record_lock,
    is_of_this_user, lock, mark, open, open_files_limit, room, set_mark, sync_file_system, traits,
    traits_at,
};
#[cfg(not(any(target_os = "linux", windows)))]
pub use other::{
    cached_bytes, end_process, file_size_limit_bytes, first_hole, forget_cached, has_record_lock,
    is_of_this_user, lock, mark, open, open_files_limit, room, set_mark, sync_file_system, traits,
    traits_at,
};
#[cfg(unix)]
pub use unix::{
    device_bytes, goes_through_link, open_to_sync, resolved, take_volumes, uses_of_device,
};
