//! What carries the messages of the ranks of a run? MPI where a launcher started them with it, else connections of plumb's own.

use std::time::Duration;

/// A message could not be carried, or the ranks could not be connected: why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WireError(pub String);

/// Carries messages between the ranks of a run. All calls come from one thread; none waits but `close`.
pub trait Wire {
    fn rank(&self) -> u32;

    fn size(&self) -> u32;

    /// For people: `Open MPI v4.1.4 (libmpi.so.40)`.
    fn name(&self) -> String;

    /// Hands a message over; messages of one rank to another arrive in order. A rank that is lost takes none, which is no error.
    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), WireError>;

    /// The next message that has arrived, with the rank that sent it.
    fn receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, WireError>;

    /// It has a barrier of its own; without one, ranks start at a time by their compared clocks.
    fn has_barrier(&self) -> bool {
        true
    }

    /// Enters a barrier of all ranks. One at a time.
    fn enter_barrier(&mut self) -> Result<(), WireError>;

    /// True once all ranks have entered it.
    fn is_barrier_passed(&mut self) -> Result<bool, WireError>;

    /// Delivers what was sent and leaves, within `patience`: a rank that is lost must not hold the others.
    fn close(self: Box<Self>, patience: Duration);
}
