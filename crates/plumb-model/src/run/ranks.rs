//! Which processes carried out a run together, on which hosts, and what did each of them do?

use std::collections::{BTreeMap, BTreeSet};

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
    #[serde(rename = "places")]
    pub processes: Vec<RankProcess>,
}

impl Ranks {
    /// Names of the hosts, each once, in order of their first rank.
    pub fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = Vec::new();
        for place in &self.processes {
            if !hosts.contains(&place.host.as_str()) {
                hosts.push(&place.host);
            }
        }
        hosts
    }

    /// Name of the host of a rank.
    pub fn host_of(&self, rank: u32) -> Option<&str> {
        let place = self.processes.iter().find(|place| place.rank == rank)?;
        Some(&place.host)
    }
}

/// On which host each rank runs, and nothing else of them: what every rank must know of all others. Ranks of one host that follow each other are one entry, so
/// that the size goes by the number of hosts where ranks are numbered host by host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// Names of the hosts, each once, in order of their first rank.
    pub hosts: Vec<String>,
    /// Place of the host in `hosts`, number of the first rank, and how many ranks.
    pub rows: Vec<(u32, u32, u32)>,
}

impl Placement {
    /// Of ranks in order of their numbers.
    pub fn of(ranks: &Ranks) -> Placement {
        let mut placement = Placement::default();
        let mut known: BTreeMap<&str, u32> = BTreeMap::new();
        for place in &ranks.processes {
            let next = placement.hosts.len() as u32;
            let host = *known.entry(&place.host).or_insert(next);
            if host == next {
                placement.hosts.push(place.host.clone());
            }
            match placement.rows.last_mut() {
                Some((of, first, count)) if *of == host && *first + *count == place.rank => {
                    *count += 1;
                }
                _ => placement.rows.push((host, place.rank, 1)),
            }
        }
        placement
    }

    /// Each rank with the place of its host in `hosts`.
    pub fn ranks(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let rows = self.rows.iter();
        rows.flat_map(|(host, first, count)| {
            (*first..first.saturating_add(*count)).map(|rank| (rank, *host))
        })
    }

    /// The ranks of a rank's host, itself among them.
    pub fn same_host(&self, rank: u32) -> BTreeSet<u32> {
        let own = self.ranks().find(|(of, _)| *of == rank);
        let host = own.map(|(_, host)| host);
        let on_host = self.ranks().filter(|(_, of)| Some(*of) == host);
        on_host.map(|(of, _)| of).collect()
    }
}

/// Where a rank runs, and how its clock stands to rank 0's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RankProcess {
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

impl RankEnd {
    /// True when it had a job in the execution.
    pub fn participated(&self) -> bool {
        self.jobs.as_ref().is_none_or(|jobs| !jobs.is_empty())
    }
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
    /// Numbers of the jobs of the step that it carried out; none of them: it had no part in the execution. Missing in older records: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<u32>>,
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
    /// What the counters of its host say of that time: from the first rank of each host that had a part in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineUse>,
}

/// How busy a host was over the measured time of an execution, by its own counters: all processes together. What is missing could not be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MachineUse {
    /// Time that the readings cover, in seconds: the measured time, and up to an interval between two samples at either end.
    pub covered_s: f64,
    /// CPUs of the host.
    pub cpus: u32,
    /// Use of all its CPUs, and of the busiest of them, in percent.
    pub cpu_percent: Option<f64>,
    pub busiest_cpu_percent: Option<f64>,
    /// The interface that most went over, with what it received and sent.
    pub interface: Option<Transferred>,
    /// The block device below the target that most went over, with what was read and written.
    pub disk: Option<Transferred>,
    /// TCP segments of the host: all that were sent, and those sent again.
    pub segments_sent: Option<f64>,
    pub segments_retransmitted: Option<f64>,
}

/// What went over an interface or a device.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Transferred {
    /// `eth0`, `vda`.
    pub name: String,
    /// Received, or read, in bytes.
    pub in_bytes: f64,
    /// Sent, or written, in bytes.
    pub out_bytes: f64,
}
