//! How is a peer reached? Its name resolved, each of its addresses tried, the socket set up before it connects.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_words::english;
use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// Why a peer is not reached: what happened, and what to do next.
#[derive(Debug, Clone, PartialEq)]
pub struct Unreached(pub Statement);

impl std::fmt::Display for Unreached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&english(&self.0))
    }
}

impl std::error::Error for Unreached {}

/// How long a peer may take to answer before anything is measured.
const REACH: Duration = Duration::from_secs(5);

/// Checks whether a 'plumb serve-net' listens at the address: a connection without data.
///
/// # Errors
/// As [`dial`].
pub fn reach(remote: &Remote) -> Result<(), Unreached> {
    dial(remote, 0, true, REACH, "'plumb serve-net --listen any'").map(drop)
}

/// Connects to a peer. `window_bytes`: socket buffers to request, 0 for the system's default; they count for the scale of the window only when they
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
    let address = remote.host_and_port();
    let addresses: Vec<SocketAddr> = (remote.host.as_str(), remote.port())
        .to_socket_addrs()
        .map_err(|error| {
            Unreached(
                Statement::new("host-is-not-known")
                    .name("host", &remote.host)
                    .name("error", error.to_string()),
            )
        })?
        .collect();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        match connect(address, window_bytes, no_delay, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(Unreached(match last.kind() {
        io::ErrorKind::ConnectionRefused => Statement::new("nothing-listens")
            .name("place", address)
            .name("listener", listener),
        io::ErrorKind::TimedOut => Statement::new("peer-did-not-answer")
            .name("place", address)
            .name("listener", listener)
            .time_ns("time", patience.as_nanos() as f64),
        _ => Statement::new("no-connection-to-peer")
            .name("place", address)
            .name("error", last.to_string()),
    }))
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

/// The socket of a connection cannot be set up.
pub fn no_time_outs(error: &io::Error) -> Unreached {
    Unreached(Statement::new("socket-takes-no-time-outs").name("error", error.to_string()))
}

/// No socket has buffers of this length.
pub fn window_is_too_large(bytes: u64) -> Unreached {
    Unreached(Statement::new("window-is-too-large").name("bytes", bytes.to_string()))
}

/// Socket buffers as the system granted them, in bytes: for sending, for receiving.
pub fn buffers<'s>(socket: impl Into<SockRef<'s>>) -> (Option<usize>, Option<usize>) {
    let socket = socket.into();
    (
        socket.send_buffer_size().ok(),
        socket.recv_buffer_size().ok(),
    )
}
