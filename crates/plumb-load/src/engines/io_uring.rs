//! How are many operations kept in flight by one thread? Through one io_uring, submitted and reaped in batches.

mod ending;

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use io_uring::{IoUring, opcode, squeue, types};
use plumb_model::workload::OperationKind;

use crate::buffers::Region;
use crate::engine::{
    Closing, Engine, EngineKind, OpenFile, Opened, Setup, Unavailable, Wait, trim_by_call,
};
use crate::failure::{Code, Failure};
use crate::host;
use crate::operation::{Done, Op, Outcome};

pub static ENGINE: EngineKind = EngineKind {
    name: "io_uring",
    meaning: "keeps `depth` operations in flight per worker through one ring: single issuer, deferred task run, registered files and buffers",
    schemes: &[],
    asynchronous: true,
    // 16 x 4 KiB stay in the first-level cache.
    batch: 16,
    supports: |kind| {
        matches!(
            kind,
            OperationKind::Read | OperationKind::Write | OperationKind::Trim | OperationKind::Flush
        )
    },
    open,
};

/// IORING_ENTER_GETEVENTS: run deferred task work and look at completions.
const GETEVENTS: u32 = 1;
/// IORING_ENTER_EXT_ARG: the argument is a struct io_uring_getevents_arg.
const EXT_ARG: u32 = 8;
/// IORING_ENTER_REGISTERED_RING: the ring is given by its registered number.
const REGISTERED_RING: u32 = 16;
/// IORING_REGISTER_RING_FDS.
const REGISTER_RING_FDS: libc::c_uint = 20;
/// The kernel takes at most this much as one registered buffer (io_uring/rsrc.c).
const REGISTERED_BUFFER_MAX_BYTES: usize = 1 << 30;
/// After this long without work the kernel's submission thread sleeps (SQPOLL), in milliseconds.
const SQPOLL_IDLE_MS: u32 = 1000;

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
    trim: Trim,
    base: *mut u8,
    stride: usize,
    region: Region,
    /// Operations that were given to the ring and have not come back.
    in_flight: u32,
    kernel_workers_before: usize,
}

