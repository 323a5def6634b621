//! How do the ranks of a run on many hosts share a job: which of them carry it out, on whose files, and which part falls to each worker?

use std::fmt;
use std::str::FromStr;

use super::{Layout, Workload, ZoneSteps};
use crate::run::ranks::Placement;
use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

words! {
    /// Whether each rank carries out a job by itself.
    RankSharing, "ranks" {
        /// Each rank has files of its own; sizes, rates and counts are of each rank.
        Each = "each",
        /// The workers of all ranks are those of one job: they share its files, and sizes, rates and counts are of all ranks together.
        Together = "together",
    }
}

/// Which ranks carry out a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RankChoice {
    All,
    /// Ranks 0, 2, 4, ...
    Even,
    /// Ranks 1, 3, 5, ...
    Odd,
    /// All ranks of the first so many hosts.
    Hosts(u32),
    /// Numbers, from and to.
    Numbers(Vec<(u32, u32)>),
}

impl RankChoice {
    /// The ranks among these, in order of their numbers, each with the place of its host.
    fn of(&self, placement: &Placement) -> Vec<(u32, u32)> {
        let chosen = |(rank, host): &(u32, u32)| match self {
            RankChoice::All => true,
            RankChoice::Even => rank.is_multiple_of(2),
            RankChoice::Odd => !rank.is_multiple_of(2),
            RankChoice::Hosts(count) => host < count,
            RankChoice::Numbers(spans) => {
                let mut spans = spans.iter();
                spans.any(|(from, to)| (*from..=*to).contains(rank))
            }
        };
        placement.ranks().filter(chosen).collect()
    }

    /// Whether there are as many hosts as are asked for.
    pub fn is_there(&self, placement: &Placement) -> bool {
        match self {
            RankChoice::Hosts(count) => *count as usize <= placement.hosts.len(),
            _ => true,
        }
    }
}

impl FromStr for RankChoice {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || {
            UnitError(format!(
                "'{text}' names no ranks: write all, even, odd, hosts:2 (those of the first two hosts), or numbers such as 0-3,8"
            ))
        };
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| bad());
        match text.trim() {
            "all" => return Ok(RankChoice::All),
            "even" => return Ok(RankChoice::Even),
            "odd" => return Ok(RankChoice::Odd),
            _ => {}
        }
        if let Some(hosts) = text.trim().strip_prefix("hosts:") {
            let hosts = number(hosts)?;
            return (hosts > 0)
                .then_some(RankChoice::Hosts(hosts))
                .ok_or_else(bad);
        }
        let span = |part: &str| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let (from, to) = (number(from)?, number(to)?);
            (from <= to).then_some((from, to)).ok_or_else(bad)
        };
        let spans: Result<_, UnitError> = text.trim().split(',').map(span).collect();
        spans.map(RankChoice::Numbers)
    }
}

impl fmt::Display for RankChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RankChoice::All => write!(f, "all"),
            RankChoice::Even => write!(f, "even"),
            RankChoice::Odd => write!(f, "odd"),
            RankChoice::Hosts(count) => write!(f, "hosts:{count}"),
            RankChoice::Numbers(spans) => {
                let span = |(from, to): &(u32, u32)| match from == to {
                    true => from.to_string(),
                    false => format!("{from}-{to}"),
                };
                let spans: Vec<String> = spans.iter().map(span).collect();
                f.write_str(&spans.join(","))
            }
        }
    }
}

serde_as_text!(
    RankChoice,
    "RankChoice",
    "all, even, odd, hosts:N (the ranks of the first N hosts), or numbers such as 0-3,8"
);

/// Whose part of the target, or whose files, a rank works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FilesOf {
    #[default]
    Own,
    /// Those of a rank on another host, for as many ranks as possible.
    NextHost,
    /// Those of the rank so many further on.
    Further(u32),
}

impl FilesOf {
    pub(crate) fn is_own(&self) -> bool {
        *self == FilesOf::Own
    }

    /// By how many of the ranks on these hosts each goes further.
    fn shift(self, hosts: &[u32]) -> u32 {
        let count = hosts.len();
        match self {
            FilesOf::Own => 0,
            FilesOf::Further(by) => by % (count as u32).max(1),
            FilesOf::NextHost => {
                // Of several as good the nearest: the files of the next host, where ranks are numbered host by host.
                let mut best = (0, 0);
                for by in 1..count {
                    let elsewhere = (0..count)
                        .filter(|at| hosts[*at] != hosts[(at + by) % count])
                        .count();
                    if elsewhere > best.0 {
                        best = (elsewhere, by);
                    }
                    if elsewhere == count {
                        break;
                    }
                }
                best.1 as u32
            }
        }
    }
}

