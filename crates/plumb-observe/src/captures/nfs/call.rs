//! What does a call of NFS ask for? The head of RPC, and the few arguments that figures need.

use super::compound;
use super::operations::{self, Operation};
use super::rpc::{AUTHENTICATION_BYTES_MAX, PROGRAM, RPC_VERSION};
use super::xdr::Reader;
use crate::trace_format::volumes::spread;

/// Kind of credentials of RPCSEC_GSS (RFC 2203), and what it protects.
const GSS: u32 = 6;
const GSS_DATA: u32 = 0;
const GSS_INTEGRITY: u32 = 2;
const GSS_PRIVACY: u32 = 3;
/// Bytes of a file handle of version 2.
const HANDLE_2_BYTES: usize = 32;

/// One call, as far as it was captured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NfsCall {
    pub xid: u32,
    pub version: u32,
    pub procedure: u32,
    /// Of version 4; missing where it is encrypted or cut.
    pub minor: Option<u32>,
    pub operation: Operation,
    pub file: Option<u64>,
    pub offset: Option<u64>,
    /// Requested.
    pub bytes: Option<u64>,
    pub closes: bool,
    pub wrapping: Wrapping,
    /// All bytes of its record.
    pub record_bytes: u64,
}

/// What RPCSEC_GSS makes of arguments and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapping {
    None,
    /// Behind a length and a number (krb5i).
    Signed,
    /// Not to be read (krb5p).
    Encrypted,
}

/// What begins behind the words "call" of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parsed {
    Call(NfsCall),
    /// A call of another program: of the server to its client, or of another service on the port.
    OfAnotherProgram,
    /// Its head is not all there.
    Cut,
    Malformed,
}

/// Reads a call behind its number and kind.
pub fn call(xid: u32, body: &[u8], record_bytes: u64) -> Parsed {
    let mut rest = Reader::of(body);
    let Some((rpc, program, version, procedure)) = head(&mut rest) else {
        return Parsed::Cut;
    };
    if rpc != RPC_VERSION {
        return Parsed::Malformed;
    }
    if program != PROGRAM {
        return Parsed::OfAnotherProgram;
    }
    let mut call = NfsCall {
        xid,
        version,
        procedure,
        minor: None,
        operation: operations::procedure(version, procedure),
        file: None,
        offset: None,
        bytes: None,
        closes: false,
        wrapping: Wrapping::None,
        record_bytes,
    };
    let Some(wrapping) = credentials(&mut rest) else {
        return Parsed::Call(call);
    };
    call.wrapping = wrapping;
    let is_there = match wrapping {
        Wrapping::None => true,
        Wrapping::Signed => rest.skip(8).is_some(),
        Wrapping::Encrypted => false,
    };
    if is_there && procedure != 0 {
        match version {
            2 => _ = arguments_2(&mut call, &mut rest),
            3 => _ = arguments_3(&mut call, &mut rest),
            _ => arguments_4(&mut call, &rest),
        }
    }
    Parsed::Call(call)
}

/// Versions of RPC and of the program, and which procedure.
fn head(rest: &mut Reader<'_>) -> Option<(u32, u32, u32, u32)> {
    Some((rest.u32()?, rest.u32()?, rest.u32()?, rest.u32()?))
}

/// Reads credentials and verifier.
fn credentials(rest: &mut Reader<'_>) -> Option<Wrapping> {
    let kind = rest.u32()?;
    let body = rest.opaque()?;
    rest.skip(4)?;
    rest.opaque()?;
    (body.len() <= AUTHENTICATION_BYTES_MAX as usize).then_some(())?;
    if kind != GSS {
        return Some(Wrapping::None);
    }
    let mut body = Reader::of(body);
    let (_, procedure, _, service) = head(&mut body)?;
    Some(match (procedure, service) {
        (GSS_DATA, GSS_INTEGRITY) => Wrapping::Signed,
        (GSS_DATA, GSS_PRIVACY) => Wrapping::Encrypted,
        _ => Wrapping::None,
    })
}

fn arguments_2(call: &mut NfsCall, rest: &mut Reader<'_>) -> Option<()> {
    call.file = Some(spread(rest.rest().get(..HANDLE_2_BYTES)?));
    rest.skip(HANDLE_2_BYTES)?;
    match call.operation.name {
        "READ" => {
            call.offset = Some(rest.u32()?.into());
            call.bytes = Some(rest.u32()?.into());
        }
        "WRITE" => {
            rest.skip(4)?;
            call.offset = Some(rest.u32()?.into());
            rest.skip(4)?;
            call.bytes = Some(rest.u32()?.into());
        }
        _ => {}
    }
    Some(())
}

fn arguments_3(call: &mut NfsCall, rest: &mut Reader<'_>) -> Option<()> {
    call.file = Some(spread(rest.opaque()?));
    if matches!(call.operation.name, "READ" | "WRITE") {
        call.offset = Some(rest.u64()?);
        call.bytes = Some(rest.u32()?.into());
    }
    Some(())
}

fn arguments_4(call: &mut NfsCall, rest: &Reader<'_>) {
    if let Some(requested) = compound::requested(rest.rest()) {
        call.minor = Some(requested.minor);
        call.operation = requested.operation;
        call.file = requested.file;
        call.offset = requested.offset;
        call.bytes = requested.bytes;
        call.closes = requested.closes;
    }
}
