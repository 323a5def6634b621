//! Who is traced, until when, and what comes of it? The same by whatever means.

use std::ffi::OsString;
use std::time::Duration;

use plumb_model::run::watch::CommandEnd;
use plumb_model::trace::facts::TraceFacts;

use crate::Stop;

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

/// What was followed, and how the command ended.
pub type Followed = (TraceFacts, Option<CommandEnd>);
