//! What is to be known of a trace of calls that is no capture of packets? Who made it, how much it holds, and what of it is lost or not shown by it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;

/// A trace of system calls or block requests, and what was found in it beside the calls themselves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceFacts {
    /// `perf`, `strace`, `etw`, `blkparse`, `msr`, `alibaba`, `tencent`: what made it. `perf` is plumb itself by the kernel's tracepoints, `etw` the event tracing of Windows.
    pub format: String,
    /// Bytes of the file that were read; 0 for a trace that was made just now.
    pub file_bytes: u64,
    /// Lines of the file, or records of the kernel.
    pub records: u64,
    /// False when the trace tells only that calls were made: then there are no times, and nothing is known of how many were outstanding.
    #[serde(rename = "tells_answers")]
    pub has_responses: bool,
    /// Why the file was not read to its end; missing when it was.
    pub damage: Option<Statement>,
    /// Records that are not of the format and were left out.
    pub damaged: u64,
    /// Number of the first of them, counted from 1.
    pub first_damaged: Option<u64>,
    /// Records that were lost while the trace was made, where it says so.
    pub lost: u64,
    /// Calls whose answer is not in the trace.
    pub unanswered: u64,
    /// Answers whose call is not in the trace.
    #[serde(rename = "unasked")]
    pub unmatched_responses: u64,
    pub not_shown: NotShown,
    /// CPU time that plumb itself took while it made the trace, in nanoseconds; missing for what others made.
    #[serde(default)]
    pub cpu_ns: Option<u64>,
    /// Names of files were read as programs opened them, and are the paths that they asked for; else they were looked up a moment later, or written by another program.
    #[serde(default)]
    pub names_at_open: bool,
    /// Files of which the trace does not tell the name; a file that is opened again counts again.
    pub unnamed_files: u64,
}

/// What an application did that is not among the calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotShown {
    /// Calls that are no input or output of files; they are left out.
    pub other_calls: u64,
    /// Reads, writes and the like of pipes, sockets and terminals; they are left out.
    pub not_files: u64,
    /// Calls of io_uring_enter: requests that go that way are no system calls of their own.
    pub io_uring: u64,
    /// Calls of io_submit (libaio): each may submit many requests, which are no system calls of their own.
    pub libaio: u64,
    /// Files that were mapped into memory: what is read and written there is no system call.
    pub mapped_files: u64,
    /// Calls of 32-bit programs in a trace by tracepoints, which number them otherwise than those of this system; they are left out.
    #[serde(default)]
    pub of_32_bit: u64,
    /// Reads and writes of the memory manager and the cache (paging) in a trace of Windows' kernel: what mapped and cached files came to below the calls; they are left out.
    #[serde(default)]
    pub paging: u64,
    /// Requests to disks in a trace of Windows' kernel that has operations on files too: they are below those, and left out.
    #[serde(default)]
    pub disk_requests: u64,
}
