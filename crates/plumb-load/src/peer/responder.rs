//! How is one client of `plumb serve-net` served? Its bytes are taken, sent, or sent back; nothing of them is kept.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::connections::{Idle, Standing, TICK};
use super::memory::Memory;
use super::protocol::{Answer, HELLO_BYTES, Hello, Mode, PeerAccount, Refusal};
use super::until::Until;
use super::wake_ups::WakeUps;
use crate::system::tcp_connections::{connection_counters, notice_vanished_peer};
use crate::system::thread_account;

/// A client that sends no request within this time is dropped.
const GREETING: Duration = Duration::from_secs(5);
/// A client that takes no data for so long has vanished.
const VANISHED_S: u64 = 30;
/// Bytes taken at once: as many as iperf3 takes; they fit into the second cache level of most processors.
const TAKEN_BYTES: usize = 128 << 10;
/// Most bytes handed to the system at once.
const SENT_BYTES_MAX: usize = 1 << 20;
/// Memory for the buffers of all connections together.
pub const BUFFERS_BYTES_MAX: u64 = 1 << 30;

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Served {
    pub mode: Mode,
    /// Length of a message, as the client announced it.
    pub message_bytes: u64,
    /// From the first byte to the end of the data; where this side sends, from the welcome.
    pub began: Instant,
    pub ended: Instant,
    pub account: PeerAccount,
}

/// Serves one connection to its end; `None` for one that came and went without a word, to see whether anybody is here.
///
/// # Errors
/// In one sentence: a greeting that is none, or a connection that broke.
pub fn respond(
    stream: &mut TcpStream,
    memory: &Arc<Memory>,
    standing: &Standing,
) -> Result<Option<Served>, String> {
    let Some(hello) = greeting(stream)? else {
        return Ok(None);
    };
    let mut idle = Idle::new(standing);
    let buffer_bytes = match hello.mode {
        Mode::Send => TAKEN_BYTES,
        Mode::Receive => (hello.message_bytes as usize).clamp(1, SENT_BYTES_MAX),
        Mode::PingPong => hello.message_bytes as usize,
    };
    let Some(_share) = memory.take(buffer_bytes as u64) else {
        refuse(stream, Refusal::MessageTooLong);
        return Err(
            "messages of all clients together would exceed 1 GiB; connection rejected".into(),
        );
    };
    let mut buffer = vec![0u8; buffer_bytes];
    if hello.mode == Mode::Receive {
        fill(&mut buffer);
    }
    let broken = |error: io::Error| format!("the connection failed: {error}");
    welcome(stream, &hello).map_err(broken)?;
    let (before, mut began) = (thread_account(), Instant::now());
    let mut account = PeerAccount::default();
    match hello.mode {
        Mode::Send => take(
            (stream, &mut idle),
            &mut buffer,
            hello.message_bytes as usize,
            &mut account,
        )
        .map(|first| began = first.unwrap_or(began)),
        Mode::Receive => send((stream, &mut idle), &buffer, &mut account),
        Mode::PingPong => send_back((stream, &mut idle), &mut buffer, hello.framed, &mut account),
    }
    .map_err(broken)?;
    let ended = Instant::now();
    let used = before.zip(thread_account());
    account.cpu_user_ns = used.map(|(before, after)| after.user_ns.saturating_sub(before.user_ns));
    account.cpu_system_ns =
        used.map(|(before, after)| after.system_ns.saturating_sub(before.system_ns));
    account.retransmits = connection_counters(stream).retransmits;
    stream
        .write_all(&account.encode())
        .and_then(|()| stream.shutdown(Shutdown::Write))
        .map_err(broken)?;
    Ok(Some(Served {
        mode: hello.mode,
        message_bytes: u64::from(hello.message_bytes),
        began,
        ended,
        account,
    }))
}

/// Rejects. A client that does not understand it is not plumb's.
pub fn refuse(stream: &mut TcpStream, refusal: Refusal) {
    let _ = stream.set_write_timeout(Some(GREETING));
    let _ = stream
        .write_all(&Answer::Refused(refusal).encode())
        .and_then(|()| stream.shutdown(Shutdown::Write));
}

fn greeting(stream: &mut TcpStream) -> Result<Option<Hello>, String> {
    let unheard = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "it closed the connection without sending a request".to_string()
        }
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("it sent no request within {} s", GREETING.as_secs())
        }
        _ => format!("the connection failed: {error}"),
    };
    let mut until = Until::new(stream, GREETING);
    if !until.has_more().map_err(unheard)? {
        return Ok(None);
    }
    let mut bytes = [0; HELLO_BYTES];
    until.read_exact(&mut bytes).map_err(unheard)?;
    stream.set_read_timeout(Some(TICK)).map_err(unheard)?;
    stream.set_write_timeout(Some(TICK)).map_err(unheard)?;
    Hello::decode(&bytes).map(Some).map_err(|refusal| {
        refuse(stream, refusal);
        match refusal {
            Refusal::Malformed => {
                "not a plumb client: invalid greeting; connection dropped".to_string()
            }
            Refusal::Version => {
                "incompatible version of plumb's protocol; connection rejected".to_string()
            }
            _ => "requested message size is too large; connection rejected".to_string(),
        }
    })
}

