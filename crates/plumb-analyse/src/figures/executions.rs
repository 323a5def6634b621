//! Which step ran when? The ticks and notes of a run, grouped by execution.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::run::imported::Reported;
use plumb_model::run::ranks::RankEnd;
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::run::worker_end::{Levels, WorkerEnd};
use plumb_model::run::{EngineRecord, Event, Run};
use plumb_model::statement::Statement;

/// One step in one round, as it really ran.
#[derive(Debug, Clone)]
pub struct Execution<'a> {
    /// Index in the run.
    pub index: u32,
    /// Index of the step in the plan; the plan has it.
    pub step: u32,
    /// Round, from 0.
    pub round: u32,
    /// When it began, nanoseconds since the start of the run.
    pub started_ns: u64,
    /// All its ticks, in the order of the record.
    pub ticks: Vec<&'a Tick>,
    /// What really ran, by job.
    pub engines: BTreeMap<u32, &'a EngineRecord>,
    /// What ended it; missing when it failed, was killed or still goes on.
    pub stopped_by: Option<&'a StopReason>,
    /// Why it could not run.
    pub failed: Option<&'a Statement>,
    /// Operations per second of the same job with the null engine, by job.
    pub ceilings: BTreeMap<u32, f64>,
    /// CPU time in user and kernel mode, in nanoseconds over the measured time, of all threads that made load: the workers, and those that the kernel or an
    /// engine has beside them. Missing where it was not recorded at the ends of the measuring.
    pub load_cpu_ns: Option<(f64, f64)>,
    /// Figures of each worker, by job and worker. Empty in older records.
    pub worker_ends: BTreeMap<(u32, u32), &'a WorkerEnd>,
    /// What the source of an imported run states, with its job.
    pub reported: Vec<(u32, &'a Reported)>,
    /// What each rank did, in a run of many ranks.
    pub rank_ends: Vec<&'a RankEnd>,
    /// Intervals of the measured time, each with its job, in which all ranks ran. Missing in a run of one process.
    pub all_ran: Option<BTreeSet<(u32, u64)>>,
}

impl Execution<'_> {
    /// An execution of which nothing is known but its beginning.
    fn begun<'a>(index: u32, step: u32, round: u32, started_ns: u64) -> Execution<'a> {
        Execution {
            index,
            step,
            round,
            started_ns,
            ticks: Vec::new(),
            engines: BTreeMap::new(),
            stopped_by: None,
            failed: None,
            ceilings: BTreeMap::new(),
            load_cpu_ns: None,
            worker_ends: BTreeMap::new(),
            reported: Vec::new(),
            rank_ends: Vec::new(),
            all_ran: None,
        }
    }

    /// True when the tick counts in rates and durations. Warm-up never does. The drain, in which no new operation starts, does when the
    /// amount of work was fixed: then the time until the last operation ended counts. With many ranks, intervals count in which all of them ran.
    pub fn in_rates(&self, tick: &Tick) -> bool {
        if let (Some(all_ran), Some(of)) = (&self.all_ran, tick.ranks) {
            return tick.phase == Phase::Measure && all_ran.contains(&(tick.job, of.interval));
        }
        match tick.phase {
            Phase::WarmUp => false,
            Phase::Measure => true,
            Phase::Drain => self
                .job_stopped_by(tick.job)
                .is_some_and(StopReason::drain_counts),
        }
    }

    /// What ended a job: jobs that go on to their own end have one. An error is the most telling of several reasons, else that of the first worker counts. That
    /// of the whole where the record says nothing of the job.
    pub fn job_stopped_by(&self, job: u32) -> Option<&StopReason> {
        let mut reasons = self
            .worker_ends
            .range((job, 0)..=(job, u32::MAX))
            .map(|(_, end)| &end.stopped_by);
        let of_job = match self.worker_ends.is_empty() || job == 0 {
            true => None,
            false => reasons
                .clone()
                .find(|reason| reason.error().is_some())
                .or_else(|| reasons.next()),
        };
        of_job.or(self.stopped_by)
    }

    /// Measured time of one job in nanoseconds: the time that its intervals cover, by their real ends.
    pub fn job_duration_ns(&self, job: u32) -> u64 {
        covered_ns(
            self.ticks
                .iter()
                .filter(|tick| tick.job == job && self.in_rates(tick))
                .map(|tick| (tick.start_ns, tick.end_ns)),
        )
    }

    /// Measured time in nanoseconds: the time that the intervals of any job cover.
    pub fn duration_ns(&self) -> u64 {
        covered_ns(
            self.ticks
                .iter()
                .filter(|tick| self.in_rates(tick))
                .map(|tick| (tick.start_ns, tick.end_ns)),
        )
    }

    /// First and last moment of all ticks in nanoseconds since the start of the run; `None` without ticks.
    pub fn extent_ns(&self) -> Option<(u64, u64)> {
        let start = self.ticks.iter().map(|tick| tick.start_ns).min()?;
        let end = self.ticks.iter().map(|tick| tick.end_ns).max()?;
        Some((start, end))
    }
}

