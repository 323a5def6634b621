//! The contract of engines, for every engine in the list: completions equal submissions, what was written is read back, failures and short
//! operations are reported.

use crate::engine::failure::FailureKind;
use std::fs::{File, OpenOptions};
use std::path::Path;

#[path = "../../../../testdata/peers/ports.rs"]
pub(super) mod ports;
#[cfg(target_os = "linux")]
#[path = "../../../../testdata/peers/samba.rs"]
mod samba;

use plumb_model::units::Bytes;
use plumb_model::workload::{EngineChoice, OperationKind, Workload};

use super::*;
use crate::engine::buffers::Buffers;
use crate::engine::operation::{Done, Op};
use crate::engine::{Engine, OpenFile, Setup, Wait};

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 64;
const DEPTH: u32 = 8;

fn open_file(path: &Path, file: File, writable: bool) -> OpenFile {
    OpenFile {
        file,
        path: path.into(),
        end_bytes: BLOCKS * u64::from(BLOCK),
        readable: true,
        writable,
        direct: false,
        block_device: false,
        hint: plumb_model::workload::AccessHint::None,
    }
}

/// What came of an operation: bytes, or what went wrong.
pub type Came = Result<u32, FailureKind>;

pub fn came(done: &Done) -> Came {
    done.outcome.get().map_err(|failure| failure.kind)
}

/// Carries out operations in batches of the depth; returns result by operation. `before` fills and `after` looks at each slot's buffer.
fn carry_out(
    kind: &EngineKind,
    choice: &EngineChoice,
    files: &[OpenFile],
    ops: Vec<Op>,
    before: impl FnMut(&Op, &mut [u8]),
    after: impl FnMut(&Op, &[u8]),
) -> Vec<Came> {
    let mut buffers = Buffers::new(DEPTH as usize, BLOCK as usize).expect("buffers");
    let region = buffers.region();
    let setup = Setup {
        files,
        end_bytes: BLOCKS * u64::from(BLOCK),
        buffers: region,
        depth: DEPTH,
        batch: DEPTH,
        choice,
        live_files: None,
        trims: true,
        flush_metadata: false,
        remote: None,
    };
    let engine = (kind.open)(setup).expect(kind.name).engine;
    operate(kind, engine, &mut buffers, ops, before, after)
}

/// The same by an engine that is open.
fn operate(
    kind: &EngineKind,
    mut engine: Box<dyn Engine + '_>,
    buffers: &mut Buffers,
    mut ops: Vec<Op>,
    mut before: impl FnMut(&Op, &mut [u8]),
    mut after: impl FnMut(&Op, &[u8]),
) -> Vec<Came> {
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
        assert_eq!(
            done.len(),
            batch.len(),
            "{}: completions equal submissions",
            kind.name
        );
        done.sort_by_key(|done| done.slot);
        for (op, done) in batch.iter().zip(&done) {
            assert_eq!(
                op.slot, done.slot,
                "{}: each operation comes back once",
                kind.name
            );
            after(op, &buffers.slot(op.slot)[..op.len as usize]);
            results.push(came(done));
        }
    }
    engine.close();
    results
}

