//! What does a worker submit next? Operations with their kind, offset and content, drawn as the workload specifies.

pub mod arrivals;
mod backlog;
mod checkers;
mod cold_passes;
pub mod content;
pub mod flushes;
mod judge;
pub mod live_files;
pub mod offsets;
mod once_each;
pub mod replay;
pub mod spread;

use plumb_model::workload::{FileOrder, Offsets, OperationKind, Workload};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::buffers::Buffers;
use crate::engine::operation::Op;
use crate::feed::backlog::Backlog;
pub use crate::feed::checkers::Checkers;
pub use crate::feed::cold_passes::ColdPasses;
use crate::feed::content::ContentSource;
use crate::feed::flushes::Flushes;
use crate::feed::judge::Judge;
use crate::feed::live_files::LiveFiles;
use crate::feed::offsets::{AccessSequence, KindSequence, OffsetSequence};
use crate::feed::replay::ReplaySequence;
use crate::feed::spread::Spread;
use crate::verify::{Mismatch, Ticket, Verifier};
use once_each::EachFileOnce;

/// Offsets that a verified write tries before it gives up: each may have another write in flight.
const FREE_BLOCK_TRIES: u32 = 1000;

/// One worker's source of operations.
pub struct Feed<'a> {
    kinds: KindSequence,
    /// Offsets of blocks; missing if the workload has none.
    offsets: Option<OffsetSequence>,
    /// Kinds and offsets together, instead of both.
    sequence: Option<Sequence>,
    /// Small files; missing when the workload has none, and on the null target, where every operation has a block offset.
    files: Option<Files<'a>>,
    /// What goes into written blocks; missing when nothing is written.
    content: Option<ContentSource>,
    check: Option<Check<'a>>,
    /// Bytes that are still to be looked through for blocks that were written; missing: every block is taken.
    unseen_bytes: Option<u64>,
    /// Operations are drawn one at a time: what is drawn decides what comes next.
    one_by_one: bool,
    /// Each block is trimmed, and then written.
    trim_first: bool,
    /// The block that was trimmed last, and is to be written.
    trimmed: Option<Op>,
    /// Missing: no flushes between the operations of the mix.
    flushes: Option<Flushes>,
    /// Missing: the page cache is left alone.
    cold_passes: Option<ColdPasses>,
    exhausted: bool,
    /// Why no more files can be found.
    failure: Option<String>,
}

/// Sources of kind, offset and length of an operation together.
pub enum Sequence {
    /// An access specification.
    Access(AccessSequence),
    /// The log of a replay.
    Replay(ReplaySequence),
    /// Several files; kinds and offsets come separately, or together from an access specification.
    Spread(Spread, Option<AccessSequence>),
}

impl Sequence {
    #[cold]
    fn spread(spread: &mut Spread, access: &mut Option<AccessSequence>, ops: &mut [Op]) {
        if let Some(access) = access {
            access.fill(ops);
        }
        spread.assign(ops);
    }
}

/// The worker's files of a set.
struct Files<'a> {
    set: &'a LiveFiles,
    worker: u32,
    /// Draws any of those that exist; missing: one after the other from `cursor` on.
    random: Option<Xoshiro256PlusPlus>,
    cursor: u64,
    /// Takes each file once; missing: as `offsets` says.
    row: Option<EachFileOnce<'a>>,
    may_create: bool,
}

/// Verification of blocks.
struct Check<'a> {
    judge: Judge<'a>,
    /// Missing: the worker checks them.
    checkers: Option<Checkers>,
    /// Missing: nothing is read back during the load.
    backlog: Option<Backlog>,
    file: u32,
    worker: u32,
    /// What each slot in flight must match when it comes back.
    tickets: Vec<Option<Ticket>>,
}

