//! What would plumb have recorded of a simulated target? Runs made by the worker's own loop on a virtual clock.

use plumb_load::worker::simulated::Simulation;
use plumb_model::plan::Step;
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::WorkerTick;
use plumb_model::run::{Event, Run, SideOf};
use plumb_model::units::Nanos;
use plumb_model::workload::Workload;

use crate::service::{BEHAVIOURS, Behaviour, normal};
use crate::synthetic::{Builder, Random, step};

/// Operations of a round: enough to state the 99th percentile.
const OPERATIONS: u64 = 1500;

/// What slows whole rounds down, whatever is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weather {
    /// Rounds differ by 2 %, each by itself.
    Calm,
    /// Rounds differ by 5 % and resemble their neighbours with this autocorrelation.
    Changing(f64),
}

impl Weather {
    /// Factors on the service times of each round.
    pub fn rounds(self, rounds: usize, random: &mut Random) -> Vec<f64> {
        let mut level = normal(random);
        let mut next = |_| match self {
            Weather::Calm => (0.02 * normal(random)).exp(),
            Weather::Changing(r) => {
                level = r * level + (1.0 - r * r).sqrt() * normal(random);
                (0.05 * level).exp()
            }
        };
        (0..rounds).map(&mut next).collect()
    }
}

impl Weather {
    /// Factors of each side in blocks: one side is measured after the other, in an order that is drawn, and the weather changes meanwhile.
    pub fn blocks(self, blocks: usize, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
        let in_time = self.rounds(2 * blocks, random);
        let sides = |pair: &[f64]| {
            if random.next_share() < 0.5 {
                (pair[0], pair[1])
            } else {
                (pair[1], pair[0])
            }
        };
        in_time.chunks_exact(2).map(sides).unzip()
    }
}

fn plan() -> Vec<Step> {
    let of = |behaviour: &Behaviour| {
        let depth = if *behaviour == Behaviour::Apart { 4 } else { 1 };
        let workload = Workload {
            depth,
            operations: Some(OPERATIONS),
            time: None,
            interval: Nanos(50_000_000),
            ..Workload::default()
        };
        step(
            &format!("{behaviour:?}").to_lowercase(),
            "random-read",
            &[],
            workload,
        )
    };
    BEHAVIOURS.iter().map(of).collect()
}

/// What the machine took from all rounds of a session, and whether its record tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Session {
    /// Factor on all service times; 1 when nothing was taken.
    pub slowed: f64,
    pub is_told: bool,
}

impl Session {
    pub const FREE: Session = Session {
        slowed: 1.0,
        is_told: false,
    };
}

/// A run in which each round of each step is `slower` times, its session's and its round's factor as slow as the targets are.
pub fn run(
    random: &mut Random,
    weather: &[f64],
    slower: f64,
    session: Session,
    side_of: Option<SideOf>,
) -> Run {
    let steps = plan();
    let mut builder = Builder::new(steps.clone());
    builder.run.header.plan.rounds = weather.len() as u32;
    builder.run.header.side_of = side_of;
    for (round, factor) in weather.iter().enumerate() {
        for (index, (step, behaviour)) in steps.iter().zip(BEHAVIOURS).enumerate() {
            let execution = (round * steps.len() + index) as u32;
            let simulation = Simulation {
                service: behaviour.service(random.next_number(), factor * slower * session.slowed),
                ..Simulation::of(step.jobs[0].workload.clone())
            };
            let place = Place {
                execution,
                step: index as u32,
                round: round as u32,
            };
            record(&mut builder, place, simulation, session);
        }
    }
    builder.finish()
}

/// Where in a run an execution stands.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub execution: u32,
    pub step: u32,
    pub round: u32,
}

/// Carries a simulated step out and records it as the next execution of a run.
pub fn record(builder: &mut Builder, place: Place, simulation: Simulation, session: Session) {
    let Place {
        execution,
        step,
        round,
    } = place;
    let stopped_by = match simulation.workload.time {
        Some(_) => StopReason::Time,
        None => StopReason::Operations,
    };
    let mut ticks = simulation.run().expect("a step").recorded(execution);
    builder.note(Event::ExecutionStarted {
        execution,
        step,
        round,
    });
    // Each step has a clock of its own.
    for tick in &mut ticks {
        let (start_ns, end_ns) = (tick.start_ns, tick.end_ns);
        for worker in &mut tick.workers {
            // The CPU that the simulation really took is none of the simulated machine.
            let waited_ns = (end_ns - start_ns) as f64 * (1.0 - 1.0 / session.slowed);
            *worker = WorkerTick {
                worker: worker.worker,
                operations: worker.operations,
                bytes: worker.bytes,
                voluntary_switches: session.is_told.then_some(0),
                waited_for_cpu_ns: session.is_told.then_some(waited_ns as u64),
                ..WorkerTick::default()
            };
        }
        tick.start_ns += builder.now_ns;
        tick.end_ns += builder.now_ns;
    }
    builder.now_ns = ticks.last().map_or(builder.now_ns, |tick| tick.end_ns);
    builder.run.ticks.append(&mut ticks);
    builder.note(Event::ExecutionEnded {
        execution,
        stopped_by,
    });
}
