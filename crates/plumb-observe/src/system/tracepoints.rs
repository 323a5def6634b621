//! What do the kernel's tracepoints tell of a process and of what it starts? Each system call as it is entered and left, and requests of io_uring.

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
pub(crate) const NOT_HERE: Option<&str> = if cfg!(target_os = "linux") {
    None
} else if cfg!(windows) {
    Some(
        "plumb trace cannot follow a running program on Windows yet (ETW). Count what it does with 'plumb watch -- COMMAND' or 'plumb watch --pid N'; or capture what it asks of a share \
         (pktmon start --capture --pkt-size 0; pktmon stop; pktmon etl2pcap PktMon.etl; or Wireshark) and give the file to plumb trace",
    )
} else {
    Some(
        "plumb trace follows running programs on Linux only. Capture what it asks of a share (tcpdump -w FILE, or Wireshark) and give the file to plumb trace",
    )
};

#[cfg(target_os = "linux")]
pub(crate) use kernel::{Tracepoints, clock_ns};
#[cfg(not(target_os = "linux"))]
pub(crate) use none::{NUMBERS, Tracepoints, clock_ns};
#[cfg(target_os = "linux")]
pub(crate) use numbers::NUMBERS;
