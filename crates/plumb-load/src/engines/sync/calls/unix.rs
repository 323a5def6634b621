//! By which calls of Unix are blocks moved?

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use crate::engine::operation::{Op, Outcome};
use crate::system::offsets;

pub type Raw = RawFd;

pub fn raw(file: &std::fs::File) -> Raw {
    file.as_raw_fd()
}

/// Calls by number: libc's own functions are cancellation points, which costs a process with threads more user-space instructions than all the rest, and two
/// atomic ones: where a call moves a byte, a tenth of its time.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod plain {
    use crate::system::offsets;

    /// # Safety
    /// `buffer` holds `length` bytes.
    #[inline(always)]
    pub unsafe fn read(fd: i32, buffer: *mut u8, length: usize) -> isize {
        // SAFETY: as promised by the caller.
        unsafe { libc::syscall(libc::SYS_read, fd, buffer, length) as isize }
    }

    /// # Safety
    /// `buffer` holds `length` bytes.
    #[inline(always)]
    pub unsafe fn write(fd: i32, buffer: *const u8, length: usize) -> isize {
        // SAFETY: as promised by the caller.
        unsafe { libc::syscall(libc::SYS_write, fd, buffer, length) as isize }
    }

    /// # Safety
    /// `buffer` holds `length` bytes.
    #[inline(always)]
    pub unsafe fn read_at(
        fd: i32,
        buffer: *mut u8,
        length: usize,
        offset: offsets::off_t,
    ) -> isize {
        // SAFETY: as promised by the caller.
        unsafe { libc::syscall(libc::SYS_pread64, fd, buffer, length, offset) as isize }
    }

    /// # Safety
    /// `buffer` holds `length` bytes.
    #[inline(always)]
    pub unsafe fn write_at(
        fd: i32,
        buffer: *const u8,
        length: usize,
        offset: offsets::off_t,
    ) -> isize {
        // SAFETY: as promised by the caller.
        unsafe { libc::syscall(libc::SYS_pwrite64, fd, buffer, length, offset) as isize }
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod plain {
    use crate::system::offsets;

    /// # Safety
    /// `buffer` holds `length` bytes.
    #[inline(always)]
    pub unsafe fn read(fd: i32, buffer: *mut u8, length: usize) -> isize {
        // SAFETY: as promised by the caller.
        unsafe { libc::read(fd, buffer.cast(), length) }
    }

    /// # Safety
    /// `buffer` holds `length` bytes.
    #[inline(always)]
    pub unsafe fn write(fd: i32, buffer: *const u8, length: usize) -> isize {
        // SAFETY: as promised by the caller.
        unsafe { libc::write(fd, buffer.cast(), length) }
    }

    /// # Safety
    /// `buffer` holds `length` bytes.
    #[inline(always)]
    pub unsafe fn read_at(
        fd: i32,
        buffer: *mut u8,
        length: usize,
        offset: offsets::off_t,
    ) -> isize {
        // SAFETY: as promised by the caller.
        unsafe { offsets::pread(fd, buffer.cast(), length, offset) }
    }

    /// # Safety
    /// `buffer` holds `length` bytes.
    #[inline(always)]
    pub unsafe fn write_at(
        fd: i32,
        buffer: *const u8,
        length: usize,
        offset: offsets::off_t,
    ) -> isize {
        // SAFETY: as promised by the caller.
        unsafe { offsets::pwrite(fd, buffer.cast(), length, offset) }
    }
}

/// What the last call failed with.
#[cold]
#[inline(never)]
fn last_error() -> Outcome {
    Outcome::of_error(&io::Error::last_os_error())
}

/// The result of read(2) and write(2): bytes, or the last error.
#[inline(always)]
fn moved_by(moved: isize) -> Outcome {
    if moved < 0 {
        last_error()
    } else {
        Outcome::moved(moved as u32)
    }
}

fn outcome_of(rc: libc::c_int) -> Outcome {
    if rc < 0 {
        last_error()
    } else {
        Outcome::moved(0)
    }
}

/// Reads a block.
///
/// # Safety
/// `buffer` holds `length` bytes; the descriptor is open.
#[inline(always)]
pub unsafe fn read_at(fd: Raw, buffer: *mut u8, length: u32, offset: u64) -> Outcome {
    // SAFETY: as promised by the caller.
    moved_by(unsafe { plain::read_at(fd, buffer, length as usize, offset as offsets::off_t) })
}

/// Writes a block.
///
/// # Safety
/// `buffer` holds `length` bytes; the descriptor is open.
#[inline(always)]
pub unsafe fn write_at(fd: Raw, buffer: *const u8, length: u32, offset: u64) -> Outcome {
    // SAFETY: as promised by the caller.
    moved_by(unsafe { plain::write_at(fd, buffer, length as usize, offset as offsets::off_t) })
}

/// Reads a block by a call with flags.
///
/// # Safety
/// `buffer` holds `length` bytes; the descriptor is open.
#[cfg(target_os = "linux")]
pub unsafe fn read_with(fd: Raw, buffer: *mut u8, length: u32, offset: u64, flags: i32) -> Outcome {
    let part = one_part(buffer, length);
    // SAFETY: as promised by the caller; the kernel reads one part.
    moved_by(unsafe { offsets::preadv2(fd, &raw const part, 1, offset as offsets::off_t, flags) })
}

/// Writes a block by a call with flags.
///
/// # Safety
/// `buffer` holds `length` bytes; the descriptor is open.
#[cfg(target_os = "linux")]
pub unsafe fn write_with(
    fd: Raw,
    buffer: *mut u8,
    length: u32,
    offset: u64,
    flags: i32,
) -> Outcome {
    let part = one_part(buffer, length);
    // SAFETY: as promised by the caller; the kernel reads one part.
    moved_by(unsafe { offsets::pwritev2(fd, &raw const part, 1, offset as offsets::off_t, flags) })
}

#[cfg(target_os = "linux")]
fn one_part(buffer: *mut u8, length: u32) -> libc::iovec {
    libc::iovec {
        iov_base: buffer.cast(),
        iov_len: length as usize,
    }
}

/// Where the file is; `None` if it does not report it.
pub fn position(fd: Raw) -> Option<u64> {
    // SAFETY: plain call on an open descriptor.
    u64::try_from(unsafe { offsets::lseek(fd, 0, libc::SEEK_CUR) }).ok()
}

/// Brings the file to a position.
///
/// # Errors
/// What came of it.
pub fn seek(fd: Raw, offset: u64) -> Result<(), Outcome> {
    // SAFETY: plain call on an open descriptor.
    match unsafe { offsets::lseek(fd, offset as offsets::off_t, libc::SEEK_SET) } {
        ..0 => Err(last_error()),
        _ => Ok(()),
    }
}

/// Reads at the file's position.
///
/// # Safety
/// `buffer` holds `length` bytes; the descriptor is open.
#[inline(always)]
pub unsafe fn read(fd: Raw, buffer: *mut u8, length: u32) -> Outcome {
    // SAFETY: as promised by the caller.
    moved_by(unsafe { plain::read(fd, buffer, length as usize) })
}

/// Writes at the file's position.
///
/// # Safety
/// `buffer` holds `length` bytes; the descriptor is open.
#[inline(always)]
pub unsafe fn write(fd: Raw, buffer: *const u8, length: u32) -> Outcome {
    // SAFETY: as promised by the caller.
    moved_by(unsafe { plain::write(fd, buffer, length as usize) })
}

/// Brings the data of a file to stable storage.
pub fn flush(fd: Raw) -> Outcome {
    outcome_of(crate::system::flush_data(fd))
}

/// The same with all its metadata.
pub fn fsync(fd: Raw) -> Outcome {
    outcome_of(crate::system::flush_all(fd))
}

/// Discards a block: ioctl BLKDISCARD on a device, a punched hole in a file.
#[cfg(target_os = "linux")]
pub fn trim(raw: Raw, block_device: bool, op: &Op) -> Outcome {
    outcome_of(crate::system::trim_call(
        raw,
        block_device,
        op.offset,
        u64::from(op.len),
    ))
}

/// The same by DIOCGDELETE and fspacectl(2).
#[cfg(target_os = "freebsd")]
pub fn trim(raw: Raw, is_disk: bool, op: &Op) -> Outcome {
    crate::system::trim(raw, is_disk, op.offset, u64::from(op.len))
        .map_or_else(|error| Outcome::of_error(&error), |()| Outcome::moved(0))
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
pub fn trim(_: Raw, _: bool, _: &Op) -> Outcome {
    Outcome::failed(crate::engine::failure::FailureKind::NotSupported)
}
