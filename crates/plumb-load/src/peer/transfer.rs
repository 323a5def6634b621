//! How is a complete message transferred over a connection? Blocking calls that return soon enough for a stall to be noticed.

use plumb_model::statement::Statement;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::engine::failure::{Code, Failure, FailureKind};
use crate::engine::lookout::{Lookout, Waiting};
use crate::engine::operation::Outcome;
use crate::system::arrivals::discard;

/// A call on the socket returns after this at the latest, so that a stall is noticed.
pub const CALL: Duration = Duration::from_millis(100);
/// A connection on which no byte moves for so long in the middle of a message is lost: three retransmissions (RFC 6298: 200, 400, 800 ms on Linux)
/// have come to nothing by then.
pub const STALLED: Duration = Duration::from_secs(2);

/// How long a call lasts that moves nothing: one that polls comes back at once, and is made again and again.
fn lasts(waiting: Waiting) -> Duration {
    match waiting {
        Waiting::Polls => Duration::ZERO,
        Waiting::Sleeps | Waiting::Looks | Waiting::LooksLonger => CALL,
    }
}

/// Has every call on the connection wait so.
///
/// # Errors
/// The system takes no time-outs.
pub fn prepare(stream: &TcpStream, waiting: Waiting) -> io::Result<()> {
    stream.set_read_timeout(Some(CALL))?;
    stream.set_write_timeout(Some(CALL))?;
    stream.set_nonblocking(waiting == Waiting::Polls)
}

/// Why a message did not go over the connection, which is of no use any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// What operations on it fail with.
    pub outcome: Outcome,
    /// How long no byte had moved by then.
    pub silent: Duration,
}

impl Broken {
    fn now(outcome: Outcome) -> Broken {
        Broken {
            outcome,
            silent: Duration::ZERO,
        }
    }

    /// Why.
    pub fn cause(&self) -> Statement {
        match self.outcome.get() {
            Err(failure) if failure.kind == FailureKind::TimedOut => {
                Statement::new("cause-no-byte-moved").time_ns("time", STALLED.as_nanos() as f64)
            }
            Err(failure) if failure.kind == FailureKind::ConnectionReset => {
                Statement::new("cause-closed-by-peer")
            }
            Err(Failure {
                code: Code::System(number),
                ..
            }) => Statement::verbatim(io::Error::from_raw_os_error(number as i32).to_string()),
            _ => Statement::new("cause-not-known"),
        }
    }
}

/// True for a call that ended without anything being wrong with the connection.
pub fn is_time_out(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

/// Hands all bytes to the system. Returns how many it took, and what went wrong.
#[inline(always)]
pub fn send_all(stream: &mut TcpStream, waiting: Waiting, bytes: &[u8]) -> (u64, Option<Broken>) {
    match stream.write(bytes) {
        Ok(count) if count == bytes.len() => (count as u64, None),
        first => in_pieces(first, bytes.len(), waiting, |done| {
            stream.write(&bytes[done..])
        }),
    }
}

/// Takes bytes until the buffer is full. Returns how many came, and what went wrong.
#[inline(always)]
pub fn receive_all(
    stream: &mut TcpStream,
    lookout: &mut Lookout,
    buffer: &mut [u8],
) -> (u64, Option<Broken>) {
    let waiting = lookout.waiting();
    let mut receive = |into: &mut [u8]| {
        lookout.look_for_one(stream, CALL)?;
        stream.read(into)
    };
    match receive(buffer) {
        Ok(count) if count == buffer.len() => (count as u64, None),
        first => in_pieces(first, buffer.len(), waiting, |done| {
            receive(&mut buffer[done..])
        }),
    }
}

/// As [`receive_all`], but the bytes are dropped in the kernel, and the buffer stays as it is.
pub fn discard_all(
    stream: &mut TcpStream,
    lookout: &mut Lookout,
    buffer: &mut [u8],
) -> (u64, Option<Broken>) {
    let waiting = lookout.waiting();
    let first = discard(stream, buffer).map(|received| received.bytes);
    let length = buffer.len();
    in_pieces(first, length, waiting, |done| {
        Ok(discard(stream, &mut buffer[done..])?.bytes)
    })
}

/// Goes on after a first call that did not move everything. A call that moves nothing is the end of the connection; one that timed out is not, unless
/// nothing moves for too long.
fn in_pieces(
    first: io::Result<usize>,
    length: usize,
    waiting: Waiting,
    mut call: impl FnMut(usize) -> io::Result<usize>,
) -> (u64, Option<Broken>) {
    let (mut outcome, mut done) = (first, 0);
    let mut moved_last: Option<Instant> = None;
    loop {
        match outcome {
            Ok(0) => {
                return (
                    done as u64,
                    Some(Broken::now(Outcome::failed(FailureKind::ConnectionReset))),
                );
            }
            Ok(count) => {
                done += count;
                moved_last = None;
                if done >= length {
                    return (done as u64, None);
                }
            }
            Err(error) if is_time_out(&error) => {
                let since = *moved_last.get_or_insert_with(Instant::now);
                // The first call has lasted for a while already.
                let silent = since.elapsed() + lasts(waiting);
                if silent >= STALLED {
                    return (
                        done as u64,
                        Some(Broken {
                            outcome: Outcome::failed(FailureKind::TimedOut),
                            silent,
                        }),
                    );
                }
            }
            Err(error) => {
                return (done as u64, Some(Broken::now(Outcome::of_error(&error))));
            }
        }
        outcome = call(done);
    }
}
