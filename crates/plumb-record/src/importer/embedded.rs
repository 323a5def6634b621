//! How is JSON of any length read that may be mixed with other text, such as warnings? Value by value: each is cut out of the file and parsed on its own.
//!
//! serde_json parses a slice several times as fast as a reader, which it consumes byte by byte.

use std::io::BufRead;

use serde::de::DeserializeOwned;

use crate::importer::ImportError;

/// Most text next to an object that is shown.
const SURROUNDING_TEXT_MAX: usize = 160;
/// Longest value that is parsed at once.
const VALUE_MAX: usize = 256 << 20;

/// A file with a chunk of it in memory.
pub(crate) struct Embedded<'a> {
    reader: &'a mut dyn BufRead,
    /// The program that wrote it, for errors.
    program: &'static str,
    piece: Vec<u8>,
    at: usize,
    /// Lines before the chunk.
    lines: u64,
    /// The last value that was cut out.
    value: Vec<u8>,
}

/// State of the scan within a value.
#[derive(Default)]
struct TextRange {
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl TextRange {
    /// Where the value ends in these bytes; `None` if it continues.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_string = false;
                        if self.depth == 0 {
                            return Some(at + 1);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth <= 1 => return Some(at + self.depth as usize),
                b'}' | b']' => self.depth -= 1,
                b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => return Some(at),
                _ => {}
            }
        }
        None
    }
}

