//! Where did the time of a program go? Each thread's time by what it did, the program's own time, and what a change would give.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conclusion::ProofState;
use crate::run::watch::CommandEnd;
use crate::statement::Statement;
use crate::trace::events::Activity;
use crate::trace::facts::{DeviceLoad, IoLimit, MemoryLimit};

/// Name and version of the schema of `plumb why --json`. Names may be added under one version, never changed.
pub const WHY_SCHEMA: &str = "plumb-why-1";

/// Why a program takes the time that it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// `plumb-why-1`.
    pub schema: String,
    pub plumb_version: String,
    /// The command, process or recording, as given.
    pub source: String,
    /// How the command ended; missing for a process or a recording.
    pub end: Option<CommandEnd>,
    /// Missing if the recording has no time of threads.
    pub account: Option<TimeAccount>,
    /// Where the time went, in one sentence; or why nothing is concluded.
    pub verdict: Statement,
    /// Most gain first.
    pub findings: Vec<WhatIf>,
    /// What the recording does not show.
    pub doubts: Vec<Statement>,
    /// Test of the first finding on the program itself; missing without one.
    pub proof: Option<HeldProof>,
    /// A changed command beside this one; missing without one.
    #[serde(default)]
    pub against: Option<Against>,
}

/// Run times of a command and of a changed one, in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Against {
    /// The changed command, as given.
    pub command: String,
    /// Run times of the command, and of the changed one in the same round, in nanoseconds.
    pub before_ns: Vec<u64>,
    pub after_ns: Vec<u64>,
    /// How many times as fast the changed one is, with an interval of 90 % confidence; missing for fewer than two rounds.
    pub factor: Option<(f64, f64, f64)>,
    pub statement: Statement,
}

/// A program that ran again with its calls on a storage held for known times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeldProof {
    pub storage: String,
    /// Shortest time first; the first is notified only.
    pub points: Vec<HeldPoint>,
    /// Run times with nothing done to the program, in nanoseconds.
    pub alone_ns: Vec<u64>,
    /// Requests that the program waits for one after another: the slope of its run time against the time of each call, with an interval of 90 % confidence.
    pub in_turn: Option<(f64, f64, f64)>,
    /// What storage twice as fast would give by that.
    pub gain: Option<Gain>,
    pub state: ProofState,
    pub statement: Statement,
    /// The same command with the files that it reads in the page cache; missing where it did not read them from the storage, or they could not be dropped from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<CachedRuns>,
}

/// Runs with all files that are read in the page cache, each after one without.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CachedRuns {
    /// Run times, in nanoseconds.
    pub elapsed_ns: Vec<u64>,
    /// How many times as fast as without, with an interval of 90 % confidence; missing for fewer than two rounds.
    pub factor: Option<(f64, f64, f64)>,
    pub statement: Statement,
}

/// Runs with calls held for one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeldPoint {
    /// How long each call was held on average, in nanoseconds.
    pub held_ns: f64,
    /// Calls that were held, mean over the runs.
    pub calls: f64,
    /// Run times, in nanoseconds.
    pub elapsed_ns: Vec<u64>,
}

/// The time of a program and of its threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeAccount {
    /// True if every switch of a thread was recorded; false if only calls on files were, so that the time between them is not known further.
    pub has_switches: bool,
    /// From the first thread's begin to the last one's end, in nanoseconds.
    pub span_ns: u64,
    /// There were more waits than are kept: the account ends before the recording.
    pub is_cut: bool,
    /// The program's own time: at each moment, divided evenly among the threads that do not wait for another one. Sums to the span; most first.
    pub program: Vec<Part>,
    /// Time of each thread, most first; sums to the thread's life. At most 64.
    pub threads: Vec<ThreadAccount>,
    /// Number of threads, including those that are left out above.
    pub threads_count: u64,
    /// Parts of the span in which the program's own time is of one kind, in order.
    pub phases: Vec<Phase>,
    /// Calls on storage, most time first.
    pub requests: Vec<RequestFigures>,
    /// Waiting for locks by threads that do so again and again; missing without.
    pub locks: Option<LockFigures>,
    /// File systems and devices that the parts name.
    pub storages: Vec<Storage>,
    /// The block devices behind these, and what they did meanwhile for any program; empty for a recording without.
    #[serde(default)]
    pub devices: Vec<DeviceUse>,
    /// Full limits on memory of the program's control groups, and limits on I/O whether reached or not; empty without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_limits: Vec<MemoryLimit>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io_limits: Vec<IoLimit>,
}

/// A block device while the program ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceUse {
    pub load: DeviceLoad,
    /// Those of the account that lie on it: mount points, or the device itself.
    pub storages: Vec<String>,
    /// Share of its bytes that were moved for other programs, 0 to 1; missing where several devices moved data, or it may not be seen.
    pub others_share: Option<f64>,
    /// The program's reads beside what the device read for it; missing where either is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<ReadOrigin>,
}

/// Reads of a program, and what a device read for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadOrigin {
    pub count: u64,
    /// Calls in which the thread was blocked; the others found their data in memory.
    pub waited: u64,
    /// Bytes that the calls returned.
    pub bytes: u64,
    /// Bytes that the device read for the program, readahead and mapped files included.
    pub device_bytes: u64,
}

/// Time of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    pub activity: Activity,
    /// Mount point or device; missing where there is none, or it is not known.
    pub storage: Option<String>,
    pub ns: u64,
    /// Of the span, or of the thread's life: 0 to 1.
    pub share: f64,
}