fn unavailable(reason: String, remedy: &str) -> Unavailable {
    Unavailable {
        engine: "io_uring",
        reason,
        remedy: remedy.into(),
    }
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
fn make(setup: Setup<'_>) -> Result<(Uring<'_>, Vec<String>, Vec<String>), Unavailable> {
    let (mut active, mut refused) = (Vec::new(), Vec::new());
    let kernel_workers_before = host::io_uring_kernel_workers();
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
        trim: Trim::Hole,
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

/// The flags that make a ring cheap, from the newest kernel's set down to the plain one.
fn build_ring(
    setup: &Setup<'_>,
    active: &mut Vec<String>,
    refused: &mut Vec<String>,
) -> Result<IoUring, Unavailable> {
    let entries = setup.depth.next_power_of_two().clamp(8, 32_768);
    let choice = setup.choice;
    let mut last_error = io::Error::from_raw_os_error(libc::EINVAL);
    // SQPOLL with DEFER_TASKRUN is EINVAL by design: the kernel's thread runs the task work.
    let levels: &[(&str, u32)] = if choice.sqpoll {
        &[("SQPOLL", 1), ("SQPOLL", 0)]
    } else {
        &[
            ("SINGLE_ISSUER, DEFER_TASKRUN, NO_SQARRAY", 3),
            ("SINGLE_ISSUER, DEFER_TASKRUN", 2),
            ("COOP_TASKRUN", 1),
            ("", 0),
        ]
    };
    for (name, level) in levels {
        let mut builder = IoUring::builder();
        if choice.sqpoll {
            builder.setup_sqpoll(SQPOLL_IDLE_MS);
        } else if *level >= 2 {
            builder.setup_single_issuer().setup_defer_taskrun();
        } else if *level == 1 {
            builder.setup_coop_taskrun();
        }
        if *level == 3 || (choice.sqpoll && *level == 1) {
            builder.setup_no_sqarray();
        }
        if choice.iopoll {
            builder.setup_iopoll();
        }
        match builder.build(entries) {
            Ok(ring) => {
                active.extend(
                    name.split(", ")
                        .filter(|flag| !flag.is_empty())
                        .map(String::from),
                );
                if choice.iopoll {
                    active.push("IOPOLL".into());
                }
                return Ok(ring);
            }
            Err(error) => {
                if error.raw_os_error() != Some(libc::EINVAL) {
                    return Err(refusal(&error));
                }
                refused.push(format!("{name}: refused by this kernel ({error})"));
                last_error = error;
            }
        }
    }
    Err(refusal(&last_error))
}

/// Why no ring can be had, in words.
fn refusal(error: &io::Error) -> Unavailable {
    let sysctl = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    match (error.raw_os_error(), sysctl.trim()) {
        (Some(libc::ENOSYS), _) => unavailable(
            "this kernel has no io_uring (it came with Linux 5.1), or a sandbox hides it".into(),
            "use engine sync",
        ),
        (Some(libc::EPERM), "1" | "2") => unavailable(
            format!(
                "it is disabled by sysctl kernel.io_uring_disabled={}",
                sysctl.trim()
            ),
            "allow it with 'sysctl kernel.io_uring_disabled=0' (as root), or use engine sync",
        ),
        (Some(libc::EPERM), _) => unavailable(
            "a sandbox (seccomp) forbids it".into(),
            "run outside the container or allow io_uring in its profile, or use engine sync",
        ),
        (Some(libc::ENOMEM), _) => unavailable(
            "the limit of locked memory is too low (RLIMIT_MEMLOCK)".into(),
            "raise it with 'ulimit -l', or lower the depth",
        ),
        _ => unavailable(
            format!("the ring cannot be set up: {error}"),
            "lower the depth, leave out iopoll and sqpoll, or use engine sync",
        ),
    }
}

impl Uring<'_> {
    /// Registers files, buffers and the ring itself; each saves the kernel a look-up for every operation, none is needed.
    fn register(&mut self, setup: &Setup<'_>, active: &mut Vec<String>, refused: &mut Vec<String>) {
        let mut note = |what: &str, result: io::Result<()>| match result {
            Ok(()) => {
                active.push(format!("registered {what}"));
                true
            }
            Err(error) => {
                refused.push(format!("registered {what}: {error}"));
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
                    "buffers of a worker are over 1 GiB together, the kernel's limit",
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

    /// One read of every readable file with the very ring that will be used: a ring with IOPOLL on a target that cannot poll is set up
    /// without complaint, and then *completes* every operation with EOPNOTSUPP.
    fn probe(&mut self, setup: &Setup<'_>) -> Result<(), Unavailable> {
        for (file, open) in setup
            .files
            .iter()
            .enumerate()
            .filter(|(_, open)| open.readable)
        {
            let len = setup.buffers.slot_bytes.min(open.end_bytes as usize) as u32;
            if len == 0 {
                continue;
            }
            let op = Op {
                offset: 0,
                len,
                slot: 0,
                file: file as u32,
                kind: OperationKind::Read,
            };
            let mut done = Vec::new();
            self.submit(&[op], &mut Vec::new())
                .map_err(|error| refusal(&error))?;
            // With IOPOLL the kernel comes back with nothing while one of its threads carries the operation out (io_iopoll_check in io_uring.c).
            while done.is_empty() {
                self.reap(Wait::One, &mut done)
                    .map_err(|error| refusal(&error))?;
            }
            let number = failure_number(&done);
            if number == 0 {
                continue;
            }
            let (path, error) = (open.path.display(), io::Error::from_raw_os_error(number));
            if self.polls && number == libc::EOPNOTSUPP {
                return Err(unavailable(
                    format!(
                        "{path} cannot be polled (IOPOLL): its driver has no poll queues, or it is not opened with O_DIRECT"
                    ),
                    "leave out iopoll, or load the driver with poll queues (nvme.poll_queues=N) and use --direct",
                ));
            }
            // EIO of the medium is for the run to count; a refusal of the kind of request is for now.
            if matches!(number, libc::EINVAL | libc::EOPNOTSUPP | libc::ENOSYS) {
                return Err(unavailable(
                    format!("a read of {len} bytes from {path} fails: {error}"),
                    "check block size and alignment, or use engine sync",
                ));
            }
        }
        Ok(())
    }

    /// Asks the kernel how it can discard blocks of the file, with a range of no bytes: EINVAL is the answer of a kernel that knows the command and a device
    /// that discards (blk_validate_byte_range in block/ioctl.c).
    fn choose_trim(
        &mut self,
        setup: &Setup<'_>,
        active: &mut Vec<String>,
        refused: &mut Vec<String>,
    ) -> Result<(), Unavailable> {
        let Some(file) = setup.files.first() else {
            return Ok(());
        };
        if !file.block_device {
            active.push(trim_by_call(file).into());
            return Ok(());
        }
        self.trim = Trim::Command;
        let op = Op {
            offset: 0,
            len: 0,
            slot: 0,
            file: 0,
            kind: OperationKind::Trim,
        };
        let mut done = Vec::new();
        self.submit(&[op], &mut Vec::new())
            .map_err(|error| refusal(&error))?;
        while done.is_empty() {
            self.reap(Wait::One, &mut done)
                .map_err(|error| refusal(&error))?;
        }
        let error = failure_number(&done);
        if matches!(error, 0 | libc::EINVAL) {
            active.push("trim by BLOCK_URING_CMD_DISCARD".into());
        } else {
            self.trim = Trim::Call;
            active.push(trim_by_call(file).into());
            refused.push(format!(
                "BLOCK_URING_CMD_DISCARD: {}",
                io::Error::from_raw_os_error(error)
            ));
        }
        Ok(())
    }

    /// Carries out discards at once where the ring cannot.
    #[cold]
    fn submit_beside_trims(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            if op.kind != OperationKind::Trim {
                self.push(op)?;
                continue;
            }
            let rc = host::discard(self.files[op.file as usize], op.offset, u64::from(op.len));
            done.push(Done {
                slot: op.slot,
                outcome: outcome_of(rc),
            });
        }
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, op: &Op) -> io::Result<()> {
        let entry = self.entry(op);
        // SAFETY: buffers and files stay valid until the operation has come back: the worker owns them and drains before it ends.
        unsafe { self.ring.submission().push(&entry) }
            .map_err(|_| io::Error::other("the submission queue is full"))?;
        self.in_flight += 1;
        Ok(())
    }

    /// Builds the kernel's form of an operation.
    #[inline(always)]
    fn entry(&self, op: &Op) -> squeue::Entry {
        // SAFETY of the address: the worker hands out slots below the depth, so it lies inside the region.
        let buffer = unsafe { self.base.add(op.slot as usize * self.stride) };
        let entry = if self.registered_files {
            build(
                op,
                buffer,
                types::Fixed(op.file),
                self.registered_buffers,
                self.trim,
            )
        } else {
            build(
                op,
                buffer,
                types::Fd(self.files[op.file as usize]),
                self.registered_buffers,
                self.trim,
            )
        };
        entry.user_data(u64::from(op.slot))
    }

    /// One system call: submits what is queued and waits for `want` completions, or for `timeout`.
    #[inline(always)]
    fn enter(&mut self, want: u32, timeout: Option<&types::Timespec>) -> io::Result<()> {
        if self.submits_by_kernel {
            let submitter = self.ring.submitter();
            return match timeout {
                Some(span) => submitter
                    .submit_with_args(want as usize, &types::SubmitArgs::new().timespec(span)),
                None => submitter.submit_and_wait(want as usize),
            }
            .map(|_| ());
        }
        let queued = self.ring.submission().len() as u32;
        // GETEVENTS also when not waiting: deferred task work and polling happen only then.
        let flags = GETEVENTS | self.ring_flags;
        // SAFETY: the descriptor is the ring's (or its registered number), and the argument lives over the call.
        let rc = unsafe {
            match timeout {
                None => libc::syscall(
                    libc::SYS_io_uring_enter,
                    self.ring_number,
                    queued,
                    want,
                    flags,
                    std::ptr::null::<u8>(),
                    0usize,
                ),
                Some(span) => {
                    let argument = GetEventsArgument {
                        sigmask: 0,
                        sigmask_bytes: 0,
                        padding: 0,
                        timespec: std::ptr::from_ref(span) as u64,
                    };
                    let bytes = size_of::<GetEventsArgument>();
                    libc::syscall(
                        libc::SYS_io_uring_enter,
                        self.ring_number,
                        queued,
                        want,
                        flags | EXT_ARG,
                        &raw const argument,
                        bytes,
                    )
                }
            }
        };
        if rc < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    }
}

/// struct io_uring_getevents_arg of linux/io_uring.h.
#[repr(C)]
struct GetEventsArgument {
    sigmask: u64,
    sigmask_bytes: u32,
    padding: u32,
    timespec: u64,
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
) -> squeue::Entry {
    macro_rules! on {
        ($file:expr) => {
            match (op.kind, registered_buffers) {
                (OperationKind::Read, true) => opcode::ReadFixed::new($file, buffer, op.len, 0).offset(op.offset).build(),
                (OperationKind::Read, false) => opcode::Read::new($file, buffer, op.len).offset(op.offset).build(),
                (OperationKind::Write, true) => opcode::WriteFixed::new($file, buffer, op.len, 0).offset(op.offset).build(),
                (OperationKind::Write, false) => opcode::Write::new($file, buffer, op.len).offset(op.offset).build(),
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
                _ => opcode::Fsync::new($file).flags(types::FsyncFlags::DATASYNC).build(),
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

/// What the call says that gave this.
fn outcome_of(rc: libc::c_int) -> Outcome {
    if rc < 0 {
        Outcome::of_error(&io::Error::last_os_error())
    } else {
        Outcome::moved(0)
    }
}

/// The error number of a trial operation; 0 when it succeeded.
fn failure_number(done: &[Done]) -> i32 {
    match done.first().map(|done| done.outcome.get()) {
        Some(Ok(_)) => 0,
        Some(Err(Failure {
            code: Code::System(number),
            ..
        })) => number as i32,
        _ => libc::EIO,
    }
}

impl Engine for Uring<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        if self.trim == Trim::Call {
            return self.submit_beside_trims(ops, done);
        }
        for op in ops {
            self.push(op)?;
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        // Completions that are there already need no waiting, only the submission of what is queued.
        let outcome = match wait {
            Wait::No => self.enter(0, None),
            Wait::One => self.enter(1, None),
            Wait::AtMost(ns) => {
                let span = types::Timespec::from(std::time::Duration::from_nanos(ns));
                self.enter(1, Some(&span))
            }
        };
        match outcome {
            Ok(()) => {}
            // A signal, or the time is over: what is done is taken all the same. EBUSY: completions must be taken first.
            Err(error)
                if matches!(
                    error.raw_os_error(),
                    Some(libc::EINTR | libc::ETIME | libc::EBUSY | libc::EAGAIN)
                ) => {}
            Err(error) => return Err(error),
        }
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
            let remark = format!(
                "operations that never came back from the kernel: {lost}; their memory is not used again"
            );
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
        let helpers = host::io_uring_kernel_workers().saturating_sub(self.kernel_workers_before);
        if helpers == 0 {
            return Closing {
                write_back,
                ..Closing::default()
            };
        }
        let remarks = vec![format!(
            "{helpers} kernel worker threads (iou-wrk) carried out operations that could not be started without blocking: the target is not asynchronous here, and their CPU time is not in the worker's account"
        )];
        Closing {
            remarks,
            write_back,
            ..Closing::default()
        }
    }
}
