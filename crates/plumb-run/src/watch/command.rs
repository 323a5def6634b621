//! How is a command watched while it runs? It is started, requested to end when plumb is, and its end is reported.

use std::ffi::OsString;
use std::process::{Child, Command};

use anyhow::Context;
use plumb_model::run::watch::CommandEnd;

use crate::system::{has_exited, signal_of, terminate_process};

/// A terminal sends Ctrl-C to the command too: plumb requests the end only of one that is still there after this.
const PATIENCE_NS: u64 = 300_000_000;

/// A command that plumb has started. Its input and output are those of plumb.
pub struct WatchedCommand {
    child: Child,
    started_ns: u64,
    /// Since when it is to end.
    to_end_since_ns: Option<u64>,
    is_requested: bool,
    ended_ns: Option<u64>,
}

impl WatchedCommand {
    /// `None` where there is no command. Errors: it cannot be started.
    pub fn start(words: &[OsString], now_ns: u64) -> anyhow::Result<Option<WatchedCommand>> {
        let Some((program, arguments)) = words.split_first() else {
            return Ok(None);
        };
        let child = Command::new(program)
            .args(arguments)
            .spawn()
            .with_context(|| {
                format!(
                    "{}: cannot be started, and nothing was recorded",
                    program.to_string_lossy()
                )
            })?;
        Ok(Some(WatchedCommand {
            child,
            started_ns: now_ns,
            to_end_since_ns: None,
            is_requested: false,
            ended_ns: None,
        }))
    }

    /// Number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// True once it has ended; what the system counted of it can still be read.
    pub fn has_ended(&mut self, now_ns: u64) -> bool {
        if self.ended_ns.is_none() && has_exited(&mut self.child) {
            self.ended_ns = Some(now_ns);
        }
        self.ended_ns.is_some()
    }

    /// Asks it once, after it has had time to end by itself.
    pub fn request_end(&mut self, now_ns: u64) {
        let since_ns = *self.to_end_since_ns.get_or_insert(now_ns);
        if !self.is_requested && now_ns >= since_ns + PATIENCE_NS {
            self.is_requested = true;
            terminate_process(&mut self.child);
        }
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        // One that has ended already cannot be killed, and that is all that is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// How it ended; `None` while it runs.
    pub fn end(&mut self) -> Option<CommandEnd> {
        let ended_ns = self.ended_ns?;
        let status = self.child.wait().ok()?;
        Some(CommandEnd {
            status: status.code(),
            signal: signal_of(status),
            elapsed_ns: ended_ns.saturating_sub(self.started_ns),
        })
    }
}
