//! What are the figures of a run? Every number of the summary, derived from the raw record.
//!
//! - Rates (`iops`, `bandwidth_bytes_per_s`), `count` and `bytes` come from measured intervals; warm-up is excluded everywhere. Operations that
//!   ended in the drain, after the stop, are in the latency histograms and in `errors`, so that a long operation is not hidden by the
//!   end of the step. If a step was stopped by operations or bytes, the drain is measured time like the rest.
//! - Time is the actual length of the intervals, never their number times the requested interval.
//! - The achieved depth is Little's law, L = lambda W (Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961):
//!   the sum of service times over the measured time.

pub mod machine_use;
mod ranks;
mod spread;
mod workers;

use std::collections::BTreeMap;

use plumb_model::plan::Step;
use plumb_model::results::summary::{
    Cpu, DeviceSummary, JobSummary, RoundSummary, SUMMARY_SCHEMA, StepSummary, Summary,
};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::imported::Imported;
use plumb_model::run::ranks::Placement;
use plumb_model::run::step_end::StepEnd;
use plumb_model::run::tick::{KindTick, Phase};
use plumb_model::run::{Event, INCOMPLETE, Run, WriteBackFailure};
use plumb_model::workload::{RankSharing, Workload};

use crate::figures::connections::{connections, leave_waiting_out};
use crate::figures::executions::{Execution, counter_of, executions, levels, over_the_measuring};
use crate::figures::grid::grid;
use crate::figures::reported::{self, Scope};
use crate::figures::round_summary::round_summary;
use crate::figures::scaling::scaling;
use crate::figures::tally::{Kinds, latency};
use crate::{figures::latency_limits, figures::steady_rounds, figures::until_steady};

/// The summary of a run, finished, interrupted or incomplete: figures, findings and verdict.
pub fn summarise(run: &Run) -> Summary {
    let mut summary = figures(run);
    summary.scaling = scaling(&summary);
    summary.grid = grid(&summary);
    summary.findings = crate::rules::judge_all(run, &summary);
    summary.verdict = crate::verdict::verdict(run, &summary);
    summary
}

/// The summary without findings and verdict.
pub(crate) fn figures(run: &Run) -> Summary {
    let header = &run.header;
    let placement = header.ranks.as_ref().map(Placement::of);
    let (executions, lost) = executions(run);
    let steady = steady_rounds::of_executions(&header.plan, &executions);
    let counts =
        |execution: &Execution| steady_rounds::counts(steady.as_ref(), &header.plan, execution);
    let mut by_step: BTreeMap<u32, Vec<&Execution>> = BTreeMap::new();
    for execution in &executions {
        by_step.entry(execution.step).or_default().push(execution);
    }
    let steps = by_step.iter().filter_map(|(index, runs)| {
        let step = header.plan.steps.get(*index as usize)?;
        // Rounds before the steady window are only listed. A step without rounds in the window uses all it has.
        let (counted, before): (Vec<&Execution>, Vec<&Execution>) =
            runs.iter().partition(|execution| counts(execution));
        let (counted, before) = if counted.is_empty() {
            (before, Vec::new())
        } else {
            (counted, before)
        };
        let mut summary = step_summary(*index, step, &counted, placement.as_ref());
        summary.ranks = ranks::step_ranks(header.ranks.as_ref(), &counted);
        if let Some(imported) = &header.imported {
            summary.unstated = imported.unstated.clone();
            summary.requested_depth =
                (summary.requested_depth).filter(|_| imported.states("depth"));
        }
        let left_out = before.into_iter().map(|execution| RoundSummary {
            left_out: true,
            ..round_summary(execution)
        });
        summary.rounds.extend(left_out);
        summary.rounds.sort_by_key(|round| round.execution);
        summary.connections = connections(run, &counted);
        leave_waiting_out(&mut summary);
        summary.device = device(run, &counted, &summary);
        summary.warm_up_errors = warm_up_errors(runs);
        // Lost data is reported for every round, counted or not.
        summary.write_back_failures = write_back_failures(run, runs);
        Some(summary)
    });
    Summary {
        schema: SUMMARY_SCHEMA.to_string(),
        id: header.id.clone(),
        plumb_version: header.plumb_version.clone(),
        started: header.started.clone(),
        state: state(run).to_string(),
        plan: header.plan.clone(),
        environment: header.environment.clone(),
        findings: Vec::new(),
        verdict: Vec::new(),
        steps: steps.collect(),
        steady: steady.clone(),
        scaling: Vec::new(),
        grid: Vec::new(),
        ranks: ranks::ranks(run),
        doubts: run
            .doubts
            .iter()
            .cloned()
            .chain(lost)
            .chain(
                header
                    .imported
                    .iter()
                    .flat_map(|from| from.doubts.iter().cloned()),
            )
            .collect(),
        imported: header.imported.clone().map(|from| Imported {
            doubts: Vec::new(),
            ..from
        }),
    }
}

