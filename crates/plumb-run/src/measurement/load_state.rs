//! What is to be seen now? The state of the live view, kept up to date from the events of the load.

mod figures;

use std::sync::Arc;

pub use figures::pace_text;
use figures::{Tally, kinds_of, moved, per_second, point, reported};
use plumb_model::plan::{Plan, Step};
use plumb_model::results::comparison::Comparison;
use plumb_model::run::EngineRecord;
use plumb_model::run::step_end::StepEnd;
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::statement::Statement;
use plumb_model::workload::{Job, OperationKind, Workload};
use plumb_show::live::{FinishedStep, LiveJob, LivePoint, LiveState};

/// Points that the view keeps: wider than any terminal.
const HISTORY: usize = 400;

/// Position of a run in a series of several, which the plan of the run does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// Name of the side: `side B`, or a program or layer; empty where there is one.
    pub side: String,
    /// Overall status, in a few words; empty if there is nothing to report yet.
    pub standing: Option<Statement>,
    /// The sides so far, where sides are compared.
    pub comparison: Option<Arc<Comparison>>,
    /// Rounds at most.
    pub rounds: u32,
    /// Time since the overall start, and its maximum duration, in seconds, at the time of this report.
    pub spent_s: f64,
    pub most_s: f64,
    /// Time of this report, in seconds since the start of this run.
    pub reported_s: f64,
}

/// The view's state with what it is computed from.
pub struct LoadState {
    pub live: LiveState,
    tally: Tally,
    /// The step does more than flush: flushes are a figure of their own then, as in the summary.
    without_flushes: bool,
    /// Length of each step in seconds: as planned; where it does not stop by time, as it was the last time, and missing before that.
    lengths_s: Vec<Option<f64>>,
    /// Those that stop by time.
    is_planned: Vec<bool>,
    /// The step of each execution, in order.
    schedule: Vec<usize>,
    /// The step that runs.
    step: usize,
    /// Executions that have ended, and their length.
    ended: usize,
    ended_s: f64,
    /// When the load of this execution started, and its length.
    started_s: Option<f64>,
    /// When the load of the first execution started.
    first_s: Option<f64>,
    length_s: Option<f64>,
    /// Missing for a run by itself.
    pub outlook: Option<Outlook>,
}

impl LoadState {
    /// Nothing has run yet.
    pub fn new(plan: &Plan) -> LoadState {
        let lengths_s: Vec<Option<f64>> = plan.steps.iter().map(length_s).collect();
        let schedule = plan.schedule();
        let target = plan
            .steps
            .first()
            .and_then(|step| step.jobs.first())
            .map(|job| job.target.to_string())
            .unwrap_or_default();
        let live = LiveState {
            plan: plan.name.clone(),
            target,
            phase: Some(Statement::new("phase-preparing")),
            steps: plan.steps.len() as u32,
            plan_steps: plan.steps.iter().map(|step| step.name.clone()).collect(),
            rounds: plan.rounds,
            may_end_earlier: plan.steady.is_some(),
            ..LiveState::default()
        };
        LoadState {
            live,
            tally: Tally::default(),
            without_flushes: false,
            schedule: schedule.into_iter().map(|(step, _)| step).collect(),
            step: 0,
            is_planned: lengths_s.iter().map(Option::is_some).collect(),
            lengths_s,
            ended: 0,
            ended_s: 0.0,
            started_s: None,
            first_s: None,
            length_s: None,
            outlook: None,
        }
    }

    /// An execution is about to begin.
    pub fn start(&mut self, index: usize, round: u32, step: &Step) {
        self.tally = Tally::default();
        let mut kinds = step
            .jobs
            .iter()
            .flat_map(|job| &job.workload.mix.0)
            .map(|(kind, _)| *kind);
        self.without_flushes = kinds.any(|kind| kind != OperationKind::Flush);
        self.live.step = step.name.clone();
        if let Some(outlook) = &self.outlook {
            if !outlook.side.is_empty() {
                self.live.step = format!("{}: {}", outlook.side, step.name);
            }
            self.live.rounds = outlook.rounds;
            self.live.standing = outlook.standing.clone();
            self.live.comparison = outlook.comparison.clone();
        }
        self.live.jobs = match step.jobs.as_slice() {
            [] | [_] => Vec::new(),
            jobs => jobs.iter().map(job_of).collect(),
        };
        self.live.depth = step
            .jobs
            .first()
            .map(|job| u64::from(job.workload.depth) * u64::from(job.workload.workers));
        (self.live.step_number, self.live.round) = (index as u32 + 1, round + 1);
        self.live.phase = Some(Statement::new("phase-between-steps"));
        self.live.load = None;
        self.live.now = LivePoint::default();
        self.live.kinds = Vec::new();
        (self.started_s, self.length_s) = (None, self.lengths_s.get(index).copied().flatten());
        self.step = index;
    }

    /// Its engine is open.
    pub fn opened(&mut self, record: &EngineRecord, step: &Step) {
        let Some(workload) = step.jobs.first().map(|job| &job.workload) else {
            return;
        };
        let rate = workload.rate.map_or_else(
            || Statement::new("none"),
            |rate| {
                Statement::new("live-load-rate")
                    .name("rate", rate.to_string())
                    .name("arrivals", workload.arrivals.to_string())
            },
        );
        let cache = Statement::new(match record.direct {
            Some(true) => "live-load-direct",
            Some(false) => "live-load-buffered",
            None => "none",
        });
        let load = Statement::new("live-load")
            .name("engine", &record.name)
            .name("block", workload.block.to_string())
            .name("depth", workload.depth.to_string())
            .name("workers", workload.workers.to_string())
            .part("rate", rate)
            .part("cache", cache);
        self.live.load = Some(load);
    }

