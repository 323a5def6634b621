//! What does a worker do before it works? Pin itself, open the target and the first engine that works, and wait for the common start.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crossbeam_channel::{Receiver, Sender};
use plumb_model::run::{EngineRecord, active};
use plumb_model::statement::Statement;
use plumb_model::workload::{Content, Direct, Layout, OperationKind, Pin, Workload};

use crate::clock::Clock;
use crate::crew::assignment::{Assignment, Signals, extent, stamps_each};
use crate::engine::buffers::Buffers;
use crate::engine::journal::Journal;
use crate::engine::logged::logged;
use crate::engine::meeting::Meeting;
use crate::engine::urgent::Urgent;
use crate::engine::{EngineKind, OpenFile, Opened, RemoteSetup, Setup};
use crate::engines;
use crate::feed::arrivals::Schedule;
use crate::feed::content::ContentSource;
use crate::feed::offsets::{AccessSequence, KindSequence, OffsetSequence};
use crate::feed::replay::{Recording, ReplayLog, ReplaySequence};
use crate::feed::{Checkers, ColdPasses, Feed, FeedParts, Sequence};
use crate::site::{Access, Site, SiteFile, SiteKind, open_file};
use crate::system;
use crate::worker::batches::Batches;
use crate::worker::limits::Limits;
use crate::worker::operation_log::{Filled, OperationLog};
use crate::worker::priority::{take_memory_policy, take_priority};
use crate::worker::tick_buffer::TickBuffer;
use crate::worker::{Report, Task, Timeline, Worker};

/// All that a worker is given.
pub struct WorkerSetup<'a> {
    pub job: u32,
    pub worker: u32,
    pub assignment: &'a Assignment<'a>,
    /// CPUs to run on; empty: anywhere.
    pub cpus: Vec<u32>,
    pub clock: Clock,
    pub signals: Signals<'a>,
    /// The shared ticket counter of layout `stream`.
    pub stream: Arc<AtomicU64>,
    pub meeting: Arc<Meeting>,
    /// All jobs of the step, and what their engines share.
    pub assignments: &'a [Assignment<'a>],
    pub step_meeting: Arc<Meeting>,
    /// The log that all workers of the job replay.
    pub replay: Option<Arc<ReplayLog>>,
    pub ready: Sender<Result<EngineRecord, Statement>>,
    pub go: Receiver<Timeline>,
    pub reports: Sender<(u32, Report)>,
    pub spare: Receiver<Box<TickBuffer>>,
    /// Where its operations are logged (`log-each`).
    pub filled: Option<Sender<Filled>>,
}

/// A worker's thread from beginning to end.
pub fn run_worker(setup: WorkerSetup<'_>) {
    if let Err(error) = setup.run() {
        // The crew learns of it through `ready`; after the start there are no such errors.
        let _ = setup.ready.send(Err(error));
    }
}

/// The files a worker has open, and what became of O_DIRECT.
struct Files {
    open: Vec<OpenFile>,
    direct: Option<bool>,
    refused: Option<String>,
}

/// What became of O_DIRECT for one file.
struct Bypass {
    direct: Option<bool>,
    refused: Option<String>,
}

fn trims(workload: &Workload) -> bool {
    let mut kinds = workload.mix.0.iter().map(|(kind, _)| *kind);
    kinds.any(|kind| kind == OperationKind::Trim)
}

/// What was wanted and could not be had: engines that were tried before, features of this one, O_DIRECT.
fn not_had(engines: &[Statement], features: Vec<Statement>, files: &Files) -> Vec<Statement> {
    let direct = files.refused.as_ref();
    let direct = direct.map(|reason| Statement::new("refused-o-direct").name("reason", reason));
    let engines = engines.iter().cloned();
    engines.chain(features).chain(direct).collect()
}

impl<'a> WorkerSetup<'a> {
    fn run(&self) -> Result<(), Statement> {
        let (job, workload) = (self.assignment.job, &self.assignment.job.workload);
        if !self.cpus.is_empty() {
            let wrong = |error: std::io::Error| {
                Statement::new("worker-cannot-be-pinned")
                    .name("worker", self.worker.to_string())
                    .name("cpus", format!("{:?}", self.cpus))
                    .name("error", error.to_string())
            };
            system::pin_thread(&self.cpus).map_err(wrong)?;
        }
        if let Some(priority) = workload.io_priority {
            take_priority(priority)?;
        }
        if let Some(policy) = &workload.memory_policy {
            take_memory_policy(policy)?;
        }
        if self.assignment.job.engine.call_size.0 > 0 {
            system::own_descriptors();
        }
        let parts = self.parts().map_err(Statement::verbatim)?;
        let mut refusals = Vec::new();
        for kind in
            engines::candidates(&job.target, &job.engine, workload).map_err(Statement::verbatim)?
        {
            match self.serve(kind, &parts, &refusals) {
                Ok(()) => return Ok(()),
                // Errors of the target are reported once, not for each engine.
                Err(refusal) if refusals.contains(&refusal) => {}
                Err(refusal) => refusals.push(refusal),
            }
        }
        let several = |rest: Statement, first: Statement| {
            Statement::new("clauses")
                .part("first", first)
                .part("rest", rest)
        };
        let reason = refusals.into_iter().rev().reduce(several);
        Err(reason.unwrap_or_else(|| Statement::new("no-engine-of-this-system")))
    }

