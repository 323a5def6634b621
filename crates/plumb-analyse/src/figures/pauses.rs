//! When did nothing complete for long, although operations were in flight?
//!
//! An interval without completions alone means little: it occurs in an open loop of a low rate, and after a job has ended. That operations were
//! in flight is known from their service times: with at most n in flight, n operations that ended in the same interval and took T each occupied every
//! slot for most of T, so nothing else can have completed. With one in flight, its time is the pause. Longer than 1 s is not queueing, garbage
//! collection or a TCP retransmission (RFC 6298 starts with at most 1 s, Linux with 0.2 s); and 99 of 100 other operations of the job must
//! have ended in a twentieth of it, or else the target is slow and does not pause. If fewer are in flight than requested, the intervals decide: a worker
//! ends its interval at the next completion if it waits for one, so that an interval much longer than all others, during which no other worker had a
//! completion, had none until its end.

use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::run::{ConnectionState, Event, Run};
use plumb_model::workload::{OperationKind, Workload};

use crate::figures::executions::{Execution, executions};
use crate::figures::tally::rate;

/// A pause is at least so long.
const LONG_NS: u64 = 1_000_000_000;
/// A pause is at least this many times as long as nearly all other operations.
const TIMES: u64 = 20;

/// Mean number in flight of a worker that carries out one operation after the other, at most: intervals and operations end at different moments.
const ONE_BY_ONE: f64 = 1.05;

/// A time in which nothing of a job completed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pause {
    /// Indexes of the step and of the execution, round from 0, and the job.
    pub step: u32,
    pub execution: u32,
    pub round: u32,
    pub job: u32,
    /// About when it began, nanoseconds since the start of the run: completions are counted by interval.
    pub start_ns: u64,
    pub length_ns: u64,
    /// It lasted beyond the end of the step; that part is in no rate.
    pub beyond_end: bool,
    /// The intervals that may hold some of it, nanoseconds since the start of the run.
    from_ns: u64,
    until_ns: u64,
}

/// The pauses of a run by execution. None is reported while a connection was lost.
pub(crate) fn pauses(run: &Run) -> Vec<Pause> {
    let mut found = Vec::new();
    for execution in &executions(run).0 {
        let Some(step) = run.header.plan.steps.get(execution.step as usize) else {
            continue;
        };
        let outages = outages(run, execution.index);
        for (number, job) in step.jobs.iter().enumerate() {
            let of_job = of_job(execution, number as u32, &job.workload);
            found.extend(of_job.into_iter().filter(|pause| {
                !outages.iter().any(|(lost_ns, again_ns)| {
                    *lost_ns <= pause.until_ns && *again_ns >= pause.from_ns
                })
            }));
        }
    }
    found
}

/// Operations per second of a step in the intervals that hold nothing of these pauses, over its only job. `None` where there are no such intervals, and
/// if it has several jobs or no pause.
pub(crate) fn rate_outside(run: &Run, pauses: &[Pause], step: u32) -> Option<f64> {
    let only = run
        .header
        .plan
        .steps
        .get(step as usize)
        .is_some_and(|step| step.jobs.len() == 1);
    if !only || !pauses.iter().any(|pause| pause.step == step) {
        return None;
    }
    let (mut count, mut length_ns) = (0u64, 0u64);
    for execution in executions(run)
        .0
        .iter()
        .filter(|execution| execution.step == step)
    {
        let touched = |tick: &Tick| {
            let mut of_execution = pauses
                .iter()
                .filter(|pause| pause.execution == execution.index);
            of_execution.any(|pause| tick.start_ns < pause.until_ns && tick.end_ns > pause.from_ns)
        };
        for tick in execution
            .ticks
            .iter()
            .filter(|tick| execution.in_rates(tick) && !touched(tick))
        {
            count += tick.kinds.iter().map(|kind| kind.count).sum::<u64>();
            length_ns += tick.end_ns.saturating_sub(tick.start_ns);
        }
    }
    rate(count as f64, length_ns as f64 / 1e9).filter(|rate| *rate > 0.0)
}

