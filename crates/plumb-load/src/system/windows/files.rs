//! What does Windows report about a path and an open file? Kind and identity, free space, marks, locks, what was never written.

use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};

use plumb_model::workload::AccessHint;

use windows_sys::Wdk::Storage::FileSystem::FILE_OPEN_IF;
use windows_sys::Win32::Foundation::{
    ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, GENERIC_READ, GENERIC_WRITE,
};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::Ioctl as ioctl;

use super::handles::{
    self, CreateOptions, SHARE_ALL, access, control, custom_flags, overlapped, query_info,
    succeeded, wide,
};
use super::volumes;
use crate::system::file_traits::{Flags, Identity, MARK_BYTES_MAX, PathKind, Room, Traits};

/// The stream of a file that holds plumb's mark, on file systems that have streams (NTFS, ReFS).
const MARK: &str = ":plumb.made";
/// FILETIME counts 100 ns since 1601; so many of them before 1970.
const UNTIL_1970: i64 = 116_444_736_000_000_000;
/// FILE_REGION_USAGE_VALID_NONCACHED_DATA (winioctl.h): as reported by ReFS.
const VALID_NONCACHED: u32 = 2;

pub fn traits(file: &File) -> io::Result<Traits> {
    if let Some(number) = volumes::device_number(file) {
        return Ok(device(Some(number)));
    }
    let basic: fs::FILE_BASIC_INFO = query_info(file, fs::FileBasicInfo)?;
    let standard: fs::FILE_STANDARD_INFO = query_info(file, fs::FileStandardInfo)?;
    // FAT has no such numbers.
    let id = query_info::<fs::FILE_ID_INFO>(file, fs::FileIdInfo).ok();
    let kind = match (handles::is_link(file)?, standard.Directory) {
        (true, _) => PathKind::Other,
        (false, true) => PathKind::Directory,
        (false, false) => PathKind::File,
    };
    let at = |time: i64| (time != 0).then(|| i128::from(time - UNTIL_1970) * 100);
    Ok(Traits {
        kind,
        size_bytes: match kind {
            PathKind::File => standard.EndOfFile as u64,
            _ => 0,
        },
        identity: id.map(|id| {
            let number = u128::from_le_bytes(id.FileId.Identifier);
            Identity {
                device: id.VolumeSerialNumber,
                // Of NTFS the upper half is 0; ReFS has the number of the folder there.
                inode: number as u64 ^ ((number >> 64) as u64).rotate_left(32),
            }
        }),
        device_number: None,
        names: Some(u64::from(standard.NumberOfLinks)),
        modified_ns: at(basic.LastWriteTime),
        changed_ns: at(basic.ChangeTime),
    })
}

fn device(number: Option<(u32, u32)>) -> Traits {
    Traits {
        kind: PathKind::BlockDevice,
        size_bytes: 0,
        identity: None,
        device_number: number,
        names: None,
        modified_ns: None,
        changed_ns: None,
    }
}

pub fn traits_at(path: &Path) -> io::Result<Traits> {
    let is_device = volumes::is_device(path);
    let opened = std::fs::OpenOptions::new()
        .access_mode(fs::FILE_READ_ATTRIBUTES)
        .share_mode(SHARE_ALL)
        .custom_flags(fs::FILE_FLAG_BACKUP_SEMANTICS | fs::FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)?;
    match is_device {
        true => Ok(device(volumes::device_number(&opened))),
        false => traits(&opened),
    }
}

/// When a file was made, in nanoseconds since 1970, and whether it has [`MADE`].
pub fn birth(file: &File) -> io::Result<(Option<i128>, bool)> {
    let basic: fs::FILE_BASIC_INFO = query_info(file, fs::FileBasicInfo)?;
    let born_ns = i128::from(basic.CreationTime - UNTIL_1970) * 100;
    Ok((
        (basic.CreationTime != 0).then_some(born_ns),
        basic.FileAttributes & MADE != 0,
    ))
}

/// The attribute of files that are marked as they are made: the search service is to leave them alone, which it should while one measures.
pub const MADE: u32 = fs::FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;

