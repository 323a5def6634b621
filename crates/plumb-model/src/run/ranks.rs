//! Which processes carried out a run together, on which hosts, and what did each of them do?

use serde::{Deserialize, Serialize};

use crate::run::step_end::StopReason;
use crate::run::tick::KindTick;
use crate::statement::Statement;

/// The ranks that carried out a run together, each a process that makes load; all times of the run are those of rank 0's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Ranks {
    /// What carried their messages: `Open MPI v4.1.4 (libmpi.so.40)`, `TCP`.
    pub carrier: String,
    /// In order of their numbers, from 0.
    pub places: Vec<RankPlace>,
}

impl Ranks {
    /// Names of the hosts, each once, in order of their first rank.
    pub fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = Vec::new();
        for place in &self.places {
            if !hosts.contains(&place.host.as_str()) {
                hosts.push(&place.host);
            }
        }
        hosts
    }

    /// Name of the host of a rank.
    pub fn host_of(&self, rank: u32) -> Option<&str> {
        let place = self.places.iter().find(|place| place.rank == rank)?;
        Some(&place.host)
    }
}

/// Where a rank runs, and how its clock stands to rank 0's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RankPlace {
    pub rank: u32,
    /// Name of the host.
    pub host: String,
    /// Number of the process there.
    pub process: u32,
    /// By how much the host's time of day is ahead of rank 0's, in nanoseconds; negative: behind. 0 for rank 0. It is in no figure: those rest on clocks that
    /// nobody sets.
    pub time_of_day_ahead_ns: i64,
    /// Times of this rank are right within this, in nanoseconds: half of the shortest round trip of a message by which the clocks were compared.
    pub clock_uncertainty_ns: u64,
}

/// The place of a run in one of many ranks: it is the record of one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RankOf {
    /// Unique name of the run of all.
    pub run: String,
    pub rank: u32,
    pub ranks: u32,
    /// What is added to times of this record to make them times of the run of all, in nanoseconds.
    pub offset_ns: i64,
}

/// What one rank has made ready for all that work on the same files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JointTarget {
    /// Name of the folder that plumb made in the target; `None` where the target itself is the file.
    pub folder: Option<String>,
    /// Bytes in use.
    pub size_bytes: u64,
}

/// What one rank did in one execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankEnd {
    pub rank: u32,
    /// From the start of its load to the end of its last operation, warm-up and drain included, in nanoseconds since the start of the run. Both 0 when it
    /// could not run.
    pub started_ns: u64,
    pub ended_ns: u64,
    /// The measured part of that, of the main job: without warm-up and drain.
    pub measured_from_ns: u64,
    pub measured_to_ns: u64,
    /// What ended it. Missing when it could not run.
    pub stopped_by: Option<StopReason>,
    /// Why it could not run.
    pub failed: Option<Statement>,
    /// What completed in the measured time and in the drain, by kind, over all jobs.
    pub kinds: Vec<KindTick>,
    /// How many operations and bytes of these completed in the measured time.
    pub measured_operations: u64,
    pub measured_bytes: u64,
    /// CPU time of its workers over the measured time, in nanoseconds. Missing where the system does not tell.
    pub cpu_ns: Option<u64>,
}
