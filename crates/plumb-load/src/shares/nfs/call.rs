//! What does a request of NFS 4 look like? The operations of a COMPOUND (RFC 8881, chapters 16 and 18; for 4.0 RFC 7530, chapter 16), in the order of its results.

use super::buffers::Part;
use super::message::Call;
use super::xdr::{put_opaque, put_u32, put_u64};

/// Numbers of operations (`nfs_opnum4`).
pub mod op {
    pub const CLOSE: u32 = 4;
    pub const COMMIT: u32 = 5;
    pub const CREATE: u32 = 6;
    pub const DELEGRETURN: u32 = 8;
    pub const GETATTR: u32 = 9;
    pub const GETFH: u32 = 10;
    pub const LOOKUP: u32 = 15;
    pub const OPEN: u32 = 18;
    pub const OPEN_CONFIRM: u32 = 20;
    pub const PUTFH: u32 = 22;
    pub const PUTROOTFH: u32 = 24;
    pub const READ: u32 = 25;
    pub const READDIR: u32 = 26;
    pub const REMOVE: u32 = 28;
    pub const RENAME: u32 = 29;
    pub const RENEW: u32 = 30;
    pub const SAVEFH: u32 = 32;
    pub const SECINFO: u32 = 33;
    pub const SETATTR: u32 = 34;
    pub const SETCLIENTID: u32 = 35;
    pub const SETCLIENTID_CONFIRM: u32 = 36;
    pub const WRITE: u32 = 38;
    pub const EXCHANGE_ID: u32 = 42;
    pub const CREATE_SESSION: u32 = 43;
    pub const DESTROY_SESSION: u32 = 44;
    pub const SECINFO_NO_NAME: u32 = 52;
    pub const SEQUENCE: u32 = 53;
    pub const DESTROY_CLIENTID: u32 = 57;
    pub const RECLAIM_COMPLETE: u32 = 58;
}

/// Bits of requested attributes (`fattr4`, chapter 5): type, size, lease time, largest read and write, room.
pub mod attribute {
    pub const TYPE: u64 = 1 << 1;
    pub const SIZE: u64 = 1 << 4;
    pub const LEASE_TIME: u64 = 1 << 10;
    pub const MAXREAD: u64 = 1 << 30;
    pub const MAXWRITE: u64 = 1 << 31;
    pub const MODE: u64 = 1 << 33;
    pub const SPACE_AVAIL: u64 = 1 << 42;
    pub const SPACE_TOTAL: u64 = 1 << 44;
    pub const TIME_MODIFY: u64 = 1 << 53;
}

/// What a file or folder is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileHandle {
    len: u8,
    bytes: [u8; FileHandle::MAX],
}

impl FileHandle {
    /// NFS4_FHSIZE.
    pub const MAX: usize = 128;

    /// `None` when it is longer than the protocol allows.
    pub fn new(handle: &[u8]) -> Option<FileHandle> {
        let mut bytes = [0; FileHandle::MAX];
        bytes.get_mut(..handle.len())?.copy_from_slice(handle);
        Some(FileHandle {
            len: handle.len() as u8,
            bytes,
        })
    }

