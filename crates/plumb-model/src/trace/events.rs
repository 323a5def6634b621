//! What happened to one call? It was made, and it was answered or not; the same for requests of a protocol and for system calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a call asks for, which decides what its time means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CallClass {
    /// Moves content to the caller.
    Read,
    /// Moves content from the caller.
    Write,
    /// Names, attributes, locks, flushes: everything else that is done to files.
    Metadata,
    /// Login, mounting and the like: done for the connection, not for a file.
    Session,
    /// Waits for something to happen, however long that takes (CHANGE_NOTIFY, poll): its time is no service time.
    Wait,
}

/// One call as it was made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// Name of the command or system call, as its specification writes it: `READ`, `pread64`.
    pub name: &'static str,
    pub class: CallClass,
    /// Nanoseconds since 1970 (UTC): when all of the request had been sent.
    pub at_ns: u64,
    /// Connection or thread by which it was made, counted from 0.
    pub lane: u32,
    /// Which open file; the same number for the same file while it is open. Missing when the call concerns none, or the capture does not tell.
    pub file: Option<u64>,
    /// In bytes from the start of the file.
    pub offset: Option<u64>,
    /// Bytes that it asks to move.
    pub bytes: Option<u64>,
    /// True when it ends the use of `file`.
    pub closes: bool,
}

/// What an answer says in place of success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status {
    /// NTSTATUS, or errno.
    pub code: u32,
    /// `STATUS_OBJECT_NAME_NOT_FOUND`, `ENOENT`; missing for codes without a name here.
    pub name: Option<&'static str>,
    /// False for what is part of ordinary work: the end of a file or directory, one more step of a login.
    pub is_error: bool,
}

/// One call with its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answered {
    pub call: Call,
    /// Nanoseconds since 1970 (UTC): when all of the answer had come.
    pub at_ns: u64,
    /// Bytes that were moved; missing when the answer does not say, or its packet was cut.
    pub moved_bytes: Option<u64>,
    /// Missing when it succeeded.
    pub status: Option<Status>,
    /// Round trip between where the calls were seen and who answered, as the connection's handshake shows it, in nanoseconds; missing without handshake.
    pub round_trip_ns: Option<u64>,
    /// True when the server said meanwhile that the answer will take a while (STATUS_PENDING).
    pub was_pending: bool,
}

impl Answered {
    /// From the end of the request to the end of the answer; 0 when the time stamps go backwards.
    pub fn service_ns(&self) -> u64 {
        self.at_ns.saturating_sub(self.call.at_ns)
    }
}

/// What is told of a trace, in the order in which it was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TraceEvent {
    /// A call was made. In a trace that tells when calls were answered, one of the others follows for it; else nothing does.
    Made(Call),
    /// It was answered.
    Answered(Answered),
    /// It will not be: its connection ended, or the trace did. The call, and when that was seen.
    Unanswered(Call, u64),
}
