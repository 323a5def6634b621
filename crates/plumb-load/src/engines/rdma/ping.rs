//! Does a peer answer, and does its memory? One hello and one one-sided read.

use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_words::english;

use super::connection::{Connection, TRIAL_BYTES, Wish, dial};
use super::error::library_is_missing;
use super::library::{Library, NAMES};

const DIAL_WAIT: Duration = Duration::from_secs(5);
/// Reads after the first, whose median is reported.
const READS: usize = 15;

/// What a peer answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pong {
    /// Of the TCP connection: one round trip.
    pub connect_ns: u64,
    /// Exchange of addresses and set-up of the provider's own connection.
    pub set_up_ns: u64,
    /// Median of some one-sided reads of 8 bytes: one round trip of the fabric each.
    pub read_ns: u64,
    pub reads: usize,
    pub read_bytes: usize,
    /// Provider, fabric, domain, protocol, ... by name.
    pub connection: Vec<(&'static str, String)>,
    /// The peer's description of itself.
    pub peer_software: String,
}

/// Asks the peer at this address, with this provider (`auto` for the best).
///
/// # Errors
/// Why not, in one sentence with what to do.
pub fn ping(remote: &Remote, provider: &str) -> Result<Pong, String> {
    let address = remote.host_and_port();
    let library = Library::open(NAMES).map_err(|reason| english(&library_is_missing(reason)))?;
    let begun = Instant::now();
    let stream = dial(&address, DIAL_WAIT).map_err(|error| {
        format!("no peer responds at rdma://{address}: {error}; start 'plumb serve-net --rdma' there, and check name, port and firewall")
    })?;
    let connect_ns = begun.elapsed().as_nanos() as u64;
    let wish = Wish {
        provider,
        depth: 1,
        message_bytes: 0,
        memory_bytes: 4096,
        memory_name: u64::from(std::process::id()),
        polling: false,
        block_bytes: TRIAL_BYTES as u64,
        buffers: None,
        landing_bytes: 0,
    };
    let begun = Instant::now();
    let failed = |reason: Statement| {
        let reason = english(&reason);
        format!(
            "rdma://{address}: {reason}; run 'plumb doctor rdma' on both hosts to list providers"
        )
    };
    // SAFETY: the wish has no buffers.
    let mut link =
        unsafe { Connection::open(&library, stream, &wish, TRIAL_BYTES) }.map_err(failed)?;
    let set_up_ns = begun.elapsed().as_nanos() as u64;
    let mut reads = (0..READS)
        .map(|_| link.read_once())
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    reads.sort_unstable();
    Ok(Pong {
        connect_ns,
        set_up_ns,
        read_ns: reads[READS / 2].as_nanos() as u64,
        reads: READS,
        read_bytes: TRIAL_BYTES,
        connection: link.endpoint.description(),
        peer_software: link.welcome.software.clone(),
    })
}
