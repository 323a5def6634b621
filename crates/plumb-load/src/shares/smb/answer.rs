//! What does a reply contain? Parsed with care: a server may send anything.

use plumb_model::statement::Statement;

use crate::share::ShareEntry;
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::{FileHandle, HEADER_BYTES};
use crate::shares::smb::status::Status;

/// An answer is one; a request has it not.
const FLAG_ANSWER: u32 = 1;
const FLAG_ASYNC: u32 = 2;

/// Reads little-endian numbers of a message; `None` past its end.
#[derive(Clone, Copy)]
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub fn bytes(self, at: usize, count: usize) -> Option<&'a [u8]> {
        self.0.get(at..at.checked_add(count)?)
    }

    pub fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub fn u16(self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes(self.bytes(at, 2)?.try_into().ok()?))
    }

    pub fn u32(self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(at, 4)?.try_into().ok()?))
    }

    pub fn u64(self, at: usize) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(at, 8)?.try_into().ok()?))
    }
}

/// The header of an answer (MS-SMB2 2.2.1).
#[derive(Debug, Clone, Copy)]
pub struct AnswerHeader {
    pub status: Status,
    pub command: u16,
    pub credits: u16,
    pub is_async: bool,
    /// Distance to the next message of the frame; 0 for the last.
    pub next: usize,
    pub message_id: u64,
    pub tree_id: u32,
    pub session_id: u64,
}

impl AnswerHeader {
    /// Reads a header.
    ///
    /// # Errors
    /// What cannot be the header of an answer.
    pub fn read(message: &[u8]) -> SmbResult<AnswerHeader> {
        let fields = Fields(message);
        if message.len() < HEADER_BYTES {
            let bytes = message.len() as u64;
            let what = Statement::new("smb-message-of-length").count("bytes", bytes);
            return Err(Fault::Garbage(what));
        }
        if &message[..4] != b"\xfeSMB" || fields.u16(4) != Some(64) {
            let begin = format!("{:02x?}", &message[..4]);
            let what = Statement::new("smb-message-begins-with").name("bytes", begin);
            return Err(Fault::Garbage(what));
        }
        let read = || {
            let flags = fields.u32(16)?;
            (flags & FLAG_ANSWER != 0).then_some(())?;
            Some(AnswerHeader {
                status: Status(fields.u32(8)?),
                command: fields.u16(12)?,
                credits: fields.u16(14)?,
                is_async: flags & FLAG_ASYNC != 0,
                next: fields.u32(20)? as usize,
                message_id: fields.u64(24)?,
                tree_id: fields.u32(36)?,
                session_id: fields.u64(40)?,
            })
        };
        read().ok_or_else(|| Fault::Garbage(Statement::new("smb-request-not-answer")))
    }
}

/// Reads a part of a reply's body, or returns which reply is invalid.
pub fn part<T>(command: &str, read: impl FnOnce() -> Option<T>) -> SmbResult<T> {
    read().ok_or_else(|| {
        Fault::Garbage(Statement::new("smb-answer-is-broken").name("command", command))
    })
}

/// What CREATE brings (2.2.14).
#[derive(Debug, Clone, Copy)]
pub struct Created {
    pub file: FileHandle,
    pub oplock: u8,
    pub size_bytes: u64,
    pub is_folder: bool,
}

impl Created {
    /// Reads the body of an answer to CREATE.
    ///
    /// # Errors
    /// A body that is cut short.
    pub fn read(body: &[u8]) -> SmbResult<Created> {
        let fields = Fields(body);
        part("CREATE", || {
            Some(Created {
                file: FileHandle(fields.bytes(64, 16)?.try_into().ok()?),
                oplock: fields.u8(2)?,
                size_bytes: fields.u64(48)?,
                is_folder: fields.u32(56)? & 0x10 != 0,
            })
        })
    }
}

/// Data of a reply whose body gives its position from the header, as `offset` and `count`.
pub fn data(body: &[u8], offset: usize, count: usize) -> Option<&[u8]> {
    if count == 0 {
        return Some(&[]);
    }
    body.get(offset.checked_sub(HEADER_BYTES)?..)?.get(..count)
}

/// Data of an answer to QUERY_INFO, QUERY_DIRECTORY or SESSION_SETUP-like bodies: a 16-bit offset at 2, a 32-bit length at 4.
///
/// # Errors
/// An offset or length outside of the message.
pub fn queried<'a>(command: &str, body: &'a [u8]) -> SmbResult<&'a [u8]> {
    let fields = Fields(body);
    part(command, || {
        data(body, usize::from(fields.u16(2)?), fields.u32(4)? as usize)
    })
}

/// Names in an answer to QUERY_DIRECTORY (FileIdBothDirectoryInformation, MS-FSCC 2.4.17), without `.` and `..`.
///
/// # Errors
/// Entries that point outside of the answer.
pub fn entries(bytes: &[u8], found: &mut Vec<ShareEntry>) -> SmbResult<()> {
    let mut rest = bytes;
    loop {
        let fields = Fields(rest);
        let (next, entry) = part("QUERY_DIRECTORY", || {
            let name_bytes = fields.u32(60)? as usize;
            let units: Vec<u16> = fields
                .bytes(104, name_bytes)?
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect();
            let entry = ShareEntry {
                name: String::from_utf16_lossy(&units),
                is_folder: fields.u32(56)? & 0x10 != 0,
                size_bytes: fields.u64(40)?,
            };
            Some((fields.u32(0)? as usize, entry))
        })?;
        // A server that puts a path into a name must not lead out of the folder.
        if entry.name != "." && entry.name != ".." && !entry.name.contains(['/', '\\']) {
            found.push(entry);
        }
        if next == 0 {
            return Ok(());
        }
        // An entry is at least 104 bytes long; a shorter step would not end.
        rest = part("QUERY_DIRECTORY", || {
            rest.get(next..).filter(|_| next >= 104)
        })?;
    }
}

/// A network interface of the server (NETWORK_INTERFACE_INFO, MS-SMB2 2.2.32.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedInterface {
    pub index: u32,
    pub is_rss: bool,
    pub is_rdma: bool,
    pub speed_bits_per_s: u64,
    pub address: std::net::IpAddr,
}

/// The interfaces of an answer to FSCTL_QUERY_NETWORK_INTERFACE_INFO.
///
/// # Errors
/// Entries that point outside of the answer.
pub fn interfaces(body: &[u8]) -> SmbResult<Vec<OfferedInterface>> {
    let fields = Fields(body);
    let mut rest = part("IOCTL", || {
        data(body, fields.u32(32)? as usize, fields.u32(36)? as usize)
    })?;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let fields = Fields(rest);
        let next = part("IOCTL", || {
            let family = fields.u16(24)?;
            let address = match family {
                2 => Some(std::net::IpAddr::from(
                    <[u8; 4]>::try_from(fields.bytes(28, 4)?).ok()?,
                )),
                23 => Some(std::net::IpAddr::from(
                    <[u8; 16]>::try_from(fields.bytes(32, 16)?).ok()?,
                )),
                _ => None,
            };
            let capability = fields.u32(8)?;
            let (index, speed_bits_per_s) = (fields.u32(4)?, fields.u64(16)?);
            found.extend(address.map(|address| OfferedInterface {
                index,
                is_rss: capability & 1 != 0,
                is_rdma: capability & 2 != 0,
                speed_bits_per_s,
                address,
            }));
            Some(fields.u32(0)? as usize)
        })?;
        if next == 0 {
            break;
        }
        rest = part("IOCTL", || rest.get(next..).filter(|_| next >= 152))?;
    }
    Ok(found)
}
