//! What does a site do on an SMB share? Folders and files made, filled, listed and removed, one call at a time.

use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::target::remote::{Remote, Scheme};

use crate::share::{
    NextPiece, Share, ShareEntry, ShareError, ShareErrorKind, ShareKind, ShareRoom, SharedShare,
};
use crate::shares::smb::advice::naming_remedy;
use crate::shares::smb::answer::{Created, Fields, entries, part, queried};
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::exchange::{Reply, RequestHead};
use crate::shares::smb::connection::{Connection, SILENCE_MAX};
use crate::shares::smb::fault::{Fault, SmbResult, Tried, cannot};
use crate::shares::smb::frame_builder::{
    CLASS_DISPOSITION, CLASS_END_OF_FILE, CLASS_FULL_SIZE, FileHandle, Opening,
};
use crate::shares::smb::listing::Names;
use crate::shares::smb::referral::target_of;
use crate::shares::smb::session::{self, Access, Channel};
use crate::shares::smb::status::Status;
use crate::shares::smb::upload::{FILL_BYTES, FILL_DEPTH, Pieces, close, fill, frame, make_small};

/// A file of at most so many bytes is made in one frame.
const SMALL_FILE_BYTES: u64 = 64 << 10;
/// Bytes of names requested at once.
const LISTING_BYTES: u32 = 256 << 10;
/// What moves no data is answered sooner than a flush of much data: looks, removals.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// A share with its connection.
pub struct SmbShare {
    access: Access,
    /// Missing: lost, to be restored.
    channel: Option<Box<Channel>>,
    pieces: Pieces,
    /// The server did not respond after the stop request: no more requests are sent.
    gave_up: Option<Fault>,
}

pub static SHARE: ShareKind = ShareKind {
    scheme: Scheme::Smb,
    connect: |remote, secret, choice, stop| {
        let access = Access {
            remote: remote.clone(),
            secret: secret.cloned(),
            choice: choice.clone(),
            stop: stop.clone(),
        };
        Ok(SharedShare::new(Box::new(connect(access)?)))
    },
};

/// Connects to a share.
fn connect(access: Access) -> Result<SmbShare, ShareError> {
    let channel = session::open(&access, None).map_err(|fault| fault.on_opening(&access.remote))?;
    Ok(SmbShare {
        access,
        channel: Some(Box::new(channel)),
        pieces: Pieces(Vec::new()),
        gave_up: None,
    })
}

fn first(replies: &[Reply]) -> SmbResult<&Reply> {
    replies.first().ok_or_else(Fault::no_answer)
}

fn open(connection: &mut Connection, opening: Opening, path: &str) -> SmbResult<Created> {
    let replies = frame(connection, |connection| {
        connection
            .begin(RequestHead::plain(Command::Create))
            .create(opening, path)
    })?;
    Created::read(first(&replies)?.body())
}

/// Opens, does nothing more, closes: for what opening itself does, such as making a folder or marking a file for removal.
fn touch(connection: &mut Connection, opening: Opening, path: &str) -> SmbResult<Created> {
    let replies = frame(connection, |connection| {
        connection
            .begin(RequestHead::plain(Command::Create))
            .create(opening, path);
        connection
            .begin(RequestHead::plain(Command::Close))
            .close(FileHandle::RELATED);
    })?;
    Created::read(first(&replies)?.body())
}

/// Deletes a file. It is emptied first: a share with a recycle bin keeps what is deleted, and would keep all its bytes.
fn empty_and_delete(connection: &mut Connection, path: &str) -> SmbResult<()> {
    let replies = frame(connection, |connection| {
        connection
            .begin(RequestHead::plain(Command::Create))
            .create(Opening::TO_EMPTY_AND_DELETE, path);
        connection
            .begin(RequestHead::plain(Command::SetInfo))
            .set_info(FileHandle::RELATED, CLASS_END_OF_FILE, &0u64.to_le_bytes());
        connection
            .begin(RequestHead::plain(Command::Close))
            .close(FileHandle::RELATED);
    });
    match replies {
        // It was open, and is gone once it is closed, whatever its length.
        Err(Fault::Status(Command::SetInfo, _)) => Ok(()),
        replies => replies.map(drop),
    }
}

impl SmbShare {
    /// Does something with the share. A lost connection is restored once.
    fn with<T>(
        &mut self,
        tried: Tried,
        path: &str,
        mut act: impl FnMut(&mut Channel) -> SmbResult<T>,
    ) -> Result<T, ShareError> {
        let patience = match tried {
            Tried::MakeFile | Tried::Write => SILENCE_MAX,
            _ => ANSWER_MAX,
        };
        let mut tries = if self.channel.is_some() { 2 } else { 1 };
        loop {
            tries -= 1;
            let result = match (&self.gave_up, &mut self.channel) {
                (Some(fault), _) => Err(fault.clone()),
                (None, Some(channel)) => {
                    channel.connection.set_patience(patience);
                    act(channel)
                }
                (None, None) => match session::open(&self.access, None) {
                    Ok(channel) => act(self.channel.insert(Box::new(channel))),
                    Err(fault) => Err(fault),
                },
            };
            match result {
                Ok(value) => return Ok(value),
                Err(fault) => {
                    if fault.ends_connection() {
                        self.lose(&fault);
                        if tries > 0 && fault.may_pass() {
                            continue;
                        }
                    }
                    let leads_to = self.target_of_link(path, &fault);
                    return Err(explain(
                        &self.access.remote,
                        tried,
                        path,
                        (&fault, leads_to),
                    ));
                }
            }
        }
    }
}

