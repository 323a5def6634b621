//! How does one operation become requests, one after the other, on the connection of its slot?

use std::time::{Duration, Instant};

use plumb_model::run::PathAccount;
use plumb_model::statement::Statement;
use plumb_model::workload::{ObjectChecksum, OperationKind};

use crate::engine::operation::Op;
use crate::engine::traffic::{Ends, Traffic};
use crate::feed::live_files::LiveFiles;
use crate::shares::s3::checksum;
use crate::shares::s3::client::{LIST_MAX, malformed};
use crate::shares::s3::connection::{Connection, ERROR_BODY_MAX, SetUp, Sink};
use crate::shares::s3::fault::{Fault, Refused};
use crate::shares::s3::request::Request;
use crate::shares::s3::service::Service;
use crate::shares::s3::xml;

/// Most pages of one listing.
const PAGES_MAX: u32 = 100_000;

/// What is known to all operations.
pub struct Terms<'a> {
    /// The object with the blocks.
    pub key: Option<String>,
    pub object_bytes: u64,
    /// What the folders of small files lie in.
    pub folder: Option<String>,
    pub live_files: Option<&'a LiveFiles>,
    /// Each connection serves one request.
    pub dials_each: bool,
    pub checksum: ObjectChecksum,
}

/// A connection with its operation.
#[derive(Default)]
pub struct Lane {
    connection: Option<Connection>,
    ends: Option<Ends>,
    op: Option<Op>,
    key: String,
    /// The next page of a listing.
    token: Option<String>,
    pages: u32,
    /// The object that a rename makes.
    to: String,
    /// Of a rename the copy is there: what is left is to delete the object.
    is_copied: bool,
    /// The request is on the connection; else it is to be sent.
    is_sent: bool,
    /// Of the operation: each command with the time of its requests, and of the first one to its first byte.
    pub times: Vec<(&'static str, Duration, Option<Duration>)>,
    /// How long the connection took to be there, after its first request.
    pub set_up: Option<SetUp>,
    /// Requests since this was last taken.
    pub requests: u32,
    pub connections: u64,
    pub closed: u64,
    pub paths: Vec<PathAccount>,
}

impl Lane {
    /// Takes an operation. `false`: there is nothing it could work on.
    pub fn begin(&mut self, op: Op, terms: &Terms<'_>, block: &[u8]) -> bool {
        self.key.clear();
        let fits = op.len as usize <= block.len();
        match op.kind {
            OperationKind::Read | OperationKind::Write => match &terms.key {
                Some(key) => self.key.push_str(key),
                None => return false,
            },
            OperationKind::List => match &terms.folder {
                Some(folder) => {
                    self.key.push_str(folder);
                    self.key.push('/');
                    self.key.push_str(&op.offset.to_string());
                    self.key.push('/');
                }
                None => return false,
            },
            _ => match terms.live_files {
                Some(files) => {
                    let name = |number| files.path(number).to_string_lossy().into_owned();
                    self.key.push_str(&name(op.offset));
                    if op.kind == OperationKind::Rename {
                        self.to = name(op.renamed());
                    }
                }
                None => return false,
            },
        }
        // The length of a rename is the distance to another number.
        if !fits && op.kind != OperationKind::Rename {
            return false;
        }
        self.op = Some(op);
        (self.token, self.pages, self.is_sent) = (None, 0, false);
        self.is_copied = false;
        true
    }

    /// The operation that it works on.
    pub fn op(&self) -> Option<&Op> {
        self.op.as_ref()
    }

    /// How the record names the request.
    fn command(&self, kind: OperationKind) -> &'static str {
        match kind {
            OperationKind::Rename if !self.is_copied => "COPY",
            OperationKind::Rename => "DELETE",
            OperationKind::Write | OperationKind::Create => "PUT",
            OperationKind::Stat => "HEAD",
            OperationKind::Delete => "DELETE",
            OperationKind::List => "LIST",
            _ => "GET",
        }
    }

