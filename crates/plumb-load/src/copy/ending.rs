//! How did a program that was started end?

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

    /// The rest of a sentence that begins with the program.
    pub fn in_words(self) -> String {
        match self {
            HowEnded::Exit(status) => format!("ended with exit status {status}"),
            HowEnded::Signal(signal) => format!("was killed by signal {signal}"),
            HowEnded::Timeout(after) => {
                format!("was not done after {} s and was ended", after.as_secs_f64())
            }
            HowEnded::Stopped => "was ended with the run".into(),
        }
    }
}
