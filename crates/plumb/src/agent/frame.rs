//! How is one message told from the next? Four bytes of length, then JSON; nothing longer than agreed is ever held.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

use serde::Serialize;
use serde::de::DeserializeOwned;

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
    #[error("what came is not of this protocol: a frame of {0} bytes")]
    TooLong(usize),
    #[error("what came is not of this protocol: {0}")]
    Garbage(String),
}

/// Sends one message.
pub fn send<T: Serialize>(stream: &mut TcpStream, message: &T) -> Result<(), FrameError> {
    let body = serde_json::to_vec(message).map_err(|error| FrameError::Garbage(error.to_string()))?;
    let length = u32::try_from(body.len()).ok().filter(|length| *length as usize <= FRAME_MAX).ok_or(FrameError::TooLong(body.len()))?;
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend(body);
    stream.write_all(&frame).map_err(FrameError::Broken)
}

/// Frames of a connection that has a read timeout: what came so far is kept over it.
pub struct Frames {
    stream: TcpStream,
    held: Vec<u8>,
    /// Longest frame that is taken.
    pub longest: usize,
}

impl Frames {
    /// Reads from a connection, frames of a stranger at first.
    pub fn new(stream: TcpStream) -> Frames {
        Frames { stream, held: Vec::new(), longest: STRANGER_MAX }
    }

    /// The next message; `None` when it did not come within the connection's read timeout.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        loop {
            if let Some(body) = self.whole()? {
                return serde_json::from_slice(&body).map(Some).map_err(|error| FrameError::Garbage(error.to_string()));
            }
            let mut part = [0; 65_536];
            // No more is read than the longest frame: a flood stays in the kernel's buffer.
            let room = (self.longest + 4).saturating_sub(self.held.len()).clamp(1, part.len());
            match self.stream.read(&mut part[..room]) {
                Ok(0) => return Err(FrameError::Closed),
                Ok(read) => self.held.extend(&part[..read]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(FrameError::Broken(error)),
            }
        }
    }

    /// Takes the body of a frame that is there as a whole.
    fn whole(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let Some(Ok(head)) = self.held.get(..4).map(<[u8; 4]>::try_from) else { return Ok(None) };
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
