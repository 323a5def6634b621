//! What does the kernel answer over netlink? One request, and the messages that come back.
//!
//! Formats: include/uapi/linux/netlink.h. All numbers are in the machine's own byte order, and every header begins at a multiple of 4 bytes.

use std::io;

#[cfg(target_os = "linux")]
pub(crate) use linux::Netlink;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::Netlink;

/// Which part of the kernel is queried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// NETLINK_SOCK_DIAG.
    Sockets,
    /// NETLINK_GENERIC.
    Generic,
}

/// One request, without its header.
pub(crate) struct Request<'a> {
    /// nlmsg_type.
    pub kind: u16,
    /// Many answers are wanted (NLM_F_DUMP), or one.
    pub is_dump: bool,
    pub body: &'a [u8],
}

const HEADER_BYTES: usize = 16;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;

impl Request<'_> {
    fn bytes(&self) -> Vec<u8> {
        let length = HEADER_BYTES + self.body.len();
        let dump = if self.is_dump { NLM_F_DUMP } else { 0 };
        let mut out = Vec::with_capacity(length);
        out.extend((length as u32).to_ne_bytes());
        out.extend(self.kind.to_ne_bytes());
        out.extend((NLM_F_REQUEST | dump).to_ne_bytes());
        // Sequence number and port: answers come on the socket that asked, one request at a time.
        out.extend([0; 8]);
        out.extend(self.body);
        out
    }
}

/// What one datagram says of whether more comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    More,
    Nothing,
}

/// Takes the messages of one datagram. Errors: the kernel refused.
fn take_messages(
    mut datagram: &[u8],
    is_dump: bool,
    take: &mut dyn FnMut(&[u8]),
) -> io::Result<Rest> {
    while datagram.len() >= HEADER_BYTES {
        let length = u32_at(datagram, 0).unwrap_or_default() as usize;
        let Some(message) = datagram.get(HEADER_BYTES..length) else {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        };
        match u16_at(datagram, 4).unwrap_or_default() {
            NLMSG_DONE => return Ok(Rest::Nothing),
            NLMSG_ERROR => {
                let code = u32_at(message, 0).unwrap_or_default() as i32;
                return match code {
                    0 => Ok(Rest::Nothing),
                    code => Err(io::Error::from_raw_os_error(code.saturating_neg())),
                };
            }
            _ => take(message),
        }
        datagram = datagram
            .get(length.next_multiple_of(4)..)
            .unwrap_or_default();
    }
    Ok(match is_dump {
        true => Rest::More,
        false => Rest::Nothing,
    })
}

/// The attributes of a message from here on: kind and content.
pub(crate) fn attributes(mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16_at(rest, 0)?);
        let kind = u16_at(rest, 2)?;
        let content = rest.get(4..length)?;
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, content))
    })
}

