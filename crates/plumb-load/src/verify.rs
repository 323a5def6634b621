//! Is what comes back what was written? Every unit contains its offset, its write count and a checksum, and a table knows the count that must be there.

mod counts;
pub mod dumps;
mod existing_unit;
mod fio;
pub(crate) mod intact_unit;
mod marked;
mod unit;

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use plumb_model::workload::{Content, Workload};
use plumb_words::english;
use plumb_words::numbers::show_bytes;

use crate::feed::offsets::Span;
use counts::Counts;
use existing_unit::NotIntact;
pub use fio::Marks;
pub use unit::Mismatch;
use unit::{Stamp, Units};

/// Stamps blocks before they are written, and checks blocks that were read. One for a job; all workers share it.
///
/// The *unit* is the smallest block size; each unit of a block begins with a header (40 bytes: see `unit`), the rest is the requested content, made anew
/// for each write from seed, file, offset and write count. So a verified run ignores [`crate::feed::content::ContentSource`], and no two units ever
/// written are alike; `dedupe_percent` must be 0.
///
/// Cost for 4 KiB on a 2 GHz Xeon: 235 ns to begin and end a write, 123 ns to check a read.
///
/// # What is known, and when
///
/// A table holds for each unit how many writes were begun, how many of them had been acknowledged when the last one was, and whether one is in flight: one atomic word of
/// 8 bytes a unit, so 2 MiB for each GiB at 4 KiB. A unit has at most one write in flight: with two, it would be unknown which one must be
/// found afterwards, the error that gave fio its false alarms (fio issues 616 and 1756). [`Verifier::try_begin_write`] refuses the second one.
/// Reads are never refused. A read is judged by the words before it was submitted and after it completed:
///
/// - same word, no write in flight: the unit must be exactly the last acknowledged write, byte for byte by its checksum;
/// - a write was in flight meanwhile: the unit may be any write from the last one acknowledged before the read to the last one begun before its end. It
///   may also be torn between these (POSIX promises no atomicity, and storage gives it for a sector at most): a unit without a right checksum
///   is then counted in [`Verifier::undecided_units`], not reported. An intact unit of another offset or an older count is reported all the same;
/// - the last write failed: as above, until a later write succeeds;
/// - there before this run, if the plan declares that an earlier verified run wrote it (`verify-existing`): the unit must be intact and at its offset,
///   whichever run and block size it is of; or, if the content is a pattern, the block may consist of that alone, as fio's `verify=pattern` has it;
/// - otherwise never written in this run, or discarded: counted in [`Verifier::undecided_units`], but an intact unit of this seed must be at its own offset: that
///   finds misplaced writes. When nothing writes, a unit of this seed and offset must be intact too: so a read-only run with the same seed
///   checks what an earlier one left behind.
///
/// Two runs over the same blocks with the same seed write the same bytes at the same counts, so that a lost write of the second may not show: give each run
/// that writes a seed of its own.
#[derive(Debug)]
pub struct Verifier {
    files: Vec<Table>,
    units: Units,
    /// How jobs mark blocks as fio does; empty: all as plumb does.
    marks: Vec<Marks>,
    /// Nothing writes: what is there was left by an earlier run.
    read_only: bool,
    /// What is there was written by some verified run.
    has_existing: bool,
    /// Or, without a header, consists of these bytes in every block, repeated.
    pattern: Vec<u8>,
    counts: Counts,
    /// A block differs, and that ends the jobs.
    has_ended: AtomicBool,
}

/// The covered part of one file.
#[derive(Debug)]
struct Table {
    base: u64,
    words: Vec<AtomicU64>,
    /// A bit for each unit that was read back after its last write; none where no job reads back during its load.
    read_back: Vec<AtomicU64>,
    /// Its units were written once before the load.
    is_filled: AtomicBool,
}

/// Entry of the table for a unit: writes begun (bits 0 to 30), writes begun when the last acknowledged one was (bits 31 to 61), flags. Counts wrap after 2^31
/// writes
/// to one unit, and are compared by their distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word(u64);