impl Check<'_> {
    fn begin_write(&self, file: u32, offset: u64, block: &mut [u8]) -> Option<Ticket> {
        let verifier = self.judge.verifier;
        match self.judge.marks {
            None => verifier.try_begin_write(file, offset, block),
            Some(marks) => verifier.try_begin_marked_write(marks, file, offset, block),
        }
    }

    /// Checks what was read, or has it checked.
    fn read(&mut self, op: &Op, ticket: Ticket, block: &[u8]) -> Option<Mismatch> {
        if self.backlog.is_some() {
            let file = self.file + op.file;
            self.judge.verifier.note_read_back(file, op.offset, op.len);
        }
        match &mut self.checkers {
            None => self.judge.read(ticket, block).err(),
            Some(checkers) => {
                checkers.check(self.judge.verifier.completed(ticket, block.len()), block);
                None
            }
        }
    }
}

/// What a feed is made of.
pub struct FeedParts<'a> {
    pub workload: &'a Workload,
    pub kinds: KindSequence,
    /// Block offsets; missing for a workload of file operations only.
    pub offsets: Option<OffsetSequence>,
    /// Kinds and offsets, if the workload has an access specification or replays a log.
    pub sequence: Option<Sequence>,
    pub content: Option<ContentSource>,
    pub live_files: Option<&'a LiveFiles>,
    pub verifier: Option<&'a Verifier>,
    /// Bytes of one pass of this worker, when it reads only what was written.
    pub written_within_bytes: Option<u64>,
    /// Bytes of one pass of this worker; 0 where its operations have no end at which a pass would be over.
    pub pass_bytes: u64,
    /// Number of the file in the verifier's account.
    pub file: u32,
    pub worker: u32,
    pub depth: u32,
    pub seed: u64,
}

impl<'a> Feed<'a> {
    /// Puts a feed together.
    ///
    /// # Errors
    /// When a workload of file operations has no file set, or one of blocks no offsets.
    pub fn new(parts: FeedParts<'a>) -> Result<Feed<'a>, String> {
        let workload = parts.workload;
        let files = parts
            .live_files
            .filter(|_| workload.has_file_operations())
            .map(|set| Files {
                set,
                worker: parts.worker,
                random: (workload.offsets != Offsets::Sequential).then(|| {
                    Xoshiro256PlusPlus::seed_from_u64(parts.seed ^ u64::from(parts.worker))
                }),
                cursor: 0,
                row: (workload.file_order != FileOrder::Offsets).then(|| {
                    let deletes = workload
                        .mix
                        .0
                        .iter()
                        .any(|(kind, _)| *kind == OperationKind::Delete);
                    EachFileOnce::new(set, parts.worker, workload.file_order, deletes, parts.seed)
                }),
                may_create: workload
                    .mix
                    .0
                    .iter()
                    .any(|(kind, _)| *kind == OperationKind::Create),
            });
        if files.is_none() && parts.offsets.is_none() && parts.sequence.is_none() {
            return Err("file operations require a directory as the target".into());
        }
        let check = parts.verifier.map(|verifier| Check {
            judge: Judge {
                verifier,
                marks: verifier.marks_of(workload),
                is_existing: workload.verify_existing,
            },
            checkers: None,
            backlog: Backlog::of(workload),
            file: parts.file,
            worker: parts.worker,
            tickets: (0..parts.depth).map(|_| None).collect(),
        });
        let flushes = Flushes::of(workload, parts.pass_bytes);
        Ok(Feed {
            kinds: parts.kinds,
            offsets: parts.offsets,
            sequence: parts.sequence,
            files,
            content: parts.content,
            check,
            unseen_bytes: parts.written_within_bytes,
            one_by_one: flushes.is_some()
                || parts.written_within_bytes.is_some()
                || workload.trim_first,
            trim_first: workload.trim_first,
            trimmed: None,
            flushes,
            cold_passes: None,
            exhausted: false,
            failure: None,
        })
    }

    /// What checks the blocks of this feed; missing: nothing is verified.
    pub fn judge(&self) -> Option<Judge<'a>> {
        self.check.as_ref().map(|check| check.judge)
    }

