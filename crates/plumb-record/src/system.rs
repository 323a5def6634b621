//! What does the operating system report about the path of a result file? Which file it is, and whether it stores what is written.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

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
    use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};

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

    /// This system does not identify files; length and modification time must do.
    pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
        one.len() == other.len() && one.modified().ok() == other.modified().ok()
    }
}

#[cfg(not(unix))]
pub use other::{is_same, make_marked, receiver, unmark};
#[cfg(unix)]
pub use unix::{is_same, make_marked, receiver, unmark};
