//! How does a step run? All workers of all its jobs open their engines, start at one moment or when their job begins, and report until the last has ended.

pub mod assignment;
mod ceiling;
mod event;
pub mod merge;
mod orders;
pub mod pinning;
mod worker_sum;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Scope;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use plumb_model::run::EngineRecord;
use plumb_model::run::operation::LoggedBatch;
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::Tick;
use plumb_model::statement::Statement;
use plumb_model::units::Nanos;
use plumb_model::workload::{EndsStep, SteadyWatch};

use crate::clock::Clock;
use crate::crew::assignment::{Assignment, Signals, note_small_files};
pub use crate::crew::ceiling::ceiling;
pub use crate::crew::event::{LoadError, LoadEvent};
use crate::crew::merge::Merge;
pub use crate::crew::orders::Orders;
use crate::crew::orders::{Cut, Ends};
use crate::crew::pinning::cpus_for;
use crate::crew::worker_sum::WorkerSum;
use crate::engine::Closing;
use crate::engine::journal::JournalEntry;
use crate::engine::meeting::Meeting;
use crate::feed::replay::ReplayLog;
use crate::system;
use crate::verify::dumps;
use crate::worker::operation_log::{self, Filled};
use crate::worker::setup::{WorkerSetup, run_worker};
use crate::worker::tick_buffer::TickBuffer;
use crate::worker::{Ended, Reads, Report, Stopped, Timeline};

/// Time between the last worker being ready and the common start.
const START_DELAY_NS: u64 = 2_000_000;
/// A worker that is so much later than this (or two intervals) with its tick is not waited for.
const OVERDUE_NS: u64 = 2_000_000_000;
/// That a step is to be skipped is seen within this time.
const LOOK_NS: u64 = 100_000_000;

/// Empty ticks that wait for a worker: one is on its way while it fills another.
const SPARE_TICKS: usize = 2;

/// One job's side of the crew.
struct JobState {
    pub ready: Receiver<Result<EngineRecord, Statement>>,
    pub go: Vec<Sender<Timeline>>,
    /// Where each worker takes back its own empty ticks: another's lie on the memory node of that one, next to what it writes all the time.
    pub spare: Vec<Sender<Box<TickBuffer>>>,
    pub merge: Merge,
    /// Each worker by itself.
    pub sums: Vec<WorkerSum>,
    pub running: u32,
    /// Of the workers that have ended.
    pub reads: Reads,
    pub last_flush_ns: u64,
    pub path: String,
    /// How long its workers waited for the log of their operations.
    pub waited_for_log_ns: u64,
}

/// What keeps a step, each on a thread of its own.
pub struct Keep<'a> {
    /// Gets each interval as soon as all workers have ended it.
    pub tick: &'a mut (dyn FnMut(&Tick) + Send),
    /// Gets every operation of jobs with `log-each`. A worker waits once it is about 16,000 operations ahead.
    pub operations: &'a mut (dyn FnMut(LoggedBatch<'_>) + Send),
}

