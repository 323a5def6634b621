//! Does the worker's own loop, against storage whose scaling is known, give back that scaling?

use plumb_analyse::summarise;
use plumb_load::worker::simulated::Simulation;
use plumb_model::results::scaling::Scaling;
use plumb_model::units::Nanos;
use plumb_model::workload::Workload;

use crate::recorded::{Place, Session, record};
use crate::service::normal;
use crate::synthetic::{Builder, Random, step};

const DEPTHS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
const ROUNDS: u32 = 3;

/// The ladder of a storage that serves so many at once, each in a time that depends on how many are in flight (microseconds).
fn ladder(servers: usize, time_us: fn(f64) -> f64, seed: u64) -> Scaling {
    let steps = DEPTHS.map(|depth| {
        let workload = Workload {
            depth,
            warm_up: Nanos(20_000_000),
            time: Some(Nanos(400_000_000)),
            interval: Nanos(50_000_000),
            ..Workload::default()
        };
        let swept = [("depth", &*depth.to_string())];
        step(&format!("read depth={depth}"), "read", &swept, workload)
    });
    let mut random = Random(seed);
    let mut builder = Builder::new(steps.to_vec());
    builder.run.header.plan.rounds = ROUNDS;
    for round in 0..ROUNDS {
        for (index, planned) in steps.iter().enumerate() {
            let workload = planned.jobs[0].workload.clone();
            let mut draws = Random(random.next_number());
            let weather = (0.02 * normal(&mut random)).exp();
            let mean_us = weather * time_us(f64::from(workload.depth));
            // Log-normal with the mean asked for.
            let service =
                move || (1000.0 * mean_us * (0.3 * normal(&mut draws) - 0.045).exp()) as u64;
            let place = Place {
                execution: round * steps.len() as u32 + index as u32,
                step: index as u32,
                round,
            };
            let simulation = Simulation {
                service: Box::new(service),
                servers,
                ..Simulation::of(workload)
            };
            record(&mut builder, place, simulation, Session::FREE);
        }
    }
    let mut found = summarise(&builder.finish()).scaling;
    assert_eq!(found.len(), 1);
    found.remove(0)
}

/// 200 us alone; contention 0.05 and coherency 0.0005 make the peak sqrt(0.95 / 0.0005) = 43.6.
fn by_the_law(n: f64) -> f64 {
    200.0 * (1.0 + 0.05 * (n - 1.0) + 0.0005 * n * (n - 1.0))
}

#[test]
fn a_storage_that_follows_the_law_gives_its_peak_back() {
    const LADDERS: u64 = 40;
    let mut held = 0;
    for seed in 0..LADDERS {
        let found = ladder(1000, by_the_law, seed);
        assert!(
            found.points.iter().all(|point| point.fits == Some(true)),
            "Little's law holds: {:?}",
            found.points
        );
        let law = found.law.expect("a law");
        let (low, high) = law.peak_interval.expect("a peak within the ladder");
        assert!(high / low < 1.5, "{low} to {high}");
        held += u64::from(low <= 43.589 && 43.589 <= high);
    }
    println!("{held} of {LADDERS} intervals hold the peak");
    // 95 % of 40 are 38; three standard errors below it are 34.
    assert!(held >= 34, "{held} of {LADDERS}");
}

/// Eight places of 100 us: throughput rises in proportion up to eight, and not beyond. That is no Universal Scalability Law.
#[test]
fn a_storage_of_eight_places_is_bounded_at_eight() {
    let found = ladder(8, |_| 100.0, 1);
    let bounds = found.bounds.expect("bounds");
    assert!((bounds.knee - 8.0).abs() < 0.5, "{bounds:?}");
    assert!(bounds.exceeded_at.is_empty(), "{bounds:?}");
    let enough = found.enough.expect("a load");
    assert!(["8", "16"].contains(&enough.label.as_str()), "{enough:?}");
    assert_eq!(found.law, None);
    assert_eq!(found.law_withheld.expect("why").id, "scaling-law-misses");
}
