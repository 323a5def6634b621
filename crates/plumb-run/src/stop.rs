//! When does a measurement end before its time? At a signal, or when memory runs out; in both cases it ends in good order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use plumb_load::engine::stop_request::StopRequest;

use crate::system;

/// A request to end, which any thread can make. Cloning gives the same request.
#[derive(Debug, Clone)]
pub struct Stop {
    requested: Arc<AtomicBool>,
    request: StopRequest,
    /// Requested by the user: with Ctrl-C, or a key that ends the view.
    by_user: Arc<AtomicBool>,
    memory_ran_out: fn() -> bool,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::new()
    }
}

impl Stop {
    /// No stop requested yet; only the caller can request it.
    pub fn new() -> Stop {
        let requested = Arc::<AtomicBool>::default();
        Stop {
            request: StopRequest::new(requested.clone()),
            requested,
            by_user: Arc::default(),
            memory_ran_out: || false,
        }
    }

    /// Set by the signals that end programs: interrupt (Ctrl-C), terminate, quit, and a lost terminal. `memory_ran_out` returns whether the program's
    /// allocator requested it; `before_exit` is called before a second signal ends the program at once.
    ///
    /// Errors: signals cannot be caught.
    pub fn on_signals(memory_ran_out: fn() -> bool, before_exit: fn()) -> anyhow::Result<Stop> {
        let (requested, by_user) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        system::stop_on_signals(requested.clone(), by_user.clone(), before_exit)
            .context("cannot handle signals, so files could not be cleaned up: the thread limit may be reached (ulimit -u)")?;
        Ok(Stop {
            request: StopRequest::new(requested.clone()),
            requested,
            by_user,
            memory_ran_out,
        })
    }

    /// The flag itself; true: end.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.requested
    }

    /// The same, for who waits for a server.
    pub fn request(&self) -> StopRequest {
        self.request.clone()
    }

    /// Requests a stop.
    pub fn request_end(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Requests a stop on behalf of the user at the terminal.
    pub fn request_by_user(&self) {
        self.by_user.store(true, Ordering::Relaxed);
        self.request_end();
    }

    /// The user has requested the stop, with Ctrl-C or a key.
    pub fn is_requested_by_user(&self) -> bool {
        self.by_user.load(Ordering::Relaxed)
    }

    /// A stop was requested.
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Why a measurement has ended before its time, and what becomes of it, such as `what was measured until then is recorded`.
    pub fn reason(&self, kept: &str) -> String {
        let (why, remedy) = if (self.memory_ran_out)() {
            (
                "stopped: out of memory (or limited by ulimit -v)",
                "; use fewer workers, a lower depth or smaller blocks",
            )
        } else if self.is_requested_by_user() {
            ("interrupted by Ctrl-C or a key", "")
        } else {
            ("interrupted by a signal", "")
        };
        format!(
            "plumb: {why}; {kept}, and files that plumb created are removed, except those listed above{remedy}"
        )
    }
}
