//! How would an application do at a storage whose limits are known? Both on a virtual clock, seeded: the same scene gives the same calls for ever.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use plumb_analyse::trace::TraceTally;
use plumb_model::trace::capture::{CaptureFacts, Connection, Credits};
use plumb_model::trace::events::{Answered, Call, CallClass, TraceEvent};
use plumb_model::trace::summary::TraceSummary;

/// What limits, and what asks.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Threads of the application, each with one call at a time.
    pub threads: usize,
    /// Mean of the time between an answer and the next call of a thread, in nanoseconds; exponentially distributed.
    pub think_ns: f64,
    /// Sizes of requests in bytes, drawn evenly between these.
    pub size: (u64, u64),
    pub class: CallClass,
    /// Offsets are drawn; else each request of a thread begins where its last one ended.
    pub random: bool,
    /// Metadata calls after every so many requests, and how many; 0: none.
    pub metadata_every: u32,
    pub metadata_calls: u32,
    /// A flush after every so many requests; 0: none.
    pub flush_every: u32,
    /// Requests that the server works on at once.
    pub slots: usize,
    /// Mean time of the server for a request, a metadata call, and a flush, and the spread of the first two (standard deviation of the logarithm).
    pub request_ns: f64,
    pub metadata_ns: f64,
    pub flush_ns: f64,
    pub spread: f64,
    /// Bytes per second on the way back, one answer after the other.
    pub path_bytes_per_s: f64,
    pub round_trip_ns: f64,
    /// Connections of the client, each with a core that does this work for an answer, one after the other, before the thread has it.
    pub connections: usize,
    pub core_ns_per_call: f64,
    pub core_ns_per_byte: f64,
    /// Calls that the server lets be outstanding.
    pub credits: usize,
    /// After this part of all requests, the server is slower by this factor.
    pub slower_after: Option<(f64, f64)>,
    /// Requests that are simulated.
    pub requests: u32,
    pub seed: u64,
}

/// A source of draws (S. Vigna, splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.share()).ln()
    }

    /// Log-normal with this mean.
    fn around(&mut self, mean: f64, spread: f64) -> f64 {
        let normal = (-2.0 * (1.0 - self.share()).ln()).sqrt()
            * (std::f64::consts::TAU * self.share()).cos();
        mean * (spread * normal - spread * spread / 2.0).exp()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The thread wants to make its next call.
    Wants,
    /// Its call reaches the server.
    Arrives,
    /// The server is done with it.
    Done,
    /// The answer has reached the client, whose core has work with it.
    Received,
    /// The answer is with the thread.
    Answered,
}

/// A thread with what it does.
struct Thread {
    call: Call,
    /// Requests so far, and calls that come before the next request.
    requests: u32,
    waiting_calls: Vec<&'static str>,
    offset: u64,
}

/// The world while it runs.
struct World<'a> {
    scene: &'a Scene,
    random: Random,
    /// Time, order, what, thread.
    events: BinaryHeap<Reverse<(u64, u64, What, usize)>>,
    order: u64,
    threads: Vec<Thread>,
    busy: usize,
    at_server: VecDeque<usize>,
    without_credit: VecDeque<usize>,
    outstanding: usize,
    outstanding_max: usize,
    last_credit: u64,
    path_free_ns: f64,
    /// When each core is free again, and how long it was busy.
    cores: Vec<(f64, f64)>,
    answered: u32,
    calls: u64,
    tally: TraceTally,
}

/// What came out: the trace as plumb sees it, and the rate of requests by the simulation's own count.
pub struct Outcome {
    pub trace: TraceSummary,
    pub requests_per_s: f64,
    /// Share of the time in which the busiest core of the client was busy.
    pub busiest_core: f64,
}

const BEGIN_NS: u64 = 1_700_000_000_000_000_000;

/// Runs the scene to its end.
pub fn simulate(scene: &Scene) -> Outcome {
    let call = Call {
        name: "READ",
        class: scene.class,
        at_ns: BEGIN_NS,
        lane: 0,
        file: None,
        offset: None,
        bytes: None,
        closes: false,
    };
    let thread = |_| Thread {
        call,
        requests: 0,
        waiting_calls: Vec::new(),
        offset: 0,
    };
    let mut world = World {
        scene,
        random: Random(scene.seed),
        events: BinaryHeap::new(),
        order: 0,
        threads: (0..scene.threads).map(thread).collect(),
        busy: 0,
        at_server: VecDeque::new(),
        without_credit: VecDeque::new(),
        outstanding: 0,
        outstanding_max: 0,
        last_credit: 0,
        path_free_ns: 0.0,
        cores: vec![(0.0, 0.0); scene.connections],
        answered: 0,
        calls: 0,
        tally: TraceTally::default(),
    };
    for thread in 0..scene.threads {
        let begin = world.random.exponential(scene.think_ns.max(100_000.0));
        world.plan(begin, What::Wants, thread);
    }
    let mut end_ns = 0;
    while world.answered < scene.requests {
        let Some(Reverse((at_ns, _, what, thread))) = world.events.pop() else {
            break;
        };
        end_ns = at_ns;
        world.happens(at_ns, what, thread);
    }
    let requests_per_s = f64::from(world.answered) * 1e9 / end_ns as f64;
    let busiest_ns = world
        .cores
        .iter()
        .map(|(_, busy)| *busy)
        .fold(0.0, f64::max);
    let facts = world.capture();
    Outcome {
        busiest_core: (busiest_ns / end_ns as f64).min(1.0),
        trace: world.tally.summary("scene.pcap".into(), "0", Some(facts)),
        requests_per_s,
    }
}

