//! How is a program followed without root's rights? Its threads are looked at many times a second, as often as a hundredth of a CPU allows.

use std::time::Duration;

use anyhow::Context;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::sampled_threads::SampledThreads;

use super::subject::{Followed, Subject, Traced, Until};

/// Between two looks at least, and at most.
const LOOK_MIN: Duration = Duration::from_millis(1);
const LOOK_MAX: Duration = Duration::from_secs(1);
/// Part of a CPU that the looks may take.
const COST: f64 = 0.01;
/// After so many looks their cost is judged.
const JUDGED: u32 = 16;

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
    let mut cost_before_ns = threads.cost_ns();
    loop {
        seen |= threads.look();
        looks += 1;
        if looks.is_multiple_of(JUDGED) {
            // What the last ones cost: the first find the threads, and later there may be more of them.
            let cost_ns = threads.cost_ns();
            let rise = cost_ns.zip(cost_before_ns);
            pause = pause_of(rise.map(|(now, before)| now.saturating_sub(before)));
            cost_before_ns = cost_ns;
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

/// Between two looks: the last ones have cost this.
fn pause_of(cost_ns: Option<u64>) -> Duration {
    let each_ns = cost_ns.unwrap_or(0) as f64 / f64::from(JUDGED);
    Duration::from_nanos((each_ns / COST) as u64).clamp(LOOK_MIN, LOOK_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_take_a_hundredth_of_a_cpu() {
        let ms = Duration::from_millis;
        // 16 looks took 1.6 ms: 0.1 ms each.
        assert_eq!(pause_of(Some(1_600_000)), ms(10));
        assert_eq!(pause_of(Some(16_000)), ms(1));
        assert_eq!(pause_of(Some(48_000_000)), ms(300));
        assert_eq!(pause_of(Some(1_600_000_000)), ms(1000));
        assert_eq!(pause_of(None), ms(1));
    }
}
