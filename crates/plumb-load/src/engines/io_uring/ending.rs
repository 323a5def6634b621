//! What becomes of operations that are in flight when the ring is given up? They are cancelled and taken back; memory of those that stay is left to the kernel.

use std::io;
use std::time::{Duration, Instant};

use io_uring::types::{CancelBuilder, Timespec};

use super::Uring;
use super::entering::{EXT_ARG, GETEVENTS, GetEventsArgument};

/// Maximum time for canceled operations to complete. A request at the disk cannot be canceled, and its driver gives up after 30 s or more.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time of one wait.
const TURN: Duration = Duration::from_millis(100);

impl Uring<'_> {
    /// Takes back what is in flight, cancelled where that is possible. Returns how many operations did not come back: their buffers are left to the kernel.
    #[cold]
    pub(super) fn let_go(&mut self) -> u32 {
        // What was queued and never submitted is unknown to the kernel; its own submission thread takes everything.
        let queued = if self.submits_by_kernel {
            0
        } else {
            self.ring.submission().len() as u32
        };
        let mut out = self.in_flight.saturating_sub(queued);
        self.in_flight = 0;
        if out == 0 {
            return 0;
        }
        let begun = Instant::now();
        // Since Linux 6.0; before, they are waited for.
        let _ = self
            .ring
            .submitter()
            .register_sync_cancel(Some(Timespec::from(TURN)), CancelBuilder::any());
        while out > 0 && begun.elapsed() < PATIENCE {
            if self.wait_without_submitting().is_err() {
                std::thread::sleep(TURN);
            }
            out = out.saturating_sub(self.ring.completion().count() as u32);
        }
        if out > 0 {
            // SAFETY: the worker owns the buffers and drops the engine first.
            unsafe { self.region.leave_to_kernel() };
        }
        out
    }

    /// Waits for one completion, for a while; runs the kernel's deferred work.
    fn wait_without_submitting(&mut self) -> io::Result<()> {
        let span = Timespec::from(TURN);
        let argument = GetEventsArgument {
            sigmask: 0,
            sigmask_bytes: 0,
            padding: 0,
            timespec: std::ptr::from_ref(&span) as u64,
        };
        let (flags, bytes) = (
            GETEVENTS | EXT_ARG | self.ring_flags,
            size_of::<GetEventsArgument>(),
        );
        // SAFETY: the descriptor is the ring's (or its registered number), and the argument lives over the call.
        let rc = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.ring_number,
                0,
                1,
                flags,
                &raw const argument,
                bytes,
            )
        };
        match io::Error::last_os_error() {
            error if rc < 0 && !matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR)) => {
                Err(error)
            }
            _ => Ok(()),
        }
    }
}

/// However the engine ends: a worker that panicked or an engine that could not be opened has operations in flight too.
impl Drop for Uring<'_> {
    fn drop(&mut self) {
        self.let_go();
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd;

    use plumb_model::workload::{EngineChoice, OperationKind};

    use crate::engine::buffers::Buffers;
    use crate::engine::operation::Op;
    use crate::engine::{Engine, OpenFile, Setup, Wait};

    /// The reading end of a pipe that nobody writes to: storage that hangs.
    fn silent_pipe() -> (OpenFile, std::io::PipeWriter) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        let open = OpenFile {
            file,
            path: "pipe".into(),
            end_bytes: 4096,
            readable: false,
            writable: false,
            direct: false,
            block_device: false,
            hint: plumb_model::workload::AccessHint::None,
        };
        (open, writer)
    }

    fn read(slot: u32) -> Op {
        Op {
            offset: u64::MAX,
            len: 4096,
            slot,
            file: 0,
            kind: OperationKind::Read,
            priority: 0,
        }
    }

    /// Gives up an engine with four reads in flight; `hurt` may do something to the ring. Returns whether the buffers are left to the kernel.
    fn given_up(submitted: bool, hurt: impl FnOnce(i32)) -> bool {
        let (file, _writer) = silent_pipe();
        let files = [file];
        let buffers = Buffers::new(4, 4096).expect("buffers");
        let choice = EngineChoice {
            registered: false,
            ..EngineChoice::default()
        };
        let setup = Setup {
            files: &files,
            end_bytes: 0,
            buffers: buffers.region(),
            depth: 4,
            batch: 4,
            choice: &choice,
            live_files: None,
            trims: false,
            flush_metadata: false,
            remote: None,
        };
        let mut engine = super::super::make(setup).expect("a ring").0;
        let mut done = Vec::new();
        engine
            .submit(&[read(0), read(1), read(2), read(3)], &mut done)
            .expect("taken");
        if submitted {
            engine.reap(Wait::No, &mut done).expect("submitted");
            assert_eq!((done.len(), engine.in_flight), (0, 4));
        }
        hurt(engine.ring.as_raw_fd());
        drop(engine);
        buffers.are_left()
    }

    #[test]
    fn what_is_in_flight_is_cancelled_before_the_buffers_are_freed() {
        assert!(!given_up(true, |_| {}), "a read of a pipe can be cancelled");
        assert!(!given_up(false, |_| {}), "the kernel was never told of it");
    }

    #[test]
    fn memory_of_operations_that_cannot_be_taken_back_is_never_freed() {
        // Another file in place of the ring's descriptor: no call of the ring works any more, as where a sandbox forbids it.
        let other = File::open("/dev/null").expect("opened");
        // SAFETY: both descriptors are open; the ring is closed by this, and closing the other file later is right.
        assert!(given_up(true, |ring| unsafe {
            assert_eq!(libc::dup2(other.as_raw_fd(), ring), ring)
        }));
    }
}