const COUNT: u64 = (1 << 31) - 1;
const IN_FLIGHT: u64 = 1 << 62;
/// The content is not known: never written, or discarded.
const UNKNOWN: u64 = 1 << 63;

impl Word {
    fn begun(self) -> u32 {
        (self.0 & COUNT) as u32
    }

    fn acknowledged(self) -> u32 {
        (self.0 >> 31 & COUNT) as u32
    }

    fn in_flight(self) -> bool {
        self.0 & IN_FLIGHT != 0
    }

    fn unknown(self) -> bool {
        self.0 & UNKNOWN != 0
    }

    /// With one more write begun.
    fn begin(self) -> Word {
        Word((self.0 & !COUNT) | ((self.0 + 1) & COUNT) | IN_FLIGHT)
    }

    /// With that write acknowledged, or failed.
    fn end(self, ok: bool) -> Word {
        let begun = self.0 & COUNT;
        Word(if ok {
            (begun << 31) | begun
        } else {
            self.0 & !IN_FLIGHT
        })
    }

    /// With unknown content.
    fn forget(self) -> Word {
        Word(self.end(true).0 | UNKNOWN)
    }
}

/// An operation in flight, as the verifier saw it begin.
#[derive(Debug)]
#[must_use = "a write that is never ended keeps its place busy"]
pub struct Ticket {
    file: u32,
    offset: u64,
    words: Words,
    /// The words when the read completed; missing: they are looked up when the block is checked.
    after: Option<Words>,
    /// Who counts what is found; 0 unless it is said.
    worker: u32,
}

impl Ticket {
    /// The ticket of an operation of this worker.
    pub fn of_worker(self, worker: u32) -> Ticket {
        Ticket { worker, ..self }
    }
}

/// The words of the units of a block at its beginning. A block of one unit, the common case, needs no memory of its own.
#[derive(Debug, Clone)]
enum Words {
    One(Word),
    Several(Vec<Word>),
}

impl Words {
    fn as_slice(&self) -> &[Word] {
        match self {
            Words::One(word) => std::slice::from_ref(word),
            Words::Several(words) => words,
        }
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "file {}, offset {}, {} bytes: {}\n{}",
            self.file,
            self.offset,
            self.block_bytes,
            english(&self.explanation),
            self.hex_window
        )
    }
}

impl Verifier {
    /// A verifier for files of which these parts are used; file numbers are indices in `files`. Takes 8 bytes of memory for each unit.
    ///
    /// # Errors
    /// What cannot be verified, and what to change: units below 512 bytes, blocks that are no multiple of the smallest, repeated content, too little
    /// memory.
    pub fn new(workload: &Workload, seed: u64, files: &[Span]) -> Result<Self, String> {
        let unit_bytes = workload.smallest_block_bytes();
        if unit_bytes < 512 || unit_bytes > u64::from(u32::MAX) {
            return Err(format!(
                "verify requires blocks of at least 512 bytes for its headers, not {unit_bytes}: increase block"
            ));
        }
        if let Some((block, _)) = workload
            .block
            .0
            .iter()
            .find(|(block, _)| !block.from.0.is_multiple_of(unit_bytes))
        {
            return Err(format!(
                "verify requires block sizes that are multiples of the smallest, and {block} is not a multiple of {unit_bytes}: change block"
            ));
        }
        if workload.dedupe_percent > 0.0 {
            return Err(
                "verified blocks contain their offset and write count, so they never repeat: set dedupe-percent to 0 or verify to false"
                    .into(),
            );
        }
        let files = tables(files, unit_bytes, has_backlog(&[workload]))?;
        let units = Units::new(workload, seed, unit_bytes as u32)?;
        Ok(Verifier {
            has_existing: workload.verify_existing,
            pattern: match &workload.content {
                Content::Pattern(bytes) if workload.verify_existing => bytes.clone(),
                _ => Vec::new(),
            },
            read_only: !workload.mix.0.iter().any(|(kind, _)| kind.modifies()),
            ..Verifier::of_tables(files, units)
        })
    }

