//! What stands in a verified unit, and what does a wrong one hold instead?

use std::fmt::Write;

use plumb_model::workload::Workload;

use crate::feed::content::Body;
use crate::feed::offsets::{Generator, Purpose};

/// A unit that holds what it must not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    pub explanation: String,
    /// The bytes around the first one that differs, expected and found, 16 to a line.
    pub hex_window: String,
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

    /// Fills a unit: the asked content, drawn anew for this stamp, under the header.
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
        let explanation = self.words(expected, &right, first, unit);
        Mismatch {
            file: expected.file,
            offset: expected.offset,
            block_bytes: unit.len() as u32,
            wrong_units,
            explanation,
            hex_window: hex_window(expected.offset, &right, unit, first),
        }
    }

    fn made(&self, stamp: Stamp, len: usize) -> Vec<u8> {
        let mut unit = vec![0; len];
        self.make(stamp, &mut unit);
        unit
    }

    fn words(&self, expected: Stamp, right: &[u8], first: usize, unit: &[u8]) -> String {
        if unit.iter().all(|byte| *byte == 0) {
            return format!(
                "all zeros, but write {} of this place was acknowledged: it was lost, or the block discarded",
                expected.count
            );
        }
        let found = self.stamp(unit);
        if self.is_intact(unit) {
            return match found {
                Some(found) if found.offset != expected.offset || found.file != expected.file => {
                    format!(
                        "holds the block of offset {} of file {} (its write {}): a write or this read went to the wrong place",
                        found.offset, found.file, found.count
                    )
                }
                Some(found) if found.count < expected.count => format!(
                    "holds write {}, but write {} was acknowledged: the later one was lost, or a stale copy was read",
                    found.count, expected.count
                ),
                Some(found) => format!(
                    "holds write {} of this place, of which only {} were begun",
                    found.count, expected.count
                ),
                None if number(unit, 0) == MAGIC => format!(
                    "holds a block of another run (seed {}, offset {}): write {} of this run was acknowledged, and lost",
                    u64::from_le_bytes(number(unit, 8)),
                    u64::from_le_bytes(number(unit, 16)),
                    expected.count
                ),
                None => "holds bytes that plumb did not write".into(),
            };
        }
        if let Some(text) = self.torn(expected, found, unit) {
            return text;
        }
        let differing = right
            .iter()
            .zip(unit)
            .filter(|(right, found)| right != found)
            .count();
        let len = unit.len();
        let foreign = if differing > len / 2 {
            "; hardly anything of the block is left: something else was written here, or read from elsewhere"
        } else {
            ""
        };
        let (count, at) = (expected.count, expected.offset + first as u64);
        format!(
            "checksum wrong: {differing} of {len} bytes differ from write {count}; first differing byte {first} (offset {at}){foreign}"
        )
    }

    /// When each sector is of one write or another of this place: says which.
    fn torn(&self, expected: Stamp, found: Option<Stamp>, unit: &[u8]) -> Option<String> {
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
        let pieces: Vec<String> = pieces
            .iter()
            .map(|(at, count)| format!("write {count} from byte {at}"))
            .collect();
        Some(format!(
            "torn: holds {}; write {} was acknowledged whole",
            pieces.join(", "),
            expected.count
        ))
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
    let mut text = String::new();
    let begin = (at & !15).saturating_sub(16);
    for line in (begin..right.len().min(begin + 64)).step_by(16) {
        let end = (line + 16).min(right.len());
        for (name, bytes) in [
            ("expected", &right[line..end]),
            ("found", &found[line..end]),
        ] {
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
