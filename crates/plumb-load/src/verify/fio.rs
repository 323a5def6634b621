//! How does fio mark blocks, and is a block as fio would have written it? Its headers and checksums, so that either program verifies what the other wrote.

mod checksums;
mod filling;
mod header;
mod pattern;

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use plumb_model::statement::Statement;
use plumb_model::workload::{FioCheck, FioHeader, FioMarks, Workload};

use crate::feed::content::Body;
use crate::feed::offsets::{Generator, Purpose};
use header::{Header, MAGIC};
use pattern::Pattern;

/// An odd number, and its inverse modulo 2^64: a write count becomes fio's `rand_seed`, and is found again in it.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
const GATHER: u64 = inverse(SPREAD);

const fn inverse(odd: u64) -> u64 {
    let (mut inverse, mut step) = (odd, 0);
    while step < 6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// Where an interval stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    pub file: u32,
    /// Of the block that was read or is written.
    pub block_offset: u64,
    /// Of the interval in the block.
    pub at: usize,
}

impl Position {
    pub(super) fn offset(self) -> u64 {
        self.block_offset + self.at as u64
    }
}

/// Why an interval is not as fio would have written it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wrong {
    /// No header.
    Unmarked { found: u16 },
    /// A field of the header.
    Field {
        name: &'static str,
        found: String,
        expected: String,
    },
    /// The checksum of the data.
    Checksum {
        check: FioCheck,
        in_header: String,
        of_data: String,
    },
    /// The first byte that is not the pattern's, in bytes from the beginning of the interval.
    Pattern { at: usize, found: u8, expected: u8 },
    /// The same of what this run wrote.
    Content { at: usize, found: u8, expected: u8 },
}

/// What an intact interval says of the write that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intact {
    /// The how-manieth write of this run.
    Count(u32),
    /// Of another run, or of fio.
    Other { rand_seed: u64 },
    /// It has no header.
    Nameless,
}

/// Marks and checks the blocks of jobs with the same settings.
#[derive(Debug)]
pub struct Marks {
    marks: FioMarks,
    /// Bytes from one header to the next.
    interval: usize,
    header_at: usize,
    pattern: Option<Pattern>,
    /// The smallest and the longest block of the job, in bytes.
    blocks: (u64, u64),
    seed: u64,
    body: Body,
    /// Writes so far.
    issued: AtomicU64,
}

impl Marks {
    /// Of the jobs with this workload, which has `verify_as`.
    ///
    /// # Errors
    /// Blocks are too short for a header, or its position is not within one.
    pub(super) fn new(workload: &Workload, marks: &FioMarks, seed: u64) -> Result<Self, String> {
        let blocks = workload.block.0.iter();
        let longest = blocks.map(|(span, _)| span.to.0).max().unwrap_or(0);
        let smallest = workload.smallest_block_bytes();
        let interval = marks.interval.map_or(smallest, |interval| interval.0);
        let own_bytes = bytes_of(marks, marks.check) as u64;
        if interval <= own_bytes || !smallest.is_multiple_of(interval) {
            return Err(format!(
                "verify-as {marks}: headers every {interval} bytes do not fit blocks of {smallest}: fio's header takes {own_bytes} bytes there, and the interval must divide the block"
            ));
        }
        let header_at = if own_bytes == 0 { 0 } else { marks.header_at.0 };
        if header_at > 0 && (header_at < own_bytes || header_at + own_bytes > interval) {
            return Err(format!(
                "verify-as {marks}: header-at must be 0, or from {own_bytes} to {} (fio's header takes {own_bytes} bytes)",
                interval - own_bytes
            ));
        }
        Ok(Marks {
            interval: interval as usize,
            header_at: header_at as usize,
            pattern: Pattern::new(marks),
            blocks: (smallest, longest),
            seed,
            body: Body::new(workload, seed)?,
            issued: AtomicU64::new(0),
            marks: marks.clone(),
        })
    }

    /// True of jobs that are to be marked like this.
    pub(super) fn is_of(&self, workload: &Workload) -> bool {
        let mut blocks = workload.block.0.iter().map(|(span, _)| span.to.0);
        workload.verify_as.as_ref() == Some(&self.marks)
            && workload.smallest_block_bytes() == self.blocks.0
            && blocks.all(|bytes| bytes <= self.blocks.1)
    }

