//! What does the load generator ask of an engine? Take a batch of operations, give back those that are done.

use plumb_model::workload::OperationKind;

/// One operation for an engine. The data buffer belongs to the slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Op {
    /// Byte offset in the file or device; for file operations the number of the file in the set.
    pub offset: u64,
    /// Bytes to move.
    pub len: u32,
    /// Which buffer, below the depth; comes back in [`Done::slot`].
    pub slot: u32,
    /// Which open file (index into the engine's files).
    pub file: u32,
    pub kind: OperationKind,
}

/// A completed operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Done {
    pub slot: u32,
    /// Bytes moved (0 for operations that move none), or the negated errno.
    pub result: i32,
}
