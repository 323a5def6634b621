//! Who else sees each interval while a run goes on? Whoever asked for it, on the thread that shows the run: the load does not wait for them.

use std::rc::Rc;

use plumb_model::plan::Plan;
use plumb_model::run::tick::Tick;

use super::turn::Turn;

/// One interval of one job.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub tick: &'a Tick,
    /// Name of the step.
    pub step: &'a str,
    /// Name of the job; empty where the step has one.
    pub job: &'a str,
    /// From 0.
    pub round: u32,
}

/// Is called with each interval as soon as it has ended.
pub type OnInterval = Rc<dyn Fn(&Seen<'_>)>;

/// The interval with where it belongs; `None` for one of no step of the plan.
pub(super) fn seen<'a>(tick: &'a Tick, plan: &'a Plan, turn: Turn) -> Option<Seen<'a>> {
    let step = plan.steps.get(turn.step)?;
    Some(Seen {
        tick,
        step: &step.name,
        job: &step.jobs.get(tick.job as usize)?.name,
        round: turn.round,
    })
}
