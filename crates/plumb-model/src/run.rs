//! What is a run? Plan, environment, ticks, readings and notes, raw: derived figures are computed on reading.

pub mod histogram;
pub mod imported;
pub mod library;
pub mod metric;
pub mod operation;
pub mod ranks;
pub mod step_end;
pub mod tick;
pub mod watch;
pub mod worker_end;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::plan::Plan;
use crate::results::finding::Finding;
use crate::run::histogram::Histogram;
use crate::run::imported::{Imported, Reported};
use crate::run::metric::Reading;
use crate::run::ranks::{RankEnd, RankOf, Ranks};
use crate::run::step_end::StopReason;
use crate::run::tick::Tick;
use crate::run::watch::{CommandEnd, Watch, WatchCost};
use crate::run::worker_end::WorkerEnd;
use crate::statement::Statement;
use crate::workload::OperationKind;

/// Version of the run folder's format; a reader refuses a newer one.
pub const RUN_FORMAT: u32 = 3;

/// Header of a run, written before the first operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// [`RUN_FORMAT`] of the writer.
    pub format: u32,
    /// Unique name of the run: time and a random part.
    pub id: String,
    /// Version of plumb that wrote it.
    pub plumb_version: String,
    /// Start of the run: RFC 3339 with offset, and nanoseconds since 1970 (UTC). All other times are relative to it. Empty and 0 in an imported run whose
    /// source does not record it.
    pub started: String,
    pub started_unix_ns: u64,
    /// The command line as given.
    pub command: Vec<String>,
    pub plan: Plan,
    pub environment: Environment,
    /// Findings of the doctor before the start.
    pub findings: Vec<Finding>,
    /// Tags for finding the run later (`--tag`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The live comparison that the run is a side of. Missing for a single run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_of: Option<SideOf>,
    /// Origin of a run measured by another program. Missing for a run of plumb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// The request of `plumb watch`, if the run generated no load: its plan then has no steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Watch>,
    /// The ranks of the run; the record of each is in `ranks/`, or on its host. Missing for a run of one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<Ranks>,
    /// The run of many ranks that this run is one rank of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_of: Option<RankOf>,
}

impl RunHeader {
    /// The target for a list or a title: the resolved path if the plan has one target and it is known, else the targets as given,
    /// each once.
    pub fn target(&self) -> String {
        let mut targets: Vec<String> = Vec::new();
        for job in self.plan.steps.iter().flat_map(|step| &step.jobs) {
            let target = job.target.to_string();
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        match (targets.as_slice(), self.environment.text("target.path")) {
            ([_], Some(path)) => path.to_string(),
            _ => targets.join(", "),
        }
    }
}

/// Position of a run in a live comparison: round i of every side ran in block i.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SideOf {
    /// Name of the comparison, the same in all its sides.
    pub comparison: String,
    /// Index of this side; 0 is the baseline.
    pub side: u32,
    pub sides: u32,
}

/// An event, with its time in nanoseconds since the start of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub time_ns: u64,
    #[serde(flatten)]
    pub event: Event,
}

