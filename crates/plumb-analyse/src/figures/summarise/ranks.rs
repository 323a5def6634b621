//! What did each host, and each rank, contribute? From what each rank reported at the end of each execution.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::results::summary::{LostRank, PartSummary, RanksSummary, StepRanks};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::ranks::{MachineUse, RankEnd, Ranks};
use plumb_model::run::{Event, Run};
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::figures::executions::Execution;
use crate::figures::summarise::machine_use;
use crate::figures::tally::latency;

/// The ranks of a run; `None` for a run of one process.
pub fn ranks(run: &Run) -> Option<RanksSummary> {
    let ranks = run.header.ranks.as_ref()?;
    let lost = run.notes.iter().filter_map(|note| match &note.event {
        Event::RankLost {
            rank, host, why, ..
        } => Some(LostRank {
            rank: *rank,
            host: host.clone(),
            time_s: note.time_ns as f64 / 1e9,
            why: why.clone(),
        }),
        _ => None,
    });
    let mut lost: Vec<LostRank> = lost.collect();
    lost.extend(silent(ranks, run, &lost));
    Some(RanksSummary {
        ranks: ranks.processes.len() as u32,
        hosts: ranks.hosts().len() as u32,
        carrier: ranks.carrier.clone(),
        processes: ranks.processes.clone(),
        lost,
    })
}

/// Ranks that never reported the end of an execution that others ended: their launcher may have ended all of them before that was noticed.
fn silent(ranks: &Ranks, run: &Run, lost: &[LostRank]) -> Vec<LostRank> {
    let mut ended: BTreeMap<u32, (u64, Vec<u32>)> = BTreeMap::new();
    for note in &run.notes {
        if let Event::RankEnded { execution, end } = &note.event {
            let known = ended.entry(*execution).or_default();
            known.0 = known.0.max(note.time_ns);
            known.1.push(end.rank);
        }
    }
    let mut silent: Vec<LostRank> = Vec::new();
    for (time_ns, reported) in ended.into_values() {
        for index in &ranks.processes {
            let is_known = |known: &LostRank| known.rank == index.rank;
            if !reported.contains(&index.rank)
                && !lost.iter().any(is_known)
                && !silent.iter().any(is_known)
            {
                silent.push(LostRank {
                    rank: index.rank,
                    host: index.host.clone(),
                    time_s: time_ns as f64 / 1e9,
                    why: Statement::new("rank-did-not-report"),
                });
            }
        }
    }
    silent
}

/// What is added up of a host or a rank.
#[derive(Default)]
struct Part {
    ranks: Vec<u32>,
    operations: u64,
    bytes: u64,
    /// Operations and bytes by the measured time of each rank, in a second, and how many rounds that is of.
    iops: f64,
    bandwidth: f64,
    cpus: f64,
    cpu_is_missing: bool,
    machine: Option<MachineUse>,
    times: Histogram,
    errors: BTreeMap<String, u64>,
    failures: Vec<Statement>,
}

impl Part {
    fn add(&mut self, end: &RankEnd) {
        if !self.ranks.contains(&end.rank) {
            self.ranks.push(end.rank);
        }
        if let Some(failed) = &end.failed {
            if !self.failures.contains(failed) {
                self.failures.push(failed.clone());
            }
            return;
        }
        self.operations += end.measured_operations;
        self.bytes = self.bytes.saturating_add(end.measured_bytes);
        let seconds = measured_s(end);
        if seconds > 0.0 {
            self.iops += end.measured_operations as f64 / seconds;
            self.bandwidth += end.measured_bytes as f64 / seconds;
            match end.cpu_ns {
                Some(cpu_ns) => self.cpus += cpu_ns as f64 / 1e9 / seconds,
                None => self.cpu_is_missing = true,
            }
        }
        if let Some(machine) = &end.machine {
            machine_use::add(self.machine.get_or_insert_default(), machine);
        }
        // As in the figures of the step: flushes among other operations are excluded.
        let others = end
            .kinds
            .iter()
            .any(|kind| kind.kind != OperationKind::Flush);
        for kind in &end.kinds {
            if !(others && kind.kind == OperationKind::Flush) {
                self.times.merge(&kind.service);
            }
            for (error, count) in &kind.errors {
                *self.errors.entry(error.clone()).or_default() += count;
            }
        }
    }

