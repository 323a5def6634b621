//! What has come back from the provider?

use std::ptr;

use plumb_model::statement::Statement;

use super::super::bindings::*;
use super::super::error::call_failed;
use super::{Completion, Endpoint};

/// Completions taken at once.
const ENTRIES: usize = 64;

impl Endpoint {
    /// Appends what is done. `timeout_ms` 0 does not wait; else it waits for one completion, in the kernel, and comes back without any after this time.
    ///
    /// # Errors
    /// The queue itself failed: the error number and the library's message.
    pub fn completions(
        &mut self,
        timeout_ms: i32,
        done: &mut Vec<Completion>,
    ) -> Result<(), (i32, Statement)> {
        let none = QueueEntry {
            op_context: ptr::null_mut(),
            flags: 0,
            len: 0,
            buf: ptr::null_mut(),
            data: 0,
            tag: 0,
        };
        let mut entries = [none; ENTRIES];
        self.counts.progress_calls += 1;
        // SAFETY: the queue is open; the array is as long as passed and of the format that the queue was opened with.
        let rc = unsafe {
            let ops = &*(*self.queue).ops;
            let (room, count) = (entries.as_mut_ptr().cast(), ENTRIES);
            match (ops.read, ops.sread) {
                (_, Some(sread)) if timeout_ms > 0 && !self.polling => {
                    self.counts.waits += 1;
                    sread(self.queue, room, count, ptr::null(), timeout_ms)
                }
                (Some(read), _) => read(self.queue, room, count),
                (None, _) => -(libc::EIO as isize),
            }
        };
        match -rc {
            FI_EAGAIN | FI_EINTR => Ok(()),
            FI_EAVAIL => self.failed_completion(done),
            error if error > 0 => Err((
                i32::try_from(error).unwrap_or(libc::EIO),
                call_failed(&self.library, "fi_cq_read", rc),
            )),
            _ => {
                let taken = &entries[..(rc as usize).min(ENTRIES)];
                done.extend(taken.iter().map(|entry| Completion {
                    context: entry.op_context.cast(),
                    len: entry.len,
                    tag: entry.tag,
                    error: 0,
                }));
                Ok(())
            }
        }
    }

    #[cold]
    fn failed_completion(&mut self, done: &mut Vec<Completion>) -> Result<(), (i32, Statement)> {
        // SAFETY: all fields may be zero.
        let mut failed: QueueError = unsafe { std::mem::zeroed() };
        // SAFETY: the queue is open and the structure is as long as the library's, and more.
        let rc = unsafe {
            let readerr = (*(*self.queue).ops).readerr;
            readerr.map_or(-(libc::EIO as isize), |readerr| {
                readerr(self.queue, &raw mut failed, 0)
            })
        };
        if -rc == FI_EAGAIN {
            return Ok(());
        }
        if rc < 0 {
            return Err((libc::EIO, call_failed(&self.library, "fi_cq_readerr", rc)));
        }
        // What was taken back because the endpoint closes, and errors without an operation, have no context.
        let error = if failed.err > 0 {
            failed.err
        } else {
            libc::EIO
        };
        done.push(Completion {
            context: failed.entry.op_context.cast(),
            len: 0,
            tag: failed.entry.tag,
            error,
        });
        Ok(())
    }
}
