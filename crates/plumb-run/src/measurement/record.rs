//! What is recorded of a run in progress? Every event goes to the record first, then to the view; the view may lose frames, the record nothing.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plumb_load::clock::Clock;
use plumb_load::crew::{LoadError, LoadEvent};
use plumb_load::site::{Activity, Progress, SiteError};
use plumb_model::plan::{Plan, Step};
use plumb_model::run::operation::LoggedBatch;
use plumb_model::run::step_end::{StepEnd, StopReason};
use plumb_model::run::tick::Tick;
use plumb_model::run::{Event, Note, WriteBackFailure};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_observe::environment::scope_of;
use plumb_observe::observer::Observer;
use plumb_record::{OperationWriter, RecordError, RunWriter, TickWriter};
use plumb_show::live::run::Wishes;
use plumb_show::live::{LiveHosts, Pause, View};
use plumb_words::numbers::show_bytes;

use super::cores::Cores;
use super::load_state::{LoadState, Outlook, pace_text};
use super::seen::{Companion, OnInterval, seen};
use super::turn::Turn;

/// Counters are not sampled more often than this, however short the interval of the load: one sample reads a dozen files of the kernel.
const SAMPLE_MIN_NS: u64 = 100_000_000;
/// The end of a pause is seen within this.
const PAUSE_NAP: Duration = Duration::from_millis(50);
/// The view is repainted at most this often.
const FRAME_MIN_NS: u64 = 100_000_000;

/// A view that several runs may show themselves in, one at a time.
pub type SharedView = Rc<RefCell<View>>;

/// A view to be shared.
pub fn shared(view: View) -> SharedView {
    Rc::new(RefCell::new(view))
}

/// Why an execution could not run, for the record.
fn statement_of(error: &anyhow::Error) -> Statement {
    if let Some(LoadError(why)) = error.downcast_ref() {
        return why.clone();
    }
    match error.downcast_ref::<SiteError>() {
        Some(of_site) => of_site.statement(),
        None => Statement::verbatim(format!("{error:#}")),
    }
}

/// The record and the view of a run.
pub struct Record<'a> {
    /// Missing until the run begins.
    writer: Option<RunWriter>,
    observer: Option<Observer>,
    view: SharedView,
    state: LoadState,
    clock: Clock,
    stop: &'a AtomicBool,
    plan: &'a Plan,
    turn: Turn,
    sampled_ns: Option<u64>,
    shown_ns: Option<u64>,
    /// When the files that are being filled were begun, and what had been written by then.
    filling_since: Option<(u64, u64)>,
    /// Failures of write-back, each with its execution.
    lost: Vec<(u32, WriteBackFailure)>,
    /// Who else sees each interval.
    pub on_interval: Option<OnInterval>,
    /// The other participants.
    pub companion: Option<Rc<dyn Companion + 'a>>,
    /// Of the sample before.
    cores: Cores,
    /// The first failure of the record; it ends the run.
    failure: Option<RecordError>,
}