/// `finished`, `interrupted` or `incomplete`.
fn state(run: &Run) -> &'static str {
    run.notes
        .iter()
        .rev()
        .find_map(|note| note.event.state())
        .unwrap_or(INCOMPLETE)
}

fn step_summary(
    index: u32,
    step: &Step,
    runs: &[&Execution],
    ranks: Option<&Placement>,
) -> StepSummary {
    let (kinds, flight, duration_ns) = measured(runs, None);
    let duration_s = duration_ns as f64 / 1e9;
    let mut total = kinds.total().summary(duration_s);
    let mut operations = kinds.summaries(duration_s);
    let scope = Scope {
        runs,
        job: None,
        kind: None,
    };
    reported::complete(&mut total, scope);
    reported::complete_kinds(&mut operations, scope);
    spread::complete(&mut operations, Some(&mut total), runs, None);
    let engine_record = runs
        .iter()
        .find_map(|execution| execution.engines.get(&0).copied().cloned());
    let jobs = step.jobs.len().max(1) as u32;
    StepSummary {
        name: step.name.clone(),
        step: index,
        swept: step.swept.clone(),
        duration_s,
        engine: engine_record
            .as_ref()
            .map_or_else(|| requested_engine(step, 0), |record| record.name.clone()),
        engine_record,
        unstated: Vec::new(),
        requested_depth: requested_depth(step, ranks),
        achieved_depth: flight
            .depth(duration_ns)
            .map(|depth| most_in_flight(step, ranks).map_or(depth, |most| depth.min(most))),
        requested_rate: requested_rate(step, ranks),
        operations,
        response_ns: total.response_ns.clone(),
        service_ns: total.service_ns.clone(),
        total,
        lateness_ns: lateness(runs).as_ref().map(latency),
        unsubmitted: unsubmitted(runs),
        cpu: cpu(runs, duration_ns),
        workers: workers::workers(step, runs),
        depth_levels: workers::depth_levels(runs),
        operations_per_submission: levels(runs, None).operations_per_submission(),
        device: None,
        rounds: runs
            .iter()
            .map(|execution| round_summary(execution))
            .collect(),
        jobs: if jobs > 1 {
            (0..jobs).map(|job| job_summary(step, job, runs)).collect()
        } else {
            Vec::new()
        },
        connections: None,
        warm_up_errors: BTreeMap::new(),
        write_back_failures: Vec::new(),
        ranks: None,
        until_steady: until_steady::ends(step, runs),
        latency_limits: latency_limits::limits(step, runs),
        reported: reported::figures(step, runs),
        ended_by: ended_by(runs),
    }
}

/// Completions, operations in flight, and durations in nanoseconds: of all jobs or one.
fn measured(runs: &[&Execution], job: Option<u32>) -> (Kinds, Flight, u64) {
    let mut kinds = Kinds::default();
    let mut flight = Flight::default();
    let mut duration_ns = 0u64;
    for execution in runs {
        let lasted_ns = match job {
            Some(job) => execution.job_duration_ns(job),
            None => execution.duration_ns(),
        };
        duration_ns = duration_ns.saturating_add(lasted_ns);
        flight.add(execution, job);
        let ticks = execution
            .ticks
            .iter()
            .filter(|tick| tick.phase != Phase::WarmUp && job.is_none_or(|job| tick.job == job));
        ticks.for_each(|tick| kinds.add(tick, execution.in_rates(tick)));
    }
    (kinds, flight, duration_ns)
}

/// From due to submission, in an open loop.
fn lateness(runs: &[&Execution]) -> Option<Histogram> {
    let mut all: Option<Histogram> = None;
    let ticks = runs.iter().flat_map(|execution| &execution.ticks);
    for tick in ticks.filter(|tick| tick.phase != Phase::WarmUp) {
        if let Some(late) = &tick.lateness {
            all.get_or_insert_default().merge(late);
        }
    }
    all
}