    /// Opens the target and this engine, waits for the start, and works to the end. An error: nothing was started.
    fn serve(
        &self,
        kind: &'static EngineKind,
        parts: &[SiteFile],
        refusals: &[Statement],
    ) -> Result<(), Statement> {
        let (choice, workload) = (&self.assignment.job.engine, &self.assignment.job.workload);
        let files = self.open_files(kind, parts).map_err(Statement::verbatim)?;
        let depth = if kind.asynchronous { workload.depth } else { 1 };
        let batches = Batches::of(kind, choice.batch, depth);
        let mut buffers = Buffers::new(depth as usize, workload.buffer_bytes().max(1) as usize)
            .map_err(|error| Statement::verbatim(error.to_string()))?;
        let span = self.span(parts).map_err(Statement::verbatim)?;
        let setup = Setup {
            files: &files.open,
            end_bytes: span.start + span.len,
            buffers: buffers.region(),
            depth,
            batch: batches.most(),
            choice,
            live_files: self.assignment.live_files,
            trims: trims(workload),
            flush_metadata: workload.flush_metadata,
            remote: self.remote(parts.first()),
        };
        let Opened {
            engine,
            connection,
            active,
            refused,
        } = kind.start(setup)?;
        let worker = (self.job, self.worker);
        let engine = logged(engine, self.assignment.job, parts, worker, self.clock)?;
        let offsets = self.offsets(parts).map_err(Statement::verbatim)?;
        // Where nothing is stored, every worker uses the entire range.
        let layout = parts.first().map_or(Layout::Stream, |_| workload.layout);
        let pass_bytes = workload.passes.zip(offsets.as_ref());
        let pass_bytes =
            pass_bytes.map(|(passes, offsets)| self.pass_bytes(offsets, passes, layout));
        // Each worker of several on one file counts as much as all of it, as each process of fio goes over all of it.
        let of_pass = |offsets| self.pass_bytes(offsets, 1, Layout::Own);
        let one_pass = offsets.as_ref().map(of_pass);
        let feed = self.feed(parts, offsets, depth, &mut buffers);
        let mut feed = feed.map_err(Statement::verbatim)?;
        if workload.cold_passes {
            let one_pass = one_pass.unwrap_or(0);
            let passes = ColdPasses::of(&files.open, parts, one_pass);
            feed.pass_cold(passes.map_err(|error| Statement::verbatim(error.to_string()))?);
        }
        let checking_cpus = self.checking_cpus()?;
        let each = stamps_each(choice, depth, kind.asynchronous);
        let (size_bytes, target) = extent(self.assignment);
        let direct = (files.direct == Some(true)).then(|| active::DIRECT.into());
        let record = EngineRecord {
            name: kind.name.into(),
            active: active.into_iter().chain(direct).collect(),
            refused: not_had(refusals, refused, &files),
            stamping: if each { "each" } else { "batch" }.into(),
            batch: batches.most(),
            clock: self.clock.source().into(),
            target,
            size_bytes,
            direct: files.direct,
            connection,
        };
        // The crew may have given up already because of another worker; the start then never comes.
        let _ = self.ready.send(Ok(record));
        let Ok(timeline) = self.go.recv() else {
            return Ok(());
        };
        let mut task = self.task(timeline, each, batches, kind);
        task.files = files.open.len().max(1) as u32;
        // Only one of them is there: bytes and passes contradict each other.
        task.bytes_max = task.bytes_max.or(pass_bytes);
        let threads = workload.verify_threads;
        let Some(judge) = feed.judge().filter(|_| threads > 0) else {
            Worker::new(task, engine, &mut buffers, feed, depth).work();
            return Ok(());
        };
        std::thread::scope(|scope| {
            feed.check_by(Checkers::start(scope, threads, &checking_cpus, judge));
            Worker::new(task, engine, &mut buffers, feed, depth).work();
        });
        Ok(())
    }