impl<'a> Embedded<'a> {
    pub fn new(reader: &'a mut dyn BufRead, program: &'static str) -> Embedded<'a> {
        Embedded {
            reader,
            program,
            piece: Vec::new(),
            at: 0,
            lines: 0,
            value: Vec::new(),
        }
    }

    /// The next byte, without consuming it; `None` at the end of the file.
    fn peek(&mut self) -> Result<Option<u8>, ImportError> {
        if self.at >= self.piece.len() {
            self.lines += newlines(&self.piece);
            let fresh = self
                .reader
                .fill_buf()
                .map_err(|error| ImportError::unreadable(&error))?;
            self.piece.clear();
            self.piece.extend_from_slice(fresh);
            let length = fresh.len();
            self.reader.consume(length);
            self.at = 0;
        }
        Ok(self.piece.get(self.at).copied())
    }

    /// The current line, from 1.
    pub fn line(&self) -> u64 {
        1 + self.lines + newlines(self.piece.get(..self.at).unwrap_or_default())
    }

    /// Skips to the next line that begins with `{`; returns whether there is one, and the beginning of the skipped text.
    pub fn next_object(&mut self) -> Result<(bool, String), ImportError> {
        let (mut passed, mut at_start) = (Vec::new(), true);
        let mut found = false;
        while let Some(byte) = self.peek()? {
            match byte {
                b'{' if at_start => {
                    found = true;
                    break;
                }
                b'\n' => at_start = true,
                byte if byte.is_ascii_whitespace() => {}
                _ => at_start = false,
            }
            if passed.len() < SURROUNDING_TEXT_MAX
                && !(passed.is_empty() && byte.is_ascii_whitespace())
            {
                passed.push(if byte == b'\n' { b' ' } else { byte });
            }
            self.at += 1;
        }
        Ok((found, String::from_utf8_lossy(&passed).trim().to_string()))
    }

    fn wrong(&self, line: u64, found: &str) -> ImportError {
        ImportError::at(
            line,
            format!("JSON as {} writes it, found: {found}", self.program),
        )
    }

    /// The next byte that is not white space, without consuming it.
    fn token(&mut self) -> Result<u8, ImportError> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() {
                return Ok(byte);
            }
            self.at += 1;
        }
        Err(self.wrong(self.line(), "the end of the file"))
    }

    /// Consumes this byte, which must come next.
    ///
    /// # Errors
    /// Another byte comes next, or the file ends.
    pub fn expect(&mut self, byte: u8) -> Result<(), ImportError> {
        let found = self.token()?;
        if found != byte {
            return Err(self.wrong(
                self.line(),
                &format!(
                    "'{}' instead of '{}'",
                    found.escape_ascii(),
                    byte.escape_ascii()
                ),
            ));
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes this byte if it comes next, and returns whether it did.
    ///
    /// # Errors
    /// The file ends.
    pub fn skip_if(&mut self, byte: u8) -> Result<bool, ImportError> {
        let found = self.token()? == byte;
        self.at += usize::from(found);
        Ok(found)
    }

    /// Consumes the next value; it stays in `value`.
    ///
    /// # Errors
    /// The file ends within the value, or the value is too long.
    pub fn skip_value(&mut self) -> Result<(), ImportError> {
        self.token()?;
        self.value.clear();
        let mut index = TextRange::default();
        loop {
            if self.peek()?.is_none() {
                return Err(self.wrong(self.line(), "the end of the file"));
            }
            let bytes = self.piece.get(self.at..).unwrap_or_default();
            let end = index.end(bytes);
            let taken = end.unwrap_or(bytes.len());
            self.value
                .extend_from_slice(bytes.get(..taken).unwrap_or_default());
            self.at += taken;
            if end.is_some() {
                return Ok(());
            }
            if self.value.len() > VALUE_MAX {
                return Err(self.wrong(self.line(), "a value of more than 256 MiB"));
            }
        }
    }

    /// The next value.
    ///
    /// # Errors
    /// It is not JSON, or not of this form.
    pub fn value<T: DeserializeOwned>(&mut self) -> Result<T, ImportError> {
        self.skip_value()?;
        self.value_as()
    }

    /// The last value once more, in another form.
    ///
    /// # Errors
    /// It is not JSON, or not of this form.
    pub fn value_as<T: DeserializeOwned>(&self) -> Result<T, ImportError> {
        serde_json::from_slice(&self.value).map_err(|error| {
            let text = error.to_string();
            // Lines are counted only on errors: for each value it would take longer than parsing.
            let line = self.line().saturating_sub(newlines(&self.value));
            // Without the position that serde_json appends: it counts from the beginning of the value.
            self.wrong(
                line + (error.line() as u64).saturating_sub(1),
                text.split(" at line ").next().unwrap_or(&text),
            )
        })
    }

    /// Passes on each value of a list.
    ///
    /// # Errors
    /// No list comes next, or one of its values is invalid.
    pub fn list<T: DeserializeOwned>(
        &mut self,
        mut take: impl FnMut(T),
    ) -> Result<(), ImportError> {
        self.expect(b'[')?;
        if self.skip_if(b']')? {
            return Ok(());
        }
        loop {
            take(self.value()?);
            if self.skip_if(b']')? {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn values_are_cut_wherever_the_pieces_end() {
        let text = br#"note
 { "a" : [1, {"x}\"" : "]"}], "b":"c\\" , "d" : 7 }"#;
        for piece in 1..12 {
            let mut reader = BufReader::with_capacity(piece, text.as_slice());
            let mut embedded = Embedded::new(&mut reader, "x");
            assert_eq!(
                embedded.next_object().expect("readable"),
                (true, "note".into())
            );
            embedded.expect(b'{').expect("an object");
            let mut seen = Vec::new();
            loop {
                seen.push(embedded.value::<serde_json::Value>().expect("a name"));
                embedded.expect(b':').expect("a value");
                seen.push(embedded.value::<serde_json::Value>().expect("a value"));
                if embedded.skip_if(b'}').expect("more") {
                    break;
                }
                embedded.expect(b',').expect("more");
            }
            assert_eq!(
                serde_json::to_string(&seen).expect("JSON"),
                r#"["a",[1,{"x}\"":"]"}],"b","c\\","d",7]"#
            );
            assert_eq!(embedded.line(), 2);
        }
    }

    #[test]
    fn errors_name_the_line_in_the_file() {
        let mut reader: &[u8] = b"\n\n[1,\n{\"a\":\n x}]";
        let mut embedded = Embedded::new(&mut reader, "x");
        let error = embedded
            .list(|_: serde_json::Value| {})
            .expect_err("x is no value");
        assert_eq!(error.line, Some(5), "{error}");
    }
}
