//! How does an engine get a handle of its own for overlapped use on a file that is open?

use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_NO_INTERMEDIATE_BUFFERING, FILE_WRITE_THROUGH, FileModeInformation, NtQueryInformationFile,
};
use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use super::handles::{SHARE_ALL, checked, reopened};

/// The file as it is open.
pub struct HandleOptions<'a> {
    file: &'a File,
    path: &'a Path,
    readable: bool,
    writable: bool,
    direct: bool,
    block_device: bool,
}

impl<'a> HandleOptions<'a> {
    pub fn of(
        (file, path): (&'a File, &'a Path),
        (readable, writable): (bool, bool),
        (direct, block_device): (bool, bool),
    ) -> HandleOptions<'a> {
        HandleOptions {
            file,
            path,
            readable,
            writable,
            direct,
            block_device,
        }
    }

    /// How the file was opened: the engine's own handle bypasses the same caches.
    fn flags(&self) -> u32 {
        let (mut status, mut mode) = (IO_STATUS_BLOCK::default(), 0u32);
        // SAFETY: FILE_MODE_INFORMATION is a number of 32 bits; both outlive the call.
        let information = checked(unsafe {
            NtQueryInformationFile(
                self.file.as_raw_handle(),
                &raw mut status,
                (&raw mut mode).cast(),
                size_of_val(&mode) as u32,
                FileModeInformation,
            )
        });
        let has = |flag| information.is_ok() && mode & flag != 0;
        let mut flags = fs::FILE_FLAG_OVERLAPPED;
        if self.direct || has(FILE_NO_INTERMEDIATE_BUFFERING) {
            flags |= fs::FILE_FLAG_NO_BUFFERING;
        }
        if has(FILE_WRITE_THROUGH) {
            flags |= fs::FILE_FLAG_WRITE_THROUGH;
        }
        flags
    }
}

/// A second handle on the same file: by the first, as its name may lead to another file by now. Devices, which nobody can rename, by their names.
pub fn second_handle(options: &HandleOptions<'_>) -> io::Result<File> {
    let right = |is_set, right| if is_set { right } else { 0 };
    let access = right(options.readable, GENERIC_READ) | right(options.writable, GENERIC_WRITE);
    let flags = options.flags();
    if !options.block_device {
        return reopened(options.file, access, SHARE_ALL, flags);
    }
    let mut device = std::fs::OpenOptions::new();
    device.read(options.readable).write(options.writable);
    device
        .share_mode(SHARE_ALL)
        .custom_flags(flags)
        .open(options.path)
}
