//! What does the system know of a file, and how is one opened? On every system the same values.

/// What a path is, as far as load on it is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    Directory,
    File,
    BlockDevice,
    CharacterDevice,
    /// A pipe, a socket, or something that this system does not report.
    Other,
}

/// Which file a name stood for when it was judged: a name may be made to stand for another file later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// `st_dev` and `st_ino`.
    pub device: u64,
    pub inode: u64,
}

/// The parts of `stat` that the site judges by. `None` if the system does not report it.
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
/// How to recognize small files that plumb created.
pub struct SmallTraits {
    pub kind: PathKind,
    pub size_bytes: u64,
    /// Last change of the content, and when it was made, nanoseconds since 1970; `None` if the system does not report it.
    pub modified_ns: Option<i128>,
    pub born_ns: Option<i128>,
    /// Made with [`Flags::marked`].
    pub is_marked: bool,
}
