//! What does the load generator require of an engine? Submit a batch of operations, return the completed ones.

pub mod buffers;
pub mod by_call;
pub mod connected;
pub mod failure;
pub mod journal;
pub mod logged;
pub mod lookout;
pub mod meeting;
pub mod operation;
pub mod reconnect;
pub mod stages;
pub mod stop_request;
pub mod traffic;
pub mod trial;
pub mod urgent;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use crate::peer::dial::Unreached;
use plumb_model::engines::EngineProperties;
use plumb_model::run::{EngineAccount, WriteBackFailure};
use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{AccessHint, EngineChoice, Job, Workload};
use plumb_words::english;

use crate::engine::buffers::Region;
use crate::engine::journal::Journal;
use crate::engine::meeting::Meeting;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::stop_request::StopRequest;
use crate::secret::Secret;
use crate::site::SiteFile;
use crate::system;

/// How long [`Engine::reap`] may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    No,
    /// Until at least one operation is done. Only when some are in flight. An engine whose connection is lost returns after about 100 ms without any, so
    /// that the intervals of the record continue.
    One,
    /// Until one is done or this many nanoseconds have passed.
    AtMost(u64),
}

/// Carries out operations. Lives on one worker's thread; holds at most `depth` operations at once (the worker sees to it).
pub trait Engine {
    /// Waits for a moment, about 100 ms, for the other end to begin; `false`: it has not yet. What the step measures begins after that.
    fn has_begun(&mut self) -> bool {
        true
    }

    /// Takes all of `ops`. They may be started now or at the next [`Engine::reap`]; those that end at once are appended to `done`.
    /// An operation that fails is a [`Done`] too.
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

    /// Brings a file to stable storage with all its metadata (fsync(2)), for operations on files by name their entire file system (syncfs(2)), and waits for
    /// that; nothing is in flight. `None`: the engine has only a flush as an operation.
    fn fsync(&mut self, _file: u32) -> Option<Outcome> {
        None
    }

    /// Nothing will be submitted any more, and only what is in flight is waited for: an operation that waits for a connection to come back fails now.
    fn finish(&mut self) {}

    /// Ends the engine; nothing is in flight.
    fn close(&mut self) -> Closing;
}

/// What an engine leaves to the record.
#[derive(Debug, Default)]
pub struct Closing {
    /// For the reader of the figures, such as that kernel threads had to help.
    pub remarks: Vec<Statement>,
    /// Data that counts as written was lost when the engine closed the file: what and why. Ends the step with an error.
    pub loss: Option<Statement>,
    /// Data that counts as written, and that could not be written back when the engine closed the file.
    pub write_back: Vec<WriteBackFailure>,
    /// What it counted by itself; empty for engines of local targets.
    pub account: EngineAccount,
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
    /// What the kernel is told about the order of accesses.
    pub hint: AccessHint,
}

impl OpenFile {
    /// The error of close(2) of a written file: each close of a duplicate makes the file system flush (filp_flush in fs/open.c),
    /// while the descriptor itself stays open.
    pub fn closing_failure(&self) -> Option<WriteBackFailure> {
        let copy = self
            .writable
            .then(|| self.file.try_clone().ok())
            .flatten()?;
        system::close(copy)
            .err()
            .map(|error| self.failure("close", &error))
    }

    /// An error of this call as what it is: data that is lost.
    pub fn failure(&self, call: &str, error: &io::Error) -> WriteBackFailure {
        let name = error.raw_os_error().map_or_else(
            || error.to_string(),
            |number| system::errno_name(number).into_owned(),
        );
        WriteBackFailure {
            path: self.path.display().to_string(),
            call: call.into(),
            error: name,
        }
    }
}

/// How a trim of this file is done without a ring, for the record.
pub fn trim_by_call(file: &OpenFile) -> &'static str {
    system::trim_by_call(file.block_device)
}

/// What an engine gets when it is opened, on the thread that will use it.
pub struct Setup<'a> {
    pub files: &'a [OpenFile],
    /// Where the last block ends that operations may use.
    pub end_bytes: u64,
    /// Where the data of each slot lies. Outlives the engine.
    pub buffers: Region,
    pub depth: u32,
    /// Most operations that come in one `submit`.
    pub batch: u32,
    pub choice: &'a EngineChoice,
    /// Paths of files for file operations.
    pub live_files: Option<&'a crate::feed::live_files::LiveFiles>,
    /// The workload has trims: the engine reports how it does them.
    pub trims: bool,
    /// Flushes write out all metadata: fsync(2) instead of fdatasync(2), if an engine has both.
    pub flush_metadata: bool,
    /// For a target on the network; `files` is empty then.
    pub remote: Option<RemoteSetup<'a>>,
}

