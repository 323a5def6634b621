//! The loop against an engine with known service times on a virtual clock: pacing, budgets and latencies are asserted exactly.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::SplitLatency;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::{Arrivals, MinRate, Offsets, Weighted};
use rand_core::{Rng, SeedableRng};

use super::judging::FAILURES_IN_A_ROW_MAX;
use super::*;
use crate::engine::failure::FailureKind;
use crate::engine::operation::Outcome;
use crate::worker::simulated::{START_NS, SimulatedStep, Simulation};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

impl SimulatedStep {
    fn sum(&self, of: impl Fn(&TickBuffer) -> Option<&Histogram>) -> Histogram {
        let mut sum = Histogram::default();
        self.ticks
            .iter()
            .filter(|tick| tick.phase != Phase::WarmUp)
            .filter_map(of)
            .for_each(|part| sum.merge(part));
        sum
    }

    fn service(&self) -> Histogram {
        self.sum(|tick| {
            tick.kinds
                .iter()
                .map(|kind| &kind.service)
                .find(|service| service.count() > 0)
        })
    }

    fn response(&self) -> Histogram {
        self.sum(|tick| {
            tick.kinds
                .iter()
                .filter_map(|kind| kind.response.as_ref())
                .find(|response| response.count() > 0)
        })
    }

    fn measured(&self) -> impl Iterator<Item = &TickBuffer> {
        self.ticks
            .iter()
            .filter(|tick| tick.phase == Phase::Measure)
    }

    fn operations(&self) -> u64 {
        self.measured().map(TickBuffer::operations).sum()
    }
}

fn workload() -> Workload {
    Workload {
        time: Some(Nanos::SECOND),
        interval: Nanos(100 * MS),
        ..Workload::default()
    }
}

fn near(got: f64, expected: f64, percent: f64, what: &str) {
    assert!(
        (got / expected - 1.0).abs() * 100.0 <= percent,
        "{what}: {got} instead of {expected}"
    );
}

/// A receiver waits for its sender: that is no part of the measurement, of its response times or of its schedule.
#[test]
fn the_measurement_begins_with_the_other_end() {
    for rate in [None, Some(1000.0)] {
        let waited = |begins_ns, stop_after| {
            let mut simulation = Simulation::of(Workload {
                rate,
                time: Some(stop_after),
                ..workload()
            });
            simulation.begins_ns = begins_ns;
            simulation.run().expect("a step")
        };
        let (at_once, late) = (
            waited(0, Nanos::SECOND),
            waited(START_NS + 5 * SECOND, Nanos::SECOND),
        );
        assert_eq!(late.stopped, Stopped::Time);
        assert_eq!(late.operations(), at_once.operations(), "{rate:?}");
        assert!(late.ticks.iter().all(|tick| tick.start_ns >= 5 * SECOND));
        // In a closed loop there are none.
        let longest = |step: &SimulatedStep| step.response().max_ns().unwrap_or(1) as f64;
        near(longest(&late), longest(&at_once), 1.0, "longest response");
        // It gives up after the time of the measurement, and not before 10 s.
        let never = waited(u64::MAX, Nanos::SECOND);
        let Stopped::Error(why) = never.stopped else {
            panic!("{:?}", never.stopped);
        };
        assert_eq!(why.id, "other-end-has-not-begun");
        assert!(never.ticks.iter().all(|tick| tick.start_ns <= START_NS));
    }
}

#[test]
fn a_closed_loop_keeps_its_depth_and_obeys_littles_law() {
    for depth in [1, 4, 32] {
        let outcome = Simulation::of(Workload {
            depth,
            ..workload()
        })
        .run()
        .expect("a step");
        assert_eq!(outcome.stopped, Stopped::Time);
        near(
            outcome.operations() as f64,
            f64::from(depth) * 10_000.0,
            3.0,
            "operations",
        );
        near(
            outcome.service().mean_ns().expect("samples"),
            100_000.0,
            3.0,
            "service time",
        );
        let in_flight = outcome.service().sum_ns() as f64 / SECOND as f64;
        near(in_flight, f64::from(depth), 3.0, "depth by Little's law");
    }
}

