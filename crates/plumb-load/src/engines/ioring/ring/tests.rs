//! Does the engine keep its contract? Wine has no rings, and Windows was not at hand: the calls stand here, carried out one by one when they are submitted.

use std::collections::VecDeque;

use windows_sys::Win32::Foundation::{ERROR_HANDLE_EOF, FALSE, TRUE};
use windows_sys::Win32::System::IO::GetOverlappedResult;
use windows_sys::core::BOOL;

use super::*;
use crate::engine::buffers::Buffers;
use crate::system::windows::handles::overlapped;
use plumb_model::workload::EngineChoice;

/// What a ring holds.
#[derive(Default)]
struct Played {
    files: Vec<usize>,
    buffer: usize,
    queued: VecDeque<Queued>,
    done: VecDeque<fs::IORING_CQE>,
}

enum Queued {
    Nothing(usize),
    Flush(HANDLE, usize),
    /// Whether it writes; file, address, bytes, offset, user data.
    Transfer(bool, HANDLE, *mut u8, u32, u64, usize),
}

/// # Safety
/// A ring that `create` made.
unsafe fn played<'a>(ring: fs::HIORING) -> &'a mut Played {
    // SAFETY: as promised by the caller; tests use a ring on one thread.
    unsafe { &mut *ring.cast::<Played>() }
}

unsafe extern "system" fn create(
    _: i32,
    _: fs::IORING_CREATE_FLAGS,
    _: u32,
    _: u32,
    made: *mut fs::HIORING,
) -> HRESULT {
    // SAFETY: the pointer is the engine's own.
    unsafe { *made = Box::into_raw(Box::<Played>::default()).cast() };
    0
}

unsafe extern "system" fn close(ring: fs::HIORING) -> HRESULT {
    // SAFETY: made by `create`, closed once.
    drop(unsafe { Box::from_raw(ring.cast::<Played>()) });
    0
}

unsafe extern "system" fn submit(ring: fs::HIORING, _: u32, _: u32, _: *mut u32) -> HRESULT {
    // SAFETY: the engine's ring, buffers and handles.
    unsafe {
        let played = played(ring);
        while let Some(queued) = played.queued.pop_front() {
            played.done.push_back(played_out(&queued));
        }
    }
    0
}

unsafe fn played_out(queued: &Queued) -> fs::IORING_CQE {
    let ended = |user, code: u32, moved: usize| fs::IORING_CQE {
        UserData: user,
        // HRESULT_FROM_WIN32.
        ResultCode: match code {
            0 => 0,
            code => (code | FACILITY_WIN32 << 16 | 1 << 31) as i32,
        },
        Information: moved,
    };
    match *queued {
        Queued::Nothing(user) => ended(user, 0, 0),
        // SAFETY: an open handle.
        Queued::Flush(file, user) => match unsafe { fs::FlushFileBuffers(file) } {
            // SAFETY: reads the thread's last error.
            0 => ended(user, unsafe { GetLastError() }, 0),
            _ => ended(user, 0, 0),
        },
        Queued::Transfer(writes, file, address, bytes, offset, user) => {
            let mut overlapped = overlapped(offset);
            let mut moved = 0;
            // SAFETY: the buffer holds the bytes, and the call waits for the end.
            unsafe {
                match writes {
                    true => fs::WriteFile(file, address, bytes, null_mut(), &raw mut overlapped),
                    false => fs::ReadFile(file, address, bytes, null_mut(), &raw mut overlapped),
                };
                let code = match GetLastError() {
                    code if code != windows_sys::Win32::Foundation::ERROR_IO_PENDING
                        && overlapped.Internal == 0
                        && overlapped.InternalHigh == 0 =>
                    {
                        code
                    }
                    _ => match GetOverlappedResult(file, &raw mut overlapped, &raw mut moved, TRUE)
                    {
                        0 => GetLastError(),
                        _ => 0,
                    },
                };
                ended(user, code, moved as usize)
            }
        }
    }
}

