//! What does one rank do? It makes its target ready, starts each step when all are ready, hands its intervals on, and sends its record at the end.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use plumb_analyse::figures::summarise::machine_use::{Samples, needs};
use plumb_load::clock::Clock;
use plumb_load::site::Admission;
use plumb_model::environment::Environment;
use plumb_model::plan::{Plan, Step};
use plumb_model::run::metric::Reading;
use plumb_model::run::ranks::{RankEnd, RankOf};
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::{Phase, RankTick, Tick, add_kinds};
use plumb_model::run::{EngineRecord, Event};
use plumb_model::statement::Statement;
use plumb_model::workload::RankSharing;
use plumb_record::folder::rank_folder;
use plumb_show::live::View;

use super::division::Division;
use super::exchange::Order;
use super::line::{Line, Standing};
use super::message::{Begun, Message};
use super::record_sending::send_record;
use crate::measurement::{Companion, Joints, Ongoing, claim_folder, shared, started};

/// A start is never so far ahead.
const START_MAX_NS: u64 = 1_000_000_000;

/// An interval is seen so much later than it ends at most, on a busy machine.
const INTERVAL_LATE_NS: u64 = 1_000_000_000;

/// Hands on what the load of this rank does.
struct Reporter<'a> {
    line: Rc<Line>,
    clock: Clock,
    stop: &'a AtomicBool,
    offset_ns: i64,
    /// Length of an interval, by step and job.
    intervals: Vec<Vec<u64>>,
    division: &'a Division,
    state: RefCell<State>,
}

/// State of the current execution.
#[derive(Default)]
struct State {
    execution: u32,
    step: usize,
    engines: Vec<(u32, EngineRecord)>,
    /// When each phase of each job began.
    begun: BTreeMap<(u32, u8), u64>,
    end: Option<RankEnd>,
    /// Counters of the host, on the clock of all.
    samples: Samples,
}

impl Reporter<'_> {
    fn common_ns(&self, local_ns: u64) -> u64 {
        local_ns.saturating_add_signed(self.offset_ns)
    }

    fn no_end(&self) -> RankEnd {
        RankEnd {
            rank: self.line.standing.rank,
            jobs: None,
            started_ns: 0,
            ended_ns: 0,
            measured_from_ns: 0,
            measured_to_ns: 0,
            stopped_by: None,
            failed: None,
            kinds: Vec::new(),
            measured_operations: 0,
            measured_bytes: 0,
            cpu_ns: None,
            machine: None,
        }
    }

    /// The others carry out an execution without this rank.
    fn stand_by(&self, execution: u32, step: usize) {
        *self.state.borrow_mut() = State {
            execution,
            step,
            ..State::default()
        };
        self.end(None, None);
    }

    /// The execution has ended here.
    fn end(&self, stopped_by: Option<StopReason>, failed: Option<Statement>) {
        let mut state = self.state.borrow_mut();
        let mut end = state.end.take().unwrap_or_else(|| self.no_end());
        end.kinds.iter_mut().for_each(|kind| kind.service.shrink());
        let (from_ns, to_ns) = (end.measured_from_ns, end.measured_to_ns);
        let samples = std::mem::take(&mut state.samples);
        let end = RankEnd {
            machine: samples.machine_use(from_ns, to_ns),
            jobs: Some(self.division.jobs(state.step).to_vec()),
            stopped_by,
            failed,
            ..end
        };
        let execution = state.execution;
        self.line.order(Order::OwnEnded(execution));
        self.line.send(Message::Ended { execution, end });
    }

    /// The number in the full plan of a job of the current step.
    fn number(&self, job: u32) -> u32 {
        self.division.number(self.state.borrow().step, job)
    }

    /// Where it happened, for readers of the combined record.
    fn here(&self, path: &str) -> String {
        format!("{}:{path}", self.line.standing.host)
    }

    /// The number of an interval in its phase: all ranks begin a phase at the same time, and intervals have real lengths that differ a little.
    fn interval_of(&self, state: &mut State, tick: &Tick) -> u64 {
        let phase = match tick.phase {
            Phase::WarmUp => 0,
            Phase::Measure => 1,
            Phase::Drain => 2,
        };
        let begun = *state
            .begun
            .entry((tick.job, phase))
            .or_insert(tick.start_ns);
        let jobs = self.intervals.get(state.step);
        let length = jobs.and_then(|jobs| jobs.get(tick.job as usize)).copied();
        let length = length.unwrap_or(1_000_000_000).max(1_000_000);
        (tick.start_ns.saturating_sub(begun) + length / 2) / length
    }
}

