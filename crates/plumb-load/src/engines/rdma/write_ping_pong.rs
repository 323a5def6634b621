//! How does a message go to the peer and back by one-sided writes alone? Each side exposes a buffer to the other, and polls the last byte of its own.

// As perftest's ib_write_lat does (run_iter_lat_write, src/perftest_resources.c): no receive is posted and only its last byte signals a message, which
// counts from 1 to 255 and begins again. When that byte is there, the whole message is: TCP delivers bytes in order; adapters write a message into memory from
// its first byte to its last, which the InfiniBand specification does not promise, and perftest relies on as well.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;

use super::endpoint::{Begun, Completion, Context, Endpoint, Registration};
use super::error::error_cause;
use super::hello::PeerMemory;
use crate::engine::buffers::Buffers;

/// Looks in a row before the processor is offered to others between two of them.
const LOOKS: u32 = 16;
/// After so long without a message the thread waits in the kernel between looks, a millisecond each time.
const QUIET: Duration = Duration::from_millis(1);
const QUIET_WAIT_MS: i32 = 1;

/// This side's buffer and the peer's.
pub struct PingPongMemory {
    memory: Buffers,
    registration: Registration,
    bytes: usize,
    /// Where the peer expects messages. Missing: not known yet.
    there: Option<PeerMemory>,
    /// What the last byte is when the next message is here.
    next: u8,
    /// Slot of the message whose answer is awaited.
    awaited: Option<u32>,
}

impl PingPongMemory {
    /// Allocates a buffer for messages of this length and exposes it to the peer.
    ///
    /// # Errors
    /// Memory that cannot be had or registered: why, as a clause.
    ///
    /// # Safety
    /// The endpoint is closed before this is dropped, unless the buffer was never exposed.
    pub unsafe fn new(endpoint: &mut Endpoint, bytes: u32) -> Result<PingPongMemory, Statement> {
        let bytes = bytes as usize;
        let mut memory =
            Buffers::new(1, bytes).map_err(|error| Statement::verbatim(error.to_string()))?;
        // No message counts 0.
        memory.slot(0).fill(0);
        let region = memory.region();
        // SAFETY: as the caller promises.
        let registration = unsafe { endpoint.register(region.base, region.bytes, true) }?;
        Ok(PingPongMemory {
            memory,
            registration,
            bytes,
            there: None,
            next: 1,
            awaited: None,
        })
    }

    /// What the peer needs to know.
    pub fn memory(&self) -> PeerMemory {
        PeerMemory {
            key: self.registration.key,
            base: self.registration.base,
            bytes: self.bytes as u32,
        }
    }

    /// Stores the peer's buffer.
    ///
    /// # Errors
    /// It is none for these messages: why, as a clause.
    pub fn meet(&mut self, there: Option<PeerMemory>) -> Result<(), Statement> {
        let there =
            there.ok_or_else(|| Statement::new("rdma-peer-lends-nothing-for-ping-pongs"))?;
        if there.bytes as usize != self.bytes {
            return Err(Statement::new("rdma-peer-lends-another-length")
                .bytes("bytes", f64::from(there.bytes))
                .bytes("asked", self.bytes as f64));
        }
        if there.base.checked_add(u64::from(there.bytes)).is_none() {
            return Err(Statement::new("rdma-peer-lends-beyond-all-addresses"));
        }
        self.there = Some(there);
        Ok(())
    }

    /// The next message has arrived.
    fn is_here(&self) -> bool {
        // SAFETY: the byte lies in the memory, which lives as long as `self`; the adapter or the provider writes it, and nobody here does.
        let last = unsafe { AtomicU8::from_ptr(self.memory.region().base.add(self.bytes - 1)) };
        // What is read after this was written before it.
        last.load(Ordering::Acquire) == self.next
    }

    fn count_on(&mut self) {
        self.next = self.next % u8::MAX + 1;
    }

    /// Writes the message in `buffer` to the peer, after its last byte was made the running number; the answer is awaited from then on.
    ///
    /// # Safety
    /// As for [`Endpoint::put`].
    pub unsafe fn send(
        &mut self,
        endpoint: &mut Endpoint,
        buffer: (*mut u8, usize, *mut std::ffi::c_void),
        (peer, slot): (u64, u32),
        context: *mut Context,
    ) -> Begun {
        let Some(there) = self
            .there
            .filter(|there| there.bytes as usize == buffer.1 && self.awaited.is_none())
        else {
            return Begun::Failed(libc::EINVAL);
        };
        // SAFETY: the buffer is as long as passed and nobody else's until the write has ended, as the caller promises; the length is above 0.
        let begun = unsafe {
            *buffer.0.add(buffer.1 - 1) = self.next;
            endpoint.put(buffer, peer, (there.base, there.key), context)
        };
        if begun == Begun::Yes {
            self.awaited = Some(slot);
        }
        begun
    }

