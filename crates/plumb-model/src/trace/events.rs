//! What happened to one call? It was issued, and completed or not; the same for protocol requests and system calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Class of a call, which determines the meaning of its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CallClass {
    /// Transfers data to the caller.
    Read,
    /// Transfers data from the caller.
    Write,
    /// Names, attributes, locks, flushes: all other file operations.
    Metadata,
    /// Login, mount and the like: for the connection, not for a file.
    Session,
    /// Waits for an event (CHANGE_NOTIFY, poll): its time is not a service time.
    Wait,
}

/// One call as issued.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// Name of the command or system call, as in its specification: `READ`, `pread64`.
    pub name: &'static str,
    pub class: CallClass,
    /// Nanoseconds since 1970 (UTC): when the request was sent completely.
    pub at_ns: u64,
    /// Connection or thread of the call, counted from 0.
    pub lane: u32,
    /// Open file; the same number for the same file while it is open. Missing if the call has none, or the capture does not record it.
    pub file: Option<u64>,
    /// In bytes from the start of the file.
    pub offset: Option<u64>,
    /// Requested bytes.
    pub bytes: Option<u64>,
    /// True if it closes `file`.
    pub closes: bool,
}

/// Status of a response other than success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status {
    /// NTSTATUS, or errno.
    pub code: u32,
    /// `STATUS_OBJECT_NAME_NOT_FOUND`, `ENOENT`; missing for codes without a name here.
    pub name: Option<&'static str>,
    /// False for ordinary statuses: end of a file or directory, another step of a login.
    pub is_error: bool,
}

/// One call with its response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answered {
    pub call: Call,
    /// Nanoseconds since 1970 (UTC): when the response was received completely.
    pub at_ns: u64,
    /// Bytes transferred; missing if the response does not contain it, or its packet was truncated.
    pub moved_bytes: Option<u64>,
    /// Missing if it succeeded.
    pub status: Option<Status>,
    /// Round trip between the capture point and the server, from the connection's handshake, in nanoseconds; missing without handshake.
    pub round_trip_ns: Option<u64>,
    /// True if the server sent an interim response (STATUS_PENDING).
    pub was_pending: bool,
}

impl Answered {
    /// From the end of the request to the end of the response; 0 if the timestamps go backwards.
    pub fn service_ns(&self) -> u64 {
        self.at_ns.saturating_sub(self.call.at_ns)
    }
}

/// What a thread does, or waits for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// Runs on a CPU, in the program or in the kernel.
    Cpu,
    /// Runnable, and waits for a CPU.
    Ready,
    /// Blocked in a read of a file.
    Read,
    /// Blocked in a write to a file.
    Write,
    /// Blocked in a write to a file that is opened with O_SYNC or O_DSYNC.
    SyncWrite,
    /// Blocked in fsync, fdatasync and similar.
    Flush,
    /// Blocked in another call on a file or path: open, stat, unlink.
    Metadata,
    /// Waits for requests of io_uring or libaio.
    Requests,
    /// Blocked on a socket.
    Socket,
    /// Blocked on a pipe or terminal.
    Pipe,
    /// Blocked on a lock (futex, flock).
    Lock,
    Sleep,
    /// Waits for a child process.
    Child,
    /// Waits for an event (poll, epoll, select, a signal).
    Event,
    /// Blocked outside of a system call: a page fault.
    Fault,
    /// Blocked in another system call.
    Other,
}

impl Activity {
    /// All, in the order in which they are listed.
    pub const ALL: [Activity; 16] = [
        Activity::Cpu,
        Activity::Ready,
        Activity::Read,
        Activity::Write,
        Activity::SyncWrite,
        Activity::Flush,
        Activity::Metadata,
        Activity::Requests,
        Activity::Socket,
        Activity::Pipe,
        Activity::Lock,
        Activity::Sleep,
        Activity::Child,
        Activity::Event,
        Activity::Fault,
        Activity::Other,
    ];

    /// As in JSON and in saved traces.
    pub fn name(self) -> &'static str {
        match self {
            Activity::Cpu => "cpu",
            Activity::Ready => "ready",
            Activity::Read => "read",
            Activity::Write => "write",
            Activity::SyncWrite => "sync-write",
            Activity::Flush => "flush",
            Activity::Metadata => "metadata",
            Activity::Requests => "requests",
            Activity::Socket => "socket",
            Activity::Pipe => "pipe",
            Activity::Lock => "lock",
            Activity::Sleep => "sleep",
            Activity::Child => "child",
            Activity::Event => "event",
            Activity::Fault => "fault",
            Activity::Other => "other",
        }
    }

    /// The thread waits for storage.
    pub fn is_storage(self) -> bool {
        matches!(
            self,
            Activity::Read
                | Activity::Write
                | Activity::SyncWrite
                | Activity::Flush
                | Activity::Metadata
                | Activity::Requests
                | Activity::Fault
        )
    }
}

/// A period in which a thread was off its CPU. Reported at the end of the call that it was in, so that it may come after later events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffCpu {
    /// As of [`Call::lane`].
    pub lane: u32,
    /// Nanoseconds since 1970 (UTC).
    pub begin_ns: u64,
    pub end_ns: u64,
    pub activity: Activity,
    /// As of [`Call::file`]; of a call by path, the open directory from which the path starts.
    pub file: Option<u64>,
}

/// The time in which a thread existed while it was traced. Reported at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadLife {
    pub lane: u32,
    /// Nanoseconds since 1970 (UTC).
    pub begin_ns: u64,
    pub end_ns: u64,
}

/// An event of a trace, in recorded order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TraceEvent {
    /// A call was issued. In a trace with responses, one of the other events follows for it.
    Made(Call),
    /// It completed.
    Answered(Answered),
    /// It will not complete: its connection or the trace ended. The call, and the time of that.
    Unanswered(Call, u64),
    /// A thread was off its CPU.
    OffCpu(OffCpu),
    /// A thread ended, or the trace.
    Ended(ThreadLife),
}
