//! How is JSON found that stands among other text, such as warnings? Line by line to an object, and no further than its end.

use std::io::{self, BufRead, Read};

use crate::importer::ImportError;

/// Longest text beside an object that is shown.
const BESIDE_MAX: usize = 160;

/// Gives single bytes quickly: serde_json asks a reader for one byte after the other, and must take none behind the end of its object.
pub(crate) struct Bytewise<'a, 'b>(pub &'a mut Buffered<'b>);

/// The reader with a piece of the file before it.
pub(crate) struct Buffered<'b> {
    reader: &'b mut dyn BufRead,
    piece: Vec<u8>,
    at: usize,
    /// Lines before the piece.
    lines: u64,
}

impl<'b> Buffered<'b> {
    pub fn new(reader: &'b mut dyn BufRead) -> Buffered<'b> {
        Buffered { reader, piece: Vec::new(), at: 0, lines: 0 }
    }

    /// The next byte, which stays; `None` at the end of the file.
    pub fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.piece.len() {
            self.lines += newlines(&self.piece);
            let fresh = self.reader.fill_buf()?;
            self.piece.clear();
            self.piece.extend_from_slice(fresh);
            let length = fresh.len();
            self.reader.consume(length);
            self.at = 0;
        }
        Ok(self.piece.get(self.at).copied())
    }

    /// The line that the reader stands in, from 1.
    pub fn line(&self) -> u64 {
        1 + self.lines + newlines(self.piece.get(..self.at).unwrap_or_default())
    }

    /// Goes to the next line that begins with `{`; says whether there is one, and returns the beginning of the text that was passed over.
    pub fn next_object(&mut self) -> io::Result<(bool, String)> {
        let (mut passed, mut at_start) = (Vec::new(), true);
        while let Some(byte) = self.peek()? {
            match byte {
                b'{' if at_start => break,
                b'\n' => at_start = true,
                byte if byte.is_ascii_whitespace() => {}
                _ => at_start = false,
            }
            if passed.len() < BESIDE_MAX && !(passed.is_empty() && byte.is_ascii_whitespace()) {
                passed.push(if byte == b'\n' { b' ' } else { byte });
            }
            self.skip();
        }
        Ok((self.peek()?.is_some(), String::from_utf8_lossy(&passed).trim().to_string()))
    }

    /// What is wrong with the JSON that was being read, at the line where the reader stands.
    pub fn broken_off(&self, error: &serde_json::Error, program: &str) -> ImportError {
        let text = error.to_string();
        // Without the place that serde_json appends: it counts from the beginning of the object.
        let what = text.split(" at line ").next().unwrap_or(&text);
        ImportError::at(self.line(), format!("JSON as {program} writes it, found: {what}"))
    }

    /// Goes past the byte that was looked at.
    pub fn skip(&mut self) {
        self.at = (self.at + 1).min(self.piece.len());
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

impl Read for Bytewise<'_, '_> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(first) = out.first_mut() else { return Ok(0) };
        let byte = match self.0.piece.get(self.0.at) {
            Some(byte) => *byte,
            None => match self.0.peek()? {
                Some(byte) => byte,
                None => return Ok(0),
            },
        };
        *first = byte;
        self.0.at += 1;
        Ok(1)
    }
}
