//! Who is the peer of `rdma:`? A responder that exposes memory, receives messages, returns them, and sends what it is granted.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::connection::is_closed;
use super::endpoint::Endpoint;
use super::error::{error_cause, library_is_missing};
use super::hello::{Answer, Hello, Welcome};
use super::library::{Library, NAMES};
use super::messages::{MESSAGES_BYTES_MAX, Messages};
use super::provider::EndpointRequest;
use super::write_ping_pong::Echo;
use crate::engine::buffers::Buffers;
use crate::peer::connections::network_of;
use crate::peer::memory::{Memory as Limit, Share};
use crate::peer::until::Until;
use plumb_model::statement::Statement;
use plumb_words::english;
use plumb_words::numbers::show_bytes;

/// Peers at once, and those of one address.
const SESSIONS_MAX: usize = 256;
const SESSIONS_PER_ADDRESS_MAX: usize = 64;
/// Default memory for all peers together: exposed memory, buffers, reply slots and endpoints. Less where this host has less than
/// four times as much.
const MEMORY_BYTES_DEFAULT: u64 = 4 << 30;
/// Memory that an endpoint takes for itself: 68 MiB were seen with tcp;ofi_rxm of libfabric 1.17, at depths from 1 to 65,536.
const ENDPOINT_BYTES: u64 = 72 << 20;
/// Largest message, and most operations outstanding, that a peer may ask for.
const MESSAGE_BYTES_MAX: u32 = 1 << 30;
const DEPTH_MAX: u32 = 1 << 16;
/// A peer sends its complete hello within this time. It connects first and then opens its endpoint, which loads all providers: seconds on a busy machine.
const HELLO_WAIT: Duration = Duration::from_secs(30);
/// Memory stays this long after its last user has gone: a connection that was lost finds what was written.
const KEPT: Duration = Duration::from_secs(60);
/// The connection of a peer, and the word to stop, are looked at so often.
const LOOK_MS: u64 = 100;

/// Memory that peers read and write.
struct Memory(Buffers);

// SAFETY: nobody here reads or writes it while peers may: it is only registered, and looked at by tests after their peers have finished.
unsafe impl Sync for Memory {}

/// Memory that is exposed to a peer, or kept for one that may reconnect.
struct Lease {
    borrower: (IpAddr, u64),
    bytes: u64,
    memory: Arc<Memory>,
    /// When it was last assigned or released.
    used: Instant,
    _share: Share,
}

/// Why a peer's hello could not be had.
fn no_hello(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "it closed the connection without sending a request".to_string()
        }
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("no hello within {} s", HELLO_WAIT.as_secs())
        }
        _ => format!("no hello: {error}"),
    }
}

/// The responder's messages are read on its host, or reach a client as text of another program.
fn text(why: Statement) -> String {
    english(&why)
}

/// An error: what of it is never served.
fn check(hello: &Hello) -> Result<(), String> {
    if hello.depth == 0
        || hello.depth > DEPTH_MAX
        || hello.message_bytes > MESSAGE_BYTES_MAX
        || hello.memory_bytes == 0
    {
        return Err(format!(
            "depth must be 1 to {DEPTH_MAX}, messages at most {MESSAGE_BYTES_MAX} bytes, and memory greater than 0"
        ));
    }
    if hello
        .memory
        .is_some_and(|memory| u64::from(memory.bytes) > MESSAGES_BYTES_MAX)
    {
        return Err(format!(
            "ping-pong messages by writes are limited to {MESSAGES_BYTES_MAX} bytes"
        ));
    }
    Ok(())
}

/// Listens for peers and serves them.
pub struct Responder {
    listener: TcpListener,
    library: Arc<Library>,
    leases: Mutex<Vec<Lease>>,
    /// What all peers may make this host use.
    limit: Arc<Limit>,
    /// The addresses of the peers that are served.
    sessions: Mutex<Vec<IpAddr>>,
}

/// The slot of a peer, released on drop.
struct SessionSlot<'r>(&'r Responder, IpAddr);

