//! What do two peers exchange before they can access memory? One hello and one reply over TCP, of bounded size and fully validated.

// A message: eight bytes of magic, the length of the rest (four bytes, big-endian as all numbers), the rest. Texts and addresses have their length before
// them, in two bytes. The connection then stays open without a word: its end is the end of the session.

use std::io::{self, Read, Write};

use plumb_model::statement::Statement;

use crate::engine::error_of_kind;

/// Begins a hello, and an answer; the digit is the version.
const MAGIC: &[u8; 8] = b"PLMBRDM2";
/// A longer message is refused before it is read.
const MESSAGE_BYTES_MAX: usize = 4096;

/// The engine's hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// The provider by its full name; both ends need the same.
    pub provider: String,
    /// The endpoint's address, as the provider writes it.
    pub address: Vec<u8>,
    /// Operations outstanding.
    pub depth: u32,
    /// Largest message; 0: no messages, memory only.
    pub message_bytes: u32,
    /// Memory that is wanted.
    pub memory_bytes: u64,
    /// Endpoints that name the same memory get the same.
    pub memory_name: u64,
    /// Poll for completions.
    pub polling: bool,
    /// Where the other side writes the answers of ping-pongs by one-sided writes. Missing: there will be none.
    pub memory: Option<PeerMemory>,
}

/// Memory that the other side may write to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerMemory {
    pub key: u64,
    /// Address of its first byte, as the other side names it.
    pub base: u64,
    /// Length of each message, above 0.
    pub bytes: u32,
}

/// The responder's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Welcome(Welcome),
    /// Why not.
    Refused(String),
}

/// Where the peer's memory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    pub address: Vec<u8>,
    pub key: u64,
    /// Added to an offset in the memory.
    pub base: u64,
    pub memory_bytes: u64,
    /// The memory was made for this connection: it holds nothing that was written before.
    pub is_new: bool,
    /// Library and provider of the peer.
    pub software: String,
    /// Where ping-pong messages are written; set if the hello has memory.
    pub memory: Option<PeerMemory>,
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64, bytes: usize) {
        self.0.extend(&number.to_be_bytes()[8 - bytes..]);
    }

    /// Longer ones than a message may be are cut off: nothing of that length is ever sent.
    fn bytes(&mut self, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(MESSAGE_BYTES_MAX / 4)];
        self.number(bytes.len() as u64, 2);
        self.0.extend(bytes);
    }

    /// A length of 0 stands for none.
    fn memory(&mut self, memory: Option<PeerMemory>) {
        let PeerMemory { key, base, bytes } = memory.unwrap_or(PeerMemory {
            key: 0,
            base: 0,
            bytes: 0,
        });
        self.number(u64::from(bytes), 4);
        self.number(key, 8);
        self.number(base, 8);
    }

    fn send(self, out: &mut impl Write) -> io::Result<()> {
        let mut message = MAGIC.to_vec();
        message.extend((self.0.len() as u32).to_be_bytes());
        message.extend(self.0);
        out.write_all(&message)
    }
}

/// Parses a message; a complete one leaves no bytes.
struct Reader(Vec<u8>, usize);

fn garbage(what: Statement) -> io::Error {
    let why = Statement::new("rdma-not-plumbs-protocol").part("what", what);
    error_of_kind(io::ErrorKind::InvalidData, why)
}

/// The other side is a plumb of another release.
fn other_version(version: u8) -> io::Error {
    let why = Statement::new("rdma-protocol-of-another-version")
        .name("other", version.escape_ascii().to_string())
        .name("own", MAGIC[7].escape_ascii().to_string());
    error_of_kind(io::ErrorKind::Unsupported, why)
}

