//! What is one operation, and what came of it?

use plumb_model::workload::OperationKind;

use crate::engine::failure::{Code, Failure, FailureKind};
use crate::system;

/// One operation for an engine. The data buffer belongs to the slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Op {
    /// Byte offset in the file or device; for file operations the number of the file in the set.
    pub offset: u64,
    /// Bytes to move.
    pub len: u32,
    /// Which buffer, below the depth; comes back in [`Done::slot`].
    pub slot: u32,
    /// Which open file (index into the engine's files).
    pub file: u32,
    pub kind: OperationKind,
    /// I/O priority in the form of the kernel (linux/ioprio.h); 0: that of the thread.
    pub priority: u16,
}

impl Op {
    /// The number of the file that a rename makes.
    pub fn renamed(&self) -> u64 {
        self.offset + u64::from(self.len)
    }

    /// True when both work on one small file, and one of them changes it: they must not be in flight at once.
    pub fn clashes(&self, other: &Op) -> bool {
        let by_name = |op: &Op| op.kind.is_file_operation() && op.kind != OperationKind::List;
        let changes = self.kind.modifies() || other.kind.modifies();
        let made = |op: &Op| match op.kind {
            OperationKind::Rename => op.renamed(),
            _ => op.offset,
        };
        let numbers = |op: &Op| [op.offset, made(op)];
        let is_common = |number: &u64| numbers(other).contains(number);
        changes && by_name(self) && by_name(other) && numbers(self).iter().any(is_common)
    }
}

/// A completed operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    pub slot: u32,
    pub outcome: Outcome,
}

/// Carries out operations one after the other, each to its end: what an engine does whose calls wait.
#[inline(always)]
pub fn one_by_one(ops: &[Op], done: &mut Vec<Done>, mut carry_out: impl FnMut(&Op) -> Outcome) {
    let mut end = |op: &Op| {
        let outcome = carry_out(op);
        done.push(Done {
            slot: op.slot,
            outcome,
        });
    };
    // Nearly always it is one, for which the loop would cost more than it does.
    match ops {
        [op] => end(op),
        ops => several(ops, end),
    }
}

#[cold]
fn several(ops: &[Op], end: impl FnMut(&Op)) {
    ops.iter().for_each(end);
}

/// What came of an operation: the bytes that it moved, or why it failed. In four bytes, and made from what a system call returns without looking at it: the hot
/// loop compares it with the request, and decodes it only if it differs.
//
// 0 and above: bytes. Down to -2^30: a negated error number of the system. Below, where bit 30 is 0: the kind in 7 bits, and a status of a protocol in 23.
// With 8 bytes for the two, an operation of the null engine took 4 instructions more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome(i32);

const PACKED: u32 = 1 << 31;
const KIND_SHIFT: u32 = 23;
const STATUS_MASK: u32 = (1 << KIND_SHIFT) - 1;
/// There is no status, or one that has no room here.
const NO_STATUS: u32 = STATUS_MASK;
/// Bits of a status that have room: those of NFS, and of SMB the severity and the code. The facility in between is 0 in all of SMB's own (MS-ERREF 2.3).
const STATUS_BITS: u32 = 0xC000_FFFF;

impl Outcome {
    /// It moved so many bytes, below 2 GiB; 0 for operations that move none.
    #[inline(always)]
    pub const fn moved(bytes: u32) -> Outcome {
        Outcome(bytes as i32)
    }

    /// As a system call or completion returns it: bytes, or the negated error number.
    #[inline(always)]
    pub const fn of_system(result: i32) -> Outcome {
        Outcome(result)
    }

    /// The error number of the system that a call of the standard library gave; where it gave none, its kind as far as it is one of these.
    pub fn of_error(error: &std::io::Error) -> Outcome {
        let kind = match error.kind() {
            std::io::ErrorKind::InvalidInput => FailureKind::Invalid,
            _ => FailureKind::Io,
        };
        error
            .raw_os_error()
            .map_or(Outcome::failed(kind), |number| Outcome::of_system(-number))
    }

