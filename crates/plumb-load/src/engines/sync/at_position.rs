//! How are blocks moved at the file's own position, as programs older than pread do: read, write, and lseek where the position is elsewhere?

use std::io;
use std::os::fd::RawFd;

use plumb_model::workload::OperationKind;

use super::calls::{Sync, last_error, moved_by};
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, Opened, Unavailable, Wait};

/// The plain engine, with the position of each file. Every worker opens its files by itself, so that no other moves them.
struct AtPosition<'a> {
    sync: Sync<'a>,
    /// Where each file is; missing after a failure.
    positions: Vec<Option<u64>>,
}

/// The engine `sync` without positions in its calls.
pub fn open(sync: Sync<'_>) -> Result<Opened<'_>, Unavailable> {
    let positions = sync.files.iter().map(|file| position(file.fd)).collect();
    let active = vec!["read and write at the file's position".into()];
    Ok(Opened {
        active,
        ..Opened::local(AtPosition { sync, positions })
    })
}

/// Where the file is; `None` when it does not tell.
fn position(fd: RawFd) -> Option<u64> {
    // SAFETY: plain call on an open descriptor.
    u64::try_from(unsafe { libc::lseek(fd, 0, libc::SEEK_CUR) }).ok()
}

impl AtPosition<'_> {
    fn carry_out(&mut self, op: &Op) -> Outcome {
        debug_assert!(op.slot < self.sync.slots && op.len as usize <= self.sync.slot_bytes);
        // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
        let buffer = unsafe { self.sync.base.add(op.slot as usize * self.sync.stride) };
        match op.kind {
            OperationKind::Read | OperationKind::Write => {
                self.transfer(op, buffer, op.kind == OperationKind::Write)
            }
            OperationKind::Rewrite => {
                let moved = self.transfer(op, buffer, false);
                // What cannot be read whole is not written.
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
        let (fd, length) = (self.sync.files[op.file as usize].fd, op.len as usize);
        let position = &mut self.positions[op.file as usize];
        if *position != Some(op.offset) {
            // SAFETY: plain call on an open descriptor.
            if unsafe { libc::lseek(fd, op.offset as libc::off_t, libc::SEEK_SET) } < 0 {
                *position = None;
                return last_error();
            }
        }
        // SAFETY: buffer and length lie inside the slot; the descriptor is open as long as the engine lives.
        let moved = unsafe {
            match write {
                true => libc::write(fd, buffer.cast(), length),
                false => libc::read(fd, buffer.cast(), length),
            }
        };
        *position = u64::try_from(moved).ok().map(|moved| op.offset + moved);
        moved_by(moved)
    }
}

impl Engine for AtPosition<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            let outcome = self.carry_out(op);
            done.push(Done {
                slot: op.slot,
                outcome,
            });
        }
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
