//! The contract of engines, for every engine in the list: completions equal submissions, what was written is read back, failures and short
//! operations are told.

use std::fs::{File, OpenOptions};
use std::path::Path;

use plumb_model::workload::{EngineChoice, OperationKind};

use super::*;
use crate::buffers::Buffers;
use crate::engine::{Done, Op, OpenFile, Setup, Wait};

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 64;
const DEPTH: u32 = 8;

fn open_file(path: &Path, file: File, writable: bool) -> OpenFile {
    OpenFile { file, path: path.into(), end_bytes: BLOCKS * u64::from(BLOCK), readable: true, writable, direct: false, block_device: false }
}

/// Carries out operations in batches of the depth; returns result by operation. `before` fills and `after` looks at each slot's buffer.
fn carry_out(
    kind: &EngineKind,
    files: &[OpenFile],
    mut ops: Vec<Op>,
    mut before: impl FnMut(&Op, &mut [u8]),
    mut after: impl FnMut(&Op, &[u8]),
) -> Vec<i32> {
    let mut buffers = Buffers::new(DEPTH as usize, BLOCK as usize).expect("buffers");
    let (region, choice) = (buffers.region(), EngineChoice::default());
    let setup = Setup { files, buffers: region, depth: DEPTH, batch: DEPTH, choice: &choice, live_files: None, remote: None };
    let mut engine = (kind.open)(setup).expect(kind.name).engine;
    let mut results = Vec::new();
    let at_once = if kind.asynchronous { DEPTH as usize } else { 1 };
    for batch in ops.chunks_mut(at_once) {
        for (slot, op) in batch.iter_mut().enumerate() {
            op.slot = slot as u32;
            before(op, &mut buffers.slot(op.slot)[..op.len as usize]);
        }
        let mut done: Vec<Done> = Vec::new();
        engine.submit(batch, &mut done).expect("submit");
        while done.len() < batch.len() {
            engine.reap(Wait::One, &mut done).expect("reap");
        }
        assert_eq!(done.len(), batch.len(), "{}: completions equal submissions", kind.name);
        done.sort_by_key(|done| done.slot);
        for (op, done) in batch.iter().zip(&done) {
            assert_eq!(op.slot, done.slot, "{}: each operation comes back once", kind.name);
            after(op, &buffers.slot(op.slot)[..op.len as usize]);
            results.push(done.result);
        }
    }
    engine.close();
    results
}

fn op(kind: OperationKind, block: u64) -> Op {
    Op { offset: block * u64::from(BLOCK), len: BLOCK, slot: 0, file: 0, kind }
}

/// What block `offset` holds.
fn content(offset: u64) -> u8 {
    (offset / u64::from(BLOCK) * 37 + 11) as u8
}

fn temporary_file() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("file");
    std::fs::write(&path, vec![0u8; (BLOCKS * u64::from(BLOCK)) as usize]).expect("file");
    (folder, path)
}

#[test]
fn every_engine_reads_back_what_it_wrote() {
    for kind in ENGINES.iter().filter(|kind| kind.name != "null" && kind.schemes.is_empty()) {
        let (_folder, path) = temporary_file();
        let open = || vec![open_file(&path, OpenOptions::new().read(true).write(true).open(&path).expect("open"), true)];
        let writes = (0..BLOCKS).map(|block| op(OperationKind::Write, block)).collect();
        let written = carry_out(kind, &open(), writes, |op, buffer| buffer.fill(content(op.offset)), |_, _| {});
        assert!(written.iter().all(|result| *result == BLOCK as i32), "{}: {written:?}", kind.name);
        let flushed = carry_out(kind, &open(), vec![op(OperationKind::Flush, 0)], |_, _| {}, |_, _| {});
        assert_eq!(flushed, [0], "{}: flush", kind.name);
        // Another way in sees the same bytes.
        let bytes = std::fs::read(&path).expect("read");
        assert!(
            bytes
                .chunks(BLOCK as usize)
                .enumerate()
                .all(|(n, block)| block.iter().all(|byte| *byte == content(n as u64 * u64::from(BLOCK))))
        );
        let reads = (0..BLOCKS).rev().map(|block| op(OperationKind::Read, block)).collect();
        let check = |op: &Op, buffer: &[u8]| {
            assert!(buffer.iter().all(|byte| *byte == content(op.offset)), "{}: block at {}", kind.name, op.offset)
        };
        let read = carry_out(kind, &open(), reads, |_, buffer| buffer.fill(0xee), check);
        assert!(read.iter().all(|result| *result == BLOCK as i32), "{}: {read:?}", kind.name);
    }
}

