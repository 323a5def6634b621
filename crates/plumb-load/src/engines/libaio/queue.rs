//! How do operations get to the kernel and back? A batch by one io_submit(2), completions by one io_getevents(2), as linux/aio_abi.h has them.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::engine::buffers::Region;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, OpenFile, Opened, Setup, Unavailable, Wait, trim_by_call};
use crate::system;

/// IOCB_CMD_PREAD, IOCB_CMD_PWRITE, IOCB_CMD_FSYNC and IOCB_CMD_FDSYNC.
const READ: u16 = 0;
const WRITE: u16 = 1;
const SYNC: u16 = 2;
const DATA_SYNC: u16 = 3;
/// IOCB_FLAG_IOPRIO.
const HAS_PRIORITY: u32 = 2;
/// Bits of a request's key and flags in which the flags of preadv2(2) and pwritev2(2) stand (aio_rw_flags).
const CALL_FLAGS_SHIFT: u32 = if cfg!(target_endian = "little") {
    32
} else {
    0
};
/// How long is waited before requests are tried again that the kernel had no room for, when none of this worker's is in flight whose end would make some.
const PAUSE: Duration = Duration::from_micros(100);

/// struct iocb of linux/aio_abi.h. Key and flags change places on big-endian machines; the key is 0 here.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Request {
    data: u64,
    key_and_flags: u64,
    opcode: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// struct io_event of linux/aio_abi.h.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Event {
    data: u64,
    request: u64,
    result: i64,
    second_result: i64,
}

pub(super) struct LinuxAio<'a> {
    /// aio_context_t.
    pub(super) context: libc::c_ulong,
    open: &'a [OpenFile],
    files: Vec<RawFd>,
    /// What a flush is.
    flush: u16,
    /// Of each write, where they stand in a request.
    write_flags: u64,
    /// One for each slot.
    requests: Box<[Request]>,
    /// What the next io_submit(2) is given.
    batch: Vec<*mut Request>,
    events: Box<[Event]>,
    base: *mut u8,
    stride: usize,
    pub(super) region: Region,
    /// Requests that the kernel has.
    pub(super) in_flight: u32,
    /// Slots whose requests the kernel had no room for yet, in their order.
    pub(super) waiting: VecDeque<u32>,
}

pub(super) fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let mut active = Vec::new();
    if setup.choice.atomic {
        active.push("writes with RWF_ATOMIC".into());
    }
    if let Some(file) = setup.files.first().filter(|_| setup.trims) {
        active.push(trim_by_call(file).into());
    }
    // Without a trial read: unlike a ring, requests of this kind fail for nothing that read(2) would not fail for.
    Ok(Opened {
        active,
        ..Opened::local(make(&setup)?)
    })
}

pub(super) fn make<'a>(setup: &Setup<'a>) -> Result<LinuxAio<'a>, Unavailable> {
    let depth = setup.depth.max(1);
    let mut context: libc::c_ulong = 0;
    // SAFETY: the kernel writes the number of the context to the pointer.
    let rc = unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut context) };
    if rc < 0 {
        let error = io::Error::last_os_error();
        let why = match error.raw_os_error() {
            Some(libc::EAGAIN) => {
                Statement::new("linux-aio-has-no-room").count("depth", depth.into())
            }
            _ => Statement::new("linux-aio-cannot-be-set-up").name("error", error.to_string()),
        };
        return Err(Unavailable(why));
    }
    Ok(LinuxAio {
        context,
        open: setup.files,
        files: setup
            .files
            .iter()
            .map(|file| file.file.as_raw_fd())
            .collect(),
        flush: match setup.flush_metadata {
            true => SYNC,
            false => DATA_SYNC,
        },
        write_flags: match setup.choice.atomic {
            true => (libc::RWF_ATOMIC as u64) << CALL_FLAGS_SHIFT,
            false => 0,
        },
        requests: vec![Request::default(); depth as usize].into_boxed_slice(),
        batch: Vec::with_capacity(depth as usize),
        events: vec![Event::default(); depth as usize].into_boxed_slice(),
        base: setup.buffers.base,
        stride: setup.buffers.stride,
        region: setup.buffers,
        in_flight: 0,
        waiting: VecDeque::with_capacity(depth as usize),
    })
}