    /// Sends and receives what can be without waiting: what came of the operation once it is done.
    pub fn advance(
        &mut self,
        service: &mut Service,
        terms: &Terms<'_>,
        block: &mut [u8],
    ) -> Option<Result<u32, Fault>> {
        let op = self.op?;
        loop {
            if !self.is_sent
                && let Err(fault) = self.send(&op, service, terms, block)
            {
                return Some(self.end(Err(fault)));
            }
            let command = self.command(op.kind);
            let connection = self.connection.as_mut()?;
            match connection.advance(block) {
                Ok(false) => {
                    self.note_ends();
                    return None;
                }
                Ok(true) => {}
                Err(broken) => {
                    self.retire();
                    return Some(self.end(Err(broken.into())));
                }
            }
            let of_request = (connection.elapsed(), connection.first_byte());
            if connection.served() == 1 {
                self.set_up = Some(connection.set_up());
            }
            match self.times.last_mut().filter(|(of, ..)| *of == command) {
                Some((_, response, _)) => *response += of_request.0,
                None => self.times.push((command, of_request.0, of_request.1)),
            }
            self.note_ends();
            match self.reply(&op, terms.checksum, block) {
                Some(result) => return Some(self.end(result)),
                // The next page, or the next step.
                None => self.is_sent = false,
            }
        }
    }

    /// What came of the request; `None`: the operation continues with another one.
    fn reply(
        &mut self,
        op: &Op,
        checksum: ObjectChecksum,
        block: &[u8],
    ) -> Option<Result<u32, Fault>> {
        let connection = self.connection.as_ref()?;
        if !connection.is_success() {
            let refused = Refused::of(connection);
            return Some(Err(Fault::Refused(Box::new(refused))));
        }
        match op.kind {
            OperationKind::Read | OperationKind::ReadFile => {
                let moved = connection.moved();
                let content = &block[..moved as usize];
                Some(compare(connection, checksum, content).map(|()| moved))
            }
            OperationKind::Write | OperationKind::Create => Some(Ok(op.len)),
            OperationKind::List => match xml::listing(connection.body()) {
                Ok(page) => {
                    let is_endless = self.pages > PAGES_MAX || page.next == self.token;
                    self.token = page.next;
                    match &self.token {
                        None => Some(Ok(0)),
                        Some(_) if is_endless => Some(Err(malformed())),
                        Some(_) => None,
                    }
                }
                Err(_) => Some(Err(malformed())),
            },
            OperationKind::Rename if !self.is_copied => {
                // A copy may fail after the server has begun to reply: with the status of a success, and an error in the body.
                if let Err(error) = xml::copied(connection.body()) {
                    let refused = || Fault::Refused(Box::new(Refused::of(connection)));
                    return Some(Err(match error {
                        Some(_) => refused(),
                        None => malformed(),
                    }));
                }
                self.is_copied = true;
                None
            }
            _ => Some(Ok(0)),
        }
    }

