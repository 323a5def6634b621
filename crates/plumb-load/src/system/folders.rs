//! How does the operating system reach a file by the descriptor of a folder?

#[cfg(not(windows))]
use std::{
    ffi::OsString,
    fs::{File, Metadata},
    io,
    path::{Path, PathBuf},
};

pub use super::file_traits::SmallTraits;
#[cfg(not(windows))]
use super::file_traits::{Flags, PathKind, Traits};

#[cfg(unix)]
mod unix {
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::os::unix::io::OwnedFd;

    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
    use rustix::io::Errno;

    use super::*;
    use crate::system::device_numbers;
    use crate::system::files::{Identity, O_DIRECT, uncached};

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
        let mut open_flags = access | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        for (is_set, flag) in [
            (flags.create, OFlags::CREATE | OFlags::EXCL),
            (flags.direct, OFlags::from_bits_retain(O_DIRECT as u32)),
            (flags.sync, OFlags::from_bits_retain(libc::O_SYNC as u32)),
            (
                flags.data_sync,
                OFlags::from_bits_retain(libc::O_DSYNC as u32),
            ),
            (flags.exclusive, OFlags::EXCL),
        ] {
            open_flags |= if is_set { flag } else { OFlags::empty() };
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
            open_flags,
            if flags.create { mode } else { Mode::empty() },
        )
        .and_then(|file| uncached(file, flags.direct))
    }

    /// openat2(2) where the kernel has it (5.6) and lets us (containers may not), else one component after the other.
    #[cfg(target_os = "linux")]
    fn open_beneath(folder: &File, name: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(folder, name, flags, mode, resolve) {
            Ok(opened) => Ok(opened.into()),
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {
                step_by_step(folder, name, flags, mode)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// One component after the other: no link is followed, and none leads above.
    #[cfg(not(target_os = "linux"))]
    fn open_beneath(folder: &File, name: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
        step_by_step(folder, name, flags, mode)
    }

    /// How a folder on the way is opened: without reading it, where there is such a flag.
    #[cfg(target_os = "linux")]
    const ON_THE_WAY: OFlags = FOLDER.union(OFlags::PATH);
    #[cfg(not(target_os = "linux"))]
    const ON_THE_WAY: OFlags = FOLDER;

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
                Some(_) => at = rustix::fs::openat(&at, part, ON_THE_WAY, Mode::empty())?,
                None => return Ok(rustix::fs::openat(&at, part, flags, mode)?.into()),
            }
        }
        Ok(rustix::fs::openat(&at, ".", flags, mode)?.into())
    }

    /// The number of a device as the standard library has it (`MetadataExt::dev`).
    #[cfg(not(target_os = "macos"))]
    fn wide(device: u64) -> u64 {
        device
    }

    #[cfg(target_os = "macos")]
    fn wide(device: i32) -> u64 {
        device as u64
    }

    pub fn traits_at(folder: &File, name: &Path) -> io::Result<Traits> {
        Ok(traits_of(&rustix::fs::statat(
            folder,
            name,
            AtFlags::SYMLINK_NOFOLLOW,
        )?))
    }

    fn traits_of(found: &Stat) -> Traits {
        let kind = match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => PathKind::Directory,
            FileType::RegularFile => PathKind::File,
            FileType::BlockDevice => PathKind::BlockDevice,
            FileType::CharacterDevice => PathKind::CharacterDevice,
            _ => PathKind::Other,
        };
        let device = matches!(kind, PathKind::BlockDevice | PathKind::CharacterDevice);
        Traits {
            kind,
            size_bytes: if kind == PathKind::File {
                found.st_size as u64
            } else {
                0
            },
            identity: Some(Identity {
                device: wide(found.st_dev),
                inode: found.st_ino,
            }),
            device_number: device
                .then(|| device_numbers::known(wide(found.st_rdev)))
                .flatten(),
            names: Some(u64::from(found.st_nlink as u32)),
            modified_ns: Some(
                i128::from(found.st_mtime) * 1_000_000_000 + i128::from(found.st_mtime_nsec),
            ),
            changed_ns: Some(
                i128::from(found.st_ctime) * 1_000_000_000 + i128::from(found.st_ctime_nsec),
            ),
        }
    }

    /// The sticky bit of a file is taken away where it is made (sticky(7)): plumb's files are recognized there by their content.
    #[cfg(not(target_os = "linux"))]
    pub fn small_traits_at(folder: &File, name: &Path) -> io::Result<SmallTraits> {
        let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let traits = traits_of(&found);
        Ok(SmallTraits {
            kind: traits.kind,
            size_bytes: traits.size_bytes,
            modified_ns: traits.modified_ns,
            is_marked: Mode::from_raw_mode(found.st_mode).contains(Mode::SVTX),
            born_ns: Some(
                i128::from(found.st_birthtime) * 1_000_000_000
                    + i128::from(found.st_birthtime_nsec),
            ),
        })
    }

    #[cfg(target_os = "linux")]
    pub fn small_traits_at(folder: &File, name: &Path) -> io::Result<SmallTraits> {
        use rustix::fs::StatxFlags;
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
            let has_birth_time =
                StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
            born_ns = has_birth_time.then(|| {
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
        const STICKY: u32 = 0o1000;
        file.metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.mode() & STICKY != 0)
    }

    pub fn make_folder(folder: &File, name: &Path) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(folder, name, Mode::RWXU)?)
    }

    pub fn rename(folder: &File, from: &Path, to: &Path) -> io::Result<()> {
        Ok(rustix::fs::renameat(folder, from, folder, to)?)
    }

    pub fn move_to(folder: &File, name: &Path, to: &File, new_name: &Path) -> io::Result<()> {
        match rename_to_new(folder, name, to, new_name) {
            // Not every file system has it (cifs), nor every system: an empty folder of this name that comes in between would be replaced, and nothing else.
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

    /// Renames, and fails where the new name is taken.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn rename_to_new(
        folder: &File,
        name: &Path,
        to: &File,
        new_name: &Path,
    ) -> rustix::io::Result<()> {
        use rustix::fs::RenameFlags;
        rustix::fs::renameat_with(folder, name, to, new_name, RenameFlags::NOREPLACE)
    }

    /// There is no such call.
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn rename_to_new(_: &File, _: &Path, _: &File, _: &Path) -> rustix::io::Result<()> {
        Err(Errno::NOSYS)
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

    /// What the folder is called now (fcntl(2), F_KINFO of FreeBSD 14 and F_GETPATH of macOS, are not used).
    #[cfg(not(target_os = "linux"))]
    pub fn path_of(_: &File) -> Option<PathBuf> {
        None
    }

    /// What the folder is called now (proc(5), /proc/self/fd).
    #[cfg(target_os = "linux")]
    pub fn path_of(folder: &File) -> Option<PathBuf> {
        use std::os::fd::AsRawFd;
        std::fs::read_link(format!("/proc/self/fd/{}", folder.as_raw_fd()))
            .ok()
            .filter(|path| path.is_absolute())
    }
}

#[cfg(windows)]
pub use super::windows::folders::{
    holds_folders, is_marked, is_safe_on_the_way, make_folder, move_to, names, open_above, open_at,
    open_folder, open_folder_at, others_write, owner, path_of, remove, rename, small_traits_at,
    traits_at,
};
#[cfg(unix)]
pub use unix::{
    holds_folders, is_marked, is_safe_on_the_way, make_folder, move_to, names, open_above, open_at,
    open_folder, open_folder_at, others_write, owner, path_of, remove, rename, small_traits_at,
    traits_at,
};
