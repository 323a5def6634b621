//! How does plumb become a client of an NFS server? By the highest version that both support; then one request at a time, or many through the connection.

mod lease;
mod listing;
mod security;
pub mod survey;
mod version3;
mod version4;
mod version4_0;
mod versions;

use std::hash::{BuildHasher, Hasher};

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{EngineChoice, NfsSecurity, NfsVersion};

use super::buffers::{Blocks, Part};
use super::call::{Access, FileHandle, Opening, Stability, StateId};
use super::connection::{Answer, Connection};
use super::exchange::await_answer;
use super::message::{Call, Protocol};
use super::open_owner::OpenOwner;
use super::reach::{credential, reach};
use super::refusal::{error, unreachable};
use super::results::{Attributes, Failure, Written};
use super::version3::{calls, mount};
use crate::engine::statement_of_error;
use crate::engine::stop_request::StopRequest;
use crate::share::ShareError;
use lease::Lease;
pub use security::{flavor_name, of_flavor};

/// Maximum data of one READ or WRITE without a session limit, as Linux has it for its mounts (NFS_MAX_FILE_IO_SIZE).
const DATA_MAX_BYTES: u32 = 1 << 20;
/// The owner that opens files one at a time; other owners have smaller numbers.
const FILE_OWNER: u32 = u32::MAX;
/// Bytes of a message: 1 MiB of data is what most servers allow, and a little is needed around it.
const MESSAGE_BYTES: u32 = (1 << 20) + 4096;

/// What the server allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Data of one READ and one WRITE.
    pub read_max_bytes: u32,
    pub write_max_bytes: u32,
    /// Requests in flight.
    pub slots: u32,
    /// Missing: not reported by the server.
    pub lease_s: Option<u32>,
}

/// What the user requested.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    pub version: NfsVersion,
    /// The user's security flavor.
    pub security: NfsSecurity,
    /// Port of MOUNT, for NFS 3; missing: to be looked up.
    pub mount_port: Option<u16>,
    /// Once it is made, a server that does not answer is not waited for.
    pub stop: StopRequest,
}

impl ConnectOptions {
    /// Of these options.
    pub fn of(choice: &EngineChoice, stop: &StopRequest) -> ConnectOptions {
        ConnectOptions {
            stop: stop.clone(),
            version: choice.nfs,
            security: choice.nfs_security,
            mount_port: Some(choice.mount_port).filter(|port| *port != 0),
        }
    }
}

/// A client, with a session where the version has one.
#[derive(Debug)]
pub struct Client {
    remote: Remote,
    options: ConnectOptions,
    /// The client's name.
    name: String,
    /// Who a Kerberos ticket is for, and how it is used; missing: the user is known by number.
    principal: Option<(NfsSecurity, String)>,
    /// The version in use, never [`NfsVersion::Auto`].
    version: NfsVersion,
    connection: Connection,
    /// Number of the client in NFS 4.
    client: u64,
    limits: Limits,
    /// Who opens files in NFS 4.0, and what keeps the lease there.
    owner: OpenOwner,
    lease: Option<Lease>,
    server: Option<String>,
    /// Number by which the server knows the user.
    user: u32,
    privileged_port: bool,
    /// Port of NFS.
    port: u16,
    /// The first part of the address's path, or the root when there is none. In NFS 3 the export, even if its path has more parts, `above`.
    root: FileHandle,
    /// Names between the first part of the address's path and the export.
    above: Vec<String>,
    /// What MOUNT of NFS 3 reported of exports and of security flavors.
    exports: Vec<String>,
    flavors: Vec<u32>,
    /// The server has no READDIRPLUS.
    lists_plain: bool,
    /// For questions that move no data.
    none: Blocks,
}

