//! How does the operating system reach a file by the descriptor of a folder?

#[cfg(not(windows))]
use std::{
    ffi::OsString,
    fs::{File, Metadata},
    io,
    path::{Path, PathBuf},
};

use super::files::PathKind;
#[cfg(not(windows))]
use super::files::{Flags, Traits};

/// What tells whether plumb made a small file.
pub struct SmallTraits {
    pub kind: PathKind,
    pub size_bytes: u64,
    /// Last change of the content, and when it was made, nanoseconds since 1970; `None` where the system does not tell.
    pub modified_ns: Option<i128>,
    pub born_ns: Option<i128>,
    /// Made with [`Flags::marked`].
    pub is_marked: bool,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::os::unix::io::OwnedFd;

    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, ResolveFlags, StatxFlags};
    use rustix::io::Errno;

    use super::*;
    use crate::system::files::Identity;

    const FOLDER: OFlags = OFlags::DIRECTORY
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);

    /// Folders are reached by their descriptors here.
    pub fn holds_folders() -> bool {
        true
    }

    pub fn open_folder(path: &Path) -> io::Result<File> {
        std::fs::OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW)
            .open(path)
    }

    pub fn open_folder_at(folder: &File, name: &Path) -> io::Result<File> {
        open_beneath(folder, name, FOLDER, Mode::empty())
    }

    pub fn open_above(folder: &File) -> io::Result<File> {
        Ok(rustix::fs::openat(folder, "..", FOLDER, Mode::empty())?.into())
    }

    pub fn open_at(folder: &File, name: &Path, flags: Flags) -> io::Result<File> {
        let access = match (flags.read, flags.write) {
            (true, true) => OFlags::RDWR,
            (false, true) => OFlags::WRONLY,
            _ => OFlags::RDONLY,
        };
        let mut wanted = access | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        for (asked, flag) in [
            (flags.create, OFlags::CREATE | OFlags::EXCL),
            (flags.direct, OFlags::DIRECT),
            (flags.sync, OFlags::from_bits_retain(libc::O_SYNC as u32)),
            (
                flags.data_sync,
                OFlags::from_bits_retain(libc::O_DSYNC as u32),
            ),
            (flags.exclusive, OFlags::EXCL),
        ] {
            wanted |= if asked { flag } else { OFlags::empty() };
        }
        let mode = Mode::RUSR
            | Mode::WUSR
            | if flags.marked {
                Mode::SVTX
            } else {
                Mode::empty()
            };
        open_beneath(
            folder,
            name,
            wanted,
            if flags.create { mode } else { Mode::empty() },
        )
    }

    /// openat2(2) where the kernel has it (5.6) and lets us (containers may not), else one component after the other.
    fn open_beneath(folder: &File, name: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(folder, name, flags, mode, resolve) {
            Ok(opened) => Ok(opened.into()),
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {
                step_by_step(folder, name, flags, mode)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn step_by_step(folder: &File, name: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
        let mut parts = name
            .components()
            .filter(|part| *part != std::path::Component::CurDir)
            .peekable();
        let mut at: OwnedFd = folder.try_clone()?.into();
        while let Some(part) = parts.next() {
            let std::path::Component::Normal(part) = part else {
                return Err(Errno::XDEV.into());
            };
            match parts.peek() {
                Some(_) => {
                    at = rustix::fs::openat(&at, part, FOLDER | OFlags::PATH, Mode::empty())?
                }
                None => return Ok(rustix::fs::openat(&at, part, flags, mode)?.into()),
            }
        }
        Ok(rustix::fs::openat(&at, ".", flags, mode)?.into())
    }

    pub fn traits_at(folder: &File, name: &Path) -> io::Result<Traits> {
        let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => PathKind::Directory,
            FileType::RegularFile => PathKind::File,
            FileType::BlockDevice => PathKind::BlockDevice,
            FileType::CharacterDevice => PathKind::CharacterDevice,
            _ => PathKind::Other,
        };
        let device = matches!(kind, PathKind::BlockDevice | PathKind::CharacterDevice);
        Ok(Traits {
            kind,
            size_bytes: if kind == PathKind::File {
                found.st_size as u64
            } else {
                0
            },
            identity: Some(Identity {
                device: found.st_dev,
                inode: found.st_ino,
            }),
            device_number: device.then(|| {
                (
                    rustix::fs::major(found.st_rdev),
                    rustix::fs::minor(found.st_rdev),
                )
            }),
            names: Some(u64::from(found.st_nlink as u32)),
            modified_ns: Some(
                i128::from(found.st_mtime) * 1_000_000_000 + i128::from(found.st_mtime_nsec),
            ),
            changed_ns: Some(
                i128::from(found.st_ctime) * 1_000_000_000 + i128::from(found.st_ctime_nsec),
            ),
        })
    }

    pub fn small_traits_at(folder: &File, name: &Path) -> io::Result<SmallTraits> {
        let Traits {
            kind,
            size_bytes,
            modified_ns,
            ..
        } = traits_at(folder, name)?;
        let (mut is_marked, mut born_ns) = (false, None);
        if let Ok(found) = rustix::fs::statx(
            folder,
            name,
            AtFlags::SYMLINK_NOFOLLOW,
            StatxFlags::MODE | StatxFlags::BTIME,
        ) {
            is_marked = Mode::from_raw_mode(found.stx_mode.into()).contains(Mode::SVTX);
            let told = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
            born_ns = told.then(|| {
                i128::from(found.stx_btime.tv_sec) * 1_000_000_000
                    + i128::from(found.stx_btime.tv_nsec)
            });
        }
        Ok(SmallTraits {
            kind,
            size_bytes,
            modified_ns,
            is_marked,
            born_ns,
        })
    }

    /// True of a file that was made with [`Flags::marked`], where the file system keeps modes.
    pub fn is_marked(file: &File) -> bool {
        let has_mark = |mode| Mode::from_raw_mode(mode).contains(Mode::SVTX);
        file.metadata()
            .is_ok_and(|metadata| metadata.is_file() && has_mark(metadata.mode()))
    }

    pub fn make_folder(folder: &File, name: &Path) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(folder, name, Mode::RWXU)?)
    }

    pub fn rename(folder: &File, from: &Path, to: &Path) -> io::Result<()> {
        Ok(rustix::fs::renameat(folder, from, folder, to)?)
    }

    pub fn move_to(folder: &File, name: &Path, to: &File, new_name: &Path) -> io::Result<()> {
        match rustix::fs::renameat_with(folder, name, to, new_name, RenameFlags::NOREPLACE) {
            // Not every file system has it (cifs): an empty folder of this name that comes in between would be replaced, and nothing else.
            Err(Errno::INVAL | Errno::NOSYS) => match traits_at(to, new_name) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Ok(rustix::fs::renameat(folder, name, to, new_name)?)
                }
                Err(error) => Err(error),
            },
            result => Ok(result?),
        }
    }

    pub fn remove(folder: &File, name: &Path, is_folder: bool) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(
            folder,
            name,
            if is_folder {
                AtFlags::REMOVEDIR
            } else {
                AtFlags::empty()
            },
        )?)
    }

    pub fn names(folder: &File, name: &Path) -> io::Result<Vec<OsString>> {
        let opened = open_folder_at(folder, name)?;
        let mut found = Vec::new();
        for entry in Dir::new(opened)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                found.push(OsString::from_vec(name));
            }
        }
        Ok(found)
    }

    pub fn owner(file: &File) -> io::Result<u32> {
        file.metadata().map(|metadata| metadata.uid())
    }

    /// Permission bits of group and others to write.
    const OTHERS_WRITE: u32 = 0o022;

    /// True where others than the owner may write.
    pub fn others_write(file: &File) -> io::Result<bool> {
        file.metadata()
            .map(|metadata| metadata.mode() & OTHERS_WRITE != 0)
    }

    /// True when nobody but root and this user can rename what lies in the folder: the sticky bit keeps others from it.
    pub fn is_safe_on_the_way(folder: &Metadata) -> bool {
        const STICKY: u32 = 0o1000;
        let mine = [0, rustix::process::geteuid().as_raw()].contains(&folder.uid());
        mine && (folder.mode() & OTHERS_WRITE == 0 || folder.mode() & STICKY != 0)
    }

    /// What the folder is called now (proc(5), /proc/self/fd).
    pub fn path_of(folder: &File) -> Option<PathBuf> {
        use std::os::fd::AsRawFd;
        std::fs::read_link(format!("/proc/self/fd/{}", folder.as_raw_fd()))
            .ok()
            .filter(|path| path.is_absolute())
    }
}

