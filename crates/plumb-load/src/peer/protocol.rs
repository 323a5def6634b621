//! What do the engine `tcp` and `plumb serve-net` exchange? A greeting, its reply, bare messages, and an account at the end.

use plumb_model::statement::Statement;
/// Version of the protocol; both ends must have the same one.
pub const VERSION: u16 = 1;
/// Length of a greeting.
pub const HELLO_BYTES: usize = 32;
/// Length of the answer to a greeting.
pub const ANSWER_BYTES: usize = 32;
/// Length of the account with which the responder ends a connection.
pub const ACCOUNT_BYTES: usize = 64;
/// Longest message of a ping-pong: the responder buffers it completely before it returns it.
pub const MESSAGE_BYTES_MAX: u32 = 256 << 20;

const HELLO_MAGIC: [u8; 8] = *b"plumbnet";
const ANSWER_MAGIC: [u8; 8] = *b"netplumb";
const ACCOUNT_MAGIC: [u8; 8] = *b"plumbend";
/// Stands for a number that the system does not report.
const UNKNOWN: u64 = u64::MAX;

const FRAMED: u8 = 1;
const NO_DELAY: u8 = 2;

/// What the client does on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// It sends; the responder takes the bytes and counts them.
    Send = 1,
    /// The responder sends as fast as it can until the client closes its direction.
    Receive = 2,
    /// The responder sends each message back once it has all of it.
    PingPong = 3,
}

/// The first bytes of a connection, from the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hello {
    pub mode: Mode,
    /// Length of every message, or of the longest one when they are framed.
    pub message_bytes: u32,
    /// Before each message of a ping-pong stands its length, 4 bytes with the lowest first: messages of several lengths come on this connection.
    pub framed: bool,
    pub no_delay: bool,
    /// Socket buffers to request from the system, in bytes; 0: the system's default.
    pub window_bytes: u32,
}

/// Why a responder does not serve a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Refusal {
    Version = 1,
    NotAllowed = 2,
    TooManyConnections = 3,
    MessageTooLong = 4,
    Malformed = 5,
}

impl Refusal {
    /// What is wrong, and what to do next.
    pub fn statement(self) -> Statement {
        Statement::new(match self {
            Refusal::Version => "serve-net-speaks-another-version",
            Refusal::NotAllowed => "serve-net-does-not-serve-this-address",
            Refusal::TooManyConnections => "serve-net-is-full",
            Refusal::MessageTooLong => "serve-net-has-no-memory",
            Refusal::Malformed => "serve-net-did-not-understand",
        })
    }
}

/// The answer to a greeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Socket buffers of the responder in bytes, as its system granted them.
    Welcome {
        send_buffer_bytes: u32,
        receive_buffer_bytes: u32,
    },
    Refused(Refusal),
}

/// What the responder counted on one connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PeerAccount {
    pub bytes_received: u64,
    pub bytes_sent: u64,
    /// CPU time of its thread, from the greeting to the end; missing if its system does not report it.
    pub cpu_user_ns: Option<u64>,
    pub cpu_system_ns: Option<u64>,
    /// Segments that its system sent again.
    pub retransmits: Option<u64>,
}

impl Hello {
    /// As it goes over the wire.
    pub fn encode(&self) -> [u8; HELLO_BYTES] {
        let mut bytes = [0; HELLO_BYTES];
        bytes[..8].copy_from_slice(&HELLO_MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10] = self.mode as u8;
        bytes[11] = if self.framed { FRAMED } else { 0 } | if self.no_delay { NO_DELAY } else { 0 };
        bytes[12..16].copy_from_slice(&self.message_bytes.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.window_bytes.to_le_bytes());
        bytes
    }

    /// Reads a greeting.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] for bytes of another protocol, [`Refusal::Version`] for another version, and [`Refusal::MessageTooLong`].
    pub fn decode(bytes: &[u8; HELLO_BYTES]) -> Result<Hello, Refusal> {
        if bytes[..8] != HELLO_MAGIC {
            return Err(Refusal::Malformed);
        }
        if u16::from_le_bytes([bytes[8], bytes[9]]) != VERSION {
            return Err(Refusal::Version);
        }
        let mode = match bytes[10] {
            1 => Mode::Send,
            2 => Mode::Receive,
            3 => Mode::PingPong,
            _ => return Err(Refusal::Malformed),
        };
        let message_bytes = number32(bytes, 12);
        if message_bytes == 0 {
            return Err(Refusal::Malformed);
        }
        if mode == Mode::PingPong && message_bytes > MESSAGE_BYTES_MAX {
            return Err(Refusal::MessageTooLong);
        }
        let flags = bytes[11];
        Ok(Hello {
            mode,
            message_bytes,
            framed: flags & FRAMED != 0,
            no_delay: flags & NO_DELAY != 0,
            window_bytes: number32(bytes, 16),
        })
    }
}

