//! What ends a step from outside? The end of the run, or a request to skip to the next step.

use std::sync::atomic::AtomicBool;

use plumb_model::workload::Workload;

use crate::crew::assignment::Signals;
use crate::worker::limits::FlowGroups;

/// What ends a step from outside.
#[derive(Clone, Copy)]
pub struct Orders<'a> {
    /// The run ends.
    pub stop: &'a AtomicBool,
    /// This step ends, as if its figures had become steady; it is seen within a tenth of a second. Without effect on a step that has not begun.
    pub skip: &'a AtomicBool,
    /// Called once all engines are open, and may wait; false: do not start the load.
    pub may_start: &'a dyn Fn() -> bool,
}

/// What ends jobs of a running step, or keeps them in proportion.
#[derive(Default)]
pub(super) struct Ends {
    /// The main job has ended: those end that run beside it and have no end of their own.
    pub main: AtomicBool,
    /// The main job is steady.
    pub steady: AtomicBool,
    /// The step is skipped: this also ends jobs that run to their own end.
    pub skipped: AtomicBool,
    /// Jobs that keep a proportion to each other.
    pub flows: FlowGroups,
}

impl Ends {
    /// All that reaches workers from outside.
    pub fn signals<'a>(&'a self, stop: &'a AtomicBool, enough: &'a AtomicBool) -> Signals<'a> {
        Signals {
            stop,
            enough,
            flows: &self.flows,
        }
    }

    /// What ends this job before its own end.
    pub fn enough(&self, job: usize, workload: &Workload) -> &AtomicBool {
        match workload.to_its_end {
            _ if job == 0 => &self.steady,
            true => &self.skipped,
            false => &self.main,
        }
    }
}

/// What ends jobs early, and who may request it.
#[derive(Clone, Copy)]
pub(super) struct Cut<'a> {
    pub ends: &'a Ends,
    pub skip: &'a AtomicBool,
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use plumb_model::run::step_end::StopReason;
    use plumb_model::workload::{EngineChoice, Job};

    use super::*;
    use crate::clock::Clock;
    use crate::crew::assignment::Assignment;
    use crate::crew::{Keep, LoadEvent, run_recorded};

    #[test]
    fn a_step_that_is_skipped_ends_and_is_reported() {
        let job = Job {
            name: String::new(),
            target: plumb_model::target::Target::Null,
            engine: EngineChoice::default(),
            workload: Workload {
                time: Some("1h".parse().expect("a time")),
                interval: "10ms".parse().expect("a time"),
                ..Workload::default()
            },
        };
        let assignment = Assignment {
            job: &job,
            site: None,
            live_files: None,
            verifier: None,
            seed: 1,
        };
        let (stop, skip) = (AtomicBool::new(false), AtomicBool::new(false));
        let orders = Orders {
            stop: &stop,
            skip: &skip,
            may_start: &|| true,
        };
        let ended = run_recorded(
            0,
            &[assignment],
            Clock::start(),
            orders,
            Keep {
                tick: &mut |_| {},
                operations: &mut |_| {},
            },
            &mut |event| {
                if matches!(event, LoadEvent::Tick(_)) {
                    skip.store(true, Ordering::Relaxed);
                }
            },
        );
        assert_eq!(ended.expect("it ran"), StopReason::Skipped);
        assert!(!stop.load(Ordering::Relaxed));
    }
}
