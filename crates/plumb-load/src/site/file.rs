//! Which file or range of a file is used, and how is it opened by the folder that it lies in?

use std::path::{Path, PathBuf};

use crate::site::scratch::folder::Folder;
use crate::system::files::{self, Identity};

/// What a target turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteKind {
    /// A directory; plumb makes its own files in it.
    Directory,
    /// A regular file, of the user or made for the run.
    File,
    BlockDevice,
    CharacterDevice,
    /// A folder or file of a share.
    Share,
    /// `null:`.
    Null,
}

/// A range of a file, as one worker or all of them use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// Number within the site: the content callback and verification know the file by it.
    pub index: u32,
    /// Symlinks resolved; `null:` for none.
    pub path: PathBuf,
    /// First byte in use, and how many.
    pub start: u64,
    pub len: u64,
    pub kind: SiteKind,
    /// Which file it was when it was judged; `open_file` refuses any other. `None` if the system does not report it.
    pub identity: Option<Identity>,
    /// The folder of plumb's own that it lies in: it is opened by that, not by its path.
    pub folder: Option<Folder>,
}

impl SiteFile {
    /// Opens the file, or what has taken its name: callers that write compare the identity first.
    pub(super) fn open(&self, flags: files::Flags) -> std::io::Result<std::fs::File> {
        match (&self.folder, self.path.file_name()) {
            (Some(folder), Some(name)) => folder.open(Path::new(name), flags),
            _ => files::open(&self.path, flags),
        }
    }
}

/// A path on a share as text; made from text, so nothing is lost.
pub fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
