//! What did SMB or NFS clients and servers send to each other, according to a packet capture? Read as a stream with bounded memory.

mod connection;
mod connections;
mod conversation;
mod file;
mod framing;
mod link;
mod nfs;
mod segment;
pub(crate) mod smb;
mod stream;
mod tally;
mod wire;

use std::io::Read;

use plumb_model::statement::Statement;
use plumb_model::trace::capture::CaptureFacts;
use plumb_model::trace::events::TraceEvent;

use connections::Connections;
use file::{CaptureFile, FileError, Packet};
use link::{Inside, inside};
use segment::{Held, held};

/// Why a capture cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// It is not a capture; what to do instead.
    #[error("{0}")]
    Foreign(&'static str),
    #[error("{0}")]
    Read(std::io::Error),
}

/// Whether a file with this beginning is a capture: pcap in either time resolution and byte order, or pcapng.
pub fn is_capture(head: &[u8]) -> bool {
    const BEGINNINGS: [[u8; 4]; 5] = [
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x4d, 0x3c, 0xb2, 0xa1],
        [0x0a, 0x0d, 0x0d, 0x0a],
    ];
    BEGINNINGS.iter().any(|begin| head.starts_with(begin))
}

/// Reads a capture to its end, and reports its events, each with the time of its packet. A damaged or truncated file is read up to that point.
///
/// Errors: it is not a capture, or its beginning cannot be read.
pub fn read_capture(
    input: impl Read,
    tell: &mut dyn FnMut(TraceEvent),
) -> Result<CaptureFacts, CaptureError> {
    let mut file = CaptureFile::open(input).map_err(|error| match error {
        FileError::Foreign(why) => CaptureError::Foreign(why),
        FileError::Read(error) => CaptureError::Read(error),
        FileError::Damaged(_) | FileError::Cut(_) => {
            CaptureError::Foreign("the file ends within its header, so it has no packets")
        }
    })?;
    let mut facts = CaptureFacts {
        format: file.format().to_string(),
        ..CaptureFacts::default()
    };
    let mut connections = Connections::default();
    loop {
        match file.next() {
            Ok(Some(packet)) => take(&packet, &mut facts, &mut connections, tell),
            Ok(None) => break,
            Err(error) => {
                facts.damage = Some(damage(&error));
                break;
            }
        }
    }
    facts.file_bytes = file.position();
    connections.tally.packets.dropped = file.dropped();
    let (tally, listed, count, several) = connections.close(tell);
    facts.packet_losses = tally.packets;
    facts.message_losses = tally.messages;
    facts.protection = tally.protection;
    facts.connections = listed;
    facts.connections_count = count;
    facts.multichannel_sessions = several;
    Ok(facts)
}

fn take(
    packet: &Packet<'_>,
    facts: &mut CaptureFacts,
    connections: &mut Connections,
    tell: &mut dyn FnMut(TraceEvent),
) {
    facts.packets += 1;
    let losses = &mut connections.tally.packets;
    losses.cut += u64::from(packet.wire_bytes as usize > packet.bytes.len());
    let Some(at_ns) = packet.at_ns else {
        losses.without_time += 1;
        return;
    };
    facts.first_unix_ns = Some(facts.first_unix_ns.unwrap_or(at_ns).min(at_ns));
    facts.last_unix_ns = Some(facts.last_unix_ns.unwrap_or(at_ns).max(at_ns));
    let begin = match inside(packet.link, packet.bytes) {
        Inside::Ip(begin) => begin,
        Inside::Other => return,
        Inside::UnknownLink => {
            losses.unknown_link += 1;
            return;
        }
    };
    let content = packet.bytes.get(begin..).unwrap_or_default();
    let wire_bytes = packet.wire_bytes.saturating_sub(begin as u32);
    match held(content, wire_bytes) {
        Held::Tcp(segment) => connections.take(&segment, at_ns, tell),
        Held::Udp(content) => facts.nfs_udp_calls += u64::from(nfs::is_call(content)),
        Held::Fragment => losses.fragments += 1,
        Held::Other => {}
    }
}

/// Why a file was not read to its end.
fn damage(error: &FileError) -> Statement {
    match error {
        FileError::Damaged(at) => Statement::new("capture-damaged").count("at", *at),
        FileError::Cut(at) => Statement::new("capture-cut").count("at", *at),
        FileError::Read(error) => {
            Statement::new("capture-unreadable").name("error", error.to_string())
        }
        FileError::Foreign(why) => Statement::verbatim(*why),
    }
}

#[cfg(test)]
mod tests;