    fn send(
        &mut self,
        op: &Op,
        service: &mut Service,
        terms: &Terms<'_>,
        block: &[u8],
    ) -> Result<(), Fault> {
        let is_usable =
            !terms.dials_each && self.connection.as_mut().is_some_and(Connection::is_usable);
        if !is_usable {
            self.retire();
            self.connection = Some(service.dial()?);
            self.connections += 1;
        }
        let Some(connection) = &mut self.connection else {
            return Ok(());
        };
        let query = [
            ("continuation-token", self.token.as_deref()),
            ("list-type", Some("2")),
            ("prefix", Some(self.key.as_str())),
        ];
        let query: Vec<(&str, &str)> = match op.kind {
            OperationKind::List => query
                .iter()
                .filter_map(|(name, value)| Some((*name, (*value)?)))
                .collect(),
            _ => Vec::new(),
        };
        let copies = op.kind == OperationKind::Rename && !self.is_copied;
        let key = match op.kind {
            OperationKind::List => "",
            _ if copies => self.to.as_str(),
            _ => self.key.as_str(),
        };
        let plain = |method| Request {
            query: &query,
            ..Request::new(method, key)
        };
        let is_entire = op.offset == 0 && u64::from(op.len) == terms.object_bytes;
        let file_bytes = || {
            let files = terms.live_files;
            files.map_or(0, |files| files.bytes(op.offset)) as u32
        };
        let header = checksum::header(terms.checksum);
        let entire = || Request {
            wants_checksum: header.is_some(),
            ..plain("GET")
        };
        let (mut request, body, sink) = match op.kind {
            OperationKind::Read if is_entire => (entire(), None, Sink::Block(op.len)),
            OperationKind::Read => {
                let last = op.offset + u64::from(op.len.max(1)) - 1;
                let request = Request {
                    range: Some((op.offset, last)),
                    ..plain("GET")
                };
                (request, None, Sink::Block(op.len))
            }
            OperationKind::Write | OperationKind::Create => {
                let body = &block[..op.len as usize];
                (plain("PUT"), Some(body), Sink::Memory(ERROR_BODY_MAX))
            }
            OperationKind::ReadFile => {
                let len = file_bytes().min(block.len() as u32);
                (entire(), None, Sink::Block(len))
            }
            OperationKind::Stat => (plain("HEAD"), None, Sink::None),
            OperationKind::Rename if copies => {
                let request = Request {
                    copy_of: Some(&self.key),
                    ..plain("PUT")
                };
                (request, Some(&[][..]), Sink::Memory(ERROR_BODY_MAX))
            }
            OperationKind::Delete | OperationKind::Rename => {
                (plain("DELETE"), None, Sink::Memory(ERROR_BODY_MAX))
            }
            _ => (plain("GET"), None, Sink::Memory(LIST_MAX)),
        };
        let sum = body.map(|body| checksum::of(terms.checksum, body));
        request.checksum = header.zip(sum.as_deref());
        service.heads.write(&request, body, connection.head());
        connection.begin(body.map_or(0, <[u8]>::len), sink);
        self.requests += 1;
        self.pages += 1;
        self.is_sent = true;
        Ok(())
    }

    fn end(&mut self, result: Result<u32, Fault>) -> Result<u32, Fault> {
        self.op = None;
        self.is_sent = false;
        result
    }

    /// The operation has waited for too long: fails.
    pub fn give_up(&mut self, now: Instant, waited: Option<Duration>) -> Option<Fault> {
        self.op?;
        let overdue = self.connection.as_ref().and_then(|one| one.overdue(now));
        let fault = overdue
            .map(Fault::Broken)
            .or_else(|| waited.map(Fault::Stopped))?;
        self.retire();
        let _ = self.end(Ok(0));
        Some(fault)
    }

    /// The connection that a reply is awaited on.
    pub fn waits_for(&self) -> Option<&Connection> {
        self.op.as_ref().and(self.connection.as_ref())
    }

    /// The addresses of both ends, once they are known.
    fn note_ends(&mut self) {
        if self.ends.is_none() {
            self.ends = self
                .connection
                .as_ref()
                .and_then(|connection| Ends::of(Some(traffic(connection))));
        }
    }

    /// Counts a connection that ends.
    pub fn retire(&mut self) {
        let Some(connection) = self.connection.take() else {
            return;
        };
        self.closed += 1;
        if let Some(ends) = self.ends.take() {
            ends.add(&traffic(&connection), &mut self.paths);
        }
    }
}

fn traffic(connection: &Connection) -> Traffic<'_> {
    let (sent_bytes, received_bytes) = connection.moved_bytes();
    Traffic {
        stream: connection.wire().stream(),
        sent_bytes,
        received_bytes,
    }
}

/// Compares an object with the checksum that came with it. Parts of objects come without one, and objects that were uploaded in parts with one of the sums of
/// their parts, which has a `-` in it.
fn compare(connection: &Connection, checksum: ObjectChecksum, content: &[u8]) -> Result<(), Fault> {
    let header = checksum::header(checksum);
    let kept = header
        .and_then(|header| connection.header(header))
        .filter(|kept| connection.status() == 200 && !kept.contains('-'));
    let Some(kept) = kept else { return Ok(()) };
    let found = checksum::of(checksum, content);
    if kept == found {
        return Ok(());
    }
    Err(Fault::Unsound(
        Statement::new("s3-checksum-is-another")
            .name("kept", kept)
            .name("found", found),
    ))
}
