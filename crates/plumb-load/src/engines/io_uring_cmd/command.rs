//! Which NVMe command does an operation become? NVM Command Set Specification 1.0, section 3.2; struct nvme_uring_cmd of linux/nvme_ioctl.h.

use io_uring::{opcode, squeue, types};
use plumb_model::workload::OperationKind;

use crate::engine::operation::Op;

/// _IOWR('N', 0x80, struct nvme_uring_cmd).
const NVME_URING_CMD_IO: u32 = 0xC048_4E80;

const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const DATASET_MANAGEMENT: u8 = 0x09;
/// Attribute of dataset management: deallocate.
const DEALLOCATE: u32 = 1 << 2;

/// Most logical blocks of one command: a field of 16 bits, from 0.
const BLOCKS_MAX: u32 = 1 << 16;

/// struct nvme_uring_cmd.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Command {
    opcode: u8,
    flags: u8,
    reserved_1: u16,
    namespace: u32,
    dword_2: u32,
    dword_3: u32,
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    bytes: u32,
    dword_10: u32,
    dword_11: u32,
    dword_12: u32,
    dword_13: u32,
    dword_14: u32,
    dword_15: u32,
    /// 0: the driver's own.
    timeout_ms: u32,
    reserved_2: u32,
}

const _: () = assert!(size_of::<Command>() == 72);

/// Room for a command in an entry.
#[repr(C)]
struct Room {
    command: Command,
    rest: [u8; 8],
}

/// How commands for one namespace look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Commands {
    pub namespace: u32,
    pub block_bytes: u32,
    pub end_bytes: u64,
}

impl Commands {
    /// True if the operation consists of whole logical blocks, as many as one command can name.
    #[inline(always)]
    pub fn fits(&self, op: &Op) -> bool {
        let mask = self.block_bytes - 1;
        let is_whole = op.offset & u64::from(mask) == 0 && op.len & mask == 0 && op.len > 0;
        let most = match op.kind {
            OperationKind::Trim => u32::MAX,
            _ => BLOCKS_MAX,
        };
        is_whole && op.len / self.block_bytes <= most
    }

    /// Bytes that the operation moves if it succeeds.
    #[inline(always)]
    pub fn moved(&self, op: &Op) -> u32 {
        match op.kind {
            OperationKind::Read | OperationKind::Write => op.len,
            _ => 0,
        }
    }

    /// The range of a deallocation: attributes and length in blocks, then the first block.
    pub fn range(&self, op: &Op) -> [u64; 2] {
        let block = u64::from(self.block_bytes);
        let blocks = (u64::from(op.len) / block) << 32;
        [blocks.to_le(), (op.offset / block).to_le()]
    }

    #[inline(always)]
    fn command(&self, op: &Op, address: u64, bytes: u32) -> Command {
        let command = Command {
            namespace: self.namespace,
            address,
            bytes,
            ..Command::default()
        };
        let opcode = match op.kind {
            OperationKind::Read => READ,
            OperationKind::Write => WRITE,
            OperationKind::Trim => {
                return Command {
                    opcode: DATASET_MANAGEMENT,
                    // Number of ranges, from 0.
                    dword_10: 0,
                    dword_11: DEALLOCATE,
                    ..command
                };
            }
            _ => {
                return Command {
                    opcode: FLUSH,
                    ..command
                };
            }
        };
        let first = op.offset / u64::from(self.block_bytes);
        Command {
            opcode,
            dword_10: first as u32,
            dword_11: (first >> 32) as u32,
            // Number of blocks, from 0.
            dword_12: op.len / self.block_bytes - 1,
            ..command
        }
    }

    /// The entry of the submission queue, with the slot as what comes back. A registered buffer is that of index 0.
    #[inline(always)]
    pub fn entry(
        &self,
        op: &Op,
        file: types::Fd,
        address: u64,
        bytes: u32,
        is_registered: bool,
    ) -> squeue::Entry128 {
        let room = Room {
            command: self.command(op, address, bytes),
            rest: [0; 8],
        };
        // SAFETY: both are 80 bytes, integers without gaps in the layout of C.
        let bytes = unsafe { std::mem::transmute::<Room, [u8; 80]>(room) };
        opcode::UringCmd80::new(file, NVME_URING_CMD_IO)
            .cmd(bytes)
            .buf_index(is_registered.then_some(0))
            .build()
            .user_data(u64::from(op.slot))
    }
}

