//! How does the client do its work in NFS 4? Each question is a COMPOUND that begins with the file or folder it is about; from 4.1 on in a session.

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::NfsVersion;

use super::security::NotEntered;
use super::versions::{NotAgreed, Refusal};
use super::{
    Client, ConnectOptions, FILE_OWNER, LISTING_BYTES, MESSAGE_BYTES, Protocol, random,
    round_up_to_pages,
};
use crate::share::ShareError;
use crate::shares::nfs::call::{Access, FileHandle, Opener, Opening, StateId, attribute, op};
use crate::shares::nfs::connection::Answer;
use crate::shares::nfs::exchange::exchange;
use crate::shares::nfs::gss::log_in::NotProved;
use crate::shares::nfs::message::Call;
use crate::shares::nfs::refusal::no_such_export;
use crate::shares::nfs::results::{
    Attributes, Entry, Failure, Introduction, Page, Results, SessionGrant, Written,
};
use crate::shares::nfs::status::Status;

/// Requested session slots; the server decides.
const SLOTS: u32 = 256;
/// Bytes around the data of a READ or WRITE: heads of RPC and COMPOUND, a credential with 16 groups, the longest handle.
const AROUND_DATA_BYTES: u32 = 768;
/// Names looked up by one request: some servers take no more than 8 operations.
const NAMES_AT_ONCE: usize = 4;

type Got<T> = Result<T, Failure>;

impl Client {
    /// With the first of these minor versions that the server supports.
    pub(super) fn connect_4(
        remote: &Remote,
        options: ConnectOptions,
        name: &str,
        minors: &[u32],
    ) -> Result<Client, NotAgreed> {
        let other = |error: ShareError| NotAgreed {
            error,
            why: Refusal::Other,
        };
        let protocol = Protocol::Compound { minor: 1 };
        let mut client = Client::reach(remote, options, remote.port(), protocol).map_err(other)?;
        client.log_in(name).map_err(|failed| match failed {
            NotProved::Failed(failure) => client.not_agreed(failure),
            refused => other(refused.or_error(remote, |failure| {
                client.error(Statement::new("nfs-tried-log-in"), failure)
            })),
        })?;
        let introduction = client
            .introduce(name, minors)
            .map_err(|failure| client.not_agreed(failure))?;
        if let Some(introduction) = introduction {
            client.open_session(introduction).map_err(other)?;
        }
        Ok(client)
    }

    fn not_agreed(&self, failure: Failure) -> NotAgreed {
        let by_4_0 = self.is_version_4_0();
        let why = match failure {
            Failure::Unsupported(_)
            | Failure::Status(Status::MINOR_VERS_MISMATCH | Status::NOTSUPP) => Refusal::Unknown,
            Failure::Connection(_) if !by_4_0 => Refusal::Nonsense,
            _ => Refusal::Other,
        };
        let tried = Statement::new(if by_4_0 {
            "nfs-tried-introduce-4-0"
        } else {
            "nfs-tried-introduce"
        });
        let error = self.error(tried, failure);
        NotAgreed { error, why }
    }

    /// Agrees the minor version, and the number of the client; `None`: 4.0, which has no session.
    fn introduce(&mut self, name: &str, minors: &[u32]) -> Got<Option<Introduction>> {
        let verifier = random().to_be_bytes();
        let mut refused = Failure::Status(Status::MINOR_VERS_MISMATCH);
        for minor in minors.iter().copied() {
            self.connection.speak(Protocol::Compound { minor });
            self.version = match minor {
                0 => NfsVersion::V40,
                1 => NfsVersion::V41,
                _ => NfsVersion::V42,
            };
            let introduction = if minor == 0 {
                self.register(name, verifier).map(|()| None)
            } else {
                let introduction = self.request(
                    |call| call.exchange_id(name.as_bytes(), verifier),
                    |results| results.introduction(),
                );
                introduction.map(Some)
            };
            match introduction {
                Err(failure @ Failure::Status(Status::MINOR_VERS_MISMATCH)) => refused = failure,
                // EXCHANGE_ID is no operation of 4.0 (RFC 7530, 15.2.4), and not every server looks at the minor version first.
                Err(failure @ Failure::Status(Status::OP_ILLEGAL | Status::NOTSUPP)) => {
                    refused = failure;
                }
                result => return result,
            }
        }
        Err(refused)
    }

