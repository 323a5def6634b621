//! Who else observes or controls a run while it is in progress? The requester, on the thread that shows the run.

use std::collections::BTreeMap;
use std::rc::Rc;

use plumb_model::plan::Plan;
use plumb_model::run::Event;
use plumb_model::run::metric::Reading;
use plumb_model::run::ranks::JointTarget;
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

/// Who controls a run: the other ranks, if there are several. The load waits for them only before it starts.
pub trait Companion {
    /// The files of this process are in the state that an execution begins with: waits until those of all who share them are. False: the execution is not
    /// to begin any more.
    fn ready(&self, execution: u32) -> bool;

    /// All engines of an execution are open: waits until the load may start. False: it is not to start any more.
    fn meet(&self, execution: u32) -> bool;

    /// An interval of one job.
    fn interval(&self, tick: &Tick);

    /// The counters of this machine, and of what lies under the target.
    fn sampled(&self, readings: &[Reading]);

    /// Something was recorded.
    fn noted(&self, event: &Event);
}

/// How processes come to the files that they share: sets of files by number, each made by one of them.
pub trait Joints {
    /// Tells all what this process has made.
    fn publish(&self, made: Vec<(u32, JointTarget)>);

    /// Waits for what others make.
    ///
    /// # Errors
    /// It will not come any more.
    fn wait(&self, sets: &[u32]) -> anyhow::Result<BTreeMap<u32, JointTarget>>;
}

/// Is called with each interval as soon as it has ended; the load does not wait for it.
pub type OnInterval = Rc<dyn Fn(&Seen<'_>)>;

/// Is called when the files of this step of the plan are ready (`true`), and after the step, with the round.
pub type AroundStep = Box<dyn Fn(bool, usize, u32)>;

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
