//! How does plumb become a client of an NFS server? Connected, introduced, with a session; then one question at a time, or many through the connection.

use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;

use super::buffers::Blocks;
use super::call::{Access, Call, FileHandle, Opening, StateId, attribute, op};
use super::connection::{Answer, Connection};
use super::exchange::{await_answer, exchange};
use super::reach::{credential, reach};
use super::refusal::{error, unreachable};
use super::results::{Attributes, Failure, Results, SessionGrant};
use super::status::Status;
use crate::engine::said_by;
use crate::share::{self, ShareError, ShareErrorKind};

/// How long the listing of one folder may take.
const LISTING: Duration = Duration::from_secs(600);
/// Names of exports that a message tells.
const OFFERED_MAX: usize = 12;
/// Slots of the session and bytes of a message that are asked for; the server decides. 1 MiB of data is what most servers allow, and a little is
/// needed around it.
const SLOTS: u32 = 256;
const MESSAGE_BYTES: u32 = (1 << 20) + 4096;
/// Bytes around the data of a READ or WRITE: heads of RPC and COMPOUND, a credential with 16 groups, the longest handle.
const AROUND_DATA_BYTES: u32 = 768;
/// Names looked up by one request: some servers take no more than 8 operations.
const NAMES_AT_ONCE: usize = 4;

/// What the server allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Data of one READ and one WRITE.
    pub read_max_bytes: u32,
    pub write_max_bytes: u32,
    /// Requests in flight.
    pub slots: u32,
    /// Missing: the server does not say.
    pub lease_s: Option<u32>,
}

/// A client with a session.
#[derive(Debug)]
pub struct Client {
    remote: Remote,
    connection: Connection,
    client: u64,
    limits: Limits,
    server: Option<String>,
    /// Number by which the server knows the user.
    user: u32,
    privileged_port: bool,
    /// The first part of the address's path, or the root when there is none.
    root: FileHandle,
    /// For questions that move no data.
    none: Blocks,
}

impl Client {
    /// Connects, proves itself by the number of the user, and agrees a session. A client that comes back under the same `name` may open again what it had
    /// open before ([`Opening::Reclaimed`]); then [`Client::enter_export`] follows.
    ///
    /// # Errors
    /// Which of these failed, the server's status, and what to do next.
    pub fn connect(remote: &Remote, name: &str) -> Result<Client, ShareError> {
        let (user, credential) = credential(remote)?;
        let (stream, privileged_port) = reach(remote)?;
        let none = Blocks::own(1, 1).map_err(|error| unreachable(remote, said_by(&error)))?;
        let no_handle = || unreachable(remote, Statement::new("nfs-no-handle"));
        let root = FileHandle::new(&[]).ok_or_else(no_handle)?;
        let limits = Limits {
            read_max_bytes: 4096,
            write_max_bytes: 4096,
            slots: 1,
            lease_s: None,
        };
        let connection = Connection::new(stream, credential);
        let mut client = Client {
            remote: remote.clone(),
            connection,
            client: 0,
            limits,
            server: None,
            user,
            privileged_port,
            root,
            none,
        };
        client.introduce(name)?;
        Ok(client)
    }

    /// What the server allows.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// What the server says it is.
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

    /// Agrees number and session of the client.
    fn introduce(&mut self, name: &str) -> Result<(), ShareError> {
        let verifier = random().to_be_bytes();
        let introduction = self.ask(
            |call| call.exchange_id(name.as_bytes(), verifier),
            |results| results.introduction(),
        );
        let introduction = introduction
            .map_err(|failure| self.error(Statement::new("nfs-tried-introduce"), failure))?;
        (self.client, self.server) = (introduction.client, introduction.server);
        let (client, sequence) = (introduction.client, introduction.sequence);
        let grant = self.ask(
            |call| call.create_session(client, sequence, SLOTS, MESSAGE_BYTES),
            |results| results.session(),
        );
        let grant = grant
            .map_err(|failure| self.error(Statement::new("nfs-tried-open-session"), failure))?;
        // A server may lower what was asked for, and nothing else (RFC 8881, section 18.36.3): what it says beyond that would be taken as the size of buffers.
        let grant = SessionGrant {
            slots: grant.slots.min(SLOTS),
            request_max_bytes: grant.request_max_bytes.min(MESSAGE_BYTES),
            answer_max_bytes: grant.answer_max_bytes.min(MESSAGE_BYTES),
            ..grant
        };
        self.connection
            .enter(grant.session, grant.slots, grant.answer_max_bytes);
        let within = |bytes: u32| bytes.saturating_sub(AROUND_DATA_BYTES).max(512);
        self.limits.slots = grant.slots.max(1);
        (self.limits.read_max_bytes, self.limits.write_max_bytes) = (
            within(grant.answer_max_bytes),
            within(grant.request_max_bytes),
        );
        Ok(())
    }