    /// Its load has started.
    pub fn started(&mut self, time_s: f64) {
        self.started_s = Some(time_s);
        self.first_s = self.first_s.or(Some(time_s));
        self.live.phase = Some(Statement::new("phase-measuring"));
    }

    /// An interval of a job is known.
    pub fn tick(&mut self, tick: &Tick) {
        let errors: u64 = tick
            .kinds
            .iter()
            .flat_map(|kind| kind.errors.values())
            .sum();
        self.live.errors += errors;
        let (read, written) = moved(tick);
        self.live.read_bytes += read.unwrap_or(0);
        self.live.written_bytes += written.unwrap_or(0);
        self.tally.add(tick, self.without_flushes);
        if let Some(job) = self.live.jobs.get_mut(tick.job as usize) {
            job.now = point(tick, self.without_flushes && tick.job == 0);
        }
        if tick.job != 0 {
            return;
        }
        self.live.phase = Some(if tick.phase == Phase::WarmUp {
            Statement::new("phase-warm-up")
        } else {
            Statement::new("phase-measuring")
        });
        let point = point(tick, self.without_flushes);
        if tick.phase != Phase::Drain {
            self.live.now = point;
            self.live.kinds = kinds_of(tick);
            self.live.history.push(point);
            let surplus = self.live.history.len().saturating_sub(HISTORY);
            self.live.history.drain(..surplus);
        }
    }

    /// The execution has ended.
    pub fn end(&mut self, ended_by: StepEnd, round: u32) {
        let tally = std::mem::take(&mut self.tally);
        let (operations, bytes, measured_ns) = tally.rates(&ended_by);
        self.live.finished.push(FinishedStep {
            step: self.live.step.clone(),
            round: round + 1,
            iops: per_second(operations, measured_ns),
            bandwidth_bytes_per_s: per_second(bytes, measured_ns).filter(|_| bytes > 0),
            p50_ns: reported(&tally.latencies, 0.5),
            p99_ns: reported(&tally.latencies, 0.99),
            kinds: tally.kinds(&ended_by, measured_ns),
            errors: tally.errors,
            ended_by,
        });
        self.ended += 1;
        let took_s = self
            .started_s
            .take()
            .map(|started| (self.live.elapsed_s - started).max(0.0));
        let is_planned = self
            .is_planned
            .get(self.step)
            .is_some_and(|planned| *planned);
        if let (false, Some(took), Some(length)) =
            (is_planned, took_s, self.lengths_s.get_mut(self.step))
        {
            *length = Some(took);
            self.length_s = Some(took);
        }
        self.ended_s += self.length_s.take().unwrap_or(0.0);
        self.live.phase = Some(Statement::new("phase-between-steps"));
    }

    /// Length of the executions that have not ended, in seconds; missing when one of them is not known.
    fn rest_s(&self) -> Option<f64> {
        let rest = self.schedule.get(self.ended..)?;
        let mut lengths = rest.iter().map(|step| self.lengths_s[*step]);
        lengths.try_fold(0.0, |sum, length| Some(sum + length?))
    }

    /// The time is now `elapsed_s`, in seconds since the start of the run.
    pub fn at(&mut self, elapsed_s: f64) {
        self.live.elapsed_s = elapsed_s;
        if let Some(outlook) = &self.outlook {
            let passed = outlook.spent_s + elapsed_s - outlook.reported_s;
            let spent = passed.clamp(0.0, outlook.most_s);
            (self.live.done, self.live.left_s) = (
                Some(spent / outlook.most_s.max(1e-9)),
                // When it takes longer than was foretold, nobody knows how much is left.
                (passed < outlook.most_s).then_some(outlook.most_s - spent),
            );
            return;
        }
        let running_s = self
            .started_s
            .map_or(0.0, |started| (elapsed_s - started).max(0.0));
        let current_s = self.length_s.map_or(0.0, |length| running_s.min(length));
        let rest_s = self.rest_s().filter(|rest| self.ended_s + rest > 0.0);
        match rest_s {
            Some(rest) => {
                let spent = self.ended_s + current_s;
                let total = self.ended_s + rest;
                // Executions take longer than planned by what lies between them, or end earlier: the rest is taken to go as those before did.
                let taken_s = self.first_s.map(|first| elapsed_s - first - running_s);
                let pace = taken_s
                    .filter(|taken| *taken > 0.0 && self.ended_s > 0.0)
                    .map_or(1.0, |taken| taken / self.ended_s);
                (self.live.done, self.live.left_s) =
                    (Some(spent / total), Some((rest - current_s) * pace));
            }
            None => {
                let executions = self.schedule.len();
                self.live.left_s = None;
                self.live.done = (executions > 0).then(|| self.ended as f64 / executions as f64);
            }
        }
    }
}

/// A job of which no interval is known.
fn job_of(job: &Job) -> LiveJob {
    LiveJob {
        name: job.name.clone(),
        now: LivePoint::default(),
    }
}

/// Planned length of an execution in seconds, at most, with what comes before the measuring.
fn length_s(step: &Step) -> Option<f64> {
    let of_job = |workload: &Workload| {
        Some(
            workload.time?.seconds()
                + workload.warm_up.seconds()
                + workload.start_delay.unwrap_or_default().seconds(),
        )
    };
    let main = of_job(&step.jobs.first()?.workload)?;
    let beside = step.jobs.iter().skip(1).map(|job| &job.workload);
    beside
        .filter(|workload| workload.to_its_end)
        .try_fold(main, |longest, workload| {
            Some(longest.max(of_job(workload)?))
        })
}

#[cfg(test)]
mod tests;
