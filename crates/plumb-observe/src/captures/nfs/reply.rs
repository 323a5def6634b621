//! What does a reply of NFS say? Whether the call was carried out, and how many bytes it moved.

use plumb_model::trace::events::Status;

use super::call::Wrapping;
use super::xdr::Reader;
use super::{compound, status};

/// Bytes of a reply that are kept until the call that it belongs to is known: enough for the results before the data of a read.
const KEPT_BYTES: usize = 256;
/// Attributes of a file of version 2 and 3, and those before a change.
const ATTRIBUTES_2_BYTES: usize = 68;
const ATTRIBUTES_3_BYTES: usize = 84;
const BEFORE_3_BYTES: usize = 24;
const GSS: u32 = 6;

/// One reply, as far as it was captured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NfsReply {
    pub xid: u32,
    kept: [u8; KEPT_BYTES],
    length: usize,
}

/// What a reply says to a call.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// Missing if it succeeded, or is not known.
    pub status: Option<Status>,
    pub moved_bytes: Option<u64>,
}

impl NfsReply {
    /// Keeps what is behind its number and kind.
    pub fn of(xid: u32, body: &[u8]) -> NfsReply {
        let mut kept = [0; KEPT_BYTES];
        let length = body.len().min(KEPT_BYTES);
        if let (Some(room), Some(bytes)) = (kept.get_mut(..length), body.get(..length)) {
            room.copy_from_slice(bytes);
        }
        NfsReply { xid, kept, length }
    }

    /// Read as the reply to a call of this version and procedure.
    pub fn outcome(&self, version: u32, name: &str, wrapping: Wrapping) -> Outcome {
        let mut rest = Reader::of(self.kept.get(..self.length).unwrap_or_default());
        let refused = |of: &'static [(u32, &'static str)], code| Outcome {
            status: Some(status::of_rpc(of, code)),
            moved_bytes: None,
        };
        let unknown = Outcome::default();
        let Some(is_denied) = rest.u32() else {
            return unknown;
        };
        if is_denied != 0 {
            return rest
                .u32()
                .map_or(unknown, |code| refused(status::DENIED, code));
        }
        let verifier = rest.u32().zip(rest.opaque());
        let (Some((kind, _)), Some(accepted)) = (verifier, rest.u32()) else {
            return unknown;
        };
        if accepted != 0 {
            return refused(status::NOT_ACCEPTED, accepted);
        }
        let is_there = match wrapping {
            Wrapping::Signed if kind == GSS => rest.skip(8).is_some(),
            Wrapping::None | Wrapping::Signed => true,
            Wrapping::Encrypted => false,
        };
        if !is_there || name == "NULL" {
            return unknown;
        }
        results(version, name, &mut rest).unwrap_or(unknown)
    }
}

fn results(version: u32, name: &str, rest: &mut Reader<'_>) -> Option<Outcome> {
    if version >= 4 {
        let (code, moved_bytes) = compound::replied(rest.rest())?;
        return Some(Outcome {
            status: status::of_version_4(code),
            moved_bytes,
        });
    }
    let code = rest.u32()?;
    Some(Outcome {
        status: status::of_version_3(code),
        moved_bytes: match code {
            0 => moved(version, name, rest).map(u64::from),
            _ => None,
        },
    })
}

/// Bytes of a read or write that succeeded; a write of version 2 says none.
fn moved(version: u32, name: &str, rest: &mut Reader<'_>) -> Option<u32> {
    match (version, name) {
        (2, "READ") => rest.skip(ATTRIBUTES_2_BYTES).and_then(|()| rest.u32()),
        (3, "READ") => rest.optional(ATTRIBUTES_3_BYTES).and_then(|()| rest.u32()),
        (3, "WRITE") => {
            rest.optional(BEFORE_3_BYTES)?;
            rest.optional(ATTRIBUTES_3_BYTES)?;
            rest.u32()
        }
        _ => None,
    }
}