impl FromStr for FilesOf {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text.trim() {
            "own" => Ok(FilesOf::Own),
            "next-host" => Ok(FilesOf::NextHost),
            number => number.parse().map(FilesOf::Further).map_err(|_| {
                UnitError(format!(
                    "'{text}' is no rank's part: write own, next-host (of a rank on another host), or a number such as 1 (of the rank so many further on)"
                ))
            }),
        }
    }
}

impl fmt::Display for FilesOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilesOf::Own => write!(f, "own"),
            FilesOf::NextHost => write!(f, "next-host"),
            FilesOf::Further(by) => write!(f, "{by}"),
        }
    }
}

serde_as_text!(FilesOf, "FilesOf", "own, next-host, or a number of ranks");

/// Where a process stands among the ranks of its step; the default is a process alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RankPosition {
    /// Which of the workers of all ranks are those of this process; missing where each rank carries out the job by itself.
    pub together: Option<JointWorkers>,
    /// Workers that other ranks of this host have in the step.
    pub host_shared_with: u32,
}

/// The place of the workers of one process among those of all ranks that carry out a job together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointWorkers {
    /// Number of the first of them, from 0.
    pub first: u32,
    /// Workers of all ranks.
    pub workers: u32,
    /// Each works on the part of the worker so many further on.
    pub shift: u32,
    /// Which set of files it is, where a plan has several.
    pub set: u32,
    /// This process makes the files of the set, and brings them into the state that a step begins with.
    pub makes_files: bool,
}

impl Workload {
    /// The ranks that carry out the job, in order of their numbers.
    pub fn members(&self, placement: &Placement) -> Vec<u32> {
        let members = self.on_ranks.of(placement).into_iter();
        members.map(|(rank, _)| rank).collect()
    }

    /// The place of a rank's workers among those of all ranks that carry out the job on this set of files, which `maker` makes; `None` for a rank that has no part in it.
    pub fn joint_workers(
        &self,
        rank: u32,
        placement: &Placement,
        (set, maker): (u32, u32),
    ) -> Option<JointWorkers> {
        let (members, hosts): (Vec<u32>, Vec<u32>) =
            self.on_ranks.of(placement).into_iter().unzip();
        let at = members.iter().position(|member| *member == rank)?;
        Some(JointWorkers {
            first: at as u32 * self.workers,
            workers: members.len() as u32 * self.workers,
            shift: self.files_of.shift(&hosts) * self.workers,
            set,
            makes_files: rank == maker,
        })
    }

    /// Workers of all ranks that carry out the job together; those of this process, when it does so by itself.
    pub fn all_workers(&self) -> u32 {
        self.rank_position
            .together
            .map_or(self.workers, |together| together.workers)
    }

    /// The number of a worker of this process among all workers.
    pub fn number_of(&self, worker: u32) -> u32 {
        self.rank_position
            .together
            .map_or(worker, |together| together.first + worker)
    }

    /// The number of the worker whose part or files a worker of this process works on.
    pub fn part_of(&self, worker: u32) -> u32 {
        self.rank_position.together.map_or(worker, |together| {
            (together.first + worker + together.shift) % together.workers
        })
    }

    /// True when this process makes the files that the ranks share, and brings them into the state that a step begins with.
    pub fn makes_files(&self) -> bool {
        self.rank_position
            .together
            .is_none_or(|together| together.makes_files)
    }

    /// The blocks of one worker in a shared file of segments, as zones.
    pub fn segments(&self) -> Option<ZoneSteps> {
        let block = self
            .segment_block
            .filter(|block| block.0 > 0 && self.layout == Layout::Shared)?;
        Some(ZoneSteps {
            bytes: block.0,
            range_bytes: block.0,
            skip_bytes: u64::from(self.all_workers().saturating_sub(1)).saturating_mul(block.0),
        })
    }

