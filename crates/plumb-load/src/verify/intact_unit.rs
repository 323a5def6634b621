//! Is this an intact unit of any verified run?

pub(crate) use super::unit::HEADER;
use super::unit::{MAGIC, checksum, number};

/// Longer ones are none.
const BYTES_MAX: u32 = 64 << 20;

/// Length of the unit according to its first bytes, which are at `offset` of their file.
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
