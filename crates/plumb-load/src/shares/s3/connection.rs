//! How does one request after the other go over a connection? Sent, its reply taken as it arrives; nothing here waits, and everything has a limit.

use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use zeroize::Zeroize;

use super::chunks::{Chunks, MalformedChunk};
use super::wire::Wire;
use crate::engine::failure::FailureKind;

/// Longest head of a reply.
const HEAD_MAX: usize = 64 << 10;
/// Most headers of a reply.
const HEADERS_MAX: usize = 100;
/// Longest body of a reply that reports an error.
pub const ERROR_BODY_MAX: usize = 64 << 10;
/// Bytes received at once where no block is to be filled.
const PIECE_BYTES: usize = 16 << 10;

/// How long a server is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Until the connection is there.
    pub connect: Duration,
    /// Without a byte in either direction.
    pub silence: Duration,
    /// For one request, to which the time for its bytes at [`Patience::bytes_per_s`] is added.
    pub request: Duration,
    /// Slower than this is taken for a server that hangs.
    pub bytes_per_s: u64,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            connect: Duration::from_secs(5),
            silence: Duration::from_secs(30),
            request: Duration::from_secs(60),
            bytes_per_s: 64 << 10,
        }
    }
}

/// Why a connection is of no use any more.
#[derive(Debug, Clone, PartialEq)]
pub enum Broken {
    /// Of the system or of TLS.
    Io(ErrorKind, String),
    /// The server's certificate is not one to trust.
    Certificate(String),
    /// The server closed it; true: before the first byte of a reply.
    Closed(bool),
    /// No byte for so long.
    Silent(Duration),
    /// The reply was not complete after so long.
    Slow(Duration),
    HeadTooLong,
    HeadMalformed,
    ChunkMalformed,
    /// A body of so many bytes where so many were requested.
    Length {
        announced: u64,
        requested: u64,
    },
    /// A reply longer than this.
    BodyTooLong(usize),
}

impl Broken {
    /// As a clause.
    pub fn why(&self) -> Statement {
        match self {
            Broken::Io(_, error) => Statement::new("s3-connection-failed").name("error", error),
            Broken::Certificate(error) => {
                Statement::new("s3-certificate-is-refused").name("error", error)
            }
            Broken::Closed(true) => Statement::new("s3-closed-without-a-reply"),
            Broken::Closed(false) => Statement::new("s3-closed-within-a-reply"),
            Broken::Silent(silence) => {
                Statement::new("s3-server-is-silent").time_ns("time", silence.as_nanos() as f64)
            }
            Broken::Slow(limit) => {
                Statement::new("s3-server-is-slow").time_ns("time", limit.as_nanos() as f64)
            }
            Broken::HeadTooLong => {
                Statement::new("s3-head-is-too-long").bytes("most", HEAD_MAX as f64)
            }
            Broken::HeadMalformed => Statement::new("s3-head-is-malformed"),
            Broken::ChunkMalformed => Statement::new("s3-chunk-is-malformed"),
            Broken::Length {
                announced,
                requested,
            } => Statement::new("s3-length-is-another")
                .count("announced", *announced)
                .count("requested", *requested),
            Broken::BodyTooLong(most) => {
                Statement::new("s3-reply-is-too-long").bytes("most", *most as f64)
            }
        }
    }

    /// As the record names it.
    pub fn kind(&self) -> FailureKind {
        match self {
            Broken::Io(ErrorKind::ConnectionRefused, _) => FailureKind::ConnectionRefused,
            Broken::Io(ErrorKind::TimedOut, _) | Broken::Silent(_) | Broken::Slow(_) => {
                FailureKind::TimedOut
            }
            Broken::Certificate(_) => FailureKind::NoKey,
            Broken::Io(..) | Broken::Closed(_) => FailureKind::ConnectionReset,
            Broken::HeadTooLong
            | Broken::HeadMalformed
            | Broken::ChunkMalformed
            | Broken::Length { .. }
            | Broken::BodyTooLong(_) => FailureKind::ProtocolError,
        }
    }
}

impl From<MalformedChunk> for Broken {
    fn from(_: MalformedChunk) -> Broken {
        Broken::ChunkMalformed
    }
}

/// Where the body of a success goes; that of an error is kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sink {
    /// Into the block, which it fills to this length exactly.
    Block(u32),
    /// Into the block, up to this length.
    UpTo(u32),
    /// Into memory, up to this length.
    Memory(usize),
    /// There is none, whatever its head says: the reply to HEAD.
    None,
}

