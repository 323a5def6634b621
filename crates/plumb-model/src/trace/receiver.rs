//! Which code consumes a trace? Anything that counts, stores or replays it: events in order, and file names.

use super::events::TraceEvent;

/// Consumer of a trace. Every `FnMut(TraceEvent)` is one that ignores names.
pub trait TraceReceiver {
    /// The next event.
    fn take(&mut self, event: TraceEvent);

    /// The name of the file with this number (`Call::file`): a path, a device, or another name in the trace. Called at most once per number,
    /// before its first call or later; several numbers have the same name if a file was opened several times.
    fn name(&mut self, file: u64, name: &str) {
        let _ = (file, name);
    }

    /// A file system that the traced programs see: its mount point, its type (`ext4`), and its device or server. Called before the first event.
    fn mount(&mut self, point: &str, file_system: &str, source: &str) {
        let _ = (point, file_system, source);
    }

    /// The name of the thread or process of this lane (`Call::lane`).
    fn name_lane(&mut self, lane: u32, name: &str) {
        let _ = (lane, name);
    }
}

impl<F: FnMut(TraceEvent)> TraceReceiver for F {
    fn take(&mut self, event: TraceEvent) {
        self(event);
    }
}