    /// What the server gave.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// What an open file is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateId(pub [u8; 16]);

impl StateId {
    /// Of a file in NFS 3, which knows nothing open.
    pub const NONE: StateId = StateId([0; 16]);
    /// That of the OPEN in the same COMPOUND (16.2.3.1.2); not in NFS 4.0.
    pub const CURRENT: StateId = StateId([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// Whether data must be on stable storage before the answer (`stable_how4`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Stability {
    /// A COMMIT follows.
    Unstable = 0,
    DataSync = 1,
    FileSync = 2,
}

/// What an OPEN is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Access {
    Read = 1,
    Write = 2,
    Both = 3,
}

/// Who opens a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opener {
    pub client: u64,
    /// A number that only one open file of the client has.
    pub owner: u64,
    /// Number of this operation of the owner, in NFS 4.0; missing in later versions, whose sessions count requests.
    pub sequence: Option<u32>,
}

/// How an OPEN finds its file.
#[derive(Debug, Clone, Copy)]
pub enum Opening<'a> {
    /// It exists, in the current folder.
    Existing(&'a str),
    /// It is made, and must not exist.
    New(&'a str),
    /// It was open before the server was started again; the current file.
    Reclaimed,
}

impl Call {
    /// The call belongs to a session, as its first operation declares.
    pub fn sequence(&mut self, session: &[u8; 16]) {
        self.operation(op::SEQUENCE);
        self.fixed(session);
        self.sequence_at = Some(self.bytes.len());
        // Number of the request, slot, highest slot; the answer need not be kept for another time.
        self.numbers(&[0, 0, 0, 0]);
    }

    fn operation(&mut self, number: u32) {
        self.count += 1;
        put_u32(&mut self.bytes, number);
    }

    fn name(&mut self, name: &str) {
        put_opaque(&mut self.bytes, name.as_bytes());
    }

    /// A set of attributes, as `bitmap4`.
    fn attributes(&mut self, set: u64) {
        self.numbers(&[2, set as u32, (set >> 32) as u32]);
    }

    /// The root of everything that the server offers becomes the current folder.
    pub fn put_root(&mut self) {
        self.operation(op::PUTROOTFH);
    }

    /// This becomes the current file or folder.
    pub fn put(&mut self, handle: &FileHandle) {
        self.operation(op::PUTFH);
        put_opaque(&mut self.bytes, handle.as_bytes());
    }

    /// The current folder is kept: a RENAME takes the file from it.
    pub fn save(&mut self) {
        self.operation(op::SAVEFH);
    }

    /// A name in the current folder becomes current.
    pub fn look_up(&mut self, name: &str) {
        self.operation(op::LOOKUP);
        self.name(name);
    }

    /// Asks for the handle of what is current.
    pub fn get_handle(&mut self) {
        self.operation(op::GETFH);
    }

    /// Asks for attributes of what is current.
    pub fn get_attributes(&mut self, set: u64) {
        self.operation(op::GETATTR);
        self.attributes(set);
    }

    /// Asks how a user may prove who he is on the current folder, which is current no more.
    pub fn security(&mut self) {
        self.operation(op::SECINFO_NO_NAME);
        self.numbers(&[0]);
    }

    /// Asks the same of a name in the current folder, in NFS 4.0.
    pub fn security_of(&mut self, name: &str) {
        self.operation(op::SECINFO);
        self.name(name);
    }

    /// Opens a file for an owner.
    pub fn open(&mut self, opening: Opening<'_>, access: Access, opener: Opener) {
        /// OPEN4_SHARE_ACCESS_WANT_NO_DELEG, unknown to NFS 4.0: there is no back channel for a recall.
        const NO_DELEGATION: u32 = 0x400;
        const RW_R__R__: u32 = 0o644;
        let (sequence, want_delegation) = match opener.sequence {
            Some(sequence) => (sequence, 0),
            None => (0, NO_DELEGATION),
        };
        self.renews_lease = true;
        self.operation(op::OPEN);
        self.numbers(&[sequence, access as u32 | want_delegation, 0]);
        put_u64(&mut self.bytes, opener.client);
        put_opaque(&mut self.bytes, &opener.owner.to_be_bytes());
        match opening {
            // OPEN4_NOCREATE, CLAIM_NULL.
            Opening::Existing(name) => {
                self.numbers(&[0, 0]);
                self.name(name);
            }
            // OPEN4_CREATE, GUARDED4, the mode, CLAIM_NULL.
            Opening::New(name) => {
                self.numbers(&[1, 1]);
                self.attributes(attribute::MODE);
                put_opaque(&mut self.bytes, &RW_R__R__.to_be_bytes());
                self.numbers(&[0]);
                self.name(name);
            }
            // OPEN4_NOCREATE, CLAIM_PREVIOUS, without a delegation.
            Opening::Reclaimed => self.numbers(&[0, 1, 0]),
        }
    }

    /// Confirms the owner of the current file, if the server requires it (NFS 4.0). `sequence`: the number of this operation of the owner.
    pub fn open_confirm(&mut self, state: StateId, sequence: u32) {
        self.renews_lease = true;
        self.operation(op::OPEN_CONFIRM);
        self.bytes.extend_from_slice(&state.0);
        self.numbers(&[sequence]);
    }

    /// Gives a delegation of the current file back.
    pub fn return_delegation(&mut self, delegation: StateId) {
        self.renews_lease = true;
        self.operation(op::DELEGRETURN);
        self.bytes.extend_from_slice(&delegation.0);
    }

    /// Closes the current file. `sequence`: the number of this operation of the owner in NFS 4.0, else 0.
    pub fn close(&mut self, state: StateId, sequence: u32) {
        self.renews_lease = true;
        self.operation(op::CLOSE);
        self.numbers(&[sequence]);
        self.bytes.extend_from_slice(&state.0);
    }

    /// Reads from the current file.
    pub fn read(&mut self, state: StateId, offset: u64, len: u32) {
        self.renews_lease = true;
        self.operation(op::READ);
        self.bytes.extend_from_slice(&state.0);
        put_u64(&mut self.bytes, offset);
        self.numbers(&[len]);
    }

    /// Writes to the current file what lies at `part` when the call is sent. At most one for each call.
    pub fn write(&mut self, state: StateId, offset: u64, stability: Stability, part: Part) {
        self.renews_lease = true;
        self.operation(op::WRITE);
        self.bytes.extend_from_slice(&state.0);
        put_u64(&mut self.bytes, offset);
        self.numbers(&[stability as u32, part.len]);
        self.payload(part);
    }

    /// Brings what was written to the current file to stable storage.
    pub fn commit(&mut self) {
        self.operation(op::COMMIT);
        // Offset and length 0: all of it.
        self.numbers(&[0, 0, 0]);
    }

    /// Makes a folder in the current one; it becomes current.
    pub fn make_folder(&mut self, name: &str) {
        const NF4DIR: u32 = 2;
        const RWXR_XR_X: u32 = 0o755;
        self.operation(op::CREATE);
        self.numbers(&[NF4DIR]);
        self.name(name);
        self.attributes(attribute::MODE);
        put_opaque(&mut self.bytes, &RWXR_XR_X.to_be_bytes());
    }

    /// Sets the length of the current file.
    pub fn set_size(&mut self, state: StateId, size: u64) {
        self.operation(op::SETATTR);
        self.bytes.extend_from_slice(&state.0);
        self.attributes(attribute::SIZE);
        put_opaque(&mut self.bytes, &size.to_be_bytes());
    }

    /// Removes a name from the current folder.
    pub fn remove(&mut self, name: &str) {
        self.operation(op::REMOVE);
        self.name(name);
    }

    /// Renames, from the saved folder to the current one.
    pub fn rename(&mut self, from: &str, to: &str) {
        self.operation(op::RENAME);
        self.name(from);
        self.name(to);
    }

    /// Lists the current folder from a cookie on; start with 0 and zeros.
    pub fn list(&mut self, cookie: u64, verifier: [u8; 8], answer_bytes: u32, set: u64) {
        self.operation(op::READDIR);
        put_u64(&mut self.bytes, cookie);
        self.bytes.extend_from_slice(&verifier);
        self.numbers(&[answer_bytes, answer_bytes]);
        self.attributes(set);
    }

    /// Introduces the client to NFS 4.0 by a name that nobody else has, and a number that changes when it forgets what it had open.
    pub fn set_client(&mut self, name: &[u8], verifier: [u8; 8]) {
        /// A number that a server would call back by, if there was an address to do so.
        const CALLBACK_PROGRAM: u32 = 0x4000_0000;
        self.operation(op::SETCLIENTID);
        self.bytes.extend_from_slice(&verifier);
        put_opaque(&mut self.bytes, name);
        self.numbers(&[CALLBACK_PROGRAM]);
        // Host and port 0 (RFC 5665, 5.2.3.3): nobody listens, so that the server grants no delegation.
        put_opaque(&mut self.bytes, b"tcp");
        put_opaque(&mut self.bytes, b"0.0.0.0.0.0");
        // What the server would call the client by.
        self.numbers(&[0]);
    }

    /// Confirms the introduction, with what the server answered to it.
    pub fn confirm_client(&mut self, client: u64, verifier: [u8; 8]) {
        self.operation(op::SETCLIENTID_CONFIRM);
        put_u64(&mut self.bytes, client);
        self.bytes.extend_from_slice(&verifier);
    }

    /// The server is not to forget the client of NFS 4.0.
    pub fn renew(&mut self, client: u64) {
        self.renews_lease = true;
        self.operation(op::RENEW);
        put_u64(&mut self.bytes, client);
    }

    /// Introduces the client by a name that nobody else has, and a number that changes when it forgets what it had open.
    pub fn exchange_id(&mut self, name: &[u8], verifier: [u8; 8]) {
        self.operation(op::EXCHANGE_ID);
        self.bytes.extend_from_slice(&verifier);
        put_opaque(&mut self.bytes, name);
        // EXCHGID4_FLAG_USE_NON_PNFS: data comes from this server. No protection of state, no word on the implementation.
        self.numbers(&[0x0001_0000, 0, 0]);
    }

    /// Asks for a session with so many slots and messages of so many bytes.
    pub fn create_session(&mut self, client: u64, sequence: u32, slots: u32, message_bytes: u32) {
        /// Operations in one COMPOUND.
        const OPERATIONS: u32 = 16;
        /// A number that a server would call back by; it has no channel to do so.
        const CALLBACK_PROGRAM: u32 = 0x4000_0000;
        self.operation(op::CREATE_SESSION);
        put_u64(&mut self.bytes, client);
        self.numbers(&[sequence, 0]);
        // Padding, largest request, answer and kept answer, operations, slots, no RDMA: there, and back.
        self.numbers(&[0, message_bytes, message_bytes, 4096, OPERATIONS, slots, 0]);
        self.numbers(&[0, 4096, 4096, 0, 2, 1, 0]);
        // One way of proving oneself on the channel back: AUTH_NONE.
        self.numbers(&[CALLBACK_PROGRAM, 1, 0]);
    }

    /// There is nothing (any more) that was open before the server was started.
    pub fn reclaim_complete(&mut self) {
        self.operation(op::RECLAIM_COMPLETE);
        self.numbers(&[0]);
    }

    /// Ends a session; outside of it.
    pub fn destroy_session(&mut self, session: &[u8; 16]) {
        self.operation(op::DESTROY_SESSION);
        self.bytes.extend_from_slice(session);
    }

    /// The server may forget the client.
    pub fn destroy_client(&mut self, client: u64) {
        self.operation(op::DESTROY_CLIENTID);
        put_u64(&mut self.bytes, client);
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::Protocol;
    use super::*;

    /// What stands on the wire behind the head of a COMPOUND of NFS 4.0.
    fn operations(build: impl Fn(&mut Call)) -> Vec<u8> {
        let begin = || Call::begin(Vec::new(), &[], Protocol::Compound { minor: 0 });
        let head = begin().bytes.len();
        let mut call = begin();
        build(&mut call);
        assert_eq!((call.count, call.is_sequenced()), (1, false));
        call.bytes.split_off(head)
    }

    /// Words of four bytes.
    fn words(numbers: &[u32]) -> Vec<u8> {
        let bytes = numbers.iter().flat_map(|number| number.to_be_bytes());
        bytes.collect()
    }

    const CLIENT: u64 = 0x1122_3344_5566_7788;
    const STATE: StateId = StateId(*b"0123456789abcdef");

    /// The argument structures of RFC 7530 (16.33.3, 16.34.3, 16.28.3, 16.18.3, 16.2.3, 16.6.3, 16.31.3), and RFC 7531 for the numbers.
    #[test]
    fn operations_of_nfs_4_0_stand_on_the_wire_as_the_standard_says() {
        let state = |number: u32, before: &[u32], after: &[u32]| {
            [
                words(&[number]),
                words(before),
                STATE.0.to_vec(),
                words(after),
            ]
            .concat()
        };
        let set_client = [
            words(&[35]),
            // nfs_client_id4: verifier, name; cb_client4: program, netid, universal address; callback_ident.
            b"verifier".to_vec(),
            words(&[5]),
            b"plumb\0\0\0".to_vec(),
            words(&[0x4000_0000, 3]),
            b"tcp\0".to_vec(),
            words(&[11]),
            b"0.0.0.0.0.0\0".to_vec(),
            words(&[0]),
        ];
        assert_eq!(
            operations(|call| call.set_client(b"plumb", *b"verifier")),
            set_client.concat()
        );
        let client = words(&[0x1122_3344, 0x5566_7788]);
        assert_eq!(
            operations(|call| call.confirm_client(CLIENT, *b"confirms")),
            [words(&[36]), client.clone(), b"confirms".to_vec()].concat()
        );
        assert_eq!(
            operations(|call| call.renew(CLIENT)),
            [words(&[30]), client].concat()
        );
        assert_eq!(
            operations(|call| call.open_confirm(STATE, 6)),
            state(20, &[], &[6])
        );
        assert_eq!(operations(|call| call.close(STATE, 7)), state(4, &[7], &[]));
        assert_eq!(
            operations(|call| call.return_delegation(STATE)),
            state(8, &[], &[])
        );
        assert_eq!(
            operations(|call| call.security_of("data")),
            [words(&[33, 4]), b"data".to_vec()].concat()
        );
    }

    /// OPEN4args (RFC 7530, 16.16.3): seqid, share_access without a wish, share_deny, owner, openhow, claim.
    #[test]
    fn an_open_of_nfs_4_0_has_the_number_of_its_owner_and_no_wish_for_delegations() {
        let opener = Opener {
            client: CLIENT,
            owner: 9,
            sequence: Some(5),
        };
        let head = [18, 5, 3, 0, 0x1122_3344, 0x5566_7788, 8, 0, 9];
        let open = |opening| operations(|call| call.open(opening, Access::Both, opener));
        assert_eq!(
            open(Opening::Existing("file")),
            [words(&head), words(&[0, 0, 4]), b"file".to_vec()].concat()
        );
        // GUARDED4 with the mode, attribute 33.
        let made = words(&[1, 1, 2, 0, 2, 4, 0o644, 0, 4]);
        assert_eq!(
            open(Opening::New("file")),
            [words(&head), made, b"file".to_vec()].concat()
        );
        assert_eq!(
            open(Opening::Reclaimed),
            [words(&head), words(&[0, 1, 0])].concat()
        );
        // From NFS 4.1 on the number is 0, and no delegation is wanted (RFC 8881, 18.16.1).
        let later = Opener {
            sequence: None,
            ..opener
        };
        let bytes = operations(|call| call.open(Opening::Reclaimed, Access::Both, later));
        assert_eq!(bytes[4..12], words(&[0, 0x403])[..]);
    }
}