/// How the body ends.
#[derive(Debug)]
enum Framing {
    /// After so many more bytes.
    Length(u64),
    Chunked(Chunks),
    /// With the connection.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    /// The head of the reply is awaited; the request may not be sent entirely.
    Head,
    Body,
}

/// How long a connection took to be there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SetUp {
    /// From dialing until TCP's connection was there.
    pub connect: Option<Duration>,
    /// From then until TLS had its keys; missing without TLS.
    pub tls: Option<Duration>,
}

/// A connection, and the request on it.
pub struct Connection {
    wire: Wire,
    phase: Phase,
    /// Head of the request, which its body follows.
    out: Vec<u8>,
    out_bytes: usize,
    sent: usize,
    /// TLS may hold some of it.
    is_flushed: bool,
    /// Received and not consumed: from `taken` on.
    inbox: Vec<u8>,
    taken: usize,
    head_bytes: usize,
    sink: Sink,
    framing: Framing,
    status: u16,
    moved: u32,
    body: Vec<u8>,
    /// It cannot be used for another request.
    is_spent: bool,
    /// Requests before this one.
    served: u64,
    dialed: Instant,
    set_up: SetUp,
    begun: Instant,
    last_byte: Instant,
    first_byte: Option<Duration>,
    expected_bytes: u64,
    patience: Patience,
    sent_bytes: u64,
    received_bytes: u64,
}

impl Connection {
    /// A connection that is being made.
    pub fn new(wire: Wire, patience: Patience) -> Connection {
        let now = Instant::now();
        Connection {
            wire,
            phase: Phase::Idle,
            out: Vec::with_capacity(1024),
            out_bytes: 0,
            sent: 0,
            is_flushed: true,
            inbox: Vec::with_capacity(PIECE_BYTES),
            taken: 0,
            head_bytes: 0,
            sink: Sink::None,
            framing: Framing::Length(0),
            status: 0,
            moved: 0,
            body: Vec::new(),
            is_spent: false,
            served: 0,
            dialed: now,
            set_up: SetUp::default(),
            begun: now,
            last_byte: now,
            first_byte: None,
            expected_bytes: 0,
            patience,
            sent_bytes: 0,
            received_bytes: 0,
        }
    }

    /// Where the head of the next request is to be written.
    pub fn head(&mut self) -> &mut Vec<u8> {
        self.out.clear();
        &mut self.out
    }

    /// Begins the request whose head was written and whose body has so many bytes.
    pub fn begin(&mut self, body_bytes: usize, sink: Sink) {
        self.phase = Phase::Head;
        self.out_bytes = self.out.len() + body_bytes;
        (self.sent, self.is_flushed) = (0, false);
        self.inbox.clear();
        (self.taken, self.head_bytes) = (0, 0);
        self.sink = sink;
        (self.status, self.moved) = (0, 0);
        self.body.clear();
        self.begun = Instant::now();
        self.last_byte = self.begun;
        self.first_byte = None;
        let received = match sink {
            Sink::Block(len) | Sink::UpTo(len) => u64::from(len),
            Sink::Memory(_) | Sink::None => 0,
        };
        self.expected_bytes = body_bytes as u64 + received;
    }

    /// Sends and receives what can be without waiting. `true`: the reply is complete.
    ///
    /// # Errors
    /// The connection is of no use any more.
    pub fn advance(&mut self, block: &mut [u8]) -> Result<bool, Broken> {
        if self.phase == Phase::Idle {
            return Ok(true);
        }
        let is_connected = self.wire.is_connected().map_err(|error| broken(&error));
        if !is_connected.inspect_err(|_| self.is_spent = true)? {
            return Ok(false);
        }
        let connect = *self
            .set_up
            .connect
            .get_or_insert_with(|| self.dialed.elapsed());
        let result = self.exchange(block);
        if self.set_up.tls.is_none() && self.wire.tls_version().is_some() {
            self.set_up.tls = Some(self.dialed.elapsed().saturating_sub(connect));
        }
        match &result {
            Ok(true) => {
                self.phase = Phase::Idle;
                self.served += 1;
            }
            Ok(false) => {}
            Err(_) => self.is_spent = true,
        }
        result
    }