impl Part {
    /// What it is, as a label with its storage: reads of /mnt/data.
    pub fn named(&self) -> Statement {
        if let Some(storage) = &self.storage
            && let Some(statement) = on_storage(self.activity, storage)
        {
            return statement;
        }
        match self.activity {
            Activity::Cpu => Statement::new("activity-cpu"),
            Activity::Ready => Statement::new("activity-ready"),
            Activity::Read => Statement::new("activity-read"),
            Activity::Write => Statement::new("activity-write"),
            Activity::SyncWrite => Statement::new("activity-sync-write"),
            Activity::Flush => Statement::new("activity-flush"),
            Activity::Metadata => Statement::new("activity-metadata"),
            Activity::Requests => Statement::new("activity-requests"),
            Activity::Socket => Statement::new("activity-socket"),
            Activity::Pipe => Statement::new("activity-pipe"),
            Activity::Lock => Statement::new("activity-lock"),
            Activity::Sleep => Statement::new("activity-sleep"),
            Activity::Child => Statement::new("activity-child"),
            Activity::Event => Statement::new("activity-event"),
            Activity::Fault => Statement::new("activity-fault"),
            Activity::Other => Statement::new("activity-other"),
        }
    }
}

/// A label with the storage, for activities that have one.
fn on_storage(activity: Activity, storage: &str) -> Option<Statement> {
    Some(match activity {
        Activity::Read => Statement::new("activity-read-on").name("storage", storage),
        Activity::Write => Statement::new("activity-write-on").name("storage", storage),
        Activity::SyncWrite => Statement::new("activity-sync-write-on").name("storage", storage),
        Activity::Flush => Statement::new("activity-flush-on").name("storage", storage),
        Activity::Metadata => Statement::new("activity-metadata-on").name("storage", storage),
        _ => return None,
    })
}

/// Time of one thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadAccount {
    /// Thread number as the system has it.
    pub name: String,
    /// After the begin of the account, in nanoseconds.
    pub begin_ns: u64,
    pub span_ns: u64,
    pub parts: Vec<Part>,
}

/// A part of the span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// After the begin of the account, in nanoseconds.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// The program's own time in it, most first.
    pub program: Vec<Part>,
}

/// Calls of one kind on one file system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestFigures {
    pub activity: Activity,
    pub storage: Option<String>,
    /// The call that waited longest in all, else the most frequent one: `pread64`.
    pub call: String,
    pub count: u64,
    /// Calls in which the thread was blocked; the others were served from memory. All, where switches are not known.
    pub waited: u64,
    /// Bytes moved by all of them.
    pub bytes: u64,
    /// Time of the calls that waited: sum, median and 99th percentile in nanoseconds.
    pub waited_ns: u64,
    pub p50_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    /// Time of all calls on the CPU: copying, and work of the kernel.
    pub cpu_ns: u64,
    /// Threads that waited at the same time, mean while any did.
    pub at_once: Option<f64>,
    /// Most at the same time.
    pub at_once_max: u64,
    /// Shares of the transfers with a known offset that start where the previous one on the file ended, 0 to 1.
    pub sequential_share: Option<f64>,
    /// Calls per second, if these are as many in each part of the time although single calls take very different times, as under a limit on the rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_rate: Option<f64>,
}

/// Waiting for locks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LockFigures {
    /// Threads that wait for locks again and again.
    pub threads: u64,
    /// Share of their lives that they wait for locks, 0 to 1.
    pub share: f64,
    /// What the threads that do not wait do meanwhile; most first. Shares of the time with any thread waiting for a lock.
    pub meanwhile: Vec<Part>,
}

/// A file system or device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Storage {
    pub name: String,
    /// `ext4`, `nfs4`; missing for a device.
    pub file_system: Option<String>,
    /// Device or server: `/dev/vda`, `server:/export`.
    pub source: Option<String>,
}

/// A change, and what it would give.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhatIf {
    pub question: Question,
    pub storage: Option<String>,
    /// Share of the program's own time that the change concerns, 0 to 1.
    pub share: f64,
    /// Where the time goes.
    pub claim: Statement,
    /// The change, with its expected factor of speed.
    pub gains: Vec<Gain>,
    pub advice: Statement,
    /// A command that tests it.
    pub test: Option<String>,
}

/// What is asked of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Requests one after another: more at once.
    OneAtATime,
    /// Many requests at once already: the storage itself.
    StorageIsSlow,
    /// Durable writes: fewer flushes.
    Durability,
    /// Calls on names and attributes.
    Metadata,
    /// The program computes: storage is not the limit.
    Computing,
    /// The program pauses.
    Pauses,
    /// Threads wait for a lock while one works.
    Lock,
    /// Threads wait for a CPU.
    NoCpu,
    /// Pages of mapped files or of swap.
    PageFaults,
    /// Other programs keep the device busy.
    Interference,
    /// A limit on memory makes the program read again what it had read.
    MemoryLimit,
    /// A limit on requests or bytes per second.
    RateLimit,
    /// The other end of a connection.
    Peer,
    /// Another process: the other end of a pipe, a child, an event.
    OtherProcess,
    /// Whatever is done between calls on files, where a trace shows these only.
    BetweenCalls,
}

/// Expected factor of a change; 2 is twice as fast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gain {
    pub change: Statement,
    /// Expected range; no confidence is stated.
    pub low: f64,
    pub high: f64,
}
