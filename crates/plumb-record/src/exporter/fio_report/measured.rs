//! What was measured for one job of fio's report? Sums, histograms and rates over its steps and rounds.

mod direction;

use std::collections::BTreeMap;

use plumb_model::results::summary::{LimitVerdict, OperationSummary, StepSummary};
use plumb_model::run::Event;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{KindTick, Phase, Tick};
use plumb_model::run::worker_end::{Levels, WorkerEnd};
use plumb_model::workload::Job;
use plumb_model::workload::operation::OperationKind;

pub use self::direction::{Direction, OfPriority, Times};
use self::direction::{Drained, whole_ms};
use super::entry::{Entry, ListenerTraffic, RunPart};
use super::samples::{samples, worker_samples};
use super::workers::{ends, join, sum, worker_operations};
use crate::exporter::Subject;
use crate::exporter::fio::direction;

/// One job of the report.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// Reads, writes, trims.
    pub directions: [Direction; 3],
    /// The direction that file operations count in.
    file_operation_direction: Option<usize>,
    pub flushes: Option<Direction>,
    pub runtime_ms: u64,
    /// Nanoseconds since 1970. Missing if an imported run does not state it.
    pub start_ns: Option<u64>,
    pub end_ns: Option<u64>,
    /// Percent of one CPU, mean of the members.
    pub user_percent: Option<f64>,
    pub system_percent: Option<f64>,
    pub switches: Option<u64>,
    /// Page faults served from storage, and from memory.
    pub major_faults: Option<u64>,
    pub minor_faults: Option<u64>,
    /// Queue depth levels; empty if not counted.
    pub levels: Levels,
    /// Total latencies of all three directions.
    pub all: Histogram,
    /// Of a search for the depth that keeps a latency: the highest that was seen to keep it; 1 if none was. Otherwise of the first part.
    pub depth: u32,
    pub latency_target_ns: u64,
    pub latency_percentile: f64,
    pub latency_window_us: u64,
}

impl Measured {
    /// One entry, all rounds.
    pub fn of(subject: &Subject<'_>, entry: &Entry) -> Measured {
        let mut measured = Measured {
            file_operation_direction: entry.file_operation_direction,
            ..Measured::default()
        };
        for (at, part) in entry.parts.iter().enumerate() {
            measured.add_part(subject, entry, part, at == 0);
        }
        measured.settle_rates(entry.parts.len());
        let began_ns = Some(subject.run.header.started_unix_ns).filter(|ns| *ns > 0);
        let span = |ns: Option<u64>| Some(began_ns?.saturating_add(ns?));
        (measured.start_ns, measured.end_ns) = (span(measured.start_ns), span(measured.end_ns));
        measured.limits(subject, entry);
        if let Some(listener_traffic) = &entry.listener_traffic {
            measured.take_listener_traffic(listener_traffic);
        }
        measured
    }

    /// True if there were operations, failed ones among them.
    pub fn has_tried(&self) -> bool {
        let tried = |direction: &Direction| direction.is_used() || direction.failed > 0;
        self.directions.iter().chain(&self.flushes).any(tried)
    }

    fn take_listener_traffic(&mut self, listener_traffic: &ListenerTraffic) {
        let rate = |amount: u64| {
            (listener_traffic.seconds > 0.0).then(|| amount as f64 / listener_traffic.seconds)
        };
        for (at, direction) in self.directions.iter_mut().take(2).enumerate() {
            let (count, bytes) = (listener_traffic.messages[at], listener_traffic.bytes[at]);
            if bytes > 0 {
                *direction = Direction {
                    count,
                    bytes,
                    runtime_s: listener_traffic.seconds,
                    iops: rate(count),
                    bytes_per_s: rate(bytes),
                    ..Direction::default()
                };
            }
        }
        self.runtime_ms = whole_ms(listener_traffic.seconds);
        self.end_ns = listener_traffic.ended_unix_ns;
        let took_ns = (listener_traffic.seconds * 1e9) as u64;
        self.start_ns = listener_traffic
            .ended_unix_ns
            .map(|ns| ns.saturating_sub(took_ns));
        (self.depth, self.latency_percentile) = (1, 100.0);
    }