impl SmbShare {
    /// Target of a path that is a DFS link, if the server reports it.
    fn target_of_link(&mut self, path: &str, fault: &Fault) -> Option<Remote> {
        let is_link = matches!(fault, Fault::Status(_, Status::PATH_NOT_COVERED));
        let channel = self.channel.as_mut().filter(|_| is_link)?;
        target_of(&mut channel.connection, &self.access.remote, path)
    }

    /// The connection is of no use any more.
    fn lose(&mut self, fault: &Fault) {
        self.channel = None;
        if matches!(fault, Fault::Stopped(_)) {
            self.gave_up = Some(fault.clone());
        }
    }
}

/// `leads_to`: if the path is a DFS link, the target that the server returns.
fn explain(
    remote: &Remote,
    tried: Tried,
    path: &str,
    (fault, leads_to): (&Fault, Option<Remote>),
) -> ShareError {
    let address = Remote {
        path: crate::share::join(remote.share(), path),
        user: None,
        domain: None,
        ..remote.clone()
    };
    let shown = address.to_string();
    let tried_at = tried.at(shown.trim_end_matches('/'));
    let (mut kind, reason, mut remedy) = fault.judged(remote);
    if let Fault::Status(_, status) = fault {
        // A missing folder on the path has another status than a missing name; both mean that nothing exists.
        if status.is_missing() {
            kind = ShareErrorKind::NotFound;
        }
        remedy = naming_remedy(tried.makes(), path, *status).unwrap_or(remedy);
    }
    if let Some(target) = leads_to {
        remedy = Statement::new("smb-dfs-link-leads-to").name("target", target.to_string());
    }
    ShareError {
        kind,
        why: cannot(tried_at, reason, remedy),
    }
}

/// FileFsFullSizeInformation (MS-FSCC 2.5.4); `None` where a server fills in nothing.
fn room_of(queried: &[u8]) -> Option<ShareRoom> {
    let fields = Fields(queried);
    let unit_bytes = u64::from(fields.u32(24)?).saturating_mul(u64::from(fields.u32(28)?));
    let bytes = |units: u64| units.saturating_mul(unit_bytes);
    let (free_bytes, total_bytes) = (bytes(fields.u64(8)?), bytes(fields.u64(0)?));
    (total_bytes > 0).then_some(ShareRoom {
        free_bytes,
        total_bytes,
    })
}

impl Share for SmbShare {
    fn room(&mut self) -> Result<Option<ShareRoom>, ShareError> {
        self.with(Tried::QueryFreeSpace, "", |channel| {
            let replies = frame(&mut channel.connection, |connection| {
                connection
                    .begin(RequestHead::plain(Command::Create))
                    .create(Opening::TO_LOOK, "");
                connection
                    .begin(RequestHead::plain(Command::QueryInfo))
                    .query_info(FileHandle::RELATED, 2, CLASS_FULL_SIZE, 32);
                connection
                    .begin(RequestHead::plain(Command::Close))
                    .close(FileHandle::RELATED);
            });
            let replies = match replies {
                // Not every server has a file system behind it, or knows the question.
                Err(Fault::Status(Command::QueryInfo, _)) => return Ok(None),
                replies => replies?,
            };
            let reply = replies.get(1).ok_or_else(Fault::no_answer)?;
            Ok(room_of(queried("QUERY_INFO", reply.body())?))
        })
    }

    fn look_up(&mut self, path: &str) -> Result<Option<ShareEntry>, ShareError> {
        let name = path.rsplit('/').next().unwrap_or_default().to_string();
        let found = self.with(Tried::LookAt, path, |channel| {
            match touch(&mut channel.connection, Opening::TO_LOOK, path) {
                Err(Fault::Status(_, status)) if status.is_missing() => Ok(None),
                result => result.map(Some),
            }
        })?;
        Ok(found.map(|created| ShareEntry {
            name,
            is_folder: created.is_folder,
            size_bytes: created.size_bytes,
        }))
    }

    fn list(&mut self, folder: &str) -> Result<Vec<ShareEntry>, ShareError> {
        self.with(Tried::List, folder, |channel| {
            let connection = &mut channel.connection;
            let opened = open(connection, Opening::TO_LIST, folder)?;
            let (mut found, mut names) = (Vec::new(), Names::new());
            for round in 0.. {
                let bytes_max = LISTING_BYTES.min(channel.agreed.transact_max_bytes);
                let head = RequestHead {
                    bytes: connection.affordable(bytes_max),
                    ..RequestHead::plain(Command::QueryDirectory)
                };
                connection
                    .begin(head)
                    .query_directory(opened.file, round == 0, head.bytes);
                let reply = connection.reply()?;
                if reply.header.status == Status::NO_MORE_FILES {
                    break;
                }
                let reply = reply.success(Command::QueryDirectory)?;
                let before = found.len();
                entries(queried("QUERY_DIRECTORY", reply.body())?, &mut found)?;
                names.add(&found, before)?;
            }
            close(connection, opened.file)?;
            Ok(found)
        })
    }