    /// CPUs of the threads that check blocks; empty: any.
    fn checking_cpus(&self) -> Result<Vec<u32>, Statement> {
        let Pin::Cpus(cpus) = &self.assignment.job.workload.verify_pin else {
            return Ok(Vec::new());
        };
        let allowed = system::allowed_cpus();
        if cpus.iter().any(|cpu| allowed.contains(cpu)) {
            return Ok(cpus.clone());
        }
        Err(Statement::new("worker-cannot-be-pinned")
            .name("worker", self.worker.to_string())
            .name("cpus", format!("{cpus:?}"))
            .name("error", "none of them is allowed to this process"))
    }

    /// What the engine of a share or peer needs; `None` for local targets.
    fn remote<'b>(&'b self, part: Option<&'b SiteFile>) -> Option<RemoteSetup<'b>> {
        let job = self.assignment.job;
        let jobs = self.assignments.iter().map(|assignment| assignment.job);
        Some(RemoteSetup {
            remote: job.target.remote()?,
            secret: self.assignment.site.and_then(Site::secret),
            file: part,
            worker: self.worker,
            workload: &job.workload,
            meeting: &self.meeting,
            jobs: jobs.collect(),
            step_meeting: &self.step_meeting,
            journal: self.journal(),
            stop: self
                .assignment
                .site
                .map(|site| site.stop().clone())
                .unwrap_or_default(),
        })
    }

    /// Where the engine reports what happens to it.
    fn journal(&self) -> Journal {
        let (job, worker, reports) = (self.job, self.worker, self.reports.clone());
        Journal::new(move |entry| {
            // The crew outlives its workers; a closed channel would mean that nobody wants the report.
            let _ = reports.send((job, Report::Journal { worker, entry }));
        })
    }

    fn open_files(&self, kind: &EngineKind, parts: &[SiteFile]) -> Result<Files, String> {
        let mut files = Files {
            open: Vec::new(),
            direct: None,
            refused: None,
        };
        let parts = parts.iter().filter(|_| kind.does_work && kind.is_local());
        for part in parts {
            let (file, opened) = self.open_one(kind, part)?;
            files.open.push(file);
            // Of several files all must have it.
            files.direct = match files.direct {
                Some(false) => Some(false),
                _ => opened.direct,
            };
            files.refused = files.refused.or(opened.refused);
        }
        Ok(files)
    }

    /// One file, and what became of O_DIRECT.
    fn open_one(&self, kind: &EngineKind, part: &SiteFile) -> Result<(OpenFile, Bypass), String> {
        let workload = &self.assignment.job.workload;
        let write = workload.modifies_blocks();
        let direct = if kind.maps_files && workload.direct == Direct::Try {
            Direct::No
        } else {
            workload.direct
        };
        let access = Access {
            direct,
            sync: workload.sync,
            read: workload.reads_blocks() || !write,
            write,
            block_bytes: workload.unit_bytes(),
            hint: workload.access_hint,
        };
        // A mapping and a probing read need a readable descriptor; not every target that is written grants one.
        let readable = Access {
            read: true,
            ..access
        };
        let (opened, readable) = match open_file(part, &readable) {
            Ok(opened) => (opened, true),
            Err(_) if !access.read => (
                open_file(part, &access).map_err(|error| error.to_string())?,
                false,
            ),
            Err(error) => return Err(error.to_string()),
        };
        let file = OpenFile {
            file: opened.file,
            path: part.path.clone(),
            end_bytes: part.start + part.len,
            readable,
            writable: write,
            direct: opened.direct == Some(true),
            block_device: part.kind == SiteKind::BlockDevice,
            hint: workload.access_hint,
        };
        let kept = Bypass {
            direct: opened.direct,
            refused: opened.refused,
        };
        Ok((file, kept))
    }

