//! Which part of a target does a sequence of operations work on?

/// A contiguous part of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u64,
    /// Number of bytes.
    pub len: u64,
}
