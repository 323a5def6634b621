//! What is to be seen now? The state of the live view, kept up to date from the events of the load.

use std::collections::BTreeMap;
use std::sync::Arc;

use plumb_analyse::figures::executions::covered_ns;
use plumb_model::plan::{Plan, Step};
use plumb_model::results::comparison::Comparison;
use plumb_model::run::EngineRecord;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::step_end::StepEnd;
use plumb_model::run::tick::{KindTick, Phase, Tick};
use plumb_model::statement::Statement;
use plumb_model::workload::{Job, OperationKind, Workload};
use plumb_show::live::{FinishedStep, LiveJob, LiveKind, LivePoint, LiveState};

/// Points that the view keeps: wider than any terminal.
const HISTORY: usize = 400;

/// Counts of the execution that runs, over all its jobs: what the table will say of it.
#[derive(Default)]
struct Tally {
    measured: Moved,
    drained: Moved,
    errors: u64,
    latencies: Histogram,
    /// By kind: operations and bytes while measured, those of the drain, and latencies of both.
    kinds: BTreeMap<OperationKind, KindTally>,
}

/// Counts of one kind of operation.
#[derive(Default)]
struct KindTally {
    measured: (u64, u64),
    drained: (u64, u64),
    latencies: Histogram,
}

/// What one phase moved.
#[derive(Default)]
struct Moved {
    operations: u64,
    bytes: u64,
    /// First and last moment of its intervals in nanoseconds; those of several jobs overlap.
    intervals: Vec<(u64, u64)>,
}

impl Moved {
    fn add(&mut self, tick: &Tick, without_flushes: bool) {
        self.operations += counted(tick, without_flushes)
            .map(|kind| kind.count)
            .sum::<u64>();
        self.bytes += tick.kinds.iter().map(|kind| kind.bytes).sum::<u64>();
        match self.intervals.last_mut() {
            // A run may go on for days: what follows or overlaps is one.
            Some((start_ns, end_ns)) if (*start_ns..=*end_ns).contains(&tick.start_ns) => {
                *end_ns = tick.end_ns.max(*end_ns)
            }
            _ => self.intervals.push((tick.start_ns, tick.end_ns)),
        }
    }
}

impl Tally {
    /// Warm-up is in no figure; the drain in latencies, and in rates where the amount of work was fixed.
    fn add(&mut self, tick: &Tick, without_flushes: bool) {
        match tick.phase {
            Phase::WarmUp => return,
            Phase::Measure => self.measured.add(tick, without_flushes),
            Phase::Drain => self.drained.add(tick, without_flushes),
        }
        self.errors += tick
            .kinds
            .iter()
            .flat_map(|kind| kind.errors.values())
            .sum::<u64>();
        for kind in &tick.kinds {
            let tally = self.kinds.entry(kind.kind).or_default();
            let counts = match tick.phase {
                Phase::Drain => &mut tally.drained,
                _ => &mut tally.measured,
            };
            *counts = (counts.0 + kind.count, counts.1 + kind.bytes);
            tally
                .latencies
                .merge(kind.response.as_ref().unwrap_or(&kind.service));
        }
        counted(tick, without_flushes).for_each(|kind| {
            self.latencies
                .merge(kind.response.as_ref().unwrap_or(&kind.service))
        });
    }

    /// Each kind over the measured nanoseconds, where there are several.
    fn kinds(&self, ended_by: &StepEnd, ns: u64) -> Vec<LiveKind> {
        let counts = matches!(ended_by, StepEnd::Stopped(reason) if reason.drain_counts());
        let kind = |(kind, tally): (&OperationKind, &KindTally)| {
            let drained = if counts { tally.drained } else { (0, 0) };
            let bytes = tally.measured.1 + drained.1;
            LiveKind {
                name: kind.word().to_string(),
                figures: LivePoint {
                    iops: per_second(tally.measured.0 + drained.0, ns),
                    bandwidth_bytes_per_s: per_second(bytes, ns).filter(|_| bytes > 0),
                    p50_ns: reported(&tally.latencies, 0.5),
                    p99_ns: reported(&tally.latencies, 0.99),
                    ..LivePoint::default()
                },
            }
        };
        match self.kinds.len() {
            0 | 1 => Vec::new(),
            _ => self.kinds.iter().map(kind).collect(),
        }
    }

    /// Operations, bytes and measured nanoseconds.
    fn rates(&self, ended_by: &StepEnd) -> (u64, u64, u64) {
        let counts = matches!(ended_by, StepEnd::Stopped(reason) if reason.drain_counts());
        let drained = Some(&self.drained).filter(|_| counts);
        let parts = || std::iter::once(&self.measured).chain(drained);
        let ns = covered_ns(parts().flat_map(|part| part.intervals.iter().copied()));
        (
            parts().map(|part| part.operations).sum(),
            parts().map(|part| part.bytes).sum(),
            ns,
        )
    }
}

