//! How is a peer reached? Its name resolved, each of its addresses tried, the socket set up before it connects.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use plumb_model::target::remote::Remote;
use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// Why a peer is not reached: what happened, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub struct Unreached {
    pub reason: String,
    pub remedy: String,
}

/// How long a peer may take to answer before anything is measured.
const REACH: Duration = Duration::from_secs(5);

/// Whether anybody listens at the address of a 'plumb serve-net': a connection that says nothing.
///
/// # Errors
/// As [`dial`].
pub fn reach(remote: &Remote) -> Result<(), Unreached> {
    dial(remote, 0, true, REACH, "'plumb serve-net --listen any'").map(drop)
}

/// Connects to a peer. `window_bytes`: socket buffers to ask for, 0 for the system's own; they count for the scale of the window only when they
/// are set before the connection (tcp(7)). `listener`: what ought to listen there, for the remedy.
///
/// # Errors
/// The name is not known, or no address of it answers within `patience`.
pub fn dial(
    remote: &Remote,
    window_bytes: u32,
    no_delay: bool,
    patience: Duration,
    listener: &str,
) -> Result<TcpStream, Unreached> {
    let place = remote.host_and_port();
    let addresses: Vec<SocketAddr> = (remote.host.as_str(), remote.port())
        .to_socket_addrs()
        .map_err(|error| Unreached {
            reason: format!("the name '{}' is not known ({error})", remote.host),
            remedy: "check it, or give an address".into(),
        })?
        .collect();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        match connect(address, window_bytes, no_delay, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(match last.kind() {
        io::ErrorKind::ConnectionRefused => Unreached {
            reason: format!("nothing listens at {place} (connection refused)"),
            remedy: format!("start {listener} on that host, or name another port"),
        },
        io::ErrorKind::TimedOut => Unreached {
            reason: format!("{place} did not answer within {} s", patience.as_secs()),
            remedy: format!(
                "check the address, that {listener} runs there, and that no firewall drops the port"
            ),
        },
        _ => Unreached {
            reason: format!("no connection to {place} ({last})"),
            remedy: "check the address and the route to it".into(),
        },
    })
}

fn connect(
    address: SocketAddr,
    window_bytes: u32,
    no_delay: bool,
    patience: Duration,
) -> io::Result<TcpStream> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    if window_bytes > 0 {
        socket.set_send_buffer_size(window_bytes as usize)?;
        socket.set_recv_buffer_size(window_bytes as usize)?;
    }
    socket.connect_timeout(&address.into(), patience)?;
    socket.set_tcp_nodelay(no_delay)?;
    Ok(socket.into())
}

/// Socket buffers as the system granted them, in bytes: for sending, for receiving.
pub fn buffers(stream: &TcpStream) -> (Option<usize>, Option<usize>) {
    let socket = SockRef::from(stream);
    (
        socket.send_buffer_size().ok(),
        socket.recv_buffer_size().ok(),
    )
}
