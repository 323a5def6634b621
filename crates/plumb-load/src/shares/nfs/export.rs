//! How are files of an NFS export made, filled, listed and removed outside of a measurement?

use std::collections::VecDeque;
use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::target::remote::{Remote, Scheme};

use super::buffers::{Blocks, Part};
use super::call::{Access, FileHandle, Opening, Stability, StateId};
use super::client::{Client, ConnectOptions, unique_name};
use super::refusal::unreachable;
use super::results::{Attributes, Failure};
use super::status::Status;
use crate::engine::statement_of_error;
use crate::share::{
    NextPiece, Share, ShareEntry, ShareError, ShareErrorKind, ShareKind, ShareRoom, SharedShare,
};

/// Writes that are on their way at the same time.
const WRITES_AT_ONCE: usize = 8;
/// Content is generated in pieces of this many bytes.
const PIECE_BYTES: u64 = 4 << 20;
/// How often, and after which pause, a request is repeated if the server asks for a retry later.
const DELAYS_MAX: u32 = 600;
const PAUSE: Duration = Duration::from_millis(50);

pub static SHARE: ShareKind = ShareKind {
    scheme: Scheme::Nfs,
    connect: |remote, _, choice, stop| connect(remote, ConnectOptions::of(choice, stop)),
};

/// Connects to the export of this address.
fn connect(remote: &Remote, options: ConnectOptions) -> Result<SharedShare, ShareError> {
    let (client, blocks) = enter(remote, options)?;
    Ok(SharedShare::new(Box::new(Export {
        remote: remote.clone(),
        client,
        blocks,
        gave_up: None,
    })))
}

fn enter(remote: &Remote, options: ConnectOptions) -> Result<(Client, Blocks), ShareError> {
    let mut client = Client::connect(remote, options, &unique_name())?;
    client.enter_export()?;
    let blocks = Blocks::own(1, PIECE_BYTES as usize)
        .map_err(|error| unreachable(remote, statement_of_error(&error)))?;
    Ok((client, blocks))
}

/// What became of the content of a file.
struct Filled {
    /// All of it was written.
    is_complete: bool,
    /// The server has some of it in memory alone.
    is_to_be_committed: bool,
}

/// An export, by a connection of its own.
struct Export {
    remote: Remote,
    client: Client,
    blocks: Blocks,
    /// The server did not respond after the stop request: no more requests are sent.
    gave_up: Option<Failure>,
}

/// Folder and name of a path; `None` for the export itself.
fn split(path: &str) -> Option<(&str, &str)> {
    match path.rsplit_once('/') {
        Some(parts) => Some(parts),
        None if path.is_empty() => None,
        None => Some(("", path)),
    }
}

fn names(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}

fn entry(name: &str, attributes: &Attributes) -> ShareEntry {
    ShareEntry {
        name: name.to_string(),
        is_folder: attributes.is_folder(),
        size_bytes: attributes.size_bytes.unwrap_or(0),
    }
}

type Got<T> = Result<T, Failure>;

impl Export {
    /// Does something, and once more with a new connection when the old one turns out to be lost.
    fn attempt<T>(
        &mut self,
        tried: Statement,
        mut attempt: impl FnMut(&mut Export) -> Got<T>,
    ) -> Result<T, ShareError> {
        if let Some(failure) = &self.gave_up {
            return Err(self.client.error(tried, failure.clone()));
        }
        let mut result = attempt(self);
        let lost = match &result {
            Err(Failure::Connection(_) | Failure::Unsupported(_)) => true,
            Err(Failure::Status(status)) => status.ends_session(),
            Err(Failure::Stopped(_)) | Ok(_) => false,
        };
        if lost {
            (self.client, self.blocks) = enter(&self.remote, self.client.agreed())?;
            result = attempt(self);
        }
        result.map_err(|failure| self.share_error(tried, failure))
    }

    /// The error as text; after a stop no more requests are sent.
    fn share_error(&mut self, tried: Statement, failure: Failure) -> ShareError {
        if matches!(failure, Failure::Stopped(_)) {
            self.gave_up = Some(failure.clone());
        }
        self.client.error(tried, failure)
    }

    fn walk(&mut self, path: &str) -> Got<FileHandle> {
        let root = self.client.root();
        self.client.walk(root, &names(path))
    }

