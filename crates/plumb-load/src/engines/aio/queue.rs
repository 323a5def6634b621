//! How do operations get to the kernel and back? One aio_read(2) or aio_write(2) each; kevent(2) reports which completed, aio_return(2) the result.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::engine::buffers::Region;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, OpenFile, Opened, Setup, Unavailable, Wait};
use crate::system::{self, sysctl};

/// Completions that one kevent(2) takes.
const EVENTS: usize = 64;
/// How long is waited before a request is tried again that the kernel had no room for, when none of this worker's is in flight whose end would make some.
const PAUSE: Duration = Duration::from_micros(100);
/// Requests that a process may have outstanding (aio(4)).
const QUEUE_LIMIT: &std::ffi::CStr = c"vfs.aio.max_aio_queue_per_proc";

pub(super) struct Aio<'a> {
    pub(super) queue: OwnedFd,
    pub(super) open: &'a [OpenFile],
    pub(super) files: Vec<File>,
    /// One for each slot. The kernel knows a request by the address of its block: they stay where they are.
    pub(super) blocks: Box<[libc::aiocb]>,
    events: Box<[libc::kevent]>,
    pub(super) base: *mut u8,
    stride: usize,
    pub(super) region: Region,
    /// Requests that the kernel has.
    pub(super) in_flight: u32,
    /// Requests that the kernel had no room for yet, in their order.
    pub(super) waiting: VecDeque<Op>,
    /// How many of them there were.
    delayed: u64,
    /// aio_fsync(2) knows O_DSYNC since FreeBSD 13.1.
    flush: libc::c_int,
}

pub(super) struct File {
    pub(super) fd: RawFd,
    is_disk: bool,
}

pub(super) fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let mut refused = Vec::new();
    if let Some(limit) = sysctl::number(QUEUE_LIMIT).filter(|limit| *limit < setup.depth.into()) {
        refused.push(
            Statement::new("aio-queue-is-short")
                .count("depth", setup.depth.into())
                .count("limit", limit),
        );
    }
    let files: Vec<File> = setup
        .files
        .iter()
        .map(|file| File {
            fd: file.file.as_raw_fd(),
            is_disk: file.block_device || system::is_disk(&file.file),
        })
        .collect();
    let active = files
        .first()
        .filter(|_| setup.trims)
        .map(|file| system::TRIM_CALLS[usize::from(!file.is_disk)].into());
    let mut engine = Aio {
        queue: new_queue().map_err(|error| unavailable(&error))?,
        open: setup.files,
        files,
        // SAFETY: plain data, of which zero is a valid value.
        blocks: (0..setup.depth.max(1))
            .map(|_| unsafe { std::mem::zeroed() })
            .collect(),
        // SAFETY: as above.
        events: (0..EVENTS).map(|_| unsafe { std::mem::zeroed() }).collect(),
        base: setup.buffers.base,
        stride: setup.buffers.stride,
        region: setup.buffers,
        in_flight: 0,
        waiting: VecDeque::with_capacity(setup.depth as usize),
        delayed: 0,
        flush: match setup.flush_metadata {
            true => libc::O_SYNC,
            false => libc::O_DSYNC,
        },
    };
    engine.probe(&setup)?;
    Ok(Opened {
        active: active.into_iter().collect(),
        refused,
        ..Opened::local(engine)
    })
}

