//! Where are bytes kept that were read and not yet used? In one contiguous buffer, which grows only for a packet that needs it.

use std::io::{self, ErrorKind, Read};

/// Read size: large enough that system calls do not matter, small enough for the CPU cache.
const BEGIN_BYTES: usize = 256 << 10;

/// A window on a stream of bytes.
pub struct Buffer<R> {
    input: R,
    bytes: Vec<u8>,
    /// The unused bytes are those from here ...
    start: usize,
    /// ... to here.
    end: usize,
    position: u64,
    ended: bool,
}

impl<R: Read> Buffer<R> {
    pub fn new(input: R) -> Buffer<R> {
        Buffer {
            input,
            bytes: vec![0; BEGIN_BYTES],
            start: 0,
            end: 0,
            position: 0,
            ended: false,
        }
    }

    /// Bytes consumed so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The unused bytes that were read.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Reads until this many bytes are available; false if the stream ends before. Errors: those of reading.
    pub fn holds(&mut self, count: usize) -> io::Result<bool> {
        while self.end - self.start < count && !self.ended {
            if self.start > 0 && self.bytes.len() - self.start < count.max(BEGIN_BYTES / 4) {
                self.bytes.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.bytes.len() - self.start < count {
                // Doubled as it fills: a wrong length takes no memory beyond the file size.
                let selected = (self.bytes.len() * 2).min(count.max(BEGIN_BYTES));
                if self.end == self.bytes.len() {
                    self.bytes.resize(selected, 0);
                }
            }
            let room = self.bytes.get_mut(self.end..).unwrap_or_default();
            match self.input.read(room) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read.min(room.len()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end - self.start >= count)
    }

    /// Consumes this many bytes, or all that are available.
    pub fn take(&mut self, count: usize) -> &[u8] {
        let from = self.start;
        let count = count.min(self.end - from);
        self.start += count;
        self.position += count as u64;
        self.bytes.get(from..from + count).unwrap_or_default()
    }

    /// Skips this many bytes. Returns how many there were. Errors: those of reading.
    pub fn skip(&mut self, count: u64) -> io::Result<u64> {
        let mut left = count;
        while left > 0 && self.holds(1)? {
            let there = (self.end - self.start).min(usize::try_from(left).unwrap_or(usize::MAX));
            self.take(there);
            left -= there as u64;
        }
        Ok(count - left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_in_order_whatever_is_asked_for() {
        let content: Vec<u8> = (0..2_000_000u32).map(|at| (at / 7) as u8).collect();
        let mut buffer = Buffer::new(content.as_slice());
        let mut at = 0;
        for count in [1, 100_000, 262_144, 3, 900_000, 17, 262_143] {
            assert!(buffer.holds(count).expect("reads"));
            assert!(
                buffer.take(count) == &content[at..at + count],
                "{at} {count}"
            );
            at += count;
        }
        assert_eq!(buffer.skip(400_000).expect("reads"), 400_000);
        at += 400_000;
        assert_eq!(buffer.position(), at as u64);
        assert!(!buffer.holds(1 << 20).expect("reads"));
        assert!(buffer.take(usize::MAX) == &content[at..]);
        assert_eq!(buffer.skip(1).expect("reads"), 0);
    }

    #[test]
    fn a_wrong_length_takes_no_memory() {
        let mut buffer = Buffer::new([0u8; 100].as_slice());
        assert!(!buffer.holds(16 << 20).expect("reads"));
        assert!(buffer.bytes.len() < 1 << 20);
    }
}