    /// One that expects nothing.
    fn of_tables(files: Vec<Table>, units: Units) -> Verifier {
        Verifier {
            files,
            units,
            marks: Vec::new(),
            read_only: false,
            has_existing: false,
            pattern: Vec::new(),
            counts: Counts::default(),
            has_ended: AtomicBool::new(false),
        }
    }

    /// Begins a write of `block` at `offset`: fills and stamps it. `None` when another write to any part of it is in flight: then write elsewhere, or
    /// again when that one has ended. End it with [`Verifier::written`].
    #[must_use]
    pub fn try_begin_write(&self, file: u32, offset: u64, block: &mut [u8]) -> Option<Ticket> {
        let ticket = self.begin(file, offset, block.len())?;
        self.stamp(file, offset, block, ticket.words.as_slice());
        Some(ticket)
    }

    /// Begins a discard (trim) of `len` bytes at `offset`, as [`Verifier::try_begin_write`]. End it with [`Verifier::discarded`].
    #[must_use]
    pub fn try_begin_discard(&self, file: u32, offset: u64, len: u32) -> Option<Ticket> {
        self.begin(file, offset, len as usize)
    }

    /// Ends a write. `ok`: all bytes were acknowledged. After a failed or short write any older or newer content may be there.
    pub fn written(&self, ticket: Ticket, ok: bool) {
        self.end(&ticket, |word| word.end(ok));
    }

    /// Ends a discard, whether or not it succeeded: what is read afterwards is not known (zeros, the old data, or anything: NVMe leaves it open).
    pub fn discarded(&self, ticket: Ticket) {
        self.end(&ticket, Word::forget);
    }

    /// Begins a read of `len` bytes at `offset`: call it before the read is submitted, and [`Verifier::check`] after it completed. A read that failed needs
    /// no end.
    pub fn expect(&self, file: u32, offset: u64, len: u32) -> Ticket {
        Ticket {
            file,
            offset,
            words: self.loaded(file, offset, len as usize),
            after: None,
            worker: 0,
        }
    }

    /// The read of this ticket has completed with so many bytes, and may be checked later.
    pub fn completed(&self, ticket: Ticket, len: usize) -> Ticket {
        Ticket {
            after: Some(self.loaded_after_read(ticket.file, ticket.offset, len)),
            ..ticket
        }
    }

    fn loaded(&self, file: u32, offset: u64, len: usize) -> Words {
        let mut words = self.words(file, offset, len).iter().map(load);
        match (words.len(), words.next()) {
            (1, Some(word)) => Words::One(word),
            (_, first) => Words::Several(first.into_iter().chain(words).collect()),
        }
    }

    /// The words when the data of a read is here. The data of a mapped file, and of the page cache, has no order of its own on a processor with weak memory order: the
    /// fence here, and the one of [`Verifier::begin`] before the data is written, make sure that who reads what a write has left sees that it was begun, too.
    fn loaded_after_read(&self, file: u32, offset: u64, len: usize) -> Words {
        fence(Ordering::Acquire);
        self.loaded(file, offset, len)
    }