    /// The part of a worker in a shared file of segments that is used from `start` on for `len` bytes: where its first block begins, and how many bytes lie
    /// from there to the end of its last; `None` without segments, or where not one whole segment has room.
    pub fn segmented(&self, worker: u32, (start, len): (u64, u64)) -> Option<(u64, u64)> {
        let steps = self.segments()?;
        let segment = steps.bytes.checked_add(steps.skip_bytes)?;
        let last = (len / segment).checked_sub(1)?;
        let begin = start.checked_add(u64::from(self.part_of(worker)).checked_mul(steps.bytes)?)?;
        Some((begin, last * segment + steps.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::ranks::{RankProcess, Ranks};
    use crate::units::Bytes;

    fn placed(hosts: &[&str]) -> Placement {
        let place = |(rank, host): (usize, &&str)| RankProcess {
            rank: rank as u32,
            host: host.to_string(),
            process: 1,
            time_of_day_ahead_ns: 0,
            clock_uncertainty_ns: 0,
        };
        Placement::of(&Ranks {
            carrier: "TCP".into(),
            processes: hosts.iter().enumerate().map(place).collect(),
        })
    }

    #[test]
    fn a_placement_takes_little_and_holds_all() {
        let placement = placed(&["a", "a", "b", "b", "a"]);
        assert_eq!(placement.hosts, ["a", "b"]);
        assert_eq!(placement.rows, [(0, 0, 2), (1, 2, 2), (0, 4, 1)]);
        let ranks: Vec<(u32, u32)> = placement.ranks().collect();
        assert_eq!(ranks, [(0, 0), (1, 0), (2, 1), (3, 1), (4, 0)]);
    }

    #[test]
    fn texts_read_back_and_choose() {
        let four = placed(&["a", "a", "b", "b"]);
        for (text, wanted) in [
            ("all", vec![0, 1, 2, 3]),
            ("even", vec![0, 2]),
            ("odd", vec![1, 3]),
            ("hosts:1", vec![0, 1]),
            ("1-2,3", vec![1, 2, 3]),
        ] {
            let choice: RankChoice = text.parse().expect(text);
            assert_eq!(choice.to_string(), text);
            let chosen: Vec<u32> = choice.of(&four).into_iter().map(|(rank, _)| rank).collect();
            assert_eq!(chosen, wanted, "{text}");
        }
        assert!(!RankChoice::Hosts(3).is_there(&four) && RankChoice::Hosts(2).is_there(&four));
        for text in ["", "hosts:0", "3-1", "first", "-1"] {
            assert!(text.parse::<RankChoice>().is_err(), "{text}");
        }
        for text in ["own", "next-host", "3"] {
            assert_eq!(text.parse::<FilesOf>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn the_next_host_is_another_one_however_ranks_are_numbered() {
        for hosts in [
            ["a", "a", "b", "b"].as_slice(),
            &["a", "b", "a", "b"],
            &["a", "b", "c", "a", "b", "c"],
            &["a", "a", "b", "b", "c", "c"],
        ] {
            let of: Vec<u32> = placed(hosts).ranks().map(|(_, host)| host).collect();
            let shift = FilesOf::NextHost.shift(&of) as usize;
            for at in 0..hosts.len() {
                assert_ne!(hosts[at], hosts[(at + shift) % hosts.len()], "{hosts:?}");
            }
        }
        assert_eq!(FilesOf::NextHost.shift(&[0, 0]), 0);
    }

    #[test]
    fn the_workers_of_all_ranks_have_each_part_once() {
        let all = placed(&["a", "a", "b", "b"]);
        let workload = Workload {
            workers: 3,
            ranks: RankSharing::Together,
            files_of: FilesOf::NextHost,
            ..Workload::default()
        };
        let mut parts = Vec::new();
        for rank in 0..4 {
            let together = workload.joint_workers(rank, &all, (0, 0));
            let mine = Workload {
                rank_position: RankPosition {
                    together,
                    host_shared_with: 0,
                },
                ..workload.clone()
            };
            assert_eq!(mine.all_workers(), 12);
            assert_eq!(mine.makes_files(), rank == 0);
            parts.extend((0..3).map(|worker| mine.part_of(worker)));
        }
        assert_eq!(parts, [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]);
        let odd = Workload {
            on_ranks: RankChoice::Odd,
            ..Workload::default()
        };
        assert_eq!(odd.members(&all), [1, 3]);
        assert_eq!(odd.joint_workers(2, &all, (0, 1)), None);
        let third = odd.joint_workers(3, &all, (0, 1)).expect("a member");
        assert_eq!(
            (third.first, third.workers, third.makes_files),
            (1, 2, false)
        );
    }

    #[test]
    fn segments_are_dealt_block_by_block() {
        let workload = Workload {
            segment_block: Some(Bytes(100)),
            rank_position: RankPosition {
                together: Some(JointWorkers {
                    first: 1,
                    workers: 3,
                    shift: 0,
                    set: 0,
                    makes_files: false,
                }),
                host_shared_with: 0,
            },
            ..Workload::default()
        };
        // Three segments of 300 bytes; a rest of 50 is left alone. Worker 1 begins at 100, and its third block ends at 800.
        assert_eq!(workload.segmented(0, (1000, 950)), Some((1100, 700)));
        assert_eq!(workload.segmented(0, (0, 299)), None);
    }
}
