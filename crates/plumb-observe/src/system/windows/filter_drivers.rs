//! Which filter drivers see every operation of a file system? Those that the filter manager has loaded, as `fltmc filters` lists them.

use std::ffi::c_void;

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::LibraryLoader::{
    GetProcAddress, LOAD_LIBRARY_SEARCH_SYSTEM32, LoadLibraryExW,
};

use super::wide;
use crate::system::kernel_files::Known;

/// FilterFindFirst and FilterFindNext of fltuser.h.
type FindFirst = unsafe extern "system" fn(i32, *mut c_void, u32, *mut u32, *mut HANDLE) -> u32;
type FindNext = unsafe extern "system" fn(HANDLE, i32, *mut c_void, u32, *mut u32) -> u32;
type FindClose = unsafe extern "system" fn(HANDLE) -> u32;

/// FILTER_INFORMATION_CLASS: FilterFullInformation.
const FULL: i32 = 0;
/// HRESULT_FROM_WIN32(ERROR_NO_MORE_ITEMS).
const NO_MORE: u32 = 0x8007_0103;
/// FILTER_FULL_INFORMATION: three numbers and the length of the name, then the name.
const NAME_AT: usize = 14;

/// Names of the loaded filter drivers. Errors: only administrators may ask.
pub(crate) fn filter_drivers() -> Known<Vec<String>> {
    let name = wide("fltlib.dll");
    // SAFETY: the name ends with 0; the library is one of Windows, and stays loaded. Each function has the type that fltuser.h gives it.
    let (first, next, close) = unsafe {
        let library = LoadLibraryExW(
            name.as_ptr(),
            std::ptr::null_mut(),
            LOAD_LIBRARY_SEARCH_SYSTEM32,
        );
        if library.is_null() {
            return Err("Windows has no fltlib.dll here".into());
        }
        let function = |name: &std::ffi::CStr| {
            let found = GetProcAddress(library, name.as_ptr().cast());
            found.ok_or_else(|| format!("fltlib.dll has no {}", name.to_string_lossy()))
        };
        (
            std::mem::transmute::<unsafe extern "system" fn() -> isize, FindFirst>(function(
                c"FilterFindFirst",
            )?),
            std::mem::transmute::<unsafe extern "system" fn() -> isize, FindNext>(function(
                c"FilterFindNext",
            )?),
            std::mem::transmute::<unsafe extern "system" fn() -> isize, FindClose>(function(
                c"FilterFindClose",
            )?),
        )
    };
    let mut buffer = [0u64; 256];
    let length = size_of_val(&buffer) as u32;
    let (mut reported, mut search) = (0, std::ptr::null_mut());
    // SAFETY: the buffer is as long as is said, and the others live over the call.
    let mut status = unsafe {
        first(
            FULL,
            buffer.as_mut_ptr().cast(),
            length,
            &mut reported,
            &mut search,
        )
    };
    if status != 0 {
        return match status {
            NO_MORE => Ok(Vec::new()),
            0x8007_0522 | 0x8007_0005 => {
                Err("listing filter drivers needs administrator rights".into())
            }
            status => Err(format!("FilterFindFirst fails with 0x{status:08X}")),
        };
    }
    let mut names = Vec::new();
    while status == 0 {
        let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
        names.extend(name_of(&bytes));
        // SAFETY: the search is open, and the buffer is as long as is said.
        status = unsafe {
            next(
                search,
                FULL,
                buffer.as_mut_ptr().cast(),
                length,
                &mut reported,
            )
        };
    }
    // SAFETY: the search is open, and closed once.
    unsafe { close(search) };
    Ok(names)
}

/// The name in a FILTER_FULL_INFORMATION.
fn name_of(bytes: &[u8]) -> Option<String> {
    let length = u16::from_ne_bytes(*bytes.get(12..)?.first_chunk()?);
    let name = bytes.get(NAME_AT..NAME_AT + usize::from(length))?;
    let units: Vec<u16> = name
        .chunks_exact(2)
        .map(|pair| u16::from_ne_bytes([pair[0], pair[1]]))
        .collect();
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_filter_is_read() {
        let mut bytes = vec![0u8; 64];
        bytes[12..14].copy_from_slice(&16u16.to_ne_bytes());
        for (at, unit) in "WdFilter".encode_utf16().enumerate() {
            bytes[14 + 2 * at..16 + 2 * at].copy_from_slice(&unit.to_ne_bytes());
        }
        assert_eq!(name_of(&bytes).as_deref(), Some("WdFilter"));
        assert_eq!(name_of(&bytes[..20]), None);
    }
}
