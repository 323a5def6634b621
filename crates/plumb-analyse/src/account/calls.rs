//! Which calls on storage did a program make, which of them waited, and for how long? Counted call by call, with the periods that each was off its CPU.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use plumb_model::explain::account::RequestFigures;
use plumb_model::run::histogram::Histogram;
use plumb_model::trace::events::{Activity, Answered, Call, CallClass, OffCpu};

use super::critical::Sweep;
use super::kinds::{KindOf, Kinds, Period};
use super::steady_rate::RateTally;
use super::storages::Storages;
use crate::figures::tally::latency;
use crate::trace::makes_durable;

/// Open files whose next offset is kept.
const FILES_MAX: usize = 65_536;
/// Periods of calls that are kept for a trace without switches.
const PERIODS_MAX: usize = 4_000_000;

/// A call that has ended, and how long it was off its CPU as far as that is known.
struct Last {
    call: Call,
    end_ns: u64,
    moved_bytes: u64,
    storage: Option<u16>,
    activity: Activity,
    off_ns: u64,
    /// Of a preempted thread.
    ready_ns: u64,
}

/// Calls of one kind on one storage.
#[derive(Default)]
struct Counted {
    /// Calls by name: their number, and the time of those that waited.
    names: Vec<(&'static str, u64, u64)>,
    count: u64,
    bytes: u64,
    waited: Histogram,
    waited_ns: u64,
    cpu_ns: u64,
    located: u64,
    sequential: u64,
    rate: RateTally,
}

impl Counted {
    /// Counts a call, which waited for so long.
    fn add(&mut self, call: &'static str, waited_ns: u64) {
        self.count += 1;
        if waited_ns > 0 {
            self.waited.record(waited_ns);
            self.waited_ns = self.waited_ns.saturating_add(waited_ns);
        }
        match self.names.iter_mut().find(|(name, ..)| *name == call) {
            Some((_, count, sum_ns)) => {
                *count += 1;
                *sum_ns = sum_ns.saturating_add(waited_ns);
            }
            None => self.names.push((call, 1, waited_ns)),
        }
    }
}

/// All calls on storage.
#[derive(Default)]
pub(super) struct CallTally {
    last: HashMap<u32, Last, RandomState>,
    counted: Vec<(KindOf, Counted)>,
    next_offset: HashMap<u64, u64, RandomState>,
    /// Of a trace without switches.
    periods: Vec<(KindOf, Period)>,
    is_without_switches: bool,
    requests: Requests,
}

/// Requests of io_uring: outstanding beside the calls of their threads.
#[derive(Default)]
struct Requests {
    outstanding: u64,
    most: u64,
    since_ns: u64,
    sum_ns: f64,
    any_ns: f64,
}

impl Requests {
    fn change(&mut self, at_ns: u64, more: bool) {
        let ns = at_ns.saturating_sub(self.since_ns) as f64;
        if self.outstanding > 0 {
            self.sum_ns += ns * self.outstanding as f64;
            self.any_ns += ns;
        }
        self.since_ns = self.since_ns.max(at_ns);
        self.outstanding = match more {
            true => self.outstanding + 1,
            false => self.outstanding.saturating_sub(1),
        };
        self.most = self.most.max(self.outstanding);
    }
}

/// Whether it is a request of io_uring, which does not hold its thread up.
fn is_request(call: &Call) -> bool {
    call.name.starts_with("io_uring ")
}

impl CallTally {
    /// A thread makes its next call: all is known of the one before.
    pub fn made(&mut self, call: &Call) {
        if is_request(call) {
            return self.requests.change(call.at_ns, true);
        }
        if let Some(last) = self.last.remove(&call.lane) {
            self.count(&last);
        }
    }

    pub fn answered(&mut self, answered: &Answered, storage: Option<u16>, without_switches: bool) {
        let call = answered.call;
        if is_request(&call) {
            self.requests.change(answered.at_ns, false);
            return self.count_request(answered);
        }
        let activity = match call.class {
            CallClass::Read => Activity::Read,
            CallClass::Write => Activity::Write,
            CallClass::Metadata if makes_durable(call.name) => Activity::Flush,
            CallClass::Metadata => Activity::Metadata,
            CallClass::Session | CallClass::Wait => return,
        };
        self.is_without_switches = without_switches;
        let last = Last {
            call,
            end_ns: answered.at_ns,
            moved_bytes: answered.moved_bytes.unwrap_or(0),
            storage,
            activity,
            off_ns: 0,
            ready_ns: 0,
        };
        if let Some(before) = self.last.insert(call.lane, last) {
            self.count(&before);
        }
    }

    /// A request of io_uring has no storage that is known, and waits from begin to end.
    fn count_request(&mut self, answered: &Answered) {
        let counted = self.counted((Activity::Requests, None));
        counted.add(answered.call.name, answered.service_ns());
        counted.bytes = counted
            .bytes
            .saturating_add(answered.moved_bytes.unwrap_or(0));
    }

    fn counted(&mut self, kind: KindOf) -> &mut Counted {
        let found = self.counted.iter().position(|(of, _)| *of == kind);
        let position = found.unwrap_or_else(|| {
            self.counted.push((kind, Counted::default()));
            self.counted.len() - 1
        });
        &mut self.counted[position].1
    }

