//! What stands before the results of an answer? RPC's word on the call, and for a READ how much data follows.

use plumb_model::statement::Statement;

use super::call::op;
use super::gss::tokens::MIC_BYTES;
use super::message::Protocol;
use super::results::{Failure, Results};
use super::status::Status;
use super::version3::replies;
use super::xdr::Reader;

/// Over the head of an answer that the server accepted (RFC 5531, chapter 9).
pub fn accepted(reader: &mut Reader<'_>) -> Result<(), Failure> {
    verified(reader, |_| Ok(()))
}

/// The same, with a look at what the server proves itself by, before anything else is read.
pub fn verified(
    reader: &mut Reader<'_>,
    check: impl FnOnce(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if reader.u32()? != 0 {
        let reason = reader.u32()?;
        let number = reader.u32()?;
        return Err(Failure::Connection(match reason {
            // RPCSEC_GSS_CREDPROBLEM and RPCSEC_GSS_CTXPROBLEM (RFC 2203, 5.3.3.3).
            1 if matches!(number, 13 | 14) => {
                Statement::new("nfs-gss-context-refused").name("error", number.to_string())
            }
            // AUTH_ERROR; AUTH_TOOWEAK is a server's reply to a port above 1023.
            1 => Statement::new("nfs-number-is-no-proof").name("error", number.to_string()),
            _ => Statement::new("nfs-another-version-of-rpc"),
        }));
    }
    reader.u32()?;
    check(reader.opaque()?)?;
    match reader.u32()? {
        0 => Ok(()),
        2 => Err(Failure::Unsupported(match (reader.u32(), reader.u32()) {
            (Ok(first), Ok(last)) => Statement::new("nfs-other-versions-only")
                .name("first", first.to_string())
                .name("last", last.to_string()),
            // Some servers return this for a missing procedure, without versions.
            _ => Statement::new("nfs-not-at-this-port"),
        })),
        1 => Err(Failure::Unsupported(Statement::new("nfs-not-at-this-port"))),
        // PROC_UNAVAIL: the version is supported, the procedure is not.
        3 => Err(Failure::Status(Status::NOTSUPP)),
        status => Err(Failure::Connection(
            Statement::new("nfs-request-was-not-read").name("status", status.to_string()),
        )),
    }
}

/// Bytes of the answer to a READ before its data, at most: length of the message, head of RPC with a verifier of RPCSEC_GSS; then in NFS 3 status, attributes, count, end, length; in
/// NFS 4 COMPOUND, SEQUENCE (not in 4.0), PUTFH, READ, which are 24 bytes less.
pub const DATA_HEAD_BYTES: usize = 4 + 24 + MIC_BYTES + 4 + (4 + 84) + 12;

/// The head of a READ's answer: end of file, bytes of data, and where they begin in the message.
pub fn data_head(message: &[u8], protocol: Protocol) -> Result<(bool, u32, usize), Failure> {
    let mut reader = Reader::new(message);
    // Number of the message, REPLY.
    reader.u64()?;
    accepted(&mut reader)?;
    let at = reader.position();
    let (is_end, len, begins) = data_in(&message[at..], protocol)?;
    Ok((is_end, len, at + begins))
}

/// The same of what follows the head of RPC.
pub fn data_in(results: &[u8], protocol: Protocol) -> Result<(bool, u32, usize), Failure> {
    let Protocol::Compound { minor } = protocol else {
        let mut reader = Reader::new(results);
        let (is_end, len) = replies::read_head(&mut reader)?;
        return Ok((is_end, len, reader.position()));
    };
    let mut results = Results::new(results)?;
    if minor > 0 {
        results.sequence()?;
    }
    results.done(op::PUTFH)?;
    let (is_end, len) = results.read_head()?;
    Ok((is_end, len, results.position()))
}
