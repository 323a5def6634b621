//! Which processes took part in a run, on which hosts, and what did each do?

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::run::step_end::StopReason;
use crate::run::tick::KindTick;
use crate::statement::Statement;

/// The ranks of a run, each a process that generates load; all times of the run are by rank 0's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Ranks {
    /// Transport of their messages: `Open MPI v4.1.4 (libmpi.so.40)`, `TCP`.
    pub carrier: String,
    /// Sorted by rank, from 0.
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

/// Host of each rank: what every rank must know of all others. Consecutive ranks of one host are one entry, so
/// that the size depends on the number of hosts if ranks are numbered host by host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// Names of the hosts, each once, in order of their first rank.
    pub hosts: Vec<String>,
    /// Index of the host in `hosts`, first rank, and number of ranks.
    pub rows: Vec<(u32, u32, u32)>,
}

impl Placement {
    /// From ranks sorted by number.
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

    /// Each rank with the index of its host in `hosts`.
    pub fn ranks(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let rows = self.rows.iter();
        rows.flat_map(|(host, first, count)| {
            (*first..first.saturating_add(*count)).map(|rank| (rank, *host))
        })
    }

    /// All ranks on the host of a rank, including itself.
    pub fn same_host(&self, rank: u32) -> BTreeSet<u32> {
        let own = self.ranks().find(|(of, _)| *of == rank);
        let host = own.map(|(_, host)| host);
        let on_host = self.ranks().filter(|(_, of)| Some(*of) == host);
        on_host.map(|(of, _)| of).collect()
    }
}

/// The process of a rank: its host, and its clock relative to rank 0's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RankProcess {
    pub rank: u32,
    /// Name of the host.
    pub host: String,
    /// Process id on the host.
    pub process: u32,
    /// By how much the host's time of day is ahead of rank 0's, in nanoseconds; negative: behind. 0 for rank 0. Not used in any figure: those use clocks that
    /// are never set.
    pub time_of_day_ahead_ns: i64,
    /// Uncertainty of this rank's times in nanoseconds: half of the shortest round trip of the messages that compared the clocks.
    pub clock_uncertainty_ns: u64,
}

/// Link from the record of one rank to the run of all ranks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RankOf {
    /// Unique name of the common run.
    pub run: String,
    pub rank: u32,
    pub ranks: u32,
    /// Offset to add to times of this record to get times of the common run, in nanoseconds.
    pub offset_ns: i64,
}

impl RankEnd {
    /// True if it had a job in the execution.
    pub fn participated(&self) -> bool {
        self.jobs.as_ref().is_none_or(|jobs| !jobs.is_empty())
    }
}

/// The target prepared by one rank for all ranks that work on the same files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JointTarget {
    /// Name of the folder that plumb created in the target; `None` if the target itself is the file.
    pub folder: Option<String>,
    /// Bytes in use.
    pub size_bytes: u64,
}

/// The work of one rank in one execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankEnd {
    pub rank: u32,
    /// Indexes of the jobs of the step that it ran; empty: it did not take part. Missing in older records: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<u32>>,
    /// From the start of its load to the end of its last operation, warm-up and drain included, in nanoseconds since the start of the run. Both 0 if it
    /// could not run.
    pub started_ns: u64,
    pub ended_ns: u64,
    /// The measured part of that, of the main job: without warm-up and drain.
    pub measured_from_ns: u64,
    pub measured_to_ns: u64,
    /// What ended it. Missing if it could not run.
    pub stopped_by: Option<StopReason>,
    /// Why it could not run.
    pub failed: Option<Statement>,
    /// Completions in the measured time and in the drain, by kind, over all jobs.
    pub kinds: Vec<KindTick>,
    /// Operations and bytes that completed in the measured time.
    pub measured_operations: u64,
    pub measured_bytes: u64,
    /// CPU time of its workers over the measured time, in nanoseconds. Missing if the system does not report it.
    pub cpu_ns: Option<u64>,
    /// Host counters over that time: from the first participating rank of each host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineUse>,
}

/// Utilization of a host over the measured time of an execution, by its own counters, over all processes. Missing values could not be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MachineUse {
    /// Time covered by the readings, in seconds: the measured time, plus up to one sampling interval at either end.
    pub covered_s: f64,
    /// CPUs of the host.
    pub cpus: u32,
    /// Utilization of all CPUs, and of the busiest one, in percent.
    pub cpu_percent: Option<f64>,
    pub busiest_cpu_percent: Option<f64>,
    /// The busiest network interface, with bytes received and sent.
    pub interface: Option<Transferred>,
    /// The busiest block device below the target, with bytes read and written.
    pub disk: Option<Transferred>,
    /// TCP segments of the host: sent, and retransmitted.
    pub segments_sent: Option<f64>,
    pub segments_retransmitted: Option<f64>,
}

/// Traffic of an interface or a device.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Transferred {
    /// `eth0`, `vda`.
    pub name: String,
    /// Received, or read, in bytes.
    pub in_bytes: f64,
    /// Sent, or written, in bytes.
    pub out_bytes: f64,
}