/// When connections were lost in an execution, and when they were there again.
fn outages(run: &Run, of: u32) -> Vec<(u64, u64)> {
    let mut found: Vec<(u32, u32, u64, u64)> = Vec::new();
    for note in &run.notes {
        match &note.event {
            Event::Connection {
                execution,
                job,
                worker,
                state,
                ..
            } if *execution == of => match state {
                ConnectionState::Lost => found.push((*job, *worker, note.time_ns, u64::MAX)),
                ConnectionState::Restored => {
                    let open = found
                        .iter_mut()
                        .rev()
                        .find(|(j, w, _, again_ns)| (j, w, *again_ns) == (job, worker, u64::MAX));
                    open.into_iter().for_each(|open| open.3 = note.time_ns);
                }
            },
            _ => {}
        }
    }
    found
        .into_iter()
        .map(|(.., lost_ns, again_ns)| (lost_ns, again_ns))
        .collect()
}

/// Flushes take long by nature.
fn times(tick: &Tick) -> Histogram {
    let mut times = Histogram::default();
    let others = tick
        .kinds
        .iter()
        .filter(|kind| !matches!(kind.kind, OperationKind::Flush | OperationKind::Fsync));
    others.for_each(|kind| times.merge(&kind.service));
    times
}

/// How many operations were in flight at most. Of an engine that carries out one after the other, such as TCP's, that is one for each worker, whatever
/// depth was requested: a closed loop always has as many in flight as possible, so that their mean decides.
fn at_once(execution: &Execution, job: u32, workload: &Workload) -> u64 {
    let workers = u64::from(workload.workers.max(1));
    let ticks = || execution.ticks.iter().filter(|tick| tick.job == job);
    let flight_ns: f64 = ticks()
        .flat_map(|tick| &tick.kinds)
        .map(|kind| kind.service.sum_ns() as f64)
        .sum();
    let length_ns: f64 = ticks()
        .map(|tick| tick.end_ns.saturating_sub(tick.start_ns) as f64)
        .sum();
    let one_by_one = !workload.is_open() && flight_ns <= ONE_BY_ONE * workers as f64 * length_ns;
    if one_by_one {
        workers
    } else {
        workers * u64::from(workload.depth.max(1))
    }
}

fn of_job(execution: &Execution, job: u32, workload: &Workload) -> Vec<Pause> {
    // A program that copies a tree is one operation.
    if workload
        .mix
        .0
        .iter()
        .any(|(kind, _)| *kind == OperationKind::Copy)
    {
        return Vec::new();
    }
    let at_once = at_once(execution, job, workload);
    let mut found = Vec::new();
    let mut all = Histogram::default();
    let (mut last_start_ns, mut empty_since_ns) = (None, None);
    let usual_length_ns = usual_length_ns(execution, job);
    for tick in execution.ticks.iter().filter(|tick| tick.job == job) {
        if tick
            .kinds
            .iter()
            .all(|kind| kind.count == 0 && kind.errors.is_empty())
        {
            empty_since_ns.get_or_insert(tick.start_ns);
            continue;
        }
        let times = times(tick);
        all.merge(&times);
        let from_ns: u64 = last_start_ns
            .replace(tick.start_ns)
            .or(empty_since_ns)
            .unwrap_or(tick.start_ns);
        let since_ns = empty_since_ns.take();
        let by_times_ns = length_ns(tick, &times, since_ns, from_ns, at_once);
        let by_interval_ns = swallowed_ns(execution, tick, &times, usual_length_ns);
        let Some(length_ns) = by_times_ns.max(by_interval_ns) else {
            continue;
        };
        let latest_ns = since_ns
            .unwrap_or(u64::MAX)
            .min(tick.end_ns.saturating_sub(length_ns))
            .max(from_ns);
        let earliest_ns = from_ns
            .max(tick.start_ns.saturating_sub(length_ns))
            .min(latest_ns);
        found.push(Pause {
            step: execution.step,
            execution: execution.index,
            round: execution.round,
            job,
            start_ns: earliest_ns + (latest_ns - earliest_ns) / 2,
            length_ns,
            beyond_end: tick.phase == Phase::Drain && !execution.in_rates(tick),
            from_ns,
            until_ns: tick.end_ns,
        });
    }
    let waited = found.len() as u64 * at_once;
    let usual_ns = largest_ns(execution, job, workload);
    found.retain(|pause| {
        let short = all.count_within(pause.length_ns / TIMES);
        let long = (all.count() - short).saturating_sub(waited);
        short > waited
            && long * 100 <= all.count()
            && pause.length_ns as f64 >= TIMES as f64 * usual_ns
    });
    found
}