    fn exchange(&mut self, block: &mut [u8]) -> Result<bool, Broken> {
        if let Err(failed) = self.send(block) {
            // A server that refuses a request may reply and close before it has taken all of it.
            self.is_spent = true;
            return match self.receive(block) {
                Ok(true) => Ok(true),
                _ => Err(failed),
            };
        }
        let is_complete = self.receive(block)?;
        if is_complete && self.sent < self.out_bytes {
            self.is_spent = true;
        }
        Ok(is_complete)
    }

    fn send(&mut self, block: &[u8]) -> Result<(), Broken> {
        while self.sent < self.out_bytes {
            let head_bytes = self.out.len();
            let part = match self.sent.checked_sub(head_bytes) {
                None => &self.out[self.sent..],
                Some(at) => &block[at..self.out_bytes - head_bytes],
            };
            match self.wire.write(part) {
                Ok(0) => return Err(Broken::Closed(self.inbox.is_empty())),
                Ok(count) => {
                    self.sent += count;
                    self.sent_bytes += count as u64;
                    self.last_byte = Instant::now();
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(broken(&error)),
            }
        }
        if !self.is_flushed {
            match self.wire.flush() {
                Ok(()) => self.is_flushed = true,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(broken(&error)),
            }
        }
        Ok(())
    }

    fn receive(&mut self, block: &mut [u8]) -> Result<bool, Broken> {
        loop {
            if self.phase == Phase::Head && !self.take_head()? {
                match self.fill_inbox()? {
                    Some(0) => return Err(Broken::Closed(self.inbox.is_empty())),
                    Some(_) => continue,
                    None => return Ok(false),
                }
            }
            if let Some(is_complete) = self.take_body(block)? {
                return Ok(is_complete);
            }
        }
    }

    /// Receives what is there, into the inbox. `None`: nothing.
    fn fill_inbox(&mut self) -> Result<Option<usize>, Broken> {
        let before = self.inbox.len();
        self.inbox.resize(before + PIECE_BYTES, 0);
        let received = self.wire.read(&mut self.inbox[before..]);
        self.inbox
            .truncate(before + received.as_ref().map_or(0, |count| *count));
        self.received(received)
    }

    /// Counts what was received; `None`: there is nothing yet.
    fn received(&mut self, result: io::Result<usize>) -> Result<Option<usize>, Broken> {
        match result {
            Ok(count) => {
                if count > 0 {
                    self.last_byte = Instant::now();
                    if self.first_byte.is_none() {
                        self.first_byte = Some(self.last_byte - self.begun);
                    }
                }
                self.received_bytes += count as u64;
                Ok(Some(count))
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                Ok(None)
            }
            // TLS without its closing message.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(Some(0)),
            Err(error) => Err(broken(&error)),
        }
    }

    /// Reads the head of the reply. `false`: it is not complete.
    fn take_head(&mut self) -> Result<bool, Broken> {
        // A loop, as a server may send thousands of heads before the one of its reply.
        loop {
            if let Some(is_complete) = self.take_next_head()? {
                return Ok(is_complete);
            }
        }
    }

    /// The same of the next head; `None`: it is one before that of the reply.
    fn take_next_head(&mut self) -> Result<Option<bool>, Broken> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        let parsed = response.parse(&self.inbox[self.taken..]);
        let head_bytes = match parsed.map_err(|_| Broken::HeadMalformed)? {
            httparse::Status::Complete(bytes) => bytes,
            httparse::Status::Partial if self.inbox.len() > HEAD_MAX => {
                return Err(Broken::HeadTooLong);
            }
            httparse::Status::Partial => return Ok(Some(false)),
        };
        let status = response.code.unwrap_or_default();
        if (100..200).contains(&status) {
            // Something to come before the reply.
            self.taken += head_bytes;
            return match self.taken > HEAD_MAX {
                true => Err(Broken::HeadTooLong),
                false => Ok(None),
            };
        }
        let is_old = response.version == Some(0);
        let (mut length, mut is_chunked, mut closes) = (None, false, is_old);
        for header in response.headers.iter() {
            let value = std::str::from_utf8(header.value).unwrap_or_default().trim();
            if header.name.eq_ignore_ascii_case("content-length") {
                let announced = value.parse::<u64>().map_err(|_| Broken::HeadMalformed)?;
                // Two different lengths would let a reply end where another begins (RFC 9112, 6.3).
                if length.is_some_and(|length| length != announced) {
                    return Err(Broken::HeadMalformed);
                }
                length = Some(announced);
            } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
                is_chunked = value.to_ascii_lowercase().ends_with("chunked");
            } else if header.name.eq_ignore_ascii_case("connection") {
                let value = value.to_ascii_lowercase();
                closes = value.contains("close") || (is_old && !value.contains("keep-alive"));
            }
        }
        self.status = status;
        self.head_bytes = self.taken + head_bytes;
        self.is_spent |= closes;
        self.framing = match (is_chunked, length) {
            _ if self.sink == Sink::None || matches!(status, 204 | 304) => Framing::Length(0),
            (true, _) => Framing::Chunked(Chunks::default()),
            (false, Some(length)) => Framing::Length(length),
            (false, None) => Framing::Close,
        };
        if !self.is_success() {
            self.sink = Sink::Memory(ERROR_BODY_MAX);
        }
        if let (Sink::Block(requested), Framing::Length(announced)) = (self.sink, &self.framing)
            && *announced != u64::from(requested)
        {
            return Err(Broken::Length {
                announced: *announced,
                requested: requested.into(),
            });
        }
        self.phase = Phase::Body;
        self.taken = self.head_bytes;
        Ok(Some(true))
    }

    /// Takes what is there of the body. `None`: there may be more at once.
    fn take_body(&mut self, block: &mut [u8]) -> Result<Option<bool>, Broken> {
        let inbox = &self.inbox[self.taken..];
        let (sink, moved, body) = (self.sink, &mut self.moved, &mut self.body);
        let mut keep = |bytes: &[u8]| keep(bytes, sink, block, moved, body);
        match &mut self.framing {
            Framing::Length(left) => {
                let count = inbox
                    .len()
                    .min(usize::try_from(*left).unwrap_or(usize::MAX));
                keep(&inbox[..count])?;
                self.taken += count;
                *left -= count as u64;
                if *left == 0 {
                    // More than one reply to one request.
                    self.is_spent |= self.taken < self.inbox.len();
                    return Ok(Some(true));
                }
                self.receive_content(block)
            }
            Framing::Chunked(chunks) => {
                self.taken += chunks.take(inbox, keep)?;
                if chunks.is_done() {
                    self.is_spent |= self.taken < self.inbox.len();
                    return self.is_filled().map(|()| Some(true));
                }
                self.refill()
            }
            Framing::Close => {
                keep(inbox)?;
                self.taken = self.inbox.len();
                self.is_spent = true;
                self.refill()
            }
        }
    }

    /// A body of a known length is received where it belongs, without a copy.
    fn receive_content(&mut self, block: &mut [u8]) -> Result<Option<bool>, Broken> {
        let Framing::Length(left) = self.framing else {
            return Ok(None);
        };
        let (Sink::Block(len) | Sink::UpTo(len)) = self.sink else {
            return self.refill();
        };
        let room = (len as usize).min(block.len());
        let to = room.min(self.moved as usize + usize::try_from(left).unwrap_or(usize::MAX));
        let from = (self.moved as usize).min(to);
        if from == to {
            return Err(Broken::BodyTooLong(room));
        }
        let received = self.wire.read(&mut block[from..to]);
        match self.received(received)? {
            Some(0) => Err(Broken::Closed(false)),
            Some(count) => {
                self.moved += count as u32;
                self.framing = Framing::Length(left - count as u64);
                Ok(None)
            }
            None => Ok(Some(false)),
        }
    }

    /// Receives the next part of a body into the inbox, which is empty.
    fn refill(&mut self) -> Result<Option<bool>, Broken> {
        // The head stays, for those who read its headers.
        self.inbox.truncate(self.head_bytes);
        self.taken = self.head_bytes;
        match self.fill_inbox()? {
            Some(0) if matches!(self.framing, Framing::Close) => {
                self.is_filled().map(|()| Some(true))
            }
            Some(0) => Err(Broken::Closed(false)),
            Some(_) => Ok(None),
            None => Ok(Some(false)),
        }
    }

    /// A block is filled to its end.
    fn is_filled(&self) -> Result<(), Broken> {
        match self.sink {
            Sink::Block(requested) if self.moved < requested => Err(Broken::Length {
                announced: self.moved.into(),
                requested: requested.into(),
            }),
            _ => Ok(()),
        }
    }

    /// Why it is not waited for any more; `None`: it still is.
    pub fn overdue(&self, now: Instant) -> Option<Broken> {
        if self.phase == Phase::Idle {
            return None;
        }
        let patience = &self.patience;
        let silence = now.saturating_duration_since(self.last_byte);
        let limit = match self.wire.is_made() {
            true => patience.silence,
            false => patience.connect,
        };
        if silence > limit {
            return Some(Broken::Silent(limit));
        }
        let for_bytes = self.expected_bytes as f64 / patience.bytes_per_s.max(1) as f64;
        let limit = patience.request + Duration::from_secs_f64(for_bytes);
        (now.saturating_duration_since(self.begun) > limit).then_some(Broken::Slow(limit))
    }

    /// Waits until something can be sent or received, for so long at most. `true`: it can.
    ///
    /// # Errors
    /// The reply is overdue: a server that sends a byte now and then is not waited for without end.
    pub fn wait(&self, most: Duration) -> Result<bool, Broken> {
        let time = Timespec {
            tv_sec: most.as_secs() as _,
            tv_nsec: most.subsec_nanos() as _,
        };
        let ready = poll(
            &mut [PollFd::new(self.wire.stream(), self.interest())],
            Some(&time),
        );
        match self.overdue(Instant::now()) {
            Some(broken) => Err(broken),
            None => Ok(ready.is_ok_and(|count| count > 0)),
        }
    }

    /// What to wait for.
    pub fn interest(&self) -> PollFlags {
        self.wire
            .interest(self.phase != Phase::Idle && self.sent < self.out_bytes)
    }

    /// True if another request can be sent: the server left it open, and has not closed it since.
    pub fn is_usable(&mut self) -> bool {
        if self.is_spent || self.phase != Phase::Idle {
            return false;
        }
        if self.served == 0 {
            return true;
        }
        // Nothing is due: what can be read is the end, or a message of TLS.
        let mut byte = [0];
        let count = self.wire.read(&mut byte);
        count.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    /// Requests that had their reply on it.
    pub fn served(&self) -> u64 {
        self.served
    }

    /// HTTP status of the reply.
    pub fn status(&self) -> u16 {
        self.status
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Bytes in the block.
    pub fn moved(&self) -> u32 {
        self.moved
    }

    /// The body, where it was kept in memory.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// A header of the reply; `None` where it is missing or is not text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let head = &self.inbox[..self.head_bytes];
        let mut lines = head.split(|byte| *byte == b'\n');
        lines.find_map(|line| {
            let line = std::str::from_utf8(line).ok()?;
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// From the beginning of the request to the first byte of its reply.
    pub fn first_byte(&self) -> Option<Duration> {
        self.first_byte
    }

    /// From the beginning of the request until now.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// How long it took to be there; missing before.
    pub fn set_up(&self) -> SetUp {
        self.set_up
    }

    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// Overwrites what was sent and received: it held a secret.
    pub fn wipe(&mut self) {
        self.out.zeroize();
        self.inbox.zeroize();
        self.body.zeroize();
        (self.taken, self.head_bytes) = (0, 0);
    }

    /// Bytes of HTTP sent and received.
    pub fn moved_bytes(&self) -> (u64, u64) {
        (self.sent_bytes, self.received_bytes)
    }
}

/// Puts a part of a body where it belongs.
fn keep(
    bytes: &[u8],
    sink: Sink,
    block: &mut [u8],
    moved: &mut u32,
    body: &mut Vec<u8>,
) -> Result<(), Broken> {
    match sink {
        Sink::Block(len) | Sink::UpTo(len) => {
            let room = (len as usize).min(block.len());
            let from = *moved as usize;
            let to = from + bytes.len();
            if to > room {
                return Err(Broken::BodyTooLong(room));
            }
            block[from..to].copy_from_slice(bytes);
            *moved = to as u32;
        }
        Sink::Memory(most) => {
            if body.len() + bytes.len() > most {
                return Err(Broken::BodyTooLong(most));
            }
            body.extend_from_slice(bytes);
        }
        Sink::None => {}
    }
    Ok(())
}

fn broken(error: &io::Error) -> Broken {
    let of_tls = error.get_ref().and_then(|inner| inner.downcast_ref());
    if let Some(rustls::Error::InvalidCertificate(why)) = of_tls {
        return Broken::Certificate(format!("{why:?}"));
    }
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe => Broken::Closed(true),
        kind => Broken::Io(kind, error.to_string()),
    }
}
