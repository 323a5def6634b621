//! What has the rest of the program to do with RDMA, beside its engine? It lists providers, pings a peer, exposes memory to peers, and reports how much.

use plumb_model::workload::Workload;

pub use crate::engines::rdma::listing::{FabricDevice, FabricOffer, Fabrics, listing};
pub use crate::engines::rdma::ping::{Pong, ping};
pub use crate::engines::rdma::responder::Responder;

/// Memory of the peer that a job works on when it names no size.
const MEMORY_BYTES: u64 = 64 << 20;

/// Bytes of the peer's memory that a job works on.
pub fn memory_bytes(workload: &Workload) -> u64 {
    workload.size.map_or_else(
        || MEMORY_BYTES.max(workload.largest_block_bytes()),
        |size| size.0,
    )
}
