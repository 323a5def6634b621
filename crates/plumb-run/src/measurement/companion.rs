//! Who else has a say in a run, and hears of it at once? The other ranks, where a run is one of many.

use plumb_model::run::Event;
use plumb_model::run::tick::Tick;

/// Is asked and told on the thread that shows the run; the load does not wait for it, but before it starts.
pub trait Companion {
    /// All engines of an execution are open: waits until the load may start. False: it is not to start any more.
    fn meet(&self, execution: u32) -> bool;

    /// An interval of one job.
    fn interval(&self, tick: &Tick);

    /// Something was recorded.
    fn noted(&self, event: &Event);
}