    /// Has blocks checked by these threads.
    pub fn check_by(&mut self, checkers: Checkers) {
        if let Some(check) = &mut self.check {
            check.checkers = Some(checkers);
        }
    }

    /// Drops the pages of its files before each further pass.
    pub fn pass_cold(&mut self, passes: ColdPasses) {
        (self.cold_passes, self.one_by_one) = (Some(passes), true);
    }

    /// A block that a thread found to differ. `waits`: until all blocks that were read have been checked.
    #[cold]
    pub fn late_mismatch(&mut self, waits: bool) -> Option<Mismatch> {
        let checkers = self.check.as_mut()?.checkers.as_mut()?;
        checkers.mismatch(waits)
    }

    fn backlog(&mut self) -> Option<&mut Backlog> {
        self.check.as_mut()?.backlog.as_mut()
    }

    /// True if blocks are read back during the load.
    pub fn has_backlog(&self) -> bool {
        let backlog = self.check.as_ref().map(|check| &check.backlog);
        backlog.is_some_and(Option::is_some)
    }

    /// True if a block is to be read back next.
    pub fn owes_read_back(&self) -> bool {
        let check = self.check.as_ref();
        let backlog = check.and_then(|check| check.backlog.as_ref());
        backlog.is_some_and(Backlog::is_due)
    }

    /// Makes the operation a read of the next block to be read back; false: there is none that has been written already.
    #[cold]
    pub fn choose_read_back(&mut self, op: &mut Op) -> bool {
        self.backlog().is_some_and(|backlog| backlog.take(op))
    }

    /// No job that verifies goes on after a mismatch.
    pub fn end_all(&self) {
        if let Some(check) = &self.check {
            check.judge.verifier.end_all();
        }
    }

    /// Sets kind and offset of each operation. Returns how many there are: fewer when no files are left.
    #[inline(always)]
    pub fn choose(&mut self, ops: &mut [Op]) -> usize {
        if self.one_by_one {
            return self.choose_one_by_one(ops);
        }
        self.draw(ops)
    }

    /// Where operations are drawn one at a time.
    #[inline(never)]
    fn choose_one_by_one(&mut self, ops: &mut [Op]) -> usize {
        let taken = match self.unseen_bytes {
            Some(_) => self.choose_written(ops),
            None if self.flushes.is_none() => self.choose_pairs(ops),
            None => self.choose_with_flushes(ops),
        };
        if let Some(passes) = &mut self.cold_passes {
            passes.count(&ops[..taken]);
        }
        taken
    }