impl Drop for SessionSlot<'_> {
    fn drop(&mut self) {
        let mut sessions = self
            .0
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = sessions.iter().position(|address| *address == self.1) {
            sessions.swap_remove(at);
        }
    }
}

impl Responder {
    /// Listens at `host:port`; port 0 takes a free one.
    ///
    /// # Errors
    /// No libfabric, or the address cannot be had: one sentence.
    pub fn bind(address: impl ToSocketAddrs + std::fmt::Display) -> Result<Responder, String> {
        let library =
            Library::open(NAMES).map_err(|reason| english(&library_is_missing(reason)))?;
        let wrong = |error: io::Error| {
            format!(
                "cannot listen for RDMA peers on {address}: {error}; use another address or port"
            )
        };
        let listener = TcpListener::bind(&address).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        let most = crate::system::memory_bytes().map_or(MEMORY_BYTES_DEFAULT, |bytes| {
            MEMORY_BYTES_DEFAULT.min(bytes / 4)
        });
        Ok(Responder {
            listener,
            library,
            leases: Mutex::default(),
            limit: Limit::new(most),
            sessions: Mutex::default(),
        })
    }

    /// All peers together use so many bytes at most.
    pub fn limit_memory(&mut self, most: u64) {
        self.limit = Limit::new(most);
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves peers, each on its own thread, until `stop` is set: those with one of these addresses, or all if there are none. `report` is called for each
    /// that comes, goes, or is refused.
    pub fn serve(&self, allowed: &[IpAddr], stop: &AtomicBool, report: &(dyn Fn(String) + Sync)) {
        std::thread::scope(|scope| {
            while !stop.load(Ordering::Relaxed) {
                let Ok((stream, peer)) = self.listener.accept() else {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                };
                let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
                if !allowed.is_empty() && !allowed.contains(&peer.ip()) {
                    report(format!(
                        "RDMA peer {peer}: rejected, not one of the allowed addresses"
                    ));
                    continue;
                }
                let slot = match self.slot(peer.ip()) {
                    Ok(slot) => slot,
                    Err(reason) => {
                        report(format!("RDMA peer {peer}: rejected, {reason}"));
                        continue;
                    }
                };
                let serve = move || {
                    match self.converse(stream, peer, stop, report) {
                        Ok(()) => report(format!("RDMA peer {peer}: left")),
                        Err(reason) => report(format!("RDMA peer {peer}: {reason}")),
                    }
                    drop(slot);
                };
                let spawned = std::thread::Builder::new()
                    .name("plumb-rdma".into())
                    .spawn_scoped(scope, serve);
                if let Err(error) = spawned {
                    report(format!(
                        "RDMA peer {peer}: cannot start a thread to serve it: {error}"
                    ));
                }
            }
        });
    }

    /// A slot for one more peer of this address.
    fn slot(&self, address: IpAddr) -> Result<SessionSlot<'_>, String> {
        let address = network_of(address);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= SESSIONS_MAX {
            return Err(format!("{SESSIONS_MAX} peers are connected already"));
        }
        if sessions.iter().filter(|one| **one == address).count() >= SESSIONS_PER_ADDRESS_MAX {
            return Err(format!(
                "{SESSIONS_PER_ADDRESS_MAX} peers from its address are connected already"
            ));
        }
        sessions.push(address);
        Ok(SessionSlot(self, address))
    }

