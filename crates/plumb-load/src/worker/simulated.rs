//! What would a step record if each operation took a known time? The worker's own loop against a simulated engine on a virtual clock, for tests.
//!
//! Built for the tests of this crate and, with the feature `simulated`, for those of others; never part of what ships.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crossbeam_channel::unbounded;
use plumb_model::run::tick::Tick;
use plumb_model::workload::Workload;

use crate::clock::Clock;
use crate::crew::merge::Merge;
use crate::engine::buffers::Buffers;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::urgent::Urgent;
use crate::engine::{Closing, Engine, Wait};
use crate::feed::arrivals::Schedule;
use crate::feed::offsets::{KindSequence, OffsetSequence, Span};
use crate::feed::replay::{Recording, ReplayLog, ReplaySequence};
use crate::feed::{Feed, FeedParts, Sequence};
use crate::worker::batches::Batches;
use crate::worker::limits::{FlowGroups, Limits};
use crate::worker::tick_buffer::TickBuffer;
use crate::worker::{Report, Stopped, Task, Timeline, Worker};

/// When a simulated step begins on its clock.
pub const START_NS: u64 = 1_000_000;

/// Completes operations after a drawn service time of virtual time; up to `servers` at once, the others wait in its queue.
struct Simulated {
    clock: Clock,
    service: Box<dyn FnMut() -> u64>,
    acceptance_ns: u64,
    /// When each server is free again.
    servers: BinaryHeap<Reverse<u64>>,
    /// Completions to come, the earliest first.
    coming: BinaryHeap<Reverse<(u64, u32, Outcome)>>,
    stall: (u64, u64),
    begins_ns: u64,
    outcome_of: fn(&Op) -> Outcome,
    submitted: Submitted,
}

/// Operations in the order in which they were submitted, each with its time.
type Submitted = Rc<RefCell<Vec<(u64, Op)>>>;

impl Engine for Simulated {
    fn has_begun(&mut self) -> bool {
        // The simulated clock advances with each reading.
        let has_begun = self.begins_ns == 0 || self.clock.now_ns() >= self.begins_ns;
        if !has_begun {
            self.clock.pass(100_000_000);
        }
        has_begun
    }

    fn submit(&mut self, ops: &[Op], _: &mut Vec<Done>) -> io::Result<()> {
        let now = self.clock.now_ns();
        for op in ops {
            let Reverse(free) = self
                .servers
                .pop()
                .ok_or_else(|| io::Error::other("a simulated engine without servers"))?;
            let mut end = now.max(free) + (self.service)();
            if (self.stall.0..self.stall.1).contains(&end) {
                end = self.stall.1;
            }
            self.servers.push(Reverse(end));
            self.coming
                .push(Reverse((end, op.slot, (self.outcome_of)(op))));
            self.submitted.borrow_mut().push((now, *op));
        }
        self.clock.pass(self.acceptance_ns);
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let now = self.clock.now_ns();
        let first = self.coming.peek().map_or(u64::MAX, |next| next.0.0);
        match wait {
            Wait::No => {}
            Wait::One => self.clock.pass(first.saturating_sub(now)),
            Wait::AtMost(ns) => self.clock.pass(first.saturating_sub(now).min(ns)),
        }
        let now = self.clock.now_ns();
        while let Some(next) = self.coming.peek().filter(|next| next.0.0 <= now) {
            done.push(Done {
                slot: next.0.1,
                outcome: next.0.2,
            });
            self.coming.pop();
        }
        Ok(())
    }

    fn close(&mut self) -> Closing {
        Closing::default()
    }
}

/// One step of one worker against a simulated engine.
pub struct Simulation {
    pub workload: Workload,
    /// Service time of the next operation, nanoseconds.
    pub service: Box<dyn FnMut() -> u64>,
    /// How long a submission takes, nanoseconds; 0: that is not measured.
    pub acceptance_ns: u64,
    /// Operations that are served at once.
    pub servers: usize,
    /// (from, to) on the step's clock: nothing completes in between.
    pub stall: (u64, u64),
    /// When the other end begins, on the step's clock.
    pub begins_ns: u64,
    /// What comes of an operation.
    pub outcome_of: fn(&Op) -> Outcome,
    /// Tickets of a shared stream that this worker has drawn.
    pub stream: Arc<AtomicU64>,
}

impl Simulation {
    /// Every operation takes 0.1 ms and succeeds.
    pub fn of(workload: Workload) -> Simulation {
        Simulation {
            workload,
            service: Box::new(|| 100_000),
            acceptance_ns: 0,
            servers: 1000,
            stall: (u64::MAX, u64::MAX),
            begins_ns: 0,
            outcome_of: |op| Outcome::moved(op.len),
            stream: Arc::default(),
        }
    }

