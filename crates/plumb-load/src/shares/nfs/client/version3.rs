//! How does the client do its work in NFS 3? One procedure for each question; files are found and not opened.

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::NfsVersion;

use super::security::NotEntered;
use super::{
    Client, ConnectOptions, DATA_MAX_BYTES, LISTING_BYTES, MESSAGE_BYTES, calls, mount,
    round_up_to_pages,
};
use crate::share::ShareError;
use crate::shares::nfs::call::{FileHandle, Opening};
use crate::shares::nfs::connection::{Answer, SLOTS_MAX};
use crate::shares::nfs::exchange::exchange;
use crate::shares::nfs::message::Call;
use crate::shares::nfs::results::{Attributes, Entry, Failure, Page, Written};
use crate::shares::nfs::status::Status;
use crate::shares::nfs::version3::replies;
use crate::shares::nfs::xdr::Reader;

/// Block size for a server that reports less than the protocol's.
const DATA_LEAST_BYTES: u32 = 512;

type Got<T> = Result<T, Failure>;

impl Client {
    pub(super) fn connect_3(
        remote: &Remote,
        options: ConnectOptions,
        name: &str,
    ) -> Result<Client, ShareError> {
        let port = mount::nfs_port(remote, &options.stop);
        let mut client = Client::reach(remote, options, port, calls::PROTOCOL)?;
        client.version = NfsVersion::V3;
        client.log_in(name).map_err(|failed| {
            failed.or_error(remote, |failure| {
                client.error(Statement::new("nfs-tried-log-in"), failure)
            })
        })?;
        client.limits.slots = client.connection.enter(None, SLOTS_MAX, MESSAGE_BYTES);
        client
            .nothing_3()
            .map_err(|failure| client.error(Statement::new("nfs-tried-introduce-3"), failure))?;
        Ok(client)
    }

    pub(super) fn enter_export_3(&mut self) -> Result<(), NotEntered> {
        let mounted = mount::mount(
            &self.remote,
            self.port,
            self.options.mount_port,
            &self.options.stop,
        )?;
        self.judge_flavors(&mounted.flavors)?;
        let path = self.remote.path.clone();
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        self.root = mounted.root;
        (self.exports, self.flavors) = (mounted.offered, mounted.flavors);
        self.above = match mounted.names {
            0 | 1 => Vec::new(),
            to => names[1..to].iter().map(|name| name.to_string()).collect(),
        };
        if let (0, Some(first)) = (mounted.names, names.first()) {
            let tried = Statement::new("nfs-tried-enter").name("export", *first);
            let found = self.walk_3(mounted.root, &[*first]);
            self.root = found.map_err(|failure| self.error(tried, failure))?;
        }
        let folder = self.deepest()?;
        let limits = self.request_3(|call| calls::limits(call, &folder), replies::limits);
        let limits = limits
            .map_err(|failure| self.error(Statement::new("nfs-tried-ask-limits"), failure))?;
        let within = |max: u32| match max {
            0..DATA_LEAST_BYTES => DATA_LEAST_BYTES,
            max => round_up_to_pages(max.min(DATA_MAX_BYTES)),
        };
        self.limits.read_max_bytes = within(limits.read_max_bytes);
        self.limits.write_max_bytes = within(limits.write_max_bytes);
        Ok(())
    }

    /// The procedure NULL.
    pub(super) fn nothing_3(&mut self) -> Got<()> {
        self.request_3(|call| call.procedure(0), |_| Ok(()))
    }