/// Opens a file that is no link: the name was resolved before.
pub fn open(path: &Path, flags: Flags) -> io::Result<File> {
    if volumes::is_device(path) {
        return volumes::open(path, flags);
    }
    let (custom, share) = (custom_flags(flags), SHARE_ALL);
    let mut options = std::fs::OpenOptions::new();
    options
        .read(flags.read)
        .write(flags.write)
        .create_new(flags.create)
        .share_mode(share)
        .custom_flags(custom | fs::FILE_FLAG_OPEN_REPARSE_POINT);
    if flags.create && flags.marked {
        options.attributes(MADE);
    }
    handles::with_its_data(options.open(path)?, access(flags), share, custom)
}

pub use super::volumes::is_device as is_device_name;

/// What the path leads to, by its name without links; a device by its own.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
    match volumes::is_device(path) {
        // Opened to see that it is there.
        true => traits_at(path).map(|_| path.to_path_buf()),
        false => dunce::canonicalize(path),
    }
}

/// True when a link is on the way to `path`: names of drives that stand for a share, and short names, are none.
pub fn goes_through_link(given: &Path, _: &Path) -> bool {
    if volumes::is_device(given) {
        return false;
    }
    let is_link = |path: &Path| {
        std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_symlink())
    };
    std::path::absolute(given).is_ok_and(|absolute| absolute.ancestors().any(is_link))
}

pub fn room(path: &Path) -> io::Result<Room> {
    let (mut free_bytes, mut total_bytes) = (0, 0);
    let name = wide(path);
    // SAFETY: the name ends with 0, and all live over the call.
    succeeded(unsafe {
        fs::GetDiskFreeSpaceExW(
            name.as_ptr(),
            &raw mut free_bytes,
            &raw mut total_bytes,
            std::ptr::null_mut(),
        )
    })?;
    Ok(Room {
        free_bytes,
        total_bytes,
        free_files: None,
    })
}

/// The first byte of `start..end` that was never written: beyond the valid data of a file, where NTFS answers a read with zeroes of its own, or not allocated
/// (FSCTL_QUERY_FILE_REGIONS, Windows 8). `None` where there is none, or the file system does not report it.
pub fn first_hole(file: &File, start: u64, end: u64) -> Option<u64> {
    let usages = [ioctl::FILE_REGION_USAGE_VALID_CACHED_DATA, VALID_NONCACHED];
    let valid = usages
        .iter()
        .find_map(|usage| regions(file, start, end, *usage))?;
    let mut at = start;
    for (offset, length) in valid {
        if offset > at {
            break;
        }
        at = at.max(offset + length);
    }
    (at < end).then_some(at)
}

/// Ranges (offset, length) of valid data.
fn regions(file: &File, start: u64, end: u64, usage: u32) -> Option<Vec<(u64, u64)>> {
    const HEAD_BYTES: usize = 16;
    const REGION_BYTES: usize = 24;
    let mut request = [0u8; 24];
    request[..8].copy_from_slice(&start.to_le_bytes());
    request[8..16].copy_from_slice(&end.saturating_sub(start).to_le_bytes());
    request[16..20].copy_from_slice(&usage.to_le_bytes());
    let mut answer = vec![0u8; HEAD_BYTES + 4096 * REGION_BYTES];
    let filled = control(file, ioctl::FSCTL_QUERY_FILE_REGIONS, &request, &mut answer).ok()?;
    let found = answer.get(HEAD_BYTES..filled)?.chunks_exact(REGION_BYTES);
    let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    found
        // A region without the usage that was requested is one without valid data (MS-FSCC 2.3.56.1).
        .filter(|region| region[16..20] == usage.to_le_bytes())
        .map(|region| Some((number(&region[..8])?, number(&region[8..16])?)))
        .collect()
}

pub fn forget_cached(_: &File, _: u64, _: u64) -> io::Result<()> {
    Err(unsupported("dropping a file from the page cache"))
}

/// There is no call for it, and it is only a hint.
pub fn announce(_: &File, _: u64, _: u64, _: AccessHint) -> io::Result<()> {
    Ok(())
}

pub fn cached_bytes(_: &File, _: u64, _: u64) -> Option<u64> {
    None
}

/// Writes the volume to stable storage, which only an administrator may; else the file, or what is known of the folder.
pub fn sync_file_system(file: &File) -> io::Result<()> {
    if let Some(flushed) = volumes::flush_volume_of(file) {
        return flushed;
    }
    // FlushFileBuffers requires a writable handle.
    let flags = fs::FILE_FLAG_BACKUP_SEMANTICS;
    handles::reopened(file, GENERIC_WRITE, SHARE_ALL, flags)?.sync_all()
}