fn op(kind: OperationKind, block: u64) -> Op {
    Op {
        offset: block * u64::from(BLOCK),
        len: BLOCK,
        slot: 0,
        file: 0,
        kind,
        priority: 0,
    }
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

/// Opens the file, for writing too or not, and carries out operations.
type Run<'a> = &'a mut dyn FnMut(
    bool,
    Vec<Op>,
    &mut dyn FnMut(&Op, &mut [u8]),
    &mut dyn FnMut(&Op, &[u8]),
) -> Vec<Came>;

/// What every engine of blocks must do; `path` leads past it to the same file.
fn keeps_the_contract(name: &str, path: &Path, run: Run<'_>) {
    let writes = (0..BLOCKS)
        .map(|block| op(OperationKind::Write, block))
        .collect();
    let written = run(
        true,
        writes,
        &mut |op, buffer| buffer.fill(content(op.offset)),
        &mut |_, _| {},
    );
    assert!(
        written.iter().all(|result| *result == Ok(BLOCK)),
        "{name}: {written:?}"
    );
    let mut plain = |writable, op: Op| run(writable, vec![op], &mut |_, _| {}, &mut |_, _| {});
    let flushed = plain(true, op(OperationKind::Flush, 0));
    assert_eq!(flushed, [Ok(0)], "{name}: flush");
    // Another way in sees the same bytes.
    let bytes = std::fs::read(path).expect("read");
    let is_content = |(number, block): (usize, &[u8])| {
        block
            .iter()
            .all(|byte| *byte == content(number as u64 * u64::from(BLOCK)))
    };
    assert!(
        bytes.chunks(BLOCK as usize).enumerate().all(is_content),
        "{name}"
    );
    let reads = (0..BLOCKS)
        .rev()
        .map(|block| op(OperationKind::Read, block))
        .collect();
    let mut check = |op: &Op, buffer: &[u8]| {
        assert!(
            buffer.iter().all(|byte| *byte == content(op.offset)),
            "{name}: block at {}",
            op.offset
        )
    };
    let read = run(true, reads, &mut |_, buffer| buffer.fill(0xee), &mut check);
    assert!(
        read.iter().all(|result| *result == Ok(BLOCK)),
        "{name}: {read:?}"
    );

    let mut plain = |writable, op: Op| run(writable, vec![op], &mut |_, _| {}, &mut |_, _| {});
    let refused = plain(false, op(OperationKind::Write, 0));
    // Windows only reports that a call is denied.
    let kind = match cfg!(windows) && refused != [Err(FailureKind::BadFile)] {
        true => FailureKind::AccessDenied,
        false => FailureKind::BadFile,
    };
    assert_eq!(
        refused,
        [Err(kind)],
        "{name}: a write to a file that is open for reading"
    );
    let beyond = plain(false, op(OperationKind::Read, BLOCKS));
    assert_eq!(beyond, [Ok(0)], "{name}: a read at the end of the file");
}

#[test]
fn every_engine_of_local_targets_keeps_the_contract() {
    for (kind, choice) in variants() {
        let (_folder, path) = temporary_file();
        keeps_the_contract(
            &format!("{} {choice:?}", kind.name),
            &path,
            &mut |writable, ops, before, after| {
                let file = OpenOptions::new()
                    .read(true)
                    .write(writable)
                    .open(&path)
                    .expect("open");
                carry_out(
                    kind,
                    &choice,
                    &[open_file(&path, file, writable)],
                    ops,
                    before,
                    after,
                )
            },
        );
    }
}

/// Every engine of local targets as it is by default, and with each option that changes how it moves data.
fn variants() -> Vec<(&'static EngineKind, EngineChoice)> {
    let plain = EngineChoice::default;
    let kinds = ENGINES
        .iter()
        .copied()
        // Rings of Windows are shown in their own file: Wine has none. Those that move no data too, and the one that works on NVMe devices only.
        .filter(|kind| {
            let others = [
                "null",
                "memory",
                "ioring",
                "allocate",
                "resize",
                "defragment",
                "io_uring_cmd",
            ];
            !others.contains(&kind.name) && kind.schemes.is_empty()
        });
    let mut variants: Vec<_> = kinds.map(|kind| (kind, plain())).collect();
    let by = |name| by_name(name).expect(name);
    variants.push((
        by("sync"),
        EngineChoice {
            positioned: false,
            ..plain()
        },
    ));
    for call_size in [1, 1000] {
        variants.push((
            by("sync"),
            EngineChoice {
                positioned: false,
                call_size: Bytes(call_size),
                ..plain()
            },
        ));
    }
    if cfg!(target_os = "linux") {
        variants.push((
            by("sync"),
            EngineChoice {
                hipri: true,
                ..plain()
            },
        ));
    }
    for buffer in [1, 1000, 4096, 65_536] {
        for per_character in [false, true] {
            variants.push((
                by("stdio"),
                EngineChoice {
                    per_character,
                    stdio_buffer: Bytes(buffer),
                    ..plain()
                },
            ));
        }
    }
    variants
}

/// Rewrites in any order, between reads and writes of other blocks: each adds one to the first byte of its block, and what is not there is not made.
#[test]
fn every_engine_that_rewrites_changes_one_byte_of_what_is_there() {
    let mut rewriting = 0;
    for (kind, choice) in variants()
        .into_iter()
        .filter(|(kind, _)| kind.supports(OperationKind::Rewrite))
    {
        rewriting += 1;
        let (_folder, path) = temporary_file();
        let original: Vec<u8> = (0..BLOCKS * u64::from(BLOCK))
            .map(|at| (at / 5) as u8)
            .collect();
        std::fs::write(&path, &original).expect("file");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .expect("open");
        let rewrite = |block| op(OperationKind::Rewrite, block);
        let ops = vec![
            rewrite(3),
            rewrite(4),
            op(OperationKind::Read, 5),
            rewrite(3),
            op(OperationKind::Write, 9),
            rewrite(9),
            rewrite(BLOCKS),
        ];
        let mut seen = Vec::new();
        let results = carry_out(
            kind,
            &choice,
            &[open_file(&path, file, true)],
            ops,
            |_, buffer| buffer.fill(0x11),
            |op, buffer| seen.push((op.kind, buffer[0], buffer[1])),
        );
        let whole = Ok(BLOCK);
        assert_eq!(
            results,
            [whole, whole, whole, whole, whole, whole, Ok(0)],
            "{} {choice:?}",
            kind.name
        );
        let mut expected = original;
        let at = |block: usize| block * BLOCK as usize;
        expected[at(9)..at(10)].fill(0x11);
        for block in [3, 4, 3, 9] {
            expected[at(block)] = expected[at(block)].wrapping_add(1);
        }
        assert!(
            std::fs::read(&path).expect("read") == expected,
            "{} {choice:?}",
            kind.name
        );
        assert_eq!(
            seen[5],
            (OperationKind::Rewrite, 0x12, 0x11),
            "{}: what was written before is read",
            kind.name
        );
    }
    assert!(
        rewriting >= 5,
        "sync, stdio and mmap do, each with its options"
    );
}

/// No file is behind it: what was written is there until the engine closes, and what was not is zero.
#[test]
fn memory_keeps_what_was_written() {
    let ops = vec![
        op(OperationKind::Read, 0),
        op(OperationKind::Write, 3),
        op(OperationKind::Rewrite, 3),
        op(OperationKind::Flush, 0),
        op(OperationKind::Read, 3),
        op(OperationKind::Read, BLOCKS - 1),
        op(OperationKind::Read, BLOCKS),
    ];
    for _ in 0..2 {
        let mut seen = Vec::new();
        let results = carry_out(
            by_name("memory").expect("memory"),
            &EngineChoice::default(),
            &[],
            ops.clone(),
            |_, buffer| buffer.fill(0x11),
            |_, buffer| seen.push([buffer[0], buffer[1]]),
        );
        let [all, none] = [Ok(BLOCK), Ok(0)];
        assert_eq!(results, [all, all, all, none, all, all, none]);
        assert_eq!([seen[0], seen[4], seen[5]], [[0, 0], [0x12, 0x11], [0, 0]]);
    }
}

/// System calls (reads, writes) of this thread so far, by the kernel's count; `None` where it keeps none.
#[cfg(target_os = "linux")]
fn calls_of_this_thread() -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    let number = |name| {
        text.lines()
            .find_map(|line| line.strip_prefix(name))?
            .trim()
            .parse()
            .ok()
    };
    Some((number("syscr:")?, number("syscw:")?))
}

