//! What did each round of a step measure? The comparable figures, one value per round, as in the summary.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::plan::Step;
use plumb_model::results::comparison::ComparedMetric;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::{KindTick, Phase, Tick};
use plumb_model::run::{EngineRecord, Event, Run};
use plumb_model::statement::Statement;
use plumb_model::workload::{Offsets, OperationKind};

use crate::figures::executions::left_out;
use crate::figures::executions::{Execution, executions, levels};
use crate::figures::reported;
use crate::figures::steady_rounds;
use crate::figures::tally::{flushes_apart, rate, stated_quantile};

/// A run with its executions grouped by step.
pub(crate) struct Measured<'a> {
    pub run: &'a Run,
    /// By step of the plan, in the order in which they ran.
    executions: BTreeMap<usize, Vec<Execution<'a>>>,
    lost: Option<Statement>,
}

/// Part of its time from which on a job of another program ran for it: fio counts a little less.
const RAN_FOR_ITS_TIME: f64 = 0.98;

/// One round of one step.
pub(crate) struct Round {
    /// Number of the round, from 0.
    pub number: u32,
    /// False when it is left out: it failed, or did not end as it should.
    pub counts: bool,
    /// One per requested metric; missing if the round has no such figure, or too few operations to state it.
    pub values: Vec<Option<f64>>,
    /// What each of them is not known to, as a part of it: half a bucket of its histogram, half an operation of its count.
    pub resolutions: Vec<f64>,
}

impl<'a> Measured<'a> {
    pub fn of(run: &'a Run) -> Self {
        let (found, lost) = executions(run);
        let mut executions: BTreeMap<usize, Vec<Execution>> = BTreeMap::new();
        // Of a run that waits until it is steady, the rounds of the window are the result.
        let steady = steady_rounds::of_executions(&run.header.plan, &found);
        for execution in found
            .into_iter()
            .filter(|execution| steady_rounds::counts(steady.as_ref(), &run.header.plan, execution))
        {
            executions
                .entry(execution.step as usize)
                .or_default()
                .push(execution);
        }
        Measured {
            run,
            executions,
            lost,
        }
    }

    pub fn step(&self, index: usize) -> Option<&'a Step> {
        self.run.header.plan.steps.get(index)
    }

    /// All executions of a step, those that failed too.
    pub fn executions(&self, step: usize) -> &[Execution<'a>] {
        self.executions.get(&step).map_or(&[], Vec::as_slice)
    }

    /// Executions of a step whose figures count.
    pub fn complete_rounds(&self, step: usize) -> impl Iterator<Item = &Execution<'a>> {
        self.executions(step)
            .iter()
            .filter(|execution| left_out(execution).is_none())
    }

    /// True where its time ended this job in every round that counts, so that no other end that it was given was reached. Another program does not say what ended
    /// a job: it is one that ran for its time.
    pub fn ended_by_time(&self, step: usize, job: u32) -> bool {
        let requested = self
            .step(step)
            .and_then(|of| of.jobs.get(job as usize)?.workload.time);
        let Some(requested) = requested else {
            return false;
        };
        let by_time = |execution: &Execution| {
            let mut workers = execution
                .worker_ends
                .iter()
                .filter(|((of, _), _)| *of == job)
                .map(|(_, end)| &end.stopped_by)
                .peekable();
            match execution.stopped_by {
                Some(StopReason::Program) => {
                    let ticks = execution.ticks.iter().filter(|tick| tick.job == job);
                    let span = ticks.fold(None, |span: Option<(u64, u64)>, tick| {
                        let (start, end) = span.unwrap_or((tick.start_ns, tick.end_ns));
                        Some((start.min(tick.start_ns), end.max(tick.end_ns)))
                    });
                    span.is_some_and(|(start, end)| {
                        end.saturating_sub(start) as f64 >= RAN_FOR_ITS_TIME * requested.0 as f64
                    })
                }
                _ if workers.peek().is_some() => workers.all(|end| *end == StopReason::Time),
                stopped_by => stopped_by == Some(&StopReason::Time),
            }
        };
        let mut complete = self.complete_rounds(step).peekable();
        complete.peek().is_some() && complete.all(by_time)
    }

    /// Effective engine settings by job, from the first execution that opened the engine.
    pub fn engines(&self, step: usize) -> Option<&BTreeMap<u32, &'a EngineRecord>> {
        self.executions(step)
            .iter()
            .map(|execution| &execution.engines)
            .find(|engines| !engines.is_empty())
    }

    /// Mean number of operations that a worker of this job submitted at once, over the rounds that count.
    pub fn operations_per_submission(&self, step: usize, job: u32) -> Option<f64> {
        let rounds: Vec<&Execution> = self.complete_rounds(step).collect();
        levels(&rounds, Some(job)).operations_per_submission()
    }

    /// Caveats of the run.
    pub fn doubts(&self) -> Vec<Statement> {
        let finished = self
            .run
            .notes
            .iter()
            .rev()
            .find_map(|note| match note.event {
                Event::Finished { interrupted } => Some(interrupted),
                _ => None,
            });
        let state = match finished {
            Some(false) => None,
            Some(true) => Some(Statement::new("doubt-run-was-interrupted")),
            None => Some(Statement::new("doubt-run-has-no-end")),
        };
        let doubts = self.run.doubts.iter().chain(&self.lost);
        doubts.cloned().chain(state).collect()
    }

    /// The figures of every round of a step, of one kind of operation or of all.
    pub fn rounds(
        &self,
        step: usize,
        kind: Option<OperationKind>,
        metrics: &[&ComparedMetric],
        scratch: &mut Histogram,
    ) -> Vec<Round> {
        let round = |execution: &Execution| {
            let counts = left_out(execution).is_none();
            let (values, operations) = if counts {
                values(execution, kind, metrics, scratch)
            } else {
                (vec![None; metrics.len()], 0)
            };
            let pairs = metrics.iter().zip(&values);
            let resolutions = pairs.map(|(metric, value)| {
                value.map_or(0.0, |value| {
                    resolution(metric, value, execution, operations)
                })
            });
            Round {
                number: execution.round,
                counts,
                resolutions: resolutions.collect(),
                values,
            }
        };
        self.executions(step).iter().map(round).collect()
    }
}