unsafe extern "system" fn pop(ring: fs::HIORING, found: *mut fs::IORING_CQE) -> HRESULT {
    // SAFETY: the engine's ring and pointer.
    unsafe {
        match played(ring).done.pop_front() {
            Some(done) => {
                *found = done;
                0
            }
            None => EMPTY,
        }
    }
}

unsafe extern "system" fn is_supported(_: fs::HIORING, code: fs::IORING_OP_CODE) -> BOOL {
    match code {
        fs::IORING_OP_FLUSH => TRUE,
        _ => FALSE,
    }
}

unsafe extern "system" fn register_files(
    ring: fs::HIORING,
    count: u32,
    handles: *const HANDLE,
    user: usize,
) -> HRESULT {
    // SAFETY: as many handles as passed.
    unsafe {
        let handles = std::slice::from_raw_parts(handles, count as usize);
        played(ring).files = handles.iter().map(|handle| *handle as usize).collect();
        played(ring).queued.push_back(Queued::Nothing(user));
    }
    0
}

unsafe extern "system" fn register_buffers(
    ring: fs::HIORING,
    _: u32,
    buffers: *const fs::IORING_BUFFER_INFO,
    user: usize,
) -> HRESULT {
    // SAFETY: one buffer.
    unsafe {
        played(ring).buffer = (*buffers).Address as usize;
        played(ring).queued.push_back(Queued::Nothing(user));
    }
    0
}

/// # Safety
/// What the engine built.
unsafe fn file_of(played: &Played, file: &fs::IORING_HANDLE_REF) -> HANDLE {
    // SAFETY: the kind selects the union's field.
    unsafe {
        match file.Kind {
            fs::IORING_REF_REGISTERED => played.files[file.Handle.Index as usize] as HANDLE,
            _ => file.Handle.Handle,
        }
    }
}

/// # Safety
/// What the engine built.
unsafe fn address_of(played: &Played, buffer: &fs::IORING_BUFFER_REF) -> *mut u8 {
    // SAFETY: the kind selects the union's field.
    unsafe {
        match buffer.Kind {
            fs::IORING_REF_REGISTERED => {
                (played.buffer + buffer.Buffer.IndexAndOffset.Offset as usize) as *mut u8
            }
            _ => buffer.Buffer.Address.cast(),
        }
    }
}

unsafe extern "system" fn read(
    ring: fs::HIORING,
    file: fs::IORING_HANDLE_REF,
    buffer: fs::IORING_BUFFER_REF,
    bytes: u32,
    offset: u64,
    user: usize,
    _: i32,
) -> HRESULT {
    // SAFETY: the engine's ring.
    unsafe {
        let played = played(ring);
        let (file, address) = (file_of(played, &file), address_of(played, &buffer));
        let queued = Queued::Transfer(false, file, address, bytes, offset, user);
        played.queued.push_back(queued);
    }
    0
}

unsafe extern "system" fn write(
    ring: fs::HIORING,
    file: fs::IORING_HANDLE_REF,
    buffer: fs::IORING_BUFFER_REF,
    bytes: u32,
    offset: u64,
    _: i32,
    user: usize,
    _: i32,
) -> HRESULT {
    // SAFETY: the engine's ring.
    unsafe {
        let played = played(ring);
        let (file, address) = (file_of(played, &file), address_of(played, &buffer));
        let queued = Queued::Transfer(true, file, address, bytes, offset, user);
        played.queued.push_back(queued);
    }
    0
}

unsafe extern "system" fn flush(
    ring: fs::HIORING,
    file: fs::IORING_HANDLE_REF,
    _: i32,
    user: usize,
    _: i32,
) -> HRESULT {
    // SAFETY: the engine's ring.
    unsafe {
        let played = played(ring);
        let file = file_of(played, &file);
        played.queued.push_back(Queued::Flush(file, user));
    }
    0
}

const PLAYED: Calls = Calls {
    create,
    close,
    submit,
    pop,
    is_supported,
    register_files,
    register_buffers,
    read,
    write,
    flush,
};

const BLOCK: u32 = 4096;
const DEPTH: u32 = 32;

