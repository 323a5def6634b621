//! Where does IP begin in a packet? After the link header and VLAN tags.
//!
//! Numbers of links: <https://www.tcpdump.org/linktypes.html>.

const NULL: u32 = 0;
const ETHERNET: u32 = 1;
const RAW: [u32; 5] = [12, 14, 101, 228, 229];
const LOOP: u32 = 108;
const LINUX_COOKED: u32 = 113;
const LINUX_COOKED_2: u32 = 276;

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// IEEE 802.1Q, 802.1ad and what came before it.
const TAGS: [u16; 3] = [0x8100, 0x88a8, 0x9100];
/// Bytes of such a tag.
const TAG_BYTES: usize = 4;

/// What a packet holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// IP from this byte on.
    Ip(usize),
    /// Something else, or not enough data.
    Other,
    /// Unknown link type.
    UnknownLink,
}

/// What a packet from a link of this kind holds.
pub fn inside(link: u32, bytes: &[u8]) -> Inside {
    match link {
        ETHERNET => behind_tags(bytes, 12),
        LINUX_COOKED => behind_tags(bytes, 14),
        LINUX_COOKED_2 => match protocol(bytes, 0) {
            Some(IPV4 | IPV6) => Inside::Ip(20),
            // The tag stands behind the header then, and ends with the protocol.
            Some(tag) if TAGS.contains(&tag) => behind_tags(bytes, 22),
            _ => Inside::Other,
        },
        // The address family before it has another number on each system; IP reports its version itself.
        NULL | LOOP => Inside::Ip(4),
        link if RAW.contains(&link) => Inside::Ip(0),
        _ => Inside::UnknownLink,
    }
}

fn protocol(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The protocol is at `at`, or behind tags that are there.
fn behind_tags(bytes: &[u8], at: usize) -> Inside {
    let mut at = at;
    loop {
        match protocol(bytes, at) {
            Some(IPV4 | IPV6) => return Inside::Ip(at + 2),
            Some(tag) if TAGS.contains(&tag) => at += TAG_BYTES,
            _ => return Inside::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_is_found_behind_every_link() {
        let behind = |zeros: usize, rest: &[u8]| [&vec![0; zeros][..], rest].concat();
        let v4 = [0x08, 0x00, 0x45];
        let tagged = [0x81, 0x00, 0, 7, 0x86, 0xdd, 0x60];
        for (link, bytes, expected) in [
            (ETHERNET, behind(12, &v4), Inside::Ip(14)),
            (ETHERNET, behind(12, &tagged), Inside::Ip(18)),
            (
                ETHERNET,
                behind(12, &[0x88, 0xa8, 0, 7, 0x81, 0, 0, 8, 8, 0]),
                Inside::Ip(22),
            ),
            (ETHERNET, behind(12, &[8, 6]), Inside::Other),
            (ETHERNET, behind(12, &[8]), Inside::Other),
            (LINUX_COOKED, behind(14, &v4), Inside::Ip(16)),
            (
                LINUX_COOKED_2,
                [&[0x86, 0xdd][..], &[0; 18]].concat(),
                Inside::Ip(20),
            ),
            (
                LINUX_COOKED_2,
                [&[0x81, 0][..], &[0; 20], &v4].concat(),
                Inside::Ip(24),
            ),
            (NULL, vec![2, 0, 0, 0, 0x45], Inside::Ip(4)),
            (101, vec![0x45], Inside::Ip(0)),
            (147, vec![0x45], Inside::UnknownLink),
        ] {
            assert_eq!(inside(link, &bytes), expected, "{link} {bytes:?}");
        }
    }
}
