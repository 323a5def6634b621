//! What stands in a verified unit, and what does a wrong one hold instead?

use std::fmt::Write;

use plumb_model::statement::Statement;
use plumb_model::workload::Workload;

use crate::feed::content::Body;
use crate::feed::offsets::{Generator, Purpose};

/// A unit that holds what it must not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// Number of the file, as it was given to the verifier.
    pub file: u32,
    /// Where the unit begins, in bytes from the start of the file.
    pub offset: u64,
    /// Length of the unit.
    pub block_bytes: u32,
    /// How many units of the block that was read are wrong; this is about the first.
    pub wrong_units: u32,
    /// What was expected, what was found, and what that means.
    pub explanation: Statement,
    /// The bytes around the first one that differs, expected and found, 16 to a line.
    pub hex_window: Box<str>,
    /// The unit as it was read.
    pub received: Box<[u8]>,
    /// As it should be, where that is known.
    pub expected: Option<Box<[u8]>>,
}

/// First bytes of each unit.
pub(super) const MAGIC: [u8; 8] = *b"plumbblk";
/// Magic (8 bytes), seed (8), offset (8), file (4), write count (4), bytes of the unit (4), CRC-32 (4); little-endian.
pub(crate) const HEADER: usize = 40;
/// Where the CRC-32 (IEEE 802.3) of all other bytes of the unit stands.
pub(super) const CHECKSUM: std::ops::Range<usize> = 36..40;
/// What storage writes in one piece at least, in bytes.
const SECTOR: usize = 512;

/// Whose content a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub file: u32,
    /// Bytes from the start of the file.
    pub offset: u64,
    /// The how-manieth write to this unit.
    pub count: u32,
}

/// Makes and reads units.
#[derive(Debug)]
pub(super) struct Units {
    bytes: u32,
    seed: u64,
    body: Body,
}

pub(super) fn number<const N: usize>(unit: &[u8], at: usize) -> [u8; N] {
    unit.get(at..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .unwrap_or([0; N])
}

pub(super) fn checksum(unit: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&unit[..CHECKSUM.start]);
    hasher.update(&unit[CHECKSUM.end..]);
    hasher.finalize()
}

impl Units {
    /// Units of `bytes` bytes, at least 512.
    pub(super) fn new(workload: &Workload, seed: u64, bytes: u32) -> Result<Self, String> {
        Ok(Units {
            bytes,
            seed,
            body: Body::new(workload, seed)?,
        })
    }

    pub(super) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Fills a unit: the requested content, generated for this stamp, under the header.
    pub(super) fn make(&self, stamp: Stamp, unit: &mut [u8]) {
        let parts = [
            self.seed,
            Purpose::Verification as u64,
            u64::from(stamp.file),
            stamp.offset,
            u64::from(stamp.count),
        ];
        self.body
            .fill(&mut Generator::from_parts(&parts), unit, stamp.offset);
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..16].copy_from_slice(&self.seed.to_le_bytes());
        header[16..24].copy_from_slice(&stamp.offset.to_le_bytes());
        header[24..28].copy_from_slice(&stamp.file.to_le_bytes());
        header[28..32].copy_from_slice(&stamp.count.to_le_bytes());
        header[32..36].copy_from_slice(&self.bytes.to_le_bytes());
        unit[..HEADER].copy_from_slice(&header);
        let checksum = checksum(unit);
        unit[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    }

    /// The stamp of a unit that this run made; none when the header is another's, or damaged.
    pub(super) fn stamp(&self, unit: &[u8]) -> Option<Stamp> {
        let ours = number(unit, 0) == MAGIC
            && number(unit, 8) == self.seed.to_le_bytes()
            && number(unit, 32) == self.bytes.to_le_bytes();
        ours.then(|| Stamp {
            offset: u64::from_le_bytes(number(unit, 16)),
            file: u32::from_le_bytes(number(unit, 24)),
            count: u32::from_le_bytes(number(unit, 28)),
        })
    }

    /// True when the checksum is right.
    pub(super) fn is_intact(&self, unit: &[u8]) -> bool {
        unit.len() >= HEADER && checksum(unit).to_le_bytes() == number(unit, CHECKSUM.start)
    }

    /// Says what is wrong with a unit that should have this stamp (or, after failed or overlapping writes, a later count).
    pub(super) fn explain(&self, expected: Stamp, unit: &[u8], wrong_units: u32) -> Mismatch {
        let right = self.made(expected, unit.len());
        let first = first_difference(&right, unit);
        let explanation = self.explanation_of(expected, &right, first, unit);
        Mismatch {
            file: expected.file,
            offset: expected.offset,
            block_bytes: unit.len() as u32,
            wrong_units,
            explanation,
            hex_window: hex_window(expected.offset, &right, unit, first).into(),
            received: unit.into(),
            expected: Some(right.into()),
        }
    }

