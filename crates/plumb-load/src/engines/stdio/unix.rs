//! Which calls of the C library open, seek and store a stream on Unix?

use std::ffi::CStr;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;

pub use libc::clearerr;

use crate::engine::OpenFile;
use crate::system::offsets;

/// A stream on a descriptor of its own, so that closing it closes nothing else.
pub fn stream(file: &OpenFile) -> io::Result<NonNull<libc::FILE>> {
    let mode: &CStr = match (file.readable, file.writable) {
        (true, true) => c"r+",
        (false, true) => c"w",
        _ => c"r",
    };
    // SAFETY: plain call on an open descriptor. fdopen does not truncate, whatever the mode.
    let fd = unsafe { libc::fcntl(file.file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
    if fd < 0 {
        return Err(last_error());
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
    let (begin, bytes) = (buffer.as_mut_ptr().cast(), buffer.len());
    // SAFETY: as promised by the caller.
    match unsafe { libc::setvbuf(stream, begin, libc::_IOFBF, bytes) } {
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
    match unsafe { offsets::fseeko(stream, offset as offsets::off_t, libc::SEEK_SET) } {
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
    match unsafe { libc::fsync(libc::fileno(stream)) } {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// What the last call failed with.
pub fn last_error() -> io::Error {
    io::Error::last_os_error()
}
