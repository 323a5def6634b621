//! Which properties of an engine and of its targets does the rest of the program use?

use crate::workload::operation::OperationKind;

/// Properties of an engine.
#[derive(Debug, Clone, Copy)]
pub struct EngineProperties {
    /// Name in plans, flags and records.
    pub name: &'static str,
    /// One sentence for help and reference.
    pub meaning: &'static str,
    /// Protocols that it supports; empty for an engine of files and devices.
    pub schemes: &'static [SchemeProperties],
    /// Keeps several operations in flight; other engines have a depth of 1 per worker.
    pub asynchronous: bool,
    /// Default for the most operations per submission; 1 for synchronous engines.
    pub batch: u32,
    /// Operations that it supports.
    pub operations: &'static [OperationKind],
    /// `auto` may choose it; other engines are chosen only by name, or by an option that only they have.
    pub by_auto: bool,
    /// Performs I/O; false: it only counts operations and shows the limit of the load generator.
    pub does_work: bool,
    /// Uses a memory mapping of the file: writes stay in the page cache until writeback, and a kill may tear a sector.
    pub maps_files: bool,
    /// Supports an I/O priority per operation.
    pub request_priorities: bool,
    /// Can submit with one system call per operation, so that submission and completion latency are measured apart.
    pub submits_apart: bool,
    /// Why it does not support direct I/O, as the end of a sentence that starts with the engine; missing: it does.
    pub never_direct: Option<&'static str>,
    /// All workers can share one connection to the peer; false if each worker has its own.
    pub shares_connection: bool,
    /// Keys of options that only this engine has: setting one selects this engine. For meaning and defaults see
    /// [`crate::workload::engine_choice::EngineChoice`].
    pub own_options: &'static [&'static str],
    /// fio engines that map to it (`ioengine` of a job file); fio-style output names the first.
    pub fio: &'static [&'static str],
}

/// Properties of a network protocol.
#[derive(Debug, Clone, Copy)]
pub struct SchemeProperties {
    /// Scheme: the part before `://`.
    pub word: &'static str,
    /// One phrase for help and reference.
    pub meaning: &'static str,
    /// Default port.
    pub default_port: u16,
    /// What happens to operations issued while the connection is lost.
    pub while_lost: WhileLost,
    /// Has files; false for a peer that exchanges messages or memory.
    pub is_share: bool,
    /// The host of an address is the share itself (a bucket): it has no user and no port, and its path begins in the share.
    pub host_is_share: bool,
    /// A file is written entirely or not at all: blocks of it are read, not written.
    pub writes_entire_files: bool,
    /// The peer exposes memory for reads and writes.
    pub lends_memory: bool,
    /// Users log in with a password.
    pub needs_password: bool,
    /// Why no trial connection is made before the run, as a clause; missing: one is made.
    pub untried: Option<&'static str>,
    /// What to do if the peer does not respond.
    pub unreachable_remedy: &'static str,
}

/// What happens to operations issued while a connection is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhileLost {
    /// They wait for the reconnect: the outage is in their response times.
    Wait,
    /// They fail at once: the outage is in the rate, not in response times.
    Fail,
    /// There are none: the connection cannot be restored, and the step ends.
    End,
}

impl EngineProperties {
    /// True if it supports this kind of operation.
    pub fn supports(&self, kind: OperationKind) -> bool {
        self.operations.contains(&kind)
    }

    /// True for an engine of files and devices.
    pub fn is_local(&self) -> bool {
        self.schemes.is_empty()
    }

    /// True if it supports this protocol.
    pub fn supports_scheme(&self, scheme: &str) -> bool {
        self.schemes.iter().any(|of| of.word == scheme)
    }
}