    /// Passes over blocks that nothing was written to; ends when all have been seen.
    fn choose_written(&mut self, ops: &mut [Op]) -> usize {
        let has_ended = |check: &Check<'_>| check.judge.verifier.has_ended();
        let mut unseen = match self.check.as_ref().is_some_and(has_ended) {
            true => 0,
            false => self.unseen_bytes.unwrap_or(0),
        };
        let mut taken = 0;
        while taken < ops.len() && unseen > 0 {
            self.draw(&mut ops[taken..=taken]);
            let op = ops[taken];
            unseen = unseen.saturating_sub(u64::from(op.len).max(1));
            let is_written = |check: &Check<'_>| {
                let (file, verifier) = (check.file + op.file, check.judge.verifier);
                verifier.is_to_be_read_back(file, op.offset, op.len)
            };
            taken += usize::from(self.check.as_ref().is_some_and(is_written));
        }
        self.unseen_bytes = Some(unseen);
        self.exhausted |= unseen == 0;
        taken
    }

    #[inline(always)]
    fn draw(&mut self, ops: &mut [Op]) -> usize {
        self.kinds.fill(ops);
        if let Some(offsets) = &mut self.offsets {
            offsets.fill(ops);
        }
        match &mut self.sequence {
            None => {}
            Some(Sequence::Access(access)) => access.fill(ops),
            Some(Sequence::Replay(replay)) => replay.fill(ops),
            Some(Sequence::Spread(spread, access)) => Sequence::spread(spread, access, ops),
        }
        if self.files.is_some() {
            self.choose_files(ops)
        } else {
            ops.len()
        }
    }

    /// If requested, each block twice: trimmed, then written.
    fn choose_pairs(&mut self, ops: &mut [Op]) -> usize {
        if !self.trim_first {
            return self.draw(ops);
        }
        for taken in 0..ops.len() {
            if let Some(trimmed) = self.trimmed.take() {
                ops[taken] = Op {
                    kind: OperationKind::Write,
                    ..trimmed
                };
                continue;
            }
            if self.draw(&mut ops[taken..=taken]) == 0 {
                return taken;
            }
            ops[taken].kind = OperationKind::Trim;
            self.trimmed = Some(ops[taken]);
        }
        ops.len()
    }

    /// The same with flushes between them. Each other operation is drawn by itself, so that a flush replaces none of them.
    fn choose_with_flushes(&mut self, ops: &mut [Op]) -> usize {
        for taken in 0..ops.len() {
            if let Some(flushes) = &mut self.flushes
                && flushes.take(&mut ops[taken])
            {
                continue;
            }
            if self.choose_pairs(&mut ops[taken..=taken]) == 0 {
                return taken;
            }
            if let Some(flushes) = &mut self.flushes {
                flushes.count(&ops[taken]);
            }
        }
        ops.len()
    }

    /// Once nothing more is to be moved: the flush that the last write made due, if that flush is requested. Returns how many there are.
    #[cold]
    pub fn choose_last(&mut self, op: &mut Op) -> usize {
        let flushes = self.flushes.as_mut();
        usize::from(flushes.is_some_and(|flushes| flushes.take_last(op)))
    }

    /// True when [`Feed::choose_last`] has one more.
    pub fn owes_last(&self) -> bool {
        self.flushes.as_ref().is_some_and(Flushes::owes_last)
    }

    #[cold]
    fn choose_files(&mut self, ops: &mut [Op]) -> usize {
        let Some(Files {
            set,
            worker,
            random,
            cursor,
            row,
            may_create,
        }) = &mut self.files
        else {
            return 0;
        };
        if let Some(row) = row {
            return match take_from(row, set, ops) {
                Ok(taken) => {
                    self.exhausted = taken < ops.len();
                    taken
                }
                Err(error) => {
                    (self.exhausted, self.failure) = (
                        true,
                        Some(format!("cannot list the files of the set: {error}")),
                    );
                    0
                }
            };
        }
        for (taken, op) in ops
            .iter_mut()
            .enumerate()
            .filter(|(_, op)| op.kind.is_file_operation())
        {
            (op.len, op.file) = (0, 0);
            let files = set.count(*worker);
            if files == 0 && *may_create {
                op.kind = OperationKind::Create;
            }
            if files == 0 && op.kind != OperationKind::Create {
                self.exhausted = true;
                return taken;
            }
            match op.kind {
                OperationKind::Create => {
                    op.offset = set.take_next(*worker);
                    op.len = set.bytes(op.offset) as u32;
                }
                OperationKind::Delete => op.offset = set.take_oldest(*worker).unwrap_or_default(),
                OperationKind::Rename => {
                    op.offset = set.take_oldest(*worker).unwrap_or_default();
                    // The engine takes the distance to the new number from the length, which a rename has no other use for.
                    op.len = (set.take_next(*worker) - op.offset) as u32;
                }
                kind => {
                    let index = match random {
                        Some(random) => {
                            ((u128::from(random.next_u64()) * u128::from(files)) >> 64) as u64
                        }
                        None => *cursor % files,
                    };
                    *cursor += 1;
                    op.offset = set.number(*worker, index);
                    op.len = if kind == OperationKind::ReadFile {
                        set.bytes(op.offset) as u32
                    } else {
                        0
                    };
                }
            }
        }
        ops.len()
    }

    /// True when buffers must be filled, or reads announced to the verifier, before operations are submitted.
    #[inline(always)]
    pub fn has_content(&self) -> bool {
        self.content.is_some() || self.check.is_some()
    }

    /// Fills the buffer of a write, and notifies the verifier.
    #[inline(always)]
    pub fn fill(&mut self, op: &mut Op, buffers: &mut Buffers) {
        if let (OperationKind::Write | OperationKind::Create, Some(content)) =
            (op.kind, &mut self.content)
        {
            content.fill(&mut buffers.slot(op.slot)[..op.len as usize], op.offset);
        }
        if self.check.is_some() {
            self.announce(op, buffers);
        }
    }

    /// Verification: stamps a write, or notes what a read may find.
    fn announce(&mut self, op: &mut Op, buffers: &mut Buffers) {
        let (Some(check), Some(offsets)) = (&mut self.check, &mut self.offsets) else {
            return;
        };
        let verifier = check.judge.verifier;
        let mut ticket = None;
        for _ in 0..FREE_BLOCK_TRIES {
            let file = check.file + op.file;
            let block = &mut buffers.slot(op.slot)[..op.len as usize];
            ticket = match op.kind {
                OperationKind::Write => check.begin_write(file, op.offset, block),
                OperationKind::Trim => verifier.try_begin_discard(file, op.offset, op.len),
                OperationKind::Read => Some(verifier.expect(file, op.offset, op.len)),
                _ => break,
            };
            if ticket.is_some() {
                break;
            }
            // Another write to this offset is in flight: with two at once the expected content is undefined. Write elsewhere.
            offsets.fill(std::slice::from_mut(op));
            if let Some(Sequence::Spread(spread, _)) = &mut self.sequence {
                spread.assign(std::slice::from_mut(op));
            }
        }
        if ticket.is_none() && op.kind.modifies() {
            // As many writes in flight as there are blocks: read one instead.
            op.kind = OperationKind::Read;
            ticket = Some(verifier.expect(check.file + op.file, op.offset, op.len));
        }
        if let Some(backlog) = &mut check.backlog {
            backlog.begin(op);
        }
        check.tickets[op.slot as usize] = ticket.map(|ticket| ticket.of_worker(check.worker));
    }

    /// True when every completion must go through [`Feed::check`].
    #[inline(always)]
    pub fn must_check(&self) -> bool {
        self.check.is_some()
    }

    /// Verifies a completion: `ok` means success with all bytes. Returns the mismatch.
    pub fn check(&mut self, op: &Op, ok: bool, buffers: &mut Buffers) -> Option<Mismatch> {
        let check = self.check.as_mut()?;
        if let Some(backlog) = &mut check.backlog {
            backlog.end(op, ok);
        }
        let ticket = check.tickets[op.slot as usize].take()?;
        match op.kind {
            OperationKind::Write => {
                check.judge.verifier.written(ticket, ok);
                None
            }
            OperationKind::Trim => {
                check.judge.verifier.discarded(ticket);
                None
            }
            _ if ok => check.read(op, ticket, &buffers.slot(op.slot)[..op.len as usize]),
            _ => None,
        }
    }

    /// True if no files are left for the requested operations.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Why no more files can be found, when that is an error.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

/// Puts the next files of a row into operations. Returns how many there were.
fn take_from(
    row: &mut EachFileOnce<'_>,
    set: &LiveFiles,
    ops: &mut [Op],
) -> std::io::Result<usize> {
    for (taken, op) in ops.iter_mut().enumerate() {
        let Some(number) = row.next()? else {
            return Ok(taken);
        };
        let bytes = if op.kind == OperationKind::ReadFile {
            set.bytes(number) as u32
        } else {
            0
        };
        (op.file, op.offset, op.len) = (0, number, bytes);
    }
    Ok(ops.len())
}
