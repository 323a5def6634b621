//! Which requests does an operation take, one after the other?

use plumb_model::statement::Statement;
use plumb_model::workload::{NfsVersion, OperationKind};

use crate::engine::operation::{Op, Outcome};
use crate::shares::nfs::buffers::{Blocks, Part};
use crate::shares::nfs::call::{FileHandle, Stability, StateId};
use crate::shares::nfs::connection::{Answer, Connection};
use crate::shares::nfs::message::Call;
use crate::shares::nfs::open_owner::OpenOwner;
use crate::shares::nfs::results::{Failure, Page, Written};
use crate::shares::nfs::status::Status;

/// One request of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A part of a block.
    Read {
        at: u32,
        len: u32,
    },
    Write {
        at: u32,
        len: u32,
    },
    Commit,
    /// Finds or makes the folder of a small file.
    FindFolder(Which),
    MakeFolder(Which),
    /// Looks up a new small file whose handle an NFS 3 server did not return.
    FindFile,
    /// All that the operation on a small file takes, or the first part of it when there is too much data for one request.
    Main,
    /// In NFS 4.0: confirms the owner of a small file where the server asked for it, and returns a delegation that was not requested.
    Confirm,
    ReturnDelegation,
    /// The next part.
    More,
    Close,
}

/// Which folder of a rename; all others have the first only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Of,
    To,
}

/// Where a small file lies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path {
    /// Name of its folder, and its own.
    pub folder: String,
    pub name: String,
    pub handle: Option<FileHandle>,
}

/// An operation that was begun.
#[derive(Debug)]
pub struct Task {
    pub op: Op,
    /// Requests on their way or in the queue.
    pub requests: u32,
    /// Bytes moved in order.
    pub moved: u32,
    /// The first error.
    pub error: Option<Outcome>,
    pub of: Path,
    /// What a rename leads to.
    pub to: Path,
    /// A small file that is open over several requests.
    pub file: Option<(FileHandle, StateId)>,
    /// Delegation of that file, to be returned.
    pub delegation: Option<StateId>,
    /// Its owner was replaced once already.
    pub owner_replaced: bool,
    pub page: Page,
}

/// What is known to all operations.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    pub version: NfsVersion,
    /// The server has no READDIRPLUS.
    pub lists_plain: bool,
    pub client: u64,
    pub read_max_bytes: u32,
    pub write_max_bytes: u32,
    pub stability: Stability,
    /// Usable bytes of a slot.
    pub slot_bytes: u32,
    /// The file with the blocks.
    pub file: Option<(FileHandle, StateId)>,
    /// What the folders of small files lie in.
    pub folder: Option<FileHandle>,
}

impl Terms {
    pub fn is_version_3(&self) -> bool {
        self.version == NfsVersion::V3
    }

    pub fn is_version_4_0(&self) -> bool {
        self.version == NfsVersion::V40
    }
}

/// What a request brought.
#[derive(Debug, Default)]
pub struct RequestResult {
    /// A folder that was found or made.
    pub folder: Option<FileHandle>,
    /// A file that was opened, and is open still.
    pub opened: Option<(FileHandle, StateId)>,
    /// Its owner is to be confirmed.
    pub must_confirm: bool,
    /// What the server granted with it without a request.
    pub delegation: Option<StateId>,
    /// The server's status of an operation with the owner's sequence number.
    pub owner_status: Option<Status>,
    pub moved: u32,
    pub is_end: bool,
    /// How safe the data of a WRITE is.
    pub written: Option<Stability>,
    /// Of a WRITE or COMMIT.
    pub verifier: Option<[u8; 8]>,
    pub page: Option<Page>,
    pub failure: Option<Failure>,
}

impl Task {
    /// An operation on blocks, or on a small file `of` (and `to` for a rename).
    pub fn new(op: Op, of: Path, to: Path) -> Task {
        Task {
            op,
            requests: 0,
            moved: 0,
            error: None,
            of,
            to,
            file: None,
            delegation: None,
            owner_replaced: false,
            page: Page::default(),
        }
    }

    /// Data of a small file that one request moves, at most.
    pub(super) fn piece(&self, terms: &Terms) -> u32 {
        match self.op.kind {
            OperationKind::Create => (self.op.len - self.moved).min(terms.write_max_bytes),
            _ => (terms.slot_bytes - self.moved).min(terms.read_max_bytes),
        }
    }

    /// True when the first request moves all data, so that it can close the file too.
    pub(super) fn is_single(&self, terms: &Terms) -> bool {
        match self.op.kind {
            OperationKind::Create => self.op.len <= terms.write_max_bytes,
            OperationKind::ReadFile => terms.slot_bytes <= terms.read_max_bytes,
            _ => true,
        }
    }

