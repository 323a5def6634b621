//! What does the kernel report by sysctl(3)? Values by name, and when a process started, on FreeBSD and macOS.

pub use plumb_system::sysctl::{number, text};

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
