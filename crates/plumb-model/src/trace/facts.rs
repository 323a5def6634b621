//! What does a trace of calls other than a packet capture contain? Its origin, its size, and what was lost or is not recorded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;

/// A trace of system calls or block requests, and what it contains besides the calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceFacts {
    /// `perf`, `strace`, `etw`, `blkparse`, `biosnoop`, `ftrace`, `perf_script`, `msr`, `alibaba`, `tencent`: its format or tool. `perf` is plumb itself by the kernel's tracepoints, `etw` the event tracing of Windows.
    pub format: String,
    /// Bytes read of the file; 0 for a live trace.
    pub file_bytes: u64,
    /// Lines of the file, or records of the kernel.
    pub records: u64,
    /// False if the trace records only the start of calls: then service times and the number of outstanding calls are unknown.
    #[serde(rename = "tells_answers")]
    pub has_responses: bool,
    /// Why reading of the file stopped early; missing if it was read to the end.
    pub damage: Option<Statement>,
    /// Records that violate the format and were ignored.
    pub damaged: u64,
    /// Number of the first of them, counted from 1.
    pub first_damaged: Option<u64>,
    /// Records lost while tracing, if recorded.
    pub lost: u64,
    /// Calls whose completion is not in the trace.
    pub unanswered: u64,
    /// Completions whose call is not in the trace.
    #[serde(rename = "unasked")]
    pub unmatched_responses: u64,
    pub not_shown: NotShown,
    /// CPU time of plumb while tracing, in nanoseconds; missing for traces of other programs.
    #[serde(default)]
    pub cpu_ns: Option<u64>,
    /// File names were recorded at open, and are the paths as requested; else they were looked up shortly after, or written by another program.
    #[serde(default)]
    pub names_at_open: bool,
    /// Files without a name in the trace; a file that is opened again counts again.
    pub unnamed_files: u64,
}

/// Activity of an application that is not among the calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotShown {
    /// Calls other than file I/O; they are left out.
    pub other_calls: u64,
    /// I/O on pipes, sockets and terminals; it is left out.
    pub not_files: u64,
    /// Calls of io_uring_enter: their requests are not separate system calls.
    pub io_uring: u64,
    /// Calls of io_submit (libaio): each may submit many requests, which are not separate system calls.
    pub libaio: u64,
    /// Memory-mapped files: reads and writes there are not system calls.
    pub mapped_files: u64,
    /// Calls of 32-bit programs in a trace by tracepoints, which use other system call numbers; they are left out.
    #[serde(default)]
    pub of_32_bit: u64,
    /// Reads and writes of the memory manager and the cache (paging) in a trace of Windows' kernel: the I/O of mapped and cached files below the calls; they are left out.
    #[serde(default)]
    pub paging: u64,
    /// Requests to disks in a trace of Windows' kernel that has operations on files too: they are below those, and left out.
    #[serde(default)]
    pub disk_requests: u64,
}
