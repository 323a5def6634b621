//! What is a run? Plan, environment, ticks, readings and notes, raw: everything derived is computed on reading.

pub mod histogram;
pub mod imported;
pub mod library;
pub mod metric;
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

/// What is known before the first operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// [`RUN_FORMAT`] of the writer.
    pub format: u32,
    /// Unique name of the run: time and a random part.
    pub id: String,
    /// Version of plumb that wrote it.
    pub plumb_version: String,
    /// Start of the run: RFC 3339 with offset, and nanoseconds since 1970 (UTC). All other times count from here. Empty and 0 in an imported run whose
    /// source does not say.
    pub started: String,
    pub started_unix_ns: u64,
    /// The command line as given.
    pub command: Vec<String>,
    pub plan: Plan,
    pub environment: Environment,
    /// What the doctor found before the start.
    pub findings: Vec<Finding>,
    /// Words by which the user finds the run again (`--tag`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The live comparison that the run is a side of. Missing for a run by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_of: Option<SideOf>,
    /// Where it came from when another program measured it. Missing for a run of plumb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// What was watched, when the run made no load of its own (`plumb watch`): its plan then has no steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Watch>,
    /// The ranks that carried it out together; the record of each lies in `ranks/`, or on its host. Missing for a run of one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<Ranks>,
    /// The run of many ranks that this is one rank of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_of: Option<RankOf>,
}

impl RunHeader {
    /// The target for a list or a title: the resolved path when the plan has one target and it is known, else the targets as the user named them,
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

/// The place of a run in a live comparison: round i of every side ran in block i.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SideOf {
    /// Name of the comparison, the same in all its sides.
    pub comparison: String,
    /// Index of this side; 0 is the baseline.
    pub side: u32,
    pub sides: u32,
}

/// Something that happened, with its time in nanoseconds since the start of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub time_ns: u64,
    #[serde(flatten)]
    pub event: Event,
}

/// What can happen in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// plumb wrote files so that there is something to read, outside of any measurement.
    Prepared {
        path: String,
        bytes: u64,
        duration_ns: u64,
    },
    /// Execution `execution` began: step `step` of the plan in round `round` (from 0).
    ExecutionStarted {
        execution: u32,
        step: u32,
        round: u32,
    },
    /// A job's engine is open: what really runs, one per job and execution.
    EngineOpened {
        execution: u32,
        job: u32,
        engine: EngineRecord,
    },
    /// Measuring ended by this.
    ExecutionEnded {
        execution: u32,
        stopped_by: StopReason,
    },
    /// A step could not run; the others went on.
    ExecutionFailed { execution: u32, error: Statement },
    /// A block read back is not what was written.
    Mismatch {
        execution: u32,
        job: u32,
        path: String,
        offset: u64,
        block_bytes: u64,
        explanation: Statement,
        hex_window: String,
    },
    /// First occurrence of an error of this kind in this execution, with its place.
    FirstError {
        execution: u32,
        job: u32,
        kind: OperationKind,
        error: String,
        path: String,
        offset: u64,
    },
    /// Data that counts as written could not be brought to storage.
    WriteBackFailed {
        execution: u32,
        #[serde(flatten)]
        failure: WriteBackFailure,
    },
    /// The connection of a worker to a share or peer was lost, or is there again.
    Connection {
        execution: u32,
        job: u32,
        worker: u32,
        state: ConnectionState,
        text: Statement,
    },
    /// What a worker's engine counted by itself over one execution.
    EngineClosed {
        execution: u32,
        job: u32,
        worker: u32,
        account: EngineAccount,
    },
    /// A worker has ended: what it did by itself. Missing in older records.
    WorkerEnded {
        execution: u32,
        job: u32,
        worker: u32,
        #[serde(flatten)]
        end: WorkerEnd,
    },
    /// A rank of many has ended an execution, or could not run it.
    RankEnded {
        execution: u32,
        #[serde(flatten)]
        end: RankEnd,
    },
    /// A rank of many is lost: what it had not handed over yet is in its own record only.
    RankLost {
        execution: Option<u32>,
        rank: u32,
        host: String,
        why: Statement,
    },
    /// What the source of an imported run states without what it rests on.
    #[serde(rename = "stated")]
    Reported {
        execution: u32,
        job: u32,
        #[serde(rename = "stated")]
        reported: Reported,
    },
    /// Anything else that a reader of the figures should know.
    Warning { text: Statement },
    /// The generator's own ceiling on this machine with this workload and the null engine, measured before or after the steps.
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
    /// Watching has ended, and cost this.
    Watched {
        #[serde(flatten)]
        cost: WatchCost,
    },
    /// The run is complete (`interrupted: false`) or was ended by a signal. Missing: the run was killed or still goes on.
    Finished { interrupted: bool },
}

impl Event {
    /// What the event says of the state of the run: `finished` or `interrupted` (by a signal). Missing when it says nothing; a run none of whose
    /// events does is [`INCOMPLETE`].
    pub fn state(&self) -> Option<&'static str> {
        match self {
            Event::Finished { interrupted: false } => Some("finished"),
            Event::Finished { interrupted: true } => Some("interrupted"),
            _ => None,
        }
    }

    /// The execution that it belongs to. Missing for what concerns the whole run.
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

