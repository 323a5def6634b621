//! What are the counts that Windows keeps of a process?

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