/// The place of a run in a whole of several, which the plan of the run does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// Name of the side: `side B`, or a program or layer; empty where there is one.
    pub side: String,
    /// How the whole stands, in a few words; empty when there is nothing to say yet.
    pub standing: Option<Statement>,
    /// The sides so far, where sides are compared.
    pub comparison: Option<Arc<Comparison>>,
    /// Rounds at most.
    pub rounds: u32,
    /// Time since the start of the whole, and its length at most, in seconds, when this was said.
    pub spent_s: f64,
    pub most_s: f64,
    /// When this was said, in seconds since the start of this run.
    pub said_s: f64,
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
            let passed = outlook.spent_s + elapsed_s - outlook.said_s;
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

/// The kinds of operation that count in the figures of all.
fn counted(tick: &Tick, without_flushes: bool) -> impl Iterator<Item = &KindTick> {
    tick.kinds
        .iter()
        .filter(move |kind| !without_flushes || kind.kind != OperationKind::Flush)
}

/// The figures of one interval of one job.
fn point(tick: &Tick, without_flushes: bool) -> LivePoint {
    let mut latencies = Histogram::default();
    counted(tick, without_flushes)
        .for_each(|kind| latencies.merge(kind.response.as_ref().unwrap_or(&kind.service)));
    let (read_bytes, written_bytes) = moved(tick);
    let (operations, bytes) = counted(tick, without_flushes)
        .fold((0, 0), |(operations, bytes), kind| {
            (operations + kind.count, bytes + kind.bytes)
        });
    let ns = tick.end_ns.saturating_sub(tick.start_ns);
    LivePoint {
        time_s: tick.end_ns as f64 / 1e9,
        execution: tick.execution,
        iops: per_second(operations, ns),
        bandwidth_bytes_per_s: per_second(bytes, ns).filter(|_| bytes > 0),
        p50_ns: reported(&latencies, 0.5),
        p99_ns: reported(&latencies, 0.99),
        p999_ns: reported(&latencies, 0.999),
        read_bytes_per_s: read_bytes.and_then(|bytes| per_second(bytes, ns)),
        written_bytes_per_s: written_bytes.and_then(|bytes| per_second(bytes, ns)),
        in_flight: in_flight(tick, ns),
    }
}

/// The figures of each kind in one interval, where there are several.
fn kinds_of(tick: &Tick) -> Vec<LiveKind> {
    if tick.kinds.len() < 2 {
        return Vec::new();
    }
    let mut kinds: Vec<&KindTick> = tick.kinds.iter().collect();
    kinds.sort_by_key(|kind| kind.kind);
    let alone = |kind: &KindTick| Tick {
        kinds: vec![kind.clone()],
        workers: Vec::new(),
        ..tick.clone()
    };
    let of = |kind: &KindTick| LiveKind {
        name: kind.kind.word().to_string(),
        figures: point(&alone(kind), false),
    };
    kinds.into_iter().map(of).collect()
}

/// Operations in flight on average: their rate times their mean service time (Little's law). Missing where none has ended.
fn in_flight(tick: &Tick, ns: u64) -> Option<f64> {
    let kinds = tick.kinds.iter().filter(|kind| kind.count > 0);
    let busy_ns: Vec<f64> = kinds
        .filter_map(|kind| Some(kind.service.mean_ns()? * kind.count as f64))
        .collect();
    (ns > 0 && !busy_ns.is_empty()).then(|| busy_ns.iter().sum::<f64>() / ns as f64)
}

/// Bytes that the interval read and wrote, each missing where nothing of the kind was asked for.
fn moved(tick: &Tick) -> (Option<u64>, Option<u64>) {
    let (mut read, mut written) = (None, None);
    for kind in &tick.kinds {
        let (reads, writes) = directions(kind.kind);
        if reads {
            *read.get_or_insert(0) += kind.bytes;
        }
        if writes {
            *written.get_or_insert(0) += kind.bytes;
        }
    }
    (read, written)
}

/// Whether bytes of an operation are read, and whether they are written.
fn directions(kind: OperationKind) -> (bool, bool) {
    match kind {
        OperationKind::Read | OperationKind::ReadFile | OperationKind::Receive => (true, false),
        OperationKind::Write
        | OperationKind::Create
        | OperationKind::Send
        | OperationKind::Copy => (false, true),
        OperationKind::Rewrite => (true, true),
        _ => (false, false),
    }
}

fn per_second(count: u64, ns: u64) -> Option<f64> {
    (ns > 0).then(|| count as f64 * 1e9 / ns as f64)
}