    /// After [`Client::connect`], and after whatever was open before has been opened again: finds the export, and what it allows.
    ///
    /// # Errors
    /// There is no such export, with those there are; or it may not be used.
    pub fn enter_export(&mut self) -> Result<(), ShareError> {
        // A server says COMPLETE_ALREADY to a client that it knows; both are fine.
        const COMPLETE_ALREADY: Status = Status(10054);
        match self.ask(Call::reclaim_complete, |results| {
            results.done(op::RECLAIM_COMPLETE)
        }) {
            Ok(()) | Err(Failure::Status(COMPLETE_ALREADY)) => {}
            Err(failure) => return Err(self.error(Statement::new("nfs-tried-begin"), failure)),
        }
        let export = self.remote.share().to_string();
        let found = self.ask(
            |call| {
                call.put_root();
                if !export.is_empty() {
                    call.look_up(&export);
                }
                call.get_handle();
            },
            |results| {
                results.done(op::PUTROOTFH)?;
                if !export.is_empty() {
                    results.done(op::LOOKUP)?;
                }
                results.handle()
            },
        );
        self.root = match found {
            Ok(root) => root,
            Err(Failure::Status(Status::NOENT)) => return Err(self.no_such_export()),
            Err(failure) => {
                let tried = Statement::new("nfs-tried-enter").name("export", export);
                return Err(self.error(tried, failure));
            }
        };
        // The limits of the file system that the target lies on; an export may lie further down.
        let place = self.deepest();
        let wanted = attribute::MAXREAD | attribute::MAXWRITE | attribute::LEASE_TIME;
        let attributes = self
            .attributes(place, wanted)
            .map_err(|failure| self.error(Statement::new("nfs-tried-ask-limits"), failure))?;
        let bounded = |session: u32, server: Option<u64>| {
            session.min(
                server
                    .filter(|max| *max > 0)
                    .unwrap_or(u64::MAX)
                    .min(1 << 30) as u32,
            )
        };
        self.limits.read_max_bytes = whole_pages(bounded(
            self.limits.read_max_bytes,
            attributes.read_max_bytes,
        ));
        self.limits.write_max_bytes = whole_pages(bounded(
            self.limits.write_max_bytes,
            attributes.write_max_bytes,
        ));
        self.limits.lease_s = attributes.lease_s;
        Ok(())
    }

    /// The last folder on the way to the target that is there.
    fn deepest(&mut self) -> FileHandle {
        let remote = self.remote.clone();
        let mut place = self.root;
        let names = remote.below_share().split('/');
        for name in names.filter(|name| !name.is_empty()) {
            match self.walk(place, &[name]) {
                Ok(next) => place = next,
                Err(_) => break,
            }
        }
        place
    }

    fn no_such_export(&mut self) -> ShareError {
        let root = self.ask(
            |call| {
                call.put_root();
                call.get_handle();
            },
            |results| {
                results.done(op::PUTROOTFH)?;
                results.handle()
            },
        );
        let names = root.and_then(|root| self.list(root)).unwrap_or_default();
        let offered: Vec<String> = names
            .iter()
            .take(OFFERED_MAX)
            .map(|(name, _)| shortened(name))
            .collect();
        let more = names.len().saturating_sub(OFFERED_MAX) as u64;
        let why = match (offered.is_empty(), more) {
            (true, _) => Statement::new("nfs-no-export-at-all"),
            (false, 0) => Statement::new("nfs-no-such-export"),
            (false, _) => Statement::new("nfs-no-such-export-of-many"),
        }
        .name("server", self.remote.host_and_port())
        .name("export", self.remote.share())
        .name("offered", offered.join(", "))
        .count("more", more);
        ShareError {
            kind: ShareErrorKind::NotFound,
            why,
        }
    }