impl<'a> Record<'a> {
    /// A record that has not begun; the view is there already, for the preparation.
    pub fn new(plan: &'a Plan, clock: Clock, view: SharedView, stop: &'a AtomicBool) -> Record<'a> {
        Record {
            writer: None,
            observer: None,
            view,
            state: LoadState::new(plan),
            clock,
            stop,
            plan,
            turn: Turn {
                execution: 0,
                step: 0,
                round: 0,
            },
            sampled_ns: None,
            shown_ns: None,
            filling_since: None,
            lost: Vec::new(),
            on_interval: None,
            companion: None,
            cores: Cores::default(),
            failure: None,
        }
    }

    /// The clock of the run.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Sets the position of this run in a series of several.
    pub fn look_ahead(&mut self, outlook: Outlook) {
        self.state.outlook = Some(outlook);
    }

    /// Says what lies under the target.
    pub fn show_device(&mut self, device: String) {
        self.state.live.device = device;
    }

    /// Waits while the next step is paused; records the pause and its length.
    pub fn pause(&mut self, wishes: &Wishes) {
        if !wishes.pause.load(Ordering::Relaxed) {
            return;
        }
        let begin_ns = self.clock.now_ns();
        self.state.live.pause = Pause::Now;
        while wishes.pause.load(Ordering::Relaxed) && !self.stop.load(Ordering::Relaxed) {
            self.show(self.clock.now_ns(), false);
            std::thread::sleep(PAUSE_NAP);
        }
        self.state.live.pause = Pause::No;
        let paused_ns = self.clock.now_ns() - begin_ns;
        let text = Statement::new("run-was-paused").time_ns("time", paused_ns as f64);
        self.note(Event::Warning { text });
    }

    /// Sets the overall status.
    pub fn stand(&mut self, standing: Option<Statement>) {
        self.state.live.standing = standing;
        self.show(self.clock.now_ns(), true);
    }

    /// Shows how the hosts stand beside each other.
    pub fn show_hosts(&mut self, hosts: LiveHosts) {
        self.state.live.hosts = Some(hosts);
    }

    /// Begins to write. The observer watches the devices under the targets, and the network to them.
    pub fn begin(&mut self, writer: RunWriter, targets: &[Target]) {
        let root = Path::new("/");
        self.writer = Some(writer);
        self.observer = Some(Observer::new(root, scope_of(root, targets)));
        self.sample(self.clock.now_ns());
    }

    /// Begins to write, without counters: those of many hosts stand in the record of each rank.
    pub fn begin_without_counters(&mut self, writer: RunWriter) {
        self.writer = Some(writer);
    }

    /// Shows how far a target is ready.
    pub fn show_preparing(&mut self, progress: &Progress<'_>) {
        let now_ns = self.clock.now_ns();
        let (since_ns, before) = *self
            .filling_since
            .get_or_insert((now_ns, progress.done_bytes));
        let (done, total) = (
            show_bytes(progress.done_bytes as f64),
            show_bytes(progress.total_bytes as f64),
        );
        let pace = pace_text(
            (now_ns - since_ns) as f64 / 1e9,
            progress.done_bytes.saturating_sub(before),
            progress,
        );
        let phase = match progress.activity {
            Activity::Filling => Statement::new("phase-writing"),
            Activity::Syncing => Statement::new("phase-syncing"),
            Activity::MakingFiles => Statement::new("phase-making-files"),
        }
        .name("path", progress.path.display().to_string())
        .name("done", done)
        .name("total", total)
        .name("pace", pace);
        self.state.live.phase = Some(phase);
        if progress.done_bytes >= progress.total_bytes {
            self.filling_since = None;
        }
        self.show(now_ns, false);
    }

    /// An execution begins.
    pub fn start(&mut self, turn: Turn, step: &Step) {
        self.turn = turn;
        self.state.start(turn.step, turn.round, step);
        self.note(Event::ExecutionStarted {
            execution: turn.execution,
            step: turn.step as u32,
            round: turn.round,
        });
        self.show(self.clock.now_ns(), false);
    }

    /// The execution has ended by this.
    pub fn end(&mut self, stopped_by: StopReason) {
        if self.companion.is_some() {
            self.sample(self.clock.now_ns());
        }
        self.state
            .end(StepEnd::Stopped(stopped_by.clone()), self.turn.round);
        self.note(Event::ExecutionEnded {
            execution: self.turn.execution,
            stopped_by,
        });
        self.show(self.clock.now_ns(), true);
    }

    /// The execution could not run.
    pub fn fail(&mut self, turn: Turn, error: &anyhow::Error) {
        let error = statement_of(error);
        self.state.end(StepEnd::Failed(error.clone()), turn.round);
        self.note(Event::ExecutionFailed {
            execution: turn.execution,
            error,
        });
        self.show(self.clock.now_ns(), true);
    }

    /// Keeps intervals, on whichever thread; they are not to be kept again by [`Record::take`]. The first that cannot be written ends the run.
    pub fn keeper(&self) -> Keeper<'a, TickWriter> {
        Keeper::new(self.writer.as_ref().map(RunWriter::tick_writer), self.stop)
    }

    /// The same for operations that are logged one by one.
    pub fn operation_keeper(&self) -> Keeper<'a, OperationWriter> {
        let writer = self.writer.as_ref().map(RunWriter::operation_writer);
        Keeper::new(writer, self.stop)
    }

    /// Takes an event of the load whose intervals are not kept yet.
    pub fn keep_and_take(&mut self, event: LoadEvent) {
        if let LoadEvent::Tick(tick) = &event {
            let written = self
                .writer
                .as_mut()
                .map_or(Ok(()), |writer| writer.tick(tick));
            self.keep(written);
        }
        self.take(event);
    }

    /// Takes an event of the load.
    pub fn take(&mut self, event: LoadEvent) {
        let execution = self.turn.execution;
        match event {
            LoadEvent::EngineOpened { job, record } => {
                if job == 0 {
                    self.state.opened(&record, &self.plan.steps[self.turn.step]);
                    // The load starts shortly after it is announced: on a busy machine a sample then may come too late to be one of before.
                    if self.companion.is_some() {
                        self.sample(self.clock.now_ns());
                    }
                }
                self.note(Event::EngineOpened {
                    execution,
                    job,
                    engine: record,
                });
            }
            LoadEvent::Started { time_ns } => {
                self.state.started(time_ns as f64 / 1e9);
                self.sample(self.clock.now_ns());
            }
            LoadEvent::Tick(tick) => {
                self.state.tick(&tick);
                if let Some(companion) = &self.companion {
                    companion.interval(&tick);
                }
                if let Some(on_interval) = &self.on_interval
                    && let Some(seen) = seen(&tick, self.plan, self.turn)
                {
                    on_interval(&seen);
                }
            }
            event @ (LoadEvent::FirstError { .. }
            | LoadEvent::Mismatch { .. }
            | LoadEvent::Connection { .. }) => self.take_failure(event),
            LoadEvent::EngineClosed {
                job,
                worker,
                account,
            } => self.note(self.turn.engine_closed(job, worker, account)),
            LoadEvent::WorkerEnded { job, worker, end } => {
                self.note(self.turn.worker_ended(job, worker, *end))
            }
            LoadEvent::WriteBackFailed(failure) => self.write_back_failed(failure),
            LoadEvent::Remark { text, .. } => self.warn(text),
            LoadEvent::Interval { time_ns } => {
                if self
                    .sampled_ns
                    .is_none_or(|last| time_ns >= last + SAMPLE_MIN_NS)
                {
                    self.sample(time_ns);
                }
                self.show(time_ns, false);
            }
        }
    }

    /// Takes what went wrong: it is shown at once.
    fn take_failure(&mut self, event: LoadEvent) {
        let execution = self.turn.execution;
        match event {
            LoadEvent::FirstError {
                job,
                kind,
                error,
                path,
                offset,
            } => {
                self.state.live.warnings.push(
                    Statement::new("live-operation-failed")
                        .name("kind", kind.to_string())
                        .name("place", kind.place(offset, &path))
                        .name("error", &error),
                );
                self.note(Event::FirstError {
                    execution,
                    job,
                    kind,
                    error,
                    path,
                    offset,
                });
            }
            LoadEvent::Mismatch {
                job,
                path,
                offset,
                block_bytes,
                explanation,
                hex_window,
            } => {
                self.state
                    .live
                    .warn_of_block(&path, offset, explanation.clone());
                self.note(Event::Mismatch {
                    execution,
                    job,
                    path,
                    offset,
                    block_bytes,
                    explanation,
                    hex_window,
                });
            }
            LoadEvent::Connection {
                job,
                worker,
                state,
                text,
                ago,
            } => {
                self.state.live.warnings.push(text.clone());
                let time_ns = self.clock.now_ns().saturating_sub(ago.as_nanos() as u64);
                let lost_or_restored = Event::Connection {
                    execution,
                    job,
                    worker,
                    state,
                    text,
                };
                self.note_at(time_ns, lost_or_restored);
            }
            _ => {}
        }
    }

    /// Records an event, with the time that it has now.
    pub fn note(&mut self, event: Event) {
        self.note_at(self.clock.now_ns(), event);
    }

    fn note_at(&mut self, time_ns: u64, event: Event) {
        if let Some(companion) = &self.companion {
            companion.noted(&event);
        }
        let note = Note { time_ns, event };
        let written = self
            .writer
            .as_mut()
            .map_or(Ok(()), |writer| writer.note(&note));
        self.keep(written);
    }

    /// Records something that readers of the figures should know, and shows it.
    pub fn warn(&mut self, text: Statement) {
        self.state.live.warnings.push(text.clone());
        self.note(Event::Warning { text });
    }

    /// Shows something that is recorded in another form.
    pub fn show_warning(&mut self, text: Statement) {
        self.state.live.warnings.push(text);
        self.show(self.clock.now_ns(), true);
    }

    /// Records that data counted as written is lost. Reports of several workers about one file are one failure.
    pub fn write_back_failed(&mut self, failure: WriteBackFailure) {
        let reported = (self.turn.execution, failure);
        if self.lost.contains(&reported) {
            return;
        }
        self.lost.push(reported.clone());
        let (execution, failure) = reported;
        let WriteBackFailure { path, call, error } = &failure;
        self.state.live.warnings.push(
            Statement::new("live-data-was-lost")
                .name("call", call)
                .name("path", path)
                .name("error", error),
        );
        self.note(Event::WriteBackFailed { execution, failure });
    }

    /// Every failure of write-back so far.
    pub fn write_back_failures(&self) -> impl Iterator<Item = &WriteBackFailure> {
        self.lost.iter().map(|(_, failure)| failure)
    }

    /// Closes the record. Errors: the first thing that could not be written; the record up to there is kept.
    pub fn finish(mut self, interrupted: bool) -> Result<(), RecordError> {
        self.sample(self.clock.now_ns());
        if self.failure.is_none() {
            self.note(Event::Finished { interrupted });
        }
        self.view.borrow_mut().finish();
        match self.failure {
            Some(failure) => Err(failure),
            None => self.writer.map_or(Ok(()), RunWriter::finish),
        }
    }

    fn sample(&mut self, time_ns: u64) {
        let Some(observer) = &mut self.observer else {
            return;
        };
        let mut readings = Vec::new();
        observer.sample(time_ns, &mut readings);
        self.sampled_ns = Some(time_ns);
        let cores = self.cores.take(&readings);
        if !cores.is_empty() {
            self.state.live.cores = cores;
        }
        self.companion.iter().for_each(|of| of.sampled(&readings));
        let written = self
            .writer
            .as_mut()
            .map_or(Ok(()), |writer| writer.readings(&readings));
        self.keep(written);
    }

    fn show(&mut self, time_ns: u64, at_once: bool) {
        if at_once
            || self
                .shown_ns
                .is_none_or(|last| time_ns >= last + FRAME_MIN_NS)
        {
            self.shown_ns = Some(time_ns);
            self.state.at(time_ns as f64 / 1e9);
            self.view.borrow_mut().update(&self.state.live);
        }
    }

    /// A record that cannot be written ends the run: figures that are not kept are not measured.
    pub fn keep(&mut self, written: Result<(), RecordError>) {
        if let Err(error) = written {
            self.failure.get_or_insert(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Appends intervals or operations to the record.
pub struct Keeper<'a, W> {
    writer: Option<W>,
    failure: Option<RecordError>,
    stop: &'a AtomicBool,
}

impl<'a, W> Keeper<'a, W> {
    /// Nothing is appended where there is no writer; the first failure sets `stop`.
    pub fn new(writer: Option<W>, stop: &'a AtomicBool) -> Keeper<'a, W> {
        Keeper {
            writer,
            failure: None,
            stop,
        }
    }

    /// Appends by `append`. After something that could not be written there is no more: a record has no holes.
    fn append(&mut self, append: impl FnOnce(&mut W) -> Result<(), RecordError>) {
        if let (Some(writer), None) = (&mut self.writer, &self.failure)
            && let Err(error) = append(writer)
        {
            self.failure = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// What went wrong first.
    pub fn end(self) -> Result<(), RecordError> {
        self.failure.map_or(Ok(()), Err)
    }
}

impl Keeper<'_, TickWriter> {
    /// Appends an interval.
    pub fn keep(&mut self, tick: &Tick) {
        self.append(|writer| writer.tick(tick));
    }
}

impl Keeper<'_, OperationWriter> {
    /// Appends operations.
    pub fn keep(&mut self, batch: LoggedBatch<'_>) {
        self.append(|writer| writer.append(batch));
    }
}
