//! How are many operations kept in flight by one thread? Through one io_uring, submitted and reaped in batches.

mod ending;
mod entering;
mod entries;
mod ring;
mod trial;

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use io_uring::{IoUring, types};
use plumb_model::engines::EngineProperties;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use self::entries::{Entries, Trim};
use self::ring::build_ring;
use crate::engine::buffers::Region;
use crate::engine::operation::{Done, Op, Outcome};
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

struct Uring<'a> {
    ring: IoUring,
    open: &'a [OpenFile],
    /// The ring's descriptor, or its registered number with REGISTERED_RING in `ring_flags`.
    ring_number: i32,
    ring_flags: u32,
    entries: Entries,
    polls: bool,
    submits_by_kernel: bool,
    /// Submissions are a call of their own.
    submits_apart: bool,
    /// Completions of operations submitted by this call were not requested yet.
    was_submitted: bool,
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
        entries: Entries {
            files: setup
                .files
                .iter()
                .map(|file| file.file.as_raw_fd())
                .collect(),
            registered_files: false,
            registered_buffers: false,
            trim: Trim::Hole,
            flush: match setup.flush_metadata {
                true => types::FsyncFlags::empty(),
                false => types::FsyncFlags::DATASYNC,
            },
            base: setup.buffers.base,
            stride: setup.buffers.stride,
        },
        polls: setup.choice.iopoll,
        submits_by_kernel: setup.choice.sqpoll,
        submits_apart: setup.choice.submission_latency,
        was_submitted: false,
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
        let files = &self.entries.files;
        self.entries.registered_files =
            !files.is_empty() && note("files", self.ring.submitter().register_files(files));
        let number = register_ring(self.ring.as_raw_fd());
        if let Ok(number) = number {
            (self.ring_number, self.ring_flags) = (number, REGISTERED_RING);
        }
        note("ring", number.map(|_| ()));
        let bytes = setup.buffers.bytes;
        self.entries.registered_buffers = if bytes > REGISTERED_BUFFER_MAX_BYTES {
            note(
                "buffers",
                Err(io::Error::other(
                    "the buffers of a worker exceed 1 GiB, the kernel's limit",
                )),
            )
        } else {
            let region = libc::iovec {
                iov_base: self.entries.base.cast(),
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
                self.push(std::slice::from_ref(op))?;
                continue;
            }
            let rc = system::discard(
                self.entries.files[op.file as usize],
                op.offset,
                u64::from(op.len),
            );
            done.push(Done {
                slot: op.slot,
                outcome: outcome_of(rc),
            });
        }
        Ok(())
    }

    /// Queues operations for the next call.
    #[inline(always)]
    fn push(&mut self, ops: &[Op]) -> io::Result<()> {
        let mut queue = self.ring.submission();
        for op in ops {
            let entry = self.entries.of(op);
            // SAFETY: buffers and files stay valid until the operation has come back: the worker owns them and drains before it ends.
            unsafe { queue.push(&entry) }
                .map_err(|_| io::Error::other("the submission queue is full"))?;
            self.in_flight += 1;
        }
        Ok(())
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
        if self.entries.trim == Trim::Call {
            return self.submit_with_trims(ops, done);
        }
        self.push(ops)?;
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
        let rc = unsafe { libc::fsync(self.entries.files[file as usize]) };
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
