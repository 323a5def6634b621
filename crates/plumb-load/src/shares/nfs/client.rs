//! How does plumb become a client of an NFS server? Connected, introduced, with a session; then one question at a time, or many through the connection.

use std::hash::{BuildHasher, Hasher};
use std::net::ToSocketAddrs;
use std::time::{Duration, Instant};

use plumb_model::{statement::Statement, target::remote::Remote};

use super::buffers::Blocks;
use super::call::{Access, Call, FileHandle, Opening, StateId, attribute, op};
use super::connection::{Answer, Connection};
use super::results::{Attributes, Failure, Results, SessionGrant};
use super::status::Status;
use super::xdr::{put_opaque, put_u32};
use crate::share::{self, ShareError, ShareErrorKind};
use crate::system::nfs_client;
use crate::system::tcp_connections::notice_vanished_peer;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(3);
/// How long one answer may take outside of a measurement. A disk that has to spin up first takes 10 s.
const ANSWER: Duration = Duration::from_secs(30);
/// How often and after which pause a server is asked again that wants to be asked later.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);
/// How long the listing of one folder may take.
const LISTING: Duration = Duration::from_secs(600);
/// Names of exports that a message tells.
const OFFERED_MAX: usize = 12;
/// Seconds without an acknowledgement after which the system gives a connection up.
const UNACKNOWLEDGED_S: u64 = 10;
/// Slots of the session and bytes of a message that are asked for; the server decides. 1 MiB of data is what most servers allow, and a little is
/// needed around it.
const SLOTS: u32 = 256;
const MESSAGE_BYTES: u32 = (1 << 20) + 4096;
/// Bytes around the data of a READ or WRITE: heads of RPC and COMPOUND, a credential with 16 groups, the longest handle.
const AROUND_DATA_BYTES: u32 = 768;
/// Token of questions that are asked one at a time.
const QUESTION: u64 = u64::MAX;
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
        let none =
            Blocks::own(1, 1).map_err(|error| unreachable_error(remote, &error.to_string()))?;
        let root = FileHandle::new(&[]).ok_or_else(|| unreachable_error(remote, "no handle"))?;
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
        let introduction =
            introduction.map_err(|failure| self.error("be made known to the server", failure))?;
        (self.client, self.server) = (introduction.client, introduction.server);
        let (client, sequence) = (introduction.client, introduction.sequence);
        let grant = self.ask(
            |call| call.create_session(client, sequence, SLOTS, MESSAGE_BYTES),
            |results| results.session(),
        );
        let grant = grant.map_err(|failure| self.error("open a session", failure))?;
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
            Err(failure) => return Err(self.error("begin", failure)),
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
            Err(failure) => return Err(self.error(&format!("enter '{export}'"), failure)),
        };
        // The limits of the file system that the target lies on; an export may lie further down.
        let mut place = self.root;
        for name in self
            .remote
            .clone()
            .below_share()
            .split('/')
            .filter(|name| !name.is_empty())
        {
            match self.walk(place, &[name]) {
                Ok(next) => place = next,
                Err(_) => break,
            }
        }
        let wanted = attribute::MAXREAD | attribute::MAXWRITE | attribute::LEASE_TIME;
        let attributes = self
            .attributes(place, wanted)
            .map_err(|failure| self.error("ask what the server allows", failure))?;
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
        let mut offered: Vec<String> = names
            .iter()
            .take(OFFERED_MAX)
            .map(|(name, _)| shortened(name))
            .collect();
        if names.len() > OFFERED_MAX {
            offered.push(format!("and {} more", names.len() - OFFERED_MAX));
        }
        let offered = if offered.is_empty() {
            "nothing to this host".to_string()
        } else {
            offered.join(", ")
        };
        let (host, export) = (self.remote.host_and_port(), self.remote.share());
        let text = format!(
            "{host} has no export '{export}' (NFS4ERR_NOENT); it offers {offered}: name one of these, as in nfs://{host}/export/path"
        );
        ShareError {
            kind: ShareErrorKind::NotFound,
            why: Statement::verbatim(text),
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
                return Err(Failure::Connection(format!(
                    "the server listed a name that no file can have: {name:?}"
                )));
            }
            if entries.len() > share::NAMES_MAX || name_bytes > share::NAMES_BYTES_MAX {
                let (most, bytes) = (share::NAMES_MAX, share::NAMES_BYTES_MAX >> 20);
                return Err(Failure::Connection(format!(
                    "the server lists more than {most} names, or {bytes} MiB of them, in one folder"
                )));
            }
            if begun.elapsed() > LISTING {
                let text = format!(
                    "the server has not come to the end of a folder in {} minutes",
                    LISTING.as_secs() / 60
                );
                return Err(Failure::Connection(text));
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
    pub fn error(&self, what: &str, failure: Failure) -> ShareError {
        error(&self.remote, what, failure)
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

fn exchange<T>(
    connection: &mut Connection,
    blocks: &mut Blocks,
    build: impl Fn(&mut Call),
    mut read: impl FnMut(&mut Results<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let begun = Instant::now();
    loop {
        let mut call = connection.call();
        build(&mut call);
        connection.send(call, QUESTION, None)?;
        let mut answer = await_answer(connection, blocks)?;
        while answer.token != QUESTION && begun.elapsed() < ANSWER + PATIENCE {
            // To a request that was given up.
            answer = await_answer(connection, blocks)?;
        }
        if answer.token != QUESTION {
            return Err(Failure::Connection(format!(
                "the server has not answered for {} s",
                begun.elapsed().as_secs()
            )));
        }
        match connection
            .results(&answer)
            .and_then(|mut results| read(&mut results))
        {
            Err(Failure::Status(status)) if status.asks_to_wait() && begun.elapsed() < PATIENCE => {
                std::thread::sleep(PAUSE)
            }
            result => return result,
        }
    }
}

fn await_answer(connection: &mut Connection, blocks: &mut Blocks) -> Result<Answer, Failure> {
    let begun = Instant::now();
    loop {
        connection.push(blocks)?;
        if let Some(answer) = connection.next_answer(blocks)? {
            return Ok(answer);
        }
        if begun.elapsed() > ANSWER {
            return Err(Failure::Connection(format!(
                "the server has not answered for {} s",
                ANSWER.as_secs()
            )));
        }
        connection.wait(PAUSE);
    }
}

/// Bytes of one page of a listing.
pub const LISTING_BYTES: u32 = 64 << 10;

/// What went wrong, as a sentence: where, what, the server's status, what to do next.
pub fn error(remote: &Remote, what: &str, failure: Failure) -> ShareError {
    match failure {
        Failure::Status(status) => {
            // The folder of all exports is the server's own.
            let advice = match status {
                Status::ROFS if remote.path.is_empty() => {
                    "no export is named: write nfs://server/export"
                }
                _ => status.advice(),
            };
            let text = format!(
                "{remote}: cannot {what}: the server says {}: {advice}",
                status.name()
            );
            ShareError {
                kind: status.kind(),
                why: Statement::verbatim(text),
            }
        }
        Failure::Connection(text) => unreachable_error(remote, &text),
    }
}

fn unreachable_error(remote: &Remote, text: &str) -> ShareError {
    ShareError {
        kind: ShareErrorKind::Unreachable,
        why: Statement::verbatim(format!("{remote}: {text}")),
    }
}

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

/// Number of the user, and the body of AUTH_SYS.
fn credential(remote: &Remote) -> Result<(u32, Vec<u8>), ShareError> {
    let (mut user, mut group, mut groups) = nfs_client::identity();
    if let Some(named) = &remote.user {
        let number = named.parse().map_err(|_| {
            let text = format!(
                "{remote}: '{named}' is no number, and NFS knows users by number (sec=sys): leave it out, which means the user who runs plumb, or write nfs://1000@{}",
                remote.host
            );
            ShareError { kind: ShareErrorKind::Denied, why: Statement::verbatim(text) }
        })?;
        (user, group, groups) = (number, number, Vec::new());
    }
    let mut body = Vec::new();
    put_u32(&mut body, 0);
    put_opaque(&mut body, b"plumb");
    [user, group, groups.len() as u32]
        .into_iter()
        .for_each(|number| put_u32(&mut body, number));
    groups
        .into_iter()
        .for_each(|group| put_u32(&mut body, group));
    Ok((user, body))
}

/// A connection to the first address of the host that answers.
fn reach(remote: &Remote) -> Result<(std::net::TcpStream, bool), ShareError> {
    let place = remote.host_and_port();
    let addresses = place.to_socket_addrs().map_err(|error| {
        unreachable_error(
            remote,
            &format!(
                "the name {} cannot be resolved ({error}): check it, or write the address",
                remote.host
            ),
        )
    })?;
    let mut refusal = "the name has no address".to_string();
    for address in addresses {
        match nfs_client::connect(address, CONNECT) {
            Ok((stream, privileged)) => {
                let ready = stream
                    .set_nodelay(true)
                    .and_then(|()| stream.set_nonblocking(true));
                ready.map_err(|error| {
                    unreachable_error(remote, &format!("the socket cannot be set up: {error}"))
                })?;
                notice_vanished_peer(&stream, UNACKNOWLEDGED_S);
                return Ok((stream, privileged));
            }
            Err(error) => refusal = error.to_string(),
        }
    }
    let text = format!(
        "no connection to {place}: {refusal}; is the NFS server running, is the port right (2049 unless named), does a firewall stand between?"
    );
    Err(unreachable_error(remote, &text))
}
