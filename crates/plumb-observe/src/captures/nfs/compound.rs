//! What does a compound of NFS 4 ask for, and what came of it? Its operations one after the other, as far as their bodies are known (RFC 7531, 5662, 7863).

use super::operations::{self, Operation};
use super::xdr::Reader;
use crate::trace_format::volumes::spread;

/// Operations of one compound that are looked at; clients send fewer than twenty.
const OPERATIONS_MAX: u32 = 100;
const STATE_BYTES: usize = 16;
const VERIFIER_BYTES: usize = 8;

/// What a compound asks for as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Requested {
    pub minor: u32,
    pub operation: Operation,
    pub file: Option<u64>,
    pub offset: Option<u64>,
    pub bytes: Option<u64>,
    pub closes: bool,
}

/// The arguments of a compound; `None` without even its head.
pub fn requested(arguments: &[u8]) -> Option<Requested> {
    let mut rest = Reader::of(arguments);
    rest.opaque()?;
    let minor = rest.u32()?;
    let count = rest.u32()?.min(OPERATIONS_MAX);
    let mut requested = Requested {
        minor,
        operation: operations::COMPOUND,
        file: None,
        offset: None,
        bytes: None,
        closes: false,
    };
    let mut heaviest = None;
    for _ in 0..count {
        let Some(number) = rest.u32() else { break };
        let weight = operations::weight(number);
        if heaviest.is_none_or(|before| weight >= before) {
            heaviest = Some(weight);
            requested.operation = operations::operation(number);
        }
        requested.closes |= number == operations::CLOSE;
        if arguments_of(number, &mut rest, &mut requested).is_none() {
            break;
        }
    }
    Some(requested)
}

/// Reads the arguments of one operation; `None` when they are not known, or not all there.
fn arguments_of(number: u32, rest: &mut Reader<'_>, requested: &mut Requested) -> Option<()> {
    use operations as op;
    match number {
        op::PUTROOTFH
        | op::PUTPUBFH
        | op::SAVEFH
        | op::RESTOREFH
        | op::GETFH
        | op::LOOKUPP
        | op::READLINK => Some(()),
        op::SEQUENCE => rest.skip(STATE_BYTES + 16),
        op::PUTFH => {
            requested.file = Some(spread(rest.opaque()?));
            Some(())
        }
        op::ACCESS => rest.skip(4),
        op::GETATTR => rest.words(),
        op::VERIFY | op::NVERIFY => rest.attributes(),
        op::LOOKUP | op::REMOVE | op::LINK => rest.opaque().map(drop),
        op::RENAME => rest.opaque().and(rest.opaque()).map(drop),
        op::RENEW => rest.skip(8),
        op::CLOSE => rest.skip(4 + STATE_BYTES),
        op::OPEN_CONFIRM => rest.skip(STATE_BYTES + 4),
        op::COMMIT => rest.skip(12),
        op::SETATTR => rest.skip(STATE_BYTES).and_then(|()| rest.attributes()),
        op::READDIR => {
            rest.skip(8 + VERIFIER_BYTES + 8)?;
            rest.words()
        }
        op::CREATE => create(rest),
        op::OPEN => open(rest),
        op::READ_4 | op::READ_PLUS => {
            rest.skip(STATE_BYTES)?;
            let offset = rest.u64()?;
            requested.moves(offset, rest.u32()?);
            Some(())
        }
        op::WRITE_4 => {
            rest.skip(STATE_BYTES)?;
            let (offset, _) = (rest.u64()?, rest.u32()?);
            let length = Reader::of(rest.rest()).u32()?;
            requested.moves(offset, length);
            // The data is not kept as a whole, and then nothing is known of what follows it.
            rest.opaque().map(drop)
        }
        _ => None,
    }
}

impl Requested {
    /// A compound may read or write more than once: from the first place, all bytes together.
    fn moves(&mut self, offset: u64, bytes: u32) {
        self.offset.get_or_insert(offset);
        self.bytes = Some(self.bytes.unwrap_or(0).saturating_add(bytes.into()));
    }
}

fn create(rest: &mut Reader<'_>) -> Option<()> {
    const BLOCK: u32 = 3;
    const CHARACTER: u32 = 4;
    const LINK: u32 = 5;
    match rest.u32()? {
        BLOCK | CHARACTER => rest.skip(8)?,
        LINK => rest.opaque().map(drop)?,
        _ => {}
    }
    rest.opaque()?;
    rest.attributes()
}

fn open(rest: &mut Reader<'_>) -> Option<()> {
    // Sequence number, access, deny, and the owner: client and name.
    rest.skip(12 + 8)?;
    rest.opaque()?;
    let is_create = rest.u32()? == 1;
    if is_create {
        match rest.u32()? {
            0 | 1 => rest.attributes()?,
            2 => rest.skip(VERIFIER_BYTES)?,
            3 => rest.skip(VERIFIER_BYTES).and_then(|()| rest.attributes())?,
            _ => return None,
        }
    }
    // By name, by what was open before, by delegation, by handle.
    match rest.u32()? {
        0 | 3 => rest.opaque().map(drop),
        1 => rest.skip(4),
        2 => rest.skip(STATE_BYTES).and(rest.opaque()).map(drop),
        4 | 6 => Some(()),
        5 => rest.skip(STATE_BYTES),
        _ => None,
    }
}

/// The status of a compound, and the bytes that its reads and writes moved; these are missing where they are not known.
pub fn replied(results: &[u8]) -> Option<(u32, Option<u64>)> {
    let mut rest = Reader::of(results);
    let status = rest.u32()?;
    Some((status, moved(&mut rest)))
}

fn moved(rest: &mut Reader<'_>) -> Option<u64> {
    rest.opaque()?;
    let count = rest.u32()?.min(OPERATIONS_MAX);
    let mut moved = None;
    for _ in 0..count {
        if result_of(rest, &mut moved).is_none() {
            break;
        }
    }
    moved
}

/// Reads the result of one operation; `None` when it failed, is not known, or not all there.
fn result_of(rest: &mut Reader<'_>, moved: &mut Option<u64>) -> Option<()> {
    use operations as op;
    let (number, status) = (rest.u32()?, rest.u32()?);
    if status != 0 {
        return None;
    }
    let mut moves = |bytes: u32| *moved = Some(moved.unwrap_or(0).saturating_add(bytes.into()));
    match number {
        op::PUTFH
        | op::PUTROOTFH
        | op::PUTPUBFH
        | op::SAVEFH
        | op::RESTOREFH
        | op::LOOKUP
        | op::LOOKUPP
        | op::VERIFY
        | op::NVERIFY
        | op::RENEW => Some(()),
        op::SEQUENCE => rest.skip(STATE_BYTES + 20),
        op::GETFH => rest.opaque().map(drop),
        op::GETATTR => rest.attributes(),
        op::ACCESS => rest.skip(8),
        op::COMMIT => rest.skip(VERIFIER_BYTES),
        op::CLOSE => rest.skip(STATE_BYTES),
        op::READ_4 => {
            rest.skip(4)?;
            moves(Reader::of(rest.rest()).u32()?);
            rest.opaque().map(drop)
        }
        op::WRITE_4 => {
            moves(rest.u32()?);
            rest.skip(4 + VERIFIER_BYTES)
        }
        _ => None,
    }
}
