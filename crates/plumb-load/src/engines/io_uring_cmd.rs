//! How are NVMe commands given to a namespace past the block layer? Through one io_uring with commands of 128 bytes, on a generic character device (/dev/ng0n1).

mod command;

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

use io_uring::{IoUring, cqueue, squeue, types};
use plumb_model::engines::EngineProperties;
use plumb_model::run::active;
use plumb_model::statement::Statement;
use plumb_model::workload::{EngineChoice, OperationKind};

use self::command::{Commands, status_error};
use crate::engine::buffers::Region;
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::trial::failed_trials;
use crate::engine::{Closing, Engine, EngineKind, OpenFile, Opened, Setup, Unavailable, Wait};
use crate::system::{files, nvme};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "io_uring_cmd",
        meaning: "NVMe passthrough: read, write, deallocate and flush commands to a namespace by its generic character device (/dev/ng0n1), past the block layer; with iopoll on polled queues (nvme.poll_queues)",
        schemes: &[],
        asynchronous: true,
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
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &["iopoll", "sqpoll"],
        fio: &["io_uring_cmd"],
    },
    open,
};

/// After this long without work the kernel's submission thread sleeps (SQPOLL), in milliseconds.
const SQPOLL_IDLE_MS: u32 = 1000;
/// IORING_ENTER_GETEVENTS: run deferred task work, and poll.
const GETEVENTS: u32 = 1;
/// The kernel takes at most this much as one registered buffer (io_uring/rsrc.c).
const REGISTERED_BUFFER_MAX_BYTES: usize = 1 << 30;
/// Commands cannot be canceled, and the driver gives up after 30 s (nvme_core.io_timeout).
const PATIENCE: Duration = Duration::from_secs(5);

type Ring = IoUring<squeue::Entry128, cqueue::Entry32>;

struct Passthrough<'a> {
    ring: Ring,
    open: &'a [OpenFile],
    files: Vec<RawFd>,
    /// Of each file.
    commands: Vec<Commands>,
    /// Bytes of the operation in each slot: a completion reports a status and no length.
    bytes: Vec<u32>,
    /// The range of a deallocation in each slot, as the device reads it: struct nvme_dsm_range of linux/nvme.h.
    ranges: Vec<[u64; 2]>,
    has_registered_buffers: bool,
    submits_by_kernel: bool,
    region: Region,
    in_flight: u32,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let commands = setup
        .files
        .iter()
        .map(|file| commands_of(file, &setup))
        .collect::<Result<_, _>>()?;
    let (mut active, mut refused) = (Vec::new(), Vec::new());
    let ring = build_ring(&setup, &mut active)?;
    let mut engine = Passthrough {
        ring,
        open: setup.files,
        files: setup
            .files
            .iter()
            .map(|file| file.file.as_raw_fd())
            .collect(),
        commands,
        bytes: vec![0; setup.depth as usize],
        ranges: vec![[0; 2]; setup.depth as usize],
        has_registered_buffers: false,
        submits_by_kernel: setup.choice.sqpoll,
        region: setup.buffers,
        in_flight: 0,
    };
    if setup.choice.registered {
        engine.register(&setup, &mut active, &mut refused);
    }
    engine.probe(&setup)?;
    Ok(Opened {
        active,
        refused,
        ..Opened::local(engine)
    })
}

/// How commands for this file look. Refused if it is no NVMe namespace, or blocks do not fit.
fn commands_of(file: &OpenFile, setup: &Setup<'_>) -> Result<Commands, Unavailable> {
    let path = file.path.display().to_string();
    let number = files::traits(&file.file)
        .ok()
        .and_then(|traits| traits.device_number);
    let namespace = number.and_then(nvme::namespace);
    let (Some(namespace), Ok(id)) = (namespace, nvme::namespace_id(&file.file)) else {
        let why = Statement::new("no-nvme-generic-device").name("path", path);
        return Err(Unavailable(why));
    };
    let slot_bytes = setup.buffers.slot_bytes as u64;
    if let Some(most) = namespace
        .transfer_max_bytes
        .filter(|most| slot_bytes > *most)
    {
        return Err(Unavailable(
            Statement::new("nvme-transfer-is-too-large")
                .name("path", path)
                .bytes("block", slot_bytes as f64)
                .bytes("most", most as f64),
        ));
    }
    Ok(Commands {
        namespace: id,
        block_bytes: namespace.block_bytes,
        end_bytes: namespace.bytes,
    })
}

