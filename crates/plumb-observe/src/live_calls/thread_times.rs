//! When is each traced thread off its CPU? Records of switches become periods; what a thread waited for is known at the end of the call that it was in.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use plumb_model::trace::events::{Activity, OffCpu, ThreadLife};

/// Periods of one call that are kept apart; a call that is preempted more often has its later ones joined.
const PERIODS_MAX: usize = 4096;

/// A period off the CPU. Times by the clock of the records.
#[derive(Debug, Clone, Copy)]
struct Period {
    begin_ns: u64,
    end_ns: u64,
    preempted: bool,
}

/// One thread now.
#[derive(Debug)]
struct ThreadNow {
    lane: u32,
    begin_ns: u64,
    in_call: bool,
    /// Since when it is off its CPU, and whether it was preempted.
    off: Option<(u64, bool)>,
    /// Of the call that it is in.
    periods: Vec<Period>,
}

/// What a thread waited for in a call, and the file of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waited {
    pub activity: Activity,
    pub file: Option<u64>,
}

/// The times of all threads that are followed.
#[derive(Default)]
pub(super) struct ThreadTimes {
    threads: HashMap<u32, ThreadNow, RandomState>,
}

impl ThreadTimes {
    /// A thread is followed from now on; `is_waiting`: it was there before, and waits unless it is seen to leave its CPU.
    pub fn begin(&mut self, thread: u32, lane: u32, at_ns: u64, is_waiting: bool) {
        let now = ThreadNow {
            lane,
            begin_ns: at_ns,
            in_call: is_waiting,
            off: is_waiting.then_some((at_ns, false)),
            periods: Vec::new(),
        };
        self.threads.entry(thread).or_insert(now);
    }

    /// A thread enters a call.
    pub fn enter(&mut self, thread: u32) {
        if let Some(now) = self.threads.get_mut(&thread) {
            now.in_call = true;
            now.periods.clear();
        }
    }

    pub fn left_cpu(&mut self, thread: u32, at_ns: u64, preempted: bool) {
        if let Some(now) = self.threads.get_mut(&thread) {
            now.off = Some((at_ns, preempted));
        }
    }

    /// A thread runs again. Outside of a call it is known at once what it waited for: its own page.
    pub fn runs(&mut self, thread: u32, at_ns: u64) -> Option<OffCpu> {
        let now = self.threads.get_mut(&thread)?;
        let (begin_ns, preempted) = now.off.take()?;
        let period = Period {
            begin_ns,
            end_ns: at_ns,
            preempted,
        };
        if !now.in_call {
            let waited = Waited {
                activity: Activity::Fault,
                file: None,
            };
            return Some(off_cpu(now.lane, period, waited));
        }
        let is_full = now.periods.len() >= PERIODS_MAX;
        match now.periods.last_mut().filter(|_| is_full) {
            Some(last) => last.end_ns = at_ns,
            None => now.periods.push(period),
        }
        None
    }

    /// Whether the thread was off its CPU since it entered its call.
    pub fn has_waited(&self, thread: u32) -> bool {
        self.threads
            .get(&thread)
            .is_some_and(|now| !now.periods.is_empty())
    }

    /// A thread left its call, in which it waited for this.
    pub fn leave(&mut self, thread: u32, waited: Waited) -> impl Iterator<Item = OffCpu> + use<> {
        let left = self.threads.get_mut(&thread).map(|now| {
            now.in_call = false;
            (now.lane, std::mem::take(&mut now.periods))
        });
        let (lane, periods) = left.unwrap_or_default();
        periods
            .into_iter()
            .map(move |period| off_cpu(lane, period, waited))
    }

    /// A thread ended, or is followed no more; it was in a call that waits for this.
    pub fn end(
        &mut self,
        thread: u32,
        at_ns: u64,
        waited: Waited,
    ) -> Option<(ThreadLife, Vec<OffCpu>)> {
        self.runs(thread, at_ns);
        let periods = self.leave(thread, waited).collect();
        let now = self.threads.remove(&thread)?;
        let life = ThreadLife {
            lane: now.lane,
            begin_ns: now.begin_ns,
            end_ns: at_ns,
        };
        Some((life, periods))
    }

    /// The threads that are followed.
    pub fn threads(&self) -> Vec<u32> {
        let mut threads: Vec<u32> = self.threads.keys().copied().collect();
        threads.sort_unstable();
        threads
    }
}

fn off_cpu(lane: u32, period: Period, waited: Waited) -> OffCpu {
    OffCpu {
        lane,
        begin_ns: period.begin_ns,
        end_ns: period.end_ns,
        activity: match period.preempted {
            true => Activity::Ready,
            false => waited.activity,
        },
        file: waited.file.filter(|_| !period.preempted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Waited = Waited {
        activity: Activity::Read,
        file: Some(7),
    };

    #[test]
    fn periods_in_a_call_wait_for_its_end_and_others_are_faults() {
        let mut times = ThreadTimes::default();
        times.begin(9, 3, 100, false);
        times.left_cpu(9, 110, false);
        let fault = times.runs(9, 130).unwrap();
        assert_eq!(
            (fault.activity, fault.begin_ns, fault.end_ns, fault.file),
            (Activity::Fault, 110, 130, None)
        );
        times.enter(9);
        times.left_cpu(9, 200, false);
        assert_eq!(times.runs(9, 250), None);
        times.left_cpu(9, 260, true);
        assert_eq!(times.runs(9, 270), None);
        assert!(times.has_waited(9));
        let periods: Vec<_> = times.leave(9, READ).collect();
        let seen: Vec<_> = periods
            .iter()
            .map(|of| (of.activity, of.begin_ns, of.end_ns, of.file))
            .collect();
        assert_eq!(
            seen,
            [
                (Activity::Read, 200, 250, Some(7)),
                (Activity::Ready, 260, 270, None)
            ]
        );
        // It ends while it waits.
        times.enter(9);
        times.left_cpu(9, 300, false);
        let (life, periods) = times.end(9, 400, READ).unwrap();
        assert_eq!((life.begin_ns, life.end_ns), (100, 400));
        assert_eq!((periods[0].begin_ns, periods[0].end_ns), (300, 400));
        assert!(times.end(9, 500, READ).is_none());
    }
}