/// How many operations were submitted together each time, where the first `at_once` of them end at once and the others after 0.1 ms.
fn batch_sizes(depth: u32, at_once: u64) -> Vec<usize> {
    let mut number = 0;
    let service = move || {
        number += 1;
        if number <= at_once { 0 } else { 100_000 }
    };
    let workload = Workload {
        depth,
        operations: Some(2000),
        time: None,
        ..workload()
    };
    let outcome = Simulation {
        service: Box::new(service),
        ..Simulation::of(workload)
    };
    let submitted = outcome.run().expect("a step").submitted;
    assert_eq!(submitted.len(), 2000);
    let together = submitted.chunk_by(|(one, _), (other, _)| one == other);
    together.map(<[_]>::len).collect()
}

#[test]
fn batches_follow_what_the_target_shows() {
    // Operations are drawn by sixteens, and a batch ends with them.
    let at_once = batch_sizes(32, u64::MAX);
    assert_eq!(at_once[..5], [2, 4, 8, 2, 16]);
    assert!(at_once[4..].iter().all(|size| *size == 16), "{at_once:?}");
    let later = batch_sizes(32, 0);
    assert!(later.iter().all(|size| *size <= 2), "{later:?}");
    let changed = batch_sizes(32, 1000);
    let last_large = changed.iter().rposition(|size| *size > 2);
    let until: usize = changed[..=last_large.expect("large ones")].iter().sum();
    assert!((1000..1016 + 16).contains(&until), "{changed:?}");
    // Where the queue holds no more than a batch, whether completions are there is still seen without waiting.
    assert_eq!(batch_sizes(8, u64::MAX)[..5], [1, 2, 4, 8, 1]);
    assert!(batch_sizes(8, 0).iter().all(|size| *size == 1));
    assert!(batch_sizes(1, u64::MAX).iter().all(|size| *size == 1));
}

#[test]
fn submission_and_completion_are_the_parts_of_each_service_time() {
    let paced = Workload {
        rate: Some(1000.0),
        depth: 4,
        ..workload()
    };
    let closed = Workload {
        depth: 4,
        ..workload()
    };
    for workload in [closed, paced] {
        let mut simulation = Simulation::of(workload.clone());
        simulation.acceptance_ns = 5000;
        let outcome = simulation.run().expect("a step");
        let part = |of: fn(&SplitLatency) -> &Histogram| {
            let of_tick = |tick: &TickBuffer| {
                let mut splits = tick.kinds.iter().filter_map(|kind| kind.split.clone());
                splits.find(|split| split.submission.count() > 0)
            };
            let mut sum = Histogram::default();
            let measured = outcome.ticks.iter();
            let measured = measured.filter(|tick| tick.phase != Phase::WarmUp);
            measured
                .filter_map(of_tick)
                .for_each(|split| sum.merge(of(&split)));
            sum
        };
        let (submission, completion) = (part(|of| &of.submission), part(|of| &of.completion));
        let service = outcome.service();
        assert_eq!(submission.count(), service.count());
        assert_eq!(submission.sum_ns() + completion.sum_ns(), service.sum_ns());
        let (min, max) = (submission.min_ns(), submission.max_ns());
        assert!(min >= Some(5000) && max < Some(6000), "{min:?} {max:?}");
        let without = Simulation::of(workload).run().expect("a step");
        let kinds = without.ticks.iter().flat_map(|tick| &tick.kinds);
        assert!(kinds.into_iter().all(|kind| kind.split.is_none()));
    }
}

#[test]
fn a_kind_with_a_rate_of_its_own_gives_way_to_the_other() {
    let outcome = Simulation::of(Workload {
        mix: "read:5,write:95".parse().expect("a mix"),
        kind_rates: Some("write:1000".parse().expect("rates")),
        depth: 4,
        ..workload()
    })
    .run()
    .expect("a step");
    let count = |kind| {
        let of = outcome.submitted.iter().filter(|(_, op)| op.kind == kind);
        of.count() as f64
    };
    near(count(OperationKind::Write), 1000.0, 1.0, "writes");
    near(count(OperationKind::Read), 39_000.0, 5.0, "reads");
}

