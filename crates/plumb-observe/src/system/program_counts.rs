//! What have processes of Windows done? Operations, bytes and CPU time. Linux keeps these in files of /proc.
#![cfg_attr(
    not(windows),
    allow(dead_code, reason = "other systems keep their counts elsewhere")
)]

pub(super) mod counts;

#[cfg(not(windows))]
pub(crate) use counts::OwnCounts;
pub(crate) use counts::ProgramCounts;
#[cfg(not(windows))]
pub(crate) use none::{ProcessTree, own_counts};

#[cfg(windows)]
pub(crate) use super::windows::{ProcessTree, own_counts};

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
