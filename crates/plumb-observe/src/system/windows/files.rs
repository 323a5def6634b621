//! What is a path, how much room is there, and does unbuffered I/O work?

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use windows_sys::Win32::Foundation::{
    ERROR_INVALID_PARAMETER, ERROR_MORE_DATA, ERROR_NOT_SUPPORTED,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_COMPRESSED, FILE_FLAG_DELETE_ON_CLOSE, FILE_FLAG_NO_BUFFERING,
    GetDiskFreeSpaceExW,
};
use windows_sys::Win32::System::IO::DeviceIoControl;

use super::wide;
use crate::system::file_regions::{self, Answer};
use crate::system::{DirectTrial, Identity, Kind, Space};

/// What `path` is.
pub(crate) fn identity(path: &Path) -> io::Result<Identity> {
    let found = std::fs::metadata(path)?;
    let kind = match (found.is_dir(), found.is_file()) {
        (true, _) => Kind::Directory,
        (_, true) => Kind::File,
        _ => Kind::Other,
    };
    Ok(Identity {
        kind,
        size_bytes: found.len(),
        device: (0, 0),
        stands_for: (0, 0),
        mount_id: None,
        is_compressed: Some(found.file_attributes() & FILE_ATTRIBUTE_COMPRESSED != 0),
        direct_alignment_bytes: None,
    })
}

/// Space of the volume or share that holds the folder `path`.
pub(crate) fn space(path: &Path) -> io::Result<Space> {
    let folder = match path.is_dir() {
        true => path,
        false => path.parent().unwrap_or(path),
    };
    let name = wide(folder);
    let mut space = Space {
        total_bytes: 0,
        free_bytes: 0,
    };
    // SAFETY: the name ends with 0, and both numbers live over the call.
    let done = unsafe {
        GetDiskFreeSpaceExW(
            name.as_ptr(),
            &mut space.free_bytes,
            &mut space.total_bytes,
            std::ptr::null_mut(),
        )
    };
    match done {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(space),
    }
}

/// Bytes of the file that were never written, as its file system reports.
pub(crate) fn unwritten_bytes(file: &File, size_bytes: u64) -> io::Result<u64> {
    let mut ask = |code: u32, requested: &[u8], answer: &mut [u8]| {
        let mut filled = 0;
        // SAFETY: the handle is open and not asynchronous; pointers and lengths belong together, and live over the call.
        let done = unsafe {
            DeviceIoControl(
                file.as_raw_handle(),
                code,
                requested.as_ptr().cast(),
                requested.len() as u32,
                answer.as_mut_ptr().cast(),
                answer.len() as u32,
                &mut filled,
                std::ptr::null_mut(),
            )
        };
        let error = io::Error::last_os_error();
        let is_cut = done == 0 && error.raw_os_error() == Some(ERROR_MORE_DATA as i32);
        match done != 0 || is_cut {
            true => Ok(Answer {
                filled_bytes: filled as usize,
                is_cut,
            }),
            false => Err(error),
        }
    };
    file_regions::unwritten_bytes(&mut ask, size_bytes)
}

/// Block sizes that a trial reads with, smallest first.
const TRIAL_BYTES: [usize; 3] = [512, 4096, 65536];

/// A buffer of `length` bytes that begins at a multiple of it: (owner, where it begins).
fn aligned(length: usize) -> (Vec<u8>, usize) {
    let owner = vec![0u8; 2 * length];
    let begin = owner.as_ptr().align_offset(length);
    (owner, begin)
}

/// Opens `path` with FILE_FLAG_NO_BUFFERING and reads its first block, with growing block sizes until one goes through.
pub(crate) fn try_direct_read(path: &Path) -> DirectTrial {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(FILE_FLAG_NO_BUFFERING)
        .open(path);
    match opened {
        Ok(file) => smallest_read(&file),
        Err(error) => refusal("opening it with FILE_FLAG_NO_BUFFERING", &error),
    }
}

fn smallest_read(file: &File) -> DirectTrial {
    let mut last = DirectTrial::Untried("nothing was read".into());
    for block_bytes in TRIAL_BYTES {
        let (mut buffer, begin) = aligned(block_bytes);
        match file.seek_read(&mut buffer[begin..begin + block_bytes], 0) {
            Ok(_) => return DirectTrial::Works(block_bytes as u64),
            Err(error) => last = refusal("an aligned read with FILE_FLAG_NO_BUFFERING", &error),
        }
    }
    last
}

fn refusal(what: &str, error: &io::Error) -> DirectTrial {
    let reason = format!("{what} failed: {error}");
    match error.raw_os_error().map(|code| code as u32) {
        Some(ERROR_INVALID_PARAMETER | ERROR_NOT_SUPPORTED) => DirectTrial::Refused(reason),
        _ => DirectTrial::Untried(reason),
    }
}

/// Makes a scratch file in `folder`, writes 4 KiB to it with FILE_FLAG_NO_BUFFERING, reads them back, and compares. The file goes as it is closed, also when
/// the process is killed.
pub(crate) fn try_direct_in(folder: &Path) -> (DirectTrial, Option<u64>) {
    const LENGTH: usize = 4096;
    let path = folder.join(format!(".plumb-direct-trial-{}", std::process::id()));
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .custom_flags(FILE_FLAG_NO_BUFFERING | FILE_FLAG_DELETE_ON_CLOSE)
        .open(&path);
    let file = match opened {
        Ok(file) => file,
        Err(error) => {
            let what = format!("making a scratch file in {}", folder.display());
            return (refusal(&what, &error), None);
        }
    };
    let (mut buffer, begin) = aligned(LENGTH);
    let block = &mut buffer[begin..begin + LENGTH];
    block.fill(0xA5);
    let written = file.seek_write(block, 0);
    block.fill(0);
    let read = written.and_then(|_| file.seek_read(block, 0));
    let trial = match read {
        Ok(LENGTH) if block.iter().all(|byte| *byte == 0xA5) => smallest_read(&file),
        Ok(_) => DirectTrial::Refused("the written data did not read back".into()),
        Err(error) => refusal("writing and reading a scratch file unbuffered", &error),
    };
    (trial, None)
}