impl Answer {
    /// As it goes over the wire.
    pub fn encode(&self) -> [u8; ANSWER_BYTES] {
        let mut bytes = [0; ANSWER_BYTES];
        bytes[..8].copy_from_slice(&ANSWER_MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        match self {
            Answer::Welcome {
                send_buffer_bytes,
                receive_buffer_bytes,
            } => {
                bytes[12..16].copy_from_slice(&send_buffer_bytes.to_le_bytes());
                bytes[16..20].copy_from_slice(&receive_buffer_bytes.to_le_bytes());
            }
            Answer::Refused(refusal) => bytes[10] = *refusal as u8,
        }
        bytes
    }

    /// Reads an answer; `None` for bytes that no responder of plumb sends.
    pub fn decode(bytes: &[u8; ANSWER_BYTES]) -> Option<Answer> {
        if bytes[..8] != ANSWER_MAGIC {
            return None;
        }
        Some(match bytes[10] {
            0 => Answer::Welcome {
                send_buffer_bytes: number32(bytes, 12),
                receive_buffer_bytes: number32(bytes, 16),
            },
            1 => Answer::Refused(Refusal::Version),
            2 => Answer::Refused(Refusal::NotAllowed),
            3 => Answer::Refused(Refusal::TooManyConnections),
            4 => Answer::Refused(Refusal::MessageTooLong),
            _ => Answer::Refused(Refusal::Malformed),
        })
    }
}

impl PeerAccount {
    /// As it goes over the wire.
    pub fn encode(&self) -> [u8; ACCOUNT_BYTES] {
        let mut bytes = [0; ACCOUNT_BYTES];
        bytes[..8].copy_from_slice(&ACCOUNT_MAGIC);
        let optional = [self.cpu_user_ns, self.cpu_system_ns, self.retransmits]
            .map(|number| number.unwrap_or(UNKNOWN));
        for (index, number) in [self.bytes_received, self.bytes_sent]
            .into_iter()
            .chain(optional)
            .enumerate()
        {
            bytes[8 + index * 8..16 + index * 8].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads an account; `None` for bytes that are none, such as the end of a stream that was cut.
    pub fn decode(bytes: &[u8; ACCOUNT_BYTES]) -> Option<PeerAccount> {
        if bytes[..8] != ACCOUNT_MAGIC {
            return None;
        }
        let known = |at| Some(number64(bytes, at)).filter(|number| *number != UNKNOWN);
        Some(PeerAccount {
            bytes_received: number64(bytes, 8),
            bytes_sent: number64(bytes, 16),
            cpu_user_ns: known(24),
            cpu_system_ns: known(32),
            retransmits: known(40),
        })
    }
}

fn number32(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

fn number64(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: Hello = Hello {
        mode: Mode::PingPong,
        message_bytes: 8_388_611,
        framed: true,
        no_delay: false,
        window_bytes: 1 << 20,
    };

    #[test]
    fn messages_are_decoded_as_encoded() {
        assert_eq!(Hello::decode(&HELLO.encode()), Ok(HELLO));
        for answer in [
            Answer::Welcome {
                send_buffer_bytes: 5,
                receive_buffer_bytes: 7,
            },
            Answer::Refused(Refusal::NotAllowed),
        ] {
            assert_eq!(Answer::decode(&answer.encode()), Some(answer));
        }
        let account = PeerAccount {
            bytes_received: 1,
            bytes_sent: 2,
            cpu_user_ns: Some(3),
            cpu_system_ns: None,
            retransmits: Some(0),
        };
        assert_eq!(PeerAccount::decode(&account.encode()), Some(account));
    }

    #[test]
    fn nonsense_is_refused() {
        let check = |at: usize, byte: u8, expected: Refusal| {
            let mut bytes = HELLO.encode();
            bytes[at] = byte;
            assert_eq!(Hello::decode(&bytes), Err(expected), "byte {at}");
        };
        check(0, b'G', Refusal::Malformed);
        check(8, 9, Refusal::Version);
        check(10, 4, Refusal::Malformed);
        check(15, 0xff, Refusal::MessageTooLong);
        let empty = Hello {
            message_bytes: 0,
            ..HELLO
        };
        assert_eq!(Hello::decode(&empty.encode()), Err(Refusal::Malformed));
        assert_eq!(Answer::decode(&[b'x'; ANSWER_BYTES]), None);
        assert_eq!(PeerAccount::decode(&[0; ACCOUNT_BYTES]), None);
    }
}
