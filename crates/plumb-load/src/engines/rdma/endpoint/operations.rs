//! How are messages and memory operations begun?

use std::ffi::c_void;

use super::super::bindings::*;
use super::{Begun, Context, Endpoint};

impl Endpoint {
    fn begun(&mut self, rc: isize) -> Begun {
        match -rc {
            0 => Begun::Yes,
            FI_EAGAIN => {
                self.counts.put_off += 1;
                Begun::Later
            }
            error => Begun::Failed(i32::try_from(error).unwrap_or(libc::EIO)),
        }
    }

    /// Reads `len` bytes of the peer's memory (`write`: writes them), one-sided. Done when the data is here (there).
    ///
    /// # Safety
    /// `buffer` and `context` are valid, and nobody else uses them, until the completion; `descriptor` is that of the buffer's registration.
    pub unsafe fn move_memory(
        &mut self,
        write: bool,
        (buffer, len, descriptor): (*mut u8, usize, *mut c_void),
        peer: u64,
        (address, key): (u64, u64),
        context: *mut Context,
    ) -> Begun {
        // SAFETY: the table was checked when the endpoint was opened; the rest is the caller's promise.
        let rc = unsafe {
            let call = if write {
                (*self.memory).write
            } else {
                (*self.memory).read
            };
            call.map_or(-FI_EAGAIN, |call| {
                call(
                    self.endpoint,
                    buffer.cast(),
                    len,
                    descriptor,
                    peer,
                    address,
                    key,
                    context.cast(),
                )
            })
        };
        self.begun(rc)
    }

    /// Writes to the peer's memory as [`Endpoint::move_memory`] does, but done when `buffer` may be used again: the peer gets no completion, and sees the data
    /// by
    /// looking. Over TCP this saves the message back that a write with completion at delivery waits for; adapters acknowledge every write by themselves.
    ///
    /// # Safety
    /// As for [`Endpoint::move_memory`].
    pub unsafe fn put(
        &mut self,
        (buffer, len, descriptor): (*mut u8, usize, *mut c_void),
        peer: u64,
        (address, key): (u64, u64),
        context: *mut Context,
    ) -> Begun {
        let here = LocalRange {
            start: buffer.cast(),
            len,
        };
        let there = RemoteRange {
            addr: address,
            len,
            key,
        };
        let message = RemoteMemoryMessage {
            msg_iov: &raw const here,
            desc: &raw const descriptor,
            iov_count: 1,
            addr: peer,
            rma_iov: &raw const there,
            rma_iov_count: 1,
            context: context.cast(),
            data: 0,
        };
        // SAFETY: the table was checked when the endpoint was opened; the lists are read within the call (fi_rma(3)); the rest is the caller's promise.
        let rc = unsafe {
            let call = (*self.memory).writemsg;
            call.map_or(-FI_EAGAIN, |call| {
                call(
                    self.endpoint,
                    &raw const message,
                    FI_COMPLETION | FI_INJECT_COMPLETE,
                )
            })
        };
        self.begun(rc)
    }

    /// Sends a message. Done when the peer has it.
    ///
    /// # Safety
    /// As for [`Endpoint::move_memory`].
    pub unsafe fn send(
        &mut self,
        (buffer, len, descriptor): (*const u8, usize, *mut c_void),
        peer: u64,
        tag: u64,
        context: *mut Context,
    ) -> Begun {
        // SAFETY: as above.
        let rc = unsafe {
            let call = (*self.tagged).send;
            call.map_or(-FI_EAGAIN, |call| {
                call(
                    self.endpoint,
                    buffer.cast(),
                    len,
                    descriptor,
                    peer,
                    tag,
                    context.cast(),
                )
            })
        };
        self.begun(rc)
    }

    /// Awaits a message with this tag, apart from the bits of `ignore`.
    ///
    /// # Safety
    /// As for [`Endpoint::move_memory`].
    pub unsafe fn receive(
        &mut self,
        (buffer, len, descriptor): (*mut u8, usize, *mut c_void),
        peer: u64,
        (tag, ignore): (u64, u64),
        context: *mut Context,
    ) -> Begun {
        // SAFETY: as above.
        let rc = unsafe {
            let call = (*self.tagged).recv;
            call.map_or(-FI_EAGAIN, |call| {
                call(
                    self.endpoint,
                    buffer.cast(),
                    len,
                    descriptor,
                    peer,
                    tag,
                    ignore,
                    context.cast(),
                )
            })
        };
        self.begun(rc)
    }
}