    /// The folder of a path, which must not be the export itself, and the name in it.
    fn folder_of<'a>(&mut self, path: &'a str) -> Got<(FileHandle, &'a str)> {
        let (folder, name) = split(path).ok_or(Failure::Status(Status::INVAL))?;
        if let Some(only) = self.client.only_name(&names(folder)) {
            // Above the export, where there is nothing but the way to it.
            let status = if only == name {
                Status::EXIST
            } else {
                Status::ROFS
            };
            return Err(Failure::Status(status));
        }
        Ok((self.walk(folder)?, name))
    }

    fn open(&mut self, path: &str, is_new: bool, access: Access) -> Got<(FileHandle, StateId)> {
        let (folder, name) = self.folder_of(path)?;
        self.client.open(
            folder,
            if is_new {
                Opening::New(name)
            } else {
                Opening::Existing(name)
            },
            access,
        )
    }

    /// Fills a range of an open file, piece by piece.
    fn fill(
        &mut self,
        file: (FileHandle, StateId),
        start: u64,
        len: u64,
        next: NextPiece<'_>,
    ) -> Got<Filled> {
        let (mut at, end) = (start, start + len);
        let mut filled = Filled {
            is_complete: true,
            is_to_be_committed: false,
        };
        while at < end {
            let part = Part {
                block: 0,
                at: 0,
                len: PIECE_BYTES.min(end - at) as u32,
            };
            if !next(at, self.blocks.get_mut(part)) {
                filled.is_complete = false;
                break;
            }
            filled.is_to_be_committed |= self.write(file, at, part)?;
            at += u64::from(part.len);
        }
        Ok(filled)
    }

    /// Writes one piece, several requests on their way; is any of it to be committed?
    fn write(&mut self, file: (FileHandle, StateId), at: u64, piece: Part) -> Got<bool> {
        let each = self.client.limits().write_max_bytes as usize;
        let parts = (0..piece.len).step_by(each);
        let mut queue: VecDeque<Part> = parts
            .map(|at| Part {
                at,
                len: (each as u32).min(piece.len - at),
                ..piece
            })
            .collect();
        let (mut flying, mut delays): (Vec<Option<Part>>, u32) = (vec![None; WRITES_AT_ONCE], 0);
        let mut is_to_be_committed = false;
        while !queue.is_empty() || flying.iter().any(Option::is_some) {
            while let Some(token) = flying.iter().position(Option::is_none)
                && self.client.connection().has_free_slot()
                && let Some(part) = queue.pop_front()
            {
                let from = at + u64::from(part.at);
                let call = self
                    .client
                    .write_call(file, from, Stability::Unstable, part);
                self.client.connection().send(call, token as u64, None)?;
                flying[token] = Some(part);
            }
            let answer = self.client.await_answer(&mut self.blocks)?;
            let Some(part) = flying.get_mut(answer.token as usize).and_then(Option::take) else {
                continue;
            };
            let written = self.client.written(&answer);
            is_to_be_committed |=
                matches!(&written, Ok(written) if written.stability == Stability::Unstable);
            match written.map(|written| written.bytes) {
                Err(Failure::Status(status)) if status.means_retry() && delays < DELAYS_MAX => {
                    delays += 1;
                    std::thread::sleep(PAUSE);
                    queue.push_front(part);
                }
                Err(failure) => return Err(failure),
                // A server may write less than it was given.
                Ok(bytes) if bytes > 0 && bytes < part.len => {
                    queue.push_front(Part {
                        at: part.at + bytes,
                        len: part.len - bytes,
                        ..part
                    });
                }
                Ok(bytes) if bytes == part.len => {}
                Ok(bytes) => {
                    return Err(Failure::Connection(
                        Statement::new("nfs-written-too-much")
                            .count("bytes", u64::from(bytes))
                            .count("asked", u64::from(part.len)),
                    ));
                }
            }
        }
        Ok(is_to_be_committed)
    }
}

impl Export {
    fn remove(&mut self, path: &str, is_folder: bool) -> Result<(), ShareError> {
        let tried = Statement::new("nfs-tried-remove").name("path", path);
        self.attempt(tried, |export| {
            let (folder, name) = export.folder_of(path)?;
            export.client.remove(folder, name, is_folder)
        })
    }
}