/// Ticks that count in latencies: all but the warm-up. The drain belongs to them, or long operations would be hidden by the end of the step.
fn counted<'e>(execution: &'e Execution<'_>) -> impl Iterator<Item = &'e Tick> {
    execution
        .ticks
        .iter()
        .copied()
        .filter(|tick| tick.phase != Phase::WarmUp)
}

fn of_kind(
    tick: &Tick,
    kind: Option<OperationKind>,
    without_flushes: bool,
) -> impl Iterator<Item = &KindTick> {
    let chosen = move |held: &&KindTick| {
        kind.map_or(
            !without_flushes || held.kind != OperationKind::Flush,
            |kind| held.kind == kind,
        )
    };
    tick.kinds.iter().filter(chosen)
}

/// The figures of a round, and how many operations its rates are of.
fn values(
    execution: &Execution,
    kind: Option<OperationKind>,
    metrics: &[&ComparedMetric],
    scratch: &mut Histogram,
) -> (Vec<Option<f64>>, u64) {
    let (mut operations, mut bytes, mut moves_data) =
        (0u64, 0u64, kind.is_some_and(OperationKind::moves_data));
    let mut histograms: Vec<&Histogram> = Vec::new();
    let without_flushes = kind.is_none() && flushes_apart(counted(execution));
    for tick in counted(execution) {
        let in_rates = execution.in_rates(tick);
        for held in of_kind(tick, kind, without_flushes) {
            moves_data |= held.kind.moves_data();
            if in_rates {
                operations = operations.saturating_add(held.count);
                bytes = bytes.saturating_add(held.bytes);
            }
            histograms.push(held.response.as_ref().unwrap_or(&held.service));
        }
    }
    let duration_s = execution.duration_ns() as f64 / 1e9;
    let wants_latency = metrics.iter().any(|metric| latency_metric(metric.id));
    // Most rounds of a long comparison are one interval each: its histogram is taken as it is.
    let latencies: &Histogram = match histograms.as_slice() {
        [only] => only,
        many => {
            scratch.clear();
            if wants_latency {
                many.iter().for_each(|histogram| scratch.merge(histogram));
            }
            scratch
        }
    };
    let counted = |metric: &ComparedMetric| match metric.id {
        // Of what its source did not count, zero would be a claim.
        "iops" => rate(operations as f64, duration_s)
            .filter(|_| operations > 0 || execution.reported.is_empty()),
        "bandwidth" => {
            rate(bytes as f64, duration_s).filter(|_| moves_data && (bytes > 0 || operations == 0))
        }
        "mean" => latencies.mean_ns(),
        "cpu" => cpu_ns_per_operation(execution),
        "cores" => cpu_ns_per_operation(execution)
            .zip(rate(operations as f64, duration_s))
            .map(|(cpu_ns, iops)| cpu_ns * iops / 1e9),
        "iops-per-core" => cpu_ns_per_operation(execution).map(|cpu_ns| 1e9 / cpu_ns),
        id => stated_quantile(latencies, quantile(id)?),
    };
    let value = |metric: &ComparedMetric| {
        reported::value(execution, kind, metric.id, quantile(metric.id)).or_else(|| counted(metric))
    };
    (
        metrics
            .iter()
            .map(|metric| value(metric).filter(|value| value.is_finite()))
            .collect(),
        operations,
    )
}