/// What failed before it was measured, counted over all rounds.
fn warm_up_errors(runs: &[&Execution]) -> BTreeMap<String, u64> {
    let ticks = runs
        .iter()
        .flat_map(|execution| &execution.ticks)
        .filter(|tick| tick.phase == Phase::WarmUp);
    let mut errors = BTreeMap::new();
    for (error, count) in ticks
        .flat_map(|tick| &tick.kinds)
        .flat_map(|kind| &kind.errors)
    {
        *errors.entry(error.clone()).or_default() += count;
    }
    errors
}

fn write_back_failures(run: &Run, runs: &[&Execution]) -> Vec<WriteBackFailure> {
    let of_step = |index: u32| runs.iter().any(|execution| execution.index == index);
    let found = run.notes.iter().filter_map(|note| match &note.event {
        Event::WriteBackFailed { execution, failure } if of_step(*execution) => {
            Some(failure.clone())
        }
        _ => None,
    });
    found.collect()
}

fn requested_engine(step: &Step, job: usize) -> String {
    step.jobs
        .get(job)
        .map(|job| job.engine.engine.clone())
        .unwrap_or_default()
}

/// Processes that carry out a job, each with all of its workers.
fn processes(workload: &Workload, ranks: Option<&Placement>) -> f64 {
    ranks.map_or(1.0, |ranks| workload.members(ranks).len() as f64)
}

/// Depth x workers over all jobs and ranks; missing when the main job is an open loop.
fn requested_depth(step: &Step, ranks: Option<&Placement>) -> Option<f64> {
    step.jobs.first().filter(|job| !job.workload.is_open())?;
    let closed = step
        .jobs
        .iter()
        .map(|job| &job.workload)
        .filter(|workload| !workload.is_open());
    Some(
        closed
            .map(|workload| {
                let each = f64::from(workload.depth) * f64::from(workload.workers);
                each * processes(workload, ranks)
            })
            .sum(),
    )
}

/// What can be in flight at most; missing when a job is an open loop. An operation that began in the warm-up counts with all its time: in a run of
/// a few operations, that alone would exceed this.
fn most_in_flight(step: &Step, ranks: Option<&Placement>) -> Option<f64> {
    requested_depth(step, ranks).filter(|_| step.jobs.iter().all(|job| !job.workload.is_open()))
}

fn requested_rate(step: &Step, ranks: Option<&Placement>) -> Option<f64> {
    let of_job = |workload: &Workload| {
        let rate = workload.requested_rate()?;
        Some(match workload.ranks {
            RankSharing::Each => rate * processes(workload, ranks),
            RankSharing::Together => rate,
        })
    };
    let jobs = step.jobs.iter();
    let rates: Vec<f64> = jobs.filter_map(|job| of_job(&job.workload)).collect();
    (!rates.is_empty()).then(|| rates.iter().sum())
}

/// Operation-nanoseconds spent in flight within the measured time.
#[derive(Default)]
struct Flight {
    operation_ns: f64,
    completed: u64,
    /// The source of an imported run lacks latencies of some operations.
    unknown: bool,
}

impl Flight {
    /// Adds one execution, all jobs or one.
    ///
    /// An operation counts in the interval of its completion. Operations started in the warm-up and those in flight at the end balance each
    /// other. Without a warm-up nothing makes up for the operations in flight at the end; they are seen to complete in the drain, and by symmetry have
    /// spent half of their time before the stop.
    fn add(&mut self, execution: &Execution, job: Option<u32>) {
        let ticks = || {
            execution
                .ticks
                .iter()
                .filter(|tick| job.is_none_or(|job| tick.job == job))
        };
        let warmed_up = ticks().any(|tick| tick.phase == Phase::WarmUp);
        for tick in ticks() {
            let share = match (execution.in_rates(tick), tick.phase) {
                (true, _) => 1.0,
                (false, Phase::Drain) if !warmed_up => 0.5,
                _ => continue,
            };
            for kind in &tick.kinds {
                match kind.service.count() {
                    0 if kind.count > 0 => {
                        match reported::operation_ns(execution, tick.job, kind) {
                            Some(operation_ns) => self.operation_ns += share * operation_ns,
                            None => self.unknown = true,
                        }
                    }
                    _ => self.operation_ns += share * kind.service.sum_ns() as f64,
                }
                self.completed += kind.count;
            }
        }
    }