    /// A period off the CPU, if it is of the call that ended last.
    pub fn off_cpu(&mut self, of: &OffCpu, storage: Option<u16>) {
        let Some(last) = self.last.get_mut(&of.lane) else {
            return;
        };
        let is_of_call = of.begin_ns >= last.call.at_ns && of.end_ns <= last.end_ns;
        let off_ns = of.end_ns.saturating_sub(of.begin_ns);
        if is_of_call && of.activity == Activity::Ready {
            last.ready_ns += off_ns;
        }
        if is_of_call && of.activity.is_storage() {
            last.off_ns += off_ns;
            last.activity = of.activity;
            last.storage = last.storage.or(storage);
        }
    }

    /// The trace is at its end.
    pub fn end(&mut self) {
        for last in std::mem::take(&mut self.last).into_values() {
            self.count(&last);
        }
    }

    /// Calls as periods, where a trace has nothing else.
    pub fn take_periods(&mut self) -> Vec<(KindOf, Period)> {
        std::mem::take(&mut self.periods)
    }

    fn count(&mut self, last: &Last) {
        let kind = (last.activity, last.storage);
        let call = &last.call;
        let span_ns = last.end_ns.saturating_sub(call.at_ns);
        let off_ns = if self.is_without_switches {
            span_ns
        } else {
            last.off_ns
        };
        if self.is_without_switches && self.periods.len() < PERIODS_MAX {
            let period = Period {
                begin_ns: call.at_ns,
                end_ns: last.end_ns,
                lane: call.lane,
                kind: 0,
            };
            self.periods.push((kind, period));
        }
        let is_next = self.is_next(last);
        let counted = self.counted(kind);
        counted.add(call.name, if off_ns > 0 { span_ns } else { 0 });
        if off_ns > 0 && matches!(last.activity, Activity::Read | Activity::Write) {
            counted.rate.add(last.end_ns, span_ns);
        }
        counted.bytes = counted.bytes.saturating_add(last.moved_bytes);
        counted.cpu_ns += span_ns.saturating_sub(off_ns + last.ready_ns);
        if let Some(is_next) = is_next {
            counted.located += 1;
            counted.sequential += u64::from(is_next);
        }
    }

    /// Whether a transfer starts where the previous one of its file ended; missing for the first, and without offset.
    fn is_next(&mut self, last: &Last) -> Option<bool> {
        let file = last.call.file?;
        if last.call.closes {
            self.next_offset.remove(&file);
            return None;
        }
        let offset = last.call.offset?;
        if self.next_offset.len() >= FILES_MAX {
            self.next_offset.clear();
        }
        let next = offset.saturating_add(last.moved_bytes);
        let before = self.next_offset.insert(file, next)?;
        Some(before == offset)
    }

    /// The figures, most time first.
    pub fn figures(
        &self,
        sweep: &Sweep,
        kinds: &Kinds,
        storages: &Storages,
    ) -> Vec<RequestFigures> {
        let mut figures: Vec<RequestFigures> = self
            .counted
            .iter()
            .map(|((activity, storage), of)| {
                let waited = latency(&of.waited);
                let requests = &self.requests;
                let at_once = match activity {
                    Activity::Requests => (requests.any_ns > 0.0)
                        .then(|| (requests.sum_ns / requests.any_ns, requests.most)),
                    _ => sweep.at_once((*activity, *storage), kinds),
                };
                let most = of
                    .names
                    .iter()
                    .max_by_key(|(_, count, waited_ns)| (*waited_ns, *count));
                RequestFigures {
                    activity: *activity,
                    storage: storage.map(|of| storages.name(of).to_string()),
                    call: most.map_or_else(String::new, |(name, ..)| (*name).to_string()),
                    count: of.count,
                    waited: of.waited.count(),
                    bytes: of.bytes,
                    waited_ns: of.waited_ns,
                    p50_ns: waited.p50.map(|ns| ns as u64),
                    p99_ns: waited.p99.map(|ns| ns as u64),
                    cpu_ns: of.cpu_ns,
                    at_once: at_once.map(|(mean, _)| mean),
                    at_once_max: at_once.map_or(0, |(_, most)| most),
                    sequential_share: (of.located > 0)
                        .then(|| of.sequential as f64 / of.located as f64),
                    steady_rate: of.rate.steady(),
                }
            })
            .collect();
        // Kinds of waiting without a call: threads were sampled.
        let is_counted = |kind: &KindOf| self.counted.iter().any(|(of, _)| of == kind);
        let is_call =
            |of: Activity| of.is_storage() && !matches!(of, Activity::Requests | Activity::Fault);
        let sampled = kinds
            .all()
            .filter(|kind| is_call(kind.0) && !is_counted(kind));
        figures.extend(sampled.map(|(activity, storage)| {
            let at_once = sweep.at_once((activity, storage), kinds);
            RequestFigures {
                activity,
                storage: storage.map(|of| storages.name(of).to_string()),
                call: String::new(),
                count: 0,
                waited: 0,
                bytes: 0,
                waited_ns: 0,
                p50_ns: None,
                p99_ns: None,
                cpu_ns: 0,
                at_once: at_once.map(|(mean, _)| mean),
                at_once_max: at_once.map_or(0, |(_, most)| most),
                sequential_share: None,
                steady_rate: None,
            }
        }));
        figures.sort_by_key(|of| std::cmp::Reverse((of.waited_ns, of.cpu_ns)));
        figures
    }
}