    /// The words after the read of this ticket.
    fn now<'t>(&self, ticket: &'t Ticket, len: usize) -> Cow<'t, Words> {
        match &ticket.after {
            Some(words) => Cow::Borrowed(words),
            None => Cow::Owned(self.loaded_after_read(ticket.file, ticket.offset, len)),
        }
    }

    /// These units were read back during the load.
    pub fn note_read_back(&self, file: u32, offset: u64, len: u32) {
        self.for_each_read_back(file, offset, len, |word, bit| {
            word.fetch_or(bit, Ordering::Relaxed);
        });
    }

    /// Calls `what` with the word and the bit of each unit of a block; with none where nothing is read back during the load.
    fn for_each_read_back(
        &self,
        file: u32,
        offset: u64,
        len: u32,
        mut what: impl FnMut(&AtomicU64, u64),
    ) {
        let unit = u64::from(self.units.bytes());
        let table = self.files.get(file as usize);
        let Some(table) = table.filter(|table| !table.read_back.is_empty()) else {
            return;
        };
        let Some(distance) = offset.checked_sub(table.base) else {
            return;
        };
        let first = distance / unit;
        for number in first..first + u64::from(len) / unit {
            if let Some(word) = table.read_back.get((number / 64) as usize) {
                what(word, 1 << (number % 64));
            }
        }
    }

    /// A block differs from what was written, and that ends all jobs that verify.
    pub fn end_all(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// True after that.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Checks what was read. `block` may be shorter than announced; whole units of it are checked.
    ///
    /// # Errors
    /// The first unit that is wrong, explained.
    pub fn check(&self, ticket: Ticket, block: &[u8]) -> Result<(), Mismatch> {
        let unit_bytes = self.units.bytes() as usize;
        let now = self.now(&ticket, block.len());
        let (mut undecided, mut wrong) = (0, Vec::new());
        let mut damaged = None;
        for (number, unit) in block.chunks_exact(unit_bytes).enumerate() {
            let offset = ticket.offset + (number * unit_bytes) as u64;
            let stamp = Stamp {
                file: ticket.file,
                offset,
                count: 0,
            };
            let (Some(before), Some(after)) = (
                ticket.words.as_slice().get(number),
                now.as_slice().get(number),
            ) else {
                undecided += 1;
                continue;
            };
            match self.judge(stamp, *before, *after, unit) {
                Verdict::Right => {}
                Verdict::Undecided => undecided += 1,
                Verdict::Wrong(expected) => wrong.push((expected, unit)),
                Verdict::Existing if self.is_pattern(number * unit_bytes, unit) => {}
                Verdict::Existing => match existing_unit::check(unit, offset) {
                    Ok(()) => {}
                    Err((at, NotIntact::NoHeader | NotIntact::Zeros))
                        if damaged.is_none() && !self.pattern.is_empty() =>
                    {
                        let stamp = Stamp {
                            offset: offset + at as u64,
                            ..stamp
                        };
                        damaged = Some((stamp, &unit[at..], NotIntact::NoPattern, 1));
                    }
                    Err((at, why)) if damaged.is_none() => {
                        let offset = offset + at as u64;
                        damaged = Some((Stamp { offset, ..stamp }, &unit[at..], why, 1));
                    }
                    Err(_) => damaged.iter_mut().for_each(|(.., units)| *units += 1),
                },
            }
        }
        let checked = (block.len() / unit_bytes) as u64;
        self.counts.add(ticket.worker, checked, undecided);
        match (wrong.first(), damaged) {
            (None, None) => Ok(()),
            (None, Some((stamp, unit, why, units))) => {
                Err(existing_unit::mismatch(stamp, unit, why, units))
            }
            (Some((expected, unit)), _) => {
                Err(self.units.explain(*expected, unit, wrong.len() as u32))
            }
        }
    }

    /// Fills and stamps `block` for the layout of a file before the run: counts as a write that has been acknowledged. Not for an offset that has operations
    /// in flight. A rest shorter than a unit gets zeros. Where blocks are marked as fio does it, nothing is marked, and counts as never written.
    pub fn fill_initial(&self, file: u32, offset: u64, block: &mut [u8]) {
        if let Some(marks) = self.marks.first() {
            return marks.fill_unmarked(file, offset, block);
        }
        let full_units = block.len() - block.len() % self.units.bytes() as usize;
        let (units, rest) = block.split_at_mut(full_units);
        rest.fill(0);
        if let Some(ticket) = self.try_begin_write(file, offset, units) {
            self.written(ticket, true);
        }
        if let Some(table) = self.files.get(file as usize) {
            table.is_filled.store(true, Ordering::Relaxed);
        }
    }

    /// True when the load has written a part of this block, and has not read it back already.
    pub fn is_to_be_read_back(&self, file: u32, offset: u64, len: u32) -> bool {
        let (mut units, mut was_read) = (0, 0);
        self.for_each_read_back(file, offset, len, |word, bit| {
            units += 1;
            was_read += u32::from(word.load(Ordering::Relaxed) & bit != 0);
        });
        (units == 0 || was_read < units) && self.is_written(file, offset, len)
    }

    /// True when the load has written a part of this block.
    pub fn is_written(&self, file: u32, offset: u64, len: u32) -> bool {
        let filled = |table: &Table| table.is_filled.load(Ordering::Relaxed);
        let before = u32::from(self.files.get(file as usize).is_some_and(filled));
        self.words(file, offset, len as usize)
            .iter()
            .any(|word| load(word).acknowledged() > before)
    }

    /// True if a unit that begins so many bytes into its block continues the pattern of the block.
    fn is_pattern(&self, begin: usize, unit: &[u8]) -> bool {
        let len = self.pattern.len();
        let mut expected = self
            .pattern
            .iter()
            .cycle()
            .skip(begin.checked_rem(len).unwrap_or(0));
        len > 0 && unit.iter().all(|byte| expected.next() == Some(byte))
    }

    /// Units that were checked so far.
    pub fn checked_units(&self) -> u64 {
        self.counts.checked()
    }

    /// Units among them whose expected content is unknown: see the type.
    pub fn undecided_units(&self) -> u64 {
        self.counts.undecided()
    }

    /// The words of the units of a block; fewer when it leaves the covered part.
    fn words(&self, file: u32, offset: u64, len: usize) -> &[AtomicU64] {
        let unit = u64::from(self.units.bytes());
        let Some(table) = self.files.get(file as usize) else {
            return &[];
        };
        let Some(distance) = offset
            .checked_sub(table.base)
            .filter(|distance| distance.is_multiple_of(unit))
        else {
            return &[];
        };
        let first = usize::try_from(distance / unit)
            .unwrap_or(usize::MAX)
            .min(table.words.len());
        let last = first
            .saturating_add(len / unit as usize)
            .min(table.words.len());
        &table.words[first..last]
    }

    /// Marks all units as being in flight, or none.
    fn begin(&self, file: u32, offset: u64, len: usize) -> Option<Ticket> {
        let words = self.words(file, offset, len);
        self.for_each_read_back(file, offset, len as u32, |word, bit| {
            word.fetch_and(!bit, Ordering::Relaxed);
        });
        let mut before = if words.len() == 1 {
            Words::One(Word(0))
        } else {
            Words::Several(Vec::with_capacity(words.len()))
        };
        for (number, word) in words.iter().enumerate() {
            let begin = |word| (!Word(word).in_flight()).then(|| Word(word).begin().0);
            match (
                word.fetch_update(Ordering::AcqRel, Ordering::Acquire, begin),
                &mut before,
            ) {
                (Ok(old), Words::One(one)) => *one = Word(old),
                (Ok(old), Words::Several(several)) => several.push(Word(old)),
                (Err(_), _) => {
                    // Nothing was submitted yet, so that the old words are still true.
                    words[..number]
                        .iter()
                        .zip(before.as_slice())
                        .for_each(|(word, old)| word.store(old.0, Ordering::Release));
                    return None;
                }
            }
        }
        // See `loaded_after_read`.
        fence(Ordering::Release);
        Some(Ticket {
            file,
            offset,
            words: before,
            after: None,
            worker: 0,
        })
    }

    fn end(&self, ticket: &Ticket, change: impl Fn(Word) -> Word) {
        let words = ticket.words.as_slice();
        for word in self.words(
            ticket.file,
            ticket.offset,
            words.len() * self.units.bytes() as usize,
        ) {
            // Nobody else changes a word in flight.
            word.store(change(load(word)).0, Ordering::Release);
        }
    }

    fn stamp(&self, file: u32, offset: u64, block: &mut [u8], before: &[Word]) {
        let unit_bytes = self.units.bytes() as usize;
        for (number, unit) in block.chunks_exact_mut(unit_bytes).enumerate() {
            let count = before.get(number).map_or(0, |word| word.begin().begun());
            self.units.make(
                Stamp {
                    file,
                    offset: offset + (number * unit_bytes) as u64,
                    count,
                },
                unit,
            );
        }
    }

    /// What a unit is worth, given its word before the read and after it.
    fn judge(&self, stamp: Stamp, before: Word, after: Word, unit: &[u8]) -> Verdict {
        let quiet = before == after && !before.in_flight();
        let known = !before.unknown() && !after.unknown();
        let expected = Stamp {
            count: before.acknowledged(),
            ..stamp
        };
        if quiet && known && before.begun() == before.acknowledged() {
            return if self.units.is_intact(unit) && self.units.stamp(unit) == Some(expected) {
                Verdict::Right
            } else {
                Verdict::Wrong(expected)
            };
        }
        if self.has_existing && quiet && before.unknown() && before.begun() == 0 {
            return Verdict::Existing;
        }
        let Some(found) = self.units.stamp(unit) else {
            return Verdict::Undecided;
        };
        if !self.units.is_intact(unit) {
            let left_behind =
                self.read_only && quiet && before.begun() == 0 && found.offset == stamp.offset;
            return if left_behind {
                Verdict::Wrong(found)
            } else {
                Verdict::Undecided
            };
        }
        let range = after.begun().wrapping_sub(before.acknowledged()) & COUNT as u32;
        let distance = found.count.wrapping_sub(before.acknowledged()) & COUNT as u32;
        match known {
            // Another step may have numbered the files otherwise.
            false if found.offset == stamp.offset => Verdict::Undecided,
            true if (found.file, found.offset) == (stamp.file, stamp.offset)
                && distance <= range =>
            {
                Verdict::Right
            }
            _ => Verdict::Wrong(expected),
        }
    }
}