/// A buffer of 64 blocks makes one call of 64. The kernel counts; its own file takes a few reads.
#[test]
#[cfg(target_os = "linux")]
fn the_buffer_of_a_stream_gathers_calls() {
    if calls_of_this_thread().is_none() {
        return println!("skipped: no /proc/thread-self/io");
    }
    let kind = by_name("stdio").expect("stdio");
    let small = |operation, blocks: u64| {
        (0..blocks)
            .map(move |block| Op {
                offset: block * 1024,
                len: 1024,
                ..op(operation, 0)
            })
            .collect::<Vec<_>>()
    };
    for per_character in [false, true] {
        for (buffer, gathered) in [(1024, 1), (65_536, 64)] {
            let (_folder, path) = temporary_file();
            let choice = EngineChoice {
                per_character,
                stdio_buffer: Bytes(buffer),
                ..EngineChoice::default()
            };
            let blocks = BLOCKS * 4;
            for operation in [OperationKind::Write, OperationKind::Read] {
                let file = OpenOptions::new()
                    .read(true)
                    .write(true)
                    .open(&path)
                    .expect("open");
                let before = calls_of_this_thread().expect("counts");
                let results = carry_out(
                    kind,
                    &choice,
                    &[open_file(&path, file, true)],
                    small(operation, blocks),
                    |_, _| {},
                    |_, _| {},
                );
                let after = calls_of_this_thread().expect("counts");
                assert!(results.iter().all(|result| *result == Ok(1024)));
                let calls = if operation == OperationKind::Read {
                    after.0 - before.0
                } else {
                    after.1 - before.1
                };
                let wanted = blocks / gathered;
                assert!(
                    (wanted..=wanted + 8).contains(&calls),
                    "{operation} with a buffer of {buffer}: {calls} calls, not {wanted}"
                );
            }
        }
    }
}

