//! What does a trace of calls other than a packet capture contain? Its origin, its size, and what was lost or is not recorded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;

/// A trace of system calls or block requests, and what it contains besides the calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceFacts {
    /// `perf`, `strace`, `etw`, `blkparse`, `biosnoop`, `ftrace`, `perf_script`, `msr`, `alibaba`, `tencent`, `samples`: its format or tool. `perf` is plumb itself by the kernel's tracepoints, `samples` plumb itself by /proc, `etw` the event tracing of Windows.
    pub format: String,
    /// Bytes read of the file; 0 for a live trace.
    pub file_bytes: u64,
    /// Lines of the file, records of the kernel, or looks at all threads (`samples`).
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
    /// Block devices that did anything meanwhile, for any program; empty for traces of other programs.
    #[serde(default)]
    pub devices: Vec<DeviceLoad>,
    /// Limits on memory of the program's control groups that were full, so that pages of files were dropped and read again; empty without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_limits: Vec<MemoryLimit>,
    /// Limits on I/O of the program's control groups, whether they were reached or not; empty without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io_limits: Vec<IoLimit>,
}

/// A control group whose memory was full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLimit {
    /// The file that sets the limit: `/sys/fs/cgroup/x/memory.max`.
    pub file: String,
    pub limit_bytes: u64,
    /// Pages of files that were read again after the kernel had dropped them, in bytes, while the program ran (workingset_refault_file of memory.stat).
    pub refaulted_bytes: u64,
}

/// A limit on the I/O of a control group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IoLimit {
    /// The file that sets it: `/sys/fs/cgroup/x/io.max`.
    pub file: String,
    /// Name of the kernel: `sda`.
    pub device: String,
    /// Major and minor number, as the file has them: `8:0`.
    pub number: String,
    pub kind: IoLimitKind,
    /// Requests or bytes per second.
    pub per_second: u64,
}

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IoLimitKind {
    Reads,
    Writes,
    ReadBytes,
    WriteBytes,
}

/// What a block device did while a program was traced, for this and all other programs: by the kernel's counters (Documentation/admin-guide/iostats.rst).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceLoad {
    /// Name of the kernel: `sda`, `nvme0n1p2`.
    pub device: String,
    /// Mount points of its file systems.
    pub mounts: Vec<String>,
    pub reads: u64,
    pub read_bytes: u64,
    pub writes: u64,
    pub write_bytes: u64,
    /// Mean time of a read or write from queueing to completion, in nanoseconds.
    pub request_ns: f64,
    /// Flushes of the device's cache, which are not among the requests, and the mean time of one in nanoseconds.
    pub flushes: u64,
    pub flush_ns: f64,
    /// Share of the time with a request in flight, 0 to 1.
    pub busy_share: f64,
    /// Mean number of requests in flight.
    pub outstanding: f64,
    /// Bytes that the kernel charged to the program, on all devices together: fetched, and to be written, maybe later. Missing where it may not be seen.
    pub own_read_bytes: Option<u64>,
    pub own_write_bytes: Option<u64>,
}

impl TraceFacts {
    /// True if the calls are those of a program's threads, with their times: their time can be accounted for. Requests of a block device are not.
    pub fn has_threads(&self) -> bool {
        self.has_responses && matches!(self.format.as_str(), "perf" | "strace" | "etw" | "samples")
    }
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