fn new_queue() -> io::Result<OwnedFd> {
    // SAFETY: takes nothing, and gives a new descriptor.
    let fd = unsafe { libc::kqueue() };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

pub(super) fn unavailable(error: &io::Error) -> Unavailable {
    Unavailable(Statement::new("aio-cannot-be-set-up").name("error", error.to_string()))
}

impl Aio<'_> {
    /// Gives the kernel one request. An error is one of the request, but for EAGAIN: there is no room (aio_read(2)).
    fn start(&mut self, op: &Op) -> io::Result<()> {
        let fd = self.files[op.file as usize].fd;
        let block = &mut self.blocks[op.slot as usize];
        // SAFETY: plain data, of which zero is a valid value; the kernel has given the block back.
        *block = unsafe { std::mem::zeroed() };
        block.aio_fildes = fd;
        block.aio_offset = op.offset as libc::off_t;
        // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
        block.aio_buf = unsafe { self.base.add(op.slot as usize * self.stride) }.cast();
        block.aio_nbytes = op.len as usize;
        block.aio_sigevent.sigev_notify = libc::SIGEV_KEVENT;
        // sigev_notify_kqueue shares the field of the signal's number (sigevent(3), sys/signal.h).
        block.aio_sigevent.sigev_signo = self.queue.as_raw_fd();
        block.aio_sigevent.sigev_value.sival_ptr = op.slot as usize as *mut libc::c_void;
        // SAFETY: block and buffer stay where they are until the kernel has given them back; see `let_go` for those that it does not.
        let rc = unsafe {
            match op.kind {
                OperationKind::Read => libc::aio_read(block),
                OperationKind::Write => libc::aio_write(block),
                _ => libc::aio_fsync(self.flush, block),
            }
        };
        if rc == 0 {
            self.in_flight += 1;
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if op.kind == OperationKind::Flush
            && self.flush == libc::O_DSYNC
            && error.raw_os_error() == Some(libc::EINVAL)
        {
            self.flush = libc::O_SYNC;
            return self.start(op);
        }
        Err(error)
    }

    /// Takes one operation: it is in flight, done, or waits for room.
    fn take(&mut self, op: &Op, done: &mut Vec<Done>) {
        if op.kind == OperationKind::Trim {
            // There is no such request.
            let file = &self.files[op.file as usize];
            let outcome = system::trim(file.fd, file.is_disk, op.offset, u64::from(op.len))
                .map_or_else(|error| Outcome::of_error(&error), |()| Outcome::moved(0));
            done.push(Done {
                slot: op.slot,
                outcome,
            });
            return;
        }
        if !self.waiting.is_empty() {
            self.delay(op);
            return;
        }
        match self.start(op) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => self.delay(op),
            Err(error) => done.push(Done {
                slot: op.slot,
                outcome: Outcome::of_error(&error),
            }),
        }
    }

    #[cold]
    fn delay(&mut self, op: &Op) {
        self.delayed += 1;
        self.waiting.push_back(*op);
    }

    /// Tries those again that the kernel had no room for.
    #[cold]
    fn retry(&mut self, done: &mut Vec<Done>) {
        while let Some(op) = self.waiting.pop_front() {
            match self.start(&op) {
                Ok(()) => {}
                Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => {
                    self.waiting.push_front(op);
                    return;
                }
                Err(error) => done.push(Done {
                    slot: op.slot,
                    outcome: Outcome::of_error(&error),
                }),
            }
        }
    }

    /// One kevent(2): appends what has ended. Returns whether all that it could take were there, so that there may be more.
    pub(super) fn collect(
        &mut self,
        timeout: Option<Duration>,
        done: &mut Vec<Done>,
    ) -> io::Result<bool> {
        let span = timeout.map(|timeout| libc::timespec {
            tv_sec: timeout.as_secs() as libc::time_t,
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let span = span.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: there is room for as many events as passed; the time outlives the call.
        let count = unsafe {
            libc::kevent(
                self.queue.as_raw_fd(),
                std::ptr::null(),
                0,
                self.events.as_mut_ptr(),
                EVENTS as libc::c_int,
                span,
            )
        };
        let Ok(count) = usize::try_from(count) else {
            let error = io::Error::last_os_error();
            // A signal: what is done is taken the next time.
            return match error.kind() {
                io::ErrorKind::Interrupted => Ok(false),
                _ => Err(error),
            };
        };
        for event in &self.events[..count] {
            let slot = event.udata as usize;
            // SAFETY: the block of a request that has ended; the call releases its resources in the kernel, and is made once for each.
            let moved = unsafe { libc::aio_return(&raw mut self.blocks[slot]) };
            let outcome = match u32::try_from(moved) {
                Ok(moved) => Outcome::moved(moved),
                Err(_) => Outcome::of_error(&io::Error::last_os_error()),
            };
            done.push(Done {
                slot: slot as u32,
                outcome,
            });
        }
        self.in_flight -= count as u32;
        Ok(count == EVENTS)
    }
}

impl Engine for Aio<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            self.take(op, done);
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let before = done.len();
        if !self.waiting.is_empty() {
            self.retry(done);
        }
        // Not before one is done, or the time is over. Without a request in the kernel nothing would end a wait for events.
        let limit = match wait {
            _ if done.len() > before => Some(Duration::ZERO),
            Wait::No => Some(Duration::ZERO),
            Wait::AtMost(ns) => Some(Duration::from_nanos(ns)),
            Wait::One => None,
        };
        if self.in_flight == 0 && !self.waiting.is_empty() {
            std::thread::sleep(limit.unwrap_or(PAUSE).min(PAUSE));
            return Ok(());
        }
        let mut more = self.collect(limit, done)?;
        while more {
            more = self.collect(Some(Duration::ZERO), done)?;
        }
        Ok(())
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        let failed = self.open[file as usize].file.sync_all().err();
        Some(failed.map_or(Outcome::moved(0), |error| Outcome::of_error(&error)))
    }

    fn close(&mut self) -> Closing {
        let lost = self.let_go();
        let mut remarks = Vec::new();
        if self.delayed > 0 {
            remarks.push(Statement::new("aio-queue-was-full").count("count", self.delayed));
        }
        if lost > 0 {
            remarks.push(Statement::new("operations-never-came-back").count("count", lost.into()));
            return Closing {
                remarks,
                ..Closing::default()
            };
        }
        Closing {
            remarks,
            write_back: self
                .open
                .iter()
                .filter_map(OpenFile::closing_failure)
                .collect(),
            ..Closing::default()
        }
    }
}
