//! What do the ranks of a run exchange? JSON, one value per message.

use plumb_model::environment::Environment;
use plumb_model::run::ranks::{JointTarget, Placement, RankEnd};
use plumb_model::run::tick::Tick;
use plumb_model::run::{EngineRecord, Event};
use serde::{Deserialize, Serialize};

/// Version of the messages; all ranks must have the same.
pub const VERSION: u32 = 4;

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub enum Message {
    /// To rank 0: here I am.
    Hello(Box<Hello>),
    /// From rank 0: it cannot begin, for this reason.
    Refused { reason: String },
    /// From rank 0, which puts its clock in, and back with the other's clock and time of day.
    Ping { sent_ns: u64 },
    Pong {
        sent_ns: u64,
        clock_ns: u64,
        unix_ns: u64,
    },
    /// From rank 0: the run begins.
    Begun(Box<Begun>),
    /// To rank 0: the target could not be made ready, or the record could not be made.
    CannotBegin { reason: String },
    /// From rank 0: all carry out this step of the plan next; executions are counted from 0, those that need more hosts than there are too.
    Turn {
        execution: u32,
        step: u32,
        round: u32,
    },
    /// From rank 0: no step follows.
    NoMore,
    /// To rank 0: files that ranks share are there, by the number of their set.
    Made { sets: Vec<(u32, JointTarget)> },
    /// From rank 0: the same.
    Shared { sets: Vec<(u32, JointTarget)> },
    /// To rank 0: the files of this rank are in the state that the execution begins with.
    Ready { execution: u32 },
    /// From rank 0: so are those of all ranks.
    AllReady { execution: u32 },
    /// To rank 0: all engines of the execution are open.
    Arrived {
        execution: u32,
        /// What opened, by job.
        engines: Vec<(u32, EngineRecord)>,
    },
    /// From rank 0: all have arrived; the load starts, after the barrier where there is one.
    /// Without one at a time, by rank 0's clock.
    Go {
        execution: u32,
        barrier: bool,
        at_ns: Option<u64>,
    },
    /// To the rank above in the tree: intervals of the ranks below, and how many of these have ended the execution.
    Intervals {
        execution: u32,
        ticks: Vec<Tick>,
        ended: u32,
    },
    /// To rank 0: a remark for readers of the combined record.
    Noted { event: Event },
    /// To rank 0: the execution has ended here.
    Ended { execution: u32, end: RankEnd },
    /// From rank 0: it has ended everywhere.
    AllEnded { execution: u32 },
    /// To rank 0: this rank has closed the files that ranks share, or has made them and waits for the others to close them.
    LetGo,
    /// From rank 0: all have.
    AllLetGo,
    /// From rank 0: end in good order.
    Stop { reason: String },
    /// From rank 0, and to it from a rank that has no interval yet: still here.
    Beat,
    /// To rank 0, every second: still here, and this has been done.
    SoFar(SoFar),
    /// To rank 0, by what carries the messages: this rank cannot be reached any more.
    Gone { why: String },
    /// From rank 0: this rank is lost, nothing more is expected of it.
    Lost { rank: u32 },
    /// To rank 0: a part of a file of the record, to be appended.
    Piece { file: String, text: String },
    /// To rank 0: nothing more follows of the record, which is also kept here.
    Left { host: String, kept: String },
    /// From rank 0: good-bye.
    Over,
}

/// What a rank has done of an execution, warm-up included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoFar {
    pub execution: u32,
    /// End of the last interval, on rank 0's clock.
    pub until_ns: u64,
    pub operations: u64,
    pub bytes: u64,
}

impl SoFar {
    /// An interval more; of another execution, it is the first.
    pub fn add(before: Option<SoFar>, tick: &Tick) -> SoFar {
        let nothing = SoFar {
            execution: tick.execution,
            until_ns: 0,
            operations: 0,
            bytes: 0,
        };
        let mut sum = before
            .filter(|before| before.execution == tick.execution)
            .unwrap_or(nothing);
        sum.until_ns = sum.until_ns.max(tick.end_ns);
        for kind in &tick.kinds {
            sum.operations += kind.count;
            sum.bytes = sum.bytes.saturating_add(kind.bytes);
        }
        sum
    }
}

/// Who greets rank 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub version: u32,
    pub plumb_version: String,
    pub host: String,
    pub process: u32,
    /// Digest of the resolved plan, the same for all.
    pub plan: String,
    /// Of the target, from rank 1 alone: who leads without load does not see it.
    pub environment: Option<Box<Environment>>,
}

/// How a run of many ranks begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// Unique name of the run.
    pub run: String,
    /// Run folder as rank 0 names it; ranks that see it put their records there.
    pub folder: String,
    /// Seeds that the plan leaves open are drawn from this.
    pub seed: u64,
    /// What is added to a time of the receiver to make it one of rank 0, in nanoseconds.
    pub offset_ns: i64,
    pub placement: Placement,
}