#[test]
fn every_engine_tells_failures_and_short_operations() {
    for kind in ENGINES.iter().filter(|kind| kind.name != "null" && kind.schemes.is_empty()) {
        let (_folder, path) = temporary_file();
        let files = vec![open_file(&path, File::open(&path).expect("open"), false)];
        let refused = carry_out(kind, &files, vec![op(OperationKind::Write, 0)], |_, _| {}, |_, _| {});
        assert_eq!(refused, [-libc::EBADF], "{}: a write to a file that is open for reading", kind.name);
        let beyond = carry_out(kind, &files, vec![op(OperationKind::Read, BLOCKS)], |_, _| {}, |_, _| {});
        assert_eq!(beyond, [0], "{}: a read at the end of the file", kind.name);
    }
}

/// A mapping of a file that has shrunk raises SIGBUS: it must come back as an error of the operation, and the process must live on.
#[test]
fn a_vanished_page_of_a_mapping_is_an_error_of_the_operation() {
    let kind = by_name("mmap").expect("mmap");
    let (_folder, path) = temporary_file();
    let file = OpenOptions::new().read(true).write(true).open(&path).expect("open");
    let files = vec![open_file(&path, file, true)];
    let blocks = [0, BLOCKS - 1, BLOCKS - 1, 1, BLOCKS - 1];
    let ops = blocks.into_iter().map(|block| op(OperationKind::Read, block)).collect();
    let shrink = |op: &Op, _: &mut [u8]| {
        if op.offset > u64::from(BLOCK) {
            OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(BLOCKS / 2 * u64::from(BLOCK))).expect("shrink");
        }
    };
    let results = carry_out(kind, &files, ops, shrink, |_, _| {});
    let (fine, gone) = (BLOCK as i32, -libc::EIO);
    assert_eq!(results, [fine, gone, gone, fine, gone], "every read of the page fails, not only the first");
}

#[test]
fn a_ring_that_polls_a_file_that_cannot_be_polled_is_refused_before_the_start() {
    let kind = by_name("io_uring").expect("io_uring");
    let (_folder, path) = temporary_file();
    let files = [open_file(&path, File::open(&path).expect("open"), false)];
    let buffers = Buffers::new(1, BLOCK as usize).expect("buffers");
    let choice = EngineChoice { iopoll: true, ..EngineChoice::default() };
    let setup = Setup { files: &files, buffers: buffers.region(), depth: 1, batch: 1, choice: &choice, live_files: None, remote: None };
    let error = (kind.open)(setup).err().expect("refused").to_string();
    assert!(error.contains("IOPOLL") && error.contains("leave out iopoll"), "{error}");
}

/// Where O_DIRECT works, the ring may poll or not; but no operation fails because of it once the engine has opened.
#[test]
fn a_ring_that_opens_with_polling_can_poll() {
    use std::os::unix::fs::OpenOptionsExt;
    let kind = by_name("io_uring").expect("io_uring");
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("folder");
    let path = folder.path().join("file");
    std::fs::write(&path, vec![0u8; (BLOCKS * u64::from(BLOCK)) as usize]).expect("file");
    let file = match OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(&path) {
        Ok(file) => file,
        Err(error) => return println!("skipped: no O_DIRECT under {}: {error}", folder.path().display()),
    };
    file.sync_all().expect("sync");
    let files = [open_file(&path, file, false)];
    let buffers = Buffers::new(1, BLOCK as usize).expect("buffers");
    let choice = EngineChoice { iopoll: true, ..EngineChoice::default() };
    let setup = Setup { files: &files, buffers: buffers.region(), depth: 1, batch: 1, choice: &choice, live_files: None, remote: None };
    let mut engine = match (kind.open)(setup) {
        Ok(opened) => opened.engine,
        Err(error) => return assert!(error.to_string().contains("IOPOLL"), "{error}"),
    };
    let mut done = Vec::new();
    engine.submit(&[op(OperationKind::Read, 1)], &mut done).expect("submit");
    while done.is_empty() {
        engine.reap(Wait::One, &mut done).expect("reap");
    }
    assert_eq!(done.iter().map(|done| done.result).collect::<Vec<_>>(), [BLOCK as i32]);
}

#[test]
fn who_asks_for_polling_gets_a_ring_or_a_refusal() {
    use plumb_model::workload::Workload;
    let target = Target::Path("x".into());
    for (iopoll, sqpoll) in [(true, false), (false, true)] {
        let choice = EngineChoice { iopoll, sqpoll, ..EngineChoice::default() };
        let names: Vec<_> = candidates(&target, &choice, &Workload::default()).expect("candidates").iter().map(|kind| kind.name).collect();
        assert_eq!(names, ["io_uring"]);
    }
    assert!(candidates(&target, &EngineChoice::default(), &Workload::default()).expect("candidates").len() > 1);
}

#[test]
fn names_are_unique_and_known() {
    for kind in ENGINES {
        assert!(std::ptr::eq(by_name(kind.name).expect(kind.name), *kind));
        assert!(!kind.meaning.is_empty() && kind.batch >= 1 && (kind.asynchronous || kind.batch == 1));
    }
    assert!(by_name("uring").expect_err("nonsense").contains("io_uring"));
}
