//! What do systems other than Linux do for threads? Nothing is accounted or pinned there yet.

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
    None
}

pub fn host_name() -> String {
    String::new()
}
