//! By which calls of Windows are blocks moved?

use std::os::windows::io::AsRawHandle;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::{ERROR_HANDLE_EOF, GetLastError, HANDLE};
use windows_sys::Win32::Storage::FileSystem as fs;

use crate::engine::operation::{Op, Outcome};
use crate::system::windows::handles::overlapped;
use crate::system::windows::trim::{self, Trim};

pub type Raw = HANDLE;

pub fn raw(file: &std::fs::File) -> Raw {
    file.as_raw_handle()
}

/// What the last call failed with. At the end of the file a read moves nothing, which is no failure.
#[cold]
#[inline(never)]
fn last_error() -> Outcome {
    // SAFETY: reads the thread's last error.
    match unsafe { GetLastError() } {
        ERROR_HANDLE_EOF => Outcome::moved(0),
        code => Outcome::of_system(-(code as i32)),
    }
}

#[inline(always)]
fn moved_by(answer: i32, moved: u32) -> Outcome {
    match answer {
        0 => last_error(),
        _ => Outcome::moved(moved),
    }
}

/// Reads a block.
///
/// # Safety
/// `buffer` holds `length` bytes; the handle is open.
#[inline(always)]
pub unsafe fn read_at(handle: Raw, buffer: *mut u8, length: u32, offset: u64) -> Outcome {
    let (mut overlapped, mut moved) = (overlapped(offset), 0);
    // SAFETY: as promised by the caller; the call waits.
    let answer =
        unsafe { fs::ReadFile(handle, buffer, length, &raw mut moved, &raw mut overlapped) };
    moved_by(answer, moved)
}

/// Writes a block.
///
/// # Safety
/// `buffer` holds `length` bytes; the handle is open.
#[inline(always)]
pub unsafe fn write_at(handle: Raw, buffer: *const u8, length: u32, offset: u64) -> Outcome {
    let (mut overlapped, mut moved) = (overlapped(offset), 0);
    // SAFETY: as promised by the caller; the call waits.
    let answer =
        unsafe { fs::WriteFile(handle, buffer, length, &raw mut moved, &raw mut overlapped) };
    moved_by(answer, moved)
}

/// Where the file is; `None` if it does not report it.
pub fn position(handle: Raw) -> Option<u64> {
    let mut at = 0i64;
    // SAFETY: plain call on an open handle; the pointer is valid over it.
    match unsafe { fs::SetFilePointerEx(handle, 0, &raw mut at, fs::FILE_CURRENT) } {
        0 => None,
        _ => u64::try_from(at).ok(),
    }
}

/// Brings the file to a position.
///
/// # Errors
/// What came of it.
pub fn seek(handle: Raw, offset: u64) -> Result<(), Outcome> {
    // SAFETY: plain call on an open handle; null is allowed.
    match unsafe { fs::SetFilePointerEx(handle, offset as i64, null_mut(), fs::FILE_BEGIN) } {
        0 => Err(last_error()),
        _ => Ok(()),
    }
}

/// Reads at the file's position.
///
/// # Safety
/// `buffer` holds `length` bytes; the handle is open.
pub unsafe fn read(handle: Raw, buffer: *mut u8, length: u32) -> Outcome {
    let mut moved = 0;
    // SAFETY: as promised by the caller.
    let answer = unsafe { fs::ReadFile(handle, buffer, length, &raw mut moved, null_mut()) };
    moved_by(answer, moved)
}

/// Writes at the file's position.
///
/// # Safety
/// `buffer` holds `length` bytes; the handle is open.
pub unsafe fn write(handle: Raw, buffer: *const u8, length: u32) -> Outcome {
    let mut moved = 0;
    // SAFETY: as promised by the caller.
    let answer = unsafe { fs::WriteFile(handle, buffer, length, &raw mut moved, null_mut()) };
    moved_by(answer, moved)
}

/// Brings a file to stable storage. Windows has no call for the data alone that all its file systems take.
pub fn flush(handle: Raw) -> Outcome {
    // SAFETY: plain call on an open handle.
    moved_by(unsafe { fs::FlushFileBuffers(handle) }, 0)
}

/// The same.
pub fn fsync(handle: Raw) -> Outcome {
    flush(handle)
}

/// Discards a block.
pub fn trim(raw: Raw, block_device: bool, op: &Op) -> Outcome {
    let range = (op.offset, u64::from(op.len));
    // SAFETY: the handle is open, and waits: there is no structure to outlive the call.
    moved_by(
        unsafe { trim::start(raw, Trim::of(block_device), range, null_mut()) },
        0,
    )
}
