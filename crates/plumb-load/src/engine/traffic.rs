//! What went over a connection, and between which addresses?

use std::net::{SocketAddr, TcpStream};

use plumb_model::run::PathAccount;

/// A connection, and the bytes that it moved so far.
pub struct Traffic<'a> {
    pub stream: &'a TcpStream,
    pub sent_bytes: u64,
    pub received_bytes: u64,
}

/// The addresses of both ends. Asked for while the connection is there: a socket does not know them any more when it was reset.
#[derive(Clone, Copy)]
pub struct Ends {
    client: SocketAddr,
    server: SocketAddr,
}

impl Ends {
    /// Those of this connection; `None` where it is none of TCP, or gone already.
    pub fn of(traffic: Option<Traffic<'_>>) -> Option<Ends> {
        let stream = traffic?.stream;
        Some(Ends {
            client: plain(stream.local_addr().ok()?),
            server: plain(stream.peer_addr().ok()?),
        })
    }

    /// Adds what went between them to what was counted before.
    pub fn add(&self, traffic: &Traffic<'_>, paths: &mut Vec<PathAccount>) {
        PathAccount {
            client: self.client.ip().to_string(),
            server: self.server.to_string(),
            connections: 1,
            sent_bytes: traffic.sent_bytes,
            received_bytes: traffic.received_bytes,
        }
        .add_to(paths);
    }
}

/// An IPv4 address that a socket of both families shows as ::ffff:a.b.c.d is one.
fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
