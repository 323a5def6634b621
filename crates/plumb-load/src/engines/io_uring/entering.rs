//! How does the ring enter the kernel? With what is queued and how many completions are waited for, by io_uring_enter(2).

use std::io;

use io_uring::types;

use super::Uring;

/// IORING_ENTER_GETEVENTS: run deferred task work and look at completions.
pub(super) const GETEVENTS: u32 = 1;
/// IORING_ENTER_EXT_ARG: the argument is a struct io_uring_getevents_arg.
pub(super) const EXT_ARG: u32 = 8;

impl Uring<'_> {
    /// An error, but for a signal, a time that is over, or EBUSY and EAGAIN, with which completions must be taken first: what is done is taken all the same.
    pub(super) fn unless_later(outcome: io::Result<()>) -> io::Result<()> {
        let is_later = |error: &io::Error| {
            matches!(
                error.raw_os_error(),
                Some(libc::EINTR | libc::ETIME | libc::EBUSY | libc::EAGAIN)
            )
        };
        outcome.or_else(|error| if is_later(&error) { Ok(()) } else { Err(error) })
    }

    /// One system call: submits what is queued, and looks at no completion. What the kernel does not take now is submitted by the next call.
    #[cold]
    pub(super) fn submit_apart(&mut self) -> io::Result<()> {
        self.was_submitted = true;
        self.enter_with(0, 0, None)
    }

    /// One system call: submits what is queued and waits for `min_complete` completions, or for `timeout`.
    #[inline(always)]
    pub(super) fn enter(
        &mut self,
        min_complete: u32,
        timeout: Option<&types::Timespec>,
    ) -> io::Result<()> {
        // GETEVENTS also when not waiting: deferred task work and polling happen only then.
        self.enter_with(GETEVENTS, min_complete, timeout)
    }

    #[inline(always)]
    fn enter_with(
        &mut self,
        flags: u32,
        min_complete: u32,
        timeout: Option<&types::Timespec>,
    ) -> io::Result<()> {
        if self.submits_by_kernel {
            let submitter = self.ring.submitter();
            return match timeout {
                Some(span) => submitter.submit_with_args(
                    min_complete as usize,
                    &types::SubmitArgs::new().timespec(span),
                ),
                None => submitter.submit_and_wait(min_complete as usize),
            }
            .map(|_| ());
        }
        let queued = self.ring.submission().len() as u32;
        let flags = flags | self.ring_flags;
        // SAFETY: the descriptor is the ring's (or its registered number), and the argument lives over the call.
        let rc = unsafe {
            match timeout {
                None => libc::syscall(
                    libc::SYS_io_uring_enter,
                    self.ring_number,
                    queued,
                    min_complete,
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
                        min_complete,
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
pub(super) struct GetEventsArgument {
    pub sigmask: u64,
    pub sigmask_bytes: u32,
    pub padding: u32,
    pub timespec: u64,
}
