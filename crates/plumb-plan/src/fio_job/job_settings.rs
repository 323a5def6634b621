//! What is known about one section so far: keys of a plan with their lines, and what determines the end of the step.

use crate::fio_job::access::rw::Directions;
use crate::fio_job::section::Section;
use crate::{Entry, JobFile};
use plumb_model::workload::BlockSizes;

/// One section being converted to a job.
#[derive(Debug, Clone, Default)]
pub struct JobSettings {
    pub name: String,
    pub line: usize,
    pub entries: Vec<Entry>,
    /// Workers: fio's clones.
    pub numjobs: u32,
    /// Files that each clone uses; 0 if unknown.
    pub files: u32,
    /// Bytes of the file or device that one clone uses.
    pub region_bytes: Option<u64>,
    /// All clones use the same file or device.
    pub is_shared: bool,
    /// First byte, and its increment for the next clone.
    pub start_bytes: u64,
    pub increment_bytes: u64,
    /// File operations, not blocks.
    pub on_files: bool,
    pub modifies: bool,
    /// It replays a log.
    pub replays: bool,
    /// Time it is to run, in nanoseconds.
    pub time_ns: Option<u64>,
    /// Written data is read back and verified afterwards.
    pub reads_back: bool,
    pub loops: u64,
    /// Flushes between its loops, if it flushes at all; if one is also due there by `fsync-every`, fio executes two.
    pub pass_flushes: Option<u32>,
    /// Reads and writes have their own blocks or offsets.
    pub directions: Option<Directions>,
    /// Delay before it starts, and its warm-up, in nanoseconds.
    pub delay_ns: u64,
    pub warm_up_ns: u64,
    /// Depths measured one after another; empty for a single one.
    pub depths: Vec<u32>,
}

impl JobSettings {
    /// Sets a key, from this option.
    pub fn set(&mut self, section: &Section, option: &str, key: &str, text: impl Into<String>) {
        self.set_at(section.line(option), key, text);
    }

    /// Sets a key, from this line.
    pub fn set_at(&mut self, line: usize, key: &str, text: impl Into<String>) {
        self.entries.retain(|entry| entry.key != key);
        self.entries.push(Entry {
            key: key.to_string(),
            text: text.into(),
            line,
        });
    }

    /// The text of a key, if it was set.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| entry.text.as_str())
    }

    /// The smallest size of a block, in bytes.
    pub fn smallest_block(&self) -> Option<u64> {
        let sizes = self.get("block")?.parse::<BlockSizes>().ok()?;
        sizes.0.iter().map(|(span, _)| span.from.0).min()
    }

    pub fn drop_key(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
    }

    /// True if an amount of data may end it before its time.
    pub fn counts(&self) -> bool {
        ["bytes", "operations", "passes"]
            .iter()
            .any(|key| self.get(key).is_some())
    }

    /// True if each clone has its own files in a directory that are kept, or several: they have fio's names.
    pub fn has_names_of_fio(&self) -> bool {
        let is_own = !self.is_shared && !self.on_files && !self.replays;
        is_own && (self.get("keep") == Some("true") || self.files > 1)
    }

    /// Nanoseconds from the start of the step to the end of its time, all depths together; only the time before it if it has no limit.
    pub fn end_ns(&self) -> u64 {
        let once_ns = self
            .delay_ns
            .saturating_add(self.warm_up_ns)
            .saturating_add(self.time_ns.unwrap_or(0));
        once_ns.saturating_mul(self.depths.len().max(1) as u64)
    }

    /// The job of a plan.
    pub fn job(self) -> JobFile {
        JobFile {
            name: self.name,
            line: self.line,
            entries: self.entries,
            origins: None,
        }
    }
}
