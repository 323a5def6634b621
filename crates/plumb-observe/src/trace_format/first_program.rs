//! Which program did strace start, and how did it end? Told while its log is read.

use std::sync::OnceLock;

/// The process of the log's first line, which is the program that strace was told to start. Others may ask for it while the log is read.
#[derive(Debug, Default)]
pub struct FirstProgram {
    process: OnceLock<u32>,
    status: OnceLock<i32>,
}

impl FirstProgram {
    /// Its number; missing before the first line.
    pub fn process(&self) -> Option<u32> {
        self.process.get().copied()
    }

    /// Its exit status; missing before its end, and when a signal ended it.
    pub fn status(&self) -> Option<i32> {
        self.status.get().copied()
    }

    /// What a line says of a thread: `+++ exited with 3 +++`.
    pub(crate) fn note(&self, thread: u32, said: &[u8]) {
        if *self.process.get_or_init(|| thread) != thread {
            return;
        }
        let status = said.strip_prefix(b"+++ exited with ");
        let status = status.and_then(|rest| rest.strip_suffix(b" +++"));
        if let Some(status) = status.and_then(|text| std::str::from_utf8(text).ok()?.parse().ok()) {
            // Said once.
            let _ = self.status.set(status);
        }
    }
}