/// Seen with fio 3.33: with iodepth=8 and iodepth_low=2 a full queue is filled again when two are left.
#[test]
fn a_queue_runs_low_before_it_is_filled_again() {
    let outcome = Simulation::of(Workload {
        depth: 8,
        refill_at: Some(2),
        operations: Some(800),
        time: None,
        ..workload()
    })
    .run()
    .expect("a step");
    assert_eq!(outcome.stopped, Stopped::Operations);
    let mut bursts: Vec<u64> = Vec::new();
    let mut last = 0;
    for (time, _) in &outcome.submitted {
        // Reading the clock takes simulated time too, far less than an operation.
        match bursts.last_mut() {
            Some(count) if *time < last + 10_000 => *count += 1,
            _ => bursts.push(1),
        }
        last = *time;
    }
    // One of the eight takes longer each time: fewer refills than operations.
    assert!(bursts.iter().all(|count| *count >= 6), "{bursts:?}");
}

#[test]
fn an_operation_that_takes_too_long_ends_the_step() {
    let limited = |limit| {
        let outcome = Simulation::of(Workload {
            max_latency: Some(Nanos(limit)),
            ..workload()
        });
        outcome.run().expect("a step").stopped
    };
    assert_eq!(limited(2 * MS), Stopped::Time);
    let Stopped::Error(reason) = limited(50_000) else {
        panic!("0.1 ms is longer than 0.05 ms");
    };
    assert_eq!(reason.id, "operation-took-too-long");
}

#[test]
fn a_rate_below_its_minimum_ends_the_step_after_it_has_settled() {
    let limited = |least| {
        let outcome = Simulation::of(Workload {
            time: Some(Nanos(5 * SECOND)),
            min_rate: Some(MinRate::Iops(least)),
            ..workload()
        });
        let outcome = outcome.run().expect("a step");
        (outcome.stopped.clone(), outcome.operations())
    };
    let (stopped, _) = limited(9000.0);
    assert_eq!(stopped, Stopped::Time);
    let (stopped, operations) = limited(11_000.0);
    assert!(matches!(stopped, Stopped::Error(reason) if reason.id == "rate-below-its-minimum"));
    near(operations as f64, 21_000.0, 5.0, "operations in 2.1 s");
}

/// Operations further apart than intervals: 0.8 operations in a second, in intervals of 0.1 s.
#[test]
fn a_low_rate_is_judged_over_several_operations() {
    let limited = |least| {
        let outcome = Simulation::of(Workload {
            time: Some(Nanos(20 * SECOND)),
            rate: Some(0.8),
            min_rate: Some(least),
            ..workload()
        });
        outcome.run().expect("a step").stopped
    };
    for (least, holds) in [
        (MinRate::Iops(0.7), true),
        (MinRate::Iops(1.8), false),
        (MinRate::Bandwidth(Bytes(3000)), true),
        (MinRate::Bandwidth(Bytes(8000)), false),
    ] {
        assert_eq!(limited(least) == Stopped::Time, holds, "{least}");
    }
}

#[test]
fn intervals_are_contiguous_and_add_up() {
    let outcome = Simulation::of(Workload {
        depth: 4,
        ..workload()
    })
    .run()
    .expect("a step");
    let ticks: Vec<_> = outcome.measured().collect();
    assert_eq!(ticks.len(), 10);
    // A worker alone counts from when it looked at the clock last; the simulated one advances by 100 ns with each read.
    assert!(
        (START_NS..=START_NS + 100).contains(&ticks[0].start_ns),
        "{}",
        ticks[0].start_ns
    );
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
        ..Simulation::of(Workload {
            rate: Some(1000.0),
            time: Some(Nanos(10 * SECOND)),
            depth: 1,
            ..workload()
        })
    }
    .run()
    .expect("a step");
    let (response, service) = (outcome.response(), outcome.service());
    near(response.count() as f64, 10_000.0, 0.1, "operations");
    let late: u64 = response
        .buckets()
        .filter(|(low, _, _)| *low > 10 * MS)
        .map(|(_, _, count)| count)
        .sum();
    // With a service time of 0.1 ms the backlog of 2,000 takes 0.2 s, in which 222 more operations come late.
    near(late as f64, 2000.0 + 211.0, 2.0, "late operations");
    near(
        response.max_ns().expect("samples") as f64,
        2.0e9,
        0.1,
        "the longest response",
    );
    let slow: u64 = service
        .buckets()
        .filter(|(low, _, _)| *low > 10 * MS)
        .map(|(_, _, count)| count)
        .sum();
    assert_eq!(
        slow, 1,
        "only one operation was in service during the stall"
    );
}

