//! Who is traced, until when, and what comes of it? The same by whatever means.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use anyhow::bail;
use plumb_model::run::watch::CommandEnd;
use plumb_model::trace::facts::TraceFacts;

use crate::Stop;
use crate::system::process_is_there;
use crate::watch::command::WatchedCommand;

/// Who is traced.
#[derive(Debug, Clone, Copy)]
pub enum Traced<'a> {
    /// A command that is started for it: the program and its arguments.
    Command(&'a [OsString]),
    /// A process that runs.
    Process(u32),
}

impl Traced<'_> {
    pub fn shown(&self) -> String {
        match self {
            Traced::Command(words) => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                words.join(" ")
            }
            Traced::Process(process) => format!("process {process}"),
        }
    }
}

/// Until when is traced.
pub struct Until<'a> {
    pub duration: Option<Duration>,
    pub stop: &'a Stop,
}

impl Until<'_> {
    /// Whether it is, so long after the begin.
    pub fn is_over(&self, elapsed: Duration) -> bool {
        self.stop.is_requested() || self.duration.is_some_and(|duration| elapsed >= duration)
    }
}

/// A command that was started for a trace, or a process that ran before.
pub struct Subject {
    command: Option<WatchedCommand>,
    process: u32,
    begun: Instant,
}

impl Subject {
    /// Starts the command, where it is one.
    ///
    /// Errors: it cannot be started.
    pub fn begin(traced: Traced<'_>) -> anyhow::Result<Subject> {
        let command = match traced {
            Traced::Command(words) => WatchedCommand::start(words)?,
            Traced::Process(_) => None,
        };
        let process = match (&command, traced) {
            (Some(command), _) => command.process(),
            (None, Traced::Process(process)) => process,
            (None, Traced::Command(_)) => bail!("nothing to trace"),
        };
        Ok(Subject {
            command,
            process,
            begun: Instant::now(),
        })
    }

    /// Number of the process.
    pub fn process(&self) -> u32 {
        self.process
    }

    /// False once it has ended, or a process is to be followed no longer. A command is asked to end when its time is over.
    pub fn goes_on(&mut self, until: &Until<'_>) -> bool {
        let elapsed = self.begun.elapsed();
        let now_ns = elapsed.as_nanos() as u64;
        let is_over = until.is_over(elapsed);
        let Some(command) = &mut self.command else {
            return process_is_there(self.process) && !is_over;
        };
        let has_ended = command.has_ended();
        if is_over && !has_ended {
            command.request_end(now_ns);
        }
        !has_ended
    }

    /// How the command ended; `None` for a process.
    pub fn end(self) -> Option<CommandEnd> {
        self.command.and_then(|mut command| command.end())
    }
}

/// What was followed, and how the command ended.
pub type Followed = (TraceFacts, Option<CommandEnd>);