/// An event of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// plumb wrote files so that there is data to read, outside of any measurement.
    Prepared {
        path: String,
        bytes: u64,
        duration_ns: u64,
    },
    /// Execution `execution` started: step `step` of the plan in round `round` (from 0).
    ExecutionStarted {
        execution: u32,
        step: u32,
        round: u32,
    },
    /// A job's engine is open: its effective settings, one event per job and execution.
    EngineOpened {
        execution: u32,
        job: u32,
        engine: EngineRecord,
    },
    /// Why the measurement ended.
    ExecutionEnded {
        execution: u32,
        stopped_by: StopReason,
    },
    /// A step could not run; the others continued.
    ExecutionFailed { execution: u32, error: Statement },
    /// A block read back differs from what was written.
    Mismatch {
        execution: u32,
        job: u32,
        path: String,
        offset: u64,
        block_bytes: u64,
        explanation: Statement,
        hex_window: String,
    },
    /// First occurrence of an error of this kind in this execution, with its location.
    FirstError {
        execution: u32,
        job: u32,
        kind: OperationKind,
        error: String,
        path: String,
        offset: u64,
    },
    /// Acknowledged writes failed in writeback.
    WriteBackFailed {
        execution: u32,
        #[serde(flatten)]
        failure: WriteBackFailure,
    },
    /// The connection of a worker to a share or peer was lost or restored.
    Connection {
        execution: u32,
        job: u32,
        worker: u32,
        state: ConnectionState,
        text: Statement,
    },
    /// Counters of a worker's engine over one execution.
    EngineClosed {
        execution: u32,
        job: u32,
        worker: u32,
        account: EngineAccount,
    },
    /// A worker has ended: its own figures. Missing in older records.
    WorkerEnded {
        execution: u32,
        job: u32,
        worker: u32,
        #[serde(flatten)]
        end: WorkerEnd,
    },
    /// A rank has ended an execution, or could not run it.
    RankEnded {
        execution: u32,
        #[serde(flatten)]
        end: RankEnd,
    },
    /// A rank is lost: data that it had not sent is only in its own record.
    RankLost {
        execution: Option<u32>,
        rank: u32,
        host: String,
        why: Statement,
    },
    /// Figures that the source of an imported run states without raw data.
    #[serde(rename = "stated")]
    Reported {
        execution: u32,
        job: u32,
        #[serde(rename = "stated")]
        reported: Reported,
    },
    /// Any other note on the figures.
    Warning { text: Statement },
    /// The limit of the load generator on this machine with this workload and the null engine, measured before or after the steps.
    Ceiling {
        execution: u32,
        job: u32,
        operations_per_s: f64,
    },
    /// The watched command has ended.
    CommandEnded {
        #[serde(flatten)]
        end: CommandEnd,
    },
    /// Watching has ended, with its cost.
    Watched {
        #[serde(flatten)]
        cost: WatchCost,
    },
    /// The run is complete (`interrupted: false`) or was ended by a signal. Missing: the run was killed or is still running.
    Finished { interrupted: bool },
}

impl Event {
    /// State of the run after the event: `finished` or `interrupted` (by a signal). `None` if it does not set one; a run none of whose
    /// events does is [`INCOMPLETE`].
    pub fn state(&self) -> Option<&'static str> {
        match self {
            Event::Finished { interrupted: false } => Some("finished"),
            Event::Finished { interrupted: true } => Some("interrupted"),
            _ => None,
        }
    }

    /// The execution that it belongs to. `None` for events of the entire run.
    pub fn execution_mut(&mut self) -> Option<&mut u32> {
        match self {
            Event::ExecutionStarted { execution, .. }
            | Event::EngineOpened { execution, .. }
            | Event::ExecutionEnded { execution, .. }
            | Event::ExecutionFailed { execution, .. }
            | Event::Mismatch { execution, .. }
            | Event::FirstError { execution, .. }
            | Event::WriteBackFailed { execution, .. }
            | Event::Connection { execution, .. }
            | Event::EngineClosed { execution, .. }
            | Event::WorkerEnded { execution, .. }
            | Event::RankEnded { execution, .. }
            | Event::Reported { execution, .. }
            | Event::Ceiling { execution, .. } => Some(execution),
            Event::RankLost { execution, .. } => execution.as_mut(),
            Event::Prepared { .. }
            | Event::Warning { .. }
            | Event::CommandEnded { .. }
            | Event::Watched { .. }
            | Event::Finished { .. } => None,
        }
    }
}

/// A writeback error: the writes were acknowledged, but the kernel or the file system reported later that the data was not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WriteBackFailure {
    /// The file, device, or folder of files.
    pub path: String,
    /// The call that reported it: `fsync`, `syncfs`, `msync`, `close`.
    pub call: String,
    /// The kernel's name of the error, such as `EIO` or `ENOSPC`.
    pub error: String,
}

/// State of a run that was killed, or is still running.
pub const INCOMPLETE: &str = "incomplete";

/// Which engine ran, with its effective settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EngineRecord {
    /// Name of the engine.
    pub name: String,
    /// Features in use: `SINGLE_ISSUER`, `DEFER_TASKRUN`, `registered buffers`, `O_DIRECT`, ...
    pub active: Vec<String>,
    /// Requested features that are not available, each with the reason.
    pub refused: Vec<Statement>,
    /// `batch` or `each`.
    pub stamping: String,
    /// Operations submitted at once, at most.
    pub batch: u32,
    /// Source of the times: `tsc` or `clock_monotonic`.
    pub clock: String,
    /// Resolved target, and the bytes in use.
    pub target: String,
    pub size_bytes: u64,
    /// True if the page cache is bypassed; missing if not applicable.
    pub direct: Option<bool>,
    /// Negotiated with a share or peer, for the first worker: `dialect`, `signing`, `read_max_bytes`, ... Empty for local targets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub connection: BTreeMap<String, String>,
}

