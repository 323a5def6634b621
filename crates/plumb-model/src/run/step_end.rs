//! How did a step end: by its stop rule, by an error, or not at all?

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::statement::Statement;

/// What ended the measuring of one execution of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The requested time was over.
    Time,
    /// The requested bytes were transferred.
    Bytes,
    /// The requested operations were done.
    Operations,
    /// Nothing was left to work on: all files were deleted, all entries replayed.
    EndOfFiles,
    /// The sender ended the stream of messages that the job received.
    EndOfStream,
    /// The target was full (`until-full`).
    NoRoom,
    /// The figures were steady (`until-steady`).
    Steady,
    /// The run was stopped.
    Signal,
    /// The user skipped to the next step: its figures are not of the full step.
    Skipped,
    /// Another program measured it and ended it; only in imported runs.
    #[serde(rename = "the program")]
    Program,
    /// The engine failed, or all operations failed: its message.
    Error(Statement),
}

/// All that are words alone.
const PLAIN: [StopReason; 10] = [
    StopReason::Time,
    StopReason::Bytes,
    StopReason::Operations,
    StopReason::EndOfFiles,
    StopReason::EndOfStream,
    StopReason::NoRoom,
    StopReason::Steady,
    StopReason::Signal,
    StopReason::Skipped,
    StopReason::Program,
];

impl StopReason {
    /// Its name in the record and the summary.
    pub fn word(&self) -> &'static str {
        match self {
            StopReason::Time => "time",
            StopReason::Bytes => "bytes",
            StopReason::Operations => "operations",
            StopReason::EndOfFiles => "end-of-files",
            StopReason::EndOfStream => "end-of-stream",
            StopReason::NoRoom => "no-room",
            StopReason::Steady => "steady",
            StopReason::Signal => "signal",
            StopReason::Skipped => "skipped",
            StopReason::Program => "the program",
            StopReason::Error(_) => "error",
        }
    }

    /// True if the amount of work was fixed, so that the drain, in which no new operation starts, is measured time.
    pub fn drain_counts(&self) -> bool {
        matches!(
            self,
            StopReason::Operations
                | StopReason::Bytes
                | StopReason::EndOfFiles
                | StopReason::EndOfStream
                | StopReason::NoRoom
        )
    }

    /// The message of the error that ended it; `None` if no error did.
    pub fn error(&self) -> Option<&Statement> {
        match self {
            StopReason::Error(error) => Some(error),
            _ => None,
        }
    }

    /// Parses the text of a record of format 3 and older: a name, or `error: ` and the message.
    fn of_text(text: &str) -> Option<StopReason> {
        PLAIN
            .into_iter()
            .find(|reason| reason.word() == text)
            .or_else(|| {
                let message = text.strip_prefix("error: ")?;
                Some(StopReason::Error(Statement::verbatim(message)))
            })
    }
}

impl<'de> Deserialize<'de> for StopReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StopReason, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Error { error: Statement },
        }
        match Written::deserialize(deserializer)? {
            Written::Error { error } => Ok(StopReason::Error(error)),
            Written::Text(text) => StopReason::of_text(&text).ok_or_else(|| {
                serde::de::Error::custom(format!("'{text}' is no reason why a step ended"))
            }),
        }
    }
}

/// How one execution of a step ended.
#[derive(Debug, Clone, PartialEq)]
pub enum StepEnd {
    /// It ran, and this ended it.
    Stopped(StopReason),
    /// It could not run, with the reason.
    Failed(Statement),
    /// Killed, or still running: the record has no end.
    Unfinished,
}

