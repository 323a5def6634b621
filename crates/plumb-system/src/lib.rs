//! Which calls of the kernel do both the load generator and the observer need?

#[cfg(target_os = "linux")]
pub mod fiemap;
#[cfg(unix)]
pub mod open_files;
#[cfg(any(target_os = "freebsd", target_os = "macos"))]
pub mod sysctl;
