//! What does a call of ONC RPC look like (RFC 5531)? Its head, room for what a procedure takes, and data that is sent from where it lies.

use super::buffers::Part;
use super::gss::RPCSEC_GSS;
use super::gss::tokens::MIC_BYTES;
use super::xdr::{padding, put_opaque, put_u32, put_u64};

/// What is written before the length of the message is known.
const MARK: [u8; 4] = [0; 4];
/// Where the numbers of the message and of the procedure stand.
const XID_AT: usize = 4;
const PROCEDURE_AT: usize = 24;
/// Where the credential stands: its flavor, its length, itself; and in one of RPCSEC_GSS the number of the call (RFC 2203, 5.3.1).
const CREDENTIAL_AT: usize = 28;
const CREDENTIAL_BODY_AT: usize = CREDENTIAL_AT + 8;
const SEQUENCE_AT: usize = CREDENTIAL_BODY_AT + 8;
/// The last fragment of a message (RFC 5531, chapter 11).
const LAST_FRAGMENT: u32 = 1 << 31;
/// Program of NFS.
pub const NFS: u32 = 100_003;

/// The protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// COMPOUND of NFS 4 with this minor version.
    Compound { minor: u32 },
    /// One procedure for each call: NFS 3, MOUNT, the portmapper.
    Procedures { program: u32, version: u32 },
}

impl Protocol {
    /// Program and version.
    pub fn program(self) -> (u32, u32) {
        match self {
            Protocol::Compound { .. } => (NFS, 4),
            Protocol::Procedures { program, version } => (program, version),
        }
    }
}

/// A request in the making.
#[derive(Debug)]
pub struct Call {
    pub(super) bytes: Vec<u8>,
    /// Where the number of operations stands, for a COMPOUND.
    count_at: Option<usize>,
    pub(super) count: u32,
    /// Where the number of the slot's request stands, when the call belongs to a session.
    pub(super) sequence_at: Option<usize>,
    /// The server lets a client of NFS 4.0 live on that sends it (RFC 7530, 9.5).
    pub(super) renews_lease: bool,
    /// Data of a WRITE that is sent without a copy, at this position of `bytes`.
    payload: Option<(usize, Part)>,
    /// Its number in a context of RPCSEC_GSS, until it is sealed.
    to_seal: Option<u32>,
    /// Where the verifier stands.
    verifier_at: usize,
}

impl Call {
    /// Begins a call in `bytes`, which may have been used before. The procedure of [`Protocol::Procedures`] follows by [`Call::procedure`].
    pub fn begin(bytes: Vec<u8>, credential: &[u8], protocol: Protocol) -> Call {
        const AUTH_SYS: u32 = 1;
        // AUTH_NONE for what the server would verify.
        Call::begin_as(bytes, (AUTH_SYS, credential), (0, 0), protocol)
    }

    /// The same by a credential that begins a context of RPCSEC_GSS.
    pub fn begin_context(bytes: Vec<u8>, credential: &[u8], protocol: Protocol) -> Call {
        Call::begin_as(bytes, (RPCSEC_GSS, credential), (0, 0), protocol)
    }

    /// The same in a context, with room for its verifier: [`Call::number_in_context`] follows, and the sealing.
    pub fn begin_secured(bytes: Vec<u8>, credential: &[u8], protocol: Protocol) -> Call {
        let verifier = (RPCSEC_GSS, MIC_BYTES);
        Call::begin_as(bytes, (RPCSEC_GSS, credential), verifier, protocol)
    }

    fn begin_as(
        mut bytes: Vec<u8>,
        (flavor, credential): (u32, &[u8]),
        (verifier_flavor, verifier_bytes): (u32, usize),
        protocol: Protocol,
    ) -> Call {
        const COMPOUND: u32 = 1;
        let (program, version) = protocol.program();
        let procedure = match protocol {
            Protocol::Compound { .. } => COMPOUND,
            Protocol::Procedures { .. } => 0,
        };
        bytes.clear();
        bytes.extend_from_slice(&MARK);
        // Number of the message, CALL, version of RPC.
        for number in [0, 0, 2, program, version, procedure, flavor] {
            put_u32(&mut bytes, number);
        }
        put_opaque(&mut bytes, credential);
        let verifier_at = bytes.len();
        for number in [verifier_flavor, verifier_bytes as u32] {
            put_u32(&mut bytes, number);
        }
        bytes.resize(bytes.len() + verifier_bytes, 0);
        let mut count_at = None;
        if let Protocol::Compound { minor } = protocol {
            // No tag, minor version, number of operations.
            [0, minor]
                .into_iter()
                .for_each(|number| put_u32(&mut bytes, number));
            count_at = Some(bytes.len());
            put_u32(&mut bytes, 0);
        }
        Call {
            bytes,
            count_at,
            count: 0,
            sequence_at: None,
            renews_lease: false,
            payload: None,
            to_seal: None,
            verifier_at,
        }
    }

