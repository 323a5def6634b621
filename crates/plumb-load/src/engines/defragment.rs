//! How are blocks of a file moved to other extents without a change of its data? Each write is one EXT4_IOC_MOVE_EXT (fs/ext4/move_extent.c), as e4defrag(8)
//! does it.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use plumb_model::engines::EngineProperties;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;
use rustix::fs::{FallocateFlags, FsWord, Mode, OFlags, fallocate, fstatfs, open};

use crate::engine::by_call::ByCall;
use crate::engine::operation::Op;
use crate::engine::{EngineKind, OpenFile, Opened, Setup, Unavailable};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "defragment",
        meaning: "transfers no data: a write moves its block to other extents of the file, as e4defrag does (ext4); the extents come from an unnamed file of each worker; depth is 1 per worker",
        schemes: &[],
        asynchronous: false,
        batch: 1,
        operations: &[OperationKind::Write, OperationKind::Flush],
        by_auto: false,
        does_work: true,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &["donor-each"],
        fio: &["e4defrag"],
    },
    open: open_engine,
};

/// `f_type` of ext2, ext3 and ext4 (statfs(2)).
const EXT4: FsWord = 0xef53;

/// `struct move_extent` of the kernel; starts and lengths in blocks of the file system.
#[repr(C)]
struct MoveExtent {
    reserved: u32,
    donor: i32,
    start: u64,
    donor_start: u64,
    len: u64,
    moved: u64,
}

/// EXT4_IOC_MOVE_EXT: _IOWR('f', 15, struct move_extent).
const MOVE_EXTENT: u32 = 3 << 30 | (size_of::<MoveExtent>() as u32) << 16 | (b'f' as u32) << 8 | 15;

fn open_engine<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let path = setup
        .files
        .first()
        .map_or(Path::new(""), |file| file.path.as_path());
    let block_bytes = |file: &OpenFile| {
        let found = fstatfs(&file.file).ok()?;
        (found.f_type == EXT4 && !file.block_device).then_some(found.f_bsize as u64)
    };
    let units: Option<Vec<u64>> = setup.files.iter().map(block_bytes).collect();
    let Some(unit) = units.and_then(|units| units.first().copied()) else {
        return Err(Unavailable(
            Statement::new("no-extents-of-ext4").name("path", path.display().to_string()),
        ));
    };
    let each = setup.choice.donor_each;
    let ends = setup.files.iter().map(|file| file.end_bytes);
    let ahead = if each { 0 } else { ends.max().unwrap_or(0) };
    let donor = donor_next_to(path, ahead).map_err(|error| {
        Unavailable(match error.raw_os_error() {
            // ext4 with the blocks of ext2 has no extents.
            Some(libc::EOPNOTSUPP) => {
                Statement::new("no-extents-of-ext4").name("path", path.display().to_string())
            }
            _ => Statement::new("no-donor-of-extents")
                .name("path", path.display().to_string())
                .name("error", error.to_string()),
        })
    })?;
    let engine = ByCall {
        files: setup.files,
        call: move |file: &OpenFile, op: &Op| {
            if !each {
                return moved(file, &donor, op, unit);
            }
            let (offset, len) = (op.offset, u64::from(op.len));
            fallocate(&donor, FallocateFlags::empty(), offset, len)?;
            let moved = moved(file, &donor, op, unit);
            donor.set_len(0)?;
            moved
        },
    };
    Ok(Opened::local(engine))
}

/// A file without a name in the directory of this one, with so many bytes allocated: it goes away with the engine.
fn donor_next_to(path: &Path, bytes: u64) -> io::Result<File> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let donor = open(
        folder.unwrap_or(Path::new(".")),
        flags,
        Mode::RUSR | Mode::WUSR,
    )?;
    if bytes > 0 {
        fallocate(&donor, FallocateFlags::empty(), 0, bytes)?;
    }
    Ok(donor.into())
}

/// Moves one block; gives the bytes that were moved.
fn moved(file: &OpenFile, donor: &File, op: &Op, unit: u64) -> io::Result<u32> {
    let first = op.offset / unit;
    let mut request = MoveExtent {
        reserved: 0,
        donor: donor.as_raw_fd(),
        start: first,
        donor_start: first,
        len: (op.offset + u64::from(op.len)).div_ceil(unit) - first,
        moved: 0,
    };
    // SAFETY: both descriptors are open, and the structure is the one of this request.
    let called = unsafe { libc::ioctl(file.file.as_raw_fd(), MOVE_EXTENT as _, &mut request) };
    if called != 0 {
        return Err(io::Error::last_os_error());
    }
    let bytes = request.moved.saturating_mul(unit).min(u64::from(op.len));
    Ok(bytes as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_that_of_the_kernel() {
        // As the C compiler gives it for _IOWR('f', 15, struct move_extent).
        assert_eq!(MOVE_EXTENT, 0xc028_660f);
    }
}