impl StepEnd {
    /// Why it could not run; `None` if it ran.
    pub fn failure(&self) -> Option<&Statement> {
        match self {
            StepEnd::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// The message of the error that ended it while it ran.
    pub fn error(&self) -> Option<&Statement> {
        match self {
            StepEnd::Stopped(reason) => reason.error(),
            _ => None,
        }
    }

    /// How it ended, as a statement.
    pub fn statement(&self) -> Statement {
        match self {
            StepEnd::Stopped(StopReason::Error(error)) => {
                Statement::new("ended-by-error").part("error", error.clone())
            }
            StepEnd::Failed(error) => {
                Statement::new("ended-by-failing").part("error", error.clone())
            }
            StepEnd::Stopped(StopReason::Time) => Statement::new("by-time"),
            StepEnd::Stopped(StopReason::Bytes) => Statement::new("by-bytes"),
            StepEnd::Stopped(StopReason::Operations) => Statement::new("by-operations"),
            StepEnd::Stopped(StopReason::EndOfFiles) => Statement::new("by-end-of-files"),
            StepEnd::Stopped(StopReason::EndOfStream) => Statement::new("by-end-of-stream"),
            StepEnd::Stopped(StopReason::NoRoom) => Statement::new("by-no-room"),
            StepEnd::Stopped(StopReason::Steady) => Statement::new("by-steady"),
            StepEnd::Stopped(StopReason::Signal) => Statement::new("by-signal"),
            StepEnd::Stopped(StopReason::Skipped) => Statement::new("by-skip"),
            StepEnd::Stopped(StopReason::Program) => Statement::new("by-program"),
            StepEnd::Unfinished => Statement::new("by-kill"),
        }
    }

    /// Its name in the summary's JSON: `time`, `error`, `failed`.
    fn word(&self) -> &'static str {
        match self {
            StepEnd::Stopped(reason) => reason.word(),
            StepEnd::Failed(_) => "failed",
            StepEnd::Unfinished => "killed, or still running",
        }
    }
}

impl Default for StepEnd {
    fn default() -> StepEnd {
        StepEnd::Stopped(StopReason::Time)
    }
}

/// How a step ended, in the summary's JSON.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Ends {
    /// What ended it, or why it failed: `time`, `operations`, `signal`, `skipped`, `error`, `failed`; different ends of rounds separated by `; `.
    ended_by: String,
    /// The error, if `error` or `failed`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ended_with: Vec<Statement>,
}

/// Writes the ends of a step, as [`Ends`].
///
/// # Errors
/// Those of the serializer.
pub fn serialize_ends<S: Serializer>(ends: &[StepEnd], serializer: S) -> Result<S::Ok, S::Error> {
    let mut words: Vec<&str> = Vec::new();
    for word in ends.iter().map(StepEnd::word) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let wrong = ends.iter().filter_map(|end| end.failure().or(end.error()));
    let ends = Ends {
        ended_by: words.join("; "),
        ended_with: wrong.cloned().collect(),
    };
    ends.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_read_as_it_is_written_and_as_older_records_have_it() {
        let check = |json: &str, expect: StopReason| {
            let read: StopReason = serde_json::from_str(json).expect(json);
            assert_eq!(read, expect, "{json}");
            let again = serde_json::to_string(&read).expect("json");
            assert_eq!(
                serde_json::from_str::<StopReason>(&again).expect(&again),
                expect
            );
        };
        for reason in PLAIN {
            check(&format!("\"{}\"", reason.word()), reason);
        }
        let lost = || StopReason::Error(Statement::verbatim("time: lost"));
        check(r#""error: time: lost""#, lost());
        check(r#"{"error":"time: lost"}"#, lost());
        assert!(serde_json::from_str::<StopReason>("\"boredom\"").is_err());
    }

    #[test]
    fn an_error_whose_message_looks_like_another_end_is_no_other_end() {
        let statement = Statement::verbatim("failed: error: x");
        let odd = StepEnd::Stopped(StopReason::Error(statement.clone()));
        assert_eq!((odd.failure(), odd.error()), (None, Some(&statement)));
        let odd = StepEnd::Failed(statement.clone());
        assert_eq!((odd.failure(), odd.error()), (Some(&statement), None));
        let mut written = Vec::new();
        let ends = [StepEnd::default(), odd.clone(), odd];
        serialize_ends(&ends, &mut serde_json::Serializer::new(&mut written)).expect("JSON");
        let written: serde_json::Value = serde_json::from_slice(&written).expect("JSON");
        assert_eq!(written["ended_by"], "time; failed");
        assert_eq!(written["ended_with"][0]["id"], "verbatim");
    }
}
