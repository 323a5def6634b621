//! What is counted over all connections of a capture?

use std::collections::HashMap;

use foldhash::fast::RandomState;
use plumb_model::trace::capture::{MessageLosses, PacketLosses, Protection};

/// Calls that a connection left without a reply, of which no more are remembered.
const LEFT_MAX: usize = 65_536;

/// Client without its port, server, number and procedure of a call.
type LeftCall = (u128, u128, u32, u32);

/// What was lost, truncated, or cannot be decoded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    pub packets: PacketLosses,
    pub messages: MessageLosses,
    pub protection: Protection,
    /// Calls of NFS that ended connections left without a reply: a client sends them again over the next one.
    left: HashMap<LeftCall, (), RandomState>,
}

impl Tally {
    pub fn leave(&mut self, call: LeftCall) {
        if self.left.len() < LEFT_MAX {
            self.left.insert(call, ());
        }
    }

    /// True if this call was left by an earlier connection.
    pub fn take_left(&mut self, call: &LeftCall) -> bool {
        self.left.remove(call).is_some()
    }
}