fn welcome(stream: &mut TcpStream, hello: &Hello) -> io::Result<()> {
    let socket = SockRef::from(&*stream);
    if hello.window_bytes > 0 {
        // The system grants what it allows, and the reply contains it.
        let _ = socket.set_send_buffer_size(hello.window_bytes as usize);
        let _ = socket.set_recv_buffer_size(hello.window_bytes as usize);
    }
    let _ = socket.set_tcp_nodelay(hello.no_delay);
    let size = |bytes: io::Result<usize>| {
        bytes.map_or(0, |bytes| u32::try_from(bytes).unwrap_or(u32::MAX))
    };
    let answer = Answer::Welcome {
        send_buffer_bytes: size(socket.send_buffer_size()),
        receive_buffer_bytes: size(socket.recv_buffer_size()),
    };
    notice_vanished_peer(stream, VANISHED_S);
    stream.write_all(&answer.encode())
}

/// Takes bytes until the client has no more: when the first came.
fn take(
    (stream, idle): (&mut TcpStream, &mut Idle<'_>),
    buffer: &mut [u8],
    message_bytes: usize,
    account: &mut PeerAccount,
) -> io::Result<Option<Instant>> {
    let mut first = None;
    let mut wake_ups = WakeUps::new(stream, message_bytes);
    loop {
        match stream.read(buffer) {
            Ok(0) => return Ok(first),
            Ok(count) => {
                idle.moved();
                if account.bytes_received == 0 {
                    first = Some(Instant::now());
                }
                account.bytes_received += count as u64;
                wake_ups.count(stream, count as u64);
            }
            Err(error) => idle.waits_to_receive(error)?,
        }
    }
}

/// Sends until the client closes its direction. A second thread waits for that: a check before each message would cost a call each.
fn send(
    (stream, idle): (&mut TcpStream, &mut Idle<'_>),
    buffer: &[u8],
    account: &mut PeerAccount,
) -> io::Result<()> {
    let mut listening = stream.try_clone()?;
    let ended = AtomicBool::new(false);
    let waits = |error: io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
        )
    };
    std::thread::scope(|scope| {
        let listen = || {
            // A receiving client sends nothing: any data means the end.
            while listening.read(&mut [0; 1]).is_err_and(waits) {}
            ended.store(true, Ordering::Relaxed);
        };
        std::thread::Builder::new()
            .name("plumb-peer-end".into())
            .spawn_scoped(scope, listen)?;
        while !ended.load(Ordering::Relaxed) {
            let waited = match stream.write(buffer) {
                Ok(count) => {
                    idle.moved();
                    account.bytes_sent += count as u64;
                    Ok(())
                }
                Err(error) => idle.waits_to_send(error),
            };
            if waited.is_err() {
                // Wakes the thread that listens, so that the scope ends.
                let _ = stream.shutdown(Shutdown::Both);
                return waited;
            }
        }
        Ok(())
    })
}

/// Returns each message once it is complete.
fn send_back(
    (stream, idle): (&mut TcpStream, &mut Idle<'_>),
    buffer: &mut [u8],
    framed: bool,
    account: &mut PeerAccount,
) -> io::Result<()> {
    let mut length = buffer.len();
    loop {
        if framed {
            let mut frame = [0; 4];
            if !read_full(stream, idle, &mut frame)? {
                return Ok(());
            }
            length = u32::from_le_bytes(frame) as usize;
            if length > buffer.len() {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a message is longer than the client announced",
                ));
            }
        }
        if !read_full(stream, idle, &mut buffer[..length])? {
            return Ok(());
        }
        account.bytes_received += length as u64;
        write_full(stream, idle, &buffer[..length])?;
        account.bytes_sent += length as u64;
    }
}

/// Fills the buffer; `false`: the client has no more. An end in the middle of a message counts as one, too: the client gave up on it.
#[inline]
fn read_full(stream: &mut TcpStream, idle: &mut Idle<'_>, buffer: &mut [u8]) -> io::Result<bool> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => return Ok(false),
            Ok(count) => {
                idle.moved();
                filled += count;
            }
            Err(error) => idle.waits_to_receive(error)?,
        }
    }
    Ok(true)
}

/// Sends all of it.
#[inline]
fn write_full(stream: &mut TcpStream, idle: &mut Idle<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(count) => {
                idle.moved();
                bytes = &bytes[count..];
            }
            Err(error) => idle.waits_to_send(error)?,
        }
    }
    Ok(())
}

/// Bytes that no link compresses: xorshift (Marsaglia, 2003).
fn fill(buffer: &mut [u8]) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for chunk in buffer.chunks_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        chunk.copy_from_slice(&state.to_le_bytes()[..chunk.len()]);
    }
}