    fn open_session(&mut self, introduction: Introduction) -> Result<(), ShareError> {
        (self.client, self.server) = (introduction.client, introduction.server);
        let (client, sequence) = (introduction.client, introduction.sequence);
        let grant = self.request(
            |call| call.create_session(client, sequence, SLOTS, MESSAGE_BYTES),
            |results| results.session(),
        );
        let grant = grant
            .map_err(|failure| self.error(Statement::new("nfs-tried-open-session"), failure))?;
        // A server may lower what was requested, and nothing else (RFC 8881, section 18.36.3): larger values would be used as buffer sizes.
        let grant = SessionGrant {
            slots: grant.slots.min(SLOTS),
            request_max_bytes: grant.request_max_bytes.min(MESSAGE_BYTES),
            answer_max_bytes: grant.answer_max_bytes.min(MESSAGE_BYTES),
            ..grant
        };
        let slots = self
            .connection
            .enter(Some(grant.session), grant.slots, grant.answer_max_bytes);
        let within = |bytes: u32| bytes.saturating_sub(AROUND_DATA_BYTES).max(512);
        self.limits.slots = slots;
        (self.limits.read_max_bytes, self.limits.write_max_bytes) = (
            within(grant.answer_max_bytes),
            within(grant.request_max_bytes),
        );
        Ok(())
    }

    /// There is nothing (any more) that was open before the server was started.
    fn reclaim_complete(&mut self) -> Result<(), ShareError> {
        // A server returns COMPLETE_ALREADY to a known client; both are fine.
        const COMPLETE_ALREADY: Status = Status(10054);
        match self.request(Call::reclaim_complete, |results| {
            results.done(op::RECLAIM_COMPLETE)
        }) {
            Ok(()) | Err(Failure::Status(COMPLETE_ALREADY)) => Ok(()),
            Err(failure) => Err(self.error(Statement::new("nfs-tried-begin"), failure)),
        }
    }

    pub(super) fn enter_export_4(&mut self) -> Result<(), NotEntered> {
        if self.version.has_sessions() {
            self.reclaim_complete()?;
        }
        let export = self.remote.share().to_string();
        let found = self.request(
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
            Err(Failure::Status(Status::NOENT)) => return Err(self.no_such_export().into()),
            Err(Failure::Status(Status::WRONGSEC)) => {
                return Err(self.required_flavors(None, &export));
            }
            Err(failure) => {
                let tried = Statement::new("nfs-tried-enter").name("export", export);
                return Err(self.error(tried, failure).into());
            }
        };
        // The limits of the file system that the target lies on; an export may lie further down.
        let folder = self.deepest()?;
        let options = attribute::MAXREAD | attribute::MAXWRITE | attribute::LEASE_TIME;
        let attributes = self
            .attributes_set(folder, options)
            .map_err(|failure| self.error(Statement::new("nfs-tried-ask-limits"), failure))?;
        let bounded = |session: u32, server: Option<u64>| {
            session.min(
                server
                    .filter(|max| *max > 0)
                    .unwrap_or(u64::MAX)
                    .min(1 << 30) as u32,
            )
        };
        self.limits.read_max_bytes = round_up_to_pages(bounded(
            self.limits.read_max_bytes,
            attributes.read_max_bytes,
        ));
        self.limits.write_max_bytes = round_up_to_pages(bounded(
            self.limits.write_max_bytes,
            attributes.write_max_bytes,
        ));
        self.limits.lease_s = attributes.lease_s;
        Ok(())
    }

    /// What lies in the root of everything.
    pub(super) fn exports_4(&mut self) -> Got<Vec<String>> {
        let root = self.request(
            |call| {
                call.put_root();
                call.get_handle();
            },
            |results| {
                results.done(op::PUTROOTFH)?;
                results.handle()
            },
        )?;
        let names = self.list(root)?;
        Ok(names.into_iter().map(|(name, _)| name).collect())
    }

    pub(super) fn flavors_4(&mut self) -> Got<Vec<u32>> {
        self.request_about(self.root, Call::security, |results| {
            results.security(op::SECINFO_NO_NAME)
        })
    }

    /// SEQUENCE alone.
    pub(super) fn nothing_4(&mut self) -> Got<()> {
        self.request(|_| {}, |_| Ok(()))
    }

    fn no_such_export(&mut self) -> ShareError {
        let names = self.exports_4().unwrap_or_default();
        let status = Status::NOENT.name(false);
        no_such_export(&self.remote, self.remote.share(), &status, &names)
    }

