//! What is counted over all connections of a capture?

use plumb_model::trace::capture::{MessageLosses, PacketLosses, Protection};

/// What was lost, truncated, or cannot be decoded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    pub packets: PacketLosses,
    pub messages: MessageLosses,
    pub protection: Protection,
}