/// A stop of the target from 2.5 s on, over the end of a step of 4 s: 1,500 of 4,000 operations are never answered in time, and all but one never submitted.
/// What was due t before the end has waited t, so that the longest waits lie evenly from 0 to 1.5 s.
#[test]
fn a_stall_over_the_end_shows_in_the_response_times_too() {
    let stalled = |mix: &str| Simulation {
        stall: (2 * SECOND + SECOND / 2, 6 * SECOND),
        ..Simulation::of(Workload {
            rate: Some(1000.0),
            time: Some(Nanos(4 * SECOND)),
            depth: 1,
            mix: mix.parse().expect("a mix"),
            ..workload()
        })
    };
    let outcome = stalled("read").run().expect("a step");
    let response = outcome.response();
    near(
        response.count() as f64,
        4000.0,
        0.1,
        "operations that were due",
    );
    near(
        response.quantile_ns(0.9).expect("samples") as f64,
        1.1e9,
        2.0,
        "90 %",
    );
    near(
        response.quantile_ns(0.99).expect("samples") as f64,
        1.46e9,
        2.0,
        "99 %",
    );
    near(
        outcome.operations() as f64,
        2500.0,
        0.1,
        "what was not submitted is in no count",
    );
    // Each kind has its part of those that waited.
    let outcome = stalled("read:70,write:30").run().expect("a step");
    let waited = |kind: OperationKind| {
        let of_kind = outcome
            .ticks
            .iter()
            .flat_map(|tick| &tick.kinds)
            .filter(|counted| counted.kind == kind);
        of_kind
            .map(|counted| {
                counted.response.as_ref().map_or(0, Histogram::count) - counted.service.count()
            })
            .sum::<u64>() as f64
    };
    near(waited(OperationKind::Read), 0.7 * 1499.0, 1.0, "reads");
    near(waited(OperationKind::Write), 0.3 * 1499.0, 1.0, "writes");
    // Where the load is kept, nothing is added.
    let kept = Simulation::of(Workload {
        rate: Some(1000.0),
        depth: 4,
        ..workload()
    })
    .run()
    .expect("a step");
    assert_eq!(kept.response().count(), kept.operations());
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
            Some(long) => (
                0.05 * long as f64 + 0.95 * 79e3,
                0.05 * (long as f64).powi(2) + 0.95 * 79e3f64.powi(2),
            ),
        };
        let rho = rate * mean / 1e9;
        let expected = mean + rate / 1e9 * square / (2.0 * (1.0 - rho));
        let workload = Workload {
            rate: Some(rate),
            arrivals: Arrivals::Poisson,
            depth: 1,
            time: Some(Nanos(40 * SECOND)),
            ..workload()
        };
        let outcome = Simulation {
            service: Box::new(service),
            ..Simulation::of(workload)
        }
        .run()
        .expect("a step");
        near(
            outcome.response().mean_ns().expect("samples"),
            expected,
            4.0,
            "mean response",
        );
        near(outcome.operations() as f64, rate * 40.0, 1.0, "operations");
    }
}

#[test]
fn operations_due_and_never_submitted_are_reported() {
    let outcome = Simulation::of(Workload {
        rate: Some(20_000.0),
        depth: 1,
        ..workload()
    })
    .run()
    .expect("a step");
    let backlog = outcome
        .measured()
        .last()
        .and_then(|tick| tick.backlog)
        .expect("open loop");
    near(
        backlog as f64,
        10_000.0,
        2.0,
        "backlog: 20,000 were due, 10,000 could be served",
    );
    // What is due at the very end, or after the last requested operation, is not missed.
    for (rate, operations) in [
        (1000.0, None),
        (3000.0, None),
        (1.0, None),
        (20_000.0, Some(100)),
    ] {
        let kept = Simulation::of(Workload {
            rate: Some(rate),
            depth: 1,
            operations,
            ..workload()
        })
        .run()
        .expect("a step");
        let backlog = kept.measured().last().and_then(|tick| tick.backlog);
        assert_eq!(
            (kept.operations(), backlog),
            (operations.unwrap_or(rate as u64), Some(0)),
            "{rate} {operations:?}"
        );
    }
}