impl Companion for Reporter<'_> {
    fn ready(&self, execution: u32) -> bool {
        self.line.send(Message::Ready { execution });
        let all = self.line.wait(Some(self.stop), |message| match message {
            Message::AllReady { execution: of } if of == execution => Some(()),
            _ => None,
        });
        all.is_some()
    }

    fn meet(&self, execution: u32) -> bool {
        let engines = std::mem::take(&mut self.state.borrow_mut().engines);
        self.line.send(Message::Arrived { execution, engines });
        let go = self.line.wait(Some(self.stop), |message| match message {
            Message::Go {
                execution: of,
                at_ns,
                ..
            } if of == execution => Some(at_ns),
            _ => None,
        });
        if let Some(Some(at_ns)) = go {
            let local_ns = at_ns.saturating_add_signed(-self.offset_ns);
            let left_ns = local_ns.saturating_sub(self.clock.now_ns());
            std::thread::sleep(Duration::from_nanos(left_ns.min(START_MAX_NS)));
        }
        go.is_some()
    }

    fn interval(&self, tick: &Tick) {
        self.line.look(self.stop);
        let mut state = self.state.borrow_mut();
        let interval = self.interval_of(&mut state, tick);
        let end = state.end.get_or_insert_with(|| self.no_end());
        let (start_ns, end_ns) = (self.common_ns(tick.start_ns), self.common_ns(tick.end_ns));
        if end.started_ns == 0 {
            end.started_ns = start_ns;
        }
        end.ended_ns = end.ended_ns.max(end_ns);
        if tick.phase != Phase::WarmUp {
            add_kinds(&mut end.kinds, &tick.kinds);
        }
        if tick.phase == Phase::Measure {
            if tick.job == 0 {
                if end.measured_to_ns == 0 {
                    end.measured_from_ns = start_ns;
                }
                end.measured_to_ns = end.measured_to_ns.max(end_ns);
            }
            for kind in &tick.kinds {
                end.measured_operations += kind.count;
                end.measured_bytes = end.measured_bytes.saturating_add(kind.bytes);
            }
            for worker in &tick.workers {
                let cpu = worker.cpu_user_ns.zip(worker.cpu_system_ns);
                if let Some((user, system)) = cpu {
                    *end.cpu_ns.get_or_insert(0) += user + system;
                }
            }
        }
        let ranks = Some(RankTick { ranks: 1, interval });
        let handed_on = Tick {
            job: self.division.number(state.step, tick.job),
            start_ns,
            end_ns,
            workers: Vec::new(),
            ranks,
            ..tick.clone()
        };
        self.line.order(Order::Own(vec![handed_on]));
    }

    fn sampled(&self, readings: &[Reading]) {
        let mut state = self.state.borrow_mut();
        if !self.division.reports_for_host(state.step) {
            return;
        }
        let needed = readings.iter().filter(|reading| needs(&reading.metric));
        let sample = needed.map(|reading| Reading {
            time_ns: self.common_ns(reading.time_ns),
            ..reading.clone()
        });
        let from_ns = state.end.as_ref().map(|end| end.measured_from_ns);
        // The first interval of the measured time is seen when it has ended.
        let interval_ns = self.intervals.get(state.step).and_then(|jobs| jobs.first());
        let late_ns = 2 * interval_ns.copied().unwrap_or_default() + INTERVAL_LATE_NS;
        let sample = sample.collect();
        let from_ns = from_ns.filter(|from_ns| *from_ns > 0);
        state.samples.take(sample, from_ns, late_ns);
    }

    fn noted(&self, event: &Event) {
        match event {
            Event::ExecutionStarted {
                execution, step, ..
            } => {
                *self.state.borrow_mut() = State {
                    execution: *execution,
                    step: *step as usize,
                    ..State::default()
                };
            }
            Event::EngineOpened { job, engine, .. } => {
                let opened = (self.number(*job), engine.clone());
                self.state.borrow_mut().engines.push(opened);
            }
            Event::ExecutionEnded { stopped_by, .. } => self.end(Some(stopped_by.clone()), None),
            Event::ExecutionFailed { error, .. } => self.end(None, Some(error.clone())),
            Event::FirstError { .. } | Event::Mismatch { .. } | Event::WriteBackFailed { .. } => {
                let mut event = event.clone();
                match &mut event {
                    Event::FirstError { path, job, .. } | Event::Mismatch { path, job, .. } => {
                        (*path, *job) = (self.here(path), self.number(*job));
                    }
                    Event::WriteBackFailed { failure, .. } => {
                        failure.path = self.here(&failure.path)
                    }
                    _ => {}
                }
                self.line.send(Message::Noted { event });
            }
            Event::Warning { .. } => self.line.send(Message::Noted {
                event: event.clone(),
            }),
            _ => {}
        }
    }
}