    /// One request, and its results. A server that wants to be asked later is asked again for a while.
    ///
    /// # Errors
    /// The server's status, or the loss of the connection.
    pub fn ask<T>(
        &mut self,
        build: impl Fn(&mut Call),
        read: impl FnMut(&mut Results<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        exchange(&mut self.connection, &mut self.none, build, read)
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
    /// As for [`Client::ask`]: NFS4ERR_NOENT when one is not there.
    pub fn walk(&mut self, from: FileHandle, names: &[&str]) -> Result<FileHandle, Failure> {
        let mut at = from;
        for names in names.chunks(NAMES_AT_ONCE) {
            at = self.ask(
                |call| {
                    call.put(&at);
                    names.iter().for_each(|name| call.look_up(name));
                    call.get_handle();
                },
                |results| {
                    results.done(op::PUTFH)?;
                    names.iter().try_for_each(|_| results.done(op::LOOKUP))?;
                    results.handle()
                },
            )?;
        }
        Ok(at)
    }

    /// Attributes of what a handle stands for.
    ///
    /// # Errors
    /// As for [`Client::ask`].
    pub fn attributes(&mut self, of: FileHandle, set: u64) -> Result<Attributes, Failure> {
        self.ask(
            |call| {
                call.put(&of);
                call.get_attributes(set);
            },
            |results| {
                results.done(op::PUTFH)?;
                results.attributes()
            },
        )
    }

    /// All names in a folder, with kind and size.
    ///
    /// # Errors
    /// As for [`Client::ask`].
    pub fn list(&mut self, folder: FileHandle) -> Result<Vec<(String, Attributes)>, Failure> {
        let answer_bytes = LISTING_BYTES.min(self.limits.read_max_bytes);
        let begun = Instant::now();
        let (mut entries, mut name_bytes) = (Vec::new(), 0);
        let mut next = Default::default();
        loop {
            let page: super::results::Page = next;
            let before = entries.len();
            next = self.ask(
                |call| {
                    call.put(&folder);
                    call.list(
                        page.cookie,
                        page.verifier,
                        answer_bytes,
                        attribute::TYPE | attribute::SIZE,
                    );
                },
                |results| {
                    results.done(op::PUTFH)?;
                    results.list(|entry| {
                        name_bytes += entry.name.len();
                        entries.push((entry.name, entry.attributes));
                    })
                },
            )?;
            if let Some((name, _)) = entries[before..]
                .iter()
                .find(|(name, _)| !share::is_plain_name(name))
            {
                return Err(Failure::Connection(
                    Statement::new("nfs-name-of-no-file").name("name", format!("{name:?}")),
                ));
            }
            if entries.len() > share::NAMES_MAX || name_bytes > share::NAMES_BYTES_MAX {
                return Err(Failure::Connection(
                    Statement::new("nfs-lists-too-many-names")
                        .count("most", share::NAMES_MAX as u64)
                        .bytes("size", share::NAMES_BYTES_MAX as f64),
                ));
            }
            if begun.elapsed() > LISTING {
                return Err(Failure::Connection(
                    Statement::new("nfs-lists-too-long").time_ns("time", LISTING.as_nanos() as f64),
                ));
            }
            if next.is_last || entries.len() == before {
                return Ok(entries);
            }
        }
    }

    /// Opens a file in a folder. `owner`: a number that no other open file of this client has.
    ///
    /// # Errors
    /// As for [`Client::ask`].
    pub fn open(
        &mut self,
        folder: FileHandle,
        opening: Opening<'_>,
        access: Access,
        owner: u32,
    ) -> Result<(FileHandle, StateId), Failure> {
        let client = self.client;
        self.ask(
            |call| {
                call.put(&folder);
                call.open(opening, access, client, owner);
                call.get_handle();
            },
            |results| {
                results.done(op::PUTFH)?;
                let state = results.open()?;
                Ok((results.handle()?, state))
            },
        )
    }

    /// Closes a file.
    ///
    /// # Errors
    /// As for [`Client::ask`].
    pub fn close(&mut self, file: FileHandle, state: StateId) -> Result<(), Failure> {
        self.ask(
            |call| {
                call.put(&file);
                call.close(state);
            },
            |results| {
                results.done(op::PUTFH)?;
                results.close()
            },
        )
    }

    /// Lets the server forget session and client; nothing is in flight. Without it the server keeps both until the lease ends, which harms nobody.
    pub fn leave(&mut self) {
        let (Some(session), client) = (self.connection.leave(), self.client) else {
            return;
        };
        let ended = self.ask(
            |call| call.destroy_session(&session),
            |results| results.done(op::DESTROY_SESSION),
        );
        if ended.is_ok() {
            let _ = self.ask(
                |call| call.destroy_client(client),
                |results| results.done(op::DESTROY_CLIENTID),
            );
        }
    }

    /// What went wrong, as a sentence: where, what, the server's status, what to do next.
    pub fn error(&self, tried: Statement, failure: Failure) -> ShareError {
        error(&self.remote, tried, failure)
    }
}

/// A name for a message, which a server may have made as long as it liked.
fn shortened(name: &str) -> String {
    const LONG: usize = 64;
    if name.chars().count() <= LONG {
        name.to_string()
    } else {
        name.chars().take(LONG).chain(['.', '.', '.']).collect()
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

fn whole_pages(bytes: u32) -> u32 {
    if bytes < 4096 {
        bytes
    } else {
        bytes / 4096 * 4096
    }
}
