//! How does one worker keep its engine fed? One loop: take free slots, fill operations, submit, reap, count.

mod batches;
mod ending;
mod held;
mod intervals;
mod judging;
mod least_rate;
mod level_counts;
pub mod limits;
pub mod operation_log;
mod overlap;
mod pacing;
mod part;
mod priority;
mod read_ahead;
mod report;
pub mod setup;
#[cfg(any(test, feature = "simulated"))]
pub mod simulated;
mod stamps;
#[cfg(test)]
mod tests;
pub mod tick_buffer;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use crossbeam_channel::{Receiver, Sender};
use plumb_model::run::operation::LoggedOperation;
use plumb_model::run::tick::Phase;
use plumb_model::statement::Statement;
use plumb_model::workload::{Layout, OperationKind, Workload};

use crate::clock::Clock;
use crate::engine::buffers::Buffers;
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::urgent::Urgent;
use crate::engine::{Engine, Wait};
use crate::feed::Feed;
use crate::feed::arrivals::Schedule;
use crate::system::{self, ThreadAccount};
use crate::worker::batches::Batches;
use crate::worker::held::Held;
use crate::worker::least_rate::LeastRate;
use crate::worker::level_counts::LevelCounts;
use crate::worker::limits::Limits;
use crate::worker::operation_log::OperationLog;
use crate::worker::read_ahead::ReadAhead;
pub use crate::worker::report::{Ended, Reads, Report, Stopped};
use crate::worker::tick_buffer::TickBuffer;

/// Operations drawn at once.
const DRAWN_AHEAD: u32 = 16;

/// When the phases of a step begin and end, in nanoseconds since the run's start. The same for all workers.
#[derive(Debug, Clone, Copy)]
pub struct Timeline {
    pub start_ns: u64,
    pub warm_up_ns: u64,
    /// Length of the measuring; missing: until operations or bytes are used up.
    pub time_ns: Option<u64>,
    pub interval_ns: u64,
}

/// What one worker is to do.
pub struct Task<'a> {
    pub worker: u32,
    /// Open files, of which all are flushed at the end.
    pub files: u32,
    pub workload: &'a Workload,
    pub timeline: Timeline,
    pub clock: Clock,
    /// The run is to stop.
    pub stop: &'a AtomicBool,
    /// Of a job beside the main one: that has ended. Of the main job: its figures are steady.
    pub enough: &'a AtomicBool,
    /// Operations and bytes that this worker may use up while measuring.
    pub operations_max: Option<u64>,
    pub bytes_max: Option<u64>,
    /// One clock read per operation instead of one per batch.
    pub stamp_each: bool,
    /// The time of submissions is measured.
    pub splits: bool,
    pub batches: Batches,
    /// Completions taken at once, at most; 0: all.
    pub reap: u32,
    /// False: the engine does one operation at a time, within `submit`.
    pub asynchronous: bool,
    pub schedule: Option<Schedule>,
    pub limits: Limits,
    pub reports: Sender<(u32, Report)>,
    pub job: u32,
    pub spare: Receiver<Box<TickBuffer>>,
    /// Takes every operation (`log-each`).
    pub log: Option<OperationLog>,
    /// Operations with a priority of their own.
    pub urgent: Option<Urgent>,
}

/// One operation in flight, on a cache line of its own.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Slot {
    due_ns: u64,
    start_ns: u64,
    /// When the system had accepted it; `start_ns` where that is not measured.
    accepted_ns: u64,
    op: Op,
}

impl Slot {
    /// An operation that starts when it is due.
    #[inline(always)]
    fn of(op: Op, start_ns: u64) -> Slot {
        Slot {
            due_ns: start_ns,
            start_ns,
            accepted_ns: start_ns,
            op,
        }
    }
}

