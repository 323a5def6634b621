//! What was the program itself doing at each moment? Threads that wait for another thread do not count; among the others each moment is divided evenly.
//!
//! This is the criticality of threads as of Du Bois, Eyerman, Sartor and Eeckhout, "Criticality stacks" (ISCA 2013): a thread that works while the others wait for it has the
//! time for itself.

use std::collections::BTreeMap;

use plumb_model::explain::account::{LockFigures, ThreadAccount};
use plumb_model::trace::events::Activity;

use super::kinds::{Kind, KindOf, Kinds, Period, SHARE_MIN, parts};

/// Parts of the span for phases.
pub(super) const BINS: usize = 200;
/// A thread that works for less of the time before a wait has no pace of its own: it looks after others, and nobody waits for its sleep.
const WORKS: f64 = 0.05;
/// The same before a wait for the other end of a socket, for which a request takes little work.
const REQUESTS: f64 = 0.01;
/// Threads that wait for a lock, for each one that works meanwhile; part of the span with any that waits.
const LOCK_QUEUE_MIN: f64 = 0.7;
const LOCKED_MIN: f64 = 0.1;
/// A thread that waits for locks less often does so to begin or to end.
const LOCKS_MIN: u64 = 10;
/// A thread that has ended, or not begun.
const GONE: Kind = Kind::MAX;

/// One thread.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    pub name: String,
    pub life: Option<(u64, u64)>,
    seen: Option<(u64, u64)>,
}

impl Lane {
    /// Something is known of it at this time.
    pub fn see(&mut self, at_ns: u64) {
        let (begin, end) = self.seen.unwrap_or((at_ns, at_ns));
        self.seen = Some((begin.min(at_ns), end.max(at_ns)));
    }
}

/// Times of one kind.
#[derive(Debug, Clone)]
struct Tally {
    kind: KindOf,
    /// The program's own time, by part of the span.
    program: Vec<f64>,
    /// Threads that are in it now, and those of them that count.
    threads: u64,
    active: u64,
    /// Sum over threads, and time with any.
    thread_ns: f64,
    any_ns: f64,
    most: u64,
    /// The program's own time while a working thread waits for a lock.
    behind_lock_ns: f64,
}

/// One thread of the window.
struct Of<'a> {
    name: &'a str,
    begin_ns: u64,
    end_ns: u64,
    times_ns: Vec<f64>,
    /// Waits for locks again and again.
    locks: bool,
    now: (Kind, bool),
}

/// A thread changes what it does.
struct Transition {
    at_ns: u64,
    of: u32,
    to: Kind,
    /// It does not wait for another thread.
    counts: bool,
}

/// All threads of a window, moment by moment.
pub(crate) struct Sweep<'a> {
    begin_ns: u64,
    end_ns: u64,
    tallies: Vec<Tally>,
    threads: Vec<Of<'a>>,
    transitions: Vec<Transition>,
    active: u64,
    waiting_for_lock: u64,
    lock_ns: f64,
    /// The same times the threads that wait for a lock, and times those that work meanwhile.
    lock_queue_ns: f64,
    lock_active_ns: f64,
}

/// Waits for another thread or process, or for a time: the first of these that occurs is what the program does while no thread does anything else.
const WAITS: [Activity; 7] = [
    Activity::Sleep,
    Activity::Socket,
    Activity::Event,
    Activity::Pipe,
    Activity::Other,
    Activity::Lock,
    Activity::Child,
];

