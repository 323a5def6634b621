//! How are many operations kept in flight by one thread? Through one io_uring, submitted and reaped in batches.

mod ending;
mod entering;
mod ring;
mod trial;

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use io_uring::{IoUring, opcode, squeue, types};
use plumb_model::engines::EngineProperties;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use self::ring::build_ring;
use crate::engine::buffers::Region;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::urgent::Urgent;
use crate::engine::{Closing, Engine, EngineKind, OpenFile, Opened, Setup, Unavailable, Wait};
use crate::system;

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "io_uring",
        meaning: "keeps `depth` operations in flight per worker with one ring: single issuer, deferred task run, registered files and buffers",
        schemes: &[],
        asynchronous: true,
        // 16 x 4 KiB stay in the first-level cache.
        batch: 16,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Trim,
            OperationKind::Flush,
        ],
        by_auto: true,
        does_work: true,
        maps_files: false,
        request_priorities: true,
        submits_apart: true,
        never_direct: None,
        shares_connection: false,
        own_options: &["iopoll", "sqpoll"],
        fio: &["io_uring", "posixaio", "solarisaio", "syslet-rw", "guasi"],
    },
    open,
};

/// IORING_ENTER_REGISTERED_RING: the ring is given by its registered number.
const REGISTERED_RING: u32 = 16;
/// IORING_REGISTER_RING_FDS.
const REGISTER_RING_FDS: libc::c_uint = 20;
/// The kernel takes at most this much as one registered buffer (io_uring/rsrc.c).
const REGISTERED_BUFFER_MAX_BYTES: usize = 1 << 30;

/// How blocks are discarded. A punched hole of a block device is no discard: the kernel writes zeroes where the device cannot unmap to zeroes
/// (blkdev_fallocate in block/fops.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trim {
    /// fallocate with FALLOC_FL_PUNCH_HOLE, for files.
    Hole,
    /// BLOCK_URING_CMD_DISCARD, for block devices, since Linux 6.12.
    Command,
    /// ioctl BLKDISCARD within `submit`, for block devices where the kernel has no such command.
    Call,
}

/// _IO(0x12, 0), linux/blkdev.h.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;

struct Uring<'a> {
    ring: IoUring,
    open: &'a [OpenFile],
    /// The ring's descriptor, or its registered number with REGISTERED_RING in `ring_flags`.
    ring_number: i32,
    ring_flags: u32,
    files: Vec<RawFd>,
    registered_files: bool,
    registered_buffers: bool,
    polls: bool,
    submits_by_kernel: bool,
    /// Submissions are a call of their own.
    submits_apart: bool,
    /// Completions of operations submitted by this call were not requested yet.
    was_submitted: bool,
    trim: Trim,
    flush: types::FsyncFlags,
    urgent: Option<Urgent>,
    base: *mut u8,
    stride: usize,
    region: Region,
    /// Operations that were given to the ring and have not come back.
    in_flight: u32,
    kernel_workers_before: usize,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let (engine, active, refused) = make(setup)?;
    Ok(Opened {
        active,
        refused,
        ..Opened::local(engine)
    })
}

/// The engine, the features in use, and those that could not be had.
fn make(setup: Setup<'_>) -> Result<(Uring<'_>, Vec<String>, Vec<Statement>), Unavailable> {
    let (mut active, mut refused) = (Vec::new(), Vec::new());
    let kernel_workers_before = system::io_uring_kernel_workers();
    let ring = build_ring(&setup, &mut active, &mut refused)?;
    let mut engine = Uring {
        ring_number: ring.as_raw_fd(),
        ring_flags: 0,
        ring,
        open: setup.files,
        files: setup
            .files
            .iter()
            .map(|file| file.file.as_raw_fd())
            .collect(),
        registered_files: false,
        registered_buffers: false,
        polls: setup.choice.iopoll,
        submits_by_kernel: setup.choice.sqpoll,
        submits_apart: setup.choice.submission_latency,
        was_submitted: false,
        trim: Trim::Hole,
        flush: match setup.flush_metadata {
            true => types::FsyncFlags::empty(),
            false => types::FsyncFlags::DATASYNC,
        },
        urgent: setup.urgent.clone(),
        base: setup.buffers.base,
        stride: setup.buffers.stride,
        region: setup.buffers,
        in_flight: 0,
        kernel_workers_before,
    };
    if setup.choice.registered {
        engine.register(&setup, &mut active, &mut refused);
    }
    engine.probe(&setup)?;
    if setup.trims {
        engine.choose_trim(&setup, &mut active, &mut refused)?;
    }
    Ok((engine, active, refused))
}