    /// Runs it to its end, on this thread; no real time passes.
    ///
    /// # Errors
    /// If the workload has no sequence of kinds or offsets.
    pub fn run(self) -> Result<SimulatedStep, String> {
        let clock = Clock::simulated();
        let (workload, depth) = (&self.workload, self.workload.depth);
        let replay = ReplayLog::load(workload)?;
        let recording = Recording::of(workload, replay.as_ref());
        let submitted = Submitted::default();
        let (reports, incoming) = unbounded();
        let (_recycle, spare) = unbounded();
        let task = Task {
            files: 1,
            worker: 0,
            workload,
            timeline: Timeline {
                start_ns: START_NS,
                warm_up_ns: workload.warm_up.0,
                time_ns: workload.time.map(|time| time.0),
                interval_ns: workload.interval.0,
            },
            clock,
            stop: &AtomicBool::new(false),
            enough: &AtomicBool::new(false),
            operations_max: workload.operations,
            bytes_max: workload.bytes.map(|bytes| bytes.0),
            stamp_each: true,
            splits: self.acceptance_ns > 0,
            batches: Batches::by_depth(depth, 16),
            reap: 0,
            asynchronous: true,
            schedule: recording
                .map(|recording| Schedule::recorded(recording, START_NS))
                .or_else(|| {
                    workload
                        .rate
                        .map(|rate| Schedule::new(workload.arrivals, rate, START_NS, 0, 1, 7))
                }),
            limits: Limits::new(workload, &FlowGroups::default(), 0, START_NS, 7),
            reports,
            job: 0,
            spare,
            log: None,
            urgent: Urgent::of(workload, 7, 0),
        };
        let engine = Simulated {
            clock,
            service: self.service,
            acceptance_ns: self.acceptance_ns,
            servers: vec![Reverse(0); self.servers].into(),
            coming: BinaryHeap::new(),
            stall: self.stall,
            begins_ns: self.begins_ns,
            outcome_of: self.outcome_of,
            submitted: submitted.clone(),
        };
        let feed = feed(workload, replay, self.stream)?;
        let mut buffers = Buffers::new(1, 4096).map_err(|error| error.to_string())?;
        Worker::new(task, Box::new(engine), &mut buffers, feed, depth).work();
        let mut step = SimulatedStep {
            ticks: Vec::new(),
            stopped: Stopped::Signal,
            submitted: submitted.take(),
        };
        for (_, report) in incoming.try_iter() {
            match report {
                Report::Journal { .. } => {}
                Report::Tick { tick, .. } => step.ticks.push(*tick),
                Report::Ended(ended) => step.stopped = ended.stopped,
                Report::FirstError { .. } | Report::Mismatch { .. } => {}
            }
        }
        Ok(step)
    }
}

/// The operations of the only worker, on a gigabyte.
fn feed(
    workload: &Workload,
    replay: Option<Arc<ReplayLog>>,
    stream: Arc<AtomicU64>,
) -> Result<Feed<'_>, String> {
    let span = Span {
        start: 0,
        len: 1 << 30,
    };
    let is_replay = replay.is_some();
    let offsets = || OffsetSequence::new(workload, span, 0, 1, 1, Some(stream));
    Feed::new(FeedParts {
        workload,
        kinds: KindSequence::new(workload, 1, 0)?,
        sequence: replay
            .map(|log| ReplaySequence::new(log, span))
            .transpose()?
            .map(Sequence::Replay),
        offsets: (!is_replay).then(offsets).transpose()?,
        content: None,
        live_files: None,
        verifier: None,
        written_within_bytes: None,
        pass_bytes: 0,
        file: 0,
        worker: 0,
        depth: workload.depth,
        seed: 1,
    })
}

/// What came out of a simulated step.
pub struct SimulatedStep {
    /// In the order in which the worker handed them over.
    pub ticks: Vec<TickBuffer>,
    pub stopped: Stopped,
    /// Operations in the order in which they were submitted, each with its time on the step's clock.
    pub submitted: Vec<(u64, Op)>,
}

impl SimulatedStep {
    /// The ticks as a run records them.
    pub fn recorded(&self, execution: u32) -> Vec<Tick> {
        let mut merge = Merge::new(execution, 0, 1);
        self.ticks.iter().for_each(|tick| merge.add(0, tick));
        merge.take(true)
    }
}
