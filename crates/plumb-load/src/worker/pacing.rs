//! When does a worker start operations that have a schedule? Open loops, think times and bursts.

use std::io;
use std::ops::Range;

use super::Worker;
use crate::engine::Wait;
use crate::feed::arrivals::Schedule;
use crate::worker::limits::Room;
use crate::worker::read_ahead::ReadAhead;
use plumb_model::run::tick::Phase;

/// The last stretch of a wait is spun: a sleeping thread wakes 5 to 15 us late (p50, p99) even with sharp timers.
const SPIN_NS: u64 = 30_000;
/// No sleep is longer than this, so that a stop is seen soon.
const SLEEP_MAX_NS: u64 = 20_000_000;
/// In place of the end of a pause that begins with the last completion of a burst.
const WHEN_ALL_ARE_DONE: u64 = u64::MAX;

impl Worker<'_> {
    /// True when operations do not simply start as soon as there is a free slot.
    pub(super) fn is_paced(&self) -> bool {
        let workload = self.task.workload;
        self.task.schedule.is_some()
            || workload.think_time.0 > 0
            || workload.burst_operations > 0
            || self.task.limits.is_any()
    }

    /// Open loop, think times and bursts: operations start when they are due.
    pub(super) fn paced_loop<const LOGS: bool>(&mut self) -> io::Result<()> {
        let mut due = Vec::with_capacity(self.task.batches.most() as usize);
        while self.stopped.is_none() {
            let now = self.task.clock.now_ns();
            let chosen = self.take_due(now, &mut due);
            if !chosen.is_empty() {
                self.levels.submit(chosen.len() as u32, self.in_flight);
                self.assign_slots(&chosen);
                self.stamp_due(&chosen, &due);
                self.engine
                    .submit(&self.ops[chosen.clone()], &mut self.done)?;
                if self.task.splits {
                    self.stamp_accepted(&chosen);
                }
            }
            let now = self.reap_or_pause::<LOGS>(!chosen.is_empty())?;
            self.look_at_the_time(now);
        }
        Ok(())
    }

    /// Chooses as many operations as are due, have a free slot and fit into a batch; `due` gets their due times.
    pub(super) fn take_due(&mut self, now: u64, due: &mut Vec<u64>) -> Range<usize> {
        due.clear();
        while self
            .thinking
            .front()
            .is_some_and(|(ready, _)| *ready <= now)
        {
            self.free
                .extend(self.thinking.pop_front().map(|(_, slot)| slot));
        }
        if let Some(ahead) = &mut self.read_ahead {
            self.burst_left += ahead.advance(self.in_flight, now);
        }
        self.begin_pause(now);
        let paused = self.pause_until_ns > now
            || self
                .task
                .schedule
                .as_ref()
                .is_some_and(|schedule| schedule.due_ns() > now);
        let room = if paused {
            0
        } else {
            self.free
                .len()
                .min(usize::try_from(self.burst_left).unwrap_or(usize::MAX))
        };
        let is_limited = self.task.limits.is_any();
        let room = if is_limited {
            self.within_limits(room, now)
        } else {
            room
        };
        // Nothing is returned to a shared stream: one after the other.
        let mut chosen = self.choose(if self.draws_at_need() {
            room.min(1)
        } else {
            room
        });
        for _ in chosen.clone() {
            match &mut self.task.schedule {
                Some(schedule) if schedule.due_ns() <= now => {
                    due.push(schedule.due_ns());
                    schedule.advance();
                }
                Some(_) => break,
                None => due.push(now),
            }
        }
        // What was chosen and is not due yet waits for its turn.
        self.give_back(chosen.len() - due.len());
        chosen.end = chosen.start + due.len();
        if is_limited {
            let ops = &mut self.ops[chosen.clone()];
            self.task.limits.note(ops, now, self.in_flight);
        }
        if self.burst_left != u64::MAX {
            self.burst_left -= due.len() as u64;
            match &mut self.read_ahead {
                Some(ahead) => ahead.start(due.len() as u64),
                None if self.burst_left == 0 => {
                    self.burst_left = self.task.workload.burst_operations;
                    self.pause_until_ns = WHEN_ALL_ARE_DONE;
                }
                None => {}
            }
        }
        chosen
    }

    /// The pause after a burst begins when all its operations are done.
    fn begin_pause(&mut self, now: u64) {
        if self.pause_until_ns != WHEN_ALL_ARE_DONE || self.in_flight > 0 {
            return;
        }
        let workload = self.task.workload;
        self.pause_until_ns = now + workload.burst_pause.0;
        if let Some(schedule) = &mut self.task.schedule
            && workload.rate_ignores_pauses
        {
            schedule.leave_out(workload.burst_pause.0);
        }
    }

    /// How many of `room` operations may start now. Where the flow group holds all of them back, a pause begins, or another thread gets the CPU: it may be
    /// the one that is waited for.
    #[cold]
    fn within_limits(&mut self, room: usize, now: u64) -> usize {
        match self.task.limits.room(room, self.in_flight) {
            Room::For(may) => return may,
            Room::AfterPause(0) => self.task.clock.give_way(),
            Room::AfterPause(pause_ns) => self.pause_until_ns = now + pause_ns,
        }
        0
    }

    /// Takes what is done; with nothing to do until the next operation is due, waits for it.
    pub(super) fn reap_or_pause<const LOGS: bool>(&mut self, submitted: bool) -> io::Result<u64> {
        let now = self.task.clock.now_ns();
        let next = self.next_start_ns(now);
        let gap = next.min(self.boundary_ns).saturating_sub(now);
        if self.in_flight == 0 {
            if gap > 0 {
                self.pause_towards(now + gap);
            }
            return Ok(self.task.clock.now_ns());
        }
        if submitted && self.fills_first() && self.done.is_empty() {
            return Ok(self.time());
        }
        let wait = match gap {
            _ if self.task.asynchronous && self.task.limits.runs_low() => Wait::One,
            _ if !self.task.asynchronous || submitted => Wait::No,
            gap if gap <= SPIN_NS => Wait::No,
            gap => Wait::AtMost((gap - SPIN_NS).min(SLEEP_MAX_NS)),
        };
        self.reap::<true, LOGS>(wait)
    }

    /// True while the queue is to be filled before anything is taken: only where it is filled again at a depth, and no time holds operations back.
    fn fills_first(&self) -> bool {
        let workload = self.task.workload;
        workload.refill_at.is_some()
            && self.held.fills_first()
            && self.task.schedule.is_none()
            && workload.think_time.0 == 0
            && workload.burst_operations == 0
            && !self.free.is_empty()
    }

    /// The time, with which the warm-up may end.
    #[inline(always)]
    pub(super) fn time(&mut self) -> u64 {
        let now = self.task.clock.now_ns();
        if now >= self.look_ns && self.tick.phase == Phase::WarmUp {
            self.leave_warm_up(now, self.in_flight);
        }
        now
    }

    /// When the next operation can start: `u64::MAX` when only a completion can bring that about.
    pub(super) fn next_start_ns(&self, now: u64) -> u64 {
        if self.is_budget_used_up() {
            return u64::MAX;
        }
        let slot_free = match self.thinking.front() {
            _ if !self.free.is_empty() => 0,
            Some((ready, _)) => *ready,
            None => return u64::MAX,
        };
        let due = self.task.schedule.as_ref().map_or(now, Schedule::due_ns);
        let ahead = self.read_ahead.as_ref().filter(|_| self.burst_left == 0);
        let begun = ahead.map_or(0, ReadAhead::next_ns);
        due.max(slot_free).max(self.pause_until_ns).max(begun)
    }

    /// Sleeps, then spins, towards a moment; returns early so that a stop is seen.
    pub(super) fn pause_towards(&self, moment_ns: u64) {
        let gap = moment_ns.saturating_sub(self.task.clock.now_ns());
        if gap > SPIN_NS {
            self.task.clock.sleep_ns((gap - SPIN_NS).min(SLEEP_MAX_NS));
            return;
        }
        while self.task.clock.now_ns() < moment_ns {
            std::hint::spin_loop();
        }
    }

    /// The last `count` chosen operations are not submitted now.
    pub(super) fn give_back(&mut self, count: usize) {
        self.ahead.start -= count;
        self.in_flight -= count as u32;
    }
}