    fn add_part(&mut self, subject: &Subject<'_>, entry: &Entry, part: &RunPart, is_first: bool) {
        let executions = entry.executions(subject, part);
        let ticks: Vec<&Tick> = subject
            .run
            .ticks
            .iter()
            .filter(|tick| tick.job == part.job && executions.contains(&tick.execution))
            .collect();
        let earliest = ticks.iter().map(|tick| tick.start_ns).min();
        let latest = ticks.iter().map(|tick| tick.end_ns).max();
        self.start_ns = [self.start_ns, earliest].into_iter().flatten().min();
        self.end_ns = self.end_ns.max(latest);
        let least_ns = least_sample_ns(subject, part);
        let mut runtimes = [0.0; 4];
        let ends = ends(subject, part, &executions);
        let drained = Drained::of(&ticks, &ends);
        let of_worker = worker_operations(part, &ends, drained.seconds);
        let mut operations: BTreeMap<OperationKind, OperationSummary> = BTreeMap::new();
        for step in steps(subject, part) {
            let (of_job, duration_s) = operations_of(step, part);
            let (of_job, duration_s) = match &of_worker {
                Some((operations, duration_s)) => (operations, *duration_s),
                None => (of_job, duration_s),
            };
            for (at, (kind, figures)) in known(of_job, self.file_operation_direction) {
                runtimes[at] += duration_s;
                join(operations.entry(kind).or_default(), figures);
            }
            self.runtime_ms = self.runtime_ms.max(whole_ms(duration_s));
            if of_worker.is_some() {
                break;
            }
        }
        let drained = match part.worker {
            Some(_) => Drained::default(),
            None => drained,
        };
        for runtime in runtimes.iter_mut().filter(|runtime| **runtime > 0.0) {
            *runtime += drained.seconds;
        }
        let kinds: Vec<&KindTick> = match part.worker {
            Some(_) => ends.iter().flat_map(|end| &end.kinds).collect(),
            None => {
                let measured = ticks.iter().filter(|tick| tick.phase != Phase::WarmUp);
                measured.flat_map(|tick| &tick.kinds).collect()
            }
        };
        let ends_flushed = only_ends_flush(subject, part);
        for (at, (kind, figures)) in operations
            .iter()
            .filter(|(kind, _)| **kind != OperationKind::Flush || !ends_flushed)
            .filter_map(|(kind, figures)| {
                Some((
                    number(*kind, self.file_operation_direction)?,
                    (*kind, figures),
                ))
            })
        {
            let direction = match self.directions.get_mut(at) {
                Some(direction) => direction,
                None => self.flushes.get_or_insert_default(),
            };
            direction.add(kind, figures, runtimes[at], (&kinds, &drained), is_first);
            match part.worker {
                None => direction.add_samples(samples(kind, &ticks, least_ns)),
                // Intervals record the operations of a worker, but not their kind.
                Some(worker) if operations.len() == 1 => {
                    direction.add_samples(worker_samples(worker, &ticks, least_ns));
                }
                Some(_) => {}
            }
            self.runtime_ms = self.runtime_ms.max(whole_ms(runtimes[at]));
        }
        self.directions[0].dropped += lost_messages(subject, part, &executions);
        self.leave_out_ends(ends.iter().filter(|_| !ends_flushed));
        for of in kinds
            .iter()
            .filter(|of| number(of.kind, self.file_operation_direction).is_some_and(|at| at < 3))
        {
            self.all.merge(of.response.as_ref().unwrap_or(&of.service));
        }
        ends.iter().for_each(|end| self.levels.add(&end.levels));
        self.add_cpu(subject, part, (&ticks, &ends), is_first);
    }