/// How long nothing completed before the first completion of this interval; `None` when not for long, or not in a measured time.
fn length_ns(
    tick: &Tick,
    times: &Histogram,
    empty_since_ns: Option<u64>,
    from_ns: u64,
    at_once: u64,
) -> Option<u64> {
    // Whole intervals without a completion; an operation that took at least as long was in flight all the while.
    let empty_ns = empty_since_ns.map_or(0, |since_ns| tick.start_ns.saturating_sub(since_ns));
    let longest_ns = times.max_ns()?;
    let empty_ns = if longest_ns >= empty_ns { empty_ns } else { 0 };
    let rank = (times.count() + 1)
        .checked_sub(at_once)
        .filter(|rank| *rank > 0);
    let held_ns = if at_once == 1 {
        longest_ns
    } else {
        rank.and_then(|rank| times.ranked_ns(rank)).unwrap_or(0)
    };
    let length_ns = empty_ns.max(held_ns.min(tick.end_ns.saturating_sub(from_ns)));
    (length_ns >= LONG_NS && tick.phase != Phase::WarmUp).then_some(length_ns)
}

/// The median length of intervals: most have the requested length, or, in a long record, the merged length.
fn usual_length_ns(execution: &Execution, job: u32) -> u64 {
    let measured = execution
        .ticks
        .iter()
        .filter(|tick| tick.job == job && tick.phase == Phase::Measure);
    let mut lengths: Vec<u64> = measured
        .map(|tick| tick.end_ns.saturating_sub(tick.start_ns))
        .collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(0)
}

/// How long nothing completed within an interval that is longer than the others: not more than the longest operation that ended in it took, which was in
/// flight all the time. `None` if that is not long, or if other operations of the job completed meanwhile.
fn swallowed_ns(
    execution: &Execution,
    tick: &Tick,
    times: &Histogram,
    usual_length_ns: u64,
) -> Option<u64> {
    let beyond_ns = tick
        .end_ns
        .saturating_sub(tick.start_ns)
        .checked_sub(usual_length_ns.saturating_mul(2))?;
    if beyond_ns < LONG_NS || tick.phase != Phase::Measure {
        return None;
    }
    let within =
        tick.start_ns.saturating_add(usual_length_ns)..tick.end_ns.saturating_sub(usual_length_ns);
    let beside = execution
        .ticks
        .iter()
        .filter(|other| other.job == tick.job && !std::ptr::eq::<Tick>(**other, tick));
    let mut busy = beside.filter(|other| other.kinds.iter().any(|kind| kind.count > 0));
    if busy.any(|other| other.start_ns < within.end && other.end_ns > within.start) {
        return None;
    }
    let length_ns = times.max_ns()?.min(tick.end_ns - tick.start_ns);
    (length_ns >= beyond_ns).then_some(length_ns)
}

/// Time of the largest operation at the bandwidth of the job, in nanoseconds: in a mix of sizes it takes long by nature.
fn largest_ns(execution: &Execution, job: u32, workload: &Workload) -> f64 {
    let measured = || {
        execution
            .ticks
            .iter()
            .filter(|tick| tick.job == job && execution.in_rates(tick))
    };
    let bytes: u64 = measured()
        .flat_map(|tick| &tick.kinds)
        .map(|kind| kind.bytes)
        .sum();
    let length_ns = execution.job_duration_ns(job) as f64;
    if bytes == 0 {
        0.0
    } else {
        length_ns
            * workload
                .largest_file_bytes()
                .max(workload.largest_block_bytes()) as f64
            / bytes as f64
    }
}