/// First and last moment of all ticks of a run in nanoseconds since its start; `None` without ticks.
pub fn span_ns(run: &Run) -> Option<(u64, u64)> {
    let start = run.ticks.iter().map(|tick| tick.start_ns).min()?;
    let end = run.ticks.iter().map(|tick| tick.end_ns).max()?;
    Some((start, end))
}

/// Time covered by intervals. They may overlap: jobs run at the same time, and a worker that was stopped by its share of the operations drains while others
/// are still measured.
pub fn covered_ns(intervals: impl Iterator<Item = (u64, u64)>) -> u64 {
    let mut intervals: Vec<(u64, u64)> = intervals.collect();
    intervals.sort_unstable();
    let (mut covered, mut reached) = (0, 0);
    for (start, end) in intervals {
        covered += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    covered
}

/// Times and values of a counter that there is one of, in order of time.
fn counter(run: &Run, metric: &str) -> Vec<(u64, f64)> {
    let readings = run
        .readings
        .iter()
        .filter(|reading| reading.metric == metric);
    readings
        .filter_map(|reading| Some((reading.time_ns, reading.value?)))
        .collect()
}

/// The same for one of several instances.
pub(crate) fn counter_of(run: &Run, metric: &str, instance: &str) -> Vec<(u64, f64)> {
    let readings = run
        .readings
        .iter()
        .filter(|reading| reading.metric == metric && reading.instance == instance);
    readings
        .filter_map(|reading| Some((reading.time_ns, reading.value?)))
        .collect()
}

/// Share of the measured time by which the readings of a counter may miss its ends.
const MISSED: f64 = 0.1;

/// By how much a counter rose over the measured time, by its rate between the readings nearest to its ends.
pub(crate) fn over_the_measuring(execution: &Execution, readings: &[(u64, f64)]) -> Option<f64> {
    let measured = || {
        execution
            .ticks
            .iter()
            .filter(|tick| execution.in_rates(tick))
    };
    let (start, end) = (
        measured().map(|tick| tick.start_ns).min()?,
        measured().map(|tick| tick.end_ns).max()?,
    );
    let nearest = |time_ns: u64| {
        let after = readings.partition_point(|(time, _)| *time < time_ns);
        let near = readings[after.saturating_sub(1)..(after + 1).min(readings.len())].iter();
        near.min_by_key(|(time, _)| time.abs_diff(time_ns)).copied()
    };
    let ((first_ns, first), (last_ns, last)) = (nearest(start)?, nearest(end)?);
    let missed = first_ns.abs_diff(start) + last_ns.abs_diff(end);
    let duration = execution.duration_ns() as f64;
    let usable =
        last_ns > first_ns && last >= first && missed as f64 <= MISSED * (end - start) as f64;
    usable.then(|| (last - first) / (last_ns - first_ns) as f64 * duration)
}

/// The executions of a run by index, and entries without one: damage of the record.
pub fn executions(run: &Run) -> (Vec<Execution<'_>>, Option<Statement>) {
    let mut found: BTreeMap<u32, Execution> = BTreeMap::new();
    let steps = run.header.plan.steps.len() as u64;
    for note in &run.notes {
        if let Event::ExecutionStarted {
            execution,
            step,
            round,
        } = note.event
            && u64::from(step) < steps
        {
            found
                .entry(execution)
                .or_insert_with(|| Execution::begun(execution, step, round, note.time_ns));
        }
    }
    for note in &run.notes {
        match &note.event {
            Event::EngineOpened {
                execution,
                job,
                engine,
            } => {
                found
                    .get_mut(execution)
                    .map(|e| e.engines.insert(*job, engine));
            }
            Event::ExecutionEnded {
                execution,
                stopped_by,
            } => {
                found
                    .entry(*execution)
                    .and_modify(|e| e.stopped_by = Some(stopped_by));
            }
            Event::ExecutionFailed { execution, error } => {
                found
                    .entry(*execution)
                    .and_modify(|e| e.failed = Some(error));
            }
            Event::Reported {
                execution,
                job,
                reported,
            } => {
                found
                    .entry(*execution)
                    .and_modify(|e| e.reported.push((*job, reported)));
            }
            Event::Ceiling {
                execution,
                job,
                operations_per_s,
            } => {
                found
                    .get_mut(execution)
                    .map(|e| e.ceilings.insert(*job, *operations_per_s));
            }
            _ => {}
        }
    }
    add_worker_ends(run, &mut found);
    add_rank_ends(run, &mut found);
    let mut lost = 0;
    for tick in &run.ticks {
        match found.get_mut(&tick.execution) {
            Some(execution) => execution.ticks.push(tick),
            None => lost += 1,
        }
    }
    let (user, system) = (
        counter(run, "process.load_user_ns"),
        counter(run, "process.load_system_ns"),
    );
    for execution in found.values_mut() {
        execution.all_ran = run.header.ranks.as_ref().map(|_| all_ran(execution));
        execution.load_cpu_ns =
            over_the_measuring(execution, &user).zip(over_the_measuring(execution, &system));
    }
    let doubt =
        (lost > 0).then(|| Statement::new("doubt-intervals-of-no-step").count("count", lost));
    (found.into_values().collect(), doubt)
}

/// Depths and batches over all workers, of this job or of all.
pub fn levels(runs: &[&Execution<'_>], job: Option<u32>) -> Levels {
    let mut levels = Levels::default();
    runs.iter()
        .flat_map(|execution| &execution.worker_ends)
        .filter(|((of, _), _)| job.is_none_or(|job| job == *of))
        .for_each(|(_, end)| levels.add(&end.levels));
    levels
}

fn add_worker_ends<'a>(run: &'a Run, found: &mut BTreeMap<u32, Execution<'a>>) {
    for note in &run.notes {
        if let Event::WorkerEnded {
            execution,
            job,
            worker,
            end,
        } = &note.event
            && let Some(execution) = found.get_mut(execution)
        {
            execution.worker_ends.insert((*job, *worker), end);
        }
    }
}

fn add_rank_ends<'a>(run: &'a Run, found: &mut BTreeMap<u32, Execution<'a>>) {
    for note in &run.notes {
        if let Event::RankEnded { execution, end } = &note.event
            && let Some(execution) = found.get_mut(execution)
        {
            execution.rank_ends.push(end);
        }
    }
}

