//! What stands before the results of an answer? RPC's word on the call, and for a READ how much data follows.

use super::call::op;
use super::results::{Failure, Results};
use super::xdr::Reader;

/// Over the head of an answer that the server accepted (RFC 5531, chapter 9).
pub fn accepted(reader: &mut Reader<'_>) -> Result<(), Failure> {
    if reader.u32()? != 0 {
        let reason = reader.u32()?;
        let number = reader.u32()?;
        return Err(Failure::Connection(match reason {
            // AUTH_ERROR; AUTH_TOOWEAK is what a server says to a port above 1023.
            1 => format!(
                "the server does not take the user's number as a proof (RPC AUTH_ERROR {number}): allow sec=sys for the export; if it wants a port below 1024, run as \
                 root or export it with 'insecure'"
            ),
            _ => "the server speaks another version of RPC".into(),
        }));
    }
    reader.u32()?;
    reader.opaque()?;
    match reader.u32()? {
        0 => Ok(()),
        2 => Err(Failure::Connection(format!(
            "the server speaks NFS versions {} to {} only: switch on version 4.1 there, or measure a kernel mount by its path",
            reader.u32()?,
            reader.u32()?
        ))),
        1 | 3 => Err(Failure::Connection(
            "the server at this port offers no NFS: name the port of NFS".into(),
        )),
        status => Err(Failure::Connection(format!(
            "the server could not read the request (RPC accept_stat {status}): see its log"
        ))),
    }
}

/// The head of a READ's answer: end of file, bytes of data, and where they begin in the message.
pub fn data_head(message: &[u8]) -> Result<(bool, u32, usize), Failure> {
    let mut reader = Reader::new(message);
    // Number of the message, REPLY.
    reader.u64()?;
    accepted(&mut reader)?;
    let at = reader.position();
    let mut results = Results::new(&message[at..])?;
    results.sequence()?;
    results.done(op::PUTFH)?;
    let (is_end, len) = results.read_head()?;
    Ok((is_end, len, at + results.position()))
}