impl Uring<'_> {
    /// Registers files, buffers and the ring itself; each saves the kernel a look-up for every operation, none is needed.
    fn register(
        &mut self,
        setup: &Setup<'_>,
        active: &mut Vec<String>,
        refused: &mut Vec<Statement>,
    ) {
        let mut note = |what: &str, result: io::Result<()>| match result {
            Ok(()) => {
                active.push(format!("registered {what}"));
                true
            }
            Err(error) => {
                refused.push(
                    Statement::new("refused-with-error")
                        .name("feature", format!("registered {what}"))
                        .name("error", error.to_string()),
                );
                false
            }
        };
        self.registered_files = !self.files.is_empty()
            && note("files", self.ring.submitter().register_files(&self.files));
        let number = register_ring(self.ring.as_raw_fd());
        if let Ok(number) = number {
            (self.ring_number, self.ring_flags) = (number, REGISTERED_RING);
        }
        note("ring", number.map(|_| ()));
        let bytes = setup.buffers.bytes;
        self.registered_buffers = if bytes > REGISTERED_BUFFER_MAX_BYTES {
            note(
                "buffers",
                Err(io::Error::other(
                    "the buffers of a worker exceed 1 GiB, the kernel's limit",
                )),
            )
        } else {
            let region = libc::iovec {
                iov_base: self.base.cast(),
                iov_len: bytes,
            };
            // SAFETY: the region outlives the engine: the worker owns both and drops the engine first.
            note("buffers", unsafe {
                self.ring.submitter().register_buffers(&[region])
            })
        };
    }

    /// Carries out discards at once where the ring cannot.
    #[cold]
    fn submit_with_trims(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            if op.kind != OperationKind::Trim {
                self.push(op)?;
                continue;
            }
            let rc = system::discard(self.files[op.file as usize], op.offset, u64::from(op.len));
            done.push(Done {
                slot: op.slot,
                outcome: outcome_of(rc),
            });
        }
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, op: &Op) -> io::Result<()> {
        let urgent = self.urgent.as_mut();
        let priority = urgent.map_or(0, |urgent| urgent.next(op.kind));
        let entry = self.entry(op, priority);
        // SAFETY: buffers and files stay valid until the operation has come back: the worker owns them and drains before it ends.
        unsafe { self.ring.submission().push(&entry) }
            .map_err(|_| io::Error::other("the submission queue is full"))?;
        self.in_flight += 1;
        Ok(())
    }

    /// Builds the kernel's form of an operation.
    #[inline(always)]
    fn entry(&self, op: &Op, priority: u16) -> squeue::Entry {
        // SAFETY of the address: the worker hands out slots below the depth, so it lies inside the region.
        let buffer = unsafe { self.base.add(op.slot as usize * self.stride) };
        let entry = if self.registered_files {
            build(
                op,
                buffer,
                types::Fixed(op.file),
                self.registered_buffers,
                self.trim,
                self.flush,
                priority,
            )
        } else {
            build(
                op,
                buffer,
                types::Fd(self.files[op.file as usize]),
                self.registered_buffers,
                self.trim,
                self.flush,
                priority,
            )
        };
        entry.user_data(u64::from(op.slot))
    }
}

/// struct io_uring_rsrc_update of linux/io_uring.h.
#[repr(C)]
struct ResourceUpdate {
    offset: u32,
    reserved: u32,
    content: u64,
}