/// A ring whose entries have room for a command, with the newest flags that the kernel has.
fn build_ring(setup: &Setup<'_>, active: &mut Vec<String>) -> Result<Ring, Unavailable> {
    let entries = setup.depth.next_power_of_two().clamp(8, 32_768);
    let choice: &EngineChoice = setup.choice;
    let mut last_error = io::Error::from_raw_os_error(libc::EINVAL);
    let levels: &[&str] = match choice.sqpoll {
        true => &["SQPOLL"],
        false => &["SINGLE_ISSUER, DEFER_TASKRUN", "COOP_TASKRUN", ""],
    };
    for name in levels {
        let mut builder = Ring::builder();
        match *name {
            "" => &mut builder,
            "SQPOLL" => builder.setup_sqpoll(SQPOLL_IDLE_MS),
            "COOP_TASKRUN" => builder.setup_coop_taskrun(),
            _ => builder.setup_single_issuer().setup_defer_taskrun(),
        };
        if choice.iopoll {
            builder.setup_iopoll();
        }
        match builder.build(entries) {
            Ok(ring) => {
                let flags = name.split(", ").filter(|flag| !flag.is_empty());
                active.extend(flags.map(String::from));
                if choice.iopoll {
                    active.push(active::POLLS.into());
                }
                return Ok(ring);
            }
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last_error = error,
            Err(error) => return Err(refusal(&error)),
        }
    }
    Err(refusal(&last_error))
}

/// Why no ring can be had.
fn refusal(error: &io::Error) -> Unavailable {
    Unavailable(match error.raw_os_error() {
        Some(libc::ENOSYS) => Statement::new("no-io-uring"),
        Some(libc::EPERM) => Statement::new("io-uring-is-forbidden"),
        Some(libc::ENOMEM) => Statement::new("locked-memory-is-too-low"),
        _ => Statement::new("ring-cannot-be-set-up").name("error", error.to_string()),
    })
}