    /// One peer from hello to goodbye.
    fn converse(
        &self,
        mut stream: TcpStream,
        peer: SocketAddr,
        stop: &AtomicBool,
        report: &(dyn Fn(String) + Sync),
    ) -> Result<(), String> {
        let broken = |error: io::Error| error.to_string();
        // An accepted socket inherits the listener's mode on some systems.
        stream.set_nonblocking(false).map_err(broken)?;
        stream.set_read_timeout(Some(HELLO_WAIT)).map_err(broken)?;
        stream.set_write_timeout(Some(HELLO_WAIT)).map_err(broken)?;
        stream.set_nodelay(true).map_err(broken)?;
        let refuse = |stream: &mut TcpStream, reason: String| {
            Answer::Refused(reason.clone())
                .send(stream)
                .map_err(broken)?;
            // What the peer may still send must not turn the answer into a reset.
            let _ = stream.shutdown(std::net::Shutdown::Write);
            Err(format!("rejected, {reason}"))
        };
        let hello = match Hello::receive(&mut Until::new(&stream, HELLO_WAIT)) {
            Ok(hello) => hello,
            // The reply contains this side's version, so that the peer knows it.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                return refuse(&mut stream, error.to_string());
            }
            Err(error) => return Err(no_hello(&error)),
        };
        let (mut session, welcome) = match self.prepare(&hello, &stream, peer) {
            Ok(prepared) => prepared,
            Err(reason) => return refuse(&mut stream, reason),
        };
        Answer::Welcome(welcome).send(&mut stream).map_err(broken)?;
        stream.set_nonblocking(true).map_err(broken)?;
        let (provider, memory) = (&hello.provider, hello.memory_bytes);
        report(format!(
            "RDMA peer {peer}: {provider}, depth {}, {memory} bytes of memory",
            hello.depth
        ));
        let ended = session.serve(&stream, stop);
        drop(session);
        self.give_back(peer.ip(), hello.memory_name);
        ended
    }

    /// Endpoint, memory and buffers for a peer. An error is the answer to it.
    fn prepare(
        &self,
        hello: &Hello,
        stream: &TcpStream,
        peer: SocketAddr,
    ) -> Result<(Session, Welcome), String> {
        check(hello)?;
        // Counted before anything of it is touched.
        let of_session = ENDPOINT_BYTES + Messages::bytes(hello) + Echo::bytes(hello.memory);
        let share = self
            .limit
            .take(of_session)
            .ok_or_else(|| self.too_much(of_session, "an endpoint and its messages"))?;
        let source = stream
            .local_addr()
            .map_err(|error| error.to_string())?
            .ip()
            .to_canonical();
        let endpoint_request = EndpointRequest {
            provider: &hello.provider,
            source,
            depth: hello.depth as usize,
            polling: hello.polling,
        };
        let (memory, is_new) = self.lease(peer.ip(), hello)?;
        let mut endpoint = Endpoint::open(&self.library, &endpoint_request).map_err(text)?;
        let region = memory.0.region();
        // SAFETY: the session holds the memory, and drops it after the endpoint.
        let registration =
            unsafe { endpoint.register(region.base, hello.memory_bytes as usize, true) }
                .map_err(text)?;
        let messages = if hello.message_bytes > 0 {
            Some(Messages::new(&mut endpoint, hello).map_err(text)?)
        } else {
            None
        };
        // SAFETY: the session drops it after the endpoint.
        let echo = hello
            .memory
            .map(|there| unsafe { Echo::new(&mut endpoint, there, hello.polling) })
            .transpose()
            .map_err(text)?;
        let client = endpoint.insert(&hello.address).map_err(text)?;
        let software = format!(
            "libfabric {}, plumb {}",
            self.library.version(),
            env!("CARGO_PKG_VERSION")
        );
        let welcome = Welcome {
            address: endpoint.name().map_err(text)?,
            key: registration.key,
            base: registration.base,
            memory_bytes: hello.memory_bytes,
            is_new,
            software,
            memory: echo.as_ref().map(Echo::memory),
        };
        Ok((
            Session {
                endpoint,
                client,
                messages,
                echo,
                _memory: memory,
                _share: share,
            },
            welcome,
        ))
    }

    fn too_much(&self, bytes: u64, of: &str) -> String {
        let all = show_bytes(self.limit.most() as f64);
        format!(
            "{} of memory for {of} exceed the limit: {all} for all peers together; reduce size, block or depth, or raise --rdma-memory there",
            show_bytes(bytes as f64)
        )
    }

    fn leases(&self) -> MutexGuard<'_, Vec<Lease>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory for a peer: what it had, or new one. `true`: it is new.
    fn lease(&self, peer: IpAddr, hello: &Hello) -> Result<(Arc<Memory>, bool), String> {
        let (borrower, bytes) = ((peer, hello.memory_name), hello.memory_bytes);
        let mut leases = self.leases();
        if let Some(found) = leases
            .iter_mut()
            .find(|leases| leases.borrower == borrower && leases.bytes == bytes)
        {
            found.used = Instant::now();
            return Ok((found.memory.clone(), false));
        }
        let is_idle = |leases: &Lease| Arc::strong_count(&leases.memory) == 1;
        leases.retain(|leases| !is_idle(leases) || leases.used.elapsed() < KEPT);
        let share = self.limit.take(bytes).or_else(|| {
            leases.retain(|leases| !is_idle(leases));
            self.limit.take(bytes)
        });
        let share = share.ok_or_else(|| self.too_much(bytes, "what is lent"))?;
        let memory = Buffers::new(1, usize::try_from(bytes).unwrap_or(usize::MAX))
            .map_err(|error| error.to_string())?;
        let memory = Arc::new(Memory(memory));
        leases.push(Lease {
            borrower,
            bytes,
            memory: memory.clone(),
            used: Instant::now(),
            _share: share,
        });
        Ok((memory, true))
    }

    fn give_back(&self, peer: IpAddr, name: u64) {
        self.leases()
            .iter_mut()
            .filter(|leases| leases.borrower == (peer, name))
            .for_each(|leases| leases.used = Instant::now());
    }

    /// A copy of the memory exposed to the first peer. For tests, when no peer writes.
    #[cfg(test)]
    pub fn leased_bytes(&self) -> Vec<u8> {
        let leases = self.leases();
        let region = leases[0].memory.0.region();
        // SAFETY: the memory is valid while it is exposed.
        unsafe { std::slice::from_raw_parts(region.base, leases[0].bytes as usize) }.to_vec()
    }
}

