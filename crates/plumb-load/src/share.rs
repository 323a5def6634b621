//! What does a site need from a share that plumb accesses itself? Folders and files made, filled, listed and removed, outside of any measurement.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plumb_model::statement::Statement;
use plumb_model::target::remote::{Remote, Scheme};
use plumb_model::workload::EngineChoice;
use plumb_words::english;

use crate::engine::stop_request::StopRequest;
use crate::secret::Secret;

/// What is wrong, for those who have to choose what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareErrorKind {
    NotFound,
    Exists,
    /// Wrong password, no permission, a read-only share.
    Denied,
    Full,
    /// No connection, or lost and not restored.
    Unreachable,
    Other,
}

/// A share refused something: what, where, the server's status, and what to do next. It is shown in English.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", english(.why))]
pub struct ShareError {
    pub kind: ShareErrorKind,
    pub why: Statement,
}

/// Size of the file system behind a share, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareRoom {
    pub free_bytes: u64,
    pub total_bytes: u64,
}

/// A name on a share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareEntry {
    /// Without the folder.
    pub name: String,
    pub is_folder: bool,
    pub size_bytes: u64,
}

/// Gives the next piece of content: (offset in the file, bytes to set). Pieces have any length and follow each other without gaps. `false`: stop, the user wants to end.
pub type NextPiece<'a> = &'a mut dyn FnMut(u64, &mut [u8]) -> bool;

/// A share of files by a protocol of plumb's own. Paths are relative to the share, with `/` between names, and `""` is the share itself. Each call
/// waits for the server's answer; one that finds the connection lost connects again, once, before it fails.
pub trait Share: Send {
    /// Folders are beginnings of names: one that nothing lies in is as good as one that exists.
    fn has_prefixes(&self) -> bool {
        false
    }

    /// Room of the file system behind the share; `None`: not reported by the server.
    ///
    /// # Errors
    /// This and all others: [`ShareError`] with the server's status.
    fn room(&mut self) -> Result<Option<ShareRoom>, ShareError>;

    /// What is there by this name; `None`: nothing.
    fn look_up(&mut self, path: &str) -> Result<Option<ShareEntry>, ShareError>;

    /// All names in a folder, without `.` and `..`.
    fn list(&mut self, folder: &str) -> Result<Vec<ShareEntry>, ShareError>;

    /// Makes a folder; its parent exists. One that exists already is an error of kind [`ShareErrorKind::Exists`].
    fn make_folder(&mut self, path: &str) -> Result<(), ShareError>;

    /// Writes `len` bytes from `start` on, several requests at once, then flushes the file to stable storage. `is_new`: makes the file, which must not exist;
    /// else it exists and is overwritten in place. Returns `false` if `next` stopped it.
    fn write_file(
        &mut self,
        path: &str,
        is_new: bool,
        start: u64,
        len: u64,
        next: NextPiece<'_>,
    ) -> Result<bool, ShareError>;

    /// Bytes of a file from `start` on: at most `max`, and less where it ends before.
    fn read_file(&mut self, path: &str, start: u64, max: usize) -> Result<Vec<u8>, ShareError>;

    /// Sets the length of a file that exists.
    fn set_length(&mut self, path: &str, len: u64) -> Result<(), ShareError>;

    /// Removes a file; one that is not there is an error of kind [`ShareErrorKind::NotFound`].
    fn remove_file(&mut self, path: &str) -> Result<(), ShareError>;

    /// Removes files, each as [`Share::remove_file`]. What is gone already is no error.
    ///
    /// # Errors
    /// The first that could not be removed.
    fn remove_files(&mut self, paths: &[String]) -> Result<(), ShareError> {
        paths
            .iter()
            .try_for_each(|path| unless_gone(self.remove_file(path)))
    }

    /// Removes an empty folder.
    fn remove_folder(&mut self, path: &str) -> Result<(), ShareError>;
}

/// Names that a folder may have: beyond that, a server lists without end.
pub const NAMES_MAX: usize = 1 << 20;
/// Bytes that the names of one folder may have together.
pub const NAMES_BYTES_MAX: usize = 128 << 20;
/// Folders within each other that are removed: plumb makes three, and those of the tree of a copy test.
const DEPTH_MAX: usize = 64;

