//! How is a file mapped on Windows, and what happens where a page cannot be had?

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::ptr::null;

use plumb_model::statement::Statement;
use windows_sys::Win32::Foundation::EXCEPTION_IN_PAGE_ERROR;
use windows_sys::Win32::Storage::FileSystem::FlushFileBuffers;
use windows_sys::Win32::System::Diagnostics::Debug as debug;
use windows_sys::Win32::System::Memory as memory;

use crate::engine::{OpenFile, Unavailable};
use crate::system;
use crate::system::windows::handles::succeeded;

/// One mapped file.
pub struct Map {
    address: *mut u8,
    pub bytes: usize,
    pub writable: bool,
    /// Open as long as the engine lives.
    file: RawHandle,
}

/// Needed as long as files are mapped: a page that the device cannot read raises an exception, which would end the process and lose the run.
pub struct Watch(*mut core::ffi::c_void);

impl Watch {
    pub fn begin() -> Watch {
        // SAFETY: the handler lives as long as the program.
        Watch(unsafe { debug::AddVectoredExceptionHandler(1, Some(handle)) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: from AddVectoredExceptionHandler, removed once.
        unsafe { debug::RemoveVectoredExceptionHandler(self.0) };
    }
}

pub fn map(file: &OpenFile) -> Result<Map, Unavailable> {
    let path = file.path.display().to_string();
    let bytes = usize::try_from(file.end_bytes)
        .ok()
        .filter(|bytes| *bytes > 0);
    let bytes = bytes.ok_or_else(|| {
        Unavailable(Statement::new("mapped-file-has-no-size").name("path", &path))
    })?;
    if !file.readable {
        return Err(Unavailable(
            Statement::new("mapped-file-is-not-readable").name("path", &path),
        ));
    }
    let (protection, access) = match file.writable {
        true => (
            memory::PAGE_READWRITE,
            memory::FILE_MAP_READ | memory::FILE_MAP_WRITE,
        ),
        false => (memory::PAGE_READONLY, memory::FILE_MAP_READ),
    };
    let refused = || {
        Unavailable(
            Statement::new("file-cannot-be-mapped")
                .name("path", &path)
                .name("error", io::Error::last_os_error().to_string()),
        )
    };
    // SAFETY: the handle is open; null and 0 mean no name, default security, and the entire file.
    let section = unsafe {
        let handle = file.file.as_raw_handle();
        let made = memory::CreateFileMappingW(handle, null(), protection, 0, 0, null());
        if made.is_null() {
            return Err(refused());
        }
        OwnedHandle::from_raw_handle(made)
    };
    // SAFETY: a new view at an address of the system's choice. It keeps the section, whose handle is closed here.
    let view = unsafe { memory::MapViewOfFile(section.as_raw_handle(), access, 0, 0, bytes) };
    if view.Value.is_null() {
        return Err(refused());
    }
    Ok(Map {
        address: view.Value.cast(),
        bytes,
        writable: file.writable,
        file: file.file.as_raw_handle(),
    })
}

impl Map {
    /// Copies a block to the buffer. False: a page of it could not be had.
    ///
    /// # Safety
    /// The block lies in the mapping, and the buffer holds as many bytes.
    #[inline(always)]
    pub unsafe fn read(&self, offset: usize, buffer: *mut u8, length: usize) -> bool {
        // SAFETY: as promised by the caller.
        let all_there = unsafe { copied(buffer, self.address.add(offset), length) };
        // The loads of the copy must have ended before the clock is read.
        system::load_fence();
        all_there
    }

    /// Copies the buffer to a block. False: a page of it could not be had.
    ///
    /// # Safety
    /// As for [`Map::read`]; the mapping is writable.
    #[inline(always)]
    pub unsafe fn write(&self, offset: usize, buffer: *const u8, length: usize) -> bool {
        // SAFETY: as promised by the caller.
        let all_there = unsafe { copied(self.address.add(offset), buffer, length) };
        system::load_fence();
        all_there
    }

    /// Writes out what was changed through the mapping. FlushViewOfFile does not wait until it is stored.
    pub fn flush(&self) -> io::Result<()> {
        if !self.writable {
            return Ok(());
        }
        // SAFETY: the range is exactly the mapping, and the handle is open.
        unsafe {
            succeeded(memory::FlushViewOfFile(self.address.cast(), self.bytes))?;
            succeeded(FlushFileBuffers(self.file))
        }
    }

    /// The same: it takes the metadata along.
    pub fn fsync(&self) -> io::Result<()> {
        self.flush()
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        let view = memory::MEMORY_MAPPED_VIEW_ADDRESS {
            Value: self.address.cast(),
        };
        // SAFETY: mapped by this value, unmapped once.
        unsafe { memory::UnmapViewOfFile(view) };
    }
}

// Copies rcx <- rdx, r8 bytes, and returns 0; the handler below continues at `plumb_copy_failed`, which returns 1.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".globl plumb_copy",
    "plumb_copy:",
    "push rdi",
    "push rsi",
    "mov rdi, rcx",
    "mov rsi, rdx",
    "mov rcx, r8",
    "rep movsb",
    "xor eax, eax",
    ".globl plumb_copy_end",
    "plumb_copy_end:",
    "pop rsi",
    "pop rdi",
    "ret",
    ".globl plumb_copy_failed",
    "plumb_copy_failed:",
    "mov eax, 1",
    "jmp plumb_copy_end",
);

#[cfg(target_arch = "x86_64")]
unsafe extern "system" {
    fn plumb_copy(to: *mut u8, from: *const u8, bytes: usize) -> u32;
    fn plumb_copy_end();
    fn plumb_copy_failed();
}

/// Copies; false: a page could not be had.
///
/// # Safety
/// As for `ptr::copy_nonoverlapping`, but that pages of files may be missing.
#[inline(always)]
unsafe fn copied(to: *mut u8, from: *const u8, bytes: usize) -> bool {
    // SAFETY: as promised by the caller.
    #[cfg(target_arch = "x86_64")]
    return unsafe { plumb_copy(to, from, bytes) } == 0;
    // SAFETY: as promised by the caller. A page that cannot be had ends the process here.
    #[cfg(not(target_arch = "x86_64"))]
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, bytes);
        true
    }
}

/// Fails a copy that hit an unavailable page; every other exception is handled as without it.
unsafe extern "system" fn handle(found: *mut debug::EXCEPTION_POINTERS) -> i32 {
    /// EXCEPTION_CONTINUE_EXECUTION and EXCEPTION_CONTINUE_SEARCH (excpt.h).
    const GO_ON: i32 = -1;
    const SEARCH: i32 = 0;
    // SAFETY: the system hands on valid records, which are the handler's to change.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        let (record, context) = ((*found).ExceptionRecord, (*found).ContextRecord);
        let copy = plumb_copy as *const () as u64..plumb_copy_end as *const () as u64;
        if (*record).ExceptionCode == EXCEPTION_IN_PAGE_ERROR && copy.contains(&(*context).Rip) {
            (*context).Rip = plumb_copy_failed as *const () as u64;
            return GO_ON;
        }
    }
    SEARCH
}
