//! When does an interval, a phase or the step end for a worker? Whoever looks at the time, looks here.

use std::sync::atomic::Ordering;

use plumb_model::run::tick::Phase;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use super::level_counts::LevelCounts;
use super::{Report, Stopped, Worker};
use crate::system::{self, ThreadAccount};
use crate::worker::tick_buffer::TickBuffer;

/// A stop is seen after this time at the latest.
const LOOK_NS: u64 = 20_000_000;
/// Rates are not judged before (fio's settle period).
const SETTLING_NS: u64 = 2_000_000_000;
/// The other end is waited for as long as the measuring is to last, and at least for this.
const BEGIN_NS_MIN: u64 = 10_000_000_000;

impl Worker<'_> {
    /// Ends intervals and phases at their time, and the step when all is done or a stop is requested.
    #[inline(always)]
    pub(super) fn look_at_the_time(&mut self, now: u64) {
        let used_up = self.in_flight == 0 && self.is_budget_used_up();
        if now >= self.look_ns || used_up {
            self.turn(now, used_up);
        }
    }

    /// Nothing more is to be submitted.
    #[inline(always)]
    pub(super) fn is_budget_used_up(&self) -> bool {
        let is_used_up =
            self.operations_left == 0 || self.bytes_left == 0 && !self.feed.owes_last();
        is_used_up && self.ahead.is_empty() && !self.feed.owes_read_back()
    }

    #[cold]
    pub(super) fn turn(&mut self, now: u64, used_up: bool) {
        let timeline = self.task.timeline;
        if self.tick.phase == Phase::WarmUp {
            self.leave_warm_up(now, self.in_flight);
        }
        let is_over =
            |ns: u64| self.tick.phase == Phase::Measure && now >= self.phase_start_ns + ns;
        let done = match used_up {
            true => Some(self.used_up_by()),
            false => timeline
                .time_ns
                .is_some_and(is_over)
                .then_some(Stopped::Time),
        };
        let breach = self.breach(now);
        let stopped = self.stop_cause().or(breach).or(done);
        if stopped.is_some() {
            // Operations were submitted until now, so the last interval lasts until now.
            self.count_waiting(now);
            self.hand_over(now);
            self.stopped = self.stopped.take().or(stopped);
        } else if now >= self.boundary_ns {
            // A stall may have swallowed several intervals: the tick then spans them all.
            let passed = (now - self.phase_start_ns) / timeline.interval_ns;
            self.hand_over(self.phase_start_ns + passed * timeline.interval_ns);
            self.tick.index = passed;
            self.set_boundary();
        }
        self.look_ns = self.boundary_ns.min(now + LOOK_NS);
    }

    /// What the figures of this interval end the step with: an operation that took too long, or too few of them.
    fn breach(&mut self, now: u64) -> Option<Stopped> {
        let workload = self.task.workload;
        if let Some(limit) = workload.max_latency {
            let longest = self.tick.kinds.iter();
            let longest = longest.filter_map(|kind| Some((kind.kind, kind.service.max_ns()?)));
            if let Some((kind, took)) = longest.max_by_key(|(_, ns)| *ns)
                && took > limit.0
            {
                let reason = Statement::new("operation-took-too-long")
                    .name("kind", kind.word())
                    .time_ns("took", took as f64)
                    .time_ns("limit", limit.0 as f64);
                return Some(Stopped::Error(reason));
            }
        }
        let interval_ns = self.task.timeline.interval_ns;
        let is_whole = now >= self.boundary_ns && now >= self.tick.start_ns + interval_ns;
        let is_settled = self.tick.start_ns >= self.phase_start_ns + SETTLING_NS;
        if !is_whole || !is_settled || self.tick.phase != Phase::Measure {
            return None;
        }
        let slow = self.least_rate.judge(workload, &self.tick, now);
        slow.map(Stopped::Error)
    }

    /// The measuring begins when the warm-up was to end, for all workers at the same time, also for one that hung in an operation meanwhile: this operation,
    /// one of `in_flight`, ends within the measuring and counts there, and the interval lasts as long as it hung.
    #[cold]
    pub(super) fn leave_warm_up(&mut self, now: u64, in_flight: u32) {
        let end_ns = self.phase_start_ns + self.task.timeline.warm_up_ns;
        if now >= end_ns {
            self.hand_over(end_ns);
            self.begin_phase(Phase::Measure, end_ns, in_flight);
        }
    }

    /// What ends the step from outside of the worker, if it does.
    pub(super) fn stop_cause(&self) -> Option<Stopped> {
        let enough = || self.task.enough.load(Ordering::Relaxed);
        match self.task.job {
            _ if self.task.stop.load(Ordering::Relaxed) => Some(Stopped::Signal),
            0 => enough().then_some(Stopped::Steady),
            _ => enough().then_some(Stopped::MainJob),
        }
    }

    pub(super) fn used_up_by(&self) -> Stopped {
        if self.feed.is_exhausted() {
            Stopped::EndOfFiles
        } else if self.operations_left == 0 && self.task.operations_max.is_some() {
            Stopped::Operations
        } else {
            Stopped::Bytes
        }
    }

    /// When the load of this worker begins. A worker alone that was woken late counts from then on: a pass over a small file takes less time than a late
    /// wake-up. Several share their intervals, and what is due by a schedule was due at the common start.
    fn begun_ns(&self, start_ns: u64) -> u64 {
        if self.task.schedule.is_some() || self.task.workload.workers > 1 {
            start_ns
        } else {
            self.task.clock.now_ns().max(start_ns)
        }
    }

    /// When the load begins, as soon as the other end has begun too.
    pub(super) fn begun_by_both(&mut self, start_ns: u64) -> u64 {
        let mut has_waited = false;
        while self.stopped.is_none() && !self.engine.has_begun() {
            has_waited = true;
            self.stopped = self.stop_cause();
            let waited_ns = self.task.clock.now_ns().saturating_sub(start_ns);
            if let Some(time_ns) = self.task.timeline.time_ns
                && waited_ns >= time_ns.max(BEGIN_NS_MIN)
            {
                let why =
                    Statement::new("other-end-has-not-begun").time_ns("time", waited_ns as f64);
                self.stopped.get_or_insert(Stopped::Error(why));
            }
        }
        if !has_waited {
            return self.begun_ns(start_ns);
        }
        let now = self.task.clock.now_ns();
        if let Some(schedule) = &mut self.task.schedule {
            schedule.delay(now.saturating_sub(start_ns));
        }
        now
    }

    pub(super) fn begin_phase(&mut self, phase: Phase, start_ns: u64, in_flight: u32) {
        self.phase_start_ns = start_ns;
        (self.tick.phase, self.tick.index, self.tick.start_ns) = (phase, 0, start_ns);
        if phase == Phase::Measure {
            self.levels = LevelCounts::default();
            // What the warm-up left in flight will complete, and count, within the measuring; what it drew ahead comes next.
            let max = self
                .task
                .operations_max
                .unwrap_or(u64::MAX)
                .saturating_sub(u64::from(in_flight));
            let within = self
                .ahead
                .len()
                .min(usize::try_from(max).unwrap_or(usize::MAX));
            self.ahead.end = self.ahead.start + within;
            self.operations_left = if max == u64::MAX {
                max
            } else {
                max - self.ahead.len() as u64
            };
            self.bytes_left = self.task.bytes_max.unwrap_or(u64::MAX);
        }
        self.set_boundary();
    }

    pub(super) fn set_boundary(&mut self) {
        let timeline = self.task.timeline;
        let phase_ns = match self.tick.phase {
            Phase::WarmUp => Some(timeline.warm_up_ns),
            Phase::Measure => timeline.time_ns,
            Phase::Drain => None,
        };
        let interval_end = self.phase_start_ns + (self.tick.index + 1) * timeline.interval_ns;
        self.boundary_ns = phase_ns.map_or(interval_end, |ns| {
            interval_end.min(self.phase_start_ns + ns)
        });
        self.look_ns = 0;
    }

    /// Open loop: operations that were due before `end_ns` and not yet submitted.
    fn backlog(&self, end_ns: u64) -> Option<u64> {
        let schedule = self
            .task
            .schedule
            .as_ref()
            .filter(|_| self.tick.phase != Phase::Drain)?;
        Some(
            schedule
                .backlog(self.last_due_ns(end_ns))
                .min(self.room_left()),
        )
    }

    /// The last moment at which an operation can be due that is requested by `end_ns`: what is due at the end of the requested time, or after it, is not; due
    /// times
    /// are rounded to 1 ns.
    fn last_due_ns(&self, end_ns: u64) -> u64 {
        let asked_ns = self
            .task
            .timeline
            .time_ns
            .filter(|_| self.tick.phase == Phase::Measure);
        asked_ns
            .map_or(end_ns, |ns| end_ns.min(self.phase_start_ns + ns))
            .saturating_sub(2)
    }

    /// Operations that may still be submitted.
    fn room_left(&self) -> u64 {
        let drawn = self.ahead.len() as u64;
        if self.bytes_left == 0 {
            drawn
        } else {
            self.operations_left.saturating_add(drawn)
        }
    }

    /// Open loop, at the end of the step: operations that were due and were never submitted have waited until now. They count in the response times with
    /// that, which is less than they would have taken: left out, a stall at the end would be hidden. They are of the kinds of the mix in its proportions.
    fn count_waiting(&mut self, now: u64) {
        let (last_due_ns, mut room_left) = (self.last_due_ns(now), self.room_left());
        let total: f64 = self
            .task
            .workload
            .mix
            .0
            .iter()
            .map(|(_, weight)| weight)
            .sum();
        if self.tick.phase != Phase::Measure || total <= 0.0 {
            return;
        }
        let Some(schedule) = &mut self.task.schedule else {
            return;
        };
        // What each kind is behind its part of the mix.
        let mut behind = [0.0; OperationKind::COUNT];
        // The backlog of this tick is recorded from a copy that stays where it is.
        let mut ahead = schedule.clone();
        while ahead.due_ns() <= last_due_ns && room_left > 0 {
            let mut most = (self.task.workload.mix.0[0].0, f64::MIN);
            for (kind, weight) in &self.task.workload.mix.0 {
                behind[*kind as usize] += weight / total;
                if behind[*kind as usize] > most.1 {
                    most = (*kind, behind[*kind as usize]);
                }
            }
            behind[most.0 as usize] -= 1.0;
            let kind = &mut self.tick.kinds[usize::from(self.index_of_kind[most.0 as usize])];
            if let Some(response) = &mut kind.response {
                response.record(now.saturating_sub(ahead.due_ns()));
            }
            ahead.advance();
            room_left -= 1;
        }
    }

    /// Passes the tick to the crew and continues with an empty one.
    pub(super) fn hand_over(&mut self, end_ns: u64) {
        self.tick.end_ns = end_ns;
        if let Some(log) = &mut self.task.log {
            log.hand_on_if_free();
        }
        self.reads.bytes += self
            .tick
            .kinds
            .iter()
            .filter(|kind| kind.kind.reads_blocks())
            .map(|kind| kind.bytes)
            .sum::<u64>();
        self.tick.backlog = self.backlog(end_ns);
        let account = system::thread_account();
        self.tick.account = self
            .account
            .zip(account)
            .map(|(before, now)| ThreadAccount {
                user_ns: now.user_ns - before.user_ns,
                system_ns: now.system_ns - before.system_ns,
                voluntary_switches: rise(now.voluntary_switches, before.voluntary_switches),
                involuntary_switches: rise(now.involuntary_switches, before.involuntary_switches),
                waited_for_cpu_ns: rise(now.waited_for_cpu_ns, before.waited_for_cpu_ns),
                minor_faults: rise(now.minor_faults, before.minor_faults),
                major_faults: rise(now.major_faults, before.major_faults),
            });
        self.account = account;
        // Ticks come back empty from the crew; when it is late, a new one is better than waiting.
        let mut next =
            self.task.spare.try_recv().unwrap_or_else(|_| {
                Box::new(TickBuffer::new(self.task.workload, self.task.splits))
            });
        (next.phase, next.index, next.start_ns) = (self.tick.phase, self.tick.index + 1, end_ns);
        let tick = std::mem::replace(&mut self.tick, next);
        self.report(Report::Tick {
            worker: self.task.worker,
            tick,
        });
    }
}
/// Increase of a counter, if both values are known.
fn rise(now: Option<u64>, before: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(before?))
}