    /// Its number in its context.
    pub fn number_in_context(&mut self, sequence: u32) {
        self.patch(SEQUENCE_AT, sequence);
        self.to_seal = Some(sequence);
    }

    /// Its number in its context, when it is not sealed yet.
    pub fn sequence_to_seal(&self) -> Option<u32> {
        self.to_seal
    }

    fn arguments_at(&self) -> usize {
        self.verifier_at + 8 + MIC_BYTES
    }

    /// What follows the head of a call in a context: before the payload, the payload, after it.
    pub fn arguments(&self) -> (&[u8], Option<Part>, &[u8]) {
        let (head, payload, tail) = self.parts();
        (&head[self.arguments_at()..], payload, tail)
    }

    /// Replaces all arguments by `body`, which contains the payload.
    pub fn replace_arguments(&mut self, body: &[u8]) {
        self.payload = None;
        self.bytes.truncate(self.arguments_at());
        self.bytes.extend_from_slice(body);
        let length = (self.bytes.len() - MARK.len()) as u32;
        self.patch(0, LAST_FRAGMENT | length);
    }

    /// Fills in the verifier: what `sign` makes of the head from the number of the message to the end of the credential (RFC 2203, 5.3.1).
    pub fn sign_head(&mut self, sign: impl FnOnce(&[u8]) -> [u8; MIC_BYTES]) {
        let verifier = sign(&self.bytes[XID_AT..self.verifier_at]);
        let at = self.verifier_at + 8;
        self.bytes[at..at + MIC_BYTES].copy_from_slice(&verifier);
        self.to_seal = None;
    }

    /// Finishes the call: its XID, and its slot in the session.
    pub fn finish(&mut self, xid: u32, slot: u32, highest_slot: u32, sequence: u32) {
        let length = (self.wire_bytes() - MARK.len()) as u32;
        self.patch(0, LAST_FRAGMENT | length);
        self.patch(XID_AT, xid);
        if let Some(at) = self.count_at {
            self.patch(at, self.count);
        }
        if let Some(at) = self.sequence_at {
            self.patch(at, sequence);
            self.patch(at + 4, slot);
            self.patch(at + 8, highest_slot);
        }
    }

    /// Which procedure is called.
    pub fn procedure(&mut self, number: u32) {
        self.patch(PROCEDURE_AT, number);
    }

    fn patch(&mut self, at: usize, number: u32) {
        self.bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
    }

    /// Bytes on the wire.
    pub fn wire_bytes(&self) -> usize {
        self.bytes.len() + self.payload.map_or(0, |(_, part)| part.len as usize)
    }

    /// The bytes before the payload, the payload, the bytes after it.
    pub fn parts(&self) -> (&[u8], Option<Part>, &[u8]) {
        match self.payload {
            Some((at, part)) => (&self.bytes[..at], Some(part), &self.bytes[at..]),
            None => (&self.bytes, None, &[]),
        }
    }

    /// Its number, once it is finished.
    pub fn xid(&self) -> u32 {
        let bytes = self.bytes.get(XID_AT..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
    }

    /// Its memory, for another call.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// True when it belongs to a session.
    pub fn is_sequenced(&self) -> bool {
        self.sequence_at.is_some()
    }

    /// Appends numbers of 32 bits.
    pub fn numbers(&mut self, numbers: &[u32]) {
        numbers
            .iter()
            .for_each(|number| put_u32(&mut self.bytes, *number));
    }

    /// Appends a number of 64 bits.
    pub fn long(&mut self, number: u64) {
        put_u64(&mut self.bytes, number);
    }

    /// Appends a byte string of any length.
    pub fn opaque(&mut self, bytes: &[u8]) {
        put_opaque(&mut self.bytes, bytes);
    }

    /// Appends bytes of a known length.
    pub fn fixed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends data that lies at `part` when the call is sent; its length stands before it already. At most once for each call.
    pub fn payload(&mut self, part: Part) {
        self.payload = Some((self.bytes.len(), part));
        self.bytes
            .resize(self.bytes.len() + padding(part.len as usize), 0);
    }
}
