//! Which packets are in the blocks of a pcapng file? Each section has its byte order, its interfaces, and their clocks.

use std::io::Read;

use super::buffer::Buffer;
use super::bytes::Order;
use super::clock::Resolution;
use super::packet::{FileError, PACKET_BYTES_MAX, Packet};

/// Section Header Block; the same in both byte orders.
pub const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const STATISTICS: u32 = 5;
const PACKET: u32 = 6;

/// Bytes of type and length before the content of a block, and of the length after it.
const HEAD_BYTES: usize = 8;
const TAIL_BYTES: usize = 4;
/// Most interfaces of a section.
const INTERFACES_MAX: usize = 65_536;
/// Largest block of packets: the packet, its options and what is around them.
const BLOCK_BYTES_MAX: u32 = PACKET_BYTES_MAX + (1 << 20);

/// One interface of a section.
#[derive(Debug, Clone, Copy)]
pub struct Interface {
    link: u32,
    snap_bytes: u32,
    resolution: Resolution,
    /// Packets that it dropped, according to its last statistics.
    dropped: Option<u64>,
}

/// State needed to read the packets of a section.
#[derive(Debug, Default)]
pub struct Section {
    /// Missing before the first section.
    order: Option<Order>,
    interfaces: Vec<Interface>,
    /// Totals of the previous sections.
    dropped_before: Option<u64>,
}

impl Section {
    pub fn dropped(&self) -> Option<u64> {
        let here = self.interfaces.iter().filter_map(|of| of.dropped);
        here.chain(self.dropped_before).reduce(u64::saturating_add)
    }

    /// The next packet; `None` at the end.
    pub fn packet<'b, R: Read>(
        &mut self,
        buffer: &'b mut Buffer<R>,
    ) -> Result<Option<Packet<'b>>, FileError> {
        loop {
            let at = buffer.position();
            if !buffer.holds(HEAD_BYTES + TAIL_BYTES)? {
                return match buffer.bytes().is_empty() {
                    true => Ok(None),
                    false => Err(FileError::Cut(at)),
                };
            }
            let damaged = || FileError::Damaged(at);
            if Order::Big.u32(buffer.bytes(), 0) == Some(SECTION) {
                self.begin(buffer.bytes()).ok_or_else(damaged)?;
            }
            let order = self.order.ok_or_else(damaged)?;
            let kind = order.u32(buffer.bytes(), 0).ok_or_else(damaged)?;
            let length = order.u32(buffer.bytes(), 4).ok_or_else(damaged)?;
            // Blocks are padded to 32 bits; some programs do not count the padding.
            let padded = length.checked_add(3).ok_or_else(damaged)? & !3;
            if (length as usize) < HEAD_BYTES + TAIL_BYTES {
                return Err(damaged());
            }
            let is_packet = matches!(kind, PACKET | SIMPLE_PACKET | OLD_PACKET);
            if is_packet || matches!(kind, INTERFACE | STATISTICS) {
                if length > BLOCK_BYTES_MAX {
                    return Err(damaged());
                }
                if !buffer.holds(padded as usize)? {
                    return Err(FileError::Cut(at));
                }
                let behind = order.u32(buffer.bytes(), padded as usize - TAIL_BYTES);
                if behind != Some(length) {
                    return Err(damaged());
                }
                if is_packet {
                    let block = buffer.take(padded as usize);
                    let body = block.get(HEAD_BYTES..block.len() - TAIL_BYTES);
                    let packet = body.and_then(|body| self.packet_of(order, kind, body));
                    return packet.map(Some).ok_or_else(damaged);
                }
                let body = buffer.bytes().get(HEAD_BYTES..padded as usize - TAIL_BYTES);
                let body = body.unwrap_or_default();
                match kind {
                    INTERFACE => self.add_interface(order, body).ok_or_else(damaged)?,
                    _ => self.take_statistics(order, body),
                }
            }
            if buffer.skip(padded.into())? < padded.into() {
                return Err(FileError::Cut(at));
            }
        }
    }

    /// Its byte order follows from the number after its length.
    fn begin(&mut self, block: &[u8]) -> Option<()> {
        let order = match Order::Big.u32(block, HEAD_BYTES)? {
            0x1a2b_3c4d => Order::Big,
            0x4d3c_2b1a => Order::Little,
            _ => return None,
        };
        self.dropped_before = self.dropped();
        self.interfaces.clear();
        self.order = Some(order);
        Some(())
    }

    fn add_interface(&mut self, order: Order, body: &[u8]) -> Option<()> {
        let mut interface = Interface {
            link: order.u16(body, 0)?.into(),
            snap_bytes: order.u32(body, 4)?,
            resolution: Resolution::MICROSECONDS,
            dropped: None,
        };
        let (mut resolution, mut offset_s) = (interface.resolution, 0);
        for (code, value) in options(order, body.get(8..).unwrap_or_default()) {
            match (code, value.first()) {
                (9, Some(power)) => resolution = Resolution::of_option(*power),
                (14, _) => offset_s = order.u64(value, 0).unwrap_or_default().cast_signed(),
                _ => {}
            }
        }
        interface.resolution = resolution.with_offset(offset_s);
        (self.interfaces.len() < INTERFACES_MAX).then(|| self.interfaces.push(interface))
    }

    fn take_statistics(&mut self, order: Order, body: &[u8]) {
        let interface = order.u32(body, 0).and_then(|id| {
            self.interfaces
                .get_mut(usize::try_from(id).unwrap_or(usize::MAX))
        });
        let Some(interface) = interface else { return };
        let dropped = options(order, body.get(12..).unwrap_or_default())
            // By the interface, and by the system because of full buffers.
            .filter(|(code, _)| matches!(code, 5 | 7))
            .filter_map(|(_, value)| order.u64(value, 0));
        interface.dropped = dropped.reduce(u64::saturating_add).or(interface.dropped);
    }

    fn packet_of<'b>(&self, order: Order, kind: u32, body: &'b [u8]) -> Option<Packet<'b>> {
        let word = |at| order.u32(body, at);
        if kind == SIMPLE_PACKET {
            let interface = self.interfaces.first()?;
            let wire_bytes = word(0)?;
            let limit = match interface.snap_bytes {
                0 => wire_bytes,
                limit => wire_bytes.min(limit),
            };
            let bytes = body.get(4..)?;
            return Some(Packet {
                at_ns: None,
                link: interface.link,
                bytes: bytes.get(..limit as usize).unwrap_or(bytes),
                wire_bytes,
            });
        }
        let interface = match kind {
            PACKET => word(0)?,
            _ => order.u16(body, 0)?.into(),
        };
        let interface = self.interfaces.get(usize::try_from(interface).ok()?)?;
        let units = u64::from(word(4)?) << 32 | u64::from(word(8)?);
        let (stored, wire_bytes) = (word(12)?, word(16)?);
        Some(Packet {
            at_ns: Some(interface.resolution.of_units(units)),
            link: interface.link,
            bytes: body.get(20..)?.get(..stored as usize)?,
            wire_bytes: wire_bytes.max(stored),
        })
    }
}

/// Options (code, value) up to their end or to the first incomplete one.
fn options(order: Order, bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let code = order.u16(rest, 0).filter(|code| *code != 0)?;
        let length = usize::from(order.u16(rest, 2)?);
        let value = rest.get(4..)?.get(..length)?;
        rest = rest
            .get(4 + length.next_multiple_of(4)..)
            .unwrap_or_default();
        Some((code, value))
    })
}