    fn make_folder(&mut self, path: &str) -> Result<(), ShareError> {
        self.with(Tried::MakeFolder, path, |channel| {
            touch(&mut channel.connection, Opening::NEW_FOLDER, path).map(drop)
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
        let (tried, opening) = if is_new {
            (Tried::MakeFile, Opening::NEW)
        } else {
            (Tried::Write, Opening::TO_WRITE)
        };
        if is_new && start == 0 && len <= SMALL_FILE_BYTES {
            let mut data = vec![0; len as usize];
            if !next(0, &mut data) {
                return Ok(false);
            }
            return self
                .with(tried, path, |channel| {
                    make_small(&mut channel.connection, path, &data)
                })
                .map(|()| true);
        }
        let created = self.with(tried, path, |channel| {
            open(&mut channel.connection, opening, path)
        })?;
        self.pieces.0.resize((FILL_DEPTH * FILL_BYTES) as usize, 0);
        let Some(channel) = &mut self.channel else {
            return Ok(false);
        };
        channel.connection.set_patience(SILENCE_MAX);
        let filled = fill(
            channel,
            &mut self.pieces,
            created.file,
            start..start + len,
            next,
        );
        if let Some(fault) = filled
            .as_ref()
            .err()
            .filter(|fault| fault.ends_connection())
        {
            self.lose(fault);
        }
        filled.map_err(|fault| explain(&self.access.remote, Tried::Write, path, (&fault, None)))
    }

    fn read_file(&mut self, path: &str, start: u64, max: usize) -> Result<Vec<u8>, ShareError> {
        self.with(Tried::Read, path, |channel| {
            let connection = &mut channel.connection;
            let opened = open(connection, Opening::TO_READ, path)?;
            let mut content = Vec::new();
            while content.len() < max {
                let bytes_max = ((max - content.len()).min(FILL_BYTES as usize) as u32)
                    .min(channel.agreed.read_max_bytes);
                let bytes = connection.affordable(bytes_max);
                connection
                    .begin(RequestHead {
                        bytes,
                        ..RequestHead::plain(Command::Read)
                    })
                    .read(opened.file, start + content.len() as u64, bytes);
                let reply = connection.reply()?;
                if reply.header.status == Status::END_OF_FILE {
                    break;
                }
                let reply = reply.success(Command::Read)?;
                let fields = Fields(reply.body());
                let data = part("READ", || {
                    crate::shares::smb::answer::data(
                        reply.body(),
                        usize::from(fields.u8(2)?),
                        fields.u32(4)? as usize,
                    )
                })?;
                if data.is_empty() || data.len() > bytes as usize {
                    return Err(Fault::read_too_long(data.len(), bytes));
                }
                content.extend_from_slice(data);
            }
            close(connection, opened.file)?;
            Ok(content)
        })
    }

    fn set_length(&mut self, path: &str, len: u64) -> Result<(), ShareError> {
        self.with(Tried::SetLength, path, |channel| {
            let replies = frame(&mut channel.connection, |connection| {
                connection
                    .begin(RequestHead::plain(Command::Create))
                    .create(Opening::TO_WRITE, path);
                connection
                    .begin(RequestHead::plain(Command::SetInfo))
                    .set_info(FileHandle::RELATED, CLASS_END_OF_FILE, &len.to_le_bytes());
                connection
                    .begin(RequestHead::plain(Command::Close))
                    .close(FileHandle::RELATED);
            });
            replies.map(drop)
        })
    }

    fn remove_file(&mut self, path: &str) -> Result<(), ShareError> {
        self.with(Tried::Remove, path, |channel| {
            match empty_and_delete(&mut channel.connection, path) {
                // Who may delete a file need not be one who may write it.
                Err(Fault::Status(Command::Create, Status::ACCESS_DENIED)) => {
                    touch(&mut channel.connection, Opening::TO_DELETE, path).map(drop)
                }
                result => result,
            }
        })
    }

    fn remove_folder(&mut self, path: &str) -> Result<(), ShareError> {
        self.with(Tried::RemoveFolder, path, |channel| {
            let replies = frame(&mut channel.connection, |connection| {
                connection
                    .begin(RequestHead::plain(Command::Create))
                    .create(Opening::TO_DELETE_FOLDER, path);
                // Not by an option of CREATE: with that a folder that is not empty stays, and no error is returned.
                connection
                    .begin(RequestHead::plain(Command::SetInfo))
                    .set_info(FileHandle::RELATED, CLASS_DISPOSITION, &[1]);
                connection
                    .begin(RequestHead::plain(Command::Close))
                    .close(FileHandle::RELATED);
            });
            replies.map(drop)
        })
    }
}