    /// Bytes of an interval.
    pub(super) fn interval(&self) -> usize {
        self.interval
    }

    /// Intervals without a header count as not verified.
    pub(super) fn skips(&self, wrong: &Wrong) -> bool {
        self.marks.skips_unmarked && matches!(wrong, Wrong::Unmarked { .. })
    }

    /// Fills a block that is laid out before the load: without headers.
    pub(super) fn fill_unmarked(&self, file: u32, offset: u64, block: &mut [u8]) {
        self.body
            .fill(&mut self.keys(file, offset, u32::MAX), block, offset);
    }

    fn keys(&self, file: u32, offset: u64, count: u32) -> Generator {
        Generator::from_parts(&[
            self.seed,
            Purpose::Verification as u64,
            u64::from(file),
            offset,
            u64::from(count),
        ])
    }

    /// What `rand_seed` is for write 0 of this interval.
    fn base(&self, file: u32, offset: u64) -> u64 {
        self.keys(file, offset, u32::MAX - 1).draw()
    }

    fn rand_seed(&self, file: u32, offset: u64, count: u32) -> u64 {
        let base = self.base(file, offset);
        base.wrapping_add(u64::from(count)).wrapping_mul(SPREAD)
    }

    /// Fills and marks a block; `count`: the how-manieth write of the interval that begins at so many bytes.
    pub(super) fn make(
        &self,
        file: u32,
        offset: u64,
        block: &mut [u8],
        count: impl Fn(usize) -> u32,
    ) {
        if let Some(pattern) = &self.pattern {
            pattern.fill(offset, 0, block);
        }
        let number = self.issued.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        for (index, interval) in block.chunks_exact_mut(self.interval).enumerate() {
            let at = index * self.interval;
            let (count, offset) = (count(at), offset + at as u64);
            if self.pattern.is_none() {
                let keys = &mut self.keys(file, offset, count);
                self.body.fill(keys, interval, offset);
            }
            if self.marks.check == FioCheck::Pattern {
                continue;
            }
            let header = Header {
                layout: self.marks.header,
                check: self.marks.check.number(),
                len: self.interval as u32,
                rand_seed: self.rand_seed(file, offset, count),
                offset,
                time: (now.as_secs() as u32, now.subsec_nanos()),
                thread: (file + 1) as u16,
                number,
            };
            self.mark(header, interval);
        }
    }

    /// The interval as it should be, by this write of this run, or else by the write that its header names; `None` where neither is known.
    pub(super) fn expected(
        &self,
        position: Position,
        found: &[u8],
        count: Option<u32>,
    ) -> Option<Vec<u8>> {
        let (len, offset) = (found.len(), position.offset());
        let mut right = vec![0; len];
        if let Some(pattern) = &self.pattern {
            pattern.fill(position.block_offset, position.at, &mut right);
        }
        if self.marks.check == FioCheck::Pattern {
            return Some(right);
        }
        let mut found = found.to_vec();
        let begin = found.get(self.header_at..).unwrap_or_default();
        if let Some(layout) = header::layout(begin) {
            let of = header::bytes(layout) + checksums::bytes(self.marks.check);
            exchange(&mut found, self.header_at, of);
        }
        let read = Header::read(&found).map(|(header, ..)| header);
        let rand_seed = match (count, read) {
            (Some(count), _) => self.rand_seed(position.file, offset, count),
            (None, Some(header)) => header.rand_seed,
            (None, None) => return None,
        };
        if self.pattern.is_none() {
            let count = rand_seed
                .wrapping_mul(GATHER)
                .wrapping_sub(self.base(position.file, offset));
            match u32::try_from(count) {
                Ok(count) => {
                    let keys = &mut self.keys(position.file, offset, count);
                    self.body.fill(keys, &mut right, offset);
                }
                Err(_) => {
                    let content = filling::content(rand_seed, position.at + len);
                    right.copy_from_slice(&content[position.at..]);
                }
            }
        }
        let written = Header {
            layout: read.map_or(self.marks.header, |header| header.layout),
            check: self.marks.check.number(),
            len: self.interval as u32,
            rand_seed,
            offset,
            time: read.map_or((0, 0), |header| header.time),
            thread: read.map_or((position.file + 1) as u16, |header| header.thread),
            number: read.map_or(0, |header| header.number),
        };
        self.mark(written, &mut right);
        Some(right)
    }