/// True where a job reads back during its load.
fn has_backlog(workloads: &[&Workload]) -> bool {
    workloads.iter().any(|workload| workload.verify_backlog > 0)
}

/// The covered parts of the files, nothing known of any unit. `is_read_back`: during the load.
fn tables(files: &[Span], unit_bytes: u64, is_read_back: bool) -> Result<Vec<Table>, String> {
    let table = |span: &Span| {
        let base = span
            .start
            .checked_next_multiple_of(unit_bytes)
            .unwrap_or(u64::MAX);
        let count = span.start.saturating_add(span.len).saturating_sub(base) / unit_bytes;
        let mut words = Vec::new();
        let room = usize::try_from(count)
            .ok()
            .and_then(|count| words.try_reserve_exact(count).ok());
        room.ok_or_else(|| {
            let bytes = show_bytes(count as f64 * 8.0);
            format!("verify requires {bytes} of memory for {count} blocks of {unit_bytes} bytes: reduce size, or increase block")
        })?;
        words.extend((0..count).map(|_| AtomicU64::new(UNKNOWN)));
        Ok(Table {
            base,
            read_back: match is_read_back {
                true => (0..words.len().div_ceil(64))
                    .map(|_| AtomicU64::new(0))
                    .collect(),
                false => Vec::new(),
            },
            words,
            is_filled: AtomicBool::new(false),
        })
    };
    files.iter().map(table).collect()
}

/// The judgement of one unit; wrong ones with what was expected.
enum Verdict {
    Right,
    /// To be judged as what some earlier run left.
    Existing,
    Undecided,
    Wrong(Stamp),
}

fn load(word: &AtomicU64) -> Word {
    Word(word.load(Ordering::Acquire))
}

#[cfg(test)]
mod tests;