fn opened(path: std::path::PathBuf) -> OpenFile {
    std::fs::write(&path, vec![0; (DEPTH * BLOCK) as usize]).expect("file");
    let mut options = File::options();
    OpenFile {
        file: options.read(true).write(true).open(&path).expect("opened"),
        path,
        end_bytes: u64::from(DEPTH * BLOCK),
        readable: true,
        writable: true,
        direct: false,
        block_device: false,
        hint: plumb_model::workload::AccessHint::None,
    }
}

fn op(kind: OperationKind, slot: u32) -> Op {
    Op {
        offset: u64::from(slot * BLOCK),
        len: BLOCK,
        slot,
        file: 0,
        kind,
        priority: 0,
    }
}

/// What came of each, by its slot.
fn carry_out(engine: &mut Ring<'_>, ops: Vec<Op>) -> Vec<Outcome> {
    let mut done = Vec::new();
    engine.submit(&ops, &mut done).expect("submitted");
    while done.len() < ops.len() {
        engine.reap(Wait::One, &mut done).expect("reaped");
    }
    let nothing_more = Wait::AtMost(1000);
    engine.reap(nothing_more, &mut done).expect("reaped");
    done.sort_by_key(|done| done.slot);
    let slots = done.iter().map(|done| done.slot);
    assert!(slots.eq(ops.iter().map(|op| op.slot)));
    done.into_iter().map(|done| done.outcome).collect()
}

#[test]
fn what_is_written_through_a_ring_is_read_back_and_each_operation_returns_once() {
    for registered in [true, false] {
        let folder = tempfile::tempdir().expect("folder");
        let files = [opened(folder.path().join("file"))];
        let choice = EngineChoice {
            registered,
            ..EngineChoice::default()
        };
        let mut buffers = Buffers::new(DEPTH as usize, BLOCK as usize).expect("buffers");
        let setup = Setup {
            files: &files,
            end_bytes: 0,
            buffers: buffers.region(),
            depth: DEPTH,
            batch: DEPTH,
            choice: &choice,
            live_files: None,
            trims: false,
            flush_metadata: false,
            remote: None,
        };
        let (mut engine, active, refused) = make(PLAYED, &setup).expect("a ring");
        assert_eq!(
            (active.len(), refused.len()),
            (if registered { 3 } else { 1 }, 0)
        );
        for slot in 0..DEPTH {
            buffers.slot(slot).fill(slot as u8 + 1);
        }
        let all = |kind| (0..DEPTH).map(|slot| op(kind, slot)).collect::<Vec<_>>();
        let complete = vec![Outcome::moved(BLOCK); DEPTH as usize];
        assert_eq!(carry_out(&mut engine, all(OperationKind::Write)), complete);
        assert_eq!(
            carry_out(&mut engine, vec![op(OperationKind::Flush, 3)]),
            [Outcome::moved(0)]
        );
        for slot in 0..DEPTH {
            buffers.slot(slot).fill(0xEE);
        }
        assert_eq!(carry_out(&mut engine, all(OperationKind::Read)), complete);
        for slot in 0..DEPTH {
            assert!(
                buffers
                    .slot(slot)
                    .iter()
                    .all(|byte| *byte == slot as u8 + 1)
            );
        }
        let beyond = Op {
            offset: u64::from(DEPTH * BLOCK),
            ..op(OperationKind::Read, 0)
        };
        assert_eq!(carry_out(&mut engine, vec![beyond]), [Outcome::moved(0)]);
        assert!(engine.close().write_back.is_empty());
    }
}

#[test]
fn results_stand_for_codes_of_windows() {
    assert_eq!(code_of(0x8007_0070_u32 as i32), Some(112));
    // STATUS_DISK_FULL.
    assert_eq!(code_of(0xD000_007F_u32 as i32), Some(112));
    assert_eq!(code_of(0x8046_0001_u32 as i32), None);
    let end = ERROR_HANDLE_EOF | 0x8007_0000;
    assert_eq!(failed(end as i32), Outcome::moved(0));
}
