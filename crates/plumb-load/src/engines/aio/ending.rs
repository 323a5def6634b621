//! What becomes of requests that are in flight when the engine is given up? They are cancelled and taken back; memory of those that stay is left to the kernel.

use std::time::{Duration, Instant};

use super::queue::Aio;

/// Maximum time for requests to complete: a request at the disk cannot be canceled.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time of one wait.
const TURN: Duration = Duration::from_millis(100);

impl Aio<'_> {
    /// Takes back what is in flight, cancelled where that is possible. Returns how many did not come back: their buffers and blocks are left to the kernel.
    #[cold]
    pub(super) fn let_go(&mut self) -> u32 {
        self.waiting.clear();
        if self.in_flight == 0 {
            return 0;
        }
        for file in &self.files {
            // SAFETY: no block is named: all of the file are meant (aio_cancel(2)); those that cannot be cancelled are waited for.
            unsafe { libc::aio_cancel(file.fd, std::ptr::null_mut()) };
        }
        let (begun, mut done) = (Instant::now(), Vec::new());
        while self.in_flight > 0 && begun.elapsed() < PATIENCE {
            if self.collect(Some(TURN), &mut done).is_err() {
                std::thread::sleep(TURN);
            }
        }
        let out = std::mem::take(&mut self.in_flight);
        if out > 0 {
            // SAFETY: the worker owns the buffers and drops the engine first.
            unsafe { self.region.leave_to_kernel() };
            // The kernel writes how a request ended into its block.
            std::mem::forget(std::mem::take(&mut self.blocks));
        }
        out
    }
}

/// However the engine ends: a worker that panicked has requests in flight too.
impl Drop for Aio<'_> {
    fn drop(&mut self) {
        self.let_go();
    }
}