/// An error of write-back: the writes were acknowledged, and the kernel or the file system told afterwards that the data was not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WriteBackFailure {
    /// The file, device, or folder of files.
    pub path: String,
    /// The call that told it: `fsync`, `syncfs`, `msync`, `close`.
    pub call: String,
    /// The kernel's name of the error, such as `EIO` or `ENOSPC`.
    pub error: String,
}

/// State of a run that was killed, or still goes on.
pub const INCOMPLETE: &str = "incomplete";

/// Which engine ran and how, as it really was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EngineRecord {
    /// Name of the engine.
    pub name: String,
    /// What is in use: `SINGLE_ISSUER`, `DEFER_TASKRUN`, `registered buffers`, `O_DIRECT`, ...
    pub active: Vec<String>,
    /// What was wanted and could not be had, each with the reason.
    pub refused: Vec<Statement>,
    /// `batch` or `each`.
    pub stamping: String,
    /// Operations submitted at once, at most.
    pub batch: u32,
    /// Source of the times: `tsc` or `clock_monotonic`.
    pub clock: String,
    /// What the target resolved to, and the bytes in use.
    pub target: String,
    pub size_bytes: u64,
    /// True when the page cache is bypassed; missing when the question does not arise.
    pub direct: Option<bool>,
    /// What was agreed with a share or peer, of the first worker: `dialect`, `signing`, `read_max_bytes`, ... Empty for local targets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub connection: BTreeMap<String, String>,
}

/// Names in [`EngineRecord::active`] that others ask for.
pub mod active {
    /// The page cache is bypassed.
    pub const DIRECT: &str = "O_DIRECT";
    /// The device is polled for completions: the engine io_uring with its option iopoll.
    pub const POLLS: &str = "IOPOLL";
    /// The socket is polled for what is to come: the option busy-poll of engines on the network.
    pub const POLLS_SOCKET: &str = "busy polling";
    /// The socket is polled for up to 100 us for the answer to a single request, before the worker sleeps: the default of these engines.
    pub const POLLS_BRIEFLY: &str = "polling up to 100 us before sleeping";
    /// What is read is discarded in the kernel: the option skip-rx-copy of engines on the network.
    pub const DISCARDS: &str = "skip-rx-copy (data discarded in the kernel)";
}

impl EngineRecord {
    /// True when this is in use: one of [`active`].
    pub fn has(&self, option: &str) -> bool {
        self.active.iter().any(|active| active == option)
    }
}

/// What became of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionState {
    /// Operations in flight failed with it; the engine tries to connect again.
    Lost,
    /// Connected again.
    Restored,
}

/// What an engine counted that the loop around it cannot see.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineAccount {
    /// Numbers by name, unit last: `credit_waits`, `retransmits`, `round_trip_us`, `reconnects`. A name that ends in `_us` or `_bytes` is a level, of which
    /// summaries show the mean over workers; one that ends in `_per_s` a rate, which adds up over workers; any other is a count, or a time in seconds that was
    /// spent (`credit_wait_s`, `on_wire_s`, over all operations), of which they show the sum.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, f64>,
    /// Response times in nanoseconds by the protocol's command: `CREATE`, `READ`, `CLOSE`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub commands: BTreeMap<String, Histogram>,
    /// What of these times was spent on this machine. Missing in older records, and where it was not measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, CommandStages>,
    /// What went over its connections, by the addresses of both ends. Missing in older records, and where nothing goes over TCP.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathAccount>,
}

/// The parts of the response times of a command that were spent on the machine of the client, in nanoseconds. The rest is the network's and the server's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandStages {
    /// From laying the request out until the socket had taken its last byte, the system calls included. Empty where that was not measured.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub send_queue: Histogram,
    /// From when the last bytes of the reply reached the machine, by the kernel's time stamp of the packet, until the reply was taken: the wake-up of the thread
    /// and the receipt. Empty where the system has no such stamps. Replies that were received at once have the stamp of the last of them.
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

/// What went over the connections between two addresses, login and warm-up included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PathAccount {
    /// Address of this machine, without a port: connections have one each.
    pub client: String,
    /// Address and port of the server.
    pub server: String,
    /// Connections, one after another or at once.
    pub connections: u32,
    /// Bytes that the programs gave to and took from TCP.
    pub sent_bytes: u64,
    pub received_bytes: u64,
}

impl PathAccount {
    /// Adds this to what is known of the same two addresses.
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
    /// The workers of a job in one execution, each with its own account, in order of their numbers. Empty for older records and imported runs.
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

/// A whole run, as read from its folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub header: RunHeader,
    pub ticks: Vec<Tick>,
    pub readings: Vec<Reading>,
    pub notes: Vec<Note>,
    /// What the reader doubts: a truncated last line, a file that is missing.
    pub doubts: Vec<Statement>,
}
