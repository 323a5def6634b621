//! Which tree of files is copied, and is a copy of it complete? Laid out from a seed, written, and compared byte for byte.

mod check;
mod entries;
mod layout;
mod make;
mod shape;

pub use crate::system::trees::{forget_cached, sync_file_system, time_granularity_ns};
pub use check::{Checked, Problem, ProblemKind, Timestamps, Tolerance};
pub use entries::{Tree, TreeEntry, TreeKind};
pub use make::{empty_folder, holds_nothing};
pub use shape::TreeShape;

#[cfg(test)]
#[cfg(unix)]
mod tests;