/// The byte that plumb locks. Locks of Windows are mandatory: it lies where no data will be.
const LOCKED_BYTE: u64 = (1 << 63) - 2;

/// `false`: locked by another process.
fn try_lock(file: &File, offset: u64, bytes: u64) -> io::Result<bool> {
    let mut overlapped = overlapped(offset);
    let flags = fs::LOCKFILE_EXCLUSIVE_LOCK | fs::LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open, and the structure lives over the call, which does not wait.
    let locked = succeeded(unsafe {
        fs::LockFileEx(
            file.as_raw_handle(),
            flags,
            0,
            bytes as u32,
            (bytes >> 32) as u32,
            &raw mut overlapped,
        )
    });
    match locked {
        Ok(()) => Ok(true),
        Err(error) => match error.raw_os_error().map(|code| code as u32) {
            Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Ok(false),
            _ => Err(error),
        },
    }
}

/// Takes plumb's lock of a file; it ends with the handle. `false`: another one has it. Volumes have locks of their own.
pub fn lock(file: &File) -> io::Result<bool> {
    match volumes::device_number(file) {
        Some(_) => Ok(true),
        None => try_lock(file, LOCKED_BYTE, 1),
    }
}

/// True when another program holds a lock on a part of the file.
pub fn has_record_lock(file: &File) -> bool {
    let Ok(true) = try_lock(file, 0, LOCKED_BYTE) else {
        return true;
    };
    let mut overlapped = overlapped(0);
    // SAFETY: as in `try_lock`.
    unsafe {
        fs::UnlockFileEx(
            file.as_raw_handle(),
            0,
            LOCKED_BYTE as u32,
            (LOCKED_BYTE >> 32) as u32,
            &raw mut overlapped,
        )
    };
    false
}

/// True of a file of the user that this process acts for.
pub fn is_of_this_user(file: &File) -> bool {
    super::security::is_of_this_user(file)
}

pub fn end_process(process: u32) -> io::Result<()> {
    super::processes::end(process)
}

/// The mark on a file, if it has one.
pub fn mark(file: &File) -> Option<String> {
    use std::io::Read;

    let request = CreateOptions {
        access: GENERIC_READ,
        ..CreateOptions::default()
    };
    let stream = handles::open_stream(file, MARK, request).ok()?;
    let mut text = String::new();
    let most = MARK_BYTES_MAX as u64 + 1;
    stream.take(most).read_to_string(&mut text).ok()?;
    (!text.is_empty()).then_some(text)
}

/// Marks a file. An error of kind `Unsupported` when the file system has no streams.
pub fn set_mark(file: &File, value: &str) -> io::Result<()> {
    use std::io::Write;

    let request = CreateOptions {
        access: GENERIC_READ | GENERIC_WRITE,
        disposition: FILE_OPEN_IF,
        ..CreateOptions::default()
    };
    let mut stream = handles::open_stream(file, MARK, request)
        .map_err(|_| unsupported("keeping a stream beside the data of a file"))?;
    stream.set_len(0)?;
    stream.write_all(value.as_bytes())
}

/// There is no such limit.
pub fn allow_open_files(_: u64) {}

pub fn open_files_limit() -> Option<u64> {
    None
}

pub fn file_size_limit_bytes() -> Option<u64> {
    None
}

fn unsupported(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("{what} is not available here"),
    )
}

/// Opens a file or folder so that it can be brought to stable storage: FlushFileBuffers requires a writable handle.
pub fn open_to_sync(path: &Path) -> io::Result<File> {
    std::fs::OpenOptions::new()
        .access_mode(fs::FILE_GENERIC_WRITE)
        .share_mode(SHARE_ALL)
        .custom_flags(fs::FILE_FLAG_BACKUP_SEMANTICS)
        .open(path)
}

/// Bytes of a device.
pub fn device_bytes(device: &mut File) -> io::Result<u64> {
    volumes::length(device).ok_or_else(io::Error::last_os_error)
}

/// Who uses a device; Linux device numbers do not identify it here.
pub fn uses_of_device(path: &Path) -> Option<Vec<String>> {
    Some(volumes::uses(path))
}

/// Takes the volumes that lie on a disk from everybody, as long as the handles are open.
pub fn take_volumes(path: &Path) -> io::Result<Vec<File>> {
    volumes::take(path)
}
