//! How is a file of lines read? One line at a time, in a memory that does not grow with them.

use std::io::{BufRead, BufReader, Read};

use plumb_model::statement::Statement;

/// Longest line that is looked at; longer ones are left out, as nothing that plumb reads is so long.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// A file, from its beginning on.
pub struct Lines<'a> {
    reader: BufReader<Box<dyn Read + 'a>>,
    head: Vec<u8>,
    line: Vec<u8>,
    /// Lines that were read.
    pub number: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Why it was not read to its end.
    pub damage: Option<Statement>,
}

impl<'a> Lines<'a> {
    /// Of what follows `head` in `rest`.
    pub fn of(head: Vec<u8>, rest: impl Read + 'a) -> Lines<'a> {
        let complete: Box<dyn Read + 'a> = Box::new(std::io::Cursor::new(head.clone()).chain(rest));
        Lines {
            reader: BufReader::with_capacity(BUFFER_BYTES, complete),
            head,
            line: Vec::new(),
            number: 0,
            bytes: 0,
            damage: None,
        }
    }

    /// The beginning of the file.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The bytes themselves, for formats that are no lines.
    pub fn reader(&mut self) -> &mut impl BufRead {
        &mut self.reader
    }

    /// The next line without its end; an empty one in place of one that is too long. `None` at the end of the file.
    pub fn line(&mut self) -> Option<&[u8]> {
        self.line.clear();
        let mut limited = (&mut self.reader).take(LINE_BYTES_MAX);
        let read = match limited.read_until(b'\n', &mut self.line) {
            Ok(0) => return None,
            Ok(read) => read as u64,
            Err(error) => {
                self.unreadable(&error);
                return None;
            }
        };
        self.number += 1;
        self.bytes += read;
        if read == LINE_BYTES_MAX && self.line.last() != Some(&b'\n') {
            self.line.clear();
            self.skip_line();
        }
        while let Some(b'\n' | b'\r') = self.line.last() {
            self.line.pop();
        }
        Some(&self.line)
    }

    fn skip_line(&mut self) {
        loop {
            let (skipped, is_end) = match self.reader.fill_buf() {
                Ok([]) => return,
                Ok(part) => match part.iter().position(|byte| *byte == b'\n') {
                    Some(end) => (end + 1, true),
                    None => (part.len(), false),
                },
                Err(error) => return self.unreadable(&error),
            };
            self.reader.consume(skipped);
            self.bytes += skipped as u64;
            if is_end {
                return;
            }
        }
    }

    fn unreadable(&mut self, error: &std::io::Error) {
        self.damage = Some(Statement::new("capture-unreadable").name("error", error.to_string()));
    }
}
