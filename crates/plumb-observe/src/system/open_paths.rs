//! Which paths do the traced programs name? A BPF program reads each from the program's memory as its call ends, so that files have names that are closed a moment later.
//!
//! It needs no compiler and nothing of a kernel's layout that the kernel does not report itself (BTF), and hangs at the tracepoints of calls by path alone (open, stat, unlink and similar): other calls cost nothing more.
//! It passes over tasks that no perf events follow. Where it cannot be had, names are looked up as without it.

#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod program;
mod requested;
#[cfg(target_os = "linux")]
mod types;

#[cfg(target_os = "linux")]
pub(crate) use kernel::OpenPaths;
pub(crate) use requested::{Folder, RequestedPath};