/// Parameters of an engine for a share or a peer.
#[derive(Clone)]
pub struct RemoteSetup<'a> {
    pub remote: &'a Remote,
    /// Missing: there is none, or none is needed.
    pub secret: Option<&'a Secret>,
    /// The file on the share that holds the blocks, and the range in use; its path is relative to the share. Missing for peers and for file
    /// operations alone.
    pub file: Option<&'a SiteFile>,
    /// Number of this worker among the workers of its job.
    pub worker: u32,
    pub workload: &'a Workload,
    /// What the engines of all workers of the job share, in this execution.
    pub meeting: &'a Meeting,
    /// All jobs of the step, this one among them.
    pub jobs: Vec<&'a Job>,
    /// What the engines of all of them share, in this execution.
    pub step_meeting: &'a Meeting,
    /// Where the engine reports that a connection was lost.
    pub journal: Journal,
    /// Once it is made, a server that does not answer is not waited for.
    pub stop: StopRequest,
}

impl RemoteSetup<'_> {
    /// Workers of all jobs of the step, those of other ranks on this host among them.
    pub fn workers_on_host(&self) -> u32 {
        let own: u32 = self.jobs.iter().map(|job| job.workload.workers).sum();
        own.saturating_add(self.workload.rank_position.host_shared_with)
    }
}

/// An open engine and what it is like.
pub struct Opened<'a> {
    pub engine: Box<dyn Engine + 'a>,
    /// What was agreed with the share or peer, by name; empty for local targets.
    pub connection: BTreeMap<String, String>,
    /// Features in use.
    pub active: Vec<String>,
    /// Features that were wanted and could not be had, each with the reason.
    pub refused: Vec<Statement>,
}

impl<'a> Opened<'a> {
    /// An engine of a local target, without features to report.
    pub fn local(engine: impl Engine + 'a) -> Opened<'a> {
        Opened {
            engine: Box::new(engine),
            connection: BTreeMap::new(),
            active: Vec::new(),
            refused: Vec::new(),
        }
    }
}

/// Why an engine cannot be had: what, why, and what to do next.
#[derive(Debug, Clone, PartialEq)]
pub struct Unavailable(pub Statement);

impl From<Unreached> for Unavailable {
    fn from(Unreached(why): Unreached) -> Unavailable {
        Unavailable(why)
    }
}

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&english(&self.0))
    }
}

/// An engine error with plumb's own message, carried by an [`io::Error`].
#[derive(Debug)]
struct StatementError(Statement);

impl std::fmt::Display for StatementError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&english(&self.0))
    }
}

impl std::error::Error for StatementError {}

/// An engine error with this message.
pub fn error_of(why: Statement) -> io::Error {
    io::Error::other(StatementError(why))
}

/// The same with a kind, for callers that check it.
pub fn error_of_kind(kind: io::ErrorKind, why: Statement) -> io::Error {
    io::Error::new(kind, StatementError(why))
}

/// The message of an error: as created by [`error_of`], or from the system.
pub fn statement_of_error(error: &io::Error) -> Statement {
    let error_of = error.get_ref().and_then(|inner| inner.downcast_ref());
    error_of.map_or_else(
        || Statement::verbatim(error.to_string()),
        |StatementError(why)| why.clone(),
    )
}

/// An engine as the list knows it.
pub struct EngineKind {
    /// What the rest of the program knows of it.
    pub properties: EngineProperties,
    /// Opens it.
    pub open: for<'a> fn(Setup<'a>) -> Result<Opened<'a>, Unavailable>,
}

impl EngineKind {
    /// Opens it.
    ///
    /// # Errors
    /// Which engine cannot be had, why, and what to do next.
    pub fn start<'a>(&self, setup: Setup<'a>) -> Result<Opened<'a>, Statement> {
        let lacks_submissions = setup.choice.submission_latency && !self.submits_apart;
        let mut opened = (self.open)(setup).map_err(|Unavailable(why)| {
            Statement::new("engine-not-available")
                .name("engine", self.name)
                .part("why", why)
        })?;
        if lacks_submissions {
            let refused = Statement::new("refused-submission-latency").name("engine", self.name);
            opened.refused.push(refused);
        }
        Ok(opened)
    }
}

impl std::ops::Deref for EngineKind {
    type Target = EngineProperties;

    fn deref(&self) -> &EngineProperties {
        &self.properties
    }
}

impl std::fmt::Debug for EngineKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
