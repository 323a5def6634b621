//! What does the kernel report about TCP connections that belong to others? Addresses and the counters of TCP_INFO, asked of sock_diag(7).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::netlink::{Family, Netlink, Request, attribute, attributes, u32_at, u64_at};

/// One established connection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TcpConnection {
    pub local: SocketAddr,
    pub peer: SocketAddr,
    pub info: TcpCounters,
}

/// Of struct tcp_info (include/uapi/linux/tcp.h). What the kernel is too old for is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct TcpCounters {
    pub unacknowledged: Option<u32>,
    pub rtt_us: Option<u32>,
    pub min_rtt_us: Option<u32>,
    pub congestion_window: Option<u32>,
    pub segments_retransmitted: Option<u32>,
    pub segments_sent: Option<u32>,
    pub acknowledged_bytes: Option<u64>,
    pub received_bytes: Option<u64>,
    pub busy_us: Option<u64>,
    pub receive_window_limited_us: Option<u64>,
    pub send_buffer_limited_us: Option<u64>,
}

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const INET_DIAG_REQ_BYTECODE: u16 = 1;
const INET_DIAG_INFO: u16 = 2;
const IPPROTO_TCP: u8 = 6;
const ESTABLISHED: u32 = 1 << 1;
/// AF_INET and AF_INET6 of Linux.
const FAMILIES: [u8; 2] = [2, 10];
/// struct inet_diag_msg.
const MESSAGE_BYTES: usize = 72;

/// Hands over every established connection of this network namespace of which either end has one of these ports. Connections of the kernel's own clients
/// are among them. The kernel chooses: others cost nothing.
///
/// Errors: the kernel does not report.
pub(crate) fn each_connection(
    netlink: &mut Netlink,
    ports: &[u16],
    take: &mut dyn FnMut(TcpConnection),
) -> io::Result<()> {
    let filter = attribute(INET_DIAG_REQ_BYTECODE, &filter(ports));
    for family in FAMILIES {
        // struct inet_diag_req_v2: family, protocol, extensions (INET_DIAG_INFO by its number), states, and a socket that is not reported.
        let mut body = vec![family, IPPROTO_TCP, 1 << (INET_DIAG_INFO - 1), 0];
        body.extend(ESTABLISHED.to_ne_bytes());
        body.extend([0; 48]);
        body.extend(&filter);
        let request = Request {
            kind: SOCK_DIAG_BY_FAMILY,
            is_dump: true,
            body: &body,
        };
        netlink.ask(&request, &mut |message| {
            if let Some(connection) = connection_of(message) {
                take(connection);
            }
        })?;
    }
    Ok(())
}

/// Reaches a netlink socket that is queried for connections.
pub(crate) fn open() -> io::Result<Netlink> {
    Netlink::open(Family::Sockets)
}

/// A program for inet_diag_bc_run: whether the local or the remote port is one of these. Each operation is (code, offset when true, offset when false) in
/// 4 bytes; to land at the end is yes, 4 bytes behind it is no. "A or B" is A, a jump over B, and B.
fn filter(ports: &[u16]) -> Vec<u8> {
    const JUMP: u8 = 1;
    const LOCAL_PORT_IS: u8 = 11;
    const REMOTE_PORT_IS: u8 = 12;
    let tests: Vec<(u8, u16)> = ports
        .iter()
        .flat_map(|port| [(LOCAL_PORT_IS, *port), (REMOTE_PORT_IS, *port)])
        .collect();
    let mut out = Vec::new();
    let mut operation = |code: u8, yes: u8, no: u16| {
        out.extend([code, yes]);
        out.extend(no.to_ne_bytes());
    };
    for (position, (code, port)) in tests.iter().enumerate() {
        operation(*code, 8, 12);
        operation(0, 0, *port);
        let left = tests.len() - position - 1;
        if left > 0 {
            // Each test but the last has its jump.
            let behind = (12 * left - 4) as u16;
            operation(JUMP, 4, 4 + behind);
        }
    }
    out
}