    /// One request and its results. A request that the server wants repeated later is repeated for a while.
    pub(super) fn request<T>(
        &mut self,
        build: impl Fn(&mut Call),
        mut read: impl FnMut(&mut Results<'_>) -> Got<T>,
    ) -> Got<T> {
        exchange(
            &mut self.connection,
            &mut self.none,
            build,
            |connection, answer| read(&mut connection.results(answer)?),
        )
    }

    /// The same about a file or folder.
    pub(super) fn request_about<T>(
        &mut self,
        of: FileHandle,
        build: impl Fn(&mut Call),
        mut read: impl FnMut(&mut Results<'_>) -> Got<T>,
    ) -> Got<T> {
        self.request(
            |call| {
                call.put(&of);
                build(call);
            },
            |results| {
                results.done(op::PUTFH)?;
                read(results)
            },
        )
    }

    pub(super) fn walk_4(&mut self, from: FileHandle, names: &[&str]) -> Got<FileHandle> {
        let mut at = from;
        for names in names.chunks(NAMES_AT_ONCE) {
            at = self.request_about(
                at,
                |call| {
                    names.iter().for_each(|name| call.look_up(name));
                    call.get_handle();
                },
                |results| {
                    names.iter().try_for_each(|_| results.done(op::LOOKUP))?;
                    results.handle()
                },
            )?;
        }
        Ok(at)
    }

    fn attributes_set(&mut self, of: FileHandle, set: u64) -> Got<Attributes> {
        self.request_about(
            of,
            |call| call.get_attributes(set),
            |results| results.attributes(),
        )
    }

    pub(super) fn attributes_4(&mut self, of: FileHandle) -> Got<Attributes> {
        self.attributes_set(of, attribute::TYPE | attribute::SIZE)
    }

    pub(super) fn room_4(&mut self, of: FileHandle) -> Got<Attributes> {
        self.attributes_set(of, attribute::SPACE_AVAIL | attribute::SPACE_TOTAL)
    }

    pub(super) fn page_4(
        &mut self,
        folder: FileHandle,
        page: &Page,
        each: &mut dyn FnMut(Entry),
    ) -> Got<Page> {
        let answer_bytes = LISTING_BYTES.min(self.limits.read_max_bytes);
        let (cookie, verifier) = (page.cookie, page.verifier);
        self.request_about(
            folder,
            |call| {
                let set = attribute::TYPE | attribute::SIZE;
                call.list(cookie, verifier, answer_bytes, set);
            },
            |results| results.list(&mut *each),
        )
    }

    pub(super) fn open_4(
        &mut self,
        folder: FileHandle,
        opening: Opening<'_>,
        access: Access,
    ) -> Got<(FileHandle, StateId)> {
        let opener = Opener {
            client: self.client,
            owner: u64::from(FILE_OWNER),
            sequence: None,
        };
        self.request_about(
            folder,
            |call| {
                call.open(opening, access, opener);
                call.get_handle();
            },
            |results| {
                let grant = results.open()?;
                Ok((results.handle()?, grant.state))
            },
        )
    }

    pub(super) fn close_4(&mut self, file: FileHandle, state: StateId) -> Got<()> {
        self.request_about(file, |call| call.close(state, 0), |results| results.close())
    }

    pub(super) fn read_4(
        &mut self,
        (file, state): (FileHandle, StateId),
        at: u64,
        len: u32,
        take: &mut dyn FnMut(bool, &[u8]) -> Got<bool>,
    ) -> Got<bool> {
        self.request_about(
            file,
            |call| call.read(state, at, len),
            |results| {
                let (is_end, data) = results.read()?;
                take(is_end, data)
            },
        )
    }

    pub(super) fn written_4(&self, answer: &Answer) -> Got<Written> {
        let mut results = self.connection.results(answer)?;
        results.done(op::PUTFH)?;
        results.write()
    }

    pub(super) fn commit_4(&mut self, file: FileHandle) -> Got<[u8; 8]> {
        self.request_about(file, Call::commit, |results| results.commit())
    }

    pub(super) fn set_size_4(
        &mut self,
        (file, state): (FileHandle, StateId),
        size: u64,
    ) -> Got<()> {
        self.request_about(
            file,
            |call| call.set_size(state, size),
            |results| results.done(op::SETATTR),
        )
    }

    pub(super) fn make_folder_4(&mut self, folder: FileHandle, name: &str) -> Got<()> {
        self.request_about(
            folder,
            |call| call.make_folder(name),
            |results| results.make_folder(),
        )
    }

    pub(super) fn remove_4(&mut self, folder: FileHandle, name: &str) -> Got<()> {
        self.request_about(
            folder,
            |call| call.remove(name),
            |results| results.done(op::REMOVE),
        )
    }

    /// Lets the server forget session and client; nothing is in flight. Without it, and in NFS 4.0, which has no way to do so, the server keeps both until the
    /// lease ends, which harms nobody.
    pub fn leave(&mut self) {
        self.lease = None;
        let (Some(session), client) = (self.connection.leave(), self.client) else {
            return;
        };
        let ended = self.request(
            |call| call.destroy_session(&session),
            |results| results.done(op::DESTROY_SESSION),
        );
        if ended.is_ok() {
            let _ = self.request(
                |call| call.destroy_client(client),
                |results| results.done(op::DESTROY_CLIENTID),
            );
        }
    }
}
