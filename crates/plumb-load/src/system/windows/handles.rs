//! How are files reached on Windows relative to the handle of a folder, and what does the system report of a handle? By the calls that all others rest on.
//!
//! NtCreateFile takes the handle of a folder as the root of a name, as openat(2) does. Names that are links (reparse points that stand for another name) are
//! opened as themselves, and refused.

use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::path::{Component, Path, PathBuf};
use std::ptr::{null, null_mut};

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation::{
    ERROR_CANT_ACCESS_FILE, GENERIC_READ, GENERIC_WRITE, HANDLE, INVALID_HANDLE_VALUE, NTSTATUS,
    OBJ_CASE_INSENSITIVE, RtlNtStatusToDosError, UNICODE_STRING,
};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::{
    DeviceIoControl, IO_STATUS_BLOCK, OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0,
};

use crate::system::file_traits::Flags;

/// Others may open, change and remove what is open here: as on every other system.
pub const SHARE_ALL: u32 = fs::FILE_SHARE_READ | fs::FILE_SHARE_WRITE | fs::FILE_SHARE_DELETE;
/// Bit of a reparse tag: the name stands for another one (IsReparseTagNameSurrogate, ntifs.h).
const NAME_SURROGATE: u32 = 0x2000_0000;

/// Parameters of NtCreateFile.
#[derive(Debug, Clone, Copy)]
pub struct CreateOptions {
    pub access: u32,
    pub share: u32,
    pub disposition: u32,
    pub options: u32,
    pub attributes: u32,
    /// A security descriptor for what is made; null: as the folder hands on.
    pub security: *const core::ffi::c_void,
}

impl Default for CreateOptions {
    /// Looks at what is there.
    fn default() -> CreateOptions {
        CreateOptions {
            access: fs::FILE_READ_ATTRIBUTES,
            share: SHARE_ALL,
            disposition: nt::FILE_OPEN,
            options: 0,
            attributes: fs::FILE_ATTRIBUTE_NORMAL,
            security: null(),
        }
    }
}

/// The flags of CreateFile that these wishes stand for.
pub fn custom_flags(flags: Flags) -> u32 {
    let mut custom = 0;
    for (is_set, flag) in [
        (flags.direct, fs::FILE_FLAG_NO_BUFFERING),
        (flags.sync || flags.data_sync, fs::FILE_FLAG_WRITE_THROUGH),
    ] {
        custom |= if is_set { flag } else { 0 };
    }
    custom
}

/// Access rights of reading and writing.
pub fn access(flags: Flags) -> u32 {
    let right = |is_set, right| if is_set { right } else { 0 };
    right(flags.read, GENERIC_READ) | right(flags.write, GENERIC_WRITE)
}

/// An offset in a file, for one operation.
#[inline(always)]
pub fn overlapped(offset: u64) -> OVERLAPPED {
    OVERLAPPED {
        Internal: 0,
        InternalHigh: 0,
        Anonymous: OVERLAPPED_0 {
            Anonymous: OVERLAPPED_0_0 {
                Offset: offset as u32,
                OffsetHigh: (offset >> 32) as u32,
            },
        },
        hEvent: null_mut(),
    }
}

/// An error of a call that answers with a status.
pub fn checked(status: NTSTATUS) -> io::Result<()> {
    match status {
        0.. => Ok(()),
        // SAFETY: a look-up in a table.
        failed => Err(io::Error::from_raw_os_error(
            unsafe { RtlNtStatusToDosError(failed) } as i32,
        )),
    }
}

/// An error of a call that answers with 0 for a failure.
pub fn succeeded(answer: i32) -> io::Result<()> {
    match answer {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// A name that ends with 0.
pub fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

/// Opens what lies by this name in a folder: names only, no way up and no drive. Nothing on the way may be a link, and neither the file itself.
pub fn open_at(folder: &File, name: &Path, options: CreateOptions) -> io::Result<File> {
    let mut parts = Vec::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            _ => return Err(io::Error::from_raw_os_error(ERROR_CANT_ACCESS_FILE as i32)),
        }
    }
    let Some((last, way)) = parts.split_last() else {
        return create(folder, &[], options);
    };
    let mut on_the_way = None;
    for part in way {
        let step = CreateOptions {
            access: fs::FILE_TRAVERSE | fs::FILE_READ_ATTRIBUTES,
            options: nt::FILE_DIRECTORY_FILE,
            ..CreateOptions::default()
        };
        let name: Vec<u16> = part.encode_wide().collect();
        let next = create(on_the_way.as_ref().unwrap_or(folder), &name, step)?;
        on_the_way = Some(no_link(next)?);
    }
    let name: Vec<u16> = last.encode_wide().collect();
    create(on_the_way.as_ref().unwrap_or(folder), &name, options)
}

/// Opens a stream of an open file, by `:name`.
pub fn open_stream(file: &File, stream: &str, options: CreateOptions) -> io::Result<File> {
    create(file, &stream.encode_utf16().collect::<Vec<u16>>(), options)
}