/// A worker at work.
pub struct Worker<'a> {
    task: Task<'a>,
    engine: Box<dyn Engine + 'a>,
    buffers: &'a mut Buffers,
    feed: Feed<'a>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Operations drawn ahead; those in `ahead` are still to be submitted.
    ops: Vec<Op>,
    ahead: Range<usize>,
    done: Vec<Done>,
    tick: Box<TickBuffer>,
    /// Place of each kind in the tick.
    index_of_kind: [u8; OperationKind::COUNT],
    in_flight: u32,
    /// Of the measuring so far. One operation at a time needs no counting.
    levels: LevelCounts,
    /// Operations that may still be submitted.
    operations_left: u64,
    bytes_left: u64,
    phase_start_ns: u64,
    /// The next moment at which an interval or phase ends.
    boundary_ns: u64,
    /// When to look at the time and the stop signals again: the boundary, or sooner.
    look_ns: u64,
    account: Option<ThreadAccount>,
    failures_in_a_row: u64,
    /// Mismatches reported in full so far.
    mismatches: u64,
    errors_seen: Vec<(OperationKind, Cow<'static, str>)>,
    reads: Reads,
    least_rate: LeastRate,
    stopped: Option<Stopped>,
    /// Slots that think: (when they are free again, slot), in order of time.
    thinking: VecDeque<(u64, u32)>,
    held: Held,
    burst_left: u64,
    /// Batches of a training reader; `burst_left` then counts the operations that may start before the next batch is begun.
    read_ahead: Option<ReadAhead>,
    pause_until_ns: u64,
    /// Parts of the times, or times by priority, are counted too: for each operation by itself.
    counts_apart: bool,
}