#[test]
fn options_of_one_engine_choose_it() {
    let target = Target::Path("x".into());
    let plain = EngineChoice::default();
    for (choice, name) in [
        (
            EngineChoice {
                positioned: false,
                ..plain.clone()
            },
            "sync",
        ),
        (
            EngineChoice {
                nowait: true,
                ..plain.clone()
            },
            "sync",
        ),
        (
            EngineChoice {
                per_character: true,
                ..plain.clone()
            },
            "stdio",
        ),
        (
            EngineChoice {
                stdio_buffer: Bytes(4096),
                ..plain.clone()
            },
            "stdio",
        ),
    ] {
        let names: Vec<_> = candidates(&target, &choice, &Workload::default())
            .expect("candidates")
            .iter()
            .map(|kind| kind.name)
            .collect();
        assert_eq!(names, [name]);
    }
    let rewrites = Workload {
        mix: "rewrite".parse().expect("a mix"),
        ..Workload::default()
    };
    let names: Vec<_> = candidates(&target, &plain, &rewrites)
        .expect("candidates")
        .iter()
        .map(|kind| kind.name)
        .collect();
    assert_eq!(names, ["sync"], "auto takes an engine that can rewrite");
}

#[test]
fn streams_are_refused_on_files_that_bypass_the_cache() {
    let (_folder, path) = temporary_file();
    let files = [OpenFile {
        direct: true,
        ..open_file(&path, File::open(&path).expect("open"), false)
    }];
    let buffers = Buffers::new(1, BLOCK as usize).expect("buffers");
    let choice = EngineChoice::default();
    let setup = Setup {
        files: &files,
        end_bytes: 0,
        buffers: buffers.region(),
        depth: 1,
        batch: 1,
        choice: &choice,
        live_files: None,
        trims: true,
        flush_metadata: false,
        remote: None,
    };
    let error = (by_name("stdio").expect("stdio").open)(setup)
        .err()
        .expect("refused")
        .to_string();
    assert!(error.contains("not aligned"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_engine_of_smb_shares_keeps_the_contract() {
    use crate::engine::RemoteSetup;
    use crate::site::{SiteFile, SiteKind};
    if !samba::is_installed() {
        return;
    }
    let server = samba::Samba::start(&[]);
    let (path, len) = (server.share().join("file"), BLOCKS * u64::from(BLOCK));
    std::fs::write(&path, vec![0u8; len as usize]).expect("file");
    let (kind, remote) = (
        by_name("smb").expect("listed"),
        server.address("share").parse().expect("an address"),
    );
    let secret = crate::secret::Secret::new(samba::PASSWORD);
    keeps_the_contract(kind.name, &path, &mut |writable, ops, before, after| {
        let mix = if writable { "read:1,write:1" } else { "read" }
            .parse()
            .expect("a mix");
        let workload = Workload {
            mix,
            ..Workload::default()
        };
        let file = SiteFile {
            index: 0,
            path: "file".into(),
            start: 0,
            len,
            kind: SiteKind::Share,
            identity: None,
            folder: None,
        };
        let (meeting, choice) = (
            crate::engine::meeting::Meeting::default(),
            EngineChoice::default(),
        );
        let journal = crate::engine::journal::Journal::new(|_| {});
        let remote = RemoteSetup {
            remote: &remote,
            secret: Some(&secret),
            file: Some(&file),
            worker: 0,
            workload: &workload,
            meeting: &meeting,
            jobs: Vec::new(),
            step_meeting: &meeting,
            journal,
            stop: Default::default(),
        };
        let mut buffers = Buffers::new(DEPTH as usize, BLOCK as usize).expect("buffers");
        let region = buffers.region();
        let setup = Setup {
            files: &[],
            end_bytes: 0,
            buffers: region,
            depth: DEPTH,
            batch: DEPTH,
            choice: &choice,
            live_files: None,
            trims: true,
            flush_metadata: false,
            remote: Some(remote),
        };
        let engine = (kind.open)(setup).expect(kind.name).engine;
        operate(kind, engine, &mut buffers, ops, before, after)
    });
}

/// A mapping of a file that has shrunk raises SIGBUS: it must come back as an error of the operation, and the process must live on. Windows lets no file shrink
/// that is mapped.
#[test]
#[cfg(unix)]
fn a_vanished_page_of_a_mapping_is_an_error_of_the_operation() {
    let kind = by_name("mmap").expect("mmap");
    let (_folder, path) = temporary_file();
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .expect("open");
    let files = vec![open_file(&path, file, true)];
    let blocks = [0, BLOCKS - 1, BLOCKS - 1, 1, BLOCKS - 1];
    let ops = blocks
        .into_iter()
        .map(|block| op(OperationKind::Read, block))
        .collect();
    let shrink = |op: &Op, _: &mut [u8]| {
        if op.offset > u64::from(BLOCK) {
            OpenOptions::new()
                .write(true)
                .open(&path)
                .and_then(|file| file.set_len(BLOCKS / 2 * u64::from(BLOCK)))
                .expect("shrink");
        }
    };
    let results = carry_out(
        kind,
        &EngineChoice::default(),
        &files,
        ops,
        shrink,
        |_, _| {},
    );
    let (fine, gone) = (Ok(BLOCK), Err(FailureKind::Io));
    assert_eq!(
        results,
        [fine, gone, gone, fine, gone],
        "every read of the page fails, not only the first"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_ring_that_polls_a_file_that_cannot_be_polled_is_refused_before_the_start() {
    let kind = by_name("io_uring").expect("io_uring");
    let (_folder, path) = temporary_file();
    let files = [open_file(&path, File::open(&path).expect("open"), false)];
    let buffers = Buffers::new(1, BLOCK as usize).expect("buffers");
    let choice = EngineChoice {
        iopoll: true,
        ..EngineChoice::default()
    };
    let setup = Setup {
        files: &files,
        end_bytes: 0,
        buffers: buffers.region(),
        depth: 1,
        batch: 1,
        choice: &choice,
        live_files: None,
        trims: true,
        flush_metadata: false,
        remote: None,
    };
    let error = (kind.open)(setup).err().expect("refused").to_string();
    assert!(
        error.contains("IOPOLL") && error.contains("omit iopoll"),
        "{error}"
    );
}

/// Where O_DIRECT works, the ring may poll or not; but no operation fails because of it once the engine has opened.
#[test]
#[cfg(target_os = "linux")]
fn a_ring_that_opens_with_polling_can_poll() {
    use std::os::unix::fs::OpenOptionsExt;
    let kind = by_name("io_uring").expect("io_uring");
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("folder");
    let path = folder.path().join("file");
    std::fs::write(&path, vec![0u8; (BLOCKS * u64::from(BLOCK)) as usize]).expect("file");
    let file = match OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_DIRECT)
        .open(&path)
    {
        Ok(file) => file,
        Err(error) => {
            return println!(
                "skipped: no O_DIRECT under {}: {error}",
                folder.path().display()
            );
        }
    };
    file.sync_all().expect("sync");
    let files = [open_file(&path, file, false)];
    let buffers = Buffers::new(1, BLOCK as usize).expect("buffers");
    let choice = EngineChoice {
        iopoll: true,
        ..EngineChoice::default()
    };
    let setup = Setup {
        files: &files,
        end_bytes: 0,
        buffers: buffers.region(),
        depth: 1,
        batch: 1,
        choice: &choice,
        live_files: None,
        trims: true,
        flush_metadata: false,
        remote: None,
    };
    let mut engine = match (kind.open)(setup) {
        Ok(opened) => opened.engine,
        Err(error) => return assert!(error.to_string().contains("IOPOLL"), "{error}"),
    };
    let mut done = Vec::new();
    engine
        .submit(&[op(OperationKind::Read, 1)], &mut done)
        .expect("submit");
    while done.is_empty() {
        engine.reap(Wait::One, &mut done).expect("reap");
    }
    assert_eq!(done.iter().map(came).collect::<Vec<_>>(), [Ok(BLOCK)]);
}

#[test]
#[cfg(target_os = "linux")]
fn who_asks_for_polling_gets_a_ring_or_a_refusal() {
    use plumb_model::workload::Workload;
    let target = Target::Path("x".into());
    for (iopoll, sqpoll) in [(true, false), (false, true)] {
        let choice = EngineChoice {
            iopoll,
            sqpoll,
            ..EngineChoice::default()
        };
        let names: Vec<_> = candidates(&target, &choice, &Workload::default())
            .expect("candidates")
            .iter()
            .map(|kind| kind.name)
            .collect();
        assert_eq!(names, ["io_uring"]);
    }
    assert!(
        candidates(&target, &EngineChoice::default(), &Workload::default())
            .expect("candidates")
            .len()
            > 1
    );
}

#[test]
fn names_are_unique_and_known() {
    for kind in ENGINES {
        assert!(std::ptr::eq(by_name(kind.name).expect(kind.name), *kind));
        assert!(
            !kind.meaning.is_empty() && kind.batch >= 1 && (kind.asynchronous || kind.batch == 1)
        );
    }
    let refused = by_name("uring").expect_err("nonsense");
    assert!(refused.contains(ENGINES[0].name), "{refused}");
}

#[test]
fn what_a_share_cannot_do_is_refused_with_what_can_be_done() {
    use plumb_model::workload::{Weighted, Workload};
    let trims = Workload {
        mix: Weighted::only(OperationKind::Trim),
        ..Workload::default()
    };
    for scheme in ["smb", "nfs"] {
        let target: Target = format!("{scheme}://server/share")
            .parse()
            .expect("a target");
        let refused = candidates(&target, &EngineChoice::default(), &trims).expect_err("refused");
        let expected = format!(
            "a {scheme}:// target cannot trim: remove trim from the mix, or mount the share and use its mount point"
        );
        assert_eq!(refused, expected);
    }
}