/// What a rank carries out.
pub struct Part<'a> {
    /// With the rank's own target, and without seeds where these are drawn.
    pub plan: Plan,
    pub admission: &'a Admission,
    pub tags: &'a [String],
    /// Where its record is kept when it does not see rank 0's run folder.
    pub kept: &'a Path,
    /// By which ranks find out that they have the same plan.
    pub identity: String,
}

/// The same, with what it takes.
pub struct Work<'a> {
    pub part: Part<'a>,
    pub environment: Environment,
    pub clock: Clock,
    pub stop: &'a AtomicBool,
}

/// Carries out the work of a rank to its end. Errors: it could not begin, or its record could not be written; rank 0 has been informed.
pub fn carry_out(work: Work<'_>, line: &Rc<Line>) -> anyhow::Result<()> {
    let done = begin_and_execute(work, line);
    if let Err(error) = &done {
        line.send(Message::CannotBegin {
            reason: format!("{error:#}"),
        });
    }
    // Rank 0 signals when nothing more is needed; without it there is nothing to wait for.
    line.wait(None, |message| {
        matches!(message, Message::Over).then_some(())
    });
    done
}

fn begin_and_execute(work: Work<'_>, line: &Rc<Line>) -> anyhow::Result<()> {
    let begun = line.wait(Some(work.stop), |message| match message {
        Message::Begun(begun) => Some(begun),
        _ => None,
    });
    let Some(begun) = begun else {
        let reason = line.over.borrow().clone();
        bail!(reason.unwrap_or_else(|| "it ended before it started".into()));
    };
    let (folder, is_shared) = record_folder(&begun, &line.standing, work.part.kept)?;
    execute(work, line, &begun, &folder)?;
    if !is_shared {
        send_record(&folder, &|piece| line.send(piece))?;
    }
    line.send(Message::Left {
        host: line.standing.host.clone(),
        kept: folder.display().to_string(),
    });
    Ok(())
}