    fn feed(
        &self,
        parts: &[SiteFile],
        offsets: Option<OffsetSequence>,
        depth: u32,
        buffers: &mut Buffers,
    ) -> Result<Feed<'a>, String> {
        let assignment = self.assignment;
        let (workload, seed) = (&assignment.job.workload, assignment.seed);
        let walked = offsets.as_ref().filter(|_| workload.written_only);
        let of_pass = |offsets| self.pass_bytes(offsets, 1, workload.layout);
        let written_within_bytes = walked.map(of_pass);
        let pass_bytes = offsets.as_ref().map_or(0, of_pass);
        let sequence = match &self.replay {
            Some(log) => Some(Sequence::Replay(ReplaySequence::new(
                log.clone(),
                self.span(parts)?,
            )?)),
            None => AccessSequence::new(
                workload,
                self.span(parts)?,
                workload.part_of(self.worker),
                workload.all_workers(),
                seed,
            )?
            .map(Sequence::Access),
        };
        let sequence = match (parts, sequence) {
            ([] | [_], sequence) => sequence,
            (_, Some(Sequence::Access(access))) => {
                Some(Sequence::Spread(self.spread(parts), Some(access)))
            }
            (_, None) => Some(Sequence::Spread(self.spread(parts), None)),
            (_, sequence) => sequence,
        };
        Feed::new(FeedParts {
            workload,
            kinds: KindSequence::new(workload, seed, workload.number_of(self.worker))?,
            offsets,
            sequence,
            content: self.content(depth, buffers)?,
            live_files: assignment.live_files,
            verifier: assignment.verifier,
            written_within_bytes,
            pass_bytes,
            file: parts.first().map_or(0, |part| part.index),
            worker: workload.part_of(self.worker),
            depth,
            seed,
        })
    }

    /// What fills the buffers of writes; `None` when nothing is written, the verifier does it, or filling them once, now, is enough.
    fn content(&self, depth: u32, buffers: &mut Buffers) -> Result<Option<ContentSource>, String> {
        let workload = &self.assignment.job.workload;
        let does =
            |kinds: &[OperationKind]| workload.mix.0.iter().any(|(kind, _)| kinds.contains(kind));
        let messages = does(&[OperationKind::Send, OperationKind::PingPong]);
        if self.assignment.verifier.is_some()
            || !(messages || does(&[OperationKind::Write, OperationKind::Create]))
        {
            return Ok(None);
        }
        let mut content = ContentSource::new(
            workload,
            self.assignment.seed,
            workload.number_of(self.worker),
        )?;
        if workload.content == Content::Scrambled {
            content.differ(RandomState::new().hash_one(self.worker));
        }
        let reads = workload.reads_blocks() || does(&[OperationKind::ReadFile]);
        let once = match workload.content {
            // What a message holds is of no account to a network that does not compress.
            _ if messages => true,
            Content::Reused => true,
            // What is read into a buffer must not be written back as zeros.
            Content::Zeros => !reads,
            Content::Random | Content::Scrambled | Content::Pattern(_) => false,
        };
        // What is read into a buffer may be anything, and is not to be written back.
        let scrambles = workload.content == Content::Scrambled && !reads;
        if once || scrambles {
            (0..depth).for_each(|slot| content.fill(buffers.slot(slot), 0));
        }
        if scrambles {
            content.scramble();
        }
        Ok((!once).then_some(content))
    }

    fn task(
        &self,
        timeline: Timeline,
        stamp_each: bool,
        batches: Batches,
        kind: &EngineKind,
    ) -> Task<'a> {
        let (workload, worker) = (&self.assignment.job.workload, self.worker);
        let number = workload.number_of(worker);
        let workers = u64::from(workload.all_workers());
        // Shares of a total: the first workers take the rest of the division.
        let share = |total: u64| total / workers + u64::from(u64::from(number) < total % workers);
        Task {
            worker,
            files: 1,
            workload,
            timeline,
            clock: self.clock,
            stop: self.signals.stop,
            enough: self.signals.enough,
            operations_max: workload.operations.map(share),
            bytes_max: workload.bytes.map(|bytes| {
                // Whole blocks, so that the shares add up to the requested size, not to a block more per worker.
                let block = workload.smallest_block_bytes().max(1);
                share(bytes.0.div_ceil(block)).saturating_mul(block)
            }),
            stamp_each,
            splits: kind.submits_apart && self.assignment.job.engine.submission_latency,
            batches,
            reap: self.assignment.job.engine.reap,
            asynchronous: kind.asynchronous,
            schedule: self.schedule(timeline.start_ns),
            limits: Limits::new(
                workload,
                self.signals.flows,
                number,
                timeline.start_ns,
                self.assignment.seed,
            ),
            reports: self.reports.clone(),
            job: self.job,
            spare: self.spare.clone(),
            log: self
                .filled
                .clone()
                .map(|filled| OperationLog::new(self.job, worker, filled)),
            urgent: Urgent::of(workload, self.assignment.seed, worker),
        }
    }

    /// When operations are due; `None` in a closed loop.
    fn schedule(&self, start_ns: u64) -> Option<Schedule> {
        let workload = &self.assignment.job.workload;
        let recorded = Recording::of(workload, self.replay.as_ref())
            .map(|recording| Schedule::recorded(recording, start_ns));
        let drawn = |rate| {
            Schedule::new(
                workload.arrivals,
                rate,
                start_ns,
                workload.number_of(self.worker),
                workload.all_workers(),
                self.assignment.seed,
            )
        };
        recorded.or_else(|| workload.rate.map(drawn))
    }
}
