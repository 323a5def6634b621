//! What did each host, and each rank, contribute to a run of many ranks?

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Latency;
use crate::run::ranks::{MachineUse, RankProcess};
use crate::statement::Statement;

/// The ranks of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RanksSummary {
    pub ranks: u32,
    pub hosts: u32,
    /// Transport of their messages.
    pub carrier: String,
    /// Host, process and clock of each rank.
    #[serde(rename = "places")]
    pub processes: Vec<RankProcess>,
    /// Ranks that were lost before the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostRank>,
}

/// A lost rank: data that it had not sent is only in its own record.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LostRank {
    pub rank: u32,
    pub host: String,
    /// When the loss was noticed, in seconds since the start of the run.
    pub time_s: f64,
    pub why: Statement,
}

/// Figures of the ranks in one step, over all rounds. The figures of the step itself cover the time in which all ranks ran.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepRanks {
    /// Not all ranks had the same jobs: their rates are not of the same work.
    #[serde(skip_serializing_if = "is_false")]
    pub jobs_differ: bool,
    /// Time between the first and the last rank's start in seconds, maximum over the rounds.
    pub start_spread_s: f64,
    /// From the first start until the first and the last rank finished their measured work, in seconds, summed over the rounds.
    pub first_done_s: f64,
    pub last_done_s: f64,
    /// All measured operations and bytes of all ranks divided by the time until the last finished: what IOR and mdtest report. Lower than the rate of the
    /// step if some ranks end before others.
    pub iops_until_last_done: f64,
    pub bandwidth_until_last_done_bytes_per_s: f64,
    /// Each host, over all its ranks.
    pub hosts: Vec<PartSummary>,
    /// Each rank.
    pub ranks: Vec<PartSummary>,
}

/// The figures of one host or one rank.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PartSummary {
    pub host: String,
    /// Missing for a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Number of ranks; 1 for a rank.
    pub ranks: u32,
    /// Measured operations and bytes, over all rounds.
    pub operations: u64,
    pub bytes: u64,
    /// Per measured time of its own ranks.
    pub iops: f64,
    pub bandwidth_bytes_per_s: f64,
    /// From submission to completion. Missing when nothing completed.
    pub service_ns: Option<Latency>,
    /// CPU time of its workers divided by the measured time: 1 is one CPU. Missing if the system does not report it.
    pub cpus: Option<f64>,
    /// Utilization of the host over all rounds. Missing for a rank, and if its counters cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineUse>,
    /// Operations that failed, by the kernel's name of the error.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// Why it could not run, for each round that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Statement>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}