impl Share for Export {
    fn room(&mut self) -> Result<Option<ShareRoom>, ShareError> {
        // The export may lie below the first name, and what is named need not exist yet: the deepest folder that is there.
        let path = self.remote.below_share().to_string();
        let room = self.attempt(Statement::new("nfs-tried-ask-for-room"), |export| {
            // The deepest folder that is there.
            let names = names(&path);
            let mut part = export.client.root();
            for count in (1..=names.len()).rev() {
                match export.client.walk(part, &names[..count]) {
                    Ok(deepest) => {
                        part = deepest;
                        break;
                    }
                    Err(Failure::Status(_)) => {}
                    Err(failure) => return Err(failure),
                }
            }
            export.client.room(part)
        })?;
        match (room.free_bytes, room.total_bytes) {
            (Some(free_bytes), Some(total_bytes)) => Ok(Some(ShareRoom {
                free_bytes,
                total_bytes,
            })),
            _ => {
                let why =
                    Statement::new("nfs-room-is-not-said").name("target", self.remote.to_string());
                Err(ShareError {
                    kind: ShareErrorKind::Other,
                    why,
                })
            }
        }
    }

    fn look_up(&mut self, path: &str) -> Result<Option<ShareEntry>, ShareError> {
        let tried = Statement::new("nfs-tried-look-up").name("path", path);
        let found = self.attempt(tried, |export| match export.walk(path) {
            Ok(handle) => export.client.attributes(handle).map(Some),
            Err(Failure::Status(Status::NOENT)) => Ok(None),
            Err(failure) => Err(failure),
        })?;
        Ok(found.map(|attributes| entry(split(path).map_or("", |(_, name)| name), &attributes)))
    }

    fn list(&mut self, folder: &str) -> Result<Vec<ShareEntry>, ShareError> {
        let tried = Statement::new("nfs-tried-list").name("path", folder);
        let entries = self.attempt(tried, |export| {
            if let Some(only) = export.client.only_name(&names(folder)) {
                return Ok(vec![(only.to_string(), Attributes::FOLDER)]);
            }
            let handle = export.walk(folder)?;
            export.client.list(handle)
        })?;
        Ok(entries
            .iter()
            .map(|(name, attributes)| entry(name, attributes))
            .collect())
    }

    fn make_folder(&mut self, path: &str) -> Result<(), ShareError> {
        let tried = Statement::new("nfs-tried-make-folder").name("path", path);
        self.attempt(tried, |export| {
            let (folder, name) = export.folder_of(path)?;
            export.client.make_folder(folder, name)
        })
    }

    fn write_file(
        &mut self,
        path: &str,
        is_new: bool,
        start: u64,
        len: u64,
        next: NextPiece<'_>,
    ) -> Result<bool, ShareError> {
        let tried = Statement::new("nfs-tried-write").name("path", path);
        // Only the opening is tried again: what `next` has given is gone.
        let (file, state) = self.attempt(tried.clone(), |export| {
            export.open(path, is_new, Access::Write)
        })?;
        let filled = self.fill((file, state), start, len, next);
        let settled = filled.and_then(|filled| {
            // Data that the server reports as stable needs no COMMIT, which not every server supports.
            if filled.is_to_be_committed {
                self.client.commit(file)?;
            }
            Ok(filled.is_complete)
        });
        if !matches!(settled, Err(Failure::Connection(_) | Failure::Stopped(_))) {
            let _ = self.client.close(file, state);
        }
        settled.map_err(|failure| self.share_error(tried, failure))
    }

    fn read_file(&mut self, path: &str, start: u64, max: usize) -> Result<Vec<u8>, ShareError> {
        let tried = Statement::new("nfs-tried-read").name("path", path);
        self.attempt(tried, |export| {
            let (file, state) = export.open(path, false, Access::Read)?;
            let mut bytes = Vec::new();
            let each = export.client.limits().read_max_bytes.min(256 << 10);
            while bytes.len() < max {
                let at = start + bytes.len() as u64;
                let len = each.min((max - bytes.len()) as u32);
                let is_end = export.client.read((file, state), at, len, &mut bytes)?;
                if is_end {
                    break;
                }
            }
            export.client.close(file, state)?;
            Ok(bytes)
        })
    }

    fn set_length(&mut self, path: &str, len: u64) -> Result<(), ShareError> {
        let tried = Statement::new("nfs-tried-set-length").name("path", path);
        self.attempt(tried, |export| {
            let (file, state) = export.open(path, false, Access::Write)?;
            let set = export.client.set_size((file, state), len);
            export.client.close(file, state)?;
            set
        })
    }

    fn remove_file(&mut self, path: &str) -> Result<(), ShareError> {
        self.remove(path, false)
    }

    fn remove_folder(&mut self, path: &str) -> Result<(), ShareError> {
        self.remove(path, true)
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        if self.gave_up.is_none() {
            self.client.leave();
        }
    }
}
