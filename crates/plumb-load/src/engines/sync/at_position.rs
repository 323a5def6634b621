//! How are blocks moved at the file's own position, as programs older than pread do: read, write, and lseek where the position is elsewhere?

use std::io;

use plumb_model::units::Bytes;
use plumb_model::workload::OperationKind;

use super::calls::{Sync, system_calls};
use crate::engine::operation::{Done, Op, Outcome, one_by_one};
use crate::engine::{Closing, Engine, Opened, Unavailable, Wait};

/// The plain engine, with the position of each file. Every worker opens its files by itself, so that no other moves them.
struct AtPosition<'a> {
    sync: Sync<'a>,
    /// Where each file is; missing after a failure.
    positions: Vec<Option<u64>>,
    /// Bytes of one call; missing if a call moves a block.
    call_bytes: Option<u32>,
}

/// The engine `sync` without positions in its calls.
pub fn open(sync: Sync<'_>, call_size: Bytes) -> Result<Opened<'_>, Unavailable> {
    let positions = sync
        .files
        .iter()
        .map(|file| system_calls::position(file.raw))
        .collect();
    let call_bytes = u32::try_from(call_size.0).ok().filter(|bytes| *bytes > 0);
    let active = match call_bytes {
        Some(bytes) => format!("read and write at the file position, calls of {bytes} bytes"),
        None => "read and write at the file position".to_string(),
    };
    Ok(Opened {
        active: vec![active],
        ..Opened::local(AtPosition {
            sync,
            positions,
            call_bytes,
        })
    })
}

impl AtPosition<'_> {
    fn carry_out(&mut self, op: &Op) -> Outcome {
        debug_assert!(
            op.slot < self.sync.slots
                && (op.kind == OperationKind::Trim || op.len as usize <= self.sync.slot_bytes)
        );
        // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
        let buffer = unsafe { self.sync.base.add(op.slot as usize * self.sync.stride) };
        match op.kind {
            OperationKind::Read | OperationKind::Write => {
                self.transfer(op, buffer, op.kind == OperationKind::Write)
            }
            OperationKind::Rewrite => {
                let moved = self.transfer(op, buffer, false);
                // A block that cannot be read completely is not written.
                if !moved.is_all_of(op.len) {
                    return moved;
                }
                // SAFETY: a block has at least a byte.
                unsafe { *buffer = (*buffer).wrapping_add(1) };
                self.transfer(op, buffer, true)
            }
            _ => self.sync.carry_out_other(op, buffer),
        }
    }

    /// Reads or writes a block. Returns what came of it.
    fn transfer(&mut self, op: &Op, buffer: *mut u8, write: bool) -> Outcome {
        let raw = self.sync.files[op.file as usize].raw;
        let position = &mut self.positions[op.file as usize];
        if *position != Some(op.offset)
            && let Err(outcome) = system_calls::seek(raw, op.offset)
        {
            *position = None;
            return outcome;
        }
        // SAFETY: buffer and length lie inside the slot; the file is open as long as the engine lives.
        let outcome = unsafe {
            match self.call_bytes {
                Some(call_bytes) => in_calls(raw, buffer, (op.len, call_bytes), write),
                None => one_call(raw, buffer, op.len, write),
            }
        };
        *position = outcome.get().ok().map(|moved| op.offset + u64::from(moved));
        outcome
    }
}

/// # Safety
/// `buffer` holds `length` bytes, and the file is open.
#[inline(always)]
unsafe fn one_call(raw: system_calls::Raw, buffer: *mut u8, length: u32, write: bool) -> Outcome {
    // SAFETY: as promised by the caller.
    unsafe {
        match write {
            true => system_calls::write(raw, buffer, length),
            false => system_calls::read(raw, buffer, length),
        }
    }
}

/// Moves a block by calls of so many bytes. What came of it: the bytes until a call moved fewer, or why the first one failed.
///
/// # Safety
/// As for [`one_call`].
unsafe fn in_calls(
    raw: system_calls::Raw,
    buffer: *mut u8,
    (length, call_bytes): (u32, u32),
    write: bool,
) -> Outcome {
    let mut moved = 0;
    while moved < length {
        let wanted = call_bytes.min(length - moved);
        // SAFETY: what is wanted lies inside the block.
        let outcome = unsafe { one_call(raw, buffer.add(moved as usize), wanted, write) };
        if outcome.is_all_of(wanted) {
            moved += wanted;
            continue;
        }
        return match outcome.get() {
            Ok(part) => Outcome::moved(moved + part),
            Err(_) if moved > 0 => Outcome::moved(moved),
            Err(_) => outcome,
        };
    }
    Outcome::moved(moved)
}

impl Engine for AtPosition<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        one_by_one(ops, done, |op| self.carry_out(op));
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        self.sync.fsync(file)
    }

    fn close(&mut self) -> Closing {
        Closing::default()
    }
}
