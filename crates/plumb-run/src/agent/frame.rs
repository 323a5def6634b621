//! How are messages framed? Four bytes of length, then JSON; encrypted once both ends have the keys. Nothing above the limit is ever buffered.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::noise::{NotSealed, PLAIN_MAX, SEALED_MAX, Seal};

/// Longest frame before a login, in bytes.
pub const STRANGER_MAX: usize = 4096;
/// Longest frame after it: plans and parts of records.
pub const FRAME_MAX: usize = 4 << 20;

/// Why no frame came.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("the connection was closed")]
    Closed,
    #[error("the connection failed: {0}")]
    Broken(io::Error),
    #[error("protocol error: a frame of {0} bytes")]
    TooLong(usize),
    #[error("protocol error: {0}")]
    Garbage(String),
    #[error(transparent)]
    NotSealed(#[from] NotSealed),
}

/// Sends frames on a connection.
pub struct Sender {
    stream: TcpStream,
    seal: Option<Arc<Seal>>,
    sent: u64,
}

impl Sender {
    /// Sends in the clear, until [`Sender::seal`].
    pub fn new(stream: TcpStream) -> Sender {
        Sender {
            stream,
            seal: None,
            sent: 0,
        }
    }

    /// From now on all is sealed.
    pub fn seal(&mut self, seal: Arc<Seal>) {
        self.seal = Some(seal);
    }

    /// The connection.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Sends one message.
    pub fn send<T: Serialize>(&mut self, message: &T) -> Result<(), FrameError> {
        let body =
            serde_json::to_vec(message).map_err(|error| FrameError::Garbage(error.to_string()))?;
        let length = u32::try_from(body.len())
            .ok()
            .filter(|length| *length as usize <= FRAME_MAX)
            .ok_or(FrameError::TooLong(body.len()))?;
        let mut frame = length.to_be_bytes().to_vec();
        frame.extend(body);
        self.send_raw(frame)
    }

    /// Sends bytes, sealed when the connection is.
    pub(super) fn send_raw(&mut self, mut bytes: Vec<u8>) -> Result<(), FrameError> {
        if let Some(seal) = &self.seal {
            let mut sealed = Vec::with_capacity(bytes.len() + 64);
            for part in bytes.chunks(PLAIN_MAX) {
                seal.seal(self.sent, part, &mut sealed)?;
                self.sent += 1;
            }
            bytes = sealed;
        }
        self.stream.write_all(&bytes).map_err(FrameError::Broken)
    }
}

/// Frames of a connection that has a read timeout: what came so far is kept over it.
pub struct Frames {
    stream: TcpStream,
    /// What came and is not opened yet; only once the connection is sealed.
    sealed: Vec<u8>,
    seal: Option<Arc<Seal>>,
    opened: u64,
    held: Vec<u8>,
    /// Longest frame that is taken.
    pub longest: usize,
}

impl Frames {
    /// Reads from a connection, frames of a stranger at first.
    pub fn new(stream: TcpStream) -> Frames {
        Frames {
            stream,
            sealed: Vec::new(),
            seal: None,
            opened: 0,
            held: Vec::new(),
            longest: STRANGER_MAX,
        }
    }

    /// From now on all that comes is sealed.
    pub fn seal(&mut self, seal: Arc<Seal>) {
        self.seal = Some(seal);
        // What was sent ahead in one piece with the handshake is sealed already.
        self.sealed.append(&mut self.held);
    }

    /// The next message; `None` when it is not complete by `until`, however many bytes come meanwhile. The connection's read timeout may be added.
    pub fn next<T: DeserializeOwned>(&mut self, until: Instant) -> Result<Option<T>, FrameError> {
        loop {
            if let Some(body) = self.complete_frame()? {
                return serde_json::from_slice(&body)
                    .map(Some)
                    .map_err(|error| FrameError::Garbage(error.to_string()));
            }
            if self.has_sealed() {
                self.open_one()?;
                continue;
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            let mut part = [0; 65_536];
            // No more is read than the longest frame: a flood stays in the kernel's buffer.
            let room = (self.longest + 4)
                .saturating_sub(self.held.len())
                .clamp(1, part.len());
            match self.stream.read(&mut part[..room]) {
                Ok(0) => return Err(FrameError::Closed),
                Ok(read) if self.seal.is_some() => self.sealed.extend(&part[..read]),
                Ok(read) => self.held.extend(&part[..read]),
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                    ) => {}
                Err(error) => return Err(FrameError::Broken(error)),
            }
        }
    }

    /// Length of the sealed message that comes next, if its head is there.
    fn sealed_length(&self) -> Option<usize> {
        let head: [u8; 2] = self.sealed.get(..2)?.try_into().ok()?;
        Some(usize::from(u16::from_be_bytes(head)))
    }

    /// A sealed message is complete.
    fn has_sealed(&self) -> bool {
        self.seal.is_some()
            && self
                .sealed_length()
                .is_some_and(|length| self.sealed.len() >= 2 + length)
    }

    /// Opens the sealed message that is there: no more is held open than a frame and one message.
    fn open_one(&mut self) -> Result<(), FrameError> {
        let Some(seal) = &self.seal else {
            return Ok(());
        };
        let length = self.sealed_length().unwrap_or_default().min(SEALED_MAX);
        seal.open(self.opened, &self.sealed[2..2 + length], &mut self.held)?;
        self.opened += 1;
        self.sealed.drain(..2 + length);
        Ok(())
    }

    /// Takes the body of a frame that is complete.
    fn complete_frame(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let Some(Ok(head)) = self.held.get(..4).map(<[u8; 4]>::try_from) else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(head) as usize;
        if length > self.longest {
            return Err(FrameError::TooLong(length));
        }
        if self.held.len() < 4 + length {
            return Ok(None);
        }
        let rest = self.held.split_off(4 + length);
        let frame = std::mem::replace(&mut self.held, rest);
        Ok(Some(frame[4..].to_vec()))
    }
}

/// So long from now.
pub fn within(patience: Duration) -> Instant {
    Instant::now() + patience
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// An agent that a remote shell starts is silent for much longer than a read timeout.
    #[test]
    fn a_message_that_comes_late_is_waited_for_over_several_reads() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let near = TcpStream::connect(listener.local_addr().expect("address")).expect("connected");
        near.set_read_timeout(Some(Duration::from_millis(20)))
            .expect("timeout");
        let (far, _) = listener.accept().expect("accepted");
        let late = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            let mut sender = Sender::new(far);
            sender.send(&"late").expect("sent");
            sender
        });
        let mut frames = Frames::new(near);
        let message: Option<String> = frames.next(within(Duration::from_secs(60))).expect("read");
        assert_eq!(message.as_deref(), Some("late"));
        let _open = late.join().expect("ended");
        let nothing: Option<String> = frames
            .next(within(Duration::from_millis(50)))
            .expect("read");
        assert_eq!(nothing, None);
    }
}
