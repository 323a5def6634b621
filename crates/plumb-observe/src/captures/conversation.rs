//! What is a connection that is followed, whatever protocol it speaks?

use std::collections::BTreeSet;

use plumb_model::trace::capture::Connection as Facts;
use plumb_model::trace::events::TraceEvent;

use super::segment::Segment;
use super::tally::Tally;

pub trait Conversation {
    /// Bytes of segments waiting for earlier ones.
    fn waiting_bytes(&self) -> usize;

    /// Calls without a reply so far.
    fn outstanding(&self) -> usize;

    /// When its first and its last segment were seen.
    fn span_ns(&self) -> (u64, u64);

    /// Sessions of SMB on it.
    fn sessions(&self) -> &BTreeSet<u64>;

    /// True if neither end sends anything more; a reset ends the connection for both.
    fn has_ended(&self, segment: &Segment<'_>) -> bool;

    /// Adds one of its segments.
    fn take(
        &mut self,
        segment: &Segment<'_>,
        at_ns: u64,
        tally: &mut Tally,
        tell: &mut dyn FnMut(TraceEvent),
    );

    /// Gives up waiting for missing segments.
    fn give_up(&mut self, tally: &mut Tally, tell: &mut dyn FnMut(TraceEvent));

    /// Ends it: outstanding requests stay unanswered.
    fn close(&mut self, tally: &mut Tally, tell: &mut dyn FnMut(TraceEvent)) -> Facts;
}
