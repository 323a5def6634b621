//! What have processes of Windows done? Operations, bytes and CPU time. Linux keeps these in files of /proc.
#![cfg_attr(
    not(windows),
    allow(dead_code, reason = "other systems keep their counts elsewhere")
)]

#[cfg(not(windows))]
pub(crate) use none::{ProcessTree, own_counts};

#[cfg(windows)]
pub(crate) use super::windows::{ProcessTree, own_counts};

/// What a program has done so far, by counts that Windows keeps of each process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProgramCounts {
    pub read_calls: u64,
    pub write_calls: u64,
    pub read_bytes: u64,
    pub write_bytes: u64,
    pub cpu_ns: u64,
}

impl ProgramCounts {
    pub(crate) fn add(&mut self, other: &ProgramCounts) {
        self.read_calls += other.read_calls;
        self.write_calls += other.write_calls;
        self.read_bytes += other.read_bytes;
        self.write_bytes += other.write_bytes;
        self.cpu_ns += other.cpu_ns;
    }
}

/// What plumb's own process has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OwnCounts {
    pub io: Option<ProgramCounts>,
    pub user_ns: Option<u64>,
    pub system_ns: Option<u64>,
    pub resident_bytes: Option<u64>,
}

#[cfg(not(windows))]
mod none {
    use super::{OwnCounts, ProgramCounts};

    /// Other systems keep their counts elsewhere.
    pub(crate) fn own_counts() -> OwnCounts {
        OwnCounts::default()
    }

    /// Never reported here.
    pub(crate) struct ProcessTree;

    impl ProcessTree {
        pub fn of(_: u32) -> ProcessTree {
            ProcessTree
        }

        pub fn counts(&mut self) -> Option<ProgramCounts> {
            None
        }
    }
}