/// A quantile, where there are samples enough for it.
fn reported(latencies: &Histogram, quantile: f64) -> Option<f64> {
    latencies
        .quantile_ns(quantile)
        .filter(|_| latencies.supports(quantile))
        .map(|ns| ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::run::step_end::StopReason;
    use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};

    fn plan(text: &str) -> Plan {
        resolve(
            &PlanFile::parse(text, "t").expect("plan"),
            &Overrides::default(),
            PlanKind::File,
        )
        .expect("resolved")
    }

    fn tick(phase: Phase, count: u64) -> Tick {
        let mut service = Histogram::default();
        service.record_n(1000, count);
        let kind = KindTick {
            kind: OperationKind::Read,
            count,
            bytes: count * 4096,
            errors: [("EIO".to_string(), 2)].into(),
            service,
            response: None,
        };
        Tick {
            execution: 0,
            job: 0,
            phase,
            start_ns: 0,
            end_ns: 500_000_000,
            kinds: vec![kind],
            lateness: None,
            backlog: None,
            workers: Vec::new(),
        }
    }

    #[test]
    fn measured_intervals_make_the_figures_of_a_step() {
        let plan = plan("rounds = 2\n[[step]]\nname = 'a'\ntime = '3s'\nwarm-up = '1s'\n");
        let mut state = LoadState::new(&plan);
        state.start(0, 0, &plan.steps[0]);
        state.started(10.0);
        state.tick(&tick(Phase::WarmUp, 1));
        assert_eq!(state.live.phase, Some(Statement::new("phase-warm-up")));
        state.tick(&tick(Phase::Measure, 5000));
        state.at(12.0);
        assert_eq!(
            (state.live.done, state.live.left_s),
            (Some(0.25), Some(6.0))
        );
        state.end(StepEnd::Stopped(StopReason::Time), 0);
        state.at(14.0);
        assert_eq!((state.live.done, state.live.left_s), (Some(0.5), Some(4.0)));
        // Half a second between the executions: the second one is foretold with it.
        state.at(14.5);
        assert_eq!(state.live.left_s, Some(4.5));
        let finished = &state.live.finished[0];
        assert_eq!(
            (finished.iops, finished.errors, finished.round),
            (Some(10_000.0), 2, 1)
        );
        assert!(finished.p99_ns.is_some());
        assert_eq!(state.live.errors, 4);
        assert_eq!(state.live.history.len(), 2);
    }

    #[test]
    fn a_step_without_an_end_by_time_is_taken_to_last_as_it_did_before() {
        let plan = plan("rounds = 2\n[[step]]\nname = 'a'\nbytes = '1m'\n");
        let mut state = LoadState::new(&plan);
        state.start(0, 0, &plan.steps[0]);
        state.started(1.0);
        state.at(2.0);
        assert_eq!((state.live.done, state.live.left_s), (Some(0.0), None));
        state.at(3.0);
        state.end(StepEnd::Stopped(StopReason::Bytes), 0);
        state.at(3.0);
        assert_eq!((state.live.done, state.live.left_s), (Some(0.5), Some(2.0)));
        state.start(0, 1, &plan.steps[0]);
        state.started(3.0);
        state.at(4.0);
        assert_eq!(
            (state.live.done, state.live.left_s),
            (Some(0.75), Some(1.0))
        );
        // It takes longer than before: not less than nothing is left.
        state.at(9.0);
        assert_eq!((state.live.done, state.live.left_s), (Some(1.0), Some(0.0)));
    }

    #[test]
    fn of_rounds_that_end_when_they_are_steady_the_most_is_told_once_what_runs_once_has_ended() {
        let plan = plan(
            "rounds = 25\n[steady]\nsteps = ['b']\nfigure = 'iops'\n[[step]]\nname = 'a'\nonce = true\npattern = 'sequential-write'\npasses = 1\n[[step]]\nname = 'b'\ntime = '2s'\n",
        );
        let mut state = LoadState::new(&plan);
        assert!(state.live.may_end_earlier);
        state.start(0, 0, &plan.steps[0]);
        state.started(0.0);
        state.at(10.0);
        assert_eq!(state.live.left_s, None);
        state.end(StepEnd::Stopped(StopReason::Bytes), 0);
        state.start(1, 0, &plan.steps[1]);
        state.started(10.0);
        state.at(11.0);
        assert_eq!(state.live.left_s, Some(49.0));
    }

    #[test]
    fn a_finished_step_tells_all_jobs_and_a_drain_of_fixed_work_as_the_table_does() {
        let plan = plan("[[step]]\nname = 'a'\ntime = '3s'\n");
        let finished = |ended_by: StopReason| {
            let mut state = LoadState::new(&plan);
            state.start(0, 0, &plan.steps[0]);
            state.tick(&tick(Phase::Measure, 5000));
            // Another job, at the same time.
            state.tick(&Tick {
                job: 1,
                ..tick(Phase::Measure, 1000)
            });
            state.tick(&Tick {
                start_ns: 500_000_000,
                end_ns: 1_000_000_000,
                ..tick(Phase::Drain, 2000)
            });
            state.end(StepEnd::Stopped(ended_by), 0);
            (state.live.finished[0].iops, state.live.finished[0].errors)
        };
        assert_eq!(finished(StopReason::Time), (Some(12_000.0), 6));
        assert_eq!(finished(StopReason::Operations), (Some(8_000.0), 6));
    }
}