/// Begin of the names of scratch folders, as on local file systems.
pub const OWN_PREFIX: &str = ".plumb-";

/// True of the names that scratch folders have: the prefix and 16 hexadecimal digits.
fn is_scratch_name(name: &str) -> bool {
    name.strip_prefix(OWN_PREFIX)
        .is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// True of a name that a file can have: a server that lists another one would lead out of the folder.
pub fn is_plain_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\0'])
}

/// A share that site and file set use together.
#[derive(Clone)]
pub struct SharedShare(Arc<Mutex<Box<dyn Share>>>);

impl SharedShare {
    /// Shares it.
    pub fn new(share: Box<dyn Share>) -> SharedShare {
        SharedShare(Arc::new(Mutex::new(share)))
    }

    /// For one call or several in a row.
    pub fn lock(&self) -> MutexGuard<'_, Box<dyn Share>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names of the folders that runs of plumb made in a folder. Whether their run is still active is not visible from here.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn folders_of_runs(&self, folder: &str) -> Result<Vec<String>, ShareError> {
        let entries = self.lock().list(folder)?;
        let own = entries
            .into_iter()
            .filter(|entry| entry.is_folder && is_scratch_name(&entry.name));
        Ok(own.map(|entry| entry.name).collect())
    }

    /// Removes a file, or a folder with all that is in it. What is gone already is no error.
    ///
    /// # Errors
    /// The first that could not be removed; the rest stays.
    pub fn remove_all(&self, path: &str) -> Result<(), ShareError> {
        self.remove_down_to(path, DEPTH_MAX)
    }

    fn remove_down_to(&self, path: &str, depth: usize) -> Result<(), ShareError> {
        let Some(entry) = self.lock().look_up(path)? else {
            return Ok(());
        };
        if !entry.is_folder {
            return unless_gone(self.lock().remove_file(path));
        }
        if depth == 0 {
            let why = Statement::new("share-folders-too-deep")
                .name("path", path)
                .count("folders", DEPTH_MAX as u64);
            return Err(ShareError {
                kind: ShareErrorKind::Other,
                why,
            });
        }
        let entries = self.plain_entries(path)?;
        let (folders, files): (Vec<ShareEntry>, Vec<ShareEntry>) =
            entries.into_iter().partition(|entry| entry.is_folder);
        for folder in folders {
            self.remove_down_to(&join(path, &folder.name), depth - 1)?;
        }
        let files: Vec<String> = files.iter().map(|file| join(path, &file.name)).collect();
        self.lock().remove_files(&files)?;
        unless_gone(self.lock().remove_folder(path))
    }
}

impl SharedShare {
    /// All names in a folder.
    ///
    /// # Errors
    /// It cannot be listed, or has a name that would lead out of it.
    pub fn plain_entries(&self, path: &str) -> Result<Vec<ShareEntry>, ShareError> {
        let entries = self.lock().list(path)?;
        // A backslash is a separator on SMB, and in no name that plumb gives.
        let foreign = entries
            .iter()
            .find(|entry| !is_plain_name(&entry.name) || entry.name.contains('\\'));
        match foreign {
            Some(entry) => Err(ShareError {
                kind: ShareErrorKind::Other,
                why: Statement::new("share-lists-a-foreign-name")
                    .name("path", path)
                    .name("name", format!("{:?}", entry.name)),
            }),
            None => Ok(entries),
        }
    }
}

impl std::fmt::Debug for SharedShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedShare")
    }
}

fn unless_gone(result: Result<(), ShareError>) -> Result<(), ShareError> {
    match result {
        Err(error) if error.kind == ShareErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// `folder/name`, or the name alone in the share itself.
pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_string()
    } else {
        format!("{folder}/{name}")
    }
}

/// A protocol of shares as the list knows it.
pub struct ShareKind {
    pub scheme: Scheme,
    /// Connects to the share of this address.
    ///
    /// # Errors
    /// No connection, a wrong password, no such share: one sentence with what to do.
    pub connect: fn(
        &Remote,
        Option<&Secret>,
        &EngineChoice,
        &StopRequest,
    ) -> Result<SharedShare, ShareError>,
}