impl<'a> Sweep<'a> {
    /// Threads with their periods, within a window in nanoseconds since 1970; `None` if nothing is in it.
    pub fn of(
        lanes: &'a BTreeMap<u32, Lane>,
        mut periods: Vec<Period>,
        kinds: &Kinds,
        (from_ns, to_ns): (u64, u64),
    ) -> Option<Sweep<'a>> {
        let lives = || {
            lanes.iter().filter_map(|(number, lane)| {
                let (begin, end) = lane.life.or(lane.seen)?;
                let (begin, end) = (begin.max(from_ns), end.min(to_ns));
                (begin < end).then_some((*number, lane, begin, end))
            })
        };
        let begin_ns = lives().map(|(.., begin, _)| begin).min()?;
        let end_ns = lives().map(|(.., end)| end).max()?;
        periods.sort_by_key(|of| (of.lane, of.begin_ns));
        let mut sweep = Sweep {
            begin_ns,
            end_ns,
            tallies: (0..kinds.len())
                .map(|kind| Tally {
                    kind: kinds.of(kind as Kind),
                    program: vec![0.0; BINS],
                    threads: 0,
                    active: 0,
                    thread_ns: 0.0,
                    any_ns: 0.0,
                    most: 0,
                    behind_lock_ns: 0.0,
                })
                .collect(),
            threads: Vec::new(),
            transitions: Vec::new(),
            active: 0,
            waiting_for_lock: 0,
            lock_ns: 0.0,
            lock_queue_ns: 0.0,
            lock_active_ns: 0.0,
        };
        for (number, lane, begin, end) in lives() {
            let from = periods.partition_point(|of| of.lane < number);
            let to = periods.partition_point(|of| of.lane <= number);
            sweep.add(&lane.name, (begin, end), &periods[from..to]);
        }
        // Of one moment they stay in the order of their thread.
        sweep.transitions.sort_by_key(|of| of.at_ns);
        Some(sweep)
    }

    fn add(&mut self, name: &'a str, (begin, end): (u64, u64), periods: &[Period]) {
        let of = self.threads.len() as u32;
        let mut times_ns = vec![0.0; self.tallies.len()];
        let (mut cursor, mut lock_count) = (begin, 0);
        // Since the last wait that is not for a lock.
        let mut work_ns = 0;
        let runs = self.counts(0, 0, 0);
        self.push(begin, of, 0, runs);
        for period in periods {
            let (from, to) = (period.begin_ns.max(cursor), period.end_ns.min(end));
            if from >= to {
                continue;
            }
            times_ns[0] += (from - cursor) as f64;
            times_ns[period.kind as usize] += (to - from) as f64;
            work_ns += from - cursor;
            let activity = self.tallies[period.kind as usize].kind.0;
            let counts = self.counts(period.kind, work_ns, to - from);
            match activity {
                Activity::Lock => lock_count += 1,
                activity if WAITS.contains(&activity) => work_ns = 0,
                _ => work_ns += to - from,
            }
            self.push(from, of, period.kind, counts);
            self.push(to, of, 0, runs);
            cursor = to;
        }
        times_ns[0] += (end - cursor) as f64;
        self.push(end, of, GONE, false);
        self.threads.push(Of {
            name,
            begin_ns: begin,
            end_ns: end,
            times_ns,
            locks: lock_count >= LOCKS_MIN,
            now: (GONE, false),
        });
    }

    fn push(&mut self, at_ns: u64, of: u32, to: Kind, counts: bool) {
        self.transitions.push(Transition {
            at_ns,
            of,
            to,
            counts,
        });
    }

    /// Whether a thread in this kind does not wait for another one: it worked so long before, and this takes so long.
    fn counts(&self, kind: Kind, work_ns: u64, wait_ns: u64) -> bool {
        let least = match self.tallies[kind as usize].kind.0 {
            Activity::Sleep => WORKS,
            Activity::Socket => REQUESTS,
            // Where switches are not known, all time between calls.
            Activity::Other if kind == 0 => return true,
            activity => return !WAITS.contains(&activity),
        };
        work_ns as f64 >= least * wait_ns as f64
    }

    pub fn span_ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }

    /// Goes through the span once.
    pub fn run(&mut self) {
        let mut at_ns = self.begin_ns;
        for transition in std::mem::take(&mut self.transitions) {
            if transition.at_ns > at_ns {
                self.pass(at_ns, transition.at_ns);
                at_ns = transition.at_ns;
            }
            self.change(transition.of as usize, (transition.to, transition.counts));
        }
    }

    fn change(&mut self, of: usize, to: (Kind, bool)) {
        let before = std::mem::replace(&mut self.threads[of].now, to);
        let locks = self.threads[of].locks;
        for ((kind, counts), is_entered) in [(before, false), (to, true)] {
            if kind == GONE {
                continue;
            }
            let tally = &mut self.tallies[kind as usize];
            let is_lock = tally.kind.0 == Activity::Lock && locks;
            let add = |value: &mut u64, is: bool| match is_entered {
                true => *value += u64::from(is),
                false => *value -= u64::from(is),
            };
            add(&mut tally.threads, true);
            add(&mut tally.active, counts);
            tally.most = tally.most.max(tally.threads);
            add(&mut self.active, counts);
            add(&mut self.waiting_for_lock, is_lock);
        }
    }

    /// Time passes in which no thread changes what it does.
    fn pass(&mut self, from_ns: u64, to_ns: u64) {
        let ns = (to_ns - from_ns) as f64;
        if self.waiting_for_lock > 0 {
            self.lock_ns += ns;
            self.lock_queue_ns += ns * self.waiting_for_lock as f64;
            self.lock_active_ns += ns * self.active as f64;
        }
        let waits = || WAITS.into_iter();
        let first = match self.active {
            0 => waits().find(|activity| {
                let mut of = self.tallies.iter();
                of.any(|tally| tally.kind.0 == *activity && tally.threads > 0)
            }),
            _ => None,
        };
        let waiting: u64 = self
            .tallies
            .iter()
            .filter(|tally| Some(tally.kind.0) == first)
            .map(|tally| tally.threads)
            .sum();
        let (begin_ns, span_ns) = (self.begin_ns, self.span_ns());
        let behind_lock = self.waiting_for_lock > 0;
        let active = self.active;
        for tally in self.tallies.iter_mut().filter(|tally| tally.threads > 0) {
            tally.thread_ns += ns * tally.threads as f64;
            tally.any_ns += ns;
            let share = match (active, first) {
                (0, Some(first)) if tally.kind.0 == first => tally.threads as f64 / waiting as f64,
                (0, _) => continue,
                (active, _) => tally.active as f64 / active as f64,
            };
            if share > 0.0 {
                spread(
                    &mut tally.program,
                    (from_ns - begin_ns, to_ns - begin_ns),
                    span_ns,
                    share,
                );
                if behind_lock {
                    tally.behind_lock_ns += ns * share;
                }
            }
        }
    }

    /// The program's own time by kind, in nanoseconds.
    pub fn program(&self) -> Vec<f64> {
        self.tallies
            .iter()
            .map(|tally| tally.program.iter().sum())
            .collect()
    }

    /// The same in one part of the span.
    pub fn program_in(&self, bin: usize) -> Vec<f64> {
        self.tallies
            .iter()
            .map(|tally| tally.program[bin])
            .collect()
    }

    /// Threads that were in a kind at the same time, mean while any was, and at most.
    pub fn at_once(&self, kind: KindOf, kinds: &Kinds) -> Option<(f64, u64)> {
        let found = kinds.known(kind)?;
        let tally = self.tallies.get(found).filter(|tally| tally.any_ns > 0.0)?;
        Some((tally.thread_ns / tally.any_ns, tally.most))
    }

    /// The account of each thread.
    pub fn threads(&self, name: &dyn Fn(Kind) -> (Activity, Option<String>)) -> Vec<ThreadAccount> {
        let threads = self.threads.iter().map(|of| ThreadAccount {
            name: of.name.to_string(),
            begin_ns: of.begin_ns - self.begin_ns,
            span_ns: of.end_ns - of.begin_ns,
            parts: parts(&of.times_ns, of.end_ns - of.begin_ns, SHARE_MIN, name),
        });
        threads.collect()
    }

    /// Waiting for locks by threads that also work.
    pub fn locks(&self, name: &dyn Fn(Kind) -> (Activity, Option<String>)) -> Option<LockFigures> {
        let lock_ns = |of: &Of<'_>| -> f64 {
            let times = of.times_ns.iter().zip(&self.tallies);
            let locks = times.filter(|(_, tally)| tally.kind.0 == Activity::Lock);
            locks.map(|(ns, _)| ns).sum()
        };
        let workers: Vec<_> = self.threads.iter().filter(|of| of.locks).collect();
        let life_ns: f64 = workers
            .iter()
            .map(|of| (of.end_ns - of.begin_ns) as f64)
            .sum();
        // One that waits for the end of several others holds nobody up; nor do locks that are seldom waited for.
        let is_queue = self.lock_queue_ns >= LOCK_QUEUE_MIN * self.lock_active_ns;
        let matters = self.lock_ns >= LOCKED_MIN * self.span_ns() as f64;
        if workers.len() < 2 || !is_queue || !matters {
            return None;
        }
        let behind: Vec<f64> = self
            .tallies
            .iter()
            .map(|tally| tally.behind_lock_ns)
            .collect();
        Some(LockFigures {
            threads: workers.len() as u64,
            share: workers.iter().map(|of| lock_ns(of)).sum::<f64>() / life_ns,
            meanwhile: parts(&behind, self.lock_ns as u64, SHARE_MIN, name),
        })
    }
}

/// Adds `share` of a period to the parts of the span that it lies in.
fn spread(bins: &mut [f64], (from_ns, to_ns): (u64, u64), span_ns: u64, share: f64) {
    let width = span_ns as f64 / bins.len() as f64;
    let last = bins.len() - 1;
    let (from, to) = (from_ns as f64, to_ns as f64);
    let first = ((from / width) as usize).min(last);
    let end = ((to / width) as usize).min(last);
    for (at, bin) in bins.iter_mut().enumerate().take(end + 1).skip(first) {
        let begin = if at == first { from } else { at as f64 * width };
        let until = if at == end {
            to
        } else {
            (at + 1) as f64 * width
        };
        *bin += (until - begin).max(0.0) * share;
    }
}