/// Share of an interval by which the ranks may begin and end apart.
const APART: f64 = 0.1;

/// The measured intervals in which all ranks ran, each with its job: as many took part as ever did in this execution, and none had ended before. Where that
/// leaves none, those in which the most took part.
fn all_ran(execution: &Execution) -> BTreeSet<(u32, u64)> {
    let mut intervals: BTreeMap<(u32, u64), (u32, u64, u64)> = BTreeMap::new();
    for tick in &execution.ticks {
        let Some(of) = tick.ranks.filter(|_| tick.phase == Phase::Measure) else {
            continue;
        };
        let known =
            intervals
                .entry((tick.job, of.interval))
                .or_insert((0, tick.start_ns, tick.end_ns));
        *known = (
            known.0 + of.ranks,
            known.1.min(tick.start_ns),
            known.2.max(tick.end_ns),
        );
    }
    // Jobs may be those of different ranks.
    let mut most: BTreeMap<u32, u32> = BTreeMap::new();
    for ((job, _), (ranks, _, _)) in &intervals {
        let known = most.entry(*job).or_default();
        *known = (*known).max(*ranks);
    }
    intervals.retain(|(job, _), (ranks, _, _)| most.get(job) == Some(ranks));
    let ran = execution
        .rank_ends
        .iter()
        .filter(|end| end.failed.is_none() && end.participated());
    let first_end_ns = ran.map(|end| end.measured_to_ns).min();
    let is_before_the_end = |(_, start_ns, end_ns): &(u32, u64, u64)| {
        let slack_ns = (end_ns.saturating_sub(*start_ns) as f64 * APART) as u64;
        first_end_ns.is_none_or(|first| *end_ns <= first.saturating_add(slack_ns))
    };
    let complete: BTreeSet<(u32, u64)> = intervals
        .iter()
        .filter(|(_, interval)| is_before_the_end(interval))
        .map(|(key, _)| *key)
        .collect();
    match complete.is_empty() {
        true => intervals.into_keys().collect(),
        false => complete,
    }
}

/// Why the figures of a round do not count: it did not run as requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LeftOut {
    CouldNotRun,
    DidNotEnd,
    Interrupted,
    Skipped,
    EndedWithError,
    NoMeasuredTime,
}

impl LeftOut {
    /// What the round did, as the end of a sentence on it.
    pub fn statement(self) -> Statement {
        Statement::new(match self {
            LeftOut::CouldNotRun => "round-could-not-run",
            LeftOut::DidNotEnd => "round-did-not-end",
            LeftOut::Interrupted => "round-was-interrupted",
            LeftOut::Skipped => "round-was-skipped",
            LeftOut::EndedWithError => "round-ended-with-an-error",
            LeftOut::NoMeasuredTime => "round-has-no-measured-time",
        })
    }
}

/// Whether the figures of a round count, and why not.
pub(crate) fn left_out(execution: &Execution) -> Option<LeftOut> {
    match (execution.failed, execution.stopped_by) {
        (Some(_), _) => Some(LeftOut::CouldNotRun),
        (None, None) => Some(LeftOut::DidNotEnd),
        (None, Some(StopReason::Signal)) => Some(LeftOut::Interrupted),
        (None, Some(StopReason::Skipped)) => Some(LeftOut::Skipped),
        (None, Some(StopReason::Error(_))) => Some(LeftOut::EndedWithError),
        _ if execution.duration_ns() == 0 && execution.reported.is_empty() => {
            Some(LeftOut::NoMeasuredTime)
        }
        _ => None,
    }
}
