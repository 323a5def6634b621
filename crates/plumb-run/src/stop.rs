//! When does a measurement end before its time? At a signal, or when memory runs out; in both cases it ends in good order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use plumb_load::engine::stop_request::StopRequest;

use crate::system;

/// A request to end, which any thread can make. Cloning gives the same request.
#[derive(Debug, Clone)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    request: StopRequest,
    /// Whoever sits at the terminal asked: with Ctrl-C, or a key that ends the view.
    by_user: Arc<AtomicBool>,
    memory_ran_out: fn() -> bool,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::new()
    }
}

impl Stop {
    /// Nobody has asked yet, and nobody but the caller will.
    pub fn new() -> Stop {
        let asked = Arc::<AtomicBool>::default();
        Stop {
            request: StopRequest::new(asked.clone()),
            asked,
            by_user: Arc::default(),
            memory_ran_out: || false,
        }
    }

    /// Asked for by the signals that end programs: interrupt (Ctrl-C), terminate, quit, and a lost terminal. `memory_ran_out` says whether the program's
    /// allocator asked for it; `before_exit` is called before a second signal ends the program at once.
    ///
    /// Errors: signals cannot be caught.
    pub fn on_signals(memory_ran_out: fn() -> bool, before_exit: fn()) -> anyhow::Result<Stop> {
        let (asked, by_user) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        system::stop_on_signals(asked.clone(), by_user.clone(), before_exit)
            .context("signals cannot be caught, so that nothing could be cleaned up: the limit of threads may be reached (ulimit -u)")?;
        Ok(Stop {
            request: StopRequest::new(asked.clone()),
            asked,
            by_user,
            memory_ran_out,
        })
    }

    /// The flag itself; true: end.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.asked
    }

    /// The same, for who waits for a server.
    pub fn request(&self) -> StopRequest {
        self.request.clone()
    }

    /// Asks for the end.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Asks for the end in the name of whoever sits at the terminal.
    pub fn ask_for_user(&self) {
        self.by_user.store(true, Ordering::Relaxed);
        self.ask();
    }

    /// Whoever sits at the terminal has asked, with Ctrl-C or a key.
    pub fn is_asked_by_user(&self) -> bool {
        self.by_user.load(Ordering::Relaxed)
    }

    /// Somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Why a measurement has ended before its time, and what becomes of it, such as `what was measured until then is recorded`.
    pub fn reason(&self, kept: &str) -> String {
        let (why, remedy) = if (self.memory_ran_out)() {
            (
                "stopped, for memory ran out (ulimit -v, or too little of it)",
                "; fewer workers, less depth and smaller blocks take less",
            )
        } else if self.is_asked_by_user() {
            ("interrupted by Ctrl-C or a key", "")
        } else {
            ("interrupted by a signal", "")
        };
        format!(
            "plumb: {why}; {kept}, and the files that plumb made are removed, unless a line above names what had to stay{remedy}"
        )
    }
}