/// One peer's endpoint and what it uses; dropped in this order.
struct Session {
    endpoint: Endpoint,
    client: u64,
    messages: Option<Messages>,
    echo: Option<Echo>,
    _memory: Arc<Memory>,
    _share: Share,
}

impl Session {
    /// Drives the provider until the peer leaves or `stop` is set: memory is read and written within these calls (and by the adapter, where there is one), so
    /// that what a ping-pong writes here is looked for after each.
    fn serve(&mut self, stream: &TcpStream, stop: &AtomicBool) -> Result<(), String> {
        let mut done = Vec::new();
        let mut looked = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            let mut is_behind = false;
            if let Some(messages) = &mut self.messages {
                messages
                    .begin(&mut self.endpoint, self.client)
                    .map_err(text)?;
                is_behind = messages.is_behind();
            }
            let mut wait_ms = if is_behind { 1 } else { LOOK_MS as i32 };
            if let Some(echo) = &mut self.echo {
                let next = echo.look(&mut self.endpoint, self.client).map_err(text)?;
                wait_ms = next.min(wait_ms);
            }
            self.endpoint
                .completions(wait_ms, &mut done)
                .map_err(|(_, why)| text(why))?;
            let is_idle = done.is_empty();
            for done in done.drain(..) {
                if done.error != 0 {
                    // A peer that leaves takes the operations in flight with it.
                    return if is_closed(stream) {
                        Ok(())
                    } else {
                        Err(format!("lost: {}", english(&error_cause(done.error))))
                    };
                }
                let is_echo = self.echo.as_mut().is_some_and(|echo| echo.takes(&done));
                if let Some(messages) = self.messages.as_mut().filter(|_| !is_echo) {
                    messages.take(&done).map_err(text)?;
                }
            }
            if is_idle && looked.elapsed() >= Duration::from_millis(LOOK_MS / 2) {
                if is_closed(stream) {
                    return Ok(());
                }
                looked = Instant::now();
            }
        }
        Ok(())
    }
}
