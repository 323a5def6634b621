//! How do bytes get to the server and back? Over TCP alone, or with TLS; nothing here waits.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use socket2::{Domain, Protocol, Socket, Type};

use crate::system::tcp_connections::notice_vanished_peer;

/// Seconds without an acknowledgement after which the system gives a connection up.
const UNACKNOWLEDGED_S: u64 = 10;

/// A connection that is being made, or is there.
pub struct Wire {
    stream: TcpStream,
    session: Option<Box<ClientConnection>>,
    is_connected: bool,
}

impl Wire {
    /// Begins to connect.
    ///
    /// # Errors
    /// Of the system, or of TLS before the first byte.
    pub fn begin(
        address: SocketAddr,
        tls: Option<(&Arc<ClientConfig>, &ServerName<'static>)>,
    ) -> io::Result<Wire> {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::STREAM,
            Some(Protocol::TCP),
        )?;
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        match socket.connect(&address.into()) {
            Err(error) if !is_on_its_way(&error) => return Err(error),
            _ => {}
        }
        let session = tls
            .map(|(configuration, name)| {
                ClientConnection::new(configuration.clone(), name.clone()).map(Box::new)
            })
            .transpose()
            .map_err(io::Error::other)?;
        Ok(Wire {
            stream: socket.into(),
            session,
            is_connected: false,
        })
    }

    /// True once the TCP connection is there.
    ///
    /// # Errors
    /// It could not be made.
    pub fn is_connected(&mut self) -> io::Result<bool> {
        if self.is_connected {
            return Ok(true);
        }
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        match self.stream.peer_addr() {
            Ok(_) => {
                notice_vanished_peer(&self.stream, UNACKNOWLEDGED_S);
                self.is_connected = true;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
            // Some systems have another error for a socket that is still connecting.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// True if it was found to be there.
    pub fn is_made(&self) -> bool {
        self.is_connected
    }

    /// For the addresses of both ends, and for waiting.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// The TLS version that was agreed; `None` without TLS, and before its handshake.
    pub fn tls_version(&self) -> Option<&'static str> {
        match self.session.as_ref()?.protocol_version()? {
            rustls::ProtocolVersion::TLSv1_3 => Some("TLS 1.3"),
            rustls::ProtocolVersion::TLSv1_2 => Some("TLS 1.2"),
            _ => Some("TLS"),
        }
    }

    /// The cipher suite that was agreed, as IANA names it; `None` as [`Wire::tls_version`].
    pub fn tls_cipher(&self) -> Option<&'static str> {
        self.session
            .as_ref()?
            .negotiated_cipher_suite()?
            .suite()
            .as_str()
    }

    /// What to wait for; `sends`: there is more to send.
    pub fn interest(&self, sends: bool) -> PollFlags {
        if !self.is_connected {
            return PollFlags::OUT;
        }
        let sends = match &self.session {
            Some(session) if session.is_handshaking() => session.wants_write(),
            Some(session) => sends || session.wants_write(),
            None => sends,
        };
        match sends {
            true => PollFlags::IN | PollFlags::OUT,
            false => PollFlags::IN,
        }
    }

    /// Gives what the socket did not take yet.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] while the socket takes no more.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.session {
            Some(session) => rustls::Stream::new(session.as_mut(), &mut self.stream).flush(),
            None => Ok(()),
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.session {
            Some(session) => rustls::Stream::new(session.as_mut(), &mut self.stream).read(buffer),
            None => self.stream.read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.session {
            Some(session) => rustls::Stream::new(session.as_mut(), &mut self.stream).write(bytes),
            None => self.stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Wire::flush(self)
    }
}

/// A connection that does not wait is made in the background.
fn is_on_its_way(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::INPROGRESS | Errno::WOULDBLOCK)
    )
}
