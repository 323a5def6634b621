//! What does a call of ONC RPC look like (RFC 5531)? Its head, room for what a procedure takes, and data that is sent from where it lies.

use super::buffers::Part;
use super::xdr::{padding, put_opaque, put_u32, put_u64};

/// What is written before the length of the message is known.
const MARK: [u8; 4] = [0; 4];
/// Where the numbers of the message and of the procedure stand.
const XID_AT: usize = 4;
const PROCEDURE_AT: usize = 24;
/// The last fragment of a message (RFC 5531, chapter 11).
const LAST_FRAGMENT: u32 = 1 << 31;
/// Program of NFS.
pub const NFS: u32 = 100_003;

/// What is spoken over a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// COMPOUND of NFS 4 with this minor version.
    Compound { minor: u32 },
    /// One procedure for each call: NFS 3, MOUNT, the portmapper.
    Procedures { program: u32, version: u32 },
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
    /// Data of a WRITE that is sent from where it lies, at this place of `bytes`.
    payload: Option<(usize, Part)>,
}

impl Call {
    /// Begins a call in `bytes`, which may have been used before. The procedure of [`Protocol::Procedures`] follows by [`Call::procedure`].
    pub fn begin(mut bytes: Vec<u8>, credential: &[u8], protocol: Protocol) -> Call {
        const COMPOUND: u32 = 1;
        /// AUTH_SYS, and AUTH_NONE for what the server would verify.
        const AUTH_SYS: u32 = 1;
        let (program, version, procedure) = match protocol {
            Protocol::Compound { .. } => (NFS, 4, COMPOUND),
            Protocol::Procedures { program, version } => (program, version, 0),
        };
        bytes.clear();
        bytes.extend_from_slice(&MARK);
        // Number of the message, CALL, version of RPC.
        for number in [0, 0, 2, program, version, procedure, AUTH_SYS] {
            put_u32(&mut bytes, number);
        }
        put_opaque(&mut bytes, credential);
        // No verifier.
        for number in [0, 0] {
            put_u32(&mut bytes, number);
        }
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
        }
    }

    /// Ends the call: its number, and its place in the session.
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
        self.bytes.len() + self.payload.map_or(0, |(_, place)| place.len as usize)
    }

    /// The bytes before the payload, the payload, the bytes after it.
    pub fn parts(&self) -> (&[u8], Option<Part>, &[u8]) {
        match self.payload {
            Some((at, place)) => (&self.bytes[..at], Some(place), &self.bytes[at..]),
            None => (&self.bytes, None, &[]),
        }
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

    /// Appends data that lies at `place` when the call is sent; its length stands before it already. At most once for each call.
    pub fn payload(&mut self, place: Part) {
        self.payload = Some((self.bytes.len(), place));
        self.bytes
            .resize(self.bytes.len() + padding(place.len as usize), 0);
    }
}
