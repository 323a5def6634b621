//! What are the arguments of a system call, as the kernel has them? Six numbers, some of which are addresses that can no longer be followed.

use super::arguments::Arguments;
use crate::system::opened_files::name_of_descriptor;

/// Arguments of one call.
#[derive(Debug, Clone, Default)]
pub struct Numbers {
    pub arguments: [u64; 6],
    /// Flags stand behind an address (openat2).
    pub hides_flags: bool,
    /// Who made it.
    pub thread: u32,
    /// The descriptor may refer to something else by now.
    pub is_stale: bool,
    /// The name of the file that it opened.
    pub opened: Option<String>,
}

impl Arguments for Numbers {
    fn number(&self, at: usize) -> Option<i64> {
        let word = *self.arguments.get(at)?;
        // A descriptor is an int: the upper half of its register is undefined.
        Some(match at {
            0 => i64::from(word as u32 as i32),
            _ => word as i64,
        })
    }

    /// Strings are behind an address, but the opened file has a name in the system.
    fn text(&self, _: usize) -> Option<String> {
        self.opened.clone()
    }

    fn vector_bytes(&self, _: usize) -> Option<u64> {
        None
    }

    /// Unseen flags may be set: nothing follows from their absence.
    fn has_flag(&self, at: usize, bits: u64, _: &str) -> bool {
        let word = self.arguments.get(at).copied().unwrap_or(0);
        self.hides_flags || word & bits != 0
    }

    fn descriptor_name(&self, at: usize) -> Option<String> {
        if self.is_stale {
            return None;
        }
        name_of_descriptor(self.thread, self.number(at)?)
    }

    /// Whatever was opened or open was seen: it is a pipe or a socket, whose descriptors stand behind an address.
    fn takes_for_file(&self, _: i64) -> bool {
        false
    }

    fn descriptors(&self, _: usize) -> Vec<i64> {
        Vec::new()
    }

    fn is_file(&self, _: usize) -> Option<bool> {
        None
    }

    fn number_behind(&self, _: usize) -> Option<i64> {
        None
    }
}
