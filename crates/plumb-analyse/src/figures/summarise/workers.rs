//! What did each worker do, and how deep were the queues? From the record of each worker's end.

use std::collections::BTreeMap;

use plumb_model::plan::Step;
use plumb_model::results::summary::{Cpu, DepthLevel, WorkerSummary};
use plumb_model::run::worker_end::WorkerEnd;

use crate::figures::executions::{Execution, levels};
use crate::figures::tally::Tally;

/// The workers of jobs that keep theirs apart.
pub(super) fn workers(step: &Step, runs: &[&Execution]) -> Vec<WorkerSummary> {
    let mut found: BTreeMap<(u32, u32), Vec<&WorkerEnd>> = BTreeMap::new();
    for (index, end) in runs.iter().flat_map(|execution| &execution.worker_ends) {
        let apart = step
            .jobs
            .get(index.0 as usize)
            .is_some_and(|job| job.workload.workers_apart);
        if apart {
            found.entry(*index).or_default().push(end);
        }
    }
    let summary = |((job, worker), ends): ((u32, u32), Vec<&WorkerEnd>)| {
        let job = &step.jobs[job as usize].name;
        worker_summary(job, worker, &ends)
    };
    found.into_iter().map(summary).collect()
}

fn worker_summary(job: &str, worker: u32, ends: &[&WorkerEnd]) -> WorkerSummary {
    let mut kinds: BTreeMap<String, Tally> = BTreeMap::new();
    let mut duration_ns = 0u64;
    for end in ends {
        duration_ns = duration_ns.saturating_add(end.end_ns.saturating_sub(end.start_ns));
        for kind in &end.kinds {
            let tally = kinds.entry(kind.kind.word().to_string()).or_default();
            tally.add(kind, true);
        }
    }
    let duration_s = duration_ns as f64 / 1e9;
    let operations = kinds
        .iter()
        .map(|(kind, tally)| (kind.clone(), tally.summary(duration_s)));
    let percent = |part: Option<u64>| {
        part.filter(|_| duration_ns > 0)
            .map(|part| 100.0 * part as f64 / duration_ns as f64)
    };
    let mut cpu = counts(ends.iter().copied());
    cpu.user_percent = percent(sum(ends, |end| end.cpu_user_ns));
    cpu.system_percent = percent(sum(ends, |end| end.cpu_system_ns));
    WorkerSummary {
        job: job.to_string(),
        worker,
        duration_s,
        operations: operations.collect(),
        cpu,
    }
}

/// The sum over all; missing if one of them lacks it, or without workers.
fn sum(ends: &[&WorkerEnd], of: fn(&WorkerEnd) -> Option<u64>) -> Option<u64> {
    let found = ends
        .iter()
        .map(|end| of(end))
        .try_fold(0u64, |sum, value| Some(sum.saturating_add(value?)));
    found.filter(|_| !ends.is_empty())
}

/// Context switches and page faults, nothing else.
pub(super) fn counts<'e>(ends: impl Iterator<Item = &'e WorkerEnd>) -> Cpu {
    let ends: Vec<&WorkerEnd> = ends.collect();
    Cpu {
        voluntary_switches: sum(&ends, |end| end.voluntary_switches),
        involuntary_switches: sum(&ends, |end| end.involuntary_switches),
        minor_faults: sum(&ends, |end| end.minor_faults),
        major_faults: sum(&ends, |end| end.major_faults),
        ..Cpu::default()
    }
}

/// Shares of the operations by depth, over all workers.
pub(super) fn depth_levels(runs: &[&Execution]) -> Vec<DepthLevel> {
    let levels = levels(runs, None);
    let all: u64 = levels.in_flight.iter().sum();
    let level = |(index, count): (usize, &u64)| {
        (*count > 0).then(|| DepthLevel {
            from: 1 << index,
            to: (2 << index) - 1,
            percent: 100.0 * *count as f64 / all as f64,
        })
    };
    levels
        .in_flight
        .iter()
        .take(63)
        .enumerate()
        .filter_map(level)
        .collect()
}
