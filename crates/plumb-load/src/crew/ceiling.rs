//! What could the generator do at most? The workload against an engine that does nothing.

use std::sync::atomic::AtomicBool;

use plumb_model::target::Target;
use plumb_model::workload::{EngineChoice, ReplayPace};

use super::assignment::Assignment;
use super::event::LoadEvent;
use super::run_execution;
use crate::clock::Clock;

/// Length of a measurement of the generator's ceiling.
const CEILING_NS: u64 = 100_000_000;

/// The generator's own ceiling with this workload: operations per second of the null engine, measured for a tenth of a second.
/// `None` when it cannot be measured.
pub fn ceiling(assignment: &Assignment<'_>, clock: Clock, stop: &AtomicBool) -> Option<f64> {
    let mut job = assignment.job.clone();
    job.target = Target::Null;
    job.engine.engine = EngineChoice::default().engine;
    let workload = &mut job.workload;
    (
        workload.rate,
        workload.time,
        workload.operations,
        workload.bytes,
    ) = (
        None,
        Some(plumb_model::units::Nanos(CEILING_NS)),
        None,
        None,
    );
    (
        workload.warm_up.0,
        workload.think_time.0,
        workload.burst_operations,
        workload.verify,
    ) = (0, 0, 0, false);
    (workload.passes, workload.flush_at_end, workload.replay_pace) =
        (None, false, ReplayPace::None);
    (workload.start_delay, workload.until_steady) = (None, None);
    workload.interval.0 = CEILING_NS;
    let (mut operations, mut ns) = (0u64, 0u64);
    let null = Assignment {
        job: &job,
        site: None,
        live_files: None,
        verifier: None,
        seed: assignment.seed,
    };
    run_execution(u32::MAX, &[null], clock, stop, &mut |event| {
        if let LoadEvent::Tick(tick) = event
            && tick.phase == plumb_model::run::tick::Phase::Measure
        {
            operations += tick.kinds.iter().map(|kind| kind.count).sum::<u64>();
            ns += tick.end_ns - tick.start_ns;
        }
    })
    .ok()?;
    (ns > 0 && operations > 0).then(|| operations as f64 * 1e9 / ns as f64)
}
