//! What does the client do otherwise in NFS 4.0? There is no session: it registers by SETCLIENTID, and opens files by an owner whose operations are counted.

use std::cell::Cell;

use super::lease::Lease;
use super::{Client, DATA_MAX_BYTES, Limits, MESSAGE_BYTES};
use crate::shares::nfs::call::{Access, FileHandle, Opening, StateId, op};
use crate::shares::nfs::connection::SLOTS_MAX;
use crate::shares::nfs::message::Call;
use crate::shares::nfs::open_owner::OpenOwner;
use crate::shares::nfs::results::{Failure, OpenGrant, Results};
use crate::shares::nfs::status::Status;

type Got<T> = Result<T, Failure>;

impl Client {
    /// Registers the client under a name (RFC 7530, 16.33 and 16.34). What it had open before is forgotten.
    pub(super) fn register(&mut self, name: &str, verifier: [u8; 8]) -> Got<()> {
        let (client, confirms) = self.request(
            |call| call.set_client(name.as_bytes(), verifier),
            |results| results.client_set(),
        )?;
        self.request(
            |call| call.confirm_client(client, confirms),
            |results| results.done(op::SETCLIENTID_CONFIRM),
        )?;
        self.client = client;
        self.limits = Limits {
            read_max_bytes: DATA_MAX_BYTES,
            write_max_bytes: DATA_MAX_BYTES,
            slots: self.connection.enter(None, SLOTS_MAX, MESSAGE_BYTES),
            lease_s: None,
        };
        Ok(())
    }

    /// From now on the lease is renewed while idle, for callers that keep a file open. No effect in other versions.
    pub fn keep_lease(&mut self) {
        if self.is_version_4_0()
            && let Some(seconds) = self.limits.lease_s
        {
            let renewed = self.connection.renewed();
            let client = (self.client, self.security());
            self.lease = Lease::keep(&self.remote, client, seconds, renewed);
        }
    }

    pub(super) fn flavors_4_0(&mut self) -> Got<Vec<u32>> {
        let export = self.remote.share().to_string();
        if export.is_empty() {
            return Ok(Vec::new());
        }
        self.request(
            |call| {
                call.put_root();
                call.security_of(&export);
            },
            |results| {
                results.done(op::PUTROOTFH)?;
                results.security(op::SECINFO)
            },
        )
    }

    /// PUTROOTFH alone.
    pub(super) fn nothing_4_0(&mut self) -> Got<()> {
        self.request(Call::put_root, |results| results.done(op::PUTROOTFH))
    }

    /// One operation of the owner about a file or folder, with his number.
    fn request_counted<T>(
        &mut self,
        of: FileHandle,
        operation: u32,
        build: impl Fn(&mut Call, OpenOwner),
        mut read: impl FnMut(&mut Results<'_>) -> Got<T>,
    ) -> Got<T> {
        let owner = Cell::new(self.owner);
        let result = self.request_about(
            of,
            |call| build(call, owner.get()),
            |results| {
                let (status, result) = results.counted(operation, &mut read);
                if let Some(status) = status {
                    let mut next = owner.get();
                    next.settle(status);
                    owner.set(next);
                }
                result
            },
        );
        self.owner = owner.get();
        result
    }

    fn open_once(
        &mut self,
        folder: FileHandle,
        opening: Opening<'_>,
        access: Access,
    ) -> Got<(FileHandle, OpenGrant)> {
        let client = self.client;
        self.request_counted(
            folder,
            op::OPEN,
            |call, owner| {
                call.open(opening, access, owner.opener(client));
                call.get_handle();
            },
            |results| {
                let grant = results.open()?;
                Ok((results.handle()?, grant))
            },
        )
    }

    pub(super) fn open_4_0(
        &mut self,
        folder: FileHandle,
        opening: Opening<'_>,
        access: Access,
    ) -> Got<(FileHandle, StateId)> {
        let opened = match self.open_once(folder, opening, access) {
            // The owner was replaced by one that the server does not know.
            Err(Failure::Status(Status::BAD_SEQID)) => self.open_once(folder, opening, access),
            result => result,
        };
        let (file, grant) = opened?;
        let mut state = grant.state;
        if grant.must_confirm {
            state = self.request_counted(
                file,
                op::OPEN_CONFIRM,
                |call, owner| call.open_confirm(state, owner.sequence()),
                |results| results.open_confirm(),
            )?;
        }
        if let Some(delegation) = grant.delegation {
            let returned = self.request_about(
                file,
                |call| call.return_delegation(delegation),
                |results| results.done(op::DELEGRETURN),
            );
            // A server that does not take it back has lost it.
            if let Err(failure @ Failure::Connection(_)) = returned {
                return Err(failure);
            }
        }
        Ok((file, state))
    }

    pub(super) fn close_4_0(&mut self, file: FileHandle, state: StateId) -> Got<()> {
        self.request_counted(
            file,
            op::CLOSE,
            |call, owner| call.close(state, owner.sequence()),
            |results| results.close(),
        )
    }
}
