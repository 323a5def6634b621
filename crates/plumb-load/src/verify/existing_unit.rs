//! Is what an earlier verified run wrote still there, whichever run it was?

use plumb_model::statement::Statement;

use super::intact_unit::{HEADER, bytes, is_intact};
use super::unit::{MAGIC, Mismatch, Stamp, hex_lines, number};

/// Why these bytes are not what a verified run left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotIntact {
    Zeros,
    /// Intact, but of another offset.
    Elsewhere,
    Damaged,
    /// They begin as a block that fio verifies (`FIO_HDR_MAGIC` in its verify.h).
    OfFio,
    NoHeader,
    /// Nor the pattern that a block without a header is to have.
    NoPattern,
}

const MAGIC_OF_FIO: [u8; 2] = 0xacca_u16.to_le_bytes();

/// Whether all of these bytes, at `offset` of their file, are intact units of verified runs.
///
/// # Errors
/// Where the first that is none begins, in bytes from the first, and why.
pub(super) fn check(bytes_read: &[u8], offset: u64) -> Result<(), (usize, NotIntact)> {
    let mut at = 0;
    while at < bytes_read.len() {
        let rest = &bytes_read[at..];
        let first = &rest[..HEADER.min(rest.len())];
        let Some(length) = bytes(first, offset + at as u64) else {
            return Err((at, why_none(rest)));
        };
        // Written in longer units than were read here: the rest of it is not there to be checked.
        let unit = rest.get(..length).ok_or((at, NotIntact::NoHeader))?;
        if !is_intact(unit, length) {
            return Err((at, NotIntact::Damaged));
        }
        at += length;
    }
    Ok(())
}

fn why_none(found: &[u8]) -> NotIntact {
    let length = u32::from_le_bytes(number(found, 32)) as usize;
    let unit_found = found.get(..length).filter(|unit| unit.len() >= HEADER);
    if found.iter().all(|byte| *byte == 0) {
        NotIntact::Zeros
    } else if number(found, 0) == MAGIC {
        match unit_found.is_some_and(|unit| is_intact(unit, length)) {
            true => NotIntact::Elsewhere,
            false => NotIntact::Damaged,
        }
    } else if number(found, 0) == MAGIC_OF_FIO {
        NotIntact::OfFio
    } else {
        NotIntact::NoHeader
    }
}

/// What is wrong with a unit that an earlier run should have left at this offset; `units` of the block that was read are.
pub(super) fn mismatch(stamp: Stamp, unit: &[u8], why: NotIntact, units: u32) -> Mismatch {
    let word = |at| u64::from_le_bytes(number(unit, at)).to_string();
    let explanation = match why {
        NotIntact::Zeros => Statement::new("existing-block-is-zeros"),
        NotIntact::Elsewhere => {
            Statement::new("existing-block-of-another-place").name("offset", word(16))
        }
        NotIntact::Damaged => Statement::new("existing-block-is-damaged"),
        NotIntact::OfFio => Statement::new("existing-block-of-fio"),
        NotIntact::NoHeader => Statement::new("existing-block-without-header"),
        NotIntact::NoPattern => Statement::new("existing-block-without-pattern"),
    };
    Mismatch {
        file: stamp.file,
        offset: stamp.offset,
        block_bytes: unit.len() as u32,
        wrong_units: units,
        explanation,
        hex_window: hex_lines(stamp.offset, 0, &[("found", unit)]).into(),
        received: unit.into(),
        expected: None,
    }
}
