//! Where did the time of a program go? Periods of its threads, collected from a trace, and added up when it has ended.

pub mod against;
mod calls;
pub mod conclude;
mod critical;
mod devices;
mod gains;
mod kinds;
mod limits;
mod phases;
pub mod proof;
mod steady_rate;
mod storages;
#[cfg(test)]
mod tests;
pub mod what_if;

use std::collections::BTreeMap;

use plumb_model::explain::account::{ThreadAccount, TimeAccount};
use plumb_model::trace::events::{Activity, OffCpu, ThreadLife, TraceEvent};
use plumb_model::trace::receiver::TraceReceiver;

use calls::CallTally;
use critical::{Lane, Sweep};
use kinds::{Kind, KindOf, Kinds, Period, parts};
use storages::Storages;

/// Periods that are kept at most, in 24 bytes each; what comes later is left out, and the account ends there.
const PERIODS_MAX: usize = 8_000_000;
/// Threads that are listed.
const THREADS_MAX: usize = 64;

/// A trace as it is read, for the account of its time.
pub struct AccountTally {
    kinds: Kinds,
    storages: Storages,
    calls: CallTally,
    lanes: BTreeMap<u32, Lane>,
    periods: Vec<Period>,
    /// The trace has switches of threads; else calls are all that is known.
    has_switches: bool,
    /// When the first period came that found no room.
    full_ns: Option<u64>,
}

impl Default for AccountTally {
    fn default() -> AccountTally {
        AccountTally {
            kinds: Kinds::new(),
            storages: Storages::default(),
            calls: CallTally::default(),
            lanes: BTreeMap::new(),
            periods: Vec::new(),
            has_switches: false,
            full_ns: None,
        }
    }
}

impl AccountTally {
    fn lane(&mut self, lane: u32, at_ns: u64) -> &mut Lane {
        let of = self.lanes.entry(lane).or_default();
        of.see(at_ns);
        of
    }

    fn keep(&mut self, lane: u32, begin_ns: u64, end_ns: u64, kind: KindOf) {
        if self.periods.len() >= PERIODS_MAX {
            self.full_ns.get_or_insert(begin_ns);
            return;
        }
        let kind = self.kinds.number(kind);
        self.periods.push(Period {
            begin_ns,
            end_ns,
            lane,
            kind,
        });
    }

    /// The trace has switches: calls are not taken for waits any more.
    fn with_switches(&mut self) {
        if !self.has_switches {
            self.has_switches = true;
            self.calls.take_periods();
        }
    }

    fn off_cpu(&mut self, of: &OffCpu) {
        self.with_switches();
        self.lane(of.lane, of.begin_ns).see(of.end_ns);
        let storage = match of.activity.is_storage() {
            true => of.file.and_then(|file| self.storages.of_file(file)),
            false => None,
        };
        self.keep(of.lane, of.begin_ns, of.end_ns, (of.activity, storage));
        self.calls.off_cpu(of, storage);
    }

    fn ended(&mut self, of: &ThreadLife) {
        self.with_switches();
        let lane = self.lane(of.lane, of.begin_ns);
        lane.see(of.end_ns);
        lane.life = Some((of.begin_ns, of.end_ns));
    }

    /// The account of a window, in nanoseconds since 1970; `None` without periods of threads.
    pub fn account(mut self, (from_ns, to_ns): (u64, u64)) -> Option<TimeAccount> {
        self.calls.end();
        if !self.has_switches {
            // Calls are all that is known: a thread is taken to wait in each.
            for (call, period) in self.calls.take_periods() {
                let kind = self.kinds.number(call);
                self.periods.push(Period { kind, ..period });
            }
            self.kinds.set_first((Activity::Other, None));
        }
        if self.periods.is_empty() && !self.has_switches {
            return None;
        }
        let to_ns = to_ns.min(self.full_ns.unwrap_or(u64::MAX));
        let mut sweep = Sweep::of(&self.lanes, self.periods, &self.kinds, (from_ns, to_ns))?;
        sweep.run();
        let name = |kind: Kind| {
            let (activity, storage) = self.kinds.of(kind);
            (
                activity,
                storage.map(|of| self.storages.name(of).to_string()),
            )
        };
        let threads = sweep.threads(&name);
        let threads_count = threads.len() as u64;
        Some(TimeAccount {
            has_switches: self.has_switches,
            span_ns: sweep.span_ns(),
            is_cut: self.full_ns.is_some(),
            program: parts(&sweep.program(), sweep.span_ns(), 0.0, &name),
            threads: listed(threads),
            threads_count,
            phases: phases::phases(&sweep, &name),
            requests: self.calls.figures(&sweep, &self.kinds, &self.storages),
            locks: sweep.locks(&name),
            storages: self.storages.used(),
            devices: Vec::new(),
            memory_limits: Vec::new(),
            io_limits: Vec::new(),
        })
    }
}

/// Those with the most time off the CPU or on it, most first.
fn listed(mut threads: Vec<ThreadAccount>) -> Vec<ThreadAccount> {
    threads.sort_by(|a, b| b.span_ns.cmp(&a.span_ns).then(a.begin_ns.cmp(&b.begin_ns)));
    threads.truncate(THREADS_MAX);
    threads
}

impl TraceReceiver for AccountTally {
    fn take(&mut self, event: TraceEvent) {
        match event {
            TraceEvent::Made(call) => {
                self.lane(call.lane, call.at_ns);
                self.calls.made(&call);
            }
            TraceEvent::Answered(answered) => {
                self.lane(answered.call.lane, answered.at_ns);
                let storage = answered
                    .call
                    .file
                    .and_then(|file| self.storages.of_file(file));
                self.calls.answered(&answered, storage, !self.has_switches);
            }
            TraceEvent::Unanswered(call, at_ns) => {
                self.lane(call.lane, at_ns);
            }
            TraceEvent::OffCpu(of) => self.off_cpu(&of),
            TraceEvent::Ended(of) => self.ended(&of),
        }
    }

    fn mount(&mut self, point: &str, file_system: &str, source: &str) {
        self.storages.mount(point, file_system, source);
    }

    fn name(&mut self, file: u64, name: &str) {
        self.storages.file(file, name);
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        self.lanes.entry(lane).or_default().name = name.to_string();
    }
}