impl Passthrough<'_> {
    fn register(
        &mut self,
        setup: &Setup<'_>,
        active: &mut Vec<String>,
        refused: &mut Vec<Statement>,
    ) {
        let bytes = setup.buffers.bytes;
        if bytes > REGISTERED_BUFFER_MAX_BYTES {
            return;
        }
        let region = libc::iovec {
            iov_base: setup.buffers.base.cast(),
            iov_len: bytes,
        };
        // SAFETY: the region outlives the engine: the worker owns both and drops the engine first.
        match unsafe { self.ring.submitter().register_buffers(&[region]) } {
            Ok(()) => {
                self.has_registered_buffers = true;
                active.push("registered buffers".into());
            }
            Err(error) => refused.push(
                Statement::new("refused-with-error")
                    .name("feature", "registered buffers")
                    .name("error", error.to_string()),
            ),
        }
    }

    /// One read of every readable device with the very ring of the run.
    fn probe(&mut self, setup: &Setup<'_>) -> Result<(), Unavailable> {
        let polls = setup.choice.iopoll;
        for failed in failed_trials(self, setup, refusal)? {
            if polls && failed.error == libc::EOPNOTSUPP {
                let why = Statement::new("nvme-has-no-polled-queues").name("path", failed.path());
                return Err(Unavailable(why));
            }
            if failed.error == libc::EACCES {
                let why = Statement::new("nvme-commands-are-forbidden").name("path", failed.path());
                return Err(Unavailable(why));
            }
            if matches!(failed.error, libc::EINVAL | libc::EOPNOTSUPP | libc::ENOTTY) {
                return Err(failed.refusal());
            }
        }
        Ok(())
    }

    /// Ends an operation that the device need not see; `None` for all others. A namespace ends where a file does: what begins beyond it moves nothing.
    #[inline(always)]
    fn without_device(&self, op: &Op) -> Option<Outcome> {
        let commands = &self.commands[op.file as usize];
        if op.kind == OperationKind::Flush {
            return None;
        }
        if op.kind != OperationKind::Read && !self.open[op.file as usize].writable {
            return Some(Outcome::failed(FailureKind::BadFile));
        }
        if op.offset >= commands.end_bytes {
            return Some(Outcome::moved(0));
        }
        (!commands.fits(op)).then_some(Outcome::of_system(-libc::EINVAL))
    }

    fn enter(&mut self, wait: Wait) -> io::Result<()> {
        let queued = self.ring.submission().len() as u32;
        let submitter = self.ring.submitter();
        let entered = match wait {
            // The kernel's thread takes what is queued, and polls; it is woken where it sleeps.
            Wait::No if self.submits_by_kernel => submitter.submit(),
            // GETEVENTS also when not waiting: deferred task work and polling happen only then.
            // SAFETY: no argument is passed.
            Wait::No => unsafe { submitter.enter::<libc::sigset_t>(queued, 0, GETEVENTS, None) },
            Wait::One => submitter.submit_and_wait(1),
            Wait::AtMost(ns) => {
                let span = types::Timespec::from(Duration::from_nanos(ns));
                submitter.submit_with_args(1, &types::SubmitArgs::new().timespec(&span))
            }
        };
        let is_later = |error: &io::Error| {
            let number = error.raw_os_error();
            matches!(
                number,
                Some(libc::EINTR | libc::ETIME | libc::EBUSY | libc::EAGAIN)
            )
        };
        match entered {
            Err(error) if !is_later(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Waits for what is in flight, for a while. Returns how many operations did not come back: their buffers are left to the kernel.
    #[cold]
    fn let_go(&mut self) -> u32 {
        let begun = Instant::now();
        let mut done = Vec::new();
        while self.in_flight > 0 && begun.elapsed() < PATIENCE {
            if self.reap(Wait::AtMost(100_000_000), &mut done).is_err() {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        if self.in_flight > 0 {
            // SAFETY: the worker owns the buffers and drops the engine first.
            unsafe { self.region.leave_to_kernel() };
            // Ranges of deallocations may still be read.
            std::mem::forget(std::mem::take(&mut self.ranges));
        }
        std::mem::take(&mut self.in_flight)
    }
}

impl Engine for Passthrough<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            if let Some(outcome) = self.without_device(op) {
                let slot = op.slot;
                done.push(Done { slot, outcome });
                continue;
            }
            let slot = op.slot as usize;
            let commands = &self.commands[op.file as usize];
            self.bytes[slot] = commands.moved(op);
            let (address, bytes) = match op.kind {
                OperationKind::Read | OperationKind::Write => {
                    // The worker hands out slots below the depth, so it lies inside the region.
                    (
                        self.region.base as u64 + (slot * self.region.stride) as u64,
                        op.len,
                    )
                }
                OperationKind::Trim => {
                    self.ranges[slot] = commands.range(op);
                    (
                        self.ranges[slot].as_ptr() as u64,
                        size_of::<[u64; 2]>() as u32,
                    )
                }
                _ => (0, 0),
            };
            let is_registered = self.has_registered_buffers
                && matches!(op.kind, OperationKind::Read | OperationKind::Write);
            let file = types::Fd(self.files[op.file as usize]);
            let entry = commands.entry(op, file, address, bytes, is_registered);
            // SAFETY: buffers, ranges and files stay valid until the operation has come back: the worker owns them and drains before it ends.
            unsafe { self.ring.submission().push(&entry) }
                .map_err(|_| io::Error::other("the submission queue is full"))?;
            self.in_flight += 1;
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        // Everything that was queued may have ended without the device.
        if self.in_flight == 0 {
            return Ok(());
        }
        self.enter(wait)?;
        for completion in self.ring.completion() {
            let slot = completion.user_data() as u32;
            let outcome = match completion.result() {
                0 => Outcome::moved(self.bytes[slot as usize]),
                error if error < 0 => Outcome::of_system(error),
                status => Outcome::of_system(-status_error(status as u32)),
            };
            done.push(Done { slot, outcome });
            self.in_flight -= 1;
        }
        Ok(())
    }

    fn close(&mut self) -> Closing {
        let lost = self.let_go();
        let remark = || Statement::new("operations-never-came-back").count("count", lost.into());
        Closing {
            remarks: (lost > 0).then(remark).into_iter().collect(),
            ..Closing::default()
        }
    }
}

/// However the engine ends: a worker that panicked or an engine that could not be opened has operations in flight too.
impl Drop for Passthrough<'_> {
    fn drop(&mut self) {
        self.let_go();
    }
}