    /// The slot whose answer has come since the last look, and its bytes.
    pub fn answered(&mut self) -> Option<(u32, usize)> {
        if self.awaited.is_none() || !self.is_here() {
            return None;
        }
        self.count_on();
        Some((self.awaited.take()?, self.bytes))
    }

    /// The answer that came last.
    #[cfg(test)]
    pub fn answer(&mut self) -> &[u8] {
        self.memory.slot(0)
    }
}

/// The responder's part: what lands goes back as it is.
pub struct Echo {
    landing: PingPongMemory,
    context: Box<[Context]>,
    /// The last answer's write has not ended.
    is_out: bool,
    patience: Patience,
}

impl Echo {
    /// Exposes a buffer for messages that are returned to `there`.
    ///
    /// # Errors
    /// As for [`PingPongMemory::new`] and [`PingPongMemory::meet`].
    ///
    /// # Safety
    /// As for [`PingPongMemory::new`].
    pub unsafe fn new(
        endpoint: &mut Endpoint,
        there: PeerMemory,
        is_polling: bool,
    ) -> Result<Echo, Statement> {
        // SAFETY: as the caller promises.
        let mut landing = unsafe { PingPongMemory::new(endpoint, there.bytes) }?;
        landing.meet(Some(there))?;
        Ok(Echo {
            landing,
            context: Context::several(1),
            is_out: false,
            patience: Patience::new(is_polling),
        })
    }

    /// Memory that it takes for messages of the peer.
    pub fn bytes(there: Option<PeerMemory>) -> u64 {
        there.map_or(0, |there| u64::from(there.bytes).max(4096))
    }

    /// Where it waits for messages.
    pub fn memory(&self) -> PeerMemory {
        self.landing.memory()
    }

    /// Looks once, and writes what has come back to where it came from. Returns for how many milliseconds completions may be waited for until the next look.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn look(&mut self, endpoint: &mut Endpoint, client: u64) -> Result<i32, Statement> {
        if self.is_out || !self.landing.is_here() {
            return Ok(self.patience.look());
        }
        self.patience.renew();
        let landing = &mut self.landing;
        let Some(there) = landing.there else {
            return Ok(0);
        };
        let message = (
            landing.memory.region().base,
            landing.bytes,
            landing.registration.descriptor,
        );
        // SAFETY: memory and context live until the endpoint is closed. The peer writes here again only after it has received this completely; if it does not
        // keep to
        // that, it spoils its own message.
        match unsafe {
            endpoint.put(
                message,
                client,
                (there.base, there.key),
                self.context.as_mut_ptr(),
            )
        } {
            Begun::Yes => {
                landing.count_on();
                self.is_out = true;
            }
            Begun::Later => {}
            Begun::Failed(error) => {
                return Err(
                    Statement::new("rdma-connection-broken").part("error", error_cause(error))
                );
            }
        }
        Ok(0)
    }

    /// True when the completion is one of an answer.
    pub fn takes(&mut self, done: &Completion) -> bool {
        let is_own = std::ptr::eq(done.context, self.context.as_ptr());
        self.is_out &= !is_own;
        is_own
    }
}

/// What to do while nothing comes: look again at once, then give others the processor between looks, then wait in the kernel. The first costs a processor and
/// nothing else; the second lets a peer on the same processor answer; the third ends the use of a processor for nothing, and finds a message that comes then up
/// to a millisecond late. One that polls looks again at once, always, as perftest does.
pub struct Patience {
    is_polling: bool,
    looks: u32,
    since: Instant,
}

impl Patience {
    /// Nothing was there yet.
    pub fn new(is_polling: bool) -> Patience {
        Patience {
            is_polling,
            looks: 0,
            since: Instant::now(),
        }
    }

    fn renew(&mut self) {
        self.looks = 0;
    }

    /// Nothing was there. Returns for how many milliseconds to wait in the kernel.
    pub fn look(&mut self) -> i32 {
        if self.is_polling || self.looks < LOOKS {
            self.looks = self.looks.saturating_add(1);
            self.since = if self.looks == LOOKS {
                Instant::now()
            } else {
                self.since
            };
            return 0;
        }
        if self.since.elapsed() > QUIET {
            return QUIET_WAIT_MS;
        }
        std::thread::yield_now();
        0
    }
}