    /// True where fio up to 3.39 checks by what is no digest.
    fn is_unfinished(&self, layout: FioHeader) -> bool {
        self.marks.check == FioCheck::Sha512 && layout == FioHeader::Plain
    }

    /// Data of this write that the check itself does not cover: the first byte that is not as it was written.
    ///
    /// # Errors
    /// It is not.
    pub(super) fn check_content(
        &self,
        position: Position,
        count: u32,
        interval: &[u8],
    ) -> Result<(), Wrong> {
        let begin = header::bytes(self.marks.header) + checksums::bytes(self.marks.check);
        let is_checked =
            !self.is_unfinished(self.marks.header) && self.marks.check != FioCheck::Meta;
        if is_checked || self.pattern.is_some() {
            return Ok(());
        }
        let offset = position.offset();
        let mut right = vec![0; interval.len()];
        let keys = &mut self.keys(position.file, offset, count);
        self.body.fill(keys, &mut right, offset);
        let mut found = interval.to_vec();
        exchange(&mut found, self.header_at, begin);
        let mut pairs = found.iter().zip(&right).enumerate().skip(begin);
        match pairs.find(|(_, (found, right))| found != right) {
            None => Ok(()),
            Some((at, (found, expected))) => Err(Wrong::Content {
                at,
                found: *found,
                expected: *expected,
            }),
        }
    }

    /// Header and checksum into an interval with its data.
    fn mark(&self, header: Header, interval: &mut [u8]) {
        let (written, len) = header.written();
        let (mark, data) = interval.split_at_mut(len + checksums::bytes(self.marks.check));
        mark[..len].copy_from_slice(&written[..len]);
        match self.is_unfinished(header.layout) {
            true => checksums::unfinished_sha512(data, &mut mark[len..]),
            false => checksums::fill(self.marks.check, data, &mut mark[len..]),
        }
        let bytes = mark.len();
        exchange(interval, self.header_at, bytes);
    }

    /// Whether an interval is as fio would have written it, and by which write.
    ///
    /// # Errors
    /// What is wrong first, in the order in which fio looks.
    pub(super) fn check(&self, position: Position, interval: &[u8]) -> Result<Intact, Wrong> {
        if self.marks.check == FioCheck::Pattern {
            self.check_pattern(position, 0, interval)?;
            return Ok(Intact::Nameless);
        }
        let begin = interval.get(self.header_at..).unwrap_or_default();
        let Some(layout) = header::layout(begin) else {
            let found = begin
                .first_chunk()
                .map_or(0, |two| u16::from_le_bytes(*two));
            return Err(Wrong::Unmarked { found });
        };
        let mut interval = Cow::Borrowed(interval);
        if self.header_at > 0 {
            // The checksum is that of the check by which it was written.
            let of = header::bytes(layout) + checksums::bytes(self.marks.check);
            exchange(interval.to_mut(), self.header_at, of);
        }
        let too_short = Wrong::Unmarked { found: MAGIC };
        let (header, sum, right) = Header::read(&interval).ok_or(too_short)?;
        let offset = position.offset();
        let fields = [
            ("length", u64::from(header.len), self.interval as u64),
            ("offset", header.offset, offset),
            ("crc", u64::from(sum), u64::from(right)),
        ];
        if let Some((name, found, expected)) =
            fields.iter().find(|(_, found, expected)| found != expected)
        {
            return Err(Wrong::Field {
                name,
                found: found.to_string(),
                expected: expected.to_string(),
            });
        }
        self.check_data(position, &header, &interval)?;
        let count = header.rand_seed.wrapping_mul(GATHER);
        let count = count.wrapping_sub(self.base(position.file, offset));
        Ok(match u32::try_from(count) {
            Ok(count) => Intact::Count(count),
            Err(_) => Intact::Other {
                rand_seed: header.rand_seed,
            },
        })
    }