/// `None` for a message that is too short.
fn connection_of(message: &[u8]) -> Option<TcpConnection> {
    let address = |at: usize| -> Option<IpAddr> {
        match message.first()? {
            2 => {
                let octets: [u8; 4] = *message.get(at..)?.first_chunk()?;
                Some(Ipv4Addr::from(octets).into())
            }
            _ => {
                let octets: [u8; 16] = *message.get(at..)?.first_chunk()?;
                Some(IpAddr::from(Ipv6Addr::from(octets)).to_canonical())
            }
        }
    };
    // Ports are in network byte order.
    let port = |at: usize| Some(u16::from_be_bytes(*message.get(at..)?.first_chunk()?));
    let local = SocketAddr::new(address(8)?, port(4)?);
    let peer = SocketAddr::new(address(24)?, port(6)?);
    let mut of_connection = attributes(message.get(MESSAGE_BYTES..)?);
    let info =
        of_connection.find_map(|(kind, content)| (kind == INET_DIAG_INFO).then_some(content));
    Some(TcpConnection {
        local,
        peer,
        info: info.map(info_of).unwrap_or_default(),
    })
}

fn info_of(bytes: &[u8]) -> TcpCounters {
    let small = |at| u32_at(bytes, at);
    let large = |at| u64_at(bytes, at);
    TcpCounters {
        unacknowledged: small(24),
        rtt_us: small(68),
        congestion_window: small(80),
        segments_retransmitted: small(100),
        acknowledged_bytes: large(120),
        received_bytes: large(128),
        segments_sent: small(136),
        // All ones until a round trip was measured.
        min_rtt_us: small(148).filter(|time| *time != u32::MAX),
        busy_us: large(168),
        receive_window_limited_us: large(176),
        send_buffer_limited_us: large(184),
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    fn found(ports: &[u16]) -> Vec<TcpConnection> {
        let mut out = Vec::new();
        let mut netlink = open().unwrap();
        each_connection(&mut netlink, ports, &mut |found| out.push(found)).unwrap();
        out
    }

    #[test]
    fn connections_of_a_port_are_found_from_both_ends_and_no_others() {
        let [selected, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let of = |listener: &TcpListener| listener.local_addr().unwrap();
        let mut client = TcpStream::connect(of(&selected)).unwrap();
        let _unwanted = TcpStream::connect(of(&other)).unwrap();
        let (mut server, _) = selected.accept().unwrap();
        client.write_all(&[7; 5000]).unwrap();
        server.read_exact(&mut [0; 5000]).unwrap();
        // Ports that nobody uses come before and after, so that each jump of the filter is taken.
        let found = found(&[1, 2, of(&selected).port(), 3]);
        assert_eq!(found.len(), 2, "{found:?}");
        let sender = found
            .iter()
            .find(|connection| connection.peer == of(&selected))
            .expect("the client's end");
        assert_eq!(sender.local, client.local_addr().unwrap());
        // One byte more is the SYN (tcp_info counts sequence numbers from there).
        let acknowledged = sender.info.acknowledged_bytes.unwrap();
        assert!((5000..=5001).contains(&acknowledged), "{sender:?}");
        assert!(sender.info.rtt_us.unwrap() > 0 && sender.info.min_rtt_us.unwrap() > 0);
        assert_eq!(sender.info.segments_retransmitted, Some(0));
        let receiver = found
            .iter()
            .find(|connection| connection.local == of(&selected))
            .expect("the server's end");
        assert!(receiver.info.received_bytes.unwrap() >= 5000);
    }

    #[test]
    fn a_message_that_is_cut_tells_nothing_wrong() {
        let mut message = vec![2, 1, 0, 0];
        message.extend(445u16.to_be_bytes());
        message.extend(50_000u16.to_be_bytes());
        message.resize(72, 0);
        message[8..12].copy_from_slice(&[10, 0, 0, 1]);
        message[24..28].copy_from_slice(&[10, 0, 0, 2]);
        let mut info = vec![0u8; 104];
        info[68..72].copy_from_slice(&1500u32.to_ne_bytes());
        message.extend(attribute(INET_DIAG_INFO, &info));
        let complete = connection_of(&message).unwrap();
        assert_eq!(complete.local, "10.0.0.1:445".parse().unwrap());
        assert_eq!(complete.peer, "10.0.0.2:50000".parse().unwrap());
        assert_eq!(complete.info.rtt_us, Some(1500));
        // A kernel whose structure ends here does not report the rest.
        assert_eq!(complete.info.acknowledged_bytes, None);
        for length in 0..message.len() {
            let cut = connection_of(&message[..length]);
            assert!(cut.is_none_or(|cut| cut.info == TcpCounters::default()));
        }
    }
}
