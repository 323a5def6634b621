//! What does the load generator ask of an engine? Take a batch of operations, give back those that are done.

use std::io;
use std::path::PathBuf;

use plumb_model::workload::{EngineChoice, OperationKind};

use crate::buffers::Region;

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

/// How long [`Engine::reap`] may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    No,
    /// Until at least one operation is done. Only when some are in flight.
    One,
    /// Until one is done or this many nanoseconds have passed.
    AtMost(u64),
}

/// Carries out operations. Lives on one worker's thread; holds at most `depth` operations at once (the worker sees to it).
pub trait Engine {
    /// Takes all of `ops`. They may be started now or at the next [`Engine::reap`]; those that end at once are appended to `done`.
    /// An operation that fails is a [`Done`] with its errno.
    ///
    /// # Errors
    /// Only when the engine itself is broken (the ring is gone); the step then fails.
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()>;

    /// Appends operations that are done. Every submitted operation comes back exactly once, here or from `submit`. Called only when some
    /// are in flight.
    ///
    /// # Errors
    /// As for `submit`.
    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()>;

    /// Ends the engine; nothing is in flight. Returns remarks for the record, such as that kernel threads had to help.
    fn close(&mut self) -> Vec<String>;
}

/// An open file or device as engines use it.
#[derive(Debug)]
pub struct OpenFile {
    pub file: std::fs::File,
    pub path: PathBuf,
    /// End of the part that may be used, in bytes from the start of the file.
    pub end_bytes: u64,
    pub readable: bool,
    pub writable: bool,
    /// O_DIRECT is in force.
    pub direct: bool,
    pub block_device: bool,
}

/// What an engine gets when it is opened, on the thread that will use it.
pub struct Setup<'a> {
    pub files: &'a [OpenFile],
    /// Where the data of each slot lies. Outlives the engine.
    pub buffers: Region,
    pub depth: u32,
    /// Most operations that come in one `submit`.
    pub batch: u32,
    pub choice: &'a EngineChoice,
    /// Paths of files for file operations.
    pub live_files: Option<&'a crate::live_files::LiveFiles>,
}

/// An open engine and what it is like.
pub struct Opened<'a> {
    pub engine: Box<dyn Engine + 'a>,
    /// Features in use.
    pub active: Vec<String>,
    /// Features that were wanted and could not be had, each with the reason.
    pub refused: Vec<String>,
}

/// Why an engine cannot be had: what, why, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("engine {engine} is not available: {reason}; {remedy}")]
pub struct Unavailable {
    pub engine: &'static str,
    pub reason: String,
    pub remedy: String,
}

/// An engine as the list knows it.
pub struct EngineKind {
    pub name: &'static str,
    /// One sentence for help and reference.
    pub meaning: &'static str,
    /// It can hold several operations at once; others have a depth of 1 per worker.
    pub asynchronous: bool,
    /// Operations that are best submitted at once, unless the plan says otherwise; 1 for engines that are not asynchronous.
    pub batch: u32,
    /// Which operations it can carry out.
    pub supports: fn(OperationKind) -> bool,
    /// Opens it.
    pub open: for<'a> fn(Setup<'a>) -> Result<Opened<'a>, Unavailable>,
}

impl std::fmt::Debug for EngineKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