/// One attribute.
pub(crate) fn attribute(kind: u16, content: &[u8]) -> Vec<u8> {
    let length = 4 + content.len();
    let mut out = Vec::with_capacity(length.next_multiple_of(4));
    out.extend((length as u16).to_ne_bytes());
    out.extend(kind.to_ne_bytes());
    out.extend(content);
    out.resize(length.next_multiple_of(4), 0);
    out
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_ne_bytes(*bytes))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_ne_bytes(*bytes))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_ne_bytes(*bytes))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::net::sockopt::set_socket_timeout;
    use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};

    use super::{Family, Request, Rest, take_messages};

    /// The kernel fills at most so much for one recvmsg (NLMSG_GOODSIZE is a page, dumps take up to 32 KiB).
    const DATAGRAM_BYTES: usize = 64 << 10;
    /// The kernel answers at once, or something is wrong.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);

    /// A socket to one part of the kernel.
    pub(crate) struct Netlink {
        socket: OwnedFd,
        datagram: Vec<u8>,
    }

    impl Netlink {
        pub fn open(family: Family) -> io::Result<Netlink> {
            let protocol = match family {
                Family::Sockets => netlink::SOCK_DIAG,
                Family::Generic => netlink::GENERIC,
            };
            let socket = rustix::net::socket_with(
                AddressFamily::NETLINK,
                SocketType::RAW,
                SocketFlags::CLOEXEC,
                Some(protocol),
            )?;
            set_socket_timeout(&socket, rustix::net::sockopt::Timeout::Recv, Some(PATIENCE))?;
            Ok(Netlink {
                socket,
                datagram: vec![0; DATAGRAM_BYTES],
            })
        }

        /// Asks, and hands over each message of the answer without its header. Errors: the kernel refused, or does not answer.
        pub fn ask(
            &mut self,
            request: &Request<'_>,
            take: &mut dyn FnMut(&[u8]),
        ) -> io::Result<()> {
            rustix::net::send(&self.socket, &request.bytes(), SendFlags::empty())?;
            loop {
                let (length, _) = rustix::net::recv(
                    &self.socket,
                    self.datagram.as_mut_slice(),
                    RecvFlags::empty(),
                )?;
                if take_messages(&self.datagram[..length], request.is_dump, take)? == Rest::Nothing
                {
                    return Ok(());
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::io;

    use super::{Family, Request};

    /// There is none here.
    pub(crate) struct Netlink;

    impl Netlink {
        pub fn open(_: Family) -> io::Result<Netlink> {
            Err(io::Error::from(io::ErrorKind::Unsupported))
        }

        pub fn ask(&mut self, _: &Request<'_>, _: &mut dyn FnMut(&[u8])) -> io::Result<()> {
            Err(io::Error::from(io::ErrorKind::Unsupported))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u16, body: &[u8]) -> Vec<u8> {
        let mut out = Request {
            kind,
            is_dump: false,
            body,
        }
        .bytes();
        out.resize(out.len().next_multiple_of(4), 0);
        out
    }

    fn taken(datagram: &[u8], is_dump: bool) -> (Vec<Vec<u8>>, io::Result<Rest>) {
        let mut out = Vec::new();
        let rest = take_messages(datagram, is_dump, &mut |body| out.push(body.to_vec()));
        (out, rest)
    }

    #[test]
    fn messages_are_taken_until_the_last() {
        let datagram = [message(20, b"one"), message(20, b"second")].concat();
        let (bodies, rest) = taken(&datagram, true);
        assert_eq!(bodies, [b"one".to_vec(), b"second".to_vec()]);
        assert_eq!(rest.unwrap(), Rest::More);
        let (bodies, rest) = taken(&[message(20, b"last"), message(3, &[0; 4])].concat(), true);
        assert_eq!((bodies.len(), rest.unwrap()), (1, Rest::Nothing));
        let (_, rest) = taken(&message(20, b"alone"), false);
        assert_eq!(rest.unwrap(), Rest::Nothing);
    }

    #[test]
    fn refusals_and_cut_messages_are_errors() {
        let refused = message(2, &(-1i32).to_ne_bytes());
        let (bodies, rest) = taken(&refused, true);
        assert!(bodies.is_empty());
        assert_eq!(rest.unwrap_err().raw_os_error(), Some(1));
        let complete = message(20, b"some body");
        let (bodies, rest) = taken(&complete[..20], true);
        assert!(bodies.is_empty() && rest.is_err());
        // A length that says nothing would be read forever.
        assert!(taken(&[0; 32], true).1.is_err());
    }

    #[test]
    fn attributes_are_read_as_they_were_written() {
        let written = [
            attribute(1, b"abc"),
            attribute(7, b""),
            attribute(2, b"12345678"),
        ]
        .concat();
        let read: Vec<_> = attributes(&written).collect();
        assert_eq!(
            read,
            [(1, &b"abc"[..]), (7, &b""[..]), (2, &b"12345678"[..])]
        );
        assert_eq!(attributes(&written[..6]).count(), 0);
        assert_eq!(attributes(&[0; 8]).count(), 0);
    }
}