/// The system's error number for a status of the device (NVM Express Base Specification 2.0, section 4.6.1), as the kernel gives it for block devices
/// (nvme_error_status in drivers/nvme/host/core.c, blk_errors in block/blk-core.c).
#[cold]
pub(super) fn status_error(status: u32) -> i32 {
    // Without the bits for more information and for not to be retried.
    match status & 0x7FF {
        // Capacity exceeded.
        0x81 => libc::ENOSPC,
        // LBA out of range.
        0x80 => libc::EREMOTEIO,
        // Invalid opcode, field and namespace; invalid attributes; size limit; optional feature that is missing.
        0x01 | 0x02 | 0x0B | 0x180 | 0x183 => libc::EOPNOTSUPP,
        // Write fault, unrecovered read error, access denied, deallocated block, read-only namespace.
        0x280 | 0x281 | 0x286 | 0x287 | 0x182 => libc::ENODATA,
        // Guard, application tag and reference tag.
        0x282..=0x284 | 0x181 => libc::EILSEQ,
        // Reservation conflict.
        0x83 => libc::EBADE,
        // Compare failure, and everything else.
        _ => libc::EIO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Commands {
        Commands {
            namespace: 7,
            block_bytes: 512,
            end_bytes: 1 << 43,
        }
    }

    fn op(kind: OperationKind) -> Op {
        Op {
            offset: (1 << 42) + 4096,
            len: 8192,
            slot: 3,
            file: 0,
            kind,
            priority: 0,
        }
    }

    /// The 128 bytes that the kernel reads.
    fn bytes(kind: OperationKind, is_registered: bool) -> [u8; 128] {
        let entry = commands().entry(
            &op(kind),
            types::Fd(80),
            0x1122_3344_5566_7788,
            8192,
            is_registered,
        );
        // SAFETY: an entry is 128 bytes of integers.
        unsafe { std::mem::transmute(entry) }
    }

    /// By the layouts of linux/io_uring.h and linux/nvme_ioctl.h, counted by hand.
    #[test]
    fn a_read_is_what_the_specification_says() {
        let entry = bytes(OperationKind::Read, true);
        let at = |from: usize, to: usize| &entry[from..to];
        assert_eq!(entry[0], 46, "IORING_OP_URING_CMD");
        assert_eq!(at(4, 8), 80i32.to_le_bytes());
        assert_eq!(at(8, 12), 0xC048_4E80u32.to_le_bytes());
        assert_eq!(at(28, 32), 1u32.to_le_bytes(), "IORING_URING_CMD_FIXED");
        assert_eq!(at(32, 40), 3u64.to_le_bytes(), "the slot");
        let command = at(48, 128);
        assert_eq!(command[..8], [0x02, 0, 0, 0, 7, 0, 0, 0]);
        assert_eq!(command[24..32], 0x1122_3344_5566_7788u64.to_le_bytes());
        assert_eq!(command[36..40], 8192u32.to_le_bytes());
        let first: u64 = ((1 << 42) + 4096) / 512;
        assert_eq!(command[40..48], first.to_le_bytes());
        assert_eq!(command[48..52], 15u32.to_le_bytes(), "16 blocks, from 0");
        assert!(command[52..].iter().all(|byte| *byte == 0));
        assert_eq!(bytes(OperationKind::Write, false)[48], 0x01);
        assert_eq!(bytes(OperationKind::Write, false)[28], 0);
    }

    #[test]
    fn a_deallocation_names_one_range() {
        let entry = bytes(OperationKind::Trim, false);
        assert_eq!(entry[48], 0x09);
        assert_eq!(entry[48 + 40..48 + 44], 0u32.to_le_bytes());
        assert_eq!(entry[48 + 44..48 + 48], 4u32.to_le_bytes());
        let [length, first] = commands().range(&op(OperationKind::Trim));
        assert_eq!(length.to_le_bytes()[4..], 16u32.to_le_bytes());
        assert_eq!(first, (1 << 33) + 8);
        assert_eq!(bytes(OperationKind::Flush, false)[48], 0x00);
    }

    #[test]
    fn parts_of_blocks_do_not_fit() {
        let fits = |offset, len| {
            commands().fits(&Op {
                offset,
                len,
                ..op(OperationKind::Read)
            })
        };
        assert!(fits(0, 512) && fits(512, 32 << 20));
        assert!(!fits(256, 512) && !fits(0, 100) && !fits(0, 0));
        assert!(!fits(0, (32 << 20) + 512), "more than 65,536 blocks");
    }
}