impl LinuxAio<'_> {
    /// Puts an operation into the form of the kernel.
    #[inline(always)]
    fn prepare(&mut self, op: &Op) {
        let request = &mut self.requests[op.slot as usize];
        *request = Request {
            data: u64::from(op.slot),
            opcode: match op.kind {
                OperationKind::Read => READ,
                OperationKind::Write => WRITE,
                _ => self.flush,
            },
            file: self.files[op.file as usize] as u32,
            offset: op.offset as i64,
            ..Request::default()
        };
        if op.kind != OperationKind::Flush {
            // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
            request.buffer = unsafe { self.base.add(op.slot as usize * self.stride) } as u64;
            request.bytes = u64::from(op.len);
        } else {
            request.offset = 0;
        }
        if op.kind == OperationKind::Write {
            request.key_and_flags = self.write_flags;
        }
        if op.priority > 0 {
            (request.priority, request.flags) = (op.priority as i16, HAS_PRIORITY);
        }
        self.batch.push(std::ptr::from_mut(request));
    }

    /// Gives the kernel all that is prepared. What it refuses is done, and what it has no room for waits.
    fn start(&mut self, done: &mut Vec<Done>) {
        let mut begin = 0;
        while begin < self.batch.len() {
            let rest = &mut self.batch[begin..];
            // SAFETY: requests and buffers stay where they are until their completions have been taken; see `let_go` for those that do not come.
            let taken = unsafe {
                libc::syscall(
                    libc::SYS_io_submit,
                    self.context,
                    rest.len(),
                    rest.as_mut_ptr(),
                )
            };
            if taken > 0 {
                self.in_flight += taken as u32;
                begin += taken as usize;
                continue;
            }
            let error = io::Error::last_os_error();
            if taken == 0 || error.raw_os_error() == Some(libc::EAGAIN) {
                let slots = rest.iter().map(|request| slot_of(*request));
                self.waiting.extend(slots);
                break;
            }
            if error.raw_os_error() == Some(libc::EINTR) {
                continue;
            }
            done.push(Done {
                slot: slot_of(rest[0]),
                outcome: Outcome::of_error(&error),
            });
            begin += 1;
        }
        self.batch.clear();
    }

    /// One io_getevents(2): waits for `least` completions at most so long, and appends what has ended.
    pub(super) fn collect(
        &mut self,
        least: u32,
        timeout: Option<Duration>,
        done: &mut Vec<Done>,
    ) -> io::Result<()> {
        let mut span = timeout.map(|timeout| {
            // The kernel's, of two longs; that of the C library may be another on 32-bit systems.
            let (seconds, nanoseconds) = (timeout.as_secs(), timeout.subsec_nanos());
            [seconds as libc::c_long, nanoseconds as libc::c_long]
        });
        let span = span
            .as_mut()
            .map_or(std::ptr::null_mut(), std::ptr::from_mut);
        // SAFETY: there is room for as many events as passed; the time outlives the call.
        let count = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context,
                libc::c_long::from(least as i32),
                self.events.len(),
                self.events.as_mut_ptr(),
                span,
            )
        };
        let Ok(count) = usize::try_from(count) else {
            let error = io::Error::last_os_error();
            // A signal: what is done is taken the next time.
            return match error.kind() {
                io::ErrorKind::Interrupted => Ok(()),
                _ => Err(error),
            };
        };
        for event in &self.events[..count] {
            done.push(Done {
                slot: event.data as u32,
                outcome: Outcome::of_system(event.result as i32),
            });
        }
        self.in_flight -= count as u32;
        Ok(())
    }
}

/// The slot of a request that was prepared.
fn slot_of(request: *mut Request) -> u32 {
    // SAFETY: the batch points to the requests of the engine only.
    unsafe { (*request).data as u32 }
}

impl Engine for LinuxAio<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            if op.kind == OperationKind::Trim {
                // There is no such request.
                let (file, raw) = (&self.open[op.file as usize], self.files[op.file as usize]);
                let rc = system::trim_call(raw, file.block_device, op.offset, op.len.into());
                done.push(Done {
                    slot: op.slot,
                    outcome: match rc {
                        0 => Outcome::moved(0),
                        _ => Outcome::of_error(&io::Error::last_os_error()),
                    },
                });
            } else {
                self.prepare(op);
                if !self.waiting.is_empty() {
                    self.batch.pop();
                    self.waiting.push_back(op.slot);
                }
            }
        }
        self.start(done);
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let before = done.len();
        if !self.waiting.is_empty() {
            for slot in std::mem::take(&mut self.waiting) {
                self.batch
                    .push(std::ptr::from_mut(&mut self.requests[slot as usize]));
            }
            self.start(done);
        }
        let (least, limit) = match wait {
            _ if done.len() > before => (0, Some(Duration::ZERO)),
            Wait::No => (0, Some(Duration::ZERO)),
            Wait::AtMost(ns) => (1, Some(Duration::from_nanos(ns))),
            Wait::One => (1, None),
        };
        if self.in_flight == 0 {
            std::thread::sleep(limit.unwrap_or(PAUSE).min(PAUSE));
            return Ok(());
        }
        self.collect(least, limit, done)
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        let failed = self.open[file as usize].file.sync_all().err();
        Some(failed.map_or(Outcome::moved(0), |error| Outcome::of_error(&error)))
    }

    fn close(&mut self) -> Closing {
        let lost = self.let_go();
        if lost > 0 {
            return Closing {
                remarks: vec![
                    Statement::new("operations-never-came-back").count("count", lost.into()),
                ],
                ..Closing::default()
            };
        }
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
