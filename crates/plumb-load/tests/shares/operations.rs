//! Which operations do the tests of SMB and NFS carry out? Blocks and small files, with content that can be checked.

use std::time::{Duration, Instant};

use plumb_load::engine::buffers::Buffers;
use plumb_load::engine::failure::FailureKind;
use plumb_load::engine::operation::{Done, Op, Outcome};
use plumb_load::engine::{Closing, Engine, Wait};
use plumb_load::share::{ShareError, SharedShare};
use plumb_model::workload::OperationKind;

use crate::{BLOCK, BLOCKS};

pub const DEPTH: u32 = 8;

/// What the byte at this offset of a file is to be.
pub fn byte_at(offset: u64) -> u8 {
    (offset / 4096 * 37 + offset % 251) as u8
}

pub fn write(
    share: &SharedShare,
    path: &str,
    is_new: bool,
    start: u64,
    len: u64,
) -> Result<bool, ShareError> {
    let mut next = |offset: u64, piece: &mut [u8]| {
        piece
            .iter_mut()
            .enumerate()
            .for_each(|(at, byte)| *byte = byte_at(offset + at as u64));
        true
    };
    share.lock().write_file(path, is_new, start, len, &mut next)
}

pub fn op(kind: OperationKind, offset: u64, len: u32, slot: u32) -> Op {
    Op {
        offset,
        len,
        slot,
        file: 0,
        kind,
        priority: 0,
    }
}

/// What came of an operation: bytes, or what went wrong.
pub type Came = Result<u32, FailureKind>;

pub fn came(done: &Done) -> Came {
    done.outcome.get().map_err(|failure| failure.kind)
}

/// That all of them moved so many bytes.
pub fn moved<const N: usize>(bytes: [u32; N]) -> [Came; N] {
    bytes.map(Ok)
}

/// Submits and takes back; results by slot.
pub fn carry_out(engine: &mut dyn Engine, ops: &[Op]) -> Vec<Came> {
    let mut done: Vec<Done> = Vec::new();
    engine.submit(ops, &mut done).expect("submitted");
    let begun = Instant::now();
    while done.len() < ops.len() {
        engine.reap(Wait::One, &mut done).expect("reaped");
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "{} of {} came back",
            done.len(),
            ops.len()
        );
    }
    done.sort_by_key(|done| done.slot);
    let slots: Vec<u32> = done.iter().map(|done| done.slot).collect();
    assert_eq!(
        slots,
        ops.iter().map(|op| op.slot).collect::<Vec<_>>(),
        "each operation comes back once"
    );
    done.iter().map(came).collect()
}

pub fn close(mut engine: Box<dyn Engine + '_>) -> Closing {
    engine.finish();
    engine.close()
}

pub fn blocks(kind: OperationKind) -> Vec<Op> {
    (0..BLOCKS)
        .map(|block| {
            op(
                kind,
                block * u64::from(BLOCK),
                BLOCK,
                (block % u64::from(DEPTH)) as u32,
            )
        })
        .collect()
}

pub fn fill(buffers: &mut Buffers, op: &Op) {
    let bytes = &mut buffers.slot(op.slot)[..op.len as usize];
    bytes
        .iter_mut()
        .enumerate()
        .for_each(|(at, byte)| *byte = byte_at(op.offset + at as u64));
}

pub fn holds(buffers: &mut Buffers, op: &Op) -> bool {
    buffers.slot(op.slot)[..op.len as usize]
        .iter()
        .enumerate()
        .all(|(at, byte)| *byte == byte_at(op.offset + at as u64))
}

/// Writes all blocks, and expects that they are complete.
pub fn write_blocks(engine: &mut dyn Engine, buffers: &mut Buffers) {
    for batch in blocks(OperationKind::Write).chunks(DEPTH as usize) {
        batch.iter().for_each(|op| fill(buffers, op));
        assert_eq!(carry_out(engine, batch), vec![Ok(BLOCK); batch.len()]);
    }
}

/// Reads all blocks, and expects what was written.
pub fn read_blocks(engine: &mut dyn Engine, buffers: &mut Buffers) {
    for batch in blocks(OperationKind::Read).chunks(DEPTH as usize) {
        batch.iter().for_each(|op| buffers.slot(op.slot).fill(0xee));
        assert_eq!(carry_out(engine, batch), vec![Ok(BLOCK); batch.len()]);
        batch
            .iter()
            .for_each(|op| assert!(holds(buffers, op), "{op:?}"));
    }
}

/// After the connection is lost an operation waits, and is carried out once `bring_back` has brought the server back. Returns it.
pub fn waits_until_back(
    engine: &mut dyn Engine,
    buffers: &mut Buffers,
    bring_back: impl FnOnce(),
) -> Op {
    let mut done = Vec::new();
    let waiting = blocks(OperationKind::Read)[3];
    engine.submit(&[waiting], &mut done).expect("submitted");
    engine.reap(Wait::One, &mut done).expect("reaped");
    assert!(done.is_empty());
    bring_back();
    let begun = Instant::now();
    while done.is_empty() {
        engine
            .reap(Wait::AtMost(10_000_000), &mut done)
            .expect("reaped");
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "it does not come back"
        );
    }
    let outcome = Outcome::moved(BLOCK);
    let slot = waiting.slot;
    assert_eq!(done, [Done { slot, outcome }]);
    assert!(holds(buffers, &waiting));
    waiting
}

/// A step that ends while the server is gone does not wait for it.
pub fn ends_without_server(engine: &mut dyn Engine, waiting: Op) {
    carry_out(engine, &[waiting]);
    let mut done = Vec::new();
    engine.submit(&[waiting], &mut done).expect("submitted");
    engine.finish();
    while done.is_empty() {
        engine.reap(Wait::One, &mut done).expect("reaped");
    }
    let outcome = Outcome::failed(FailureKind::NotConnected);
    let slot = waiting.slot;
    assert_eq!(done, [Done { slot, outcome }]);
}

/// Operations on small files that fail, as on a kernel mount; file 0 exists.
pub fn small_files_fail(engine: &mut dyn Engine) {
    use OperationKind::{Create, Delete, ReadFile, Stat};
    let failed = [
        op(Stat, 5, 0, 0),
        op(Create, 0, 1, 1),
        op(Delete, 6, 0, 2),
        op(Stat, 7000, 0, 3),
        op(ReadFile, 8, 10, 4),
    ];
    assert_eq!(
        carry_out(engine, &failed),
        [
            Err(FailureKind::NotFound),
            Err(FailureKind::AlreadyExists),
            Err(FailureKind::NotFound),
            Err(FailureKind::NotFound),
            Err(FailureKind::NotFound)
        ]
    );
}
