//! The loop against an engine with known service times on a virtual clock: pacing, budgets and latencies are asserted exactly.

use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crossbeam_channel::unbounded;
use plumb_model::histogram::Histogram;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::{Arrivals, Offsets, Weighted};
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::feed::FeedParts;
use crate::offsets::{KindSequence, OffsetSequence, Span};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

/// Completes operations after a drawn service time of virtual time; up to `servers` at once, the others wait in its queue.
struct Simulated {
    clock: Clock,
    service: Box<dyn FnMut() -> u64>,
    /// When each server is free again.
    servers: Vec<u64>,
    /// Completions to come, the earliest first.
    coming: BinaryHeap<std::cmp::Reverse<(u64, u32, i32)>>,
    /// (from, to): nothing completes in between.
    stall: (u64, u64),
    result_of: fn(&Op) -> i32,
}

impl Engine for Simulated {
    fn submit(&mut self, ops: &[Op], _: &mut Vec<Done>) -> io::Result<()> {
        let now = self.clock.now_ns();
        for op in ops {
            let free = self.servers.iter_mut().min().expect("a server");
            let mut end = now.max(*free) + (self.service)();
            if (self.stall.0..self.stall.1).contains(&end) {
                end = self.stall.1;
            }
            *free = end;
            self.coming.push(std::cmp::Reverse((end, op.slot, (self.result_of)(op))));
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let now = self.clock.now_ns();
        let first = self.coming.peek().map_or(u64::MAX, |next| next.0.0);
        match wait {
            Wait::No => {}
            Wait::One => self.clock.pass(first.saturating_sub(now)),
            Wait::AtMost(ns) => self.clock.pass(first.saturating_sub(now).min(ns)),
        }
        let now = self.clock.now_ns();
        while let Some(next) = self.coming.peek().filter(|next| next.0.0 <= now) {
            done.push(Done { slot: next.0.1, result: next.0.2 });
            self.coming.pop();
        }
        Ok(())
    }

    fn close(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// What came out of a simulated step.
struct Outcome {
    ticks: Vec<TickBuffer>,
    stopped: Stopped,
}

impl Outcome {
    fn sum(&self, of: impl Fn(&TickBuffer) -> Option<&Histogram>) -> Histogram {
        let mut sum = Histogram::default();
        self.ticks.iter().filter(|tick| tick.phase != Phase::WarmUp).filter_map(of).for_each(|part| sum.merge(part));
        sum
    }

    fn service(&self) -> Histogram {
        self.sum(|tick| tick.kinds.iter().map(|kind| &kind.service).find(|service| service.count() > 0))
    }

    fn response(&self) -> Histogram {
        self.sum(|tick| tick.kinds.iter().filter_map(|kind| kind.response.as_ref()).find(|response| response.count() > 0))
    }

    fn measured(&self) -> impl Iterator<Item = &TickBuffer> {
        self.ticks.iter().filter(|tick| tick.phase == Phase::Measure)
    }

    fn operations(&self) -> u64 {
        self.measured().map(TickBuffer::operations).sum()
    }
}

struct Simulation {
    workload: Workload,
    service: Box<dyn FnMut() -> u64>,
    servers: usize,
    stall: (u64, u64),
    result_of: fn(&Op) -> i32,
    /// Tickets of a shared stream that this worker has drawn.
    stream: Arc<AtomicU64>,
}

fn simulation(workload: Workload) -> Simulation {
    Simulation {
        workload,
        service: Box::new(|| 100_000),
        servers: 1000,
        stall: (u64::MAX, u64::MAX),
        result_of: |op| op.len as i32,
        stream: Arc::default(),
    }
}

impl Simulation {
    fn run(self) -> Outcome {
        let clock = Clock::simulated();
        let (workload, depth) = (&self.workload, self.workload.depth);
        let (reports, incoming) = unbounded();
        let (_recycle, spare) = unbounded();
        let task = Task {
            worker: 0,
            workload,
            timeline: Timeline {
                start_ns: MS,
                warm_up_ns: workload.warm_up.0,
                time_ns: workload.time.map(|time| time.0),
                interval_ns: workload.interval.0,
            },
            clock,
            stop: &AtomicBool::new(false),
            main_ended: &AtomicBool::new(false),
            operations_max: workload.operations,
            bytes_max: workload.bytes.map(|bytes| bytes.0),
            stamp_each: true,
            batch: depth.min(16),
            asynchronous: true,
            schedule: workload.rate.map(|rate| Schedule::new(workload.arrivals, rate, MS, 0, 1, 7)),
            reports,
            job: 0,
            spare,
        };
        let engine = Simulated {
            clock,
            service: self.service,
            servers: vec![0; self.servers],
            coming: BinaryHeap::new(),
            stall: self.stall,
            result_of: self.result_of,
        };
        let feed = Feed::new(FeedParts {
            workload,
            kinds: KindSequence::new(workload, 1, 0).expect("kinds"),
            offsets: Some(OffsetSequence::new(workload, Span { start: 0, len: 1 << 30 }, 0, 1, 1, Some(self.stream)).expect("offsets")),
            content: None,
            live_files: None,
            verifier: None,
            file: 0,
            worker: 0,
            depth,
            seed: 1,
        })
        .expect("feed");
        let mut buffers = Buffers::new(1, 4096).expect("buffers");
        Worker::new(task, Box::new(engine), &mut buffers, feed, depth).work();
        let mut outcome = Outcome { ticks: Vec::new(), stopped: Stopped::Signal };
        for (_, report) in incoming.try_iter() {
            match report {
                Report::Tick { tick, .. } => outcome.ticks.push(*tick),
                Report::Ended { stopped, .. } => outcome.stopped = stopped,
                Report::FirstError { .. } | Report::Mismatch { .. } => {}
            }
        }
        outcome
    }
}

fn workload() -> Workload {
    Workload { time: Some(Nanos::SECOND), interval: Nanos(100 * MS), ..Workload::default() }
}

fn near(got: f64, wanted: f64, percent: f64, what: &str) {
    assert!((got / wanted - 1.0).abs() * 100.0 <= percent, "{what}: {got} instead of {wanted}");
}

#[test]
fn a_closed_loop_keeps_its_depth_and_obeys_littles_law() {
    for depth in [1, 4, 32] {
        let outcome = simulation(Workload { depth, ..workload() }).run();
        assert_eq!(outcome.stopped, Stopped::Time);
        near(outcome.operations() as f64, f64::from(depth) * 10_000.0, 3.0, "operations");
        near(outcome.service().mean_ns().expect("samples"), 100_000.0, 3.0, "service time");
        let in_flight = outcome.service().sum_ns() as f64 / SECOND as f64;
        near(in_flight, f64::from(depth), 3.0, "depth by Little's law");
    }
}

#[test]
fn intervals_are_contiguous_and_add_up() {
    let outcome = simulation(Workload { depth: 4, ..workload() }).run();
    let ticks: Vec<_> = outcome.measured().collect();
    assert_eq!(ticks.len(), 10);
    assert_eq!(ticks[0].start_ns, MS);
    for pair in ticks.windows(2) {
        assert_eq!(pair[0].end_ns, pair[1].start_ns);
        assert_eq!(pair[0].index + 1, pair[1].index);
    }
}

/// A stop of the target for 2 s of 10 s at 1,000 operations per second: a fifth of the operations wait, up to 2 s. A generator that measures from
/// the submission sees next to nothing of it (coordinated omission).
#[test]
fn a_stall_shows_in_the_response_times_of_all_operations_that_were_due() {
    let outcome = Simulation {
        stall: (4 * SECOND, 6 * SECOND),
        ..simulation(Workload { rate: Some(1000.0), time: Some(Nanos(10 * SECOND)), depth: 1, ..workload() })
    }
    .run();
    let (response, service) = (outcome.response(), outcome.service());
    near(response.count() as f64, 10_000.0, 0.1, "operations");
    let late: u64 = response.buckets().filter(|(low, _, _)| *low > 10 * MS).map(|(_, _, count)| count).sum();
    // With a service time of 0.1 ms the backlog of 2,000 takes 0.2 s, in which 222 more operations come late.
    near(late as f64, 2000.0 + 211.0, 2.0, "late operations");
    near(response.max_ns().expect("samples") as f64, 2.0e9, 0.1, "the longest response");
    let slow: u64 = service.buckets().filter(|(low, _, _)| *low > 10 * MS).map(|(_, _, count)| count).sum();
    assert_eq!(slow, 1, "only one operation was in service during the stall");
}

/// Mean response of a single server with Poisson arrivals (Pollaczek-Khinchine): E[R] = E[S] + rate E[S^2] / (2 (1 - rho)).
#[test]
fn poisson_arrivals_queue_as_the_formula_says() {
    for (rate, service_of) in [(5000.0, None), (7000.0, None), (4000.0, Some(500_000u64))] {
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(3);
        // Constant 100 us, or 5 % at 500 us and the rest at 79 us (mean 100.05).
        let service = move || match service_of {
            Some(long) if random.next_u64() % 20 == 0 => long,
            Some(_) => 79_000,
            None => 100_000,
        };
        let (mean, square) = match service_of {
            None => (100e3, 1e10),
            Some(long) => (0.05 * long as f64 + 0.95 * 79e3, 0.05 * (long as f64).powi(2) + 0.95 * 79e3f64.powi(2)),
        };
        let rho = rate * mean / 1e9;
        let wanted = mean + rate / 1e9 * square / (2.0 * (1.0 - rho));
        let workload = Workload { rate: Some(rate), arrivals: Arrivals::Poisson, depth: 1, time: Some(Nanos(40 * SECOND)), ..workload() };
        let outcome = Simulation { service: Box::new(service), ..simulation(workload) }.run();
        near(outcome.response().mean_ns().expect("samples"), wanted, 4.0, "mean response");
        near(outcome.operations() as f64, rate * 40.0, 1.0, "operations");
    }
}

#[test]
fn operations_due_and_never_submitted_are_told() {
    let outcome = simulation(Workload { rate: Some(20_000.0), depth: 1, ..workload() }).run();
    let backlog = outcome.measured().last().and_then(|tick| tick.backlog).expect("open loop");
    near(backlog as f64, 10_000.0, 2.0, "backlog: 20,000 were due, 10,000 could be served");
    // What is due at the very end, or after the last operation asked for, is not missed.
    for (rate, operations) in [(1000.0, None), (3000.0, None), (1.0, None), (20_000.0, Some(100))] {
        let kept = simulation(Workload { rate: Some(rate), depth: 1, operations, ..workload() }).run();
        let backlog = kept.measured().last().and_then(|tick| tick.backlog);
        assert_eq!((kept.operations(), backlog), (operations.unwrap_or(rate as u64), Some(0)), "{rate} {operations:?}");
    }
}

#[test]
fn a_shared_stream_is_drawn_at_need() {
    for (depth, rate) in [(1, None), (4, None), (32, None), (4, Some(5000.0))] {
        let stream = Arc::new(AtomicU64::new(0));
        let workload = Workload { layout: Layout::Stream, workers: 2, depth, rate, offsets: Offsets::Sequential, ..workload() };
        let outcome = Simulation { stream: stream.clone(), ..simulation(workload) }.run();
        let submitted: u64 = outcome.ticks.iter().map(TickBuffer::operations).sum();
        let drawn = stream.load(Ordering::Relaxed);
        // A single operation of a schedule may be drawn and not yet due.
        assert!(
            submitted > 1000 && drawn - submitted <= u64::from(rate.is_some()),
            "{depth} {rate:?}: {drawn} drawn, {submitted} submitted"
        );
    }
}

#[test]
fn budgets_are_used_up_exactly() {
    let counted = simulation(Workload { operations: Some(1003), time: None, depth: 32, ..workload() }).run();
    assert_eq!((counted.operations(), counted.stopped), (1003, Stopped::Operations));
    let sized = simulation(Workload { bytes: Some(Bytes(10 * 4096 + 1)), time: None, depth: 4, ..workload() }).run();
    assert_eq!((sized.operations(), sized.stopped), (11, Stopped::Bytes));
    let warm = simulation(Workload { operations: Some(500), time: None, warm_up: Nanos(50 * MS), depth: 8, ..workload() }).run();
    assert_eq!((warm.operations(), warm.stopped), (500, Stopped::Operations));
    let open = simulation(Workload { operations: Some(77), time: None, rate: Some(5000.0), depth: 8, ..workload() }).run();
    assert_eq!((open.operations(), open.stopped), (77, Stopped::Operations));
}

#[test]
fn warm_up_is_recorded_apart() {
    let outcome = simulation(Workload { warm_up: Nanos(500 * MS), ..workload() }).run();
    let warm: u64 = outcome.ticks.iter().filter(|tick| tick.phase == Phase::WarmUp).map(TickBuffer::operations).sum();
    near(warm as f64, 5000.0, 2.0, "operations of the warm-up");
    near(outcome.operations() as f64, 10_000.0, 1.5, "operations measured");
}

#[test]
fn think_time_and_bursts_slow_the_loop_as_asked() {
    let thinking = simulation(Workload { think_time: Nanos(900_000), depth: 2, ..workload() }).run();
    near(thinking.operations() as f64, 2000.0, 2.0, "0.1 ms service and 0.9 ms thought, two slots");
    let bursts = simulation(Workload { burst_operations: 100, burst_pause: Nanos(90 * MS), depth: 1, ..workload() }).run();
    near(bursts.operations() as f64, 1000.0, 3.0, "100 operations of 0.1 ms in each 100 ms");
}

#[test]
fn a_flush_follows_every_so_many_writes() {
    let mix = Weighted::only(OperationKind::Write);
    let outcome = simulation(Workload { mix, fsync_every: 9, operations: Some(1000), time: None, ..workload() }).run();
    let count = |kind| {
        outcome
            .measured()
            .flat_map(|tick| &tick.kinds)
            .filter(|counted| counted.kind == kind)
            .map(|counted| counted.service.count())
            .sum::<u64>()
    };
    assert_eq!((count(OperationKind::Write), count(OperationKind::Flush)), (900, 100));
}

#[test]
fn failures_are_data_and_nothing_but_failures_ends_the_step() {
    let half =
        Simulation { result_of: |op| if op.offset % 8192 == 0 { -libc::EIO } else { op.len as i32 }, ..simulation(workload()) }.run();
    assert_eq!(half.stopped, Stopped::Time);
    let errors: u64 = half.measured().flat_map(|tick| &tick.kinds).flat_map(|kind| kind.errors.values()).sum();
    near(errors as f64, 5000.0, 10.0, "errors");
    assert!(half.operations() > 0 && half.measured().flat_map(|tick| &tick.kinds).all(|kind| kind.errors.keys().all(|name| name == "EIO")));

    let short = Simulation { result_of: |op| op.len as i32 / 2, ..simulation(workload()) }.run();
    assert!(matches!(&short.stopped, Stopped::Error(error) if error.contains("short")), "{:?}", short.stopped);
    assert_eq!(short.operations(), 0);
}

/// A target that is full or gone ends the step in the middle of an interval: what failed until then is recorded.
#[test]
fn failures_that_end_a_step_are_all_counted() {
    for depth in [1, 32] {
        let gone = Simulation { result_of: |_| -libc::ENOSPC, ..simulation(Workload { depth, ..workload() }) }.run();
        assert!(matches!(&gone.stopped, Stopped::Error(text) if text.contains("ENOSPC")), "{:?}", gone.stopped);
        let errors: u64 = gone.measured().flat_map(|tick| &tick.kinds).flat_map(|kind| kind.errors.values()).sum();
        assert!((FAILURES_IN_A_ROW_MAX..FAILURES_IN_A_ROW_MAX + u64::from(depth)).contains(&errors), "{depth}: {errors}");
    }
}
