//! What stands in a message over UDP? The format of fio's network engine (fio 3.42), so that fio may be at the other end.

/// At the end of each message that has room: magic, number and length, little-endian.
const NUMBERED: u64 = 0x6573_7571_6E55_6563;
const TRAILER_BYTES: usize = 24;
/// Of the two messages around a stream.
const LINK: u32 = 0x6C69_6E6B;
const OPENS: u32 = 0x98;
const CLOSES: u32 = 0x89;

/// Message that begins a stream: big-endian.
pub fn opening() -> [u8; 8] {
    pair(LINK.to_be_bytes(), OPENS.to_be_bytes())
}

/// Message that ends a stream: little-endian.
pub fn closing() -> [u8; 8] {
    pair(LINK.to_le_bytes(), CLOSES.to_le_bytes())
}

fn pair(magic: [u8; 4], command: [u8; 4]) -> [u8; 8] {
    let mut message = [0; 8];
    message[..4].copy_from_slice(&magic);
    message[4..].copy_from_slice(&command);
    message
}

/// What has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    Opening,
    Closing,
    /// A message, with its number if it has one.
    Message(Option<u64>),
}

impl Arrival {
    /// What these bytes are.
    #[inline]
    pub fn of(bytes: &[u8]) -> Arrival {
        match bytes.len() {
            8 if bytes == opening() => Arrival::Opening,
            8 if bytes == closing() => Arrival::Closing,
            _ => Arrival::Message(number_of(bytes)),
        }
    }
}

/// Writes the number into a message; one that has no room stays without.
#[inline]
pub fn number(message: &mut [u8], number: u64) {
    let length = message.len() as u64;
    let Some(start) = message.len().checked_sub(TRAILER_BYTES) else {
        return;
    };
    for (field, value) in message[start..]
        .chunks_exact_mut(8)
        .zip([NUMBERED, number, length])
    {
        field.copy_from_slice(&value.to_le_bytes());
    }
}

/// The number of a message; `None`: it has none, or is not complete.
fn number_of(message: &[u8]) -> Option<u64> {
    let start = message.len().checked_sub(TRAILER_BYTES)?;
    let mut fields = message[start..]
        .chunks_exact(8)
        .map(|field| field.try_into().map_or(0, u64::from_le_bytes));
    let (magic, number, length) = (fields.next()?, fields.next()?, fields.next()?);
    (magic == NUMBERED && length == message.len() as u64).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_that_fio_sends() {
        // As tcpdump shows them between two jobs of fio 3.42 with bs=64.
        assert_eq!(opening(), *b"link\0\0\0\x98");
        assert_eq!(closing(), *b"knil\x89\0\0\0");
        let mut message = [0u8; 64];
        number(&mut message, 7);
        assert_eq!(&message[40..48], b"ceUnquse");
        assert_eq!((message[48], message[56]), (7, 64));
        assert_eq!(Arrival::of(&message), Arrival::Message(Some(7)));
        // Cut short on the way, too short for a number, or another program's.
        assert_eq!(Arrival::of(&message[1..]), Arrival::Message(None));
        assert_eq!(Arrival::of(&message[..8]), Arrival::Message(None));
        assert_eq!(Arrival::of(&opening()), Arrival::Opening);
        assert_eq!(Arrival::of(&closing()), Arrival::Closing);
        let mut short = [1u8; 23];
        number(&mut short, 7);
        assert_eq!(short, [1; 23]);
        assert_eq!(Arrival::of(&[]), Arrival::Message(None));
    }
}
