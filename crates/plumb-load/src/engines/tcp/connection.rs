//! How does one connection to a responder live, get lost, and come back?

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use plumb_model::run::ConnectionState;
use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;

use crate::engine::failure::FailureKind;
use crate::engine::journal::Journal;
use crate::engine::lookout::{Lookout, Waiting};
use crate::engine::operation::Outcome;
use crate::engine::reconnect::{Pauses, Reconnect};
use crate::peer::dial::{Unreached, dial};
use crate::peer::protocol::{ACCOUNT_BYTES, ANSWER_BYTES, Answer, Hello, Mode, PeerAccount};
use crate::peer::transfer::{self, Broken, CALL, discard_all, is_time_out, receive_all, send_all};
use crate::peer::wake_ups::WakeUps;
use crate::system::tcp_connections::{ConnectionCounters, connection_counters};

/// How long the first connection, and each that follows a loss, may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between attempts to connect again.
const PAUSES: Pauses = Pauses {
    before: Duration::ZERO,
    first: Duration::from_millis(100),
    most: Duration::from_secs(1),
};
/// How long the rest of a stream and the responder's account are waited for.
const PARTING: Duration = Duration::from_secs(5);

/// Where a connection leads, and its greeting.
#[derive(Clone)]
pub struct Terms {
    pub remote: Remote,
    pub hello: Hello,
    /// What calls do that have to wait.
    pub waiting: Waiting,
    /// What a stream brings is discarded in the kernel.
    pub discards: bool,
}

/// A connection that was greeted: socket buffers of the other end in bytes.
pub struct Greeted {
    pub stream: TcpStream,
    pub send_buffer_bytes: u32,
    pub receive_buffer_bytes: u32,
}

/// Connects and greets.
///
/// # Errors
/// No peer, or one without the protocol.
pub fn greet(terms: &Terms) -> Result<Greeted, Unreached> {
    let address = terms.remote.host_and_port();
    let mut stream = dial(
        &terms.remote,
        terms.hello.window_bytes,
        terms.hello.no_delay,
        PATIENCE,
        "'plumb serve-net --listen any'",
    )?;
    let mut bytes = [0; ANSWER_BYTES];
    let statement = stream
        .set_read_timeout(Some(PATIENCE))
        .and_then(|()| stream.write_all(&terms.hello.encode()))
        .and_then(|()| stream.read_exact(&mut bytes));
    let foreign = |what: Statement| {
        Unreached(
            Statement::new("listener-is-foreign")
                .name("place", &address)
                .part("what", what),
        )
    };
    match statement.map(|()| Answer::decode(&bytes)) {
        Ok(Some(Answer::Welcome {
            send_buffer_bytes,
            receive_buffer_bytes,
        })) => Ok(Greeted {
            stream,
            send_buffer_bytes,
            receive_buffer_bytes,
        }),
        Ok(Some(Answer::Refused(refusal))) => Err(Unreached(
            Statement::new("serve-net-refuses")
                .name("place", &address)
                .part("why", refusal.statement()),
        )),
        Ok(None) => Err(foreign(Statement::new("it-speaks-another-protocol"))),
        Err(error) => Err(foreign(match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
                Statement::new("it-closed-the-connection")
            }
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                Statement::new("it-said-nothing").time_ns("time", PATIENCE.as_nanos() as f64)
            }
            _ => Statement::verbatim(error.to_string()),
        })),
    }
}

/// Sets up a connection for what the connection does on it.
///
/// # Errors
/// The system takes no time-outs.
fn prepare(stream: TcpStream, Terms { hello, waiting, .. }: &Terms) -> io::Result<State> {
    transfer::prepare(&stream, *waiting)?;
    // Only a stream is received in messages of one length, one behind the other.
    let wake_ups = WakeUps::new(
        &stream,
        if hello.mode == Mode::Receive {
            hello.message_bytes as usize
        } else {
            0
        },
    );
    Ok(State::Open(stream, wake_ups))
}

enum State {
    Open(TcpStream, WakeUps),
    /// A thread tries to connect again and hands over what it gets.
    Lost(Box<Reconnect<State>>),
}

/// One connection of a worker, of one mode.
pub struct Connection {
    terms: Terms,
    state: State,
    lookout: Lookout,
    journal: Journal,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub losses: u64,
    /// Retransmits of connections that were lost.
    lost_retransmits: u64,
}

/// What is left of a connection at its end.
pub struct ConnectionEnd {
    pub own: ConnectionCounters,
    /// Missing when the connection was lost, or the responder did not send it in time.
    pub peer: Option<PeerAccount>,
}

impl Connection {
    /// A connection over a connection that was just greeted.
    ///
    /// # Errors
    /// The system takes no time-outs.
    pub fn new(terms: Terms, stream: TcpStream, journal: Journal) -> io::Result<Connection> {
        let state = prepare(stream, &terms)?;
        Ok(Connection {
            lookout: Lookout::new(terms.waiting),
            terms,
            state,
            journal,
            bytes_sent: 0,
            bytes_received: 0,
            losses: 0,
            lost_retransmits: 0,
        })
    }