impl Client {
    /// A connection to the server, before the first message.
    fn reach(
        remote: &Remote,
        options: ConnectOptions,
        port: u16,
        protocol: Protocol,
    ) -> Result<Client, ShareError> {
        let (user, credential) = credential(remote)?;
        let at_port = Remote {
            port: Some(port),
            ..remote.clone()
        };
        let (stream, privileged_port) = reach(&at_port, &options.stop)?;
        let none =
            Blocks::own(1, 1).map_err(|error| unreachable(remote, statement_of_error(&error)))?;
        let no_handle = || unreachable(remote, Statement::new("nfs-no-handle"));
        let root = FileHandle::new(&[]).ok_or_else(no_handle)?;
        let limits = Limits {
            read_max_bytes: 4096,
            write_max_bytes: 4096,
            slots: 1,
            lease_s: None,
        };
        let mut connection = Connection::new(stream, credential, protocol);
        connection.set_stop(&options.stop);
        Ok(Client {
            remote: remote.clone(),
            version: options.version,
            options,
            name: String::new(),
            principal: None,
            connection,
            client: 0,
            limits,
            owner: OpenOwner::new(FILE_OWNER),
            lease: None,
            server: None,
            user,
            privileged_port,
            port,
            root,
            above: Vec::new(),
            exports: Vec::new(),
            flavors: Vec::new(),
            lists_plain: false,
            none,
        })
    }

    /// The protocol version in use.
    pub fn version(&self) -> NfsVersion {
        self.version
    }

    /// The options with the negotiated version, for reconnecting.
    pub fn agreed(&self) -> ConnectOptions {
        ConnectOptions {
            version: self.version,
            security: self.security(),
            ..self.options.clone()
        }
    }

    fn is_version_3(&self) -> bool {
        self.version == NfsVersion::V3
    }

    fn is_version_4_0(&self) -> bool {
        self.version == NfsVersion::V40
    }

    /// What the server allows.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The server's own description.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Number by which the server knows the user.
    pub fn user(&self) -> u32 {
        self.user
    }

    /// True when the connection comes from a port below 1024.
    pub fn has_privileged_port(&self) -> bool {
        self.privileged_port
    }

    /// Number of the client, for OPEN.
    pub fn number(&self) -> u64 {
        self.client
    }

    /// The first part of the address's path.
    pub fn root(&self) -> FileHandle {
        self.root
    }

    /// For many requests at a time.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// After [`Client::connect`], and after whatever was open before has been opened again: finds the export, and what it allows.
    ///
    /// # Errors
    /// There is no such export, with those there are; or it may not be used.
    pub fn enter_export(&mut self) -> Result<(), ShareError> {
        self.enter_by_what_is_offered()
    }

    /// Sends what is to be sent, and waits for the next answer.
    ///
    /// # Errors
    /// The connection is lost, or there is no answer in half a minute.
    pub fn await_answer(&mut self, blocks: &mut Blocks) -> Result<Answer, Failure> {
        await_answer(&mut self.connection, blocks)
    }

    /// The handle of what lies below a folder by these names, one after the other.
    ///
    /// # Errors
    /// The server's status, NFS4ERR_NOENT or NFS3ERR_NOENT when one is not there; or the loss of the connection. So for all that follow.
    pub fn walk(&mut self, from: FileHandle, names: &[&str]) -> Result<FileHandle, Failure> {
        if self.is_version_3() {
            self.walk_3(from, names)
        } else {
            self.walk_4(from, names)
        }
    }

    /// The only name in a folder above the export, which NFS 3 does not show; `None`: the folder lies in the export.
    pub fn only_name(&self, folder: &[&str]) -> Option<&str> {
        let is_above = self.above.iter().zip(folder).all(|(name, of)| name == of);
        let next = self.above.get(folder.len())?;
        is_above.then_some(next.as_str())
    }

