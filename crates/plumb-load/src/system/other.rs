//! What does macOS report of a thread and of the machine? Nothing is accounted or pinned there: it has no call for either.

use super::*;

pub fn thread_account() -> Option<ThreadAccount> {
    None
}

pub fn allowed_cpus() -> Vec<u32> {
    Vec::new()
}

pub fn pin_thread(_: &[u32]) -> std::io::Result<()> {
    Err(std::io::Error::other(
        "pinning is not available on this system",
    ))
}

pub fn cpus_of_node(_: u32) -> Vec<u32> {
    Vec::new()
}

pub fn sharpen_timers() {}

pub fn run_promptly() {}

pub fn io_uring_kernel_workers() -> usize {
    0
}

pub fn counter_is_steady() -> bool {
    false
}

pub fn memory_bytes() -> Option<u64> {
    sysctl::number(c"hw.memsize")
}

pub fn host_name() -> String {
    sysctl::text(c"kern.hostname").unwrap_or_default()
}

/// Not reported by the kernel.
pub fn direct_alignment_bytes(_: &std::fs::File) -> Option<u64> {
    None
}