    fn depth(&self, duration_ns: u64) -> Option<f64> {
        (self.completed > 0 && duration_ns > 0 && !self.unknown)
            .then(|| self.operation_ns / duration_ns as f64)
    }
}

fn job_summary(step: &Step, job: u32, runs: &[&Execution]) -> JobSummary {
    let (kinds, flight, duration_ns) = measured(runs, Some(job));
    let mut operations = kinds.summaries(duration_ns as f64 / 1e9);
    reported::complete_kinds(
        &mut operations,
        Scope {
            runs,
            job: Some(job),
            kind: None,
        },
    );
    spread::complete(&mut operations, None, runs, Some(job));
    let engine = runs.iter().find_map(|execution| {
        execution
            .engines
            .get(&job)
            .map(|engine| engine.name.clone())
    });
    JobSummary {
        name: step
            .jobs
            .get(job as usize)
            .map(|job| job.name.clone())
            .unwrap_or_default(),
        engine: engine.unwrap_or_else(|| requested_engine(step, job as usize)),
        duration_s: duration_ns as f64 / 1e9,
        achieved_depth: flight.depth(duration_ns),
        operations,
    }
}

/// What was due and never submitted, over all executions and jobs: the operations that have a response time and no service time. Records of older versions
/// do not hold them: the backlog of the last interval tells there. Missing in a closed loop.
fn unsubmitted(runs: &[&Execution]) -> Option<u64> {
    let mut last: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut waited = 0;
    for tick in runs.iter().flat_map(|execution| &execution.ticks) {
        if let Some(backlog) = tick.backlog {
            last.insert((tick.execution, tick.job), backlog);
        }
        let of_kind = |kind: &KindTick| {
            kind.response.as_ref().map_or(0, |response| {
                response.count().saturating_sub(kind.service.count())
            })
        };
        waited += tick.kinds.iter().map(of_kind).sum::<u64>();
    }
    (!last.is_empty()).then(|| {
        if waited > 0 {
            waited
        } else {
            last.values().sum()
        }
    })
}

/// CPU of the workers over the measured intervals. One worker without it makes the sum missing, never too small.
fn cpu(runs: &[&Execution], duration_ns: u64) -> Cpu {
    let (mut user, mut system, mut switches) = (Some(0u64), Some(0u64), Some(0u64));
    let (mut operations, mut seen) = (0u64, false);
    // Of all threads that made load; the workers' own where that was not recorded.
    let mut all = Some((0.0, 0.0));
    let mut busiest: Option<f64> = None;
    let add = |sum: Option<u64>, value: Option<u64>| sum?.checked_add(value?);
    for execution in runs {
        all = all
            .zip(execution.load_cpu_ns)
            .map(|(sum, more)| (sum.0 + more.0, sum.1 + more.1));
        let mut by_worker: BTreeMap<(u32, u32), (Option<u64>, u64)> = BTreeMap::new();
        for tick in execution
            .ticks
            .iter()
            .filter(|tick| execution.in_rates(tick))
        {
            let length = tick.end_ns.saturating_sub(tick.start_ns);
            operations += tick.kinds.iter().map(|kind| kind.count).sum::<u64>();
            for worker in &tick.workers {
                seen = true;
                user = add(user, worker.cpu_user_ns);
                system = add(system, worker.cpu_system_ns);
                switches = add(
                    add(switches, worker.voluntary_switches),
                    worker.involuntary_switches,
                );
                let (spent, time) = by_worker
                    .entry((tick.job, worker.worker))
                    .or_insert((Some(0), 0));
                *spent = add(add(*spent, worker.cpu_user_ns), worker.cpu_system_ns);
                *time = time.saturating_add(length);
            }
        }
        let percents = by_worker
            .values()
            .filter_map(|(spent, time)| percent((*spent)?, *time));
        busiest = percents.fold(busiest, |most: Option<f64>, percent| {
            Some(most.map_or(percent, |most| most.max(percent)))
        });
    }
    if !seen {
        return Cpu::default();
    }
    let per_operation = |sum: Option<u64>| {
        sum.filter(|_| operations > 0)
            .map(|sum| sum as f64 / operations as f64)
    };
    let workers = add(user, system);
    // Less than the workers' own is an inexact reading.
    if let (Some(workers), Some((all_user, all_system))) = (workers, all)
        && all_user + all_system > workers as f64
    {
        (user, system) = (Some(all_user as u64), Some(all_system as u64));
    }
    Cpu {
        user_percent: user.and_then(|ns| percent(ns, duration_ns)),
        system_percent: system.and_then(|ns| percent(ns, duration_ns)),
        ns_per_operation: per_operation(add(user, system)),
        workers_percent: workers.and_then(|ns| percent(ns, duration_ns)),
        busiest_worker_percent: busiest,
        switches_per_operation: per_operation(switches),
        ..workers::counts(
            runs.iter()
                .flat_map(|run| run.worker_ends.values().copied()),
        )
    }
}