    fn summary(self, host: &str, rank: Option<u32>, rounds: f64) -> PartSummary {
        PartSummary {
            host: host.to_string(),
            rank,
            ranks: self.ranks.len() as u32,
            operations: self.operations,
            bytes: self.bytes,
            iops: self.iops / rounds,
            bandwidth_bytes_per_s: self.bandwidth / rounds,
            service_ns: (self.times.count() > 0).then(|| latency(&self.times)),
            cpus: (!self.cpu_is_missing && self.operations > 0).then(|| self.cpus / rounds),
            // It is of the host, from any of its ranks.
            machine: self.machine.filter(|_| rank.is_none()),
            errors: self.errors,
            failures: self.failures,
        }
    }
}

fn measured_s(end: &RankEnd) -> f64 {
    end.measured_to_ns.saturating_sub(end.measured_from_ns) as f64 / 1e9
}

/// Figures of the ranks in these executions of one step; `None` without reports of ranks.
pub fn step_ranks(ranks: Option<&Ranks>, runs: &[&Execution]) -> Option<StepRanks> {
    let ranks = ranks?;
    let runs = || runs.iter().filter(|run| !run.rank_ends.is_empty());
    let rounds = runs().count() as f64;
    if rounds == 0.0 {
        return None;
    }
    let (mut by_host, mut by_rank): (BTreeMap<usize, Part>, BTreeMap<u32, Part>) =
        Default::default();
    let hosts = ranks.hosts();
    let (mut start_spread_s, mut first_done_s, mut last_done_s) = (0f64, 0.0, 0.0);
    let (mut operations, mut bytes) = (0u64, 0u64);
    let mut jobs = BTreeSet::new();
    for run in runs() {
        for end in run.rank_ends.iter().filter(|end| end.participated()) {
            jobs.insert(end.jobs.as_ref());
            let host = ranks.host_of(end.rank).unwrap_or_default();
            let host = hosts.iter().position(|name| *name == host);
            by_host
                .entry(host.unwrap_or_default())
                .or_default()
                .add(end);
            by_rank.entry(end.rank).or_default().add(end);
            operations += end.measured_operations;
            bytes = bytes.saturating_add(end.measured_bytes);
        }
        let ran = || run.rank_ends.iter().filter(|end| end.measured_to_ns > 0);
        let seconds = |from: u64, to: u64| to.saturating_sub(from) as f64 / 1e9;
        let starts = || ran().map(|end| end.started_ns);
        let Some((first, last)) = starts().min().zip(starts().max()) else {
            continue;
        };
        start_spread_s = start_spread_s.max(seconds(first, last));
        let from = ran().map(|end| end.measured_from_ns).min().unwrap_or(first);
        let done = || ran().map(|end| end.measured_to_ns);
        first_done_s += seconds(from, done().min().unwrap_or(from));
        last_done_s += seconds(from, done().max().unwrap_or(from));
    }
    let by_time = |count: u64| match last_done_s > 0.0 {
        true => count as f64 / last_done_s,
        false => 0.0,
    };
    let named = |(at, part): (usize, Part)| {
        part.summary(hosts.get(at).copied().unwrap_or_default(), None, rounds)
    };
    Some(StepRanks {
        jobs_differ: jobs.len() > 1,
        start_spread_s,
        first_done_s,
        last_done_s,
        iops_until_last_done: by_time(operations),
        bandwidth_until_last_done_bytes_per_s: by_time(bytes),
        hosts: by_host.into_iter().map(named).collect(),
        ranks: by_rank
            .into_iter()
            .map(|(rank, part)| {
                part.summary(ranks.host_of(rank).unwrap_or_default(), Some(rank), rounds)
            })
            .collect(),
    })
}
