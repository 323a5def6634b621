//! Which calls of the system carry out each operation?

#[cfg(unix)]
#[path = "calls/unix.rs"]
pub mod system_calls;
#[cfg(windows)]
#[path = "calls/windows.rs"]
pub mod system_calls;

use std::io::{self, Read, Write};
use std::path::Path;

use plumb_model::workload::OperationKind;

use self::system_calls::Raw;
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome, one_by_one};
use crate::engine::{Closing, Engine, OpenFile, Wait};
use crate::feed::live_files::LiveFiles;
use crate::site::{Flags, Folder};
use crate::system;

pub struct File {
    pub raw: Raw,
    pub block_device: bool,
}

pub(super) struct Sync<'a> {
    pub(super) files: Vec<File>,
    pub(super) open: &'a [OpenFile],
    pub(super) base: *mut u8,
    pub(super) stride: usize,
    pub(super) slots: u32,
    pub(super) slot_bytes: usize,
    pub(super) live_files: Option<&'a LiveFiles>,
    /// Flushes are fsync(2).
    pub(super) flush_metadata: bool,
}

impl Sync<'_> {
    #[inline(always)]
    fn carry_out(&mut self, op: &Op) -> Outcome {
        // The length of a rename is the distance to the new number, and a trim moves no data.
        let has_data = !matches!(op.kind, OperationKind::Rename | OperationKind::Trim);
        debug_assert!(op.slot < self.slots && (!has_data || op.len as usize <= self.slot_bytes));
        // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
        let buffer = unsafe { self.base.add(op.slot as usize * self.stride) };
        match op.kind {
            // SAFETY: buffer and length lie inside the slot; the file is open as long as the engine lives.
            OperationKind::Read => unsafe {
                system_calls::read_at(self.files[op.file as usize].raw, buffer, op.len, op.offset)
            },
            // SAFETY: as above.
            OperationKind::Write => unsafe {
                system_calls::write_at(self.files[op.file as usize].raw, buffer, op.len, op.offset)
            },
            _ => self.carry_out_other(op, buffer),
        }
    }

    #[cold]
    pub(super) fn carry_out_other(&mut self, op: &Op, buffer: *mut u8) -> Outcome {
        match op.kind {
            OperationKind::Flush if self.flush_metadata => {
                system_calls::fsync(self.files[op.file as usize].raw)
            }
            OperationKind::Flush => system_calls::flush(self.files[op.file as usize].raw),
            OperationKind::Trim => {
                let file = &self.files[op.file as usize];
                system_calls::trim(file.raw, file.block_device, op)
            }
            OperationKind::Rewrite => rewrite(self.files[op.file as usize].raw, buffer, op),
            kind => {
                let Some(set) = self.live_files else {
                    return Outcome::failed(FailureKind::Invalid);
                };
                // SAFETY: no operation is in flight, and this is the only reference to the slot.
                let bytes = unsafe { std::slice::from_raw_parts_mut(buffer, self.slot_bytes) };
                file_operation(set, kind, op, bytes)
                    .map_or_else(|error| Outcome::of_error(&error), Outcome::moved)
            }
        }
    }
}

/// Reads a block, changes its first byte, and writes it back. A block that cannot be read completely is not written.
fn rewrite(raw: Raw, buffer: *mut u8, op: &Op) -> Outcome {
    // SAFETY: buffer and length lie inside the slot; the file is open as long as the engine lives.
    let read = unsafe { system_calls::read_at(raw, buffer, op.len, op.offset) };
    if !read.is_all_of(op.len) {
        return read;
    }
    // SAFETY: as above; the block has at least a byte.
    unsafe {
        *buffer = (*buffer).wrapping_add(1);
        system_calls::write_at(raw, buffer, op.len, op.offset)
    }
}

/// One operation on a file by name, relative to the descriptor of the folder that was made: renaming, replacing or unmounting the path's target
/// does not lead the load astray. Returns the bytes moved.
fn file_operation(
    set: &LiveFiles,
    kind: OperationKind,
    op: &Op,
    bytes: &mut [u8],
) -> io::Result<u32> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let folder = set.set().local_folder().ok_or_else(invalid)?;
    let below = |number: u64| set.set().path_below(number);
    let directories = set.set().shape().is_of_directories();
    let path = below(op.offset);
    match kind {
        OperationKind::Create if directories => {
            in_folder(folder, &path, || folder.make_folder(&path)).map(|()| 0)
        }
        OperationKind::Create => {
            let flags = Flags {
                write: true,
                create: true,
                marked: true,
                ..Flags::default()
            };
            let mut file = in_folder(folder, &path, || folder.open(&path, flags))?;
            file.write_all(&bytes[..op.len as usize])?;
            // A network file system may write only now, and report errors only here.
            system::close(file)?;
            Ok(op.len)
        }
        OperationKind::Open => folder.open(&path, READ).map(|_| 0),
        OperationKind::Stat => folder.traits(&path).map(|_| 0),
        OperationKind::ReadFile => {
            let mut file = folder.open(&path, READ)?;
            let mut total = 0;
            loop {
                match file.read(bytes)? {
                    0 => return Ok(total),
                    n => total += n as u32,
                }
            }
        }
        OperationKind::Rename => {
            let to = below(op.renamed());
            in_folder(folder, &to, || folder.rename(&path, &to)).map(|()| 0)
        }
        OperationKind::Delete if directories => folder.remove_folder(&path).map(|()| 0),
        OperationKind::Delete => folder.remove_file(&path).map(|()| 0),
        OperationKind::Fsync => folder
            .open(
                &path,
                Flags {
                    write: true,
                    ..Flags::default()
                },
            )?
            .sync_all()
            .map(|()| 0),
        // The attributes of each name are read too, as a listing with sizes and times does.
        OperationKind::List => {
            let within = folder.folder(path.parent().ok_or_else(invalid)?)?;
            let names = within.names(Path::new("."))?;
            names
                .iter()
                .try_for_each(|name| within.traits(Path::new(name)).map(drop))
                .map(|()| 0)
        }
        _ => Err(invalid()),
    }
}

const READ: Flags = Flags {
    read: true,
    write: false,
    create: false,
    direct: false,
    sync: false,
    data_sync: false,
    exclusive: false,
    marked: false,
};

/// Makes the folder that `path` is to lie in, when that is what is missing: the first file of a folder makes it; one creation in a thousand pays for it.
/// Only that folder: where the set itself is gone, every operation fails.
fn in_folder<T>(
    set: &Folder,
    path: &Path,
    mut operation: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    match operation() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match path.parent().map(|folder| set.make_folder(folder)) {
                Some(Err(error)) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(error);
                }
                _ => {}
            }
            operation()
        }
        other => other,
    }
}

impl Engine for Sync<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        one_by_one(ops, done, |op| self.carry_out(op));
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        let Some(file) = self.files.get(file as usize) else {
            // Operations on many files by name are only durable when their entire file system is synced.
            return self.live_files.map(|files| {
                files
                    .set()
                    .sync()
                    .map_or_else(|error| Outcome::of_error(&error), |()| Outcome::moved(0))
            });
        };
        Some(system_calls::fsync(file.raw))
    }

    fn close(&mut self) -> Closing {
        Closing {
            write_back: self
                .open
                .iter()
                .filter_map(OpenFile::closing_failure)
                .collect(),
            ..Closing::default()
        }
    }
}
