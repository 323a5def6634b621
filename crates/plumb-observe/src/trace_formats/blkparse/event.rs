//! What does a line of blkparse say, in whatever format?

use crate::trace_format::block_requests::{Device, Extent};

/// One line.
pub struct Event<'a> {
    /// Missing where the format does not state it: all requests are then of one device.
    pub device: Option<Device>,
    pub at_ns: u64,
    pub process: Option<u64>,
    pub action: &'a [u8],
    /// R, W, D (discard), F (flush), N (none), S (sync), A (read ahead), M (metadata).
    pub kinds: &'a [u8],
    pub extent: Option<Extent>,
    /// Of a completion: 0 or an error number.
    pub error: Option<u64>,
}