    /// It was given up by plumb itself.
    pub const fn failed(kind: FailureKind) -> Outcome {
        Outcome((PACKED | (kind as u32) << KIND_SHIFT | NO_STATUS) as i32)
    }

    /// A server or a peer refused it with this status. One with other bits than `STATUS_BITS` is kept by its kind alone.
    pub const fn refused(kind: FailureKind, status: u32) -> Outcome {
        if status & !STATUS_BITS != 0 {
            return Outcome::failed(kind);
        }
        let status = status >> 30 << 16 | status & 0xFFFF;
        Outcome((PACKED | (kind as u32) << KIND_SHIFT | status) as i32)
    }

    /// True when it moved so many bytes, no less.
    #[inline(always)]
    pub const fn is_all_of(self, bytes: u32) -> bool {
        self.0 as u32 == bytes
    }

    /// True if it did not fail; it may have transferred fewer bytes than requested.
    #[inline(always)]
    pub const fn is_success(self) -> bool {
        self.0 >= 0
    }

    /// Bytes that it moved.
    ///
    /// # Errors
    /// Why it failed.
    pub fn get(self) -> Result<u32, Failure> {
        if self.0 >= 0 {
            return Ok(self.0 as u32);
        }
        let packed = self.0 as u32;
        if packed >= 3 << 30 {
            let number = self.0.unsigned_abs();
            let (kind, code) = (system::failure_kind(number as i32), system::code(number));
            return Err(Failure { kind, code });
        }
        let kind = FailureKind::ALL
            .get((packed >> KIND_SHIFT & 0x7F) as usize)
            .copied()
            .unwrap_or(FailureKind::Other);
        let code = match packed & STATUS_MASK {
            NO_STATUS => Code::Own,
            status => Code::Protocol(status >> 16 << 30 | status & 0xFFFF),
        };
        Err(Failure { kind, code })
    }

    /// What went wrong; none for a success.
    pub fn failure_kind(self) -> Option<FailureKind> {
        self.get().err().map(|failure| failure.kind)
    }
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_what_it_was_made_from() {
        assert_eq!(size_of::<Done>(), 8, "the hot loop counts on it");
        assert!(FailureKind::ALL.len() < 128);
        for bytes in [0, 1, 4096, i32::MAX as u32] {
            assert_eq!(Outcome::moved(bytes).get(), Ok(bytes));
            assert!(Outcome::moved(bytes).is_all_of(bytes));
        }
        for kind in FailureKind::ALL.iter().copied() {
            for status in [0, 1, 10_082, 0xC000_007F, 0x8000_0005, 0xC000_FFFF] {
                let code = Code::Protocol(status);
                let refused = Outcome::refused(kind, status);
                assert_eq!(refused.get(), Err(Failure { kind, code }));
                assert!(!refused.is_all_of(status) && !refused.is_success());
            }
            let code = Code::Own;
            assert_eq!(Outcome::refused(kind, 0xC05D_0000), Outcome::failed(kind));
            assert_eq!(Outcome::failed(kind).get(), Err(Failure { kind, code }));
        }
    }

    #[test]
    #[cfg(unix)]
    fn the_record_names_what_the_system_says() {
        let name = |outcome: Outcome| outcome.get().expect_err("a failure").name().into_owned();
        assert_eq!(name(Outcome::of_system(-libc::ENOSPC)), "ENOSPC");
        assert_eq!(name(Outcome::of_system(-523)), "errno 523");
        assert_eq!(
            name(Outcome::refused(FailureKind::NoSpace, 0xC000_007F)),
            "ENOSPC"
        );
        let error = std::io::Error::from_raw_os_error(libc::EIO);
        assert_eq!(Outcome::of_error(&error), Outcome::of_system(-libc::EIO));
    }
}