/// Runs one step to its end. `sink` is called on the calling thread.
///
/// Returns and errors as [`run_recorded`].
pub fn run_execution(
    execution: u32,
    assignments: &[Assignment<'_>],
    clock: Clock,
    stop: &AtomicBool,
    sink: &mut dyn FnMut(LoadEvent),
) -> Result<StopReason, LoadError> {
    let orders = Orders {
        stop,
        skip: &AtomicBool::new(false),
        may_start: &|| true,
    };
    let keep = Keep {
        tick: &mut |_| {},
        operations: &mut |_| {},
    };
    run_recorded(execution, assignments, clock, orders, keep, sink)
}

/// Runs one step to its end. `keep` gets each interval on a thread that does nothing else and that runs as promptly as the system allows
/// ([`system::run_promptly`]): what has been measured is not held up by who looks at it, nor by a machine whose CPUs are all busy.
/// `sink` gets everything that happens, intervals too, on the calling thread.
///
/// Returns what ended it.
///
/// # Errors
/// When a worker cannot start: no engine works, the target cannot be opened, pinning fails. Nothing has been measured then.
pub fn run_recorded(
    execution: u32,
    assignments: &[Assignment<'_>],
    clock: Clock,
    orders: Orders<'_>,
    keep: Keep<'_>,
    sink: &mut dyn FnMut(LoadEvent),
) -> Result<StopReason, LoadError> {
    let ends = Ends::default();
    std::thread::scope(|scope| {
        let (reports, incoming) = unbounded();
        let main = assignments.first().map(|main| &main.job.workload);
        let watch = main
            .and_then(|workload| Some(SteadyWatch::new(workload.until_steady?, workload.interval)));
        let mut crew = Crew {
            execution,
            assignments,
            clock,
            meeting: Arc::new(Meeting::default()),
            incoming,
            jobs: Vec::new(),
            stopped: None,
            ended_by_another: false,
            watch,
        };
        note_small_files(assignments)?;
        let filled = take_operations(scope, execution, assignments, keep.operations)?;
        let mut pinned = 0;
        for (job, assignment) in assignments.iter().enumerate() {
            let enough = ends.enough(job, &assignment.job.workload);
            crew.start_workers(
                scope,
                job as u32,
                assignment,
                ends.signals(orders.stop, enough),
                (&reports, &filled),
                &mut pinned,
            )?;
        }
        drop((reports, filled));
        crew.await_ready(sink)?;
        if !(orders.may_start)() {
            return Ok(crew.call_off());
        }
        let (happened, events) = unbounded();
        let skip = orders.skip;
        let cut = Cut { ends: &ends, skip };
        let record = move || {
            system::run_promptly();
            // Once the receiver is gone, the event is dropped.
            let mut report = |event| _ = happened.send(event);
            crew.start(&mut report);
            crew.follow(cut, keep.tick, &mut report);
            crew.stopped
        };
        let recorder = std::thread::Builder::new()
            .name("plumb-record".into())
            .spawn_scoped(scope, record);
        let recorder = recorder.map_err(|error| {
            LoadError(Statement::new("recorder-cannot-start").name("error", error.to_string()))
        })?;
        events.iter().for_each(sink);
        let stopped = recorder
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok(match stopped {
            // Steadiness was not awaited, or was not reached when checked.
            Some(Stopped::Steady) if skip.load(Ordering::Relaxed) => StopReason::Skipped,
            stopped => stopped.map_or(StopReason::Signal, Stopped::reason),
        })
    })
}

/// Starts the thread that takes logged operations; `None`: no job logs any.
fn take_operations<'scope>(
    scope: &'scope Scope<'scope, '_>,
    execution: u32,
    assignments: &[Assignment<'_>],
    keep: &'scope mut (dyn FnMut(LoggedBatch<'_>) + Send),
) -> Result<Option<Sender<Filled>>, LoadError> {
    let workloads = assignments
        .iter()
        .map(|assignment| &assignment.job.workload);
    let logging = workloads.filter(|workload| workload.log_each);
    let workers: u32 = logging.map(|workload| workload.workers).sum();
    if workers == 0 {
        return Ok(None);
    }
    let (filled, incoming) = operation_log::channel(workers);
    let thread = std::thread::Builder::new().name("plumb-log".into());
    let spawned = thread.spawn_scoped(scope, move || {
        operation_log::take_all(execution, &incoming, keep);
    });
    spawned.map_err(|error| {
        LoadError(Statement::new("recorder-cannot-start").name("error", error.to_string()))
    })?;
    Ok(Some(filled))
}

struct Crew<'a> {
    execution: u32,
    assignments: &'a [Assignment<'a>],
    clock: Clock,
    meeting: Arc<Meeting>,
    incoming: Receiver<(u32, Report)>,
    jobs: Vec<JobState>,
    /// Why the main job ended.
    stopped: Option<Stopped>,
    /// A job whose end ends the step has ended.
    ended_by_another: bool,
    /// Judges the intervals of a main job that ends when it is steady.
    watch: Option<SteadyWatch>,
}