/// Carries out the rank's part of the plan, and records it in `folder`.
fn execute(work: Work<'_>, line: &Rc<Line>, begun: &Begun, folder: &Path) -> anyhow::Result<()> {
    let (part, clock, stop) = (work.part, work.clock, work.stop);
    let full = seeded(part.plan, begun, line.standing.rank);
    let division = Division::of(&full, line.standing.rank, &begun.placement);
    let plan = &division.plan;
    let findings = plumb_analyse::judge_environment(&work.environment, Some(plan));
    let recorded = division.recorded(&full);
    let (mut header, _) = started(&recorded, work.environment, findings, part.tags);
    header.rank_of = Some(RankOf {
        run: begun.run.clone(),
        rank: line.standing.rank,
        ranks: line.standing.ranks,
        offset_ns: begun.offset_ns,
    });
    // Its times count from the start of the clock that was compared with rank 0's.
    header.started_unix_ns = header.started_unix_ns.saturating_sub(clock.now_ns());
    let view = shared(View::Quiet);
    let joints: (_, Option<&dyn Joints>) = (part.admission, Some(line.as_ref()));
    let mut ongoing = Ongoing::begin_with(plan, joints, (header, clock), folder, view, stop)?;
    // The run lasts as long as this function: the companion may refer to its end.
    let reporter = Rc::new(Reporter {
        line: line.clone(),
        clock,
        stop,
        offset_ns: begun.offset_ns,
        intervals: plan.steps.iter().map(interval_lengths).collect(),
        division: &division,
        state: RefCell::default(),
    });
    ongoing.record.companion = Some(reporter.clone());
    while let Some((execution, step, round)) = line.next_turn(stop) {
        let jobs = plan.steps.get(step).map(|step| &step.jobs);
        let jobs = jobs.context("rank 0 requested a step that is not in the plan")?;
        ongoing.next_is(execution);
        match jobs.is_empty() {
            true => reporter.stand_by(execution, step),
            false => ongoing.execute(step, round),
        }
        if !line.all_have_ended(execution, stop) {
            stop.store(true, Ordering::Relaxed);
            break;
        }
    }
    // Who made files removes them when nobody has them open any more: some systems leave behind what is open.
    let makes_files = division.makes_files_of_others();
    if makes_files {
        line.send(Message::LetGo);
        line.wait(Some(stop), |message| {
            matches!(message, Message::AllLetGo).then_some(())
        });
    }
    ongoing.end()?;
    if !makes_files {
        line.send(Message::LetGo);
    }
    Ok(())
}

/// Of the jobs of a step, in their order, in nanoseconds.
fn interval_lengths(step: &Step) -> Vec<u64> {
    let jobs = step.jobs.iter();
    jobs.map(|job| job.workload.interval.0).collect()
}

/// The plan with seeds that are drawn once for all ranks, and are different in each, so that they do not go over the same offsets in step.
fn seeded(mut plan: Plan, begun: &Begun, rank: u32) -> Plan {
    plan.settle_seeds(begun.seed);
    let apart = u64::from(rank).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let jobs = plan.steps.iter_mut().flat_map(|step| &mut step.jobs);
    // Of a job that the ranks carry out together each worker has a number of its own, as the workers of one process have.
    let by_themselves = jobs.filter(|job| job.workload.ranks == RankSharing::Each);
    for job in by_themselves {
        if let Some(seed) = &mut job.workload.seed {
            *seed = seed.wrapping_add(apart);
        }
    }
    plan
}

/// The folder of this rank's record, and whether rank 0 sees it too: in the run folder where this host has it, else a folder of its own here.
fn record_folder(
    begun: &Begun,
    standing: &Standing,
    kept: &Path,
) -> anyhow::Result<(PathBuf, bool)> {
    let full = Path::new(&begun.folder);
    let is_here = plumb_record::read_header(full).is_ok_and(|header| header.id == begun.run);
    if is_here {
        let folder = rank_folder(full, standing.rank);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("{}: cannot create the rank's record", folder.display()))?;
        return Ok((folder, true));
    }
    let local = full.file_stem().map_or_else(
        || "plumb-rank".into(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    let folder = kept.join(format!("{local}.rank-{:04}.plumb", standing.rank));
    Ok((claim_folder(Some(&folder), &local)?.0, false))
}