/// Names in [`EngineRecord::active`] that other code checks.
pub mod active {
    /// The page cache is bypassed.
    pub const DIRECT: &str = "O_DIRECT";
    /// The device is polled for completions: the engine io_uring with its option iopoll.
    pub const POLLS: &str = "IOPOLL";
    /// The socket is polled for incoming data: option busy-poll of network engines.
    pub const POLLS_SOCKET: &str = "busy polling";
    /// The socket is polled for up to 100 us for a single response before the worker sleeps: the default of network engines.
    pub const POLLS_BRIEFLY: &str = "polling up to 100 us before sleeping";
    /// Received data is discarded in the kernel: option skip-rx-copy of network engines.
    pub const DISCARDS: &str = "skip-rx-copy (data discarded in the kernel)";
}

impl EngineRecord {
    /// True if the feature is in use: one of [`active`].
    pub fn has(&self, option: &str) -> bool {
        self.active.iter().any(|active| active == option)
    }
}

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionState {
    /// Operations in flight failed; the engine tries to reconnect.
    Lost,
    /// Connected again.
    Restored,
}

/// Counters kept by an engine, not visible to the load loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineAccount {
    /// Numbers by name, unit last: `credit_waits`, `retransmits`, `round_trip_us`, `reconnects`. A name that ends in `_us` or `_bytes` is a level, of which
    /// summaries show the mean over workers; one that ends in `_per_s` a rate, which adds up over workers; any other is a count, or a time in seconds
    /// (`credit_wait_s`, `on_wire_s`, over all operations), of which they show the sum.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, f64>,
    /// Response times in nanoseconds by the protocol's command: `CREATE`, `READ`, `CLOSE`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub commands: BTreeMap<String, Histogram>,
    /// Part of these times spent on this machine. Missing in older records, and if not measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, CommandStages>,
    /// Traffic of its connections, by the addresses of both ends. Missing in older records, and without TCP.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathAccount>,
}

/// The parts of the response times of a command spent on the client, in nanoseconds. The rest is network and server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandStages {
    /// From building the request until the socket accepted its last byte, system calls included. Empty if not measured.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub send_queue: Histogram,
    /// From the arrival of the last bytes of the reply, by the kernel's packet timestamp, until the reply was read: the wake-up of the thread
    /// and the receive call. Empty if the system has no such timestamps. Replies received together have the timestamp of the last of them.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub wake_up: Histogram,
}

impl CommandStages {
    /// Nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.send_queue.is_empty() && self.wake_up.is_empty()
    }

    /// Adds the requests of another worker or round.
    pub fn merge(&mut self, other: &CommandStages) {
        self.send_queue.merge(&other.send_queue);
        self.wake_up.merge(&other.wake_up);
    }
}

/// Traffic of the connections between two addresses, including login and warm-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PathAccount {
    /// Address of this machine, without a port: each connection has its own.
    pub client: String,
    /// Address and port of the server.
    pub server: String,
    /// Number of connections, consecutive or concurrent.
    pub connections: u32,
    /// Bytes sent to and received from TCP by the programs.
    pub sent_bytes: u64,
    pub received_bytes: u64,
}

impl PathAccount {
    /// Adds this to the entry of the same two addresses.
    pub fn add_to(&self, paths: &mut Vec<PathAccount>) {
        let same = paths
            .iter_mut()
            .find(|path| (&path.client, &path.server) == (&self.client, &self.server));
        match same {
            Some(path) => {
                path.connections += self.connections;
                path.sent_bytes += self.sent_bytes;
                path.received_bytes += self.received_bytes;
            }
            None => paths.push(self.clone()),
        }
    }
}

impl EngineAccount {
    /// Nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
            && self.commands.is_empty()
            && self.stages.is_empty()
            && self.paths.is_empty()
    }
}

impl Run {
    /// The workers of a job in one execution, by number. Empty for older records and imported runs.
    pub fn worker_ends(&self, execution: u32, job: u32) -> BTreeMap<u32, &WorkerEnd> {
        let of_job = self.notes.iter().filter_map(|note| match &note.event {
            Event::WorkerEnded {
                execution: of,
                job: its,
                worker,
                end,
            } if (*of, *its) == (execution, job) => Some((*worker, end)),
            _ => None,
        });
        of_job.collect()
    }
}

/// A run as read from its folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub header: RunHeader,
    pub ticks: Vec<Tick>,
    pub readings: Vec<Reading>,
    pub notes: Vec<Note>,
    /// Doubts of the reader: a truncated last line, a missing file.
    pub doubts: Vec<Statement>,
}
