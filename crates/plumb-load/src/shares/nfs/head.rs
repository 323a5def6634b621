//! What stands before the results of an answer? RPC's word on the call, and for a READ how much data follows.

use plumb_model::statement::Statement;

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
            1 => Statement::new("nfs-number-is-no-proof").name("error", number.to_string()),
            _ => Statement::new("nfs-another-version-of-rpc"),
        }));
    }
    reader.u32()?;
    reader.opaque()?;
    match reader.u32()? {
        0 => Ok(()),
        2 => {
            let (first, last) = (reader.u32()?, reader.u32()?);
            Err(Failure::Connection(
                Statement::new("nfs-other-versions-only")
                    .name("first", first.to_string())
                    .name("last", last.to_string()),
            ))
        }
        1 | 3 => Err(Failure::Connection(Statement::new("nfs-not-at-this-port"))),
        status => Err(Failure::Connection(
            Statement::new("nfs-request-was-not-read").name("status", status.to_string()),
        )),
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
