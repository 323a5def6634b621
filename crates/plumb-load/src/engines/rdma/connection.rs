//! How does one side reach the other? A connection by TCP for the hello, and an endpoint on each side for everything else.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;

use super::endpoint::{Begun, Completion, Context, Endpoint, Registration};
use super::error::error_cause;
use super::hello::{Answer, Hello, Welcome};
use super::library::Library;
use super::provider::EndpointRequest;
use super::write_ping_pong::PingPongMemory;
use crate::engine::buffers::{Buffers, Region};
use crate::engine::{error_of_kind, statement_of_error};

/// Most grants in one message.
pub const GRANTS_AT_ONCE: usize = 128;
/// Bytes of a grant: slot and length.
pub const GRANT_BYTES: usize = 8;
/// A peer is connected to within this time.
pub const DIAL_WAIT: Duration = Duration::from_secs(5);
/// The responder may have to allocate and touch its memory first.
const ANSWER_WAIT: Duration = Duration::from_secs(30);
/// The first operation sets the provider's own connection up.
const FIRST_READ_WAIT_MS: u64 = 10_000;
/// Bytes of the read that tries the connection.
pub const TRIAL_BYTES: usize = 8;

/// Kind of a message: the upper half of its tag. The lower half is the number of a slot.
pub mod tag {
    /// Data of a send.
    pub const DATA: u64 = 1;
    /// Comes back as a pong.
    pub const PING: u64 = 2;
    pub const PONG: u64 = 3;
    /// Slots and lengths (four bytes each, big-endian) of messages that may be sent.
    pub const GRANT: u64 = 4;
    /// Data that was granted.
    pub const GIFT: u64 = 5;

    /// The tag of this kind for this slot.
    pub fn of(kind: u64, slot: u32) -> u64 {
        kind << 32 | u64::from(slot)
    }
}

/// What is wanted of the peer.
pub struct Wish<'a> {
    pub provider: &'a str,
    pub depth: u32,
    /// Largest message; 0: no messages.
    pub message_bytes: u32,
    pub memory_bytes: u64,
    pub memory_name: u64,
    pub polling: bool,
    /// Largest block of any operation.
    pub block_bytes: u64,
    /// Where the data of operations lies; outlives the connection.
    pub buffers: Option<Region>,
    /// Length of messages of ping-pongs by one-sided writes; 0: there are none.
    pub landing_bytes: u32,
}

/// An open connection to a peer.
pub struct Connection {
    // First, so that it is closed before the memory below goes.
    pub endpoint: Endpoint,
    pub stream: TcpStream,
    pub peer: u64,
    pub welcome: Welcome,
    /// Registration of the wish's buffers.
    pub buffers: Option<Registration>,
    /// Memory for grants, and its registration.
    pub scratch: Registration,
    scratch_memory: Buffers,
    /// For ping-pongs by one-sided writes.
    pub landing: Option<PingPongMemory>,
}

/// Connects to one of the addresses of `host:port`.
///
/// # Errors
/// Of the last address.
pub fn dial(host_and_port: &str, timeout: Duration) -> io::Result<TcpStream> {
    let nowhere = Statement::new("rdma-name-has-no-address");
    let mut error = error_of_kind(io::ErrorKind::NotFound, nowhere);
    for address in host_and_port.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => return Ok(stream),
            Err(wrong) => error = wrong,
        }
    }
    Err(error)
}

fn reading_failed(error: i32) -> Statement {
    Statement::new("rdma-reading-failed").part("error", error_cause(error))
}