    /// How the record names the request: by its operations, without those that only find the file.
    pub fn command(&self, step: Step, terms: &Terms) -> &'static str {
        if terms.is_version_3() {
            return self.command_3(step, terms);
        }
        if terms.is_version_4_0()
            && let Some(command) = self.command_4_0(step)
        {
            return command;
        }
        let is_single = self.is_single(terms);
        match (step, self.op.kind) {
            (Step::Read { .. }, _) => "READ",
            (Step::Write { .. }, _) => "WRITE",
            (Step::Commit, _) => "COMMIT",
            (Step::FindFolder(_) | Step::FindFile, _) => "LOOKUP",
            (Step::MakeFolder(_), _) => "CREATE",
            (Step::Close, _) => "CLOSE",
            (Step::Confirm, _) => "OPEN_CONFIRM",
            (Step::ReturnDelegation, _) => "DELEGRETURN",
            (Step::Main, OperationKind::Create) if is_single => "OPEN+WRITE+CLOSE",
            (Step::Main, OperationKind::Create) => "OPEN+WRITE",
            (Step::Main, OperationKind::ReadFile) if is_single => "OPEN+READ+CLOSE",
            (Step::Main, OperationKind::ReadFile) => "OPEN+READ",
            (Step::More, OperationKind::Create) => "WRITE",
            (Step::More, OperationKind::ReadFile) => "READ",
            (_, OperationKind::Open) => "OPEN+CLOSE",
            (_, OperationKind::Fsync) => "OPEN+COMMIT+CLOSE",
            (_, OperationKind::Stat) => "LOOKUP+GETATTR",
            (_, OperationKind::Rename) => "RENAME",
            (_, OperationKind::Delete) => "REMOVE",
            _ => "READDIR",
        }
    }

    /// Where the data of a READ of blocks goes.
    pub fn data(&self, step: Step) -> Option<Part> {
        match step {
            Step::Read { at, len } => Some(Part {
                block: self.op.slot,
                at,
                len,
            }),
            _ => None,
        }
    }

    /// Writes a request. `None`: there is nothing it could work on.
    pub fn build(
        &self,
        call: &mut Call,
        step: Step,
        terms: &Terms,
        owner: &OpenOwner,
    ) -> Option<()> {
        match terms.version {
            NfsVersion::V3 => self.build_3(call, step, terms),
            NfsVersion::V40 => self.build_4_0(call, step, terms, owner),
            _ => self.build_4(call, step, terms),
        }
    }

    /// The folder that a step is about.
    pub fn path(&self, which: Which) -> &Path {
        match which {
            Which::Of => &self.of,
            Which::To => &self.to,
        }
    }

    /// True for the listing of a folder.
    pub(super) fn lists(&self) -> bool {
        self.op.kind == OperationKind::List
    }

    /// True for operations that open a small file.
    pub(super) fn opens(&self) -> bool {
        matches!(
            self.op.kind,
            OperationKind::Create
                | OperationKind::Open
                | OperationKind::ReadFile
                | OperationKind::Fsync
        )
    }

    /// Reads the answer to a request. Data of a small file is copied to its slot.
    pub fn read(
        &self,
        connection: &Connection,
        answer: &Answer,
        step: Step,
        terms: &Terms,
        blocks: &mut Blocks,
    ) -> RequestResult {
        let mut outcome = RequestResult::default();
        let read = if terms.is_version_3() {
            connection
                .reply(answer)
                .and_then(|mut reply| self.read_3(&mut outcome, &mut reply, step, terms, blocks))
        } else {
            connection.results(answer).and_then(|mut results| {
                let results = &mut results;
                if terms.is_version_4_0() {
                    self.read_4_0(&mut outcome, results, step, terms, blocks)
                } else {
                    self.read_4(&mut outcome, results, step, terms, blocks)
                }
            })
        };
        outcome.failure = read.err();
        outcome
    }

    /// Copies data of a READ to the slot.
    pub(super) fn take_data(
        &self,
        outcome: &mut RequestResult,
        (is_end, data): (bool, &[u8]),
        at: u32,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        let room = (blocks.bytes_each() as u32).saturating_sub(at);
        if data.len() as u64 > u64::from(room) {
            return Err(Failure::Connection(
                Statement::new("nfs-read-beyond-buffer")
                    .count("bytes", data.len() as u64)
                    .count("most", u64::from(room)),
            ));
        }
        blocks
            .get_mut(Part {
                block: self.op.slot,
                at,
                len: data.len() as u32,
            })
            .copy_from_slice(data);
        (outcome.moved, outcome.is_end) = (data.len() as u32, is_end);
        Ok(())
    }
}

/// The answer to a WRITE of `len` bytes.
pub(super) fn take_written(
    outcome: &mut RequestResult,
    written: Written,
    len: u32,
    terms: &Terms,
) -> Result<(), Failure> {
    let written = written.of(len, terms.stability)?;
    outcome.moved = written.bytes;
    outcome.verifier = Some(written.verifier);
    outcome.written = Some(written.stability);
    Ok(())
}
