//! What does the kernel read of an operation? An entry of the submission queue, struct io_uring_sqe of linux/io_uring.h.

use std::os::fd::RawFd;

use io_uring::{opcode, squeue, types};
use plumb_model::workload::OperationKind;

use crate::engine::operation::Op;

/// How blocks are discarded. A punched hole of a block device is no discard: the kernel writes zeroes where the device cannot unmap to zeroes
/// (blkdev_fallocate in block/fops.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trim {
    /// fallocate with FALLOC_FL_PUNCH_HOLE, for files.
    Hole,
    /// BLOCK_URING_CMD_DISCARD, for block devices, since Linux 6.12.
    Command,
    /// ioctl BLKDISCARD within `submit`, for block devices where the kernel has no such command.
    Call,
}

/// _IO(0x12, 0), linux/blkdev.h.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;

/// What the entries of a ring are made from.
pub(super) struct Entries {
    pub files: Vec<RawFd>,
    pub registered_files: bool,
    pub registered_buffers: bool,
    pub trim: Trim,
    pub flush: types::FsyncFlags,
    /// Where the buffer of the first slot lies, and how far apart they are.
    pub base: *mut u8,
    pub stride: usize,
}

/// The entry of a read or write, field by field: put together by the crate's builders it took twice the instructions. All entries have the buffer of index 0.
#[repr(C)]
struct Transfer {
    opcode: u8,
    flags: u8,
    priority: u16,
    file: i32,
    offset: u64,
    address: u64,
    bytes: u32,
    transfer_flags: u32,
    user_data: u64,
    rest: [u64; 3],
}

const _: () = assert!(size_of::<Transfer>() == size_of::<squeue::Entry>());

impl Entries {
    /// The entry of an operation, with its slot as what comes back.
    #[inline(always)]
    pub(super) fn of(&self, op: &Op) -> squeue::Entry {
        let opcode = match (op.kind, self.registered_buffers) {
            (OperationKind::Read, true) => opcode::ReadFixed::CODE,
            (OperationKind::Read, false) => opcode::Read::CODE,
            (OperationKind::Write, true) => opcode::WriteFixed::CODE,
            (OperationKind::Write, false) => opcode::Write::CODE,
            _ => return self.without_data(op),
        };
        let (flags, file) = if self.registered_files {
            (squeue::Flags::FIXED_FILE.bits(), op.file as i32)
        } else {
            (0, self.files[op.file as usize])
        };
        let transfer = Transfer {
            opcode,
            flags,
            priority: op.priority,
            file,
            offset: op.offset,
            // The worker hands out slots below the depth, so it lies inside the region.
            address: self.base as u64 + u64::from(op.slot) * self.stride as u64,
            bytes: op.len,
            transfer_flags: 0,
            user_data: u64::from(op.slot),
            rest: [0; 3],
        };
        // SAFETY: both are struct io_uring_sqe, which is all integers, in the layout of C.
        unsafe { std::mem::transmute::<Transfer, squeue::Entry>(transfer) }
    }

    /// The entry of a trim or flush.
    #[cold]
    fn without_data(&self, op: &Op) -> squeue::Entry {
        macro_rules! on {
            ($file:expr) => {
                match (op.kind, self.trim) {
                    (OperationKind::Trim, Trim::Command) => {
                        // The start in `addr`, the length in `addr3` (blkdev_uring_cmd in block/ioctl.c).
                        let mut command = [0; 16];
                        command[..8].copy_from_slice(&u64::from(op.len).to_ne_bytes());
                        opcode::UringCmd16::new($file, BLOCK_URING_CMD_DISCARD)
                            .cmd(command)
                            .addr(Some(op.offset))
                            .build()
                    }
                    (OperationKind::Trim, _) => {
                        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                        opcode::Fallocate::new($file, u64::from(op.len))
                            .offset(op.offset)
                            .mode(mode)
                            .build()
                    }
                    _ => opcode::Fsync::new($file).flags(self.flush).build(),
                }
            };
        }
        let entry = if self.registered_files {
            on!(types::Fixed(op.file))
        } else {
            on!(types::Fd(self.files[op.file as usize]))
        };
        entry.user_data(u64::from(op.slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 64 bytes that the kernel reads.
    fn bytes(entry: squeue::Entry) -> [u8; 64] {
        // SAFETY: an entry is 64 bytes of integers.
        unsafe { std::mem::transmute(entry) }
    }

    #[test]
    fn an_entry_is_what_the_builders_of_the_crate_make() {
        let mut memory = vec![0u8; 4 * 8192];
        let mut entries = Entries {
            files: vec![70, 80],
            registered_files: false,
            registered_buffers: false,
            trim: Trim::Hole,
            flush: types::FsyncFlags::DATASYNC,
            base: memory.as_mut_ptr(),
            stride: 8192,
        };
        let op = Op {
            offset: 0x1_2345_6000,
            len: 4096,
            slot: 3,
            file: 1,
            kind: OperationKind::Read,
            priority: 0x6003,
        };
        let write = Op {
            kind: OperationKind::Write,
            ..op
        };
        let buffer = memory[3 * 8192..].as_mut_ptr();
        let (fd, fixed) = (types::Fd(80), types::Fixed(1));
        macro_rules! built {
            ($kind:ident, $file:expr $(, $index:expr)?) => {
                bytes(
                    opcode::$kind::new($file, buffer, 4096 $(, $index)?)
                        .offset(0x1_2345_6000)
                        .ioprio(0x6003)
                        .build()
                        .user_data(3),
                )
            };
        }
        let of = |entries: &Entries, op: &Op| bytes(entries.of(op));
        assert_eq!(of(&entries, &op), built!(Read, fd));
        assert_eq!(of(&entries, &write), built!(Write, fd));
        entries.registered_buffers = true;
        assert_eq!(of(&entries, &op), built!(ReadFixed, fd, 0));
        entries.registered_files = true;
        assert_eq!(of(&entries, &op), built!(ReadFixed, fixed, 0));
        assert_eq!(of(&entries, &write), built!(WriteFixed, fixed, 0));
        entries.registered_buffers = false;
        assert_eq!(of(&entries, &op), built!(Read, fixed));
    }
}