    fn made(&self, stamp: Stamp, len: usize) -> Vec<u8> {
        let mut unit = vec![0; len];
        self.make(stamp, &mut unit);
        unit
    }

    fn explanation_of(
        &self,
        expected: Stamp,
        right: &[u8],
        first: usize,
        unit: &[u8],
    ) -> Statement {
        let count = expected.count.to_string();
        if unit.iter().all(|byte| *byte == 0) {
            return Statement::new("block-is-zeros").name("count", count);
        }
        let found = self.stamp(unit);
        if self.is_intact(unit) {
            return self.explanation_of_intact(expected, found, unit);
        }
        if let Some(torn) = self.torn(expected, found, unit) {
            return torn;
        }
        let pairs = right.iter().zip(unit);
        let differing = pairs.filter(|(right, found)| right != found).count();
        let (len, at) = (unit.len(), expected.offset + first as u64);
        let damage = Statement::new("block-is-damaged")
            .name("count", count)
            .name("differing", differing.to_string())
            .name("bytes", len.to_string())
            .name("first", first.to_string())
            .name("offset", at.to_string());
        match differing > len / 2 {
            true => Statement::new("block-is-foreign").part("damage", damage),
            false => damage,
        }
    }

    /// What is wrong with a unit that is intact, but not the expected one.
    fn explanation_of_intact(
        &self,
        expected: Stamp,
        found: Option<Stamp>,
        unit: &[u8],
    ) -> Statement {
        let Some(found) = found else {
            if number(unit, 0) != MAGIC {
                return Statement::new("block-of-another-program");
            }
            let word = |at| u64::from_le_bytes(number(unit, at)).to_string();
            return Statement::new("block-of-another-run")
                .name("seed", word(8))
                .name("offset", word(16))
                .name("count", expected.count.to_string());
        };
        if found.offset != expected.offset || found.file != expected.file {
            return Statement::new("block-of-another-place")
                .name("offset", found.offset.to_string())
                .name("file", found.file.to_string())
                .name("found", found.count.to_string());
        }
        Statement::new(match found.count < expected.count {
            true => "block-of-older-write",
            false => "block-of-unknown-write",
        })
        .name("found", found.count.to_string())
        .name("count", expected.count.to_string())
    }

    /// If each sector belongs to one of several writes of this block: which.
    fn torn(&self, expected: Stamp, found: Option<Stamp>, unit: &[u8]) -> Option<Statement> {
        let mut counts = vec![expected.count, expected.count.wrapping_sub(1)];
        counts.extend(
            found
                .filter(|found| (found.offset, found.file) == (expected.offset, expected.file))
                .map(|found| found.count),
        );
        let versions: Vec<(u32, Vec<u8>)> = counts
            .into_iter()
            .map(|count| (count, self.made(Stamp { count, ..expected }, unit.len())))
            .collect();
        let mut pieces: Vec<(usize, u32)> = Vec::new();
        for (number, sector) in unit.chunks(SECTOR).enumerate() {
            let at = number * SECTOR;
            let (count, _) = versions
                .iter()
                .find(|(_, version)| version[at..at + sector.len()] == *sector)?;
            if pieces.last().is_none_or(|(_, last)| last != count) {
                pieces.push((at, *count));
            }
        }
        let pieces = pieces.iter().map(|(at, count)| {
            Statement::new("piece-of-write")
                .name("count", count.to_string())
                .name("at", at.to_string())
        });
        let torn = Statement::new("block-is-torn")
            .name("count", expected.count.to_string())
            .parts("pieces", pieces);
        Some(torn)
    }
}

/// Place of the first byte that differs; 0 when none does.
fn first_difference(right: &[u8], found: &[u8]) -> usize {
    right
        .iter()
        .zip(found)
        .position(|(right, found)| right != found)
        .unwrap_or(0)
}

/// Four lines of 16 bytes around byte `at`, expected and found, with their offsets in the file.
fn hex_window(offset: u64, right: &[u8], found: &[u8], at: usize) -> String {
    let begin = (at & !15).saturating_sub(16);
    hex_lines(offset, begin, &[("expected", right), ("found", found)])
}

/// Four lines of 16 bytes of each of these texts of one length, from byte `begin` on.
pub(super) fn hex_lines(offset: u64, begin: usize, texts: &[(&str, &[u8])]) -> String {
    let mut text = String::new();
    let len = texts.first().map_or(0, |(_, bytes)| bytes.len());
    for line in (begin..len.min(begin + 64)).step_by(16) {
        let end = (line + 16).min(len);
        for (name, bytes) in texts {
            let bytes = &bytes[line..end];
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let readable: String = bytes
                .iter()
                .map(|byte| {
                    if byte.is_ascii_graphic() {
                        char::from(*byte)
                    } else {
                        '.'
                    }
                })
                .collect();
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "{:>12x}  {name:<8}  {:<47}  {readable}",
                offset + line as u64,
                hex.join(" ")
            );
        }
    }
    text
}
