//! Is this a unit that some verified run wrote whole, whichever it was?

pub(crate) use super::unit::HEADER;
use super::unit::{MAGIC, checksum, number};

/// Longer ones are none.
const BYTES_MAX: u32 = 64 << 20;

/// Length of the unit that these first bytes, which stand at `offset` of their file, say that they begin.
pub(crate) fn bytes(first: &[u8], offset: u64) -> Option<usize> {
    let length = u32::from_le_bytes(number(first, 32));
    let is_one = first.len() >= HEADER
        && number(first, 0) == MAGIC
        && number(first, 16) == offset.to_le_bytes();
    (is_one && (first.len() as u32..=BYTES_MAX).contains(&length)).then_some(length as usize)
}

/// True when all of it is there, with the right checksum.
pub(crate) fn is_intact(unit: &[u8], bytes: usize) -> bool {
    unit.len() == bytes && checksum(unit).to_le_bytes() == number(unit, super::unit::CHECKSUM.start)
}