/// Without calls that take a descriptor, the path is all there is: opened folders are known by it.
#[cfg(not(any(target_os = "linux", windows)))]
mod other {
    use super::*;

    fn unsupported() -> io::Error {
        io::Error::new(
            io::ErrorKind::Unsupported,
            "working in a folder by its descriptor is not available here",
        )
    }

    pub fn holds_folders() -> bool {
        false
    }

    pub fn open_folder(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub fn open_folder_at(_: &File, _: &Path) -> io::Result<File> {
        Err(unsupported())
    }

    pub fn open_above(_: &File) -> io::Result<File> {
        Err(unsupported())
    }

    pub fn open_at(_: &File, _: &Path, _: Flags) -> io::Result<File> {
        Err(unsupported())
    }

    pub fn traits_at(_: &File, _: &Path) -> io::Result<Traits> {
        Err(unsupported())
    }

    pub fn small_traits_at(_: &File, _: &Path) -> io::Result<SmallTraits> {
        Err(unsupported())
    }

    pub fn is_marked(_: &File) -> bool {
        false
    }

    pub fn make_folder(_: &File, _: &Path) -> io::Result<()> {
        Err(unsupported())
    }

    pub fn rename(_: &File, _: &Path, _: &Path) -> io::Result<()> {
        Err(unsupported())
    }

    pub fn move_to(_: &File, _: &Path, _: &File, _: &Path) -> io::Result<()> {
        Err(unsupported())
    }

    pub fn remove(_: &File, _: &Path, _: bool) -> io::Result<()> {
        Err(unsupported())
    }

    pub fn names(_: &File, _: &Path) -> io::Result<Vec<OsString>> {
        Err(unsupported())
    }

    pub fn owner(_: &File) -> io::Result<u32> {
        Ok(0)
    }

    pub fn others_write(_: &File) -> io::Result<bool> {
        Ok(false)
    }

    pub fn is_safe_on_the_way(_: &Metadata) -> bool {
        true
    }

    pub fn path_of(_: &File) -> Option<PathBuf> {
        None
    }
}

#[cfg(windows)]
pub use super::windows::folders::{
    holds_folders, is_marked, is_safe_on_the_way, make_folder, move_to, names, open_above, open_at,
    open_folder, open_folder_at, others_write, owner, path_of, remove, rename, small_traits_at,
    traits_at,
};
#[cfg(target_os = "linux")]
pub use linux::{
    holds_folders, is_marked, is_safe_on_the_way, make_folder, move_to, names, open_above, open_at,
    open_folder, open_folder_at, others_write, owner, path_of, remove, rename, small_traits_at,
    traits_at,
};
#[cfg(not(any(target_os = "linux", windows)))]
pub use other::{
    holds_folders, is_marked, is_safe_on_the_way, make_folder, move_to, names, open_above, open_at,
    open_folder, open_folder_at, others_write, owner, path_of, remove, rename, small_traits_at,
    traits_at,
};
