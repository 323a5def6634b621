//! How does a peer that sends one byte now and then not keep its reader for ever? The time counts from the start, however many bytes come.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Reads from a connection until a moment; then reads fail by a time-out.
pub struct Until<'s> {
    stream: &'s TcpStream,
    until: Instant,
}

impl<'s> Until<'s> {
    /// Reads for so long from now.
    pub fn new(stream: &'s TcpStream, patience: Duration) -> Until<'s> {
        Until {
            stream,
            until: Instant::now() + patience,
        }
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            Ok(left)
        }
    }

    /// Whether a byte is there to be read; `false`: the peer has no more.
    ///
    /// # Errors
    /// The connection's; a time-out.
    pub fn has_more(&self) -> io::Result<bool> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        Ok(self.stream.peek(&mut [0; 1])? > 0)
    }
}

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        (&mut &*self.stream).read(buffer)
    }
}
