//! What does the kernel report by sysctlbyname(3)? Values by name, on FreeBSD and macOS.

use std::ffi::CStr;

/// The bytes of a value; `None` where there is no such name, or this user may not read it.
pub fn bytes(name: &CStr) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    // A value may have grown between the question how long it is and its reading (ENOMEM).
    for _ in 0..8 {
        let mut length = 0;
        if read(name, std::ptr::null_mut(), &mut length) != 0 {
            return None;
        }
        value.resize(length + length / 8, 0);
        length = value.len();
        if read(name, value.as_mut_ptr(), &mut length) == 0 {
            value.truncate(length);
            return Some(value);
        }
    }
    None
}

fn read(name: &CStr, value: *mut u8, length: &mut usize) -> libc::c_int {
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

/// When a process started, in microseconds since 1970; `None` when there is no such process.
#[cfg(target_os = "freebsd")]
pub fn process_start(process: u32) -> Option<String> {
    let name = [
        libc::CTL_KERN,
        libc::KERN_PROC,
        libc::KERN_PROC_PID,
        libc::c_int::try_from(process).ok()?,
    ];
    // SAFETY: plain data, of which zero is a valid value.
    let mut found: libc::kinfo_proc = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::kinfo_proc>();
    // SAFETY: name and answer live over the call and have the lengths that are passed; nothing is set.
    let rc = unsafe {
        libc::sysctl(
            name.as_ptr(),
            name.len() as libc::c_uint,
            (&raw mut found).cast(),
            &mut length,
            std::ptr::null(),
            0,
        )
    };
    (rc == 0 && length == size_of::<libc::kinfo_proc>())
        .then(|| format!("{}.{:06}", found.ki_start.tv_sec, found.ki_start.tv_usec))
}

/// The same by proc_pidinfo (libproc.h).
#[cfg(target_os = "macos")]
pub fn process_start(process: u32) -> Option<String> {
    // SAFETY: plain data, of which zero is a valid value.
    let mut found: libc::proc_bsdinfo = unsafe { std::mem::zeroed() };
    let bytes = size_of::<libc::proc_bsdinfo>() as libc::c_int;
    // SAFETY: the answer lives over the call and has the length that is passed.
    let length = unsafe {
        libc::proc_pidinfo(
            libc::c_int::try_from(process).ok()?,
            libc::PROC_PIDTBSDINFO,
            0,
            (&raw mut found).cast(),
            bytes,
        )
    };
    (length == bytes).then(|| format!("{}.{:06}", found.pbi_start_tvsec, found.pbi_start_tvusec))
}