#[test]
fn a_shared_stream_is_drawn_at_need() {
    for (depth, rate) in [(1, None), (4, None), (32, None), (4, Some(5000.0))] {
        let stream = Arc::new(AtomicU64::new(0));
        let workload = Workload {
            layout: Layout::Stream,
            workers: 2,
            depth,
            rate,
            offsets: Offsets::Sequential,
            ..workload()
        };
        let outcome = Simulation {
            stream: stream.clone(),
            ..Simulation::of(workload)
        }
        .run()
        .expect("a step");
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
    let counted = Simulation::of(Workload {
        operations: Some(1003),
        time: None,
        depth: 32,
        ..workload()
    })
    .run()
    .expect("a step");
    assert_eq!(
        (counted.operations(), counted.stopped),
        (1003, Stopped::Operations)
    );
    let sized = Simulation::of(Workload {
        bytes: Some(Bytes(10 * 4096 + 1)),
        time: None,
        depth: 4,
        ..workload()
    })
    .run()
    .expect("a step");
    assert_eq!((sized.operations(), sized.stopped), (11, Stopped::Bytes));
    let warm = Simulation::of(Workload {
        operations: Some(500),
        time: None,
        warm_up: Nanos(50 * MS),
        depth: 8,
        ..workload()
    })
    .run()
    .expect("a step");
    assert_eq!(
        (warm.operations(), warm.stopped),
        (500, Stopped::Operations)
    );
    let open = Simulation::of(Workload {
        operations: Some(77),
        time: None,
        rate: Some(5000.0),
        depth: 8,
        ..workload()
    })
    .run()
    .expect("a step");
    assert_eq!((open.operations(), open.stopped), (77, Stopped::Operations));
}

/// The target stands still from 0.3 s to 1.2 s of a warm-up of 0.5 s and a measuring of 1 s: 0.7 s of the measuring pass without an operation.
#[test]
fn a_stall_over_the_end_of_the_warm_up_belongs_to_the_measuring_from_there_on() {
    for depth in [1, 8] {
        let outcome = Simulation {
            stall: (3 * SECOND / 10, 12 * SECOND / 10),
            ..Simulation::of(Workload {
                warm_up: Nanos(500 * MS),
                depth,
                ..workload()
            })
        }
        .run()
        .expect("a step");
        let measured: Vec<_> = outcome.measured().collect();
        let (first, last) = (
            measured[0].start_ns,
            measured.last().expect("intervals").end_ns,
        );
        near(
            (first - START_NS) as f64,
            0.5e9,
            0.1,
            "start of the measuring",
        );
        near((last - first) as f64, 1e9, 0.1, "its length");
        // 0.3 s are left, at 100 us an operation and what is in flight at a time.
        near(
            outcome.operations() as f64,
            3000.0 * f64::from(depth),
            2.0,
            "operations",
        );
        let warm: u64 = outcome
            .ticks
            .iter()
            .filter(|tick| tick.phase == Phase::WarmUp)
            .map(TickBuffer::operations)
            .sum();
        near(
            warm as f64,
            3000.0 * f64::from(depth),
            2.0,
            "operations of the warm-up",
        );
        near(
            outcome.service().max_ns().expect("samples") as f64,
            0.9e9,
            0.2,
            "the longest",
        );
        let fixed = Simulation {
            stall: (3 * SECOND / 10, 12 * SECOND / 10),
            ..Simulation::of(Workload {
                warm_up: Nanos(500 * MS),
                depth,
                time: None,
                operations: Some(500),
                ..workload()
            })
        };
        assert_eq!(fixed.run().expect("a step").operations(), 500);
    }
}

#[test]
fn warm_up_is_recorded_apart() {
    let outcome = Simulation::of(Workload {
        warm_up: Nanos(500 * MS),
        ..workload()
    })
    .run()
    .expect("a step");
    let warm: u64 = outcome
        .ticks
        .iter()
        .filter(|tick| tick.phase == Phase::WarmUp)
        .map(TickBuffer::operations)
        .sum();
    near(warm as f64, 5000.0, 2.0, "operations of the warm-up");
    near(
        outcome.operations() as f64,
        10_000.0,
        1.5,
        "operations measured",
    );
}

#[test]
fn think_time_and_bursts_slow_the_loop_as_requested() {
    let thinking = Simulation::of(Workload {
        think_time: Nanos(900_000),
        depth: 2,
        ..workload()
    })
    .run()
    .expect("a step");
    near(
        thinking.operations() as f64,
        2000.0,
        2.0,
        "0.1 ms service and 0.9 ms thought, two slots",
    );
    let bursts = Simulation::of(Workload {
        burst_operations: 100,
        burst_pause: Nanos(90 * MS),
        depth: 1,
        ..workload()
    })
    .run()
    .expect("a step");
    near(
        bursts.operations() as f64,
        1000.0,
        3.0,
        "100 operations of 0.1 ms in each 100 ms",
    );
}

/// Batches of 4 reads, 10 ms of computing on each. What the storage needs for a batch decides, where that is more; without prefetch both add up.
#[test]
fn a_training_reader_reads_ahead_while_its_accelerator_computes() {
    let operations = |prefetch: Option<u64>, service_ns: u64, stall: (u64, u64)| {
        let mut simulation = Simulation::of(Workload {
            burst_operations: 4,
            burst_pause: Nanos(10 * MS),
            prefetch,
            depth: 2,
            ..workload()
        });
        simulation.service = Box::new(move || service_ns);
        simulation.stall = stall;
        simulation.run().expect("a step").operations() as f64
    };
    let never = (u64::MAX, u64::MAX);
    for (prefetch, service_ms, expected, what) in [
        (
            Some(2),
            1,
            408.0,
            "100 batches are computed, and 2 read ahead",
        ),
        (
            Some(1),
            1,
            404.0,
            "100 batches are computed, and 1 read ahead",
        ),
        (Some(2), 8, 250.0, "the storage needs 16 ms for a batch"),
        (Some(0), 1, 334.0, "2 ms are read, then 10 ms computed"),
        (None, 1, 334.0, "the same"),
    ] {
        near(
            operations(prefetch, service_ms * MS, never),
            expected,
            1.0,
            what,
        );
    }
    // Of 200 ms, 20 ms are covered by what was read ahead; the rest is lost for the accelerator, however fast the storage is afterwards.
    let stall = (START_NS + 300 * MS, START_NS + 500 * MS);
    near(
        operations(Some(2), MS, stall),
        4.0 * (100.0 - 18.0) + 8.0,
        1.5,
        "82 batches are computed, and 2 read ahead",
    );
}

/// Five operations of a burst are 100 ms apart, and 600 ms follow: those of the pause come together behind it, or are left out.
#[test]
fn a_rate_makes_up_for_pauses_between_bursts_or_leaves_them_out() {
    for (rate_ignores_pauses, starts_ms) in [
        (false, [0, 100, 200, 300, 400, 1000, 1000, 1000, 1000, 1000]),
        (true, [0, 100, 200, 300, 400, 1000, 1100, 1200, 1300, 1400]),
    ] {
        let outcome = Simulation::of(Workload {
            rate: Some(10.0),
            burst_operations: 5,
            burst_pause: Nanos(600 * MS),
            rate_ignores_pauses,
            operations: Some(10),
            depth: 1,
            time: None,
            ..workload()
        })
        .run()
        .expect("a step");
        let began = outcome.submitted.iter().map(|(ns, _)| (ns - START_NS) / MS);
        let began: Vec<u64> = began.map(|ms| (ms + 5) / 10 * 10).collect();
        assert_eq!(began, starts_ms, "{rate_ignores_pauses}");
    }
}

/// A pause that began with the last submission would end before the operations do.
#[test]
fn a_pause_between_bursts_begins_when_all_operations_are_done() {
    let mut simulation = Simulation::of(Workload {
        burst_operations: 4,
        burst_pause: Nanos(50 * MS),
        depth: 4,
        ..workload()
    });
    simulation.service = Box::new(|| 50 * MS);
    let outcome = simulation.run().expect("a step");
    near(
        outcome.operations() as f64,
        40.0,
        10.0,
        "four in each 100 ms",
    );
}

#[test]
fn a_flush_follows_every_so_many_writes() {
    let mix = Weighted::only(OperationKind::Write);
    let outcome = Simulation::of(Workload {
        mix,
        fsync_every: 9,
        operations: Some(1000),
        time: None,
        ..workload()
    })
    .run()
    .expect("a step");
    let count = |kind| {
        outcome
            .measured()
            .flat_map(|tick| &tick.kinds)
            .filter(|counted| counted.kind == kind)
            .map(|counted| counted.service.count())
            .sum::<u64>()
    };
    assert_eq!(
        (count(OperationKind::Write), count(OperationKind::Flush)),
        (900, 100)
    );
}

/// With and without something in flight when the time is over: all of it completes, then one flush, and both lie in measured intervals.
#[test]
fn a_flush_at_the_end_follows_all_writes_and_is_measured() {
    for depth in [1, 32] {
        let mix = Weighted::only(OperationKind::Write);
        let mut number = 0;
        let service = move || {
            number += 1;
            80_000 + number % 5 * 10_000
        };
        let workload = Workload {
            mix,
            depth,
            flush_at_end: true,
            ..workload()
        };
        let outcome = Simulation {
            service: Box::new(service),
            ..Simulation::of(workload)
        }
        .run()
        .expect("a step");
        assert_eq!(outcome.stopped, Stopped::Time);
        let ticks: Vec<_> = outcome.measured().collect();
        assert_eq!(ticks.len(), outcome.ticks.len(), "nothing is left to drain");
        for pair in ticks.windows(2) {
            assert_eq!(pair[0].end_ns, pair[1].start_ns);
        }
        let last = ticks.last().expect("ticks");
        let count = |kind| {
            last.kinds
                .iter()
                .find(|counted| counted.kind == kind)
                .map_or(0, |counted| counted.service.count())
        };
        let writes = count(OperationKind::Write);
        assert_eq!(count(OperationKind::Flush), 1);
        assert!(
            if depth == 1 {
                writes == 0
            } else {
                (1..=u64::from(depth)).contains(&writes)
            },
            "{depth}: {writes} were in flight"
        );
        // The last write and the flush take up to 0.12 ms each.
        let length = last.end_ns - (START_NS + SECOND);
        assert!((80_000..=250_000).contains(&length), "{depth}: {length}");
    }
    let outcome = Simulation::of(Workload {
        flush_at_end: true,
        operations: Some(10),
        time: None,
        ..workload()
    })
    .run()
    .expect("a step");
    assert_eq!(
        (outcome.stopped.clone(), outcome.operations()),
        (Stopped::Operations, 11)
    );
}

#[test]
fn failures_are_data_and_nothing_but_failures_ends_the_step() {
    let half = Simulation {
        outcome_of: |op| {
            if op.offset % 8192 == 0 {
                Outcome::failed(FailureKind::Io)
            } else {
                Outcome::moved(op.len)
            }
        },
        ..Simulation::of(workload())
    }
    .run()
    .expect("a step");
    assert_eq!(half.stopped, Stopped::Time);
    let errors: u64 = half
        .measured()
        .flat_map(|tick| &tick.kinds)
        .flat_map(|kind| kind.errors.values())
        .sum();
    near(errors as f64, 5000.0, 10.0, "errors");
    assert!(
        half.operations() > 0
            && half
                .measured()
                .flat_map(|tick| &tick.kinds)
                .all(|kind| kind.errors.keys().all(|name| name == "EIO"))
    );

    let short = Simulation {
        outcome_of: |op| Outcome::moved(op.len / 2),
        ..Simulation::of(workload())
    }
    .run()
    .expect("a step");
    assert!(
        matches!(&short.stopped, Stopped::Error(error) if plumb_words::english(error).contains("short")),
        "{:?}",
        short.stopped
    );
    assert_eq!(short.operations(), 0);
}

/// A target that is full or gone ends the step in the middle of an interval: what failed until then is recorded.
#[test]
fn failures_that_end_a_step_are_all_counted() {
    for depth in [1, 32] {
        let gone = Simulation {
            outcome_of: |_| Outcome::failed(FailureKind::NoSpace),
            ..Simulation::of(Workload {
                depth,
                ..workload()
            })
        }
        .run()
        .expect("a step");
        assert!(
            matches!(&gone.stopped, Stopped::Error(text) if plumb_words::english(text).contains("ENOSPC")),
            "{:?}",
            gone.stopped
        );
        let errors: u64 = gone
            .measured()
            .flat_map(|tick| &tick.kinds)
            .flat_map(|kind| kind.errors.values())
            .sum();
        assert!(
            (FAILURES_IN_A_ROW_MAX..FAILURES_IN_A_ROW_MAX + u64::from(depth)).contains(&errors),
            "{depth}: {errors}"
        );
    }
}

/// As fio without continue_on_error; what was in flight still comes back.
#[test]
fn a_job_ends_at_its_first_failure_if_requested() {
    for (depth, failing) in [
        (1, OperationKind::Write),
        (8, OperationKind::Write),
        (8, OperationKind::Read),
    ] {
        let step = Simulation {
            outcome_of: |op| match op.kind {
                OperationKind::Write => Outcome::failed(FailureKind::Io),
                _ => Outcome::moved(op.len),
            },
            ..Simulation::of(Workload {
                depth,
                mix: Weighted::only(failing),
                stop_at_error: true,
                ..workload()
            })
        }
        .run()
        .expect("a step");
        let errors: u64 = step
            .ticks
            .iter()
            .flat_map(|tick| &tick.kinds)
            .flat_map(|kind| kind.errors.values())
            .sum();
        match failing {
            OperationKind::Write => {
                let text =
                    matches!(&step.stopped, Stopped::Error(text) if text.id == "stopped-at-error");
                assert!(text, "{:?}", step.stopped);
                assert!(
                    (1..=u64::from(depth)).contains(&errors),
                    "{depth}: {errors}"
                );
            }
            _ => assert_eq!((errors, step.stopped), (0, Stopped::Time)),
        }
    }
}

#[test]
fn what_overlaps_waits_if_requested() {
    for (serialize_overlap, rate) in [(true, None), (true, Some(100_000.0)), (false, None)] {
        let step = Simulation::of(Workload {
            depth: 8,
            block: Weighted::only(Bytes(256 << 20)),
            offsets: Offsets::RandomWithReplacement,
            operations: Some(500),
            time: None,
            serialize_overlap,
            rate,
            ..workload()
        })
        .run()
        .expect("a step");
        assert_eq!(step.submitted.len(), 500);
        let mut last = std::collections::BTreeMap::new();
        let overlapping = step.submitted.iter().filter(|(now, op)| {
            let before = last.insert(op.offset, *now);
            before.is_some_and(|before| now - before < 100_000)
        });
        assert_eq!(overlapping.count() == 0, serialize_overlap, "{rate:?}");
    }
}

#[test]
fn each_block_is_trimmed_and_then_written() {
    use plumb_model::workload::OperationKind::{Trim, Write};
    for (depth, offsets) in [(1, Offsets::Sequential), (8, Offsets::Random)] {
        let step = Simulation::of(Workload {
            mix: Weighted(vec![(Trim, 1.0), (Write, 1.0)]),
            depth,
            offsets,
            operations: Some(200),
            time: None,
            trim_first: true,
            ..workload()
        })
        .run()
        .expect("a step");
        for pair in step.submitted.chunks(2) {
            let [(trimmed_ns, trimmed), (written_ns, written)] = pair else {
                panic!("a block was not written")
            };
            assert_eq!((trimmed.kind, written.kind), (Trim, Write));
            assert_eq!((trimmed.offset, trimmed.len), (written.offset, written.len));
            assert!(
                written_ns - trimmed_ns >= 100_000,
                "the trim has ended before"
            );
        }
    }
}
