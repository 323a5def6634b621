//! How is a file of the site opened for load, and does it really bypass the page cache?

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use plumb_model::workload::{AccessHint, Direct, Sync};

use crate::site::file::{SiteFile, SiteKind};
use crate::site::refusal::SiteError;
use crate::system;
use crate::system::files::{self, Flags};

/// Alignment that every device known takes for O_DIRECT: 4 KiB.
pub const DIRECT_ALIGNMENT_BYTES: u64 = 4096;

/// What an engine wants of an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub direct: Direct,
    pub sync: Sync,
    pub read: bool,
    pub write: bool,
    /// Smallest block of the workload, in bytes: O_DIRECT is tried with a block of this size.
    pub block_bytes: u64,
    /// What the kernel is told about the order of accesses.
    pub hint: AccessHint,
}

/// An open file, and what became of the wishes.
#[derive(Debug)]
pub struct Opened {
    pub file: File,
    /// O_DIRECT is in force and a block has been read with it. `None` for character devices, which have no page cache.
    pub direct: Option<bool>,
    /// Why O_DIRECT, which was wanted if possible, is not in force.
    pub refused: Option<String>,
}

/// A buffer whose bytes begin at a multiple of the alignment of O_DIRECT.
pub struct AlignedBuffer {
    memory: Vec<u8>,
    begin: usize,
    len: usize,
}

impl AlignedBuffer {
    /// Zeroed memory of `len` bytes.
    pub fn new(len: usize) -> Self {
        let memory = vec![0; len + DIRECT_ALIGNMENT_BYTES as usize];
        let begin = memory
            .as_ptr()
            .align_offset(DIRECT_ALIGNMENT_BYTES as usize);
        AlignedBuffer { memory, begin, len }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.begin..self.begin + self.len]
    }
}

/// Opens a file of the site. With `Direct::Yes` a target without O_DIRECT is an error with the reason; with `Direct::Try` it is opened buffered,
/// and `refused` has the reason.
pub fn open_file(file: &SiteFile, access: &Access) -> Result<Opened, SiteError> {
    let flags = Flags {
        read: access.read,
        write: access.write,
        sync: access.sync == Sync::Sync,
        data_sync: access.sync == Sync::Dsync,
        ..Flags::default()
    };
    let has_cache = file.kind != SiteKind::CharacterDevice;
    let refused = match access.direct {
        Direct::No => None,
        _ if !has_cache => Some("a character device has no page cache to bypass".to_owned()),
        _ => direct_refusal(file, access.block_bytes),
    };
    if let (Direct::Yes, Some(reason), true) = (access.direct, &refused, has_cache) {
        return Err(SiteError::Unsuitable(format!(
            "{} cannot be opened for O_DIRECT as requested: {reason}; use --direct try or --direct false, another block size, or another target",
            file.path.display()
        )));
    }
    let direct = access.direct != Direct::No && refused.is_none();
    let opened = file
        .open(Flags { direct, ..flags })
        .map_err(SiteError::kernel("open", &file.path))?;
    is_still_it(file, &opened)?;
    if has_cache {
        files::announce(&opened, file.start, file.len, access.hint).map_err(SiteError::kernel(
            "announce the order of accesses to",
            &file.path,
        ))?;
    }
    Ok(Opened {
        file: opened,
        direct: has_cache.then_some(direct),
        refused,
    })
}

/// Refuses a file that has taken the name of the one that was judged.
fn is_still_it(file: &SiteFile, opened: &File) -> Result<(), SiteError> {
    let traits = files::traits(opened).map_err(SiteError::kernel("examine", &file.path))?;
    if traits.identity == file.identity {
        return Ok(());
    }
    Err(SiteError::Refused(format!(
        "{} has been replaced by another file since the run started: start again when nothing else changes it",
        file.path.display()
    )))
}

/// Why O_DIRECT does not work on the file with blocks of this size; `None` when it works. Opening may succeed where reading fails (EINVAL: alignment, or a
/// file system that does not do it), therefore a block is read if the kernel does not report it.
pub fn direct_refusal(file: &SiteFile, block_bytes: u64) -> Option<String> {
    let mut opened = match file.open(Flags {
        read: true,
        direct: true,
        ..Flags::default()
    }) {
        Ok(opened) => opened,
        Err(error) if is_refusal(&error) => {
            return Some("the file system does not support it (EINVAL on open)".into());
        }
        // A write-only target cannot be tried: only the flag at open can be tested.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let flags = Flags {
                write: true,
                direct: true,
                ..Flags::default()
            };
            return file
                .open(flags)
                .err()
                .filter(is_refusal)
                .map(|error| error.to_string());
        }
        // Other errors are not about O_DIRECT: opening the file for load reports them.
        Err(_) => return None,
    };
    let is_aligned = |align| file.start.is_multiple_of(align) && block_bytes.is_multiple_of(align);
    if system::direct_alignment_bytes(&opened).is_some_and(is_aligned) {
        return None;
    }
    match read_block(&mut opened, file.start, block_bytes) {
        Err(error) if is_refusal(&error) => Some(explain(&mut opened, file.start, block_bytes)),
        // A medium that cannot be read (EIO) does no worse with O_DIRECT: that is for the run to count.
        Ok(()) | Err(_) => None,
    }
}

/// EINVAL, and EOPNOTSUPP of some file systems in user space.
fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
    )
}

/// Reads one block at `start`; a file that ends there reads nothing, which is no error.
fn read_block(file: &mut File, start: u64, block_bytes: u64) -> io::Result<()> {
    let mut buffer = AlignedBuffer::new(block_bytes as usize);
    file.seek(SeekFrom::Start(start))?;
    file.read(buffer.bytes()).map(drop)
}

/// Tells a wrong alignment from a file system that refuses every read.
fn explain(file: &mut File, start: u64, block_bytes: u64) -> String {
    let step = [512, DIRECT_ALIGNMENT_BYTES]
        .into_iter()
        .find(|step| read_block(file, start - start % step, *step).is_ok());
    match step {
        Some(step) => format!(
            "block and start must be multiples of {step} bytes here (block {block_bytes}, start {start})"
        ),
        None => "every read fails with EINVAL".into(),
    }
}
