//! Who answers at the other end of a network measurement? `plumb serve-net`: a listener, and one thread for each connection.

pub mod connections;
pub mod dial;
pub mod memory;
pub mod protocol;
mod responder;
pub mod transfer;
pub mod until;
pub mod wake_ups;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};

use connections::{Connections, Standing};
use memory::Memory;
use protocol::{Mode, Refusal};
use responder::{BUFFERS_BYTES_MAX, refuse, respond};

pub use responder::Served;

/// How often the listener looks for new clients and for the end.
const LOOK: Duration = Duration::from_millis(20);
/// With `once`: so long after its last connection a client counts as gone. Between the steps of a plan it has none.
const GONE: Duration = Duration::from_secs(5);

/// Whom to serve, and for how long.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Addresses that are served; empty: all.
    pub allowed: Vec<IpAddr>,
    /// End when the first client has gone.
    pub once: bool,
}

/// A socket that waits for clients.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
}

impl Listener {
    /// Listens on an address.
    ///
    /// # Errors
    /// The system's own: the port is in use, or not permitted.
    pub fn bind(address: SocketAddr) -> io::Result<Listener> {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::STREAM,
            Some(Protocol::TCP),
        )?;
        if address.is_ipv6() {
            // One socket for both versions of IP; a system that cannot do that serves IPv6 alone.
            let _ = socket.set_only_v6(false);
        }
        crate::system::reuse_address(&socket)?;
        socket.bind(&address.into())?;
        socket.listen(128)?;
        socket.set_nonblocking(true)?;
        Ok(Listener {
            socket: socket.into(),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system's own.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Serves clients until `stop`; `report` gets one line for each connection that ended, or that was refused.
    pub fn serve(&self, rules: &Rules, stop: &AtomicBool, report: &(dyn Fn(String) + Sync)) {
        self.serve_and_count(rules, stop, report, &|_| {});
    }

    /// The same; `count` gets what each connection that ended had moved.
    pub fn serve_and_count(
        &self,
        rules: &Rules,
        stop: &AtomicBool,
        report: &(dyn Fn(String) + Sync),
        count: &(dyn Fn(&Served) + Sync),
    ) {
        let (open, memory) = (Connections::as_limited(), Memory::new(BUFFERS_BYTES_MAX));
        let mut idle_since: Option<Instant> = None;
        std::thread::scope(|scope| {
            for number in 0u64.. {
                let client = loop {
                    if stop.load(Ordering::Relaxed)
                        || idle_since.is_some_and(|since| since.elapsed() > GONE)
                    {
                        return open.close_all();
                    }
                    match self.socket.accept() {
                        Ok(client) => break client,
                        // No client, or it has gone already, or no descriptors are left: the next look shows.
                        Err(_) => std::thread::sleep(LOOK),
                    }
                    idle_since = (rules.once && number > 0 && open.is_empty())
                        .then(|| idle_since.unwrap_or_else(Instant::now));
                };
                idle_since = None;
                let (stream, address) = client;
                let (mut stream, standing) = match admit(stream, address, rules, &open, number) {
                    Ok(admitted) => admitted,
                    Err(wrong) => {
                        report(format!("{}: {wrong}", plain(address)));
                        continue;
                    }
                };
                let (open, memory) = (&open, &memory);
                let one = move || {
                    let outcome = respond(&mut stream, memory, &standing);
                    open.remove(number);
                    match outcome {
                        Ok(Some(served)) => {
                            count(&served);
                            report(format!(
                                "{}: {}",
                                plain(address),
                                summary(served.mode, &served.account)
                            ));
                        }
                        Ok(None) => {}
                        Err(wrong) => report(format!("{}: {wrong}", plain(address))),
                    }
                };
                if let Err(error) = std::thread::Builder::new()
                    .name("plumb-peer".into())
                    .spawn_scoped(scope, one)
                {
                    open.remove(number);
                    report(format!(
                        "{}: dropped, cannot start a thread to serve it: {error}",
                        plain(address)
                    ));
                }
            }
        });
    }
}

/// Accepts a client, or returns why not.
fn admit(
    mut stream: TcpStream,
    address: SocketAddr,
    rules: &Rules,
    open: &Connections,
    number: u64,
) -> Result<(TcpStream, Arc<Standing>), String> {
    let broken = |error: io::Error| format!("the connection failed: {error}");
    stream.set_nonblocking(false).map_err(broken)?;
    let from = address.ip().to_canonical();
    if !rules.allowed.is_empty()
        && !rules
            .allowed
            .iter()
            .any(|allowed| allowed.to_canonical() == from)
    {
        refuse(&mut stream, Refusal::NotAllowed);
        return Err("rejected, not one of the allowed addresses".into());
    }
    match open.admit(number, from, &stream).map_err(broken)? {
        Some(standing) => Ok((stream, standing)),
        None => {
            refuse(&mut stream, Refusal::TooManyConnections);
            Err("rejected, too many connections are open".into())
        }
    }
}

/// An IPv4 address that came in by an IPv6 socket, as people write it.
fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

fn summary(mode: Mode, account: &protocol::PeerAccount) -> String {
    use plumb_words::numbers::show_bytes;
    let (received, sent) = (
        show_bytes(account.bytes_received as f64),
        show_bytes(account.bytes_sent as f64),
    );
    match mode {
        Mode::Send => format!("sent {received} to this host"),
        Mode::Receive => format!("received {sent} from this host"),
        Mode::PingPong => format!("{received} sent and returned"),
    }
}
