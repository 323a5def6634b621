//! What do systems without perf_event_open(2) report about system calls? Nothing so far, and that is said.

use std::io;

use super::records::Record;
use crate::system::open_paths::RequestedPath;

/// Numbers of system calls and their names.
pub(crate) fn numbers() -> impl Iterator<Item = (i64, &'static str)> {
    std::iter::empty()
}

/// Never made here.
pub(crate) struct Tracepoints;

impl Tracepoints {
    pub fn of_started_programs() -> io::Result<Tracepoints> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this system has no Linux tracepoints",
        ))
    }

    pub fn of_process(_: u32) -> io::Result<Tracepoints> {
        Tracepoints::of_started_programs()
    }

    pub fn shows_requests(&self) -> bool {
        false
    }

    pub fn shows_paths(&self) -> bool {
        false
    }

    pub fn drain_paths(&mut self, _: &mut dyn FnMut(RequestedPath)) {}

    pub fn threads(&self) -> &[u32] {
        &[]
    }

    pub fn drain(&mut self, _: &mut dyn FnMut(Record)) {}
}

/// The clock of the records.
pub(crate) fn clock_ns() -> (u64, u64) {
    (0, 0)
}
