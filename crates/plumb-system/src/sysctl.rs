//! What does the kernel report by sysctlbyname(3)? Values by name, on FreeBSD and macOS.

use std::ffi::CStr;

/// The bytes of a value; `None` where there is no such name, or this user may not read it.
pub fn bytes(name: &CStr) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    // A value may have grown between the question how long it is and its reading (ENOMEM).
    for _ in 0..8 {
        let mut length = 0;
        if ask(name, std::ptr::null_mut(), &mut length) != 0 {
            return None;
        }
        value.resize(length + length / 8, 0);
        length = value.len();
        if ask(name, value.as_mut_ptr(), &mut length) == 0 {
            value.truncate(length);
            return Some(value);
        }
    }
    None
}

fn ask(name: &CStr, value: *mut u8, length: &mut usize) -> libc::c_int {
    // SAFETY: the name ends with a zero byte; `value` is null or has room for `length` bytes; nothing is set.
    unsafe { libc::sysctlbyname(name.as_ptr(), value.cast(), length, std::ptr::null_mut(), 0) }
}

/// A value that is a number of 32 or 64 bits and not below 0.
pub fn number(name: &CStr) -> Option<u64> {
    let value = bytes(name)?;
    let number = match value.len() {
        4 => i64::from(i32::from_ne_bytes(value.try_into().ok()?)),
        8 => i64::from_ne_bytes(value.try_into().ok()?),
        _ => return None,
    };
    u64::try_from(number).ok()
}

/// A value that is a text.
pub fn text(name: &CStr) -> Option<String> {
    let value = bytes(name)?;
    let end = value.iter().position(|byte| *byte == 0);
    let text = &value[..end.unwrap_or(value.len())];
    Some(String::from_utf8_lossy(text).into_owned())
}
