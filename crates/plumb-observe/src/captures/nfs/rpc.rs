//! How does a record of RPC begin (RFC 5531, 9 to 11)? A call of NFS and a reply are known by their first words.

use super::xdr::Reader;

/// The program of NFS.
pub const PROGRAM: u32 = 100_003;
/// Version of RPC.
pub const RPC_VERSION: u32 = 2;
pub const CALL: u32 = 0;
pub const REPLY: u32 = 1;
/// Most bytes of credentials and verifiers (RFC 5531, 8.2).
pub const AUTHENTICATION_BYTES_MAX: u32 = 400;
/// The bit of a fragment's length that marks the last one of a record.
pub const LAST_FRAGMENT: u32 = 0x8000_0000;
/// Longer records are none: servers take reads and writes of some MiB at most.
pub const RECORD_BYTES_MAX: u32 = 64 << 20;
/// The shortest call has no credentials and no arguments, the shortest reply no results.
const RECORD_BYTES_MIN: u32 = 24;

/// True if these bytes are the beginning of a call of NFS, behind the length of its record.
pub fn begins(bytes: &[u8]) -> bool {
    length(bytes).is_some_and(|length| length >= 40) && bytes.get(4..).is_some_and(is_call)
}

/// The same without a length, as in a datagram.
pub fn is_call(bytes: &[u8]) -> bool {
    let mut rest = Reader::of(bytes);
    let _ = rest.u32();
    let words = [rest.u32(), rest.u32(), rest.u32(), rest.u32()];
    matches!(
        words,
        [Some(CALL), Some(RPC_VERSION), Some(PROGRAM), Some(2..=4)]
    )
}

/// True if these bytes are the beginning of a reply, behind the length of its record.
pub fn is_reply(bytes: &[u8]) -> bool {
    let Some(length) = length(bytes) else {
        return false;
    };
    let mut rest = Reader::of(bytes.get(8..).unwrap_or_default());
    let words = [rest.u32(), rest.u32(), rest.u32(), rest.u32()];
    // Accepted, with a verifier of nothing or of RPCSEC_GSS.
    matches!(words, [Some(REPLY), Some(0), Some(0), Some(0)])
        || matches!(
            words,
            [
                Some(REPLY),
                Some(0),
                Some(6),
                Some(1..=AUTHENTICATION_BYTES_MAX)
            ]
        ) && length > 64
}

/// The length of a record of one fragment.
fn length(bytes: &[u8]) -> Option<u32> {
    let mark = Reader::of(bytes).u32()?;
    let length = mark & !LAST_FRAGMENT;
    (mark & LAST_FRAGMENT != 0 && (RECORD_BYTES_MIN..=RECORD_BYTES_MAX).contains(&length))
        .then_some(length)
}