    /// Carries out one message, of which `buffer` has the length. Returns what came of it.
    #[inline]
    pub fn carry_out(&mut self, buffer: &mut [u8]) -> Outcome {
        if matches!(self.state, State::Lost(_)) && !self.is_restored() {
            return Outcome::failed(FailureKind::NotConnected);
        }
        let State::Open(stream, wake_ups) = &mut self.state else {
            return Outcome::failed(FailureKind::NotConnected);
        };
        let waiting = self.terms.waiting;
        let lookout = &mut self.lookout;
        let (moved, wrong) = match self.terms.hello.mode {
            Mode::Send => {
                let (sent, wrong) = send_all(stream, waiting, buffer);
                self.bytes_sent += sent;
                (sent, wrong)
            }
            Mode::Receive => {
                let take = if self.terms.discards {
                    discard_all
                } else {
                    receive_all
                };
                let (received, wrong) = take(stream, lookout, buffer);
                self.bytes_received += received;
                wake_ups.count(stream, received);
                (received, wrong)
            }
            Mode::PingPong => {
                let framed = if self.terms.hello.framed {
                    send_all(stream, waiting, &(buffer.len() as u32).to_le_bytes()).1
                } else {
                    None
                };
                let (sent, wrong) = if framed.is_some() {
                    (0, framed)
                } else {
                    send_all(stream, waiting, buffer)
                };
                let (received, wrong) = if wrong.is_some() {
                    (0, wrong)
                } else {
                    receive_all(stream, lookout, buffer)
                };
                self.bytes_sent += sent;
                self.bytes_received += received;
                (received, wrong)
            }
        };
        match wrong {
            None => Outcome::moved(moved as u32),
            Some(broken) => self.lose(broken),
        }
    }

    /// It carries a stream away from here.
    pub fn sends(&self) -> bool {
        self.terms.hello.mode == Mode::Send
    }

    #[cold]
    fn lose(&mut self, broken: Broken) -> Outcome {
        if let State::Open(stream, _) = &self.state {
            self.lost_retransmits += connection_counters(stream).retransmits.unwrap_or(0);
            // What is left of it is of no use.
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.losses += 1;
        let address = self.terms.remote.host_and_port();
        let lost = Statement::new("connection-lost")
            .name("place", address)
            .part("cause", broken.cause());
        self.journal.lost(lost, broken.silent);
        let terms = self.terms.clone();
        let mut reconnect = Reconnect::new("plumb-connect", PAUSES, move || {
            let greeted = greet(&terms).ok()?;
            prepare(greeted.stream, &terms).ok()
        });
        // Without a thread nothing is ever handed over, and every operation fails: that is what the record then shows.
        let _ = reconnect.begin();
        self.state = State::Lost(Box::new(reconnect));
        broken.outcome
    }

    /// Waits a moment for a new connection.
    #[cold]
    fn is_restored(&mut self) -> bool {
        let State::Lost(reconnect) = &mut self.state else {
            return true;
        };
        match reconnect.poll(CALL) {
            Ok(Some(state)) => {
                let address = self.terms.remote.host_and_port();
                let restored = Statement::new("connection-restored").name("place", address);
                self.journal.connection(ConnectionState::Restored, restored);
                self.state = state;
                true
            }
            Ok(None) => false,
            Err(_) => {
                std::thread::sleep(CALL);
                false
            }
        }
    }

    /// How it waits.
    pub fn waiting(&self) -> Waiting {
        self.lookout.waiting()
    }

    /// How long the socket was looked at before a call that slept, added up.
    pub fn looked(&self) -> Duration {
        self.lookout.looked()
    }

    /// Ends the connection: closes its direction, receives what is still in flight, and the responder's account.
    pub fn part(&mut self) -> ConnectionEnd {
        let State::Open(stream, _) = &mut self.state else {
            return ConnectionEnd {
                own: ConnectionCounters::default(),
                peer: None,
            };
        };
        let mut own = connection_counters(stream);
        own.retransmits = own.retransmits.map(|count| count + self.lost_retransmits);
        let receives = self.terms.hello.mode == Mode::Receive;
        let peer = receive_account(stream).map(|(account, rest)| {
            self.bytes_received += if receives { rest } else { 0 };
            account
        });
        ConnectionEnd { own, peer }
    }
}

/// Reads to the end; the account is the last that comes. Returns how many bytes came before it.
fn receive_account(stream: &mut TcpStream) -> Option<(PeerAccount, u64)> {
    stream.set_nonblocking(false).ok()?;
    stream.shutdown(Shutdown::Write).ok()?;
    let until = Instant::now() + PARTING;
    let mut buffer = vec![0u8; 256 << 10];
    let (mut tail, mut total) = ([0u8; ACCOUNT_BYTES], 0u64);
    loop {
        if Instant::now() > until {
            return None;
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Some((PeerAccount::decode(&tail)?, total - ACCOUNT_BYTES as u64)),
            Ok(count) => {
                total += count as u64;
                let kept = count.min(ACCOUNT_BYTES);
                tail.copy_within(kept.., 0);
                tail[ACCOUNT_BYTES - kept..].copy_from_slice(&buffer[count - kept..count]);
            }
            Err(error) if is_time_out(&error) => {}
            Err(_) => return None,
        }
    }
}
