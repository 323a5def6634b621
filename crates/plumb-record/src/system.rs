//! What does the operating system report about the path of a result file? Which file it is, in which state, and whether it stores what is written.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The state of a file: if it is the same later, so is the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    bytes: u64,
    /// Nanoseconds since 1970. Programs can set it.
    modified_ns: i128,
    /// The same; set by the system at any change, of the file or of the other time. On Windows the time of creation.
    changed_ns: i128,
    /// Number of the file on its file system; 0 if it is not known.
    number: u64,
}

impl FileState {
    /// When it was written last, in nanoseconds since 1970.
    pub fn modified_ns(&self) -> i128 {
        self.modified_ns
    }

    /// When it changed last, in nanoseconds since 1970.
    pub fn last_change_ns(&self) -> i128 {
        self.modified_ns.max(self.changed_ns)
    }
}

/// The type of a path, as far as writing a result is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// A regular file.
    File,
    /// A pipe, or a device that stores nothing (`/dev/null`, `/dev/full`): writing to it destroys no data.
    Stream,
    /// Neither; a description.
    Other(&'static str),
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{
        DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt,
    };

    use super::*;

    /// Decides by the metadata of the file itself (the caller decides whether symlinks are followed).
    pub fn receiver(metadata: &Metadata) -> Receiver {
        let kind = metadata.file_type();
        let keeps_nothing =
            |name: &str| std::fs::metadata(name).is_ok_and(|same| same.rdev() == metadata.rdev());
        match kind {
            kind if kind.is_file() => Receiver::File,
            kind if kind.is_fifo() => Receiver::Stream,
            kind if kind.is_char_device()
                && ["/dev/null", "/dev/full"].into_iter().any(keeps_nothing) =>
            {
                Receiver::Stream
            }
            kind if kind.is_block_device() => Receiver::Other("a block device"),
            kind if kind.is_char_device() => Receiver::Other("a character device"),
            kind if kind.is_dir() => Receiver::Other("a folder"),
            kind if kind.is_socket() => Receiver::Other("a socket"),
            kind if kind.is_symlink() => Receiver::Other("a symlink"),
            _ => Receiver::Other("not a regular file"),
        }
    }

    /// The sticky bit has no meaning on a file (inode(7)), and nobody sets it there.
    const MARK: u32 = 0o1000;

    /// Creates a new file, with a marker that other files do not have.
    pub fn make_marked(path: &Path) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(MARK | 0o666)
            .open(path)
    }

    /// Removes the marker, if the file system kept it.
    pub fn unmark(file: &File) -> io::Result<()> {
        match file.metadata()?.mode() {
            mode if mode & MARK != 0 => file.set_permissions(Permissions::from_mode(mode & 0o777)),
            _ => Ok(()),
        }
    }

    /// The state of a file.
    pub fn file_state(metadata: &Metadata) -> FileState {
        let ns = |seconds: i64, ns: i64| i128::from(seconds) * 1_000_000_000 + i128::from(ns);
        FileState {
            bytes: metadata.len(),
            modified_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
            number: metadata.ino(),
        }
    }

    /// Creates a folder that only the owner can read.
    pub fn make_private_folder(folder: &Path) -> io::Result<()> {
        std::fs::DirBuilder::new().mode(0o700).create(folder)
    }

    /// True if both are the same file.
    pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
}

#[cfg(not(unix))]
mod other {
    use super::*;

    pub fn receiver(metadata: &Metadata) -> Receiver {
        match metadata.file_type() {
            kind if kind.is_file() => Receiver::File,
            kind if kind.is_dir() => Receiver::Other("a folder"),
            _ => Receiver::Other("not a regular file"),
        }
    }

    /// No markers on this system.
    pub fn make_marked(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }

    pub fn unmark(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub fn file_state(metadata: &Metadata) -> FileState {
        let ns = |time: io::Result<std::time::SystemTime>| {
            let since = time.map(|time| time.duration_since(std::time::SystemTime::UNIX_EPOCH));
            since.map_or(0, |since| since.map_or(0, |since| since.as_nanos() as i128))
        };
        FileState {
            bytes: metadata.len(),
            modified_ns: ns(metadata.modified()),
            changed_ns: ns(metadata.created()),
            number: 0,
        }
    }

    /// The folder for the user's own data is private on this system.
    pub fn make_private_folder(folder: &Path) -> io::Result<()> {
        std::fs::create_dir(folder)
    }

    /// This system does not identify files; length and modification time must do.
    pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
        one.len() == other.len() && one.modified().ok() == other.modified().ok()
    }
}

#[cfg(not(unix))]
pub use other::{file_state, is_same, make_marked, make_private_folder, receiver, unmark};
#[cfg(unix)]
pub use unix::{file_state, is_same, make_marked, make_private_folder, receiver, unmark};
