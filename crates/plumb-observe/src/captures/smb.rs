//! What is in an SMB 2 or 3 header? Command, number, credits, and the few body fields needed for figures (MS-SMB2, 2.2).

pub mod status;

use plumb_model::trace::events::CallClass;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Bytes of a command that are parsed: the header and the largest relevant body.
pub const WINDOW_BYTES: usize = 112;

/// Number of unsolicited messages of the server.
pub const UNASKED: u64 = u64::MAX;

pub const NEGOTIATE: u16 = 0;
const CLOSE: u16 = 6;
const FLUSH: u16 = 7;
const READ: u16 = 8;
const WRITE: u16 = 9;
pub const CANCEL: u16 = 12;

const RESPONSE: u32 = 0x01;
const ASYNC: u32 = 0x02;

/// One command of a message, as far as it was captured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Command {
    pub code: u16,
    pub is_response: bool,
    pub is_async: bool,
    /// NTSTATUS; of requests it is something else.
    pub status: u32,
    /// Its cost in credits; at least 1.
    pub charge: u16,
    /// Requested or granted.
    pub credits: u16,
    /// Bytes from its beginning to the next one of the message; 0 for the last.
    pub next: u32,
    pub message: u64,
    pub session: u64,
    pub body: Body,
}

/// Body fields; `None` if this kind of body does not have it, or it was truncated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Body {
    pub file: Option<u64>,
    pub offset: Option<u64>,
    /// Requested or transferred.
    pub bytes: Option<u64>,
    pub dialect: Option<u16>,
    pub read_max_bytes: Option<u32>,
    pub write_max_bytes: Option<u32>,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The command at the beginning of these bytes; `None` when its header is not complete or not one.
pub fn command(bytes: &[u8]) -> Option<Command> {
    let header = bytes.get(..HEADER_BYTES)?;
    if !header.starts_with(b"\xfeSMB") || u16_at(header, 4)? != 64 {
        return None;
    }
    let flags = u32_at(header, 16)?;
    let (code, status, session) = (u16_at(header, 12)?, u32_at(header, 8)?, u64_at(header, 40)?);
    let is_response = flags & RESPONSE != 0;
    let body = bytes.get(HEADER_BYTES..).unwrap_or_default();
    Some(Command {
        code,
        is_response,
        is_async: flags & ASYNC != 0,
        status,
        charge: u16_at(header, 6)?.max(1),
        credits: u16_at(header, 14)?,
        next: u32_at(header, 20)?,
        message: u64_at(header, 24)?,
        session,
        body: body_of(code, is_response, body, session),
    })
}

fn body_of(code: u16, is_response: bool, body: &[u8], session: u64) -> Body {
    let mut found = Body::default();
    match (code, is_response) {
        (READ | WRITE, false) => {
            found.bytes = u32_at(body, 4).map(u64::from);
            found.offset = u64_at(body, 8);
            found.file = file_at(body, 16, session);
        }
        // The length that was read or written is the fourth byte of both; errors have bodies of another size.
        (READ | WRITE, true) if u16_at(body, 0) == Some(17) => {
            found.bytes = u32_at(body, 4).map(u64::from);
        }
        (CLOSE | FLUSH, false) => found.file = file_at(body, 8, session),
        (NEGOTIATE, true) if u16_at(body, 0) == Some(65) => {
            found.dialect = u16_at(body, 4);
            found.read_max_bytes = u32_at(body, 32);
            found.write_max_bytes = u32_at(body, 36);
        }
        _ => {}
    }
    found
}

/// One number of both halves of a file's identifier and the session. All ones stand for the file of the command before (2.2.1.2), which is not followed.
fn file_at(body: &[u8], at: usize, session: u64) -> Option<u64> {
    let (persistent, volatile) = (u64_at(body, at)?, u64_at(body, at + 8)?);
    // Spread by an odd constant, so that counters of both halves do not cancel each other out.
    let mixed = |value: u64| value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (volatile != u64::MAX)
        .then(|| mixed(mixed(persistent) ^ volatile).rotate_left(29) ^ mixed(session))
}

/// True for a command that ends the use of its file.
pub fn closes(code: u16) -> bool {
    code == CLOSE
}

/// The name of a command, and what it asks for.
pub fn meaning(code: u16) -> (&'static str, CallClass) {
    const MEANINGS: [(&str, CallClass); 19] = [
        ("NEGOTIATE", CallClass::Session),
        ("SESSION_SETUP", CallClass::Session),
        ("LOGOFF", CallClass::Session),
        ("TREE_CONNECT", CallClass::Session),
        ("TREE_DISCONNECT", CallClass::Session),
        ("CREATE", CallClass::Metadata),
        ("CLOSE", CallClass::Metadata),
        ("FLUSH", CallClass::Metadata),
        ("READ", CallClass::Read),
        ("WRITE", CallClass::Write),
        ("LOCK", CallClass::Metadata),
        ("IOCTL", CallClass::Metadata),
        ("CANCEL", CallClass::Session),
        ("ECHO", CallClass::Session),
        ("QUERY_DIRECTORY", CallClass::Metadata),
        ("CHANGE_NOTIFY", CallClass::Wait),
        ("QUERY_INFO", CallClass::Metadata),
        ("SET_INFO", CallClass::Metadata),
        ("OPLOCK_BREAK", CallClass::Metadata),
    ];
    let known = MEANINGS.get(usize::from(code)).copied();
    known.unwrap_or(("UNKNOWN", CallClass::Metadata))
}

/// `3.1.1` of its number; other numbers as such.
pub fn dialect_name(dialect: u16) -> String {
    match dialect {
        0x0202 => "2.0.2".into(),
        0x0210 => "2.1".into(),
        0x02ff => "2.???".into(),
        0x0300 => "3.0".into(),
        0x0302 => "3.0.2".into(),
        0x0311 => "3.1.1".into(),
        other => format!("0x{other:04x}"),
    }
}

/// True while an answer says that the real one follows (3.3.4.2).
pub fn is_interim(command: &Command) -> bool {
    command.is_response && command.is_async && command.status == status::PENDING
}
