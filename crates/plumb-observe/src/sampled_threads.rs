//! What does each thread of a program wait for? Looked up in /proc many times a second, as any user may for their own programs.
//!
//! The time of a thread on a CPU and waiting for one is what the kernel counted (schedstat); only what a thread was blocked in between is sampled.

mod thread;

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use plumb_model::trace::events::ThreadLife;
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

use crate::event_sink::EventSink;
use crate::live_calls::name_mounts;
use crate::observer::own_cpu_ns;
use crate::system::allow_open_files;
use crate::system::blocked::Lookup;
use crate::system::processes::{children_of, threads_of};

use thread::Thread;

/// Threads that are followed at most.
const THREADS_MAX: usize = 4096;
/// From so many on, their files need more than the usual limit.
const FEW: usize = 256;
/// The children of every thread are looked for once in so many looks for new threads; of the first thread, each time.
const ALL_CHILDREN_EACH: u64 = 16;
/// Between two looks for new threads and processes.
const DISCOVER_NS: u64 = 5_000_000;

/// For so long after its begin a thread may get its name.
const NAMED_NS: u64 = 100_000_000;

/// The threads of a program that runs.
pub struct SampledThreads<'a> {
    event_sink: EventSink<'a>,
    lookup: Lookup,
    /// By process and thread.
    threads: BTreeMap<(u32, u32), Thread>,
    processes: Vec<u32>,
    lanes: u32,
    discovered_ns: u64,
    discoveries: u64,
    cpu_ns_before: Option<u64>,
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

impl<'a> SampledThreads<'a> {
    /// Of a process, and of those that it starts from now on.
    pub fn of(process: u32, receiver: &'a mut dyn TraceReceiver) -> SampledThreads<'a> {
        name_mounts(&mut |point, file_system, source| receiver.mount(point, file_system, source));
        SampledThreads {
            event_sink: EventSink::new(receiver, "samples"),
            lookup: Lookup::new(),
            threads: BTreeMap::new(),
            processes: vec![process],
            lanes: 0,
            discovered_ns: 0,
            discoveries: 0,
            cpu_ns_before: own_cpu_ns(),
        }
    }

    /// Looks at every thread once. Returns false if none is left.
    pub fn look(&mut self) -> bool {
        let at_ns = now_ns();
        if at_ns.saturating_sub(self.discovered_ns) >= DISCOVER_NS {
            self.discover(at_ns);
        }
        self.event_sink.facts.records += 1;
        let mut ended = Vec::new();
        for (id, thread) in &mut self.threads {
            if !thread.look(at_ns, &mut self.lookup, &mut self.event_sink) {
                ended.push(*id);
            }
        }
        for id in ended {
            self.end_thread(id, at_ns);
        }
        !self.threads.is_empty()
    }

    /// CPU time of plumb since the begin, in nanoseconds; `None` where the system does not report it.
    pub fn cost_ns(&self) -> Option<u64> {
        Some(own_cpu_ns()?.saturating_sub(self.cpu_ns_before?))
    }

    /// The program has ended, or is followed no more.
    pub fn end(mut self) -> TraceFacts {
        let at_ns = now_ns();
        for id in self.threads.keys().copied().collect::<Vec<_>>() {
            self.end_thread(id, at_ns);
        }
        self.event_sink.facts.cpu_ns = self.cost_ns();
        self.event_sink.close()
    }

    fn end_thread(&mut self, id: (u32, u32), at_ns: u64) {
        let Some(mut thread) = self.threads.remove(&id) else {
            return;
        };
        thread.end(&mut self.event_sink);
        self.event_sink.ended(ThreadLife {
            lane: thread.lane,
            begin_ns: thread.begin_ns,
            end_ns: thread.seen_ns.min(at_ns).max(thread.begin_ns),
        });
    }

    /// Finds threads and processes that are new.
    fn discover(&mut self, at_ns: u64) {
        self.discovered_ns = at_ns;
        let of_all = self.discoveries.is_multiple_of(ALL_CHILDREN_EACH);
        self.discoveries += 1;
        let mut place = 0;
        while let Some(process) = self.processes.get(place).copied() {
            let threads = threads_of(process);
            if threads.is_empty() {
                self.processes.remove(place);
                continue;
            }
            for thread in threads {
                self.begin_thread((process, thread), at_ns);
                if of_all || thread == process {
                    self.children(process, thread);
                }
            }
            place += 1;
        }
    }

    fn begin_thread(&mut self, (process, thread): (u32, u32), at_ns: u64) {
        if let Some(known) = self.threads.get_mut(&(process, thread)) {
            if at_ns.saturating_sub(known.begin_ns) < NAMED_NS && known.is_renamed() {
                self.event_sink
                    .name_lane(known.lane, &format!("{thread} {}", known.command));
            }
            return;
        }
        if self.threads.len() >= THREADS_MAX {
            return;
        }
        if self.threads.len() == FEW {
            allow_open_files(2 * THREADS_MAX as u64 + 256);
        }
        let Some(begun) = Thread::begin(process, thread, self.lanes, at_ns) else {
            return;
        };
        self.event_sink
            .name_lane(self.lanes, &format!("{thread} {}", begun.command));
        self.lanes += 1;
        self.threads.insert((process, thread), begun);
    }

    fn children(&mut self, process: u32, thread: u32) {
        for child in children_of(process, thread) {
            if !self.processes.contains(&child) {
                self.processes.push(child);
            }
        }
    }
}

#[cfg(test)]
mod tests;