    /// Leaves out flushes that fio does not count: those after the last operation of each worker.
    fn leave_out_ends<'e>(&mut self, ends: impl Iterator<Item = &'e &'e WorkerEnd>) {
        let Some(flushes) = &mut self.flushes else {
            return;
        };
        ends.for_each(|end| flushes.take_out(&end.end_flushes_ns));
    }

    /// CPU, context switches and page faults: of the step if it has one job, else of the workers' own threads.
    fn add_cpu(
        &mut self,
        subject: &Subject<'_>,
        part: &RunPart,
        (ticks, ends): (&[&Tick], &[&WorkerEnd]),
        is_first: bool,
    ) {
        let Some((first, job)) = steps(subject, part)
            .next()
            .and_then(|step| Some((step, job_of(subject, part)?)))
        else {
            return;
        };
        let workers = || {
            let measured = ticks.iter().filter(|tick| tick.phase != Phase::WarmUp);
            measured.flat_map(|tick| &tick.workers)
        };
        let of_ends = |of: fn(&WorkerEnd) -> Option<u64>| sum(ends.iter().map(|end| of(end)));
        let switches = of_ends(|end| Some(end.voluntary_switches? + end.involuntary_switches?));
        let switches = switches.or_else(|| {
            sum(workers()
                .map(|worker| Some(worker.voluntary_switches? + worker.involuntary_switches?)))
        });
        let members = match part.worker {
            Some(_) => 1.0,
            None => f64::from(job.workload.workers.max(1)),
        };
        let has_one_job = first.jobs.is_empty() && part.steps.len() == 1 && part.worker.is_none();
        let (user, system) = if has_one_job {
            (first.cpu.user_percent, first.cpu.system_percent)
        } else {
            let span = |end: &&WorkerEnd| end.end_ns.saturating_sub(end.start_ns) as f64;
            let lived_ns: f64 = ends.iter().map(span).sum::<f64>() / members;
            let percent = |ns: Option<u64>| {
                ns.filter(|_| lived_ns > 0.0)
                    .map(|ns| 100.0 * ns as f64 / lived_ns)
            };
            (
                percent(of_ends(|end| end.cpu_user_ns)),
                percent(of_ends(|end| end.cpu_system_ns)),
            )
        };
        let mean = |percent: Option<f64>| percent.map(|percent| percent / members);
        together(&mut self.user_percent, mean(user), is_first);
        together(&mut self.system_percent, mean(system), is_first);
        together(&mut self.switches, switches, is_first);
        let (major, minor) = (
            of_ends(|end| end.major_faults),
            of_ends(|end| end.minor_faults),
        );
        together(&mut self.major_faults, major, is_first);
        together(&mut self.minor_faults, minor, is_first);
    }

    /// For several jobs together, rates come from the sums, and CPU shares are means.
    fn settle_rates(&mut self, parts: usize) {
        if parts < 2 {
            return;
        }
        for direction in self.directions.iter_mut().chain(&mut self.flushes) {
            let per_second = |amount: u64| {
                let seconds = direction.runtime_s;
                (seconds > 0.0).then(|| amount as f64 / seconds)
            };
            direction.iops = per_second(direction.count);
            direction.bytes_per_s = per_second(direction.bytes);
        }
        let mean = |sum: &mut Option<f64>| *sum = sum.map(|sum| sum / parts as f64);
        mean(&mut self.user_percent);
        mean(&mut self.system_percent);
    }

    fn limits(&mut self, subject: &Subject<'_>, entry: &Entry) {
        let Some(job) = entry.parts.first().and_then(|part| job_of(subject, part)) else {
            return;
        };
        let limit = job.workload.latency_limit;
        self.depth = match limit {
            Some(_) if entry.parts[0].steps.len() > 1 => deepest_within(subject, &entry.parts[0]),
            _ => job.workload.depth,
        };
        self.latency_target_ns = limit.map_or(0, |limit| limit.0);
        self.latency_percentile = job.workload.latency_limit_percentile.unwrap_or(100.0);
        self.latency_window_us = limit.and(job.workload.time).map_or(0, |time| time.0 / 1000);
    }
}

/// Messages that the sockets of a job did not receive, by their numbers.
fn lost_messages(subject: &Subject<'_>, part: &RunPart, executions: &[u32]) -> u64 {
    let of_part = subject.run.notes.iter().map(|note| match &note.event {
        Event::EngineClosed {
            execution,
            job,
            worker,
            account,
        } if *job == part.job
            && executions.contains(execution)
            && part.worker.is_none_or(|of| of == *worker) =>
        {
            account.numbers.get("messages_lost").copied().unwrap_or(0.0)
        }
        _ => 0.0,
    });
    of_part.sum::<f64>() as u64
}

