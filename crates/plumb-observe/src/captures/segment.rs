//! Which part of which TCP connection is in a packet? IPv4 and IPv6 with extensions, truncated packets, and lengths left out by offloading.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

const TCP: u8 = 6;
const UDP: u8 = 17;
const UDP_HEADER_BYTES: usize = 8;
const TCP_HEADER_BYTES: usize = 20;
const IPV6_HEADER_BYTES: usize = 40;
/// Extension headers that an IPv6 packet may have before its content.
const EXTENSIONS_MAX: usize = 8;

/// Address and port of one end; IPv4 addresses as IPv6 maps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    pub address: u128,
    pub port: u16,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = IpAddr::V6(Ipv6Addr::from(self.address)).to_canonical();
        SocketAddr::new(address, self.port).fmt(f)
    }
}

/// One TCP segment.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    pub from: End,
    pub to: End,
    pub sequence: u32,
    /// Missing without the flag ACK.
    pub acknowledged: Option<u32>,
    pub syn: bool,
    pub fin: bool,
    pub rst: bool,
    /// IP identification, 0 if there is none: duplicates in the file share it, retransmissions do not.
    pub packet_number: u16,
    /// Its content as far as it was captured.
    pub content: &'a [u8],
    /// Bytes of its content on the wire.
    pub wire_bytes: u32,
}

/// What an IP packet holds.
#[derive(Debug, Clone, Copy)]
pub enum Held<'a> {
    Tcp(Segment<'a>),
    /// A datagram with this content.
    Udp(&'a [u8]),
    /// A piece of a packet.
    Fragment,
    /// Another protocol, or too little to tell.
    Other,
}

/// What an IP packet holds that had this many bytes on the wire.
pub fn held(packet: &[u8], wire_bytes: u32) -> Held<'_> {
    let found = match packet.first().map(|first| first >> 4) {
        Some(4) => ipv4(packet, wire_bytes as usize),
        Some(6) => ipv6(packet, wire_bytes as usize),
        _ => None,
    };
    found.unwrap_or(Held::Other)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn ipv4(packet: &[u8], wire_bytes: usize) -> Option<Held<'_>> {
    let header = usize::from(packet.first()? & 0x0f) * 4;
    let total = match usize::from(u16_at(packet, 2)?) {
        // Segments to be split by the network card have no length yet, or one of more than 16 bits.
        0 => wire_bytes,
        total => total,
    };
    let address = |at| Some(0xffff_0000_0000 | u128::from(u32_at(packet, at)?));
    let (from, to) = (address(12)?, address(16)?);
    let protocol = *packet.get(9)?;
    if header < 20 || total < header || ![TCP, UDP].contains(&protocol) {
        return None;
    }
    // More fragments follow, or this one is not the first.
    if u16_at(packet, 6)? & 0x3fff != 0 {
        return (protocol == TCP).then_some(Held::Fragment);
    }
    if protocol == UDP {
        return Some(Held::Udp(packet.get(header + UDP_HEADER_BYTES..)?));
    }
    tcp(
        packet.get(header..)?,
        total - header,
        from,
        to,
        u16_at(packet, 4)?,
    )
}

fn ipv6(packet: &[u8], wire_bytes: usize) -> Option<Held<'_>> {
    let address = |at: usize| Some(u128::from_be_bytes(*packet.get(at..)?.first_chunk()?));
    let (from, to) = (address(8)?, address(24)?);
    let total = match usize::from(u16_at(packet, 4)?) {
        0 => wire_bytes,
        length => IPV6_HEADER_BYTES + length,
    };
    let (mut next, mut at) = (*packet.get(6)?, IPV6_HEADER_BYTES);
    for _ in 0..EXTENSIONS_MAX {
        let length = |unit: usize, more: usize| {
            packet
                .get(at + 1)
                .map(|count| (usize::from(*count) + more) * unit)
        };
        let extension = match next {
            TCP => return tcp(packet.get(at..)?, total.checked_sub(at)?, from, to, 0),
            UDP => return Some(Held::Udp(packet.get(at + UDP_HEADER_BYTES..)?)),
            // Hop-by-hop and destination options, routing.
            0 | 43 | 60 => length(8, 1)?,
            // The authentication header counts in other units (RFC 4302).
            51 => length(4, 2)?,
            44 if u16_at(packet, at + 2)? & 0xfff9 != 0 => return Some(Held::Fragment),
            44 => 8,
            _ => return None,
        };
        next = *packet.get(at)?;
        at += extension;
    }
    None
}

fn tcp(bytes: &[u8], wire_bytes: usize, from: u128, to: u128, number: u16) -> Option<Held<'_>> {
    let header = usize::from(*bytes.get(12)? >> 4) * 4;
    let flags = *bytes.get(13)?;
    if header < TCP_HEADER_BYTES {
        return None;
    }
    let content_bytes = wire_bytes.checked_sub(header)?;
    let content = bytes.get(header..).unwrap_or_default();
    // What follows in a frame is padding of short frames.
    let content = content.get(..content_bytes).unwrap_or(content);
    let end = |address, at| {
        Some(End {
            address,
            port: u16_at(bytes, at)?,
        })
    };
    Some(Held::Tcp(Segment {
        from: end(from, 0)?,
        to: end(to, 2)?,
        sequence: u32_at(bytes, 4)?,
        acknowledged: u32_at(bytes, 8).filter(|_| flags & 0x10 != 0),
        syn: flags & 0x02 != 0,
        fin: flags & 0x01 != 0,
        rst: flags & 0x04 != 0,
        packet_number: number,
        content,
        wire_bytes: u32::try_from(content_bytes).ok()?,
    }))
}
