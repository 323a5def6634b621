//! Which processes are there on Windows, and which have a file open?

use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;

use windows_sys::Wdk::Storage::FileSystem::{
    FileProcessIdsUsingFileInformation, NtQueryInformationFile,
};
use windows_sys::Win32::Foundation::{FILETIME, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;
use windows_sys::Win32::System::Threading as threading;

use super::handles::{SHARE_ALL, checked, succeeded};

/// Most processes that a message names.
const NAMED_MAX: usize = 3;

fn opened(process: u32, access: u32) -> io::Result<OwnedHandle> {
    // SAFETY: takes numbers; a handle that is given belongs to nobody else.
    unsafe {
        let handle = threading::OpenProcess(access, 0, process);
        match handle.is_null() || handle == INVALID_HANDLE_VALUE {
            true => Err(io::Error::last_os_error()),
            false => Ok(OwnedHandle::from_raw_handle(handle)),
        }
    }
}

/// Ends a process: there is no request to end.
pub fn end(process: u32) -> io::Result<()> {
    let handle = opened(process, threading::PROCESS_TERMINATE)?;
    // SAFETY: the handle is open.
    succeeded(unsafe { threading::TerminateProcess(handle.as_raw_handle(), 1) })
}

/// The program that a process runs; `None` when there is no such process, or this user has no access.
fn program(process: u32) -> Option<String> {
    let handle = opened(process, threading::PROCESS_QUERY_LIMITED_INFORMATION).ok()?;
    let mut name = [0u16; 1024];
    let mut length = name.len() as u32;
    // SAFETY: pointer and length belong together.
    succeeded(unsafe {
        threading::QueryFullProcessImageNameW(
            handle.as_raw_handle(),
            threading::PROCESS_NAME_WIN32,
            name.as_mut_ptr(),
            &raw mut length,
        )
    })
    .ok()?;
    Some(String::from_utf16_lossy(name.get(..length as usize)?))
}

/// `process 123 (postgres.exe)`.
pub fn name(process: u32) -> String {
    let program = program(process).unwrap_or_default();
    let name = program.rsplit(['\\', '/']).next().unwrap_or_default();
    format!("process {process} ({name})")
}

/// Processes other than this one that have the file open; at most three. None if the system does not report it.
pub fn users(path: &Path) -> Vec<String> {
    let mut words = vec![0usize; 1024];
    let opened = std::fs::OpenOptions::new()
        .access_mode(fs::FILE_READ_ATTRIBUTES)
        .share_mode(SHARE_ALL)
        .custom_flags(fs::FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path);
    let result = opened.and_then(|file| query_users(&file, &mut words));
    if result.is_err() {
        return Vec::new();
    }
    // A count in the first word, and the numbers behind it.
    let count = words[0] as u32 as usize;
    let numbers = words.iter().skip(1).take(count);
    numbers
        .filter_map(|number| u32::try_from(*number).ok())
        .filter(|process| *process != std::process::id())
        .take(NAMED_MAX)
        .map(name)
        .collect()
}

fn query_users(file: &File, words: &mut [usize]) -> io::Result<()> {
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: pointer and length belong together, and live over the call.
    checked(unsafe {
        NtQueryInformationFile(
            file.as_raw_handle(),
            &raw mut status,
            words.as_mut_ptr().cast(),
            size_of_val(words) as u32,
            FileProcessIdsUsingFileInformation,
        )
    })
}

/// When a process started (FILETIME as a number); `None` when there is no such process.
pub fn start(process: u32) -> Option<String> {
    let handle = opened(process, threading::PROCESS_QUERY_LIMITED_INFORMATION).ok()?;
    let mut times = [FILETIME::default(); 4];
    let [created, exited, kernel, user] = &mut times;
    // SAFETY: the handle is open, and each pointer is valid over the call.
    succeeded(unsafe {
        threading::GetProcessTimes(handle.as_raw_handle(), created, exited, kernel, user)
    })
    .ok()?;
    let has_ended = exited.dwHighDateTime != 0;
    let number = u64::from(created.dwHighDateTime) << 32 | u64::from(created.dwLowDateTime);
    (!has_ended).then(|| number.to_string())
}