fn percent(part_ns: u64, whole_ns: u64) -> Option<f64> {
    (whole_ns > 0).then(|| 100.0 * part_ns as f64 / whole_ns as f64)
}

/// What ended the step; different ends of different rounds are all named.
fn ended_by(runs: &[&Execution]) -> Vec<StepEnd> {
    let mut ends: Vec<StepEnd> = Vec::new();
    for execution in runs {
        let end = match (execution.failed, execution.stopped_by) {
            (Some(error), _) => StepEnd::Failed(error.clone()),
            (None, Some(by)) => StepEnd::Stopped(by.clone()),
            (None, None) => StepEnd::Unfinished,
        };
        if !ends.contains(&end) {
            ends.push(end);
        }
    }
    ends
}

/// The device of the run; `None` if unknown, or if its counters were not read at both ends of every measurement.
fn device(run: &Run, runs: &[&Execution], step: &StepSummary) -> Option<DeviceSummary> {
    let name = run.header.environment.text("device.name")?;
    let rise = |metric: &str| {
        let readings = counter_of(run, metric, name);
        runs.iter()
            .filter(|execution| execution.duration_ns() > 0)
            .map(|execution| over_the_measuring(execution, &readings))
            .try_fold(0.0, |sum, rise| Some(sum + rise?))
    };
    let rate = |metric: &str| {
        rise(metric)
            .filter(|_| step.duration_s > 0.0)
            .map(|rise| rise / step.duration_s)
    };
    let summary = DeviceSummary {
        name: name.to_string(),
        // Rises between readings that do not meet the ends of the measuring exactly.
        busy_percent: rate("disk.busy_ns").map(|busy| (busy / 1e7).min(100.0)),
        mean_queue: rate("disk.queue_time_ns").map(|queue| queue / 1e9),
        reads_per_s: rate("disk.reads"),
        writes_per_s: rate("disk.writes"),
        flushes_per_s: rate("disk.flushes"),
        read_bytes_per_s: rate("disk.read_bytes"),
        write_bytes_per_s: rate("disk.write_bytes"),
    };
    (summary.busy_percent.is_some() || summary.reads_per_s.is_some()).then_some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Builder, Interval, ladder, step};
    use plumb_model::run::Event;
    use plumb_model::run::metric::Reading;
    use plumb_model::run::step_end::StopReason;
    use plumb_model::workload::{OperationKind, Workload};

    #[test]
    fn operations_that_move_no_data_have_no_bandwidth() {
        let of = |kind: &str| {
            let mut builder = Builder::new(vec![step(
                kind,
                kind,
                &[],
                Workload {
                    mix: kind.parse().expect("a mix"),
                    ..Workload::default()
                },
            )]);
            builder.execute(0, 0, &[Interval::default()]);
            let step = only(&builder.finish());
            (
                step.total.iops.is_some(),
                step.total.bandwidth_bytes_per_s.is_some(),
                step.rounds[0].bandwidth_bytes_per_s.is_some(),
            )
        };
        assert_eq!(
            (of("stat"), of("read")),
            ((true, false, false), (true, true, true))
        );
    }

    fn only(run: &Run) -> StepSummary {
        let mut steps = figures(run).steps;
        assert_eq!(steps.len(), 1);
        steps.remove(0)
    }

    fn near(got: Option<f64>, expect: f64, tolerance: f64) {
        assert!(
            got.is_some_and(|got| (got / expect - 1.0).abs() <= tolerance),
            "{got:?} is not {expect}"
        );
    }

    #[test]
    fn rounds_are_merged_and_warm_up_is_left_out() {
        let mut builder = Builder::new(ladder("read", &[1]));
        let warm_up = Interval {
            iops: 99_000.0,
            latency_ns: 5.0,
            phase: Phase::WarmUp,
            ..Interval::default()
        };
        for (round, iops) in [10_000.0, 20_000.0].into_iter().enumerate() {
            builder.execute(
                0,
                round as u32,
                &[
                    warm_up.clone(),
                    Interval {
                        iops,
                        ..Interval::default()
                    },
                    Interval {
                        iops,
                        ..Interval::default()
                    },
                ],
            );
        }
        let step = only(&builder.finish());
        assert_eq!(
            (step.total.count, step.total.bytes, step.duration_s),
            (60_000, 60_000 * 4096, 4.0)
        );
        assert_eq!(
            (step.total.iops, step.rounds[0].iops, step.rounds[1].iops),
            (Some(15_000.0), Some(10_000.0), Some(20_000.0))
        );
        assert_eq!(
            (step.response_ns.count, step.operations["read"].count),
            (60_000, 60_000)
        );
        assert!(
            step.response_ns.min.is_some_and(|min| min > 1000.0),
            "warm-up is in the latencies"
        );
        // The tail of each interval is 1 % at ten times and 0.1 % at fifty times of 100 us: merging keeps it.
        near(step.response_ns.p99_9, 1_000_000.0, 0.01);
        near(step.response_ns.max, 5_000_000.0, 0.0);
        assert_eq!(step.response_ns.p99_99, None);
        assert_eq!(
            (
                step.ended_by.as_slice(),
                step.engine.as_str(),
                step.requested_depth
            ),
            ([StepEnd::default()].as_slice(), "io_uring", Some(1.0))
        );
        near(
            step.cpu
                .user_percent
                .zip(step.cpu.system_percent)
                .map(|(user, system)| user + system),
            10.0,
            0.001,
        );
        near(step.cpu.busiest_worker_percent, 10.0, 0.001);
    }

    #[test]
    fn time_is_the_real_length_of_the_intervals() {
        let mut builder = Builder::new(ladder("read", &[1]));
        // A stall of 2 s stretches one interval to 3 s.
        let (usual, stalled) = (
            Interval::default(),
            Interval {
                seconds: 3.0,
                iops: 10_000.0 / 3.0,
                ..Interval::default()
            },
        );
        builder.execute(0, 0, &[usual.clone(), stalled, usual]);
        let step = only(&builder.finish());
        assert_eq!((step.duration_s, step.total.count), (5.0, 30_000));
        near(step.total.iops, 6_000.0, 1e-9);
    }

    #[test]
    fn the_drain_counts_in_latencies_and_errors_not_in_rates() {
        let drain = Interval {
            seconds: 0.5,
            iops: 64.0,
            latency_ns: 1e9,
            phase: Phase::Drain,
            errors: vec![("EIO", 1)],
            ..Interval::default()
        };
        let run = |by: StopReason| {
            let mut builder = Builder::new(ladder("read", &[32]));
            builder.execute(0, 0, &[Interval::default(), drain.clone()]);
            let mut run = builder.finish();
            for note in &mut run.notes {
                if let Event::ExecutionEnded { stopped_by, .. } = &mut note.event {
                    *stopped_by = by.clone();
                }
            }
            run
        };
        let step = only(&run(StopReason::Time));
        assert_eq!(
            (
                step.total.count,
                step.response_ns.count,
                step.total.errors,
                step.duration_s
            ),
            (10_000, 10_032, 1, 1.0)
        );
        assert_eq!(step.total.errors_by_kind["EIO"], 1);
        let step = only(&run(StopReason::Operations));
        assert_eq!(
            (step.total.count, step.response_ns.count, step.duration_s),
            (10_032, 10_032, 1.5)
        );
    }

    #[test]
    fn achieved_depth_is_littles_law() {
        // 1,000 operations per second of 10 ms each, and some that take longer: somewhat more than 10 in flight.
        let mut builder = Builder::new(ladder("read", &[16]));
        let mut run_with = |intervals: &[Interval]| {
            builder.execute(0, 0, intervals);
        };
        run_with(&vec![
            Interval {
                iops: 1000.0,
                latency_ns: 1e7,
                ..Interval::default()
            };
            4
        ]);
        let run = builder.finish();
        let sum_ns: u128 = run
            .ticks
            .iter()
            .flat_map(|tick| &tick.kinds)
            .map(|kind| kind.service.sum_ns())
            .sum();
        near(only(&run).achieved_depth, sum_ns as f64 / 4e9, 1e-12);
        // 10 operations of 400 ms each, one after the other from the start of 1 s: 20 end in it, and 10 that are in flight at its end lie in it
        // for half of their time on the mean.
        let mut builder = Builder::new(ladder("read", &[10]));
        let drain = Interval {
            seconds: 0.4,
            iops: 25.0,
            latency_ns: 4e8,
            phase: Phase::Drain,
            ..Interval::default()
        };
        builder.execute(
            0,
            0,
            &[
                Interval {
                    iops: 20.0,
                    latency_ns: 4e8,
                    ..Interval::default()
                },
                drain,
            ],
        );
        near(only(&builder.finish()).achieved_depth, 10.0, 0.02);
        assert_eq!(
            figures(&Builder::new(ladder("read", &[10])).finish())
                .steps
                .len(),
            0
        );
        // Operations that began in the warm-up take longer than all the measuring: no more than asked were in flight.
        let mut builder = Builder::new(ladder("read", &[10]));
        let warm_up = Interval {
            phase: Phase::WarmUp,
            ..Interval::default()
        };
        builder.execute(
            0,
            0,
            &[
                warm_up,
                Interval {
                    seconds: 0.1,
                    iops: 100.0,
                    latency_ns: 2e8,
                    ..Interval::default()
                },
            ],
        );
        near(only(&builder.finish()).achieved_depth, 10.0, 1e-9);
    }

    #[test]
    fn open_loops_tell_rate_lateness_and_backlog() {
        let steps = vec![step(
            "read",
            "read",
            &[],
            Workload {
                rate: Some(5000.0),
                ..Workload::default()
            },
        )];
        let mut builder = Builder::new(steps);
        builder.execute(
            0,
            0,
            &[
                Interval {
                    backlog: Some(900),
                    ..Interval::default()
                },
                Interval {
                    backlog: Some(7),
                    ..Interval::default()
                },
            ],
        );
        builder.execute(
            0,
            1,
            &[Interval {
                backlog: Some(5),
                ..Interval::default()
            }],
        );
        let step = only(&builder.finish());
        assert_eq!(
            (step.requested_rate, step.requested_depth, step.unsubmitted),
            (Some(5000.0), None, Some(12))
        );
        assert!(step.lateness_ns.is_some());
    }

    #[test]
    fn threads_beside_the_workers_count_where_they_are_recorded() {
        let mut builder = Builder::new(vec![step("read", "read", &[], Workload::default())]);
        builder.execute(
            0,
            0,
            &vec![
                Interval {
                    cpu_percent: 10.0,
                    ..Interval::default()
                };
                2
            ],
        );
        let mut run = builder.finish();
        let (start, end) = (run.ticks[0].start_ns, run.ticks[1].end_ns);
        let workers = only(&run).cpu;
        let mut read = |metric: &'static str, time_ns: u64, value: f64| {
            run.readings.push(Reading {
                metric: metric.into(),
                instance: String::new(),
                time_ns,
                value: Some(value),
            });
        };
        for (metric, share) in [
            ("process.load_user_ns", 0.5),
            ("process.load_system_ns", 1.0),
        ] {
            read(metric, start, 5e9);
            read(
                metric,
                end + 1_000_000,
                5e9 + share * (end + 1_000_000 - start) as f64,
            );
        }
        let cpu = only(&run).cpu;
        near(cpu.user_percent, 50.0, 0.001);
        near(cpu.system_percent, 100.0, 0.001);
        assert_eq!(
            (cpu.workers_percent, cpu.busiest_worker_percent),
            (workers.workers_percent, workers.busiest_worker_percent)
        );
        // Readings that miss the measuring say nothing of it.
        run.readings
            .iter_mut()
            .for_each(|reading| reading.time_ns += end - start);
        assert_eq!(only(&run).cpu, workers);
    }

    #[test]
    fn one_silent_worker_makes_the_cpu_missing() {
        let mut builder = Builder::new(vec![step(
            "read",
            "read",
            &[],
            Workload {
                workers: 2,
                ..Workload::default()
            },
        )]);
        builder.execute(0, 0, &[Interval::default()]);
        let mut run = builder.finish();
        assert!(only(&run).cpu.user_percent.is_some());
        run.ticks[0].workers[1].cpu_user_ns = None;
        let cpu = only(&run).cpu;
        assert!(
            cpu.user_percent.is_none()
                && cpu.ns_per_operation.is_none()
                && cpu.system_percent.is_some()
        );
    }

    #[test]
    fn several_jobs_are_told_apart() {
        let mut both = step(
            "database",
            "database",
            &[],
            Workload {
                mix: "read:70,write:30".parse().expect("a mix"),
                depth: 4,
                ..Workload::default()
            },
        );
        let mut log = both.jobs[0].clone();
        log.name = "log".into();
        log.workload = Workload {
            mix: "write".parse().expect("a mix"),
            ..Workload::default()
        };
        both.jobs.push(log);
        let mut builder = Builder::new(vec![both]);
        builder.execute(0, 0, &[Interval::default()]);
        let step = only(&builder.finish());
        assert_eq!(
            (
                step.total.count,
                step.operations["write"].count,
                step.operations["read"].count
            ),
            (20_000, 13_000, 7_000)
        );
        assert_eq!(
            (
                step.jobs.len(),
                step.jobs[1].name.as_str(),
                step.jobs[1].operations["write"].count
            ),
            (2, "log", 10_000)
        );
        assert_eq!((step.requested_depth, step.duration_s), (Some(5.0), 1.0));
    }

    #[test]
    fn flushes_beside_writes_are_a_figure_of_their_own() {
        let workload = Workload {
            mix: "write".parse().expect("a mix"),
            fsync_every: 1,
            ..Workload::default()
        };
        let mut builder = Builder::new(vec![step("write", "write", &[], workload)]);
        builder.execute(
            0,
            0,
            &vec![
                Interval {
                    iops: 539.0,
                    ..Interval::default()
                };
                2
            ],
        );
        for tick in &mut builder.run.ticks {
            let mut flush = tick.kinds[0].clone();
            (flush.kind, flush.bytes) = (OperationKind::Flush, 0);
            flush.errors.insert("EIO".into(), 1);
            flush.service = Histogram::default();
            flush.service.record_n(1_000_000_000, flush.count);
            tick.kinds.push(flush);
        }
        let run = builder.finish();
        let summary = summarise(&run);
        let step = &summary.steps[0];
        assert_eq!(
            (step.total.iops, step.total.count, step.rounds[0].iops),
            (Some(539.0), 1078, Some(539.0))
        );
        assert_eq!(
            (step.operations["flush"].iops, step.operations["write"].iops),
            (Some(539.0), Some(539.0))
        );
        assert_eq!(
            (
                step.total.errors,
                step.flushes().map(|flushes| flushes.count),
                step.all_operations()
            ),
            (2, Some(1078), 2156)
        );
        assert!(
            step.response_ns.max.is_some_and(|max| max < 1e9),
            "{:?}",
            step.response_ns
        );
        assert!(
            summary
                .verdict
                .iter()
                .any(|sentence| crate::english::text(sentence)
                    .contains("about 539 IOPS with 539 flushes/s")),
            "{:?}",
            summary.verdict
        );

        // What only flushes is measured by its flushes.
        let mut only = run;
        only.ticks
            .iter_mut()
            .for_each(|tick| tick.kinds.retain(|kind| kind.kind == OperationKind::Flush));
        let summary = summarise(&only);
        assert_eq!(
            (summary.steps[0].total.iops, summary.steps[0].flushes()),
            (Some(539.0), None)
        );
    }

    #[test]
    fn a_killed_run_has_figures_and_says_so() {
        let mut builder = Builder::new(ladder("read", &[1, 2]));
        builder.execute(0, 0, &vec![Interval::default(); 2]);
        builder.execute(1, 0, &[Interval::default()]);
        let mut run = builder.run;
        run.notes.retain(|note| {
            !matches!(
                note.event,
                Event::ExecutionEnded { execution: 1, .. }
                    | Event::ExecutionStarted { execution: 1, .. }
            )
        });
        let summary = figures(&run);
        assert_eq!(
            (summary.state.as_str(), summary.steps.len()),
            ("incomplete", 1)
        );
        assert_eq!(
            crate::english::in_english(&summary.doubts[0]),
            "1 interval belongs to no known step and is left out"
        );
    }
}