/// All flushes are those at the end of a worker or its loops (`end_fsync`, `fsync_on_close`), which fio does not count.
fn only_ends_flush(subject: &Subject<'_>, part: &RunPart) -> bool {
    let job = |step: &u32| {
        let step = subject.run.header.plan.steps.get(*step as usize)?;
        step.jobs.get(part.job as usize)
    };
    part.steps.iter().filter_map(job).all(|job| {
        let workload = &job.workload;
        let flushes = |(kind, _): &(OperationKind, f64)| *kind == OperationKind::Flush;
        workload.flush_at_end && workload.fsync_every == 0 && !workload.mix.0.iter().any(flushes)
    })
}

/// Number of a direction; flushes come last. fio counts file operations in the direction of `rw`.
fn number(kind: OperationKind, file_operation_direction: Option<usize>) -> Option<usize> {
    match kind {
        OperationKind::Flush => Some(3),
        OperationKind::Create | OperationKind::Stat | OperationKind::Delete => {
            file_operation_direction
        }
        kind => direction(kind),
    }
}

fn known(
    operations: &BTreeMap<String, OperationSummary>,
    file_operation_direction: Option<usize>,
) -> impl Iterator<Item = (usize, (OperationKind, &OperationSummary))> {
    operations.iter().filter_map(move |(word, figures)| {
        let kind: OperationKind = word.parse().ok()?;
        Some((number(kind, file_operation_direction)?, (kind, figures)))
    })
}

/// Operations of a job in a step, and their duration.
fn operations_of<'s>(
    step: &'s StepSummary,
    part: &RunPart,
) -> (&'s BTreeMap<String, OperationSummary>, f64) {
    match step.jobs.get(part.job as usize) {
        // A record written before jobs had a time of their own.
        Some(job) if job.duration_s == 0.0 => (&job.operations, step.duration_s),
        Some(job) => (&job.operations, job.duration_s),
        None => (&step.operations, step.duration_s),
    }
}

/// Combined with the value of another job; missing if either is missing.
fn together<T: std::ops::Add<Output = T>>(mine: &mut Option<T>, theirs: Option<T>, is_first: bool) {
    *mine = match (mine.take(), is_first) {
        (_, true) => theirs,
        (mine, false) => mine.zip(theirs).map(|(mine, theirs)| mine + theirs),
    };
}

/// The steps of a part that ran.
fn steps<'s>(subject: &'s Subject<'_>, part: &RunPart) -> impl Iterator<Item = &'s StepSummary> {
    let of: Vec<&StepSummary> = subject
        .summary
        .steps
        .iter()
        .filter(|step| part.steps.contains(&step.step))
        .collect();
    of.into_iter()
}

/// The highest depth of the steps of a part at which the latency limit was kept; 1 if there is none.
fn deepest_within(subject: &Subject<'_>, part: &RunPart) -> u32 {
    let kept = |step: &&StepSummary| {
        let mut limits = step.latency_limits.iter();
        limits.any(|limit| limit.verdict == LimitVerdict::Kept)
    };
    let depth = |step: &StepSummary| {
        let step = subject.run.header.plan.steps.get(step.step as usize)?;
        Some(step.jobs.get(part.job as usize)?.workload.depth)
    };
    let depths = steps(subject, part).filter(kept).filter_map(depth);
    depths.max().unwrap_or(1)
}

/// The job of a part as the plan requests it.
pub(super) fn job_of<'s>(subject: &'s Subject<'_>, part: &RunPart) -> Option<&'s Job> {
    let step = *part.steps.first()?;
    let step = subject.run.header.plan.steps.get(step as usize)?;
    step.jobs.get(part.job as usize)
}

/// A truncated interval is not a sample: it must have at least half of the requested length. For an imported run every interval counts.
fn least_sample_ns(subject: &Subject<'_>, part: &RunPart) -> u64 {
    match job_of(subject, part) {
        Some(job) if subject.run.header.imported.is_none() => job.workload.interval.0 / 2,
        _ => 0,
    }
}
