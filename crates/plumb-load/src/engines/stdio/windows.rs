//! Which calls of the C library open, seek and store a stream on Windows?

use std::ffi::CStr;
use std::io;
use std::os::windows::io::{FromRawHandle, IntoRawHandle, OwnedHandle};
use std::ptr::{NonNull, null_mut};

use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_DISK_FULL, ERROR_INVALID_PARAMETER,
};

use crate::engine::OpenFile;

unsafe extern "C" {
    // libc::fseek takes 32 bits.
    fn _fseeki64(stream: *mut libc::FILE, offset: i64, whence: libc::c_int) -> libc::c_int;
    // libc has none of it here.
    pub fn clearerr(stream: *mut libc::FILE);
    fn _errno() -> *mut libc::c_int;
    fn __doserrno() -> *mut libc::c_ulong;
}

/// _IONBF of stdio.h: no buffer.
const NO_BUFFER: libc::c_int = 4;
/// The smallest buffer that setvbuf takes.
const BUFFER_BYTES_MIN: usize = 2;

/// A stream on a handle of its own, so that closing it closes nothing else. Bytes go through unchanged.
pub fn stream(file: &OpenFile) -> io::Result<NonNull<libc::FILE>> {
    let mode: &CStr = match (file.readable, file.writable) {
        (true, true) => c"rb+",
        (false, true) => c"wb",
        _ => c"rb",
    };
    let handle = file.file.try_clone()?.into_raw_handle();
    // SAFETY: the handle is open, and from here on the descriptor's own.
    let fd = unsafe { libc::open_osfhandle(handle as libc::intptr_t, 0) };
    if fd < 0 {
        let error = last_error();
        // SAFETY: nobody else has this handle.
        drop(unsafe { OwnedHandle::from_raw_handle(handle) });
        return Err(error);
    }
    // SAFETY: the descriptor is open and from here on the stream's own; the mode is a C string.
    NonNull::new(unsafe { libc::fdopen(fd, mode.as_ptr()) }).ok_or_else(|| {
        let error = last_error();
        // SAFETY: nobody else has this descriptor.
        unsafe { libc::close(fd) };
        error
    })
}

/// Gives a stream its buffer.
///
/// # Safety
/// Nothing was done with the stream yet; the buffer lives until it is closed.
pub unsafe fn set_buffer(stream: *mut libc::FILE, buffer: &mut [u8]) -> io::Result<()> {
    let bytes = buffer.len();
    // SAFETY: as promised by the caller.
    let answer = unsafe {
        match bytes {
            ..BUFFER_BYTES_MIN => libc::setvbuf(stream, null_mut(), NO_BUFFER, 0),
            bytes => libc::setvbuf(stream, buffer.as_mut_ptr().cast(), libc::_IOFBF, bytes),
        }
    };
    match answer {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// Seeks a stream to an offset.
///
/// # Safety
/// The stream is open.
pub unsafe fn seek(stream: *mut libc::FILE, offset: u64) -> io::Result<()> {
    // SAFETY: as promised by the caller.
    match unsafe { _fseeki64(stream, offset as i64, libc::SEEK_SET) } {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// Brings the file of a stream to stable storage; nothing is left in its buffer.
///
/// # Safety
/// The stream is open.
pub unsafe fn fsync(stream: *mut libc::FILE) -> io::Result<()> {
    // SAFETY: as promised by the caller.
    match unsafe { libc::commit(libc::fileno(stream)) } {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// What the last call failed with: the code of Windows where the library had one, else that of its own number.
pub fn last_error() -> io::Error {
    // SAFETY: both give the address of a number of the calling thread.
    let (number, code) = unsafe { (*_errno(), *__doserrno()) };
    // A stream that is not open for writing has no code of Windows, and the last one may be old.
    let code = match number {
        libc::EBADF => ERROR_ACCESS_DENIED,
        libc::EINVAL => ERROR_INVALID_PARAMETER,
        libc::ENOSPC => ERROR_DISK_FULL,
        _ => code,
    };
    match code {
        0 => io::Error::other("the C library reports no reason"),
        code => io::Error::from_raw_os_error(code as i32),
    }
}
