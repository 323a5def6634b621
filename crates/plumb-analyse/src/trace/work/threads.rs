//! How busy is each thread with its calls, and what is its think time? Time with a call outstanding, and time without.

use plumb_model::run::histogram::Histogram;
use plumb_model::trace::work::{ThinkTime, ThreadFigures, Threads};

use crate::figures::tally::latency;

/// Number of distinct threads; of more only the calls are counted.
const THREADS_MAX: usize = 65_536;
/// Threads with separate figures.
const LISTED: usize = 50;

/// One thread; in other traces a connection or a volume.
#[derive(Default, Clone)]
struct Thread {
    name: Option<Box<str>>,
    calls: u64,
    outstanding: u64,
    first_ns: u64,
    /// Since when it has a call outstanding.
    since_ns: u64,
    /// End of its last call; missing before the first, and after a call with unknown end.
    free_ns: Option<u64>,
    last_ns: u64,
    busy_ns: u64,
}

impl Thread {
    fn span_ns(&self) -> u64 {
        self.last_ns.saturating_sub(self.first_ns)
    }
}

/// Counts of all threads, by the number of their lane.
#[derive(Default)]
pub struct ThreadsTally {
    threads: Vec<Thread>,
    /// Calls of the other threads.
    further_calls: u64,
    between: Histogram,
}

impl ThreadsTally {
    fn thread(&mut self, lane: u32) -> Option<&mut Thread> {
        let index = usize::try_from(lane).ok()?;
        if index >= THREADS_MAX {
            return None;
        }
        if self.threads.len() <= index {
            self.threads.resize(index + 1, Thread::default());
        }
        self.threads.get_mut(index)
    }

    pub fn name(&mut self, lane: u32, name: &str) {
        if let Some(thread) = self.thread(lane) {
            thread.name = Some(name.into());
        }
    }

    pub fn name_of(&self, lane: u32) -> Option<String> {
        let thread = self.threads.get(usize::try_from(lane).ok()?)?;
        thread.name.as_deref().map(str::to_string)
    }

    /// A call was made.
    pub fn make(&mut self, lane: u32, at_ns: u64) {
        let Some(thread) = self.thread(lane) else {
            self.further_calls += 1;
            return;
        };
        if thread.calls == 0 {
            (thread.first_ns, thread.last_ns) = (at_ns, at_ns);
        }
        thread.calls += 1;
        thread.outstanding += 1;
        if thread.outstanding > 1 {
            return;
        }
        thread.since_ns = at_ns;
        if let Some(free_ns) = thread.free_ns.take() {
            self.between.record(at_ns.saturating_sub(free_ns));
        }
    }

    /// A call was answered.
    pub fn end(&mut self, lane: u32, at_ns: u64) {
        let Some(thread) = self.thread(lane).filter(|of| of.outstanding > 0) else {
            return;
        };
        thread.outstanding -= 1;
        thread.last_ns = thread.last_ns.max(at_ns);
        if thread.outstanding == 0 {
            let busy_ns = at_ns.saturating_sub(thread.since_ns);
            thread.busy_ns = thread.busy_ns.saturating_add(busy_ns);
            thread.free_ns = Some(at_ns);
        }
    }

    /// A call has no answer: what passed since it was made is neither.
    pub fn forget(&mut self, lane: u32) {
        if let Some(thread) = self.thread(lane).filter(|of| of.outstanding > 0) {
            thread.outstanding -= 1;
            thread.free_ns = None;
        }
    }

    /// The time between calls; `None` where no thread made a second one.
    pub fn think_time(&self) -> Option<ThinkTime> {
        let spans_ns: f64 = self.threads.iter().map(|of| of.span_ns() as f64).sum();
        let sum_ns = self.between.sum_ns() as f64;
        (self.between.count() > 0 && spans_ns > 0.0).then(|| ThinkTime {
            between_calls: latency(&self.between),
            sum_ns,
            share: sum_ns / spans_ns,
        })
    }

    /// The figures in a trace that took so long; `None` where no thread has a name.
    pub fn figures(self, span_ns: u64, has_responses: bool) -> Option<Threads> {
        let mut threads: Vec<Thread> = self.threads;
        threads.retain(|of| of.calls > 0 && of.name.is_some());
        if threads.is_empty() {
            return None;
        }
        threads.sort_by_key(|of| std::cmp::Reverse((of.busy_ns, of.calls)));
        let rest = threads.get(LISTED..).unwrap_or_default();
        let figures = |of: &Thread| {
            let busy_ns = has_responses.then_some(of.busy_ns as f64);
            ThreadFigures {
                name: of.name.as_deref().unwrap_or_default().to_string(),
                calls: of.calls,
                span_ns: of.span_ns(),
                busy_ns,
                busy_share: busy_ns
                    .filter(|_| span_ns > 0)
                    .map(|ns| ns / span_ns as f64),
            }
        };
        Some(Threads {
            count: threads.len() as u64,
            most: threads.iter().take(LISTED).map(figures).collect(),
            rest_calls: self.further_calls + rest.iter().map(|of| of.calls).sum::<u64>(),
            rest_busy_ns: rest.iter().map(|of| of.busy_ns as f64).sum(),
        })
    }
}