impl Connection {
    /// Opens an endpoint, exchanges addresses, and reads a few bytes of the peer's memory, so that what follows finds everything set up. `scratch_bytes`: room
    /// for what the owner sends beside its buffers.
    ///
    /// # Errors
    /// Which of it failed and why, as a clause.
    ///
    /// # Safety
    /// The wish's buffers outlive the connection.
    pub unsafe fn open(
        library: &Arc<Library>,
        mut stream: TcpStream,
        wish: &Wish<'_>,
        scratch_bytes: usize,
    ) -> Result<Connection, Statement> {
        let broken = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Statement::new("rdma-peer-closed-without-answer"),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                Statement::new("rdma-peer-did-not-answer")
                    .time_ns("time", ANSWER_WAIT.as_nanos() as f64)
            }
            _ => statement_of_error(&error),
        };
        let source = stream.local_addr().map_err(broken)?.ip().to_canonical();
        let endpoint_request = EndpointRequest {
            provider: wish.provider,
            source,
            depth: wish.depth as usize,
            polling: wish.polling,
        };
        // Declared before the endpoint, so that it is dropped after it whatever happens: the peer writes there.
        let mut landing: Option<PingPongMemory> = None;
        let mut endpoint = Endpoint::open(library, &endpoint_request)?;
        let max = endpoint.message_bytes_max() as u64;
        if wish.block_bytes > max {
            return Err(Statement::new("rdma-block-is-too-large")
                .name("provider", endpoint.provider())
                .bytes("most", max as f64)
                .bytes("block", wish.block_bytes as f64));
        }
        // SAFETY: as the caller promises.
        let register = |endpoint: &mut Endpoint, region: Region| unsafe {
            endpoint.register(region.base, region.bytes, false)
        };
        let buffers = wish
            .buffers
            .map(|region| register(&mut endpoint, region))
            .transpose()?;
        let scratch_memory = Buffers::new(1, scratch_bytes.max(TRIAL_BYTES)).map_err(broken)?;
        // The scratch memory is dropped after the endpoint, by the order of the connection's fields.
        let scratch = register(&mut endpoint, scratch_memory.region())?;
        if wish.landing_bytes > 0 {
            // SAFETY: dropped after the endpoint, here by the order of declaration, then by that of the connection's fields.
            landing = Some(unsafe { PingPongMemory::new(&mut endpoint, wish.landing_bytes) }?);
        }
        let hello = Hello {
            provider: endpoint.provider(),
            address: endpoint.name()?,
            depth: wish.depth,
            message_bytes: wish.message_bytes,
            memory_bytes: wish.memory_bytes,
            memory_name: wish.memory_name,
            polling: wish.polling,
            memory: landing.as_ref().map(PingPongMemory::memory),
        };
        stream.set_nodelay(true).map_err(broken)?;
        stream.set_read_timeout(Some(ANSWER_WAIT)).map_err(broken)?;
        stream
            .set_write_timeout(Some(ANSWER_WAIT))
            .map_err(broken)?;
        hello.send(&mut stream).map_err(broken)?;
        let welcome = match Answer::receive(&mut stream).map_err(broken)? {
            Answer::Welcome(welcome) => welcome,
            Answer::Refused(reason) => {
                return Err(Statement::new("rdma-peer-refused").name("reason", reason));
            }
        };
        if welcome.base.checked_add(welcome.memory_bytes).is_none() {
            return Err(Statement::new("rdma-peer-lends-beyond-all-addresses"));
        }
        if welcome.memory_bytes < wish.memory_bytes {
            return Err(Statement::new("rdma-peer-lends-too-little")
                .bytes("bytes", welcome.memory_bytes as f64)
                .bytes("asked", wish.memory_bytes as f64));
        }
        if let Some(landing) = &mut landing {
            landing.meet(welcome.memory)?;
        }
        let peer = endpoint.insert(&welcome.address)?;
        stream.set_nonblocking(true).map_err(broken)?;
        let mut link = Connection {
            endpoint,
            stream,
            peer,
            welcome,
            buffers,
            scratch,
            scratch_memory,
            landing,
        };
        link.read_once()?;
        Ok(link)
    }

    /// Where grants lie.
    pub fn scratch_start(&self) -> *mut u8 {
        self.scratch_memory.region().base
    }

    /// One one-sided read of the first bytes of the peer's memory, from start to end. Nothing else may be outstanding.
    ///
    /// # Errors
    /// It failed, or did not end; or the peer has gone.
    pub fn read_once(&mut self) -> Result<Duration, Statement> {
        let mut contexts = Context::several(1);
        let begun = Instant::now();
        let late = |begun: &Instant| begun.elapsed() > Duration::from_millis(FIRST_READ_WAIT_MS);
        let len =
            TRIAL_BYTES.min(usize::try_from(self.welcome.memory_bytes).unwrap_or(TRIAL_BYTES));
        let buffer = (self.scratch_start(), len, self.scratch.descriptor);
        let mut done: Vec<Completion> = Vec::new();
        let mut is_begun = false;
        while done.is_empty() {
            if !is_begun {
                // SAFETY: buffer and context stay until the read has ended; a read that does not end is dealt with below.
                match unsafe {
                    self.endpoint.move_memory(
                        false,
                        buffer,
                        self.peer,
                        (self.welcome.base, self.welcome.key),
                        contexts.as_mut_ptr(),
                    )
                } {
                    Begun::Yes => is_begun = true,
                    Begun::Later => {}
                    Begun::Failed(error) => {
                        return Err(reading_failed(error));
                    }
                }
            }
            let outcome = self
                .endpoint
                .completions(if is_begun { 100 } else { 1 }, &mut done)
                .map_err(|(_, why)| why);
            let gone = outcome.err().or_else(|| {
                (done.is_empty() && self.is_gone()).then(|| Statement::new("cause-peer-closed"))
            });
            let gone = gone.or_else(|| {
                (done.is_empty() && late(&begun)).then(|| {
                    Statement::new("rdma-reading-took-too-long")
                        .time_ns("time", (FIRST_READ_WAIT_MS * 1_000_000) as f64)
                })
            });
            if let Some(gone) = gone {
                // The provider may still hold on to it until the endpoint is closed, which the caller does with the connection.
                std::mem::forget(contexts);
                return Err(gone);
            }
        }
        match done[0].error {
            0 => Ok(begun.elapsed()),
            error => Err(reading_failed(error)),
        }
    }

    /// True if the peer has closed its connection, or has sent data, which it never does.
    pub fn is_gone(&self) -> bool {
        is_closed(&self.stream)
    }
}

/// True if a connection that must stay silent has ended or has sent data.
pub fn is_closed(stream: &TcpStream) -> bool {
    match stream.peek(&mut [0]) {
        Ok(_) => true,
        Err(error) => !matches!(
            error.kind(),
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
        ),
    }
}