impl<'a> Crew<'a> {
    /// Starts the workers of one job; each opens its engine and then waits for the word.
    fn start_workers<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        job: u32,
        assignment: &'scope Assignment<'scope>,
        signals: Signals<'scope>,
        (reports, filled): (&Sender<(u32, Report)>, &Option<Sender<Filled>>),
        pinned: &mut usize,
    ) -> Result<(), LoadError>
    where
        'a: 'scope,
    {
        let workload = &assignment.job.workload;
        let (ready_sender, ready) = unbounded();
        let stream = Arc::new(AtomicU64::new(0));
        let meeting = Arc::new(Meeting::default());
        let replay =
            ReplayLog::load(workload).map_err(|error| LoadError(Statement::verbatim(error)))?;
        let (mut go, mut spare) = (Vec::new(), Vec::new());
        for worker in 0..workload.workers {
            let (go_sender, go_receiver) = bounded(1);
            let (spare_sender, spare_receiver) = bounded(SPARE_TICKS);
            let setup = WorkerSetup {
                job,
                worker,
                assignment,
                cpus: cpus_for(&workload.pin, *pinned)?,
                clock: self.clock,
                signals,
                stream: stream.clone(),
                meeting: meeting.clone(),
                assignments: self.assignments,
                step_meeting: self.meeting.clone(),
                replay: replay.clone(),
                ready: ready_sender.clone(),
                go: go_receiver,
                reports: reports.clone(),
                spare: spare_receiver,
                filled: filled.clone().filter(|_| workload.log_each),
            };
            *pinned += 1;
            let thread = std::thread::Builder::new().name(format!("plumb-load-{job}.{worker}"));
            let spawned = thread.spawn_scoped(scope, move || run_worker(setup));
            spawned.map_err(|error| {
                LoadError(
                    Statement::new("worker-cannot-start")
                        .name("worker", worker.to_string())
                        .name("error", error.to_string()),
                )
            })?;
            go.push(go_sender);
            spare.push(spare_sender);
        }
        let path = assignment.job.target.to_string();
        let merge = Merge::new(self.execution, job, workload.workers);
        self.jobs.push(JobState {
            ready,
            go,
            spare,
            merge,
            sums: (0..workload.workers)
                .map(|_| WorkerSum::default())
                .collect(),
            running: workload.workers,
            reads: Reads::default(),
            last_flush_ns: 0,
            path,
            waited_for_log_ns: 0,
        });
        Ok(())
    }

    /// Waits until every worker has its engine open. The first refusal ends the step: dropping the crew's side sends all home.
    fn await_ready(&mut self, sink: &mut dyn FnMut(LoadEvent)) -> Result<(), LoadError> {
        let mut records = Vec::new();
        for job in &mut self.jobs {
            let mut first = None;
            for _ in 0..job.running {
                match job.ready.recv() {
                    Ok(Ok(record)) => {
                        first.get_or_insert(record);
                    }
                    Ok(Err(error)) => {
                        self.jobs.clear();
                        return Err(LoadError(error));
                    }
                    Err(_) => {
                        self.jobs.clear();
                        return Err(LoadError(Statement::new("worker-ended-too-early")));
                    }
                }
            }
            records.push(first);
        }
        for (job, record) in records.into_iter().enumerate() {
            if let Some(record) = record {
                sink(LoadEvent::EngineOpened {
                    job: job as u32,
                    record,
                });
            }
        }
        Ok(())
    }

    /// Sends all home who wait for the word to go.
    fn call_off(&mut self) -> StopReason {
        self.jobs.clear();
        StopReason::Signal
    }

    /// Gives all workers of a job the same moment to begin, and all jobs too, but for those that begin later.
    fn start(&mut self, sink: &mut dyn FnMut(LoadEvent)) {
        let common_ns = self.clock.now_ns() + START_DELAY_NS;
        for (job, assignment) in self.jobs.iter_mut().zip(self.assignments) {
            let workload = &assignment.job.workload;
            let start_ns = common_ns.saturating_add(workload.start_delay.unwrap_or(Nanos(0)).0);
            let timeline = Timeline {
                start_ns,
                warm_up_ns: workload.warm_up.0,
                time_ns: workload.time.map(|time| time.0),
                interval_ns: workload.interval.0.max(1_000_000),
            };
            job.last_flush_ns = start_ns;
            for go in job.go.drain(..) {
                // A worker that is gone already has reported its end.
                let _ = go.send(timeline);
            }
        }
        sink(LoadEvent::Started { time_ns: common_ns });
    }

    /// Takes reports until the last worker has ended.
    fn follow(
        &mut self,
        cut: Cut<'_>,
        keep: &mut dyn FnMut(&Tick),
        sink: &mut dyn FnMut(LoadEvent),
    ) {
        let interval_ns = self.assignments.first().map_or(1_000_000_000, |main| {
            main.job.workload.interval.0.max(1_000_000)
        });
        let mut next_ns = self.clock.now_ns() + START_DELAY_NS + interval_ns;
        while self.jobs.iter().any(|job| job.running > 0) {
            let wait = next_ns.saturating_sub(self.clock.now_ns()).min(LOOK_NS);
            match self.incoming.recv_timeout(Duration::from_nanos(wait)) {
                Ok((job, report)) => self.take(job, report, cut.ends, sink),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if cut.skip.load(Ordering::Relaxed) {
                cut.ends.steady.store(true, Ordering::Relaxed);
                cut.ends.skipped.store(true, Ordering::Relaxed);
            }
            let now = self.clock.now_ns();
            for job in &mut self.jobs {
                let overdue = job.merge.is_pending()
                    && now > job.last_flush_ns + OVERDUE_NS + 2 * interval_ns;
                let ticks = job.merge.take(overdue || job.running == 0);
                if !ticks.is_empty() {
                    job.last_flush_ns = now;
                }
                for mut tick in ticks {
                    keep(&tick);
                    // It may have to wait until it is looked at.
                    tick.shrink();
                    if self
                        .watch
                        .as_mut()
                        .is_some_and(|watch| tick.job == 0 && watch.take(&tick))
                    {
                        cut.ends.steady.store(true, Ordering::Relaxed);
                    }
                    sink(LoadEvent::Tick(tick));
                }
            }
            if now >= next_ns {
                sink(LoadEvent::Interval { time_ns: now });
                next_ns = now.max(next_ns + interval_ns);
            }
        }
        sink(LoadEvent::Interval {
            time_ns: self.clock.now_ns(),
        });
    }

    fn take(&mut self, job: u32, report: Report, ends: &Ends, sink: &mut dyn FnMut(LoadEvent)) {
        let state = &mut self.jobs[job as usize];
        let path = state.path.clone();
        match report {
            Report::Tick { worker, mut tick } => {
                state.merge.add(worker, &tick);
                let apart = self.assignments[job as usize].job.workload.workers_apart;
                state.sums[worker as usize].add(&tick, apart);
                tick.clear();
                let _ = state.spare[worker as usize].try_send(tick);
            }
            Report::FirstError {
                kind,
                error,
                offset,
            } => sink(LoadEvent::FirstError {
                job,
                kind,
                error,
                path,
                offset,
            }),
            Report::Mismatch {
                offset,
                block_bytes,
                explanation,
                hex_window,
                dump,
            } => {
                let folder = self.assignments[job as usize]
                    .job
                    .workload
                    .dump_mismatches
                    .as_ref();
                if let Some((dump, folder)) = dump.zip(folder) {
                    let files = dumps::files(Path::new(folder), &path, offset, &explanation);
                    if let Err((file, error)) = dump.write(&files) {
                        let text = Statement::new("block-not-dumped")
                            .name("file", file.display().to_string())
                            .name("error", error.to_string());
                        sink(LoadEvent::Remark { job, text });
                    }
                }
                sink(LoadEvent::Mismatch {
                    job,
                    path,
                    offset,
                    block_bytes,
                    explanation,
                    hex_window,
                });
            }
            Report::Journal { worker, entry } => sink(match entry {
                JournalEntry::Connection { state, text, ago } => LoadEvent::Connection {
                    job,
                    worker,
                    state,
                    text,
                    ago,
                },
                JournalEntry::Remark(text) => LoadEvent::Remark { job, text },
            }),
            Report::Ended(ended) => self.ended(job, *ended, ends, sink),
        }
    }

    /// A worker has ended.
    fn ended(&mut self, job: u32, ended: Ended, ends: &Ends, sink: &mut dyn FnMut(LoadEvent)) {
        let state = &mut self.jobs[job as usize];
        let Ended {
            worker,
            stopped,
            closing,
            reads,
            levels,
            waited_for_log_ns,
        } = ended;
        // The main job looks for its steady state where others look for its end.
        let stopped = match stopped {
            Stopped::Steady if self.ended_by_another => Stopped::MainJob,
            stopped => stopped,
        };
        state.merge.end(worker);
        let sum = std::mem::take(&mut state.sums[worker as usize]);
        sink(LoadEvent::WorkerEnded {
            job,
            worker,
            end: Box::new(sum.end(stopped.clone(), levels)),
        });
        state.running -= 1;
        state.waited_for_log_ns += waited_for_log_ns.unwrap_or(0);
        if state.running == 0 && state.waited_for_log_ns > 0 {
            let text = Statement::new("operation-log-held-load-up")
                .time_ns("time", state.waited_for_log_ns as f64)
                .count("count", state.sums.len() as u64);
            sink(LoadEvent::Remark { job, text });
        }
        state.reads.empty += reads.empty;
        state.reads.bytes += reads.bytes;
        let Closing {
            remarks,
            account,
            write_back,
            ..
        } = closing;
        write_back
            .into_iter()
            .for_each(|failure| sink(LoadEvent::WriteBackFailed(failure)));
        remarks
            .into_iter()
            .for_each(|text| sink(LoadEvent::Remark { job, text }));
        if !account.is_empty() {
            sink(LoadEvent::EngineClosed {
                job,
                worker,
                account,
            });
        }
        if stopped == Stopped::BeforeTheStart && worker == 0 {
            let planned = self.assignments[job as usize].job;
            let delay = planned.workload.start_delay.unwrap_or(Nanos(0));
            let text = Statement::new("job-never-began")
                .name("job", &planned.name)
                .name("delay", delay.to_string());
            sink(LoadEvent::Remark { job, text });
        }
        let ends_step = match self.assignments[job as usize].job.workload.ends_step {
            EndsStep::Never => false,
            EndsStep::Always => true,
            EndsStep::OnError => matches!(stopped, Stopped::Error(_)),
        };
        if ends_step && !self.ended_by_another {
            self.ended_by_another = true;
            for flag in [&ends.main, &ends.steady, &ends.skipped] {
                flag.store(true, Ordering::Relaxed);
            }
        }
        let is_skipped = job > 0 && stopped == Stopped::MainJob && self.cuts_short(job);
        if is_skipped && !self.ended_by_another {
            self.stopped = Some(Stopped::Steady);
        }
        if job == 0 {
            // An error is the most informative of several reasons.
            if self.stopped.is_none() || matches!(stopped, Stopped::Error(_)) {
                self.stopped = Some(stopped);
            }
            if self.jobs[0].running == 0 {
                self.refuse_reads_of_nothing();
                ends.main.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Crew<'_> {
    /// True for a job that runs to its own end: only skipping the step ends it earlier.
    fn cuts_short(&self, job: u32) -> bool {
        self.assignments[job as usize].job.workload.to_its_end
    }

    /// A step whose reads all came back without a byte has measured the end of a file.
    fn refuse_reads_of_nothing(&mut self) {
        let (Reads { empty, bytes }, path) = (self.jobs[0].reads, &self.jobs[0].path);
        if empty > 0
            && bytes == 0
            && !matches!(self.stopped, Some(Stopped::Error(_) | Stopped::Signal))
        {
            let text = Statement::new("reads-of-nothing")
                .count("count", empty)
                .name("path", path);
            self.stopped = Some(Stopped::Error(text));
        }
    }
}

#[cfg(test)]
mod tests;