    fn request_3<T>(
        &mut self,
        build: impl Fn(&mut Call),
        mut read: impl FnMut(&mut Reader<'_>) -> Got<T>,
    ) -> Got<T> {
        exchange(
            &mut self.connection,
            &mut self.none,
            build,
            |connection, answer| read(&mut connection.reply(answer)?),
        )
    }

    pub(super) fn walk_3(&mut self, from: FileHandle, names: &[&str]) -> Got<FileHandle> {
        let mut names = names;
        if from == self.root && !names.is_empty() {
            if self.only_name(names).is_some() {
                return Ok(self.root);
            }
            let is_inside = self
                .above
                .iter()
                .zip(names)
                .all(|(above, name)| above == name);
            if !is_inside {
                return Err(Failure::Status(Status::NOENT));
            }
            names = &names[self.above.len()..];
        }
        let mut at = from;
        for name in names {
            at = self
                .request_3(|call| calls::look_up(call, &at, name), replies::look_up)?
                .0;
        }
        Ok(at)
    }

    pub(super) fn attributes_3(&mut self, of: FileHandle) -> Got<Attributes> {
        self.request_3(
            |call| calls::get_attributes(call, &of),
            replies::get_attributes,
        )
    }

    pub(super) fn room_3(&mut self, of: FileHandle) -> Got<Attributes> {
        self.request_3(|call| calls::room(call, &of), replies::room)
    }

    pub(super) fn page_3(
        &mut self,
        folder: FileHandle,
        page: &Page,
        each: &mut dyn FnMut(Entry),
    ) -> Got<Page> {
        let from = (page.cookie, page.verifier);
        let mut request = |client: &mut Client, plain: bool| {
            client.request_3(
                |call| calls::list(call, &folder, from, LISTING_BYTES, plain),
                |reader| replies::list(reader, plain, &mut *each),
            )
        };
        if !self.lists_plain {
            match request(self, false) {
                Err(Failure::Status(Status::NOTSUPP)) => self.lists_plain = true,
                result => return result,
            }
        }
        request(self, true)
    }

    pub(super) fn open_3(&mut self, folder: FileHandle, opening: Opening<'_>) -> Got<FileHandle> {
        match opening {
            Opening::Existing(name) => self.walk_one(folder, name),
            Opening::New(name) => {
                let made =
                    self.request_3(|call| calls::create(call, &folder, name), replies::made)?;
                match made.handle {
                    Some(file) => Ok(file),
                    None => self.walk_one(folder, name),
                }
            }
            // A handle outlives the server.
            Opening::Reclaimed => Ok(folder),
        }
    }

    /// In a folder that lies in the export.
    fn walk_one(&mut self, folder: FileHandle, name: &str) -> Got<FileHandle> {
        let found = self.request_3(|call| calls::look_up(call, &folder, name), replies::look_up)?;
        Ok(found.0)
    }

    pub(super) fn read_3(
        &mut self,
        file: FileHandle,
        at: u64,
        len: u32,
        take: &mut dyn FnMut(bool, &[u8]) -> Got<bool>,
    ) -> Got<bool> {
        self.request_3(
            |call| calls::read(call, &file, at, len),
            |reader| {
                let (is_end, data) = replies::read(reader)?;
                take(is_end, data)
            },
        )
    }

    pub(super) fn written_3(&self, answer: &Answer) -> Got<Written> {
        replies::written(&mut self.connection.reply(answer)?)
    }

    pub(super) fn commit_3(&mut self, file: FileHandle) -> Got<[u8; 8]> {
        self.request_3(|call| calls::commit(call, &file), replies::committed)
    }

    pub(super) fn set_size_3(&mut self, file: FileHandle, size: u64) -> Got<()> {
        self.request_3(|call| calls::set_size(call, &file, size), replies::done)
    }

    pub(super) fn make_folder_3(&mut self, folder: FileHandle, name: &str) -> Got<()> {
        let made = self.request_3(
            |call| calls::make_folder(call, &folder, name),
            replies::made,
        );
        made.map(drop)
    }

    pub(super) fn remove_3(&mut self, folder: FileHandle, name: &str, is_folder: bool) -> Got<()> {
        let remove = if is_folder {
            calls::remove_folder
        } else {
            calls::remove
        };
        self.request_3(|call| remove(call, &folder, name), replies::done)
    }
}