impl Reader {
    fn receive(from: &mut impl Read) -> io::Result<Reader> {
        let mut head = [0u8; 12];
        from.read_exact(&mut head)?;
        let (magic, len) = head.split_at(8);
        if magic != MAGIC {
            let version = magic.strip_prefix(&MAGIC[..7]).and_then(<[u8]>::first);
            return Err(version.map_or_else(
                || garbage(Statement::new("rdma-unknown-beginning")),
                |version| other_version(*version),
            ));
        }
        let len = len
            .iter()
            .fold(0usize, |len, byte| len << 8 | usize::from(*byte));
        if len > MESSAGE_BYTES_MAX {
            return Err(garbage(
                Statement::new("rdma-message-of-length").count("bytes", len as u64),
            ));
        }
        let mut rest = vec![0; len];
        from.read_exact(&mut rest)?;
        Ok(Reader(rest, 0))
    }

    fn take(&mut self, bytes: usize) -> io::Result<&[u8]> {
        let end = self.1 + bytes;
        let taken = self
            .0
            .get(self.1..end)
            .ok_or_else(|| garbage(Statement::new("rdma-message-ends-too-early")))?;
        self.1 = end;
        Ok(taken)
    }

    fn number(&mut self, bytes: usize) -> io::Result<u64> {
        Ok(self
            .take(bytes)?
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let len = self.number(2)? as usize;
        Ok(self.take(len)?.to_vec())
    }

    /// A text for people: what could move a terminal's cursor is left out.
    fn text(&mut self) -> io::Result<String> {
        let bytes = self.bytes()?;
        Ok(String::from_utf8_lossy(&bytes)
            .chars()
            .filter(|c| !c.is_control())
            .collect())
    }

    fn memory(&mut self) -> io::Result<Option<PeerMemory>> {
        let (bytes, key, base) = (self.number(4)? as u32, self.number(8)?, self.number(8)?);
        Ok((bytes > 0).then_some(PeerMemory { key, base, bytes }))
    }

    fn end<T>(self, value: T) -> io::Result<T> {
        if self.1 == self.0.len() {
            Ok(value)
        } else {
            Err(garbage(Statement::new("rdma-message-too-long")))
        }
    }
}

impl Hello {
    /// Sends it.
    ///
    /// # Errors
    /// The connection's.
    pub fn send(&self, out: &mut impl Write) -> io::Result<()> {
        let mut message = Writer(Vec::new());
        message.bytes(self.provider.as_bytes());
        message.bytes(&self.address);
        message.number(u64::from(self.depth), 4);
        message.number(u64::from(self.message_bytes), 4);
        message.number(self.memory_bytes, 8);
        message.number(self.memory_name, 8);
        message.number(u64::from(self.polling), 1);
        message.memory(self.memory);
        message.send(out)
    }

    /// Reads one.
    ///
    /// # Errors
    /// The connection's; unsupported for a hello of another version; invalid data for anything else than a hello.
    pub fn receive(from: &mut impl Read) -> io::Result<Hello> {
        let mut message = Reader::receive(from)?;
        let hello = Hello {
            provider: message.text()?,
            address: message.bytes()?,
            depth: message.number(4)? as u32,
            message_bytes: message.number(4)? as u32,
            memory_bytes: message.number(8)?,
            memory_name: message.number(8)?,
            polling: message.number(1)? != 0,
            memory: message.memory()?,
        };
        message.end(hello)
    }
}

impl Answer {
    /// Sends it.
    ///
    /// # Errors
    /// The connection's.
    pub fn send(&self, out: &mut impl Write) -> io::Result<()> {
        let mut message = Writer(Vec::new());
        match self {
            Answer::Refused(reason) => {
                message.number(0, 1);
                message.bytes(reason.as_bytes());
            }
            Answer::Welcome(welcome) => {
                message.number(1, 1);
                message.bytes(&welcome.address);
                message.number(welcome.key, 8);
                message.number(welcome.base, 8);
                message.number(welcome.memory_bytes, 8);
                message.number(u64::from(welcome.is_new), 1);
                message.bytes(welcome.software.as_bytes());
                message.memory(welcome.memory);
            }
        }
        message.send(out)
    }