fn create(root: &File, name: &[u16], options: CreateOptions) -> io::Result<File> {
    let bytes = u16::try_from(size_of_val(name))
        .map_err(|_| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let name = UNICODE_STRING {
        Length: bytes,
        MaximumLength: bytes,
        Buffer: name.as_ptr().cast_mut(),
    };
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: root.as_raw_handle(),
        ObjectName: &raw const name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: options.security.cast(),
        SecurityQualityOfService: null(),
    };
    let mut handle: HANDLE = null_mut();
    let mut status = IO_STATUS_BLOCK::default();
    // Handles of the standard library are for calls that wait.
    let create_flags =
        options.options | nt::FILE_OPEN_REPARSE_POINT | nt::FILE_SYNCHRONOUS_IO_NONALERT;
    // SAFETY: all that is pointed to lives over the call; a handle that is given belongs to nobody else.
    unsafe {
        checked(nt::NtCreateFile(
            &raw mut handle,
            options.access | fs::SYNCHRONIZE,
            &raw const attributes,
            &raw mut status,
            null(),
            options.attributes,
            options.share,
            options.disposition,
            create_flags,
            null(),
            0,
        ))?;
        Ok(File::from_raw_handle(handle))
    }
}

/// Refuses what stands for another name: a symbolic link, a junction, a mount point.
pub fn no_link(opened: File) -> io::Result<File> {
    match is_link(&opened)? {
        true => Err(io::Error::from_raw_os_error(ERROR_CANT_ACCESS_FILE as i32)),
        false => Ok(opened),
    }
}

/// Whether it stands for another name.
pub fn is_link(opened: &File) -> io::Result<bool> {
    Ok(reparse_tag(opened)?.is_some_and(|tag| tag & NAME_SURROGATE != 0))
}

/// The tag of a reparse point; none of any other file.
fn reparse_tag(opened: &File) -> io::Result<Option<u32>> {
    let found: fs::FILE_ATTRIBUTE_TAG_INFO = query_info(opened, fs::FileAttributeTagInfo)?;
    let is_reparse_point = found.FileAttributes & fs::FILE_ATTRIBUTE_REPARSE_POINT != 0;
    Ok(is_reparse_point.then_some(found.ReparseTag))
}

/// The data of a file that was opened as it lies there: what a file system keeps elsewhere (deduplicated, compressed, in the cloud) is reached by its own
/// handle, opened again without FILE_FLAG_OPEN_REPARSE_POINT. Links are refused.
pub fn with_its_data(opened: File, access: u32, share: u32, flags: u32) -> io::Result<File> {
    match reparse_tag(&opened)? {
        None => Ok(opened),
        Some(tag) if tag & NAME_SURROGATE != 0 => {
            Err(io::Error::from_raw_os_error(ERROR_CANT_ACCESS_FILE as i32))
        }
        Some(_) => reopened(&opened, access, share, flags),
    }
}

/// A second handle on what this one leads to, whatever its name leads to by now.
pub fn reopened(opened: &File, access: u32, share: u32, flags: u32) -> io::Result<File> {
    // SAFETY: the handle is open, and nothing is passed by pointer; a handle that is given belongs to nobody else.
    unsafe {
        match fs::ReOpenFile(opened.as_raw_handle(), access, share, flags) {
            INVALID_HANDLE_VALUE => Err(io::Error::last_os_error()),
            handle => Ok(File::from_raw_handle(handle)),
        }
    }
}

/// Plain data that the system fills in.
///
/// # Safety
/// Any bytes are a value, zeroes among them.
pub unsafe trait Plain: Sized {}

// SAFETY: structures of numbers.
unsafe impl Plain for fs::FILE_ATTRIBUTE_TAG_INFO {}
// SAFETY: as above.
unsafe impl Plain for fs::FILE_BASIC_INFO {}
// SAFETY: as above; what is no bool in C is a byte that the kernel sets to 0 or 1.
unsafe impl Plain for fs::FILE_STANDARD_INFO {}
// SAFETY: as above.
unsafe impl Plain for fs::FILE_ID_INFO {}

/// GetFileInformationByHandleEx for a class whose structure is `T`.
pub fn query_info<T: Plain>(file: &File, class: fs::FILE_INFO_BY_HANDLE_CLASS) -> io::Result<T> {
    // SAFETY: zeroes are a value of plain data; the pointer is to as many bytes as passed, and lives over the call.
    unsafe {
        let mut found: T = std::mem::zeroed();
        succeeded(fs::GetFileInformationByHandleEx(
            file.as_raw_handle(),
            class,
            (&raw mut found).cast(),
            size_of::<T>() as u32,
        ))?;
        Ok(found)
    }
}

/// DeviceIoControl with these bytes; how many bytes of the answer were filled in.
pub fn control(file: &File, code: u32, options: &[u8], answer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    // SAFETY: pointers and lengths belong together, and live over the call, which waits.
    succeeded(unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            code,
            options.as_ptr().cast(),
            options.len() as u32,
            answer.as_mut_ptr().cast(),
            answer.len() as u32,
            &raw mut filled,
            null_mut(),
        )
    })?;
    Ok(filled as usize)
}

/// What the file or folder is called now.
pub fn path_of(file: &File) -> Option<PathBuf> {
    use std::os::windows::ffi::OsStringExt;

    let mut name = vec![0u16; 1024];
    loop {
        // SAFETY: pointer and length belong together.
        let length = unsafe {
            fs::GetFinalPathNameByHandleW(
                file.as_raw_handle(),
                name.as_mut_ptr(),
                name.len() as u32,
                fs::FILE_NAME_NORMALIZED,
            )
        } as usize;
        match length {
            0 => return None,
            length if length < name.len() => {
                let path = std::ffi::OsString::from_wide(&name[..length]);
                return Some(dunce::simplified(Path::new(&path)).to_path_buf());
            }
            length => name.resize(length + 1, 0),
        }
    }
}
