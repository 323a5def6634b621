//! How did a program that was started end?

use plumb_model::statement::Statement;
use std::time::Duration;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HowEnded {
    Exit(i32),
    /// By a signal of this number.
    Signal(i32),
    /// It took too long and was ended, after this time.
    Timeout(Duration),
    /// The user wanted to end.
    Stopped,
}

impl HowEnded {
    /// Name of the error; none when all went well.
    pub fn error(self) -> Option<String> {
        match self {
            HowEnded::Exit(0) | HowEnded::Stopped => None,
            HowEnded::Exit(status) => Some(format!("exit-{status}")),
            HowEnded::Signal(signal) => Some(format!("killed-{signal}")),
            HowEnded::Timeout(_) => Some("timeout".into()),
        }
    }

    /// What became of this program.
    pub fn statement(self, program: &str) -> Statement {
        match self {
            HowEnded::Exit(status) => {
                Statement::new("program-exited").name("status", status.to_string())
            }
            HowEnded::Signal(signal) => {
                Statement::new("program-was-killed").name("signal", signal.to_string())
            }
            HowEnded::Timeout(after) => {
                Statement::new("program-took-too-long").time_ns("time", after.as_nanos() as f64)
            }
            HowEnded::Stopped => Statement::new("program-was-stopped"),
        }
        .name("program", program)
    }
}
