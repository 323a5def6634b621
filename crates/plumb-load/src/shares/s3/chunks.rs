//! What does a body say that comes in chunks (RFC 9112, 7.1)?

/// The longest line that gives the size of a chunk, or a trailer.
const LINE_MAX: usize = 4096;
/// Lines after the last chunk.
const TRAILERS_MAX: usize = 64;

/// A body that is being read.
#[derive(Debug, Default)]
pub struct Chunks {
    state: State,
    line: Vec<u8>,
    trailers: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Size,
    /// So many bytes are missing of this chunk.
    Content(u64),
    /// The end of the line after a chunk.
    AfterContent,
    Trailer,
    Done,
}

/// The bytes do not follow the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedChunk;

impl Chunks {
    /// True once the last chunk and the trailers have been read.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Takes bytes from the front, and hands on the content among them. Returns how many were taken: all, unless the body ended before.
    ///
    /// # Errors
    /// The body is malformed, or `content` refuses more.
    pub fn take<E: From<MalformedChunk>>(
        &mut self,
        bytes: &[u8],
        mut content: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut at = 0;
        while at < bytes.len() && self.state != State::Done {
            if let State::Content(left) = self.state {
                let count = (bytes.len() - at).min(usize::try_from(left).unwrap_or(usize::MAX));
                content(&bytes[at..at + count])?;
                at += count;
                self.state = match left - count as u64 {
                    0 => State::AfterContent,
                    left => State::Content(left),
                };
                continue;
            }
            let byte = bytes[at];
            at += 1;
            if byte != b'\n' {
                if self.line.len() >= LINE_MAX {
                    return Err(MalformedChunk.into());
                }
                self.line.push(byte);
                continue;
            }
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
            self.state = self.after_line()?;
            self.line.clear();
        }
        Ok(at)
    }

    fn after_line(&mut self) -> Result<State, MalformedChunk> {
        match self.state {
            State::Size => {
                let line = std::str::from_utf8(&self.line).map_err(|_| MalformedChunk)?;
                let size = line.split(';').next().unwrap_or_default().trim();
                let is_size = size.bytes().all(|byte| byte.is_ascii_hexdigit());
                match u64::from_str_radix(size, 16) {
                    Ok(0) if is_size => Ok(State::Trailer),
                    Ok(size) if is_size => Ok(State::Content(size)),
                    _ => Err(MalformedChunk),
                }
            }
            State::AfterContent if self.line.is_empty() => Ok(State::Size),
            State::Trailer if self.line.is_empty() => Ok(State::Done),
            State::Trailer if self.trailers < TRAILERS_MAX => {
                self.trailers += 1;
                Ok(State::Trailer)
            }
            _ => Err(MalformedChunk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], each: usize) -> Result<(Vec<u8>, bool, usize), MalformedChunk> {
        let (mut chunks, mut body, mut taken) = (Chunks::default(), Vec::new(), 0);
        for part in text.chunks(each) {
            taken += chunks.take(part, |bytes| {
                body.extend_from_slice(bytes);
                Ok::<(), MalformedChunk>(())
            })?;
        }
        Ok((body, chunks.is_done(), taken))
    }

    #[test]
    fn chunks_are_put_together_however_they_arrive() {
        let text = b"4\r\nWiki\r\nA;x=y\r\n0123456789\r\n0\r\nx-amz-checksum: 1\r\n\r\n";
        for each in 1..=text.len() {
            let read = read(text, each);
            assert_eq!(read, Ok((b"Wiki0123456789".to_vec(), true, text.len())));
        }
        let (_, is_done, taken) = read(b"0\r\n\r\nHTTP/1.1", 100).expect("chunks");
        assert_eq!((is_done, taken), (true, 5), "what follows is not taken");
    }

    #[test]
    fn malformed_chunks_are_refused() {
        let endless = vec![b'1'; LINE_MAX + 2];
        let trailers = [&b"0\r\n"[..], &b"a: b\r\n".repeat(TRAILERS_MAX + 1)].concat();
        for text in [
            &b"x\r\n"[..],
            b"\r\n",
            b"-1\r\n",
            b"+4\r\nWiki\r\n",
            b"4\r\nWikiX\r\n",
            b"10000000000000000\r\n",
            &endless,
            &trailers,
        ] {
            assert_eq!(read(text, 7), Err(MalformedChunk));
        }
    }
}