    /// Type and size of what a handle stands for.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn attributes(&mut self, of: FileHandle) -> Result<Attributes, Failure> {
        if self.is_version_3() {
            self.attributes_3(of)
        } else {
            self.attributes_4(of)
        }
    }

    /// Room of the file system that a handle lies on.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn room(&mut self, of: FileHandle) -> Result<Attributes, Failure> {
        if self.is_version_3() {
            self.room_3(of)
        } else {
            self.room_4(of)
        }
    }

    /// Opens a file in a folder; no other is opened before it is closed. NFS 3 knows nothing open: there the file is found or made.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn open(
        &mut self,
        folder: FileHandle,
        opening: Opening<'_>,
        access: Access,
    ) -> Result<(FileHandle, StateId), Failure> {
        match self.version {
            NfsVersion::V3 => {
                let file = self.open_3(folder, opening)?;
                Ok((file, StateId::NONE))
            }
            NfsVersion::V40 => self.open_4_0(folder, opening, access),
            _ => self.open_4(folder, opening, access),
        }
    }

    /// Closes a file.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn close(&mut self, file: FileHandle, state: StateId) -> Result<(), Failure> {
        match self.version {
            NfsVersion::V3 => Ok(()),
            NfsVersion::V40 => self.close_4_0(file, state),
            _ => self.close_4(file, state),
        }
    }

    /// Reads from an open file, and appends to `bytes`. True at its end.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn read(
        &mut self,
        (file, state): (FileHandle, StateId),
        at: u64,
        len: u32,
        bytes: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
        let mut take = |is_end: bool, data: &[u8]| {
            if data.len() > len as usize {
                return Err(Failure::Connection(
                    Statement::new("nfs-read-too-long")
                        .count("bytes", data.len() as u64)
                        .count("asked", u64::from(len)),
                ));
            }
            bytes.extend_from_slice(data);
            Ok(is_end || data.is_empty())
        };
        if self.is_version_3() {
            self.read_3(file, at, len, &mut take)
        } else {
            self.read_4((file, state), at, len, &mut take)
        }
    }

    /// A call that writes what lies at `part` when it is sent.
    pub fn write_call(
        &mut self,
        (file, state): (FileHandle, StateId),
        at: u64,
        stability: Stability,
        part: Part,
    ) -> Call {
        let mut call = self.connection.call();
        if self.is_version_3() {
            calls::write(&mut call, &file, at, stability, part);
        } else {
            call.put(&file);
            call.write(state, at, stability, part);
        }
        call
    }

    /// What became of a WRITE.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn written(&self, answer: &Answer) -> Result<Written, Failure> {
        if self.is_version_3() {
            self.written_3(answer)
        } else {
            self.written_4(answer)
        }
    }

    /// Brings what was written to a file to stable storage.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn commit(&mut self, file: FileHandle) -> Result<[u8; 8], Failure> {
        if self.is_version_3() {
            self.commit_3(file)
        } else {
            self.commit_4(file)
        }
    }

    /// Sets the length of an open file.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn set_size(
        &mut self,
        (file, state): (FileHandle, StateId),
        size: u64,
    ) -> Result<(), Failure> {
        if self.is_version_3() {
            self.set_size_3(file, size)
        } else {
            self.set_size_4((file, state), size)
        }
    }

    /// Makes a folder in a folder.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn make_folder(&mut self, folder: FileHandle, name: &str) -> Result<(), Failure> {
        if self.is_version_3() {
            self.make_folder_3(folder, name)
        } else {
            self.make_folder_4(folder, name)
        }
    }

    /// Removes a file, or an empty folder, from a folder.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn remove(
        &mut self,
        folder: FileHandle,
        name: &str,
        is_folder: bool,
    ) -> Result<(), Failure> {
        if self.is_version_3() {
            self.remove_3(folder, name, is_folder)
        } else {
            self.remove_4(folder, name)
        }
    }

    /// What went wrong, as a sentence: where, what, the server's status, what to do next.
    pub fn error(&self, tried: Statement, failure: Failure) -> ShareError {
        error(&self.remote, self.is_version_3(), tried, failure)
    }
}

/// Bytes of one page of a listing.
pub const LISTING_BYTES: u32 = 64 << 10;

/// A name for a client that no other has.
pub fn unique_name() -> String {
    format!("plumb {} {:016x}", std::process::id(), random())
}

fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

fn round_up_to_pages(bytes: u32) -> u32 {
    if bytes < 4096 {
        bytes
    } else {
        bytes / 4096 * 4096
    }
}

impl Client {
    /// The exports that the server shows; empty: it shows none.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn exports(&mut self) -> Result<Vec<String>, Failure> {
        if self.version() == NfsVersion::V3 {
            Ok(self.exports.clone())
        } else {
            self.exports_4()
        }
    }

    /// Security flavors of the export, by their RPC numbers; empty: not reported by the server.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn flavors(&mut self) -> Result<Vec<u32>, Failure> {
        match self.version() {
            NfsVersion::V3 => Ok(self.flavors.clone()),
            NfsVersion::V40 => self.flavors_4_0(),
            _ => self.flavors_4(),
        }
    }

    /// The smallest request.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn nothing(&mut self) -> Result<(), Failure> {
        match self.version() {
            NfsVersion::V3 => self.nothing_3(),
            NfsVersion::V40 => self.nothing_4_0(),
            _ => self.nothing_4(),
        }
    }
}
