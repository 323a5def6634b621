//! What do the kernel's tracepoints report about a process and of what it starts? Each system call as it is entered and left, and requests of io_uring.

#[cfg(target_os = "linux")]
mod attributes;
pub(crate) mod formats;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(not(target_os = "linux"))]
mod none;
#[cfg(target_os = "linux")]
mod numbers;
pub(crate) mod records;
#[cfg(target_os = "linux")]
mod ring;

/// Why no running program can be followed on this system, and what to do instead.
pub(crate) const NOT_HERE: Option<&str> = if cfg!(any(
    // Of 32 bits, a call has its 64-bit arguments in two registers each, and other names.
    all(target_os = "linux", target_pointer_width = "64"),
    windows
)) {
    None
} else {
    Some(
        "plumb trace follows running programs on 64-bit Linux and on Windows only. Capture the network traffic to the share (tcpdump -w FILE, or Wireshark) and pass the file to plumb trace",
    )
};

#[cfg(target_os = "linux")]
pub(crate) use kernel::{Tracepoints, clock_ns};
#[cfg(not(target_os = "linux"))]
pub(crate) use none::{Tracepoints, clock_ns, numbers};
#[cfg(target_os = "linux")]
pub(crate) use numbers::numbers;
