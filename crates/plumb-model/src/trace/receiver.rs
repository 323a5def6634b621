//! Who takes what a trace tells? Whatever counts it, stores it or repeats it: events in their order, and the names of files beside them.

use super::events::TraceEvent;

/// Takes a trace as it is read. Every `FnMut(TraceEvent)` is one that needs no names.
pub trait TraceReceiver {
    /// What happened next.
    fn take(&mut self, event: TraceEvent);

    /// The file with this number (`Call::file`) is the one with this name: a path, a device, or what else the trace calls it. Comes at most once for a number,
    /// before its first call or later; several numbers have the same name where a file was opened several times.
    fn name(&mut self, file: u64, name: &str) {
        let _ = (file, name);
    }

    /// Calls of this lane (`Call::lane`) were made by the thread or process with this name.
    fn name_lane(&mut self, lane: u32, name: &str) {
        let _ = (lane, name);
    }
}

impl<F: FnMut(TraceEvent)> TraceReceiver for F {
    fn take(&mut self, event: TraceEvent) {
        self(event);
    }
}
