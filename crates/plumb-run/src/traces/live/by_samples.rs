//! How is a program followed without root's rights? Its threads are looked at many times a second, as often as a hundredth of a CPU allows.

use std::time::Duration;

use anyhow::Context;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::sampled_threads::SampledThreads;

use super::subject::{Followed, Subject, Traced, Until};

/// Between two looks at least, and at most.
const LOOK_MIN: Duration = Duration::from_millis(1);
const LOOK_MAX: Duration = Duration::from_millis(200);
/// Part of a CPU that the looks may take.
const COST: f64 = 0.01;
/// After so many looks their cost is judged.
const JUDGED: u32 = 32;

/// Starts the command, where it is one, and follows it.
///
/// Errors: it cannot be started, or none of its threads can be seen.
pub(super) fn follow(
    traced: Traced<'_>,
    until: &Until<'_>,
    receiver: &mut dyn TraceReceiver,
) -> anyhow::Result<Followed> {
    let mut subject = Subject::begin(traced)?;
    let mut threads = SampledThreads::of(subject.process(), receiver);
    let (mut pause, mut looks, mut seen) = (LOOK_MIN, 0u32, false);
    loop {
        seen |= threads.look();
        looks += 1;
        if looks.is_multiple_of(JUDGED) {
            pause = pause_of(threads.cost_ns(), looks);
        }
        std::thread::sleep(pause);
        if !subject.goes_on(until) {
            break;
        }
    }
    let facts = threads.end();
    let process = subject.process();
    if !seen && facts.records > 2 {
        return Err(anyhow::anyhow!(
            "no thread of process {process} can be seen"
        ))
        .context("/proc/PID/task/TID/schedstat is needed (a kernel with CONFIG_SCHED_INFO, and a /proc without hidepid)");
    }
    Ok((facts, subject.end()))
}

/// Between two looks: so many have cost this in all.
fn pause_of(cost_ns: Option<u64>, looks: u32) -> Duration {
    let each_ns = cost_ns.unwrap_or(0) as f64 / f64::from(looks.max(1));
    Duration::from_nanos((each_ns / COST) as u64).clamp(LOOK_MIN, LOOK_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_take_a_hundredth_of_a_cpu() {
        let ms = Duration::from_millis;
        // 32 looks took 3.2 ms: 0.1 ms each.
        assert_eq!(pause_of(Some(3_200_000), 32), ms(10));
        assert_eq!(pause_of(Some(32_000), 32), ms(1));
        assert_eq!(pause_of(Some(320_000_000), 32), ms(200));
        assert_eq!(pause_of(None, 32), ms(1));
    }
}