    /// Reads one.
    ///
    /// # Errors
    /// The connection's; unsupported for an answer of another version; invalid data for anything else than an answer.
    pub fn receive(from: &mut impl Read) -> io::Result<Answer> {
        let mut message = Reader::receive(from)?;
        let answer = match message.number(1)? {
            0 => Answer::Refused(message.text()?),
            1 => Answer::Welcome(Welcome {
                address: message.bytes()?,
                key: message.number(8)?,
                base: message.number(8)?,
                memory_bytes: message.number(8)?,
                is_new: message.number(1)? != 0,
                software: message.text()?,
                memory: message.memory()?,
            }),
            kind => {
                return Err(garbage(
                    Statement::new("rdma-answer-of-kind").name("kind", kind.to_string()),
                ));
            }
        };
        message.end(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        Hello {
            provider: "tcp;ofi_rxm".into(),
            address: vec![2, 0, 200, 100, 127, 0, 0, 1],
            depth: 128,
            message_bytes: 65_536,
            memory_bytes: 1 << 33,
            memory_name: u64::MAX - 1,
            polling: true,
            memory: Some(PeerMemory {
                key: 7,
                base: 1 << 46,
                bytes: 8,
            }),
        }
    }

    fn welcome() -> Answer {
        let software = "libfabric 1.17".into();
        let memory = Some(PeerMemory {
            key: 0,
            base: 0,
            bytes: u32::MAX,
        });
        Answer::Welcome(Welcome {
            address: vec![1, 2, 3],
            key: u64::MAX,
            base: 1 << 47,
            memory_bytes: 4096,
            is_new: true,
            software,
            memory,
        })
    }

    fn sent(send: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> Vec<u8> {
        let mut bytes = Vec::new();
        send(&mut bytes).expect("sent");
        bytes
    }

    #[test]
    fn a_hello_is_parsed_as_sent() {
        for hello in [
            hello(),
            Hello {
                memory: None,
                ..hello()
            },
        ] {
            assert_eq!(
                Hello::receive(&mut sent(|out| hello.send(out)).as_slice()).expect("hello"),
                hello
            );
        }
        for answer in [welcome(), Answer::Refused("no".into())] {
            assert_eq!(
                Answer::receive(&mut sent(|out| answer.send(out)).as_slice()).expect("answer"),
                answer
            );
        }
    }

    /// Every prefix, and every change of one byte: an error or another hello, never a panic or a large allocation.
    #[test]
    fn garbage_is_refused() {
        let encoded = sent(|out| hello().send(out));
        for len in 0..encoded.len() {
            assert!(Hello::receive(&mut &encoded[..len]).is_err(), "{len}");
        }
        for memory in 0..encoded.len() {
            for change in [1u8, 0x80, 0xff] {
                let mut changed = encoded.clone();
                changed[memory] ^= change;
                let received = Hello::receive(&mut changed.as_slice());
                assert!(memory >= 12 || received.is_err(), "{memory}");
                let _ = Answer::receive(&mut changed.as_slice());
            }
        }
        let mut long = MAGIC.to_vec();
        long.extend(u32::MAX.to_be_bytes());
        let error = Hello::receive(&mut long.as_slice())
            .expect_err("too long")
            .to_string();
        assert!(error.contains("4,294,967,295 bytes"), "{error}");
        let error = Hello::receive(&mut b"PLMBRDM1\x00\x00\x00\x01\x00".as_slice())
            .expect_err("an older release");
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        assert!(
            error.to_string().contains("version 1") && error.to_string().contains("version 2"),
            "{error}"
        );
        let error = Hello::receive(&mut b"GET / HTTP/1.1\r\n\r\n".as_slice())
            .expect_err("a browser")
            .to_string();
        assert!(error.contains("does not use"), "{error}");
        let cursor = sent(|out| Answer::Refused("\u{1b}[2Jgone".into()).send(out));
        assert_eq!(
            Answer::receive(&mut cursor.as_slice()).expect("answer"),
            Answer::Refused("[2Jgone".into())
        );
    }
}