impl<'a> Worker<'a> {
    /// Puts a worker together; `depth` slots are free.
    pub fn new(
        task: Task<'a>,
        engine: Box<dyn Engine + 'a>,
        buffers: &'a mut Buffers,
        feed: Feed<'a>,
        depth: u32,
    ) -> Worker<'a> {
        let empty = Op {
            offset: 0,
            len: 0,
            slot: 0,
            file: 0,
            kind: OperationKind::Read,
            priority: 0,
        };
        let tick = Box::new(TickBuffer::new(task.workload, task.splits));
        let mut index_of_kind = [0; OperationKind::COUNT];
        for (index, kind) in tick.kinds.iter().enumerate() {
            index_of_kind[kind.kind as usize] = index as u8;
        }
        let burst_left = if task.workload.burst_operations > 0 {
            task.workload.burst_operations
        } else {
            u64::MAX
        };
        let (read_ahead, burst_left) = match ReadAhead::of(task.workload) {
            Some((ahead, operations)) => (Some(ahead), operations),
            None => (None, burst_left),
        };
        Worker {
            engine,
            buffers,
            feed,
            slots: vec![Slot::of(empty, 0); depth as usize],
            free: (0..depth).rev().collect(),
            ops: vec![empty; task.batches.most().max(DRAWN_AHEAD) as usize],
            ahead: 0..0,
            done: Vec::with_capacity(depth as usize),
            tick,
            index_of_kind,
            in_flight: 0,
            levels: LevelCounts::default(),
            operations_left: u64::MAX,
            bytes_left: u64::MAX,
            phase_start_ns: task.timeline.start_ns,
            boundary_ns: 0,
            look_ns: 0,
            account: None,
            failures_in_a_row: 0,
            mismatches: 0,
            errors_seen: Vec::new(),
            reads: Reads::default(),
            least_rate: LeastRate::default(),
            stopped: None,
            thinking: VecDeque::with_capacity(depth as usize),
            held: Held::new(task.reap),
            burst_left,
            read_ahead,
            pause_until_ns: 0,
            counts_apart: task.splits || task.urgent.is_some(),
            task,
        }
    }

    /// Works until the step ends, then reports the end. Everything in flight has come back by then.
    pub fn work(mut self) {
        system::sharpen_timers();
        let start = self.task.timeline.start_ns;
        while self.task.clock.now_ns() < start && self.stopped.is_none() {
            self.pause_towards(start);
            self.stopped = self.stop_cause().map(|why| {
                if why == Stopped::MainJob {
                    Stopped::BeforeTheStart
                } else {
                    why
                }
            });
        }
        let begun_ns = self.begun_by_both(start);
        if self.stopped.is_some() {
            self.engine.finish();
            return self.end(Ok(()));
        }
        self.account = system::thread_account();
        let first = if self.task.timeline.warm_up_ns > 0 {
            Phase::WarmUp
        } else {
            Phase::Measure
        };
        self.begin_phase(first, begun_ns, 0);
        let outcome = match self.task.log {
            None => self.load::<false>(),
            Some(_) => self.load::<true>(),
        };
        if outcome.is_err() || self.has_ended_within_an_interval() {
            // It ended between two looks at the time: what was counted since the last one is handed over here.
            self.hand_over(self.task.clock.now_ns());
        }
        let outcome = outcome.and_then(|()| self.flush_at_end());
        self.engine.finish();
        let outcome = outcome.and_then(|()| self.drain());
        self.await_checks();
        self.end(outcome);
    }

    /// The loop that fits the task. `LOGS`: every operation is logged.
    fn load<const LOGS: bool>(&mut self) -> io::Result<()> {
        match (self.is_paced(), self.task.stamp_each) {
            (false, _) if !self.task.asynchronous => self.one_at_a_time::<LOGS>(),
            (false, false) => self.closed_loop::<false, LOGS>(),
            (false, true) => self.closed_loop::<true, LOGS>(),
            (true, _) => self.paced_loop::<LOGS>(),
        }
    }

    /// True if several workers draw from one stream of offsets. They draw at need only: what one holds back, the others run ahead of, and the
    /// target sees as many streams as there are workers. Likewise operations on files, whose places depend on what exists at the moment of submission.
    fn draws_at_need(&self) -> bool {
        let workload = self.task.workload;
        workload.layout == Layout::Stream && workload.workers > 1
            || workload.has_file_operations()
            || workload.verify_backlog > 0
    }

    /// Closed loop of an engine that ends each operation within `submit`: no slots to keep, two clock reads for each operation.
    fn one_at_a_time<const LOGS: bool>(&mut self) -> io::Result<()> {
        let has_content = self.feed.has_content();
        let must_check = self.feed.must_check();
        while self.stopped.is_none() {
            if self.ahead.is_empty() {
                self.draw(if self.draws_at_need() { 1 } else { usize::MAX });
                if self.ahead.is_empty() {
                    self.turn(self.task.clock.now_ns(), true);
                    continue;
                }
            }
            let mut op = self.ops[self.ahead.start];
            self.ahead.start += 1;
            op.slot = 0;
            if has_content {
                self.feed.fill(&mut op, self.buffers);
            }
            let start_ns = self.task.clock.now_ns();
            self.engine
                .submit(std::slice::from_ref(&op), &mut self.done)?;
            let now = self.task.clock.now_ns();
            if now >= self.look_ns && self.tick.phase == Phase::WarmUp {
                self.leave_warm_up(now, 1);
            }
            let nothing = Outcome::failed(FailureKind::Other);
            let outcome = self.done.pop().map_or(nothing, |done| done.outcome);
            if !outcome.is_all_of(op.len) || must_check {
                let slot = Slot::of(op, start_ns);
                let is_counted = self.judge(&slot, now, outcome);
                self.log::<LOGS>(&slot, now, is_counted);
            } else {
                let service_ns = now.saturating_sub(start_ns);
                self.count(op.kind, u64::from(op.len), service_ns, service_ns, 1);
                if LOGS {
                    self.log::<LOGS>(&Slot::of(op, start_ns), now, true);
                }
            }
            if now >= self.look_ns {
                self.turn(now, false);
            }
        }
        Ok(())
    }

    /// Closed loop without pauses: as many operations in flight as there are slots.
    fn closed_loop<const EACH: bool, const LOGS: bool>(&mut self) -> io::Result<()> {
        while self.stopped.is_none() {
            let chosen = self.choose(self.free.len());
            if !chosen.is_empty() {
                self.levels.submit(chosen.len() as u32, self.in_flight);
                self.assign_slots(&chosen);
                self.stamp::<EACH>(&chosen);
                self.engine
                    .submit(&self.ops[chosen.clone()], &mut self.done)?;
                if self.task.splits {
                    self.stamp_accepted(&chosen);
                }
            }
            let is_full = self.free.is_empty() && !self.task.batches.has_grown();
            let wait = if is_full || chosen.is_empty() {
                Wait::One
            } else {
                Wait::No
            };
            let is_filling = wait == Wait::No && self.held.fills_first();
            let now = if is_filling && self.done.is_empty() {
                self.time()
            } else {
                self.reap::<EACH, LOGS>(wait)?
            };
            self.look_at_the_time(now);
        }
        Ok(())
    }

    /// Takes the next operations, at most `room` and a batch. They are drawn ahead, many at once: drawing one by one costs several times as
    /// much. Returns their indices in `ops`.
    #[inline(always)]
    fn choose(&mut self, room: usize) -> Range<usize> {
        let room = room.min(self.task.batches.next());
        if self.ahead.is_empty() {
            let at_need = self.draws_at_need();
            self.draw(if at_need { room } else { usize::MAX });
        }
        let taken = self.apart(self.ahead.len().min(room));
        let chosen = self.ahead.start..self.ahead.start + taken;
        self.ahead.start += taken;
        self.in_flight += taken as u32;
        chosen
    }

    /// Draws operations ahead, at most `max`, and charges them to the budget: a stream of offsets is used to its end, and nothing beyond
    /// it is drawn.
    #[inline(never)]
    fn draw(&mut self, max: usize) {
        if self.feed.owes_read_back() && self.feed.choose_read_back(&mut self.ops[0]) {
            self.ahead = 0..1;
            self.draw_priorities();
            return;
        }
        if self.bytes_left == 0 {
            self.ahead = 0..self.feed.choose_last(&mut self.ops[0]);
            self.draw_priorities();
            return;
        }
        let mut count_max = self
            .ops
            .len()
            .min(if self.feed.has_backlog() { 1 } else { max })
            .min(usize::try_from(self.operations_left).unwrap_or(usize::MAX));
        if self.bytes_left != u64::MAX {
            // Not more than the bytes are good for: what is drawn too much of a shared stream would be lost.
            let blocks = self
                .bytes_left
                .div_ceil(self.task.workload.smallest_block_bytes().max(1));
            count_max = count_max.min(usize::try_from(blocks).unwrap_or(usize::MAX));
        }
        let mut drawn = self.feed.choose(&mut self.ops[..count_max]);
        if self.feed.is_exhausted() && drawn == 0 {
            self.operations_left = 0;
            if let Some(failure) = self.feed.failure() {
                self.stopped = Some(Stopped::Error(Statement::verbatim(failure.to_string())));
            }
        }
        if self.bytes_left != u64::MAX {
            let before = std::mem::take(&mut drawn);
            for op in &self.ops[..before] {
                if self.bytes_left > 0 {
                    self.bytes_left = self.bytes_left.saturating_sub(u64::from(op.len));
                    drawn += 1;
                }
            }
        }
        if self.operations_left != u64::MAX {
            self.operations_left -= (drawn as u64).min(self.operations_left);
        }
        self.ahead = 0..drawn;
        self.draw_priorities();
    }

    fn draw_priorities(&mut self) {
        if let Some(urgent) = &mut self.task.urgent {
            for op in &mut self.ops[self.ahead.clone()] {
                op.priority = urgent.next(op.kind, op.len);
            }
        }
    }

    /// Gives each operation a slot, the most recently used first: its buffer is still in the cache. Fills buffers of writes.
    #[inline(always)]
    fn assign_slots(&mut self, chosen: &Range<usize>) {
        let ops = &mut self.ops[chosen.clone()];
        // `choose` never takes more than there are free slots.
        let left = self.free.len() - ops.len();
        for (op, slot) in ops.iter_mut().zip(self.free[left..].iter().rev()) {
            op.slot = *slot;
        }
        self.free.truncate(left);
        if self.feed.has_content() {
            for op in ops {
                self.feed.fill(op, self.buffers);
            }
        }
    }

    /// Takes what is done and counts it. Returns the time.
    #[inline(always)]
    fn reap<const EACH: bool, const LOGS: bool>(&mut self, wait: Wait) -> io::Result<u64> {
        // What `submit` has brought back already is looked at first; nothing else may be in flight.
        if self.in_flight as usize > self.done.len() {
            let is_none_there = self.done.is_empty() && self.held.is_empty();
            let wait = if is_none_there { wait } else { Wait::No };
            self.engine.reap(wait, &mut self.done)?;
            self.held.limit(&mut self.done);
        }
        let is_all = self.done.len() == self.in_flight as usize;
        self.task.batches.follow(wait == Wait::No && is_all);
        let mut now = self.time();
        let (mut index, count) = (0, self.done.len());
        if count > 0 {
            self.levels.complete(count as u32);
        }
        let must_check = self.feed.must_check();
        while index < count {
            let done = self.done[index];
            if EACH && index > 0 {
                now = self.task.clock.now_ns();
            }
            index += 1;
            let slot = self.slots[done.slot as usize];
            if !done.outcome.is_all_of(slot.op.len) || must_check {
                let is_counted = self.judge(&slot, now, done.outcome);
                self.log::<LOGS>(&slot, now, is_counted);
                continue;
            }
            let mut alike = 1;
            if !EACH && !LOGS && !self.counts_apart {
                let rest = self.done[index..].iter();
                alike += rest.take_while(|done| self.is_alike(done, &slot)).count();
                index += alike - 1;
            }
            self.count(
                slot.op.kind,
                u64::from(slot.op.len),
                now.saturating_sub(slot.start_ns),
                now.saturating_sub(slot.due_ns),
                alike as u64,
            );
            if self.counts_apart {
                self.count_parts(&slot, now);
                self.count_priority(&slot, now);
            }
            self.log::<LOGS>(&slot, now, true);
        }
        self.free_slots(now);
        Ok(now)
    }

    /// Gives back the slots of all operations that are done.
    #[inline(always)]
    fn free_slots(&mut self, now: u64) {
        let think_ns = self.task.workload.think_time.0;
        if think_ns > 0 {
            self.thinking
                .extend(self.done.iter().map(|done| (now + think_ns, done.slot)));
        } else {
            self.free.extend(self.done.iter().map(|done| done.slot));
        }
        self.in_flight -= self.done.len() as u32;
        self.done.clear();
    }

    /// Counts `n` equal successes of `bytes` each.
    #[inline(always)]
    fn count(
        &mut self,
        kind: OperationKind,
        bytes: u64,
        service_ns: u64,
        response_ns: u64,
        n: u64,
    ) {
        let kind = &mut self.tick.kinds[usize::from(self.index_of_kind[kind as usize])];
        kind.bytes += bytes * n;
        kind.service.record_n(service_ns, n);
        if let Some(response) = &mut kind.response {
            response.record_n(response_ns, n);
        }
        self.failures_in_a_row = 0;
    }

    /// Logs one operation, if each is logged.
    #[inline(always)]
    fn log<const LOGS: bool>(&mut self, slot: &Slot, now: u64, is_counted: bool) {
        if LOGS && let Some(log) = &mut self.task.log {
            let operation = LoggedOperation {
                completed_ns: now,
                submitted_ns: slot.start_ns,
                due_ns: slot.due_ns,
                accepted_ns: slot.accepted_ns,
                offset: slot.op.offset,
                bytes: slot.op.len,
                file: slot.op.file,
                kind: slot.op.kind,
                phase: self.tick.phase,
                is_failed: !is_counted,
            };
            log.add(operation, self.task.clock);
        }
    }

    fn report(&self, report: Report) {
        let _ = self.task.reports.send((self.task.job, report));
    }
}
