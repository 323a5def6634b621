//! How are records taken that the kernel writes into memory which it shares with this process? From a ring, of which it says how far it is written.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use super::records::{HEADER_BYTES, header};

/// Where struct perf_event_mmap_page has `data_head` and `data_tail`, in bytes.
const HEAD_AT: usize = 1024;
const TAIL_AT: usize = 1032;

/// The ring of one processor.
pub(super) struct Ring {
    event: OwnedFd,
    memory: NonNull<u8>,
    page_bytes: usize,
    /// A power of two.
    data_bytes: usize,
    /// A record that passes over the end of the ring.
    complete: Vec<u8>,
}

impl Ring {
    /// Maps a ring of `data_bytes` (a power of two, of pages) for an event.
    ///
    /// Errors: the event itself with the reason; EPERM when more memory would be locked than this user may (perf_event_mlock_kb, RLIMIT_MEMLOCK).
    pub fn of(
        event: OwnedFd,
        page_bytes: usize,
        data_bytes: usize,
    ) -> Result<Ring, (OwnedFd, io::Error)> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let length = page_bytes + data_bytes;
        // SAFETY: a new mapping at an address that the kernel chooses; it is unmapped in drop, and nowhere else.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                protection,
                libc::MAP_SHARED,
                event.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err((event, io::Error::last_os_error()));
        }
        match NonNull::new(memory.cast()) {
            Some(memory) => Ok(Ring {
                event,
                memory,
                page_bytes,
                data_bytes,
                complete: Vec::new(),
            }),
            None => Err((event, io::Error::other("it was mapped at address 0"))),
        }
    }

    pub fn event(&self) -> &OwnedFd {
        &self.event
    }

    /// One of the two counters that are shared with the kernel.
    fn counter(&self, at: usize) -> &AtomicU64 {
        // SAFETY: both are within the first page of the mapping, aligned to 8 bytes; the kernel and this process read and write them as whole words.
        unsafe { AtomicU64::from_ptr(self.memory.as_ptr().add(at).cast()) }
    }

    /// Bytes of the ring from `at` on, at most up to its end.
    fn part(&self, at: u64, length: usize) -> &[u8] {
        let begin = at as usize & (self.data_bytes - 1);
        let length = length.min(self.data_bytes - begin);
        // SAFETY: within the mapping; callers ask only for what is between tail and head, which the kernel does not write until the tail has moved.
        unsafe {
            std::slice::from_raw_parts(self.memory.as_ptr().add(self.page_bytes + begin), length)
        }
    }

    /// Hands on each record that is in the ring, and gives its place back.
    pub fn drain(&mut self, mut take: impl FnMut(&[u8])) {
        let head = self.counter(HEAD_AT).load(Ordering::Acquire);
        let mut tail = self.counter(TAIL_AT).load(Ordering::Relaxed);
        let mut complete = std::mem::take(&mut self.complete);
        while tail < head {
            let (_, length) = header(self.part(tail, HEADER_BYTES)).unwrap_or((0, 0));
            // The kernel writes no such record; without a length there is no next one.
            if length < HEADER_BYTES || tail + length as u64 > head {
                tail = head;
                break;
            }
            let first = self.part(tail, length);
            if first.len() == length {
                take(first);
            } else {
                complete.clear();
                complete.extend_from_slice(first);
                complete
                    .extend_from_slice(self.part(tail + first.len() as u64, length - first.len()));
                take(&complete);
            }
            tail += length as u64;
        }
        self.complete = complete;
        self.counter(TAIL_AT).store(tail, Ordering::Release);
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own, and nothing refers to it any more.
        unsafe {
            libc::munmap(
                self.memory.as_ptr().cast(),
                self.page_bytes + self.data_bytes,
            );
        }
    }
}
