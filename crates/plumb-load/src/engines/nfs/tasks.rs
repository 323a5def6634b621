//! Which requests does an operation take, one after the other?

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::engine::operation::{Op, Outcome};
use crate::shares::nfs::buffers::{Blocks, Part};
use crate::shares::nfs::call::{
    Access, Call, FileHandle, Opening, Stability, StateId, attribute, op,
};
use crate::shares::nfs::client::LISTING_BYTES;
use crate::shares::nfs::results::{Failure, Page, Results};

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
    /// All that the operation on a small file takes, or the first part of it when there is too much data for one request.
    Whole,
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
    pub page: Page,
}

/// What is known to all operations.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
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

/// What a request brought.
#[derive(Debug, Default)]
pub struct RequestResult {
    /// A folder that was found or made.
    pub folder: Option<FileHandle>,
    /// A file that was opened, and is open still.
    pub opened: Option<(FileHandle, StateId)>,
    pub moved: u32,
    pub is_end: bool,
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
            page: Page::default(),
        }
    }

    /// Data of a small file that one request moves, at most.
    fn piece(&self, terms: &Terms) -> u32 {
        match self.op.kind {
            OperationKind::Create => (self.op.len - self.moved).min(terms.write_max_bytes),
            _ => (terms.slot_bytes - self.moved).min(terms.read_max_bytes),
        }
    }

    /// True when the first request moves all data, so that it can close the file too.
    fn is_single(&self, terms: &Terms) -> bool {
        match self.op.kind {
            OperationKind::Create => self.op.len <= terms.write_max_bytes,
            OperationKind::ReadFile => terms.slot_bytes <= terms.read_max_bytes,
            _ => true,
        }
    }

    /// How the record names the request: by its operations, without those that only find the file.
    pub fn command(&self, step: Step, terms: &Terms) -> &'static str {
        let is_single = self.is_single(terms);
        match (step, self.op.kind) {
            (Step::Read { .. }, _) => "READ",
            (Step::Write { .. }, _) => "WRITE",
            (Step::Commit, _) => "COMMIT",
            (Step::FindFolder(_), _) => "LOOKUP",
            (Step::MakeFolder(_), _) => "CREATE",
            (Step::Close, _) => "CLOSE",
            (Step::Whole, OperationKind::Create) if is_single => "OPEN+WRITE+CLOSE",
            (Step::Whole, OperationKind::Create) => "OPEN+WRITE",
            (Step::Whole, OperationKind::ReadFile) if is_single => "OPEN+READ+CLOSE",
            (Step::Whole, OperationKind::ReadFile) => "OPEN+READ",
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
    pub fn build(&self, call: &mut Call, step: Step, terms: &Terms) -> Option<()> {
        let op = &self.op;
        match step {
            Step::Read { at, len } => {
                let (file, state) = terms.file?;
                call.put(&file);
                call.read(state, op.offset + u64::from(at), len);
            }
            Step::Write { at, len } => {
                let (file, state) = terms.file?;
                call.put(&file);
                call.write(
                    state,
                    op.offset + u64::from(at),
                    terms.stability,
                    Part {
                        block: op.slot,
                        at,
                        len,
                    },
                );
            }
            Step::Commit => {
                call.put(&terms.file?.0);
                call.commit();
            }
            Step::FindFolder(which) => {
                call.put(&terms.folder?);
                call.look_up(&self.path(which).folder);
                call.get_handle();
            }
            Step::MakeFolder(which) => {
                call.put(&terms.folder?);
                call.make_folder(&self.path(which).folder);
                call.get_handle();
            }
            Step::Whole => self.build_whole(call, terms)?,
            Step::More => match op.kind {
                OperationKind::List => self.build_listing(call)?,
                kind => {
                    let (file, state) = self.file?;
                    call.put(&file);
                    match kind {
                        OperationKind::Create => self.build_write(call, state, terms),
                        _ => call.read(state, u64::from(self.moved), self.piece(terms)),
                    }
                }
            },
            Step::Close => {
                let (file, state) = self.file?;
                call.put(&file);
                call.close(state);
            }
        }
        Some(())
    }

    /// The folder that a step is about.
    pub fn path(&self, which: Which) -> &Path {
        match which {
            Which::Of => &self.of,
            Which::To => &self.to,
        }
    }

    fn build_write(&self, call: &mut Call, state: StateId, terms: &Terms) {
        let place = Part {
            block: self.op.slot,
            at: self.moved,
            len: self.piece(terms),
        };
        call.write(state, u64::from(self.moved), terms.stability, place);
    }

    fn build_listing(&self, call: &mut Call) -> Option<()> {
        call.put(&self.of.handle?);
        let set = attribute::TYPE | attribute::SIZE | attribute::TIME_MODIFY;
        call.list(self.page.cookie, self.page.verifier, LISTING_BYTES, set);
        Some(())
    }

    fn build_whole(&self, call: &mut Call, terms: &Terms) -> Option<()> {
        let (name, current) = (self.of.name.as_str(), StateId::CURRENT);
        if self.op.kind == OperationKind::List {
            return self.build_listing(call);
        }
        call.put(&self.of.handle?);
        let open = |call: &mut Call, opening, access| {
            call.open(opening, access, terms.client, self.op.slot);
            call.get_handle();
        };
        match self.op.kind {
            OperationKind::Create => {
                open(call, Opening::New(name), Access::Write);
                if self.op.len > 0 {
                    self.build_write(call, current, terms);
                }
            }
            OperationKind::Open => open(call, Opening::Existing(name), Access::Read),
            OperationKind::ReadFile => {
                open(call, Opening::Existing(name), Access::Read);
                call.read(current, 0, self.piece(terms));
            }
            OperationKind::Fsync => {
                open(call, Opening::Existing(name), Access::Write);
                call.commit();
            }
            OperationKind::Stat => {
                call.look_up(name);
                call.get_attributes(attribute::TYPE | attribute::SIZE | attribute::TIME_MODIFY);
            }
            OperationKind::Rename => {
                call.save();
                call.put(&self.to.handle?);
                call.rename(name, &self.to.name);
            }
            _ => call.remove(name),
        }
        if self.opens() && self.is_single(terms) {
            call.close(current);
        }
        Some(())
    }

    /// True for operations that open a small file.
    fn opens(&self) -> bool {
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
        results: Result<Results<'_>, Failure>,
        step: Step,
        terms: &Terms,
        blocks: &mut Blocks,
    ) -> RequestResult {
        let mut outcome = RequestResult::default();
        outcome.failure = results
            .and_then(|mut results| self.read_into(&mut outcome, &mut results, step, terms, blocks))
            .err();
        outcome
    }

    fn read_into(
        &self,
        outcome: &mut RequestResult,
        results: &mut Results<'_>,
        step: Step,
        terms: &Terms,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        results.done(op::PUTFH)?;
        match step {
            // An answer that was received whole, because it is short or from a server that says more than others.
            Step::Read { at, .. } => self.take_data(outcome, results, at, blocks)?,
            Step::Write { len, .. } => take_written(outcome, results, len)?,
            Step::Commit => outcome.verifier = Some(results.commit()?),
            Step::FindFolder(_) => {
                results.done(op::LOOKUP)?;
                outcome.folder = Some(results.handle()?);
            }
            Step::MakeFolder(_) => {
                results.make_folder()?;
                outcome.folder = Some(results.handle()?);
            }
            Step::Close => results.close()?,
            Step::More => match self.op.kind {
                OperationKind::List => outcome.page = Some(results.list(drop)?),
                OperationKind::Create => take_written(outcome, results, self.piece(terms))?,
                _ => self.take_data(outcome, results, self.moved, blocks)?,
            },
            Step::Whole => self.read_whole(outcome, results, terms, blocks)?,
        }
        Ok(())
    }

    fn read_whole(
        &self,
        outcome: &mut RequestResult,
        results: &mut Results<'_>,
        terms: &Terms,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        if self.opens() {
            let state = results.open()?;
            outcome.opened = Some((results.handle()?, state));
        }
        match self.op.kind {
            OperationKind::Create if self.op.len > 0 => {
                take_written(outcome, results, self.piece(terms))?
            }
            OperationKind::ReadFile => self.take_data(outcome, results, 0, blocks)?,
            OperationKind::Fsync => outcome.verifier = Some(results.commit()?),
            OperationKind::List => outcome.page = Some(results.list(drop)?),
            OperationKind::Stat => {
                results.done(op::LOOKUP)?;
                results.attributes()?;
            }
            OperationKind::Rename => {
                results.done(op::SAVEFH)?;
                results.done(op::PUTFH)?;
                results.done(op::RENAME)?;
            }
            OperationKind::Delete => results.done(op::REMOVE)?,
            _ => {}
        }
        if self.opens() && self.is_single(terms) {
            results.close()?;
            outcome.opened = None;
        }
        Ok(())
    }

    fn take_data(
        &self,
        outcome: &mut RequestResult,
        results: &mut Results<'_>,
        at: u32,
        blocks: &mut Blocks,
    ) -> Result<(), Failure> {
        let (is_end, data) = results.read()?;
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
fn take_written(
    outcome: &mut RequestResult,
    results: &mut Results<'_>,
    len: u32,
) -> Result<(), Failure> {
    let (bytes, verifier) = results.write()?;
    if bytes > len {
        return Err(Failure::Connection(
            Statement::new("nfs-written-too-much")
                .count("bytes", u64::from(bytes))
                .count("asked", u64::from(len)),
        ));
    }
    (outcome.moved, outcome.verifier) = (bytes, Some(verifier));
    Ok(())
}