/// Gives the ring a number that `enter` takes instead of the descriptor. Returns the number.
fn register_ring(fd: RawFd) -> io::Result<i32> {
    let mut update = ResourceUpdate {
        offset: u32::MAX,
        reserved: 0,
        content: fd as u64,
    };
    // SAFETY: one entry is passed by a valid pointer; the kernel writes the number it chose into `offset`.
    let rc = unsafe {
        libc::syscall(
            libc::SYS_io_uring_register,
            fd,
            REGISTER_RING_FDS,
            &raw mut update,
            1,
        )
    };
    if rc == 1 {
        Ok(update.offset as i32)
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The kernel's form of an operation on a file given by descriptor or registered number. Monomorphic for each by inlining.
#[inline(always)]
fn build<F: Into<FileOf>>(
    op: &Op,
    buffer: *mut u8,
    file: F,
    registered_buffers: bool,
    trim: Trim,
    flush: types::FsyncFlags,
    priority: u16,
) -> squeue::Entry {
    macro_rules! on {
        ($file:expr) => {
            match (op.kind, registered_buffers) {
                (OperationKind::Read, true) => opcode::ReadFixed::new($file, buffer, op.len, 0).offset(op.offset).ioprio(priority).build(),
                (OperationKind::Read, false) => opcode::Read::new($file, buffer, op.len).offset(op.offset).ioprio(priority).build(),
                (OperationKind::Write, true) => opcode::WriteFixed::new($file, buffer, op.len, 0).offset(op.offset).ioprio(priority).build(),
                (OperationKind::Write, false) => opcode::Write::new($file, buffer, op.len).offset(op.offset).ioprio(priority).build(),
                (OperationKind::Trim, _) if trim == Trim::Command => {
                    // struct io_uring_sqe: the start in `addr`, the length in `addr3` (blkdev_uring_cmd in block/ioctl.c).
                    let mut command = [0; 16];
                    command[..8].copy_from_slice(&u64::from(op.len).to_ne_bytes());
                    opcode::UringCmd16::new($file, BLOCK_URING_CMD_DISCARD).cmd(command).addr(Some(op.offset)).build()
                }
                (OperationKind::Trim, _) => {
                    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                    opcode::Fallocate::new($file, u64::from(op.len)).offset(op.offset).mode(mode).build()
                }
                _ => opcode::Fsync::new($file).flags(flush).build(),
            }
        };
    }
    match file.into() {
        FileOf::Registered(file) => on!(file),
        FileOf::Descriptor(file) => on!(file),
    }
}

/// A file as the ring names it. The crate's own trait for both is private.
enum FileOf {
    Registered(types::Fixed),
    Descriptor(types::Fd),
}

impl From<types::Fixed> for FileOf {
    fn from(file: types::Fixed) -> Self {
        FileOf::Registered(file)
    }
}

impl From<types::Fd> for FileOf {
    fn from(file: types::Fd) -> Self {
        FileOf::Descriptor(file)
    }
}

/// The result of this call.
fn outcome_of(rc: libc::c_int) -> Outcome {
    if rc < 0 {
        Outcome::of_error(&io::Error::last_os_error())
    } else {
        Outcome::moved(0)
    }
}

impl Engine for Uring<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        if self.trim == Trim::Call {
            return self.submit_with_trims(ops, done);
        }
        for op in ops {
            self.push(op)?;
        }
        if self.submits_apart {
            return Self::unless_later(self.submit_apart());
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        // Completions that are there already need no waiting, only the submission of what is queued.
        let outcome = match wait {
            Wait::No if std::mem::take(&mut self.was_submitted) => Ok(()),
            Wait::No => self.enter(0, None),
            Wait::One => self.enter(1, None),
            Wait::AtMost(ns) => {
                let span = types::Timespec::from(std::time::Duration::from_nanos(ns));
                self.enter(1, Some(&span))
            }
        };
        Self::unless_later(outcome)?;
        let before = done.len();
        for completion in self.ring.completion() {
            done.push(Done {
                slot: completion.user_data() as u32,
                outcome: Outcome::of_system(completion.result()),
            });
        }
        self.in_flight -= (done.len() - before) as u32;
        Ok(())
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        // SAFETY: plain call on an open descriptor.
        let rc = unsafe { libc::fsync(self.files[file as usize]) };
        Some(outcome_of(rc))
    }

    fn close(&mut self) -> Closing {
        let lost = self.let_go();
        if lost > 0 {
            let remark = Statement::new("operations-never-came-back").count("count", lost as u64);
            return Closing {
                remarks: vec![remark],
                ..Closing::default()
            };
        }
        let write_back = self
            .open
            .iter()
            .filter_map(OpenFile::closing_failure)
            .collect();
        let helpers = system::io_uring_kernel_workers().saturating_sub(self.kernel_workers_before);
        if helpers == 0 {
            return Closing {
                write_back,
                ..Closing::default()
            };
        }
        let helped = Statement::new("kernel-workers-helped").count("count", helpers as u64);
        Closing {
            remarks: vec![helped],
            write_back,
            ..Closing::default()
        }
    }
}