/// What a figure is not known to, as a part of it. A quantile is the middle of its histogram's bucket, and has been anywhere in it. A step that is ended by the
/// clock counts integer operations: up to one of them is cut off, half of it on average. Times are counted in integer nanoseconds.
fn resolution(metric: &ComparedMetric, value: f64, execution: &Execution, operations: u64) -> f64 {
    let by_clock = !execution.stopped_by.is_some_and(StopReason::drain_counts);
    let part = match metric.id {
        _ if value <= 0.0 => 0.0,
        "iops" | "bandwidth" if by_clock && operations > 0 => 0.5 / operations as f64,
        id if quantile(id).is_some() => {
            0.5 * Histogram::bucket_width_ns(value as u64) as f64 / value
        }
        "mean" => 0.5 / value,
        _ => 0.0,
    };
    part.min(1.0)
}

/// The quantile of a percentile's id: 0.99 of `p99`.
pub(crate) fn quantile(id: &str) -> Option<f64> {
    let percent: f64 = id.strip_prefix('p')?.parse().ok()?;
    Some(percent / 100.0)
}

/// A figure of the CPU, which is not known by kind of operation.
pub(crate) fn cpu_metric(id: &str) -> bool {
    matches!(id, "cpu" | "cores" | "iops-per-core")
}

pub(crate) fn latency_metric(id: &str) -> bool {
    id == "mean" || quantile(id).is_some()
}

/// CPU time of all load-generating threads per operation; of the workers alone if no more is recorded: then one worker without it makes it missing,
/// never too small.
fn cpu_ns_per_operation(execution: &Execution) -> Option<f64> {
    let (mut spent, mut operations) = (0u64, 0u64);
    for tick in execution
        .ticks
        .iter()
        .filter(|tick| execution.in_rates(tick))
    {
        operations = operations.saturating_add(tick.kinds.iter().map(|kind| kind.count).sum());
        for worker in &tick.workers {
            spent = spent
                .saturating_add(worker.cpu_user_ns?)
                .saturating_add(worker.cpu_system_ns?);
        }
    }
    let all = execution
        .load_cpu_ns
        .map_or(0.0, |(user, system)| user + system);
    (operations > 0 && spent > 0).then(|| all.max(spent as f64) / operations as f64)
}

/// Block size from which on bandwidth is the figure of throughput, in bytes.
const LARGE_BLOCK_BYTES: u64 = 65_536;

/// Id of the metric of throughput of a step, or of one of its kinds: bandwidth for streams and large blocks, operations for all else.
pub(crate) fn throughput(step: &Step, kind: Option<OperationKind>) -> &'static str {
    let workloads = || step.jobs.iter().map(|job| &job.workload);
    let sequential = workloads().next().is_some_and(|workload| {
        workload.offsets == Offsets::Sequential && !workload.has_file_operations()
    });
    let large = workloads().any(|workload| workload.largest_block_bytes() >= LARGE_BLOCK_BYTES);
    let moves_data = kind.map_or_else(
        || kinds(step).iter().any(|kind| kind.moves_data()),
        OperationKind::moves_data,
    );
    if moves_data && (sequential || large) {
        "bandwidth"
    } else {
        "iops"
    }
}

/// Kinds of operations that the jobs of a step do, with the flushes of `fsync-every`.
pub(crate) fn kinds(step: &Step) -> BTreeSet<OperationKind> {
    let flushes = step
        .jobs
        .iter()
        .any(|job| job.workload.fsync_every > 0 || job.workload.pass_flushes.is_some())
        .then_some(OperationKind::Flush);
    step.jobs
        .iter()
        .flat_map(|job| &job.workload.mix.0)
        .map(|(kind, _)| *kind)
        .chain(flushes)
        .collect()
}
