//! Which step ran when? The ticks and notes of a run, put together by execution.

use std::collections::BTreeMap;

use plumb_model::imported::Stated;
use plumb_model::run::{EngineRecord, Event, Run};
use plumb_model::tick::{Phase, Tick};

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
    pub stopped_by: Option<&'a str>,
    /// Why it could not run.
    pub failed: Option<&'a str>,
    /// Operations per second of the same job with the null engine, by job.
    pub ceilings: BTreeMap<u32, f64>,
    /// What the source of an imported run states, with its job.
    pub stated: Vec<(u32, &'a Stated)>,
}

impl Execution<'_> {
    /// True when the tick counts in rates and durations. Warm-up never does. The drain, in which no new operation starts, does when the
    /// amount of work was fixed: then the time until the last operation ended is what was asked for.
    pub fn in_rates(&self, tick: &Tick) -> bool {
        match tick.phase {
            Phase::WarmUp => false,
            Phase::Measure => true,
            Phase::Drain => drain_counts(self.stopped_by),
        }
    }

    /// Measured time of one job in nanoseconds: the time that its intervals cover, by their real ends.
    pub fn job_duration_ns(&self, job: u32) -> u64 {
        covered_ns(self.ticks.iter().filter(|tick| tick.job == job && self.in_rates(tick)).map(|tick| (tick.start_ns, tick.end_ns)))
    }

    /// Measured time in nanoseconds: the time that the intervals of any job cover.
    pub fn duration_ns(&self) -> u64 {
        covered_ns(self.ticks.iter().filter(|tick| self.in_rates(tick)).map(|tick| (tick.start_ns, tick.end_ns)))
    }

    /// First and last moment of all ticks in nanoseconds since the start of the run; `None` without ticks.
    pub fn extent_ns(&self) -> Option<(u64, u64)> {
        let start = self.ticks.iter().map(|tick| tick.start_ns).min()?;
        let end = self.ticks.iter().map(|tick| tick.end_ns).max()?;
        Some((start, end))
    }
}

/// True when the amount of work was fixed, so that the drain is measured time.
pub fn drain_counts(stopped_by: Option<&str>) -> bool {
    matches!(stopped_by, Some("operations" | "bytes" | "end-of-files"))
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

/// The executions of a run in the order of their index, and what could not be put to any: damage of the record.
pub fn executions(run: &Run) -> (Vec<Execution<'_>>, Vec<String>) {
    let mut found: BTreeMap<u32, Execution> = BTreeMap::new();
    let steps = run.header.plan.steps.len() as u64;
    for note in &run.notes {
        if let Event::ExecutionStarted { execution, step, round } = note.event
            && u64::from(step) < steps
        {
            found.entry(execution).or_insert_with(|| Execution {
                index: execution,
                step,
                round,
                started_ns: note.time_ns,
                ticks: Vec::new(),
                engines: BTreeMap::new(),
                stopped_by: None,
                failed: None,
                ceilings: BTreeMap::new(),
                stated: Vec::new(),
            });
        }
    }
    for note in &run.notes {
        match &note.event {
            Event::EngineOpened { execution, job, engine } => {
                found.get_mut(execution).map(|e| e.engines.insert(*job, engine));
            }
            Event::ExecutionEnded { execution, stopped_by } => {
                found.entry(*execution).and_modify(|e| e.stopped_by = Some(stopped_by));
            }
            Event::ExecutionFailed { execution, error } => {
                found.entry(*execution).and_modify(|e| e.failed = Some(error));
            }
            Event::Stated { execution, job, stated } => {
                found.entry(*execution).and_modify(|e| e.stated.push((*job, stated)));
            }
            Event::Ceiling { execution, job, operations_per_s } => {
                found.get_mut(execution).map(|e| e.ceilings.insert(*job, *operations_per_s));
            }
            _ => {}
        }
    }
    let mut lost = 0;
    for tick in &run.ticks {
        match found.get_mut(&tick.execution) {
            Some(execution) => execution.ticks.push(tick),
            None => lost += 1,
        }
    }
    let doubts = (lost > 0).then(|| format!("{lost} intervals belong to no known step and are left out"));
    (found.into_values().collect(), doubts.into_iter().collect())
}