impl World<'_> {
    fn plan(&mut self, at_ns: f64, what: What, thread: usize) {
        self.order += 1;
        self.events
            .push(Reverse((at_ns.max(0.0) as u64, self.order, what, thread)));
    }

    fn happens(&mut self, at_ns: u64, what: What, thread: usize) {
        let now = at_ns as f64;
        match what {
            What::Wants if self.outstanding >= self.scene.credits => {
                self.without_credit.push_back(thread);
            }
            What::Wants => self.send(at_ns, thread),
            What::Arrives => {
                self.at_server.push_back(thread);
                self.serve(now);
            }
            What::Done => {
                self.busy -= 1;
                self.serve(now);
                let bytes = self.threads[thread].call.bytes.unwrap_or(0) as f64;
                let begin = self.path_free_ns.max(now);
                self.path_free_ns = begin + bytes * 1e9 / self.scene.path_bytes_per_s;
                let arrives = self.path_free_ns + self.scene.round_trip_ns / 2.0;
                let has_core = self.scene.core_ns_per_call + self.scene.core_ns_per_byte > 0.0;
                let then = if has_core {
                    What::Received
                } else {
                    What::Answered
                };
                self.plan(arrives, then, thread);
            }
            What::Received => {
                let bytes = self.threads[thread].call.bytes.unwrap_or(0) as f64;
                let work = self.scene.core_ns_per_call + self.scene.core_ns_per_byte * bytes;
                let (free, busy) = &mut self.cores[thread % self.scene.connections];
                *free = free.max(now) + work;
                *busy += work;
                let done = *free;
                self.plan(done, What::Answered, thread);
            }
            What::Answered => self.answer(at_ns, thread),
        }
    }

    fn send(&mut self, at_ns: u64, number: usize) {
        let scene = self.scene;
        let thread = &mut self.threads[number];
        let next = thread.waiting_calls.pop();
        let mut call = Call {
            at_ns: BEGIN_NS + at_ns,
            lane: number as u32,
            ..thread.call
        };
        (call.name, call.class) = match next {
            Some(name) => (name, CallClass::Metadata),
            None if scene.class == CallClass::Read => ("READ", CallClass::Read),
            None => ("WRITE", CallClass::Write),
        };
        (call.bytes, call.offset, call.file) = (None, None, Some(number as u64));
        if next.is_none() {
            let (least, most) = scene.size;
            let bytes = least + (self.random.share() * (most - least) as f64) as u64;
            if scene.random {
                thread.offset = self.random.next() >> 24;
            }
            (call.bytes, call.offset) = (Some(bytes), Some(thread.offset));
            thread.offset += bytes;
        }
        thread.call = call;
        self.outstanding += 1;
        self.outstanding_max = self.outstanding_max.max(self.outstanding);
        self.last_credit += u64::from(self.outstanding == scene.credits);
        self.calls += 1;
        self.tally.take(&TraceEvent::Made(call));
        self.plan(
            at_ns as f64 + scene.round_trip_ns / 2.0,
            What::Arrives,
            number,
        );
    }

    fn serve(&mut self, now: f64) {
        while self.busy < self.scene.slots
            && let Some(thread) = self.at_server.pop_front()
        {
            self.busy += 1;
            let scene = self.scene;
            let part = f64::from(self.answered) / f64::from(scene.requests);
            let slower = scene
                .slower_after
                .filter(|(after, _)| part > *after)
                .map_or(1.0, |(_, factor)| factor);
            let mean = match self.threads[thread].call.name {
                "FLUSH" => scene.flush_ns,
                "READ" | "WRITE" => scene.request_ns,
                _ => scene.metadata_ns,
            };
            let takes = self.random.around(mean * slower, scene.spread);
            self.plan(now + takes, What::Done, thread);
        }
    }

    fn answer(&mut self, at_ns: u64, number: usize) {
        let scene = self.scene;
        let call = self.threads[number].call;
        self.tally.take(&TraceEvent::Answered(Answered {
            call,
            at_ns: BEGIN_NS + at_ns,
            moved_bytes: call.bytes,
            status: None,
            round_trip_ns: Some(scene.round_trip_ns as u64),
            was_pending: false,
        }));
        self.outstanding -= 1;
        if let Some(waiting) = self.without_credit.pop_front() {
            self.plan(at_ns as f64, What::Wants, waiting);
        }
        let is_request = call.bytes.is_some();
        self.answered += u32::from(is_request);
        let thread = &mut self.threads[number];
        if is_request {
            thread.requests += 1;
            let due = |every: u32| every > 0 && thread.requests.is_multiple_of(every);
            if due(scene.metadata_every) {
                let names = ["CREATE", "QUERY_INFO", "CLOSE"].iter().cycle();
                let calls = names.take(scene.metadata_calls as usize);
                thread.waiting_calls.extend(calls);
            }
            if due(scene.flush_every) {
                thread.waiting_calls.push("FLUSH");
            }
        }
        let pause = match is_request && scene.think_ns > 0.0 {
            true => self.random.exponential(scene.think_ns),
            false => 0.0,
        };
        self.plan(at_ns as f64 + pause, What::Wants, number);
    }

    /// What a capture of these calls would say of its connection.
    fn capture(&self) -> CaptureFacts {
        let round_trip = Some(self.scene.round_trip_ns as u64);
        CaptureFacts {
            packets: self.calls * 4,
            connections: vec![Connection {
                handshake_ns: round_trip,
                to_server_ns: round_trip,
                requests: self.calls,
                credits: Credits {
                    granted: self.scene.credits as u64,
                    used: self.calls,
                    outstanding_max: self.outstanding_max as u64,
                    left_min: Some(self.scene.credits as i64 - self.outstanding_max as i64),
                    last_credit: Some(self.last_credit),
                },
                ..Connection::default()
            }],
            connections_count: 1,
            ..CaptureFacts::default()
        }
    }
}
