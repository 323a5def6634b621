//! How is the socket of one worker set up? Bound to an own address or a multicast group to receive, or with the address of the other end to send.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::EngineChoice;
use socket2::{Domain, Protocol, Socket, Type};

use crate::engine::Unavailable;
use crate::peer::dial::window_is_too_large;

/// A socket that is ready to use, and never waits by itself.
pub struct Ready {
    pub socket: UdpSocket,
    /// The target: where messages go, or what the socket is bound to.
    pub address: SocketAddr,
    /// The system knows the other end, and reports that nothing listens there.
    pub is_connected: bool,
}

/// Address of the target for this worker: each has a port of its own.
fn address_of(remote: &Remote, worker: u32) -> Result<SocketAddr, Unavailable> {
    let port = u32::from(remote.port()).checked_add(worker);
    let port = port
        .and_then(|port| u16::try_from(port).ok())
        .ok_or_else(|| {
            Unavailable(
                Statement::new("no-port-for-worker")
                    .count("worker", u64::from(worker) + 1)
                    .name("port", remote.port().to_string()),
            )
        })?;
    let not_known = |error: String| {
        Unavailable(
            Statement::new("host-is-not-known")
                .name("host", &remote.host)
                .name("error", error),
        )
    };
    let mut addresses = (remote.host.as_str(), port)
        .to_socket_addrs()
        .map_err(|error| not_known(error.to_string()))?;
    addresses
        .next()
        .ok_or_else(|| not_known(io::Error::from(io::ErrorKind::NotFound).to_string()))
}

fn new_socket(address: SocketAddr, choice: &EngineChoice) -> Result<Socket, Unavailable> {
    let window = choice.window.0;
    let bytes = usize::try_from(window)
        .ok()
        .filter(|bytes| *bytes <= i32::MAX as usize)
        .ok_or_else(|| window_is_too_large(window))?;
    let open = || -> io::Result<Socket> {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::DGRAM,
            Some(Protocol::UDP),
        )?;
        if bytes > 0 {
            socket.set_send_buffer_size(bytes)?;
            socket.set_recv_buffer_size(bytes)?;
        }
        socket.set_nonblocking(true)?;
        Ok(socket)
    };
    open().map_err(|error| failed(Refused::Socket, address, &error))
}

/// What the system refused.
#[derive(Clone, Copy)]
enum Refused {
    Socket,
    OwnAddress,
    Group,
}

fn failed(refused: Refused, address: SocketAddr, error: &io::Error) -> Unavailable {
    Unavailable(
        Statement::new(match refused {
            Refused::Socket => "no-udp-socket",
            Refused::OwnAddress => "udp-address-is-not-own",
            Refused::Group => "udp-group-is-not-joined",
        })
        .name("place", address.to_string())
        .name("error", error.to_string()),
    )
}

/// The interface for messages of a group: an address of it for IPv4, its index for IPv6.
fn interface<T: std::str::FromStr>(text: &str, by_system: T) -> io::Result<T> {
    match text {
        "" => Ok(by_system),
        text => text
            .parse()
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidInput)),
    }
}

/// A socket that receives at the target's address, which is one of this machine, or of a multicast group that it joins.
pub fn receiver(remote: &Remote, worker: u32, choice: &EngineChoice) -> Result<Ready, Unavailable> {
    let address = address_of(remote, worker)?;
    let socket = new_socket(address, choice)?;
    if address.ip().is_multicast() {
        join(&socket, address, &choice.multicast_interface)
            .map_err(|error| failed(Refused::Group, address, &error))?;
    } else {
        socket
            .bind(&address.into())
            .map_err(|error| failed(Refused::OwnAddress, address, &error))?;
    }
    Ok(Ready {
        socket: socket.into(),
        address,
        is_connected: false,
    })
}

/// Every receiver on this machine gets each message of the group.
fn join(socket: &Socket, group: SocketAddr, on: &str) -> io::Result<()> {
    socket.set_reuse_address(true)?;
    // Bound to the group it gets nothing else that arrives at the port; Windows takes only an own address.
    let any: IpAddr = match group {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    socket
        .bind(&group.into())
        .or_else(|_| socket.bind(&SocketAddr::new(any, group.port()).into()))?;
    match group.ip() {
        IpAddr::V4(ip) => {
            socket.join_multicast_v4(&ip, &interface(on, Ipv4Addr::UNSPECIFIED)?)?;
        }
        IpAddr::V6(ip) => socket.join_multicast_v6(&ip, interface(on, 0)?)?,
    }
    Ok(())
}

/// A socket that sends to the target.
pub fn sender(remote: &Remote, worker: u32, choice: &EngineChoice) -> Result<Ready, Unavailable> {
    let address = address_of(remote, worker)?;
    let socket = new_socket(address, choice)?;
    let is_group = address.ip().is_multicast();
    let prepare = || match address {
        _ if !is_group => socket.connect(&address.into()),
        SocketAddr::V4(_) => {
            socket.set_multicast_ttl_v4(u32::from(choice.multicast_ttl))?;
            match interface(&choice.multicast_interface, Ipv4Addr::UNSPECIFIED)? {
                Ipv4Addr::UNSPECIFIED => Ok(()),
                own => socket.set_multicast_if_v4(&own),
            }
        }
        SocketAddr::V6(_) => {
            socket.set_multicast_hops_v6(u32::from(choice.multicast_ttl))?;
            match interface(&choice.multicast_interface, 0)? {
                0 => Ok(()),
                index => socket.set_multicast_if_v6(index),
            }
        }
    };
    prepare().map_err(|error| match is_group {
        true => failed(Refused::Group, address, &error),
        false => failed(Refused::Socket, address, &error),
    })?;
    Ok(Ready {
        socket: socket.into(),
        address,
        is_connected: !is_group,
    })
}
