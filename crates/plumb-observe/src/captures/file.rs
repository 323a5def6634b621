//! Which packets are in a capture file? Those of pcap and pcapng, in either byte order, read one after another through one buffer.
//!
//! Formats: draft-ietf-opsawg-pcap (pcap) and draft-ietf-opsawg-pcapng (pcapng).

mod blocks;
mod buffer;
mod bytes;
mod clock;
mod packet;

use std::io::Read;

use blocks::Section;
use buffer::Buffer;
use bytes::Order;
use clock::Resolution;
use packet::PACKET_BYTES_MAX;
pub use packet::{FileError, Packet};

/// Bytes of the header of a pcap file.
const HEADER_BYTES: usize = 24;

/// Position of the next packet.
enum Format {
    Pcap {
        order: Order,
        resolution: Resolution,
        /// Bytes of the header of each packet.
        record_bytes: usize,
        link: u32,
    },
    Pcapng(Section),
}

/// A capture file that is read once, from beginning to end.
pub struct CaptureFile<R> {
    buffer: Buffer<R>,
    format: Format,
}

impl<R: Read> CaptureFile<R> {
    /// Errors: it cannot be read, or is not a capture.
    pub fn open(input: R) -> Result<CaptureFile<R>, FileError> {
        let mut buffer = Buffer::new(input);
        if !buffer.holds(4)? {
            return Err(FileError::Foreign(
                "it is too short for a capture; create one with 'tcpdump -w FILE'",
            ));
        }
        let magic = Order::Big.u32(buffer.bytes(), 0).unwrap_or_default();
        if magic == blocks::SECTION {
            let format = Format::Pcapng(Section::default());
            return Ok(CaptureFile { buffer, format });
        }
        let (order, resolution, record_bytes) = pcap_of(magic)?;
        if !buffer.holds(HEADER_BYTES)? {
            return Err(FileError::Cut(buffer.position()));
        }
        // The upper bits describe checksums at the end of frames.
        let link = order.u32(buffer.bytes(), 20).unwrap_or_default() & 0xffff;
        buffer.take(HEADER_BYTES);
        let format = Format::Pcap {
            order,
            resolution,
            record_bytes,
            link,
        };
        Ok(CaptureFile { buffer, format })
    }

    /// `pcap` or `pcapng`.
    pub fn format(&self) -> &'static str {
        match self.format {
            Format::Pcap { .. } => "pcap",
            Format::Pcapng(_) => "pcapng",
        }
    }

    /// Bytes that were used so far.
    pub fn position(&self) -> u64 {
        self.buffer.position()
    }

    /// Packets dropped during the capture, according to the file; missing if it does not state them.
    pub fn dropped(&self) -> Option<u64> {
        match &self.format {
            Format::Pcap { .. } => None,
            Format::Pcapng(section) => section.dropped(),
        }
    }

    /// The next packet; `None` at the end of the file. Errors: the file is damaged or truncated here, or cannot be read; reading stops.
    pub fn next(&mut self) -> Result<Option<Packet<'_>>, FileError> {
        match &mut self.format {
            Format::Pcap {
                order,
                resolution,
                record_bytes,
                link,
            } => record(&mut self.buffer, *order, *resolution, *record_bytes, *link),
            Format::Pcapng(section) => section.packet(&mut self.buffer),
        }
    }
}

/// Byte order, time unit and packet header size from the first four bytes, read as a big-endian number.
fn pcap_of(magic: u32) -> Result<(Order, Resolution, usize), FileError> {
    Ok(match magic {
        0xa1b2_c3d4 => (Order::Big, Resolution::MICROSECONDS, 16),
        0xd4c3_b2a1 => (Order::Little, Resolution::MICROSECONDS, 16),
        0xa1b2_3c4d => (Order::Big, Resolution::NANOSECONDS, 16),
        0x4d3c_b2a1 => (Order::Little, Resolution::NANOSECONDS, 16),
        // Kuznetzov's format, with the interface in each packet's header.
        0xa1b2_cd34 => (Order::Big, Resolution::MICROSECONDS, 24),
        0x34cd_b2a1 => (Order::Little, Resolution::MICROSECONDS, 24),
        _ => {
            let why = match magic.to_be_bytes() {
                [0x1f, 0x8b, ..] => "it is compressed: gunzip it first",
                [0x28, 0xb5, 0x2f, 0xfd] => "it is compressed: unzstd it first",
                [b'R', b'T', b'S', b'S'] => {
                    "it is a Network Monitor capture: convert it to pcapng with Wireshark's 'editcap FILE NEW.pcapng'"
                }
                _ => {
                    "it is no capture that plumb reads (pcap or pcapng); convert other formats with Wireshark's 'editcap FILE NEW.pcapng', \
                     and those of Windows (netsh trace, pktmon) with 'etl2pcapng'"
                }
            };
            return Err(FileError::Foreign(why));
        }
    })
}

/// The next packet of a pcap file.
fn record<R: Read>(
    buffer: &mut Buffer<R>,
    order: Order,
    resolution: Resolution,
    record_bytes: usize,
    link: u32,
) -> Result<Option<Packet<'_>>, FileError> {
    let at = buffer.position();
    if !buffer.holds(record_bytes)? {
        return match buffer.bytes().is_empty() {
            true => Ok(None),
            false => Err(FileError::Cut(at)),
        };
    }
    let head = buffer.bytes();
    let field = |position| order.u32(head, position).unwrap_or_default();
    let (seconds, fraction, stored, wire_bytes) = (field(0), field(4), field(8), field(12));
    // A fraction above one second is invalid: this is not a packet header.
    let Some(at_ns) = resolution.of_parts(seconds, fraction) else {
        return Err(FileError::Damaged(at));
    };
    if stored > PACKET_BYTES_MAX {
        return Err(FileError::Damaged(at));
    }
    let complete = record_bytes + stored as usize;
    if !buffer.holds(complete)? {
        return Err(FileError::Cut(at));
    }
    let bytes = buffer
        .take(complete)
        .get(record_bytes..)
        .unwrap_or_default();
    Ok(Some(Packet {
        at_ns: Some(at_ns),
        link,
        bytes,
        wire_bytes: wire_bytes.max(stored),
    }))
}
