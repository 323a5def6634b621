//! Which values do the flags of open(2) have that differ between architectures?

/// Flags of open(2) whose numbers differ between architectures.
#[derive(Debug, Clone, Copy)]
pub struct OpenFlags {
    pub append: u64,
    pub close_on_exec: u64,
}

impl Default for OpenFlags {
    fn default() -> OpenFlags {
        OpenFlags {
            append: 0o2000,
            close_on_exec: 0o2_000_000,
        }
    }
}
