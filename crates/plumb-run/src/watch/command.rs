//! How is a command watched while it runs? It is started, requested to end when plumb is, and its end is reported.

use std::ffi::OsString;
use std::process::{Child, Command};
use std::thread::JoinHandle;
use std::time::Instant;

use anyhow::Context;
use plumb_model::run::watch::CommandEnd;

use crate::system::{has_exited, signal_of, terminate_process, time_of_exit};

/// A terminal sends Ctrl-C to the command too: plumb requests the end only of one that is still there after this.
const PATIENCE_NS: u64 = 300_000_000;

/// A command that plumb has started. Its input and output are those of plumb.
pub struct WatchedCommand {
    child: Child,
    started: Instant,
    /// Gives the time of its end, however late that is noticed; missing where the system has no such wait.
    exit: Option<JoinHandle<Instant>>,
    /// Since when it is to end.
    to_end_since_ns: Option<u64>,
    is_requested: bool,
    ended: Option<Instant>,
}

impl WatchedCommand {
    /// `None` where there is no command. Errors: it cannot be started.
    pub fn start(words: &[OsString]) -> anyhow::Result<Option<WatchedCommand>> {
        let Some((program, arguments)) = words.split_first() else {
            return Ok(None);
        };
        let started = Instant::now();
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
            exit: time_of_exit(&child),
            child,
            started,
            to_end_since_ns: None,
            is_requested: false,
            ended: None,
        }))
    }

    /// Number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// True once it has ended; what the system counted of it can still be read.
    pub fn has_ended(&mut self) -> bool {
        if self.ended.is_none() && has_exited(&mut self.child) {
            let exit = self.exit.take().and_then(|exit| exit.join().ok());
            self.ended = Some(exit.unwrap_or_else(Instant::now));
        }
        self.ended.is_some()
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
        // Nobody waits for its number any more when it may become another process's.
        let _ = self.exit.take().map(JoinHandle::join);
        let _ = self.child.wait();
    }

    /// How it ended; `None` while it runs.
    pub fn end(&mut self) -> Option<CommandEnd> {
        let ended = self.ended?;
        let status = self.child.wait().ok()?;
        Some(CommandEnd {
            status: status.code(),
            signal: signal_of(status),
            elapsed_ns: ended.saturating_duration_since(self.started).as_nanos() as u64,
        })
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_run_time_ends_with_the_command_however_late_that_is_noticed() {
        let begun = Instant::now();
        let command = WatchedCommand::start(&["true".into()]).expect("started");
        let mut command = command.expect("a command");
        if command.exit.is_none() {
            return;
        }
        while !has_exited(&mut command.child) {
            std::thread::yield_now();
        }
        let late = Duration::from_secs(1);
        std::thread::sleep(late);
        assert!(command.has_ended());
        let end = command.end().expect("ended");
        assert!(Duration::from_nanos(end.elapsed_ns) + late <= begun.elapsed());
    }
}