    /// What follows the header.
    fn check_data(
        &self,
        position: Position,
        header: &Header,
        interval: &[u8],
    ) -> Result<(), Wrong> {
        let check = self.marks.check;
        let (begin, len) = (header::bytes(header.layout), checksums::bytes(check));
        let (Some(in_header), Some(data)) = (
            interval.get(begin..begin + len),
            interval.get(begin + len..),
        ) else {
            return Err(Wrong::Unmarked { found: MAGIC });
        };
        if len == 0 {
            return self.check_pattern(position, begin, data);
        }
        let mut sum = [0; checksums::BYTES_MAX];
        checksums::fill(check, data, &mut sum[..len]);
        if sum[..len] == *in_header {
            return Ok(());
        }
        if self.is_unfinished(header.layout) {
            let mut unfinished = [0; checksums::BYTES_MAX];
            checksums::unfinished_sha512(data, &mut unfinished);
            if unfinished == *in_header {
                return Ok(());
            }
        }
        let crc32c = [FioCheck::Crc32c, FioCheck::Crc32cIntel];
        match header.check() {
            Some(other)
                if other != check && !(crc32c.contains(&other) && crc32c.contains(&check)) =>
            {
                Err(Wrong::Field {
                    name: "verify_type",
                    found: other.to_string(),
                    expected: check.to_string(),
                })
            }
            _ => Err(Wrong::Checksum {
                check,
                in_header: hex(in_header),
                of_data: hex(&sum[..len]),
            }),
        }
    }

    /// Data that begins at byte `begin` of the interval; without a pattern anything is right. A block of another size may have been written here, of
    /// which the pattern began earlier.
    fn check_pattern(&self, position: Position, begin: usize, data: &[u8]) -> Result<(), Wrong> {
        let Some(pattern) = &self.pattern else {
            return Ok(());
        };
        let read = (position.block_offset, position.at + begin);
        let first = pattern.first_difference(read.0, read.1, data);
        let Some((at, expected)) = first else {
            return Ok(());
        };
        let (smallest, longest) = self.blocks;
        let interval_offset = position.offset();
        let begins = (0..longest / smallest)
            .map(|blocks| (blocks * smallest) as usize)
            .filter_map(|before| Some((interval_offset.checked_sub(before as u64)?, before)));
        for (offset, before) in begins {
            if smallest < longest
                && pattern
                    .first_difference(offset, before + begin, data)
                    .is_none()
            {
                return Ok(());
            }
        }
        Err(Wrong::Pattern {
            at: at + begin,
            found: data[at],
            expected,
        })
    }
}

/// Bytes of header and checksum.
fn bytes_of(marks: &FioMarks, check: FioCheck) -> usize {
    match check {
        FioCheck::Pattern => 0,
        _ => header::bytes(marks.header) + checksums::bytes(check),
    }
}

/// Exchanges the first bytes of an interval with those at `at`, as fio's `verify_offset` has it. Both do not overlap.
fn exchange(interval: &mut [u8], at: usize, bytes: usize) {
    if at < bytes || at + bytes > interval.len() {
        return;
    }
    let (first, second) = interval.split_at_mut(at);
    first[..bytes].swap_with_slice(&mut second[..bytes]);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Wrong {
    /// In words.
    pub(super) fn statement(&self) -> Statement {
        match self {
            Wrong::Unmarked { found } => Statement::new("fio-block-without-header")
                .name("found", format!("{found:x}"))
                .name("expected", format!("{MAGIC:x}")),
            Wrong::Field {
                name,
                found,
                expected,
            } => Statement::new("fio-block-field")
                .name("field", *name)
                .name("found", found)
                .name("expected", expected),
            Wrong::Checksum {
                check,
                in_header,
                of_data,
            } => Statement::new("fio-block-checksum")
                .name("check", check.to_string())
                .name("expected", in_header)
                .name("found", of_data),
            Wrong::Content {
                at,
                found,
                expected,
            } => Statement::new("fio-block-content")
                .name("at", at.to_string())
                .name("found", format!("{found:02x}"))
                .name("expected", format!("{expected:02x}")),
            Wrong::Pattern {
                at,
                found,
                expected,
            } => Statement::new("fio-block-pattern")
                .name("at", at.to_string())
                .name("found", format!("{found:02x}"))
                .name("expected", format!("{expected:02x}")),
        }
    }
}

#[cfg(test)]
mod tests;
