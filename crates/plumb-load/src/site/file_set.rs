//! Where do the small files of file operations lie, and how are they brought into a known state?

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::fill::{Activity, Preparing, Progress};
use super::host::{self, Flags};
use super::on_share::path_text;
use super::refusal::SiteError;
use crate::share::SharedShare;

/// Files in one directory: more would measure the size of directories, not the file system.
const FILES_PER_DIRECTORY: u64 = 1000;
/// Small files made between two looks at the stop flag.
const FILES_AT_ONCE: u64 = 100;

/// The small files of file operations, by number.
#[derive(Debug, Clone)]
pub struct FileSet {
    /// A folder of plumb's own; relative to the share when it lies on one.
    folder: PathBuf,
    lies: Lies,
}

/// Where the files of a set lie.
#[derive(Debug, Clone)]
enum Lies {
    Locally,
    OnShare(SharedShare),
    /// They exist by name only (`null:`).
    Nowhere,
}

impl FileSet {
    /// A set under a local `folder`; nothing is made yet.
    pub(super) fn local(folder: PathBuf) -> FileSet {
        FileSet { folder, lies: Lies::Locally }
    }

    /// A set under `folder` of a share; nothing is made yet.
    pub(super) fn on_share(share: SharedShare, folder: &str) -> FileSet {
        FileSet { folder: PathBuf::from(folder), lies: Lies::OnShare(share) }
    }

    /// A set of names.
    pub(super) fn imaginary(folder: PathBuf) -> FileSet {
        FileSet { folder, lies: Lies::Nowhere }
    }

    /// The name of file `number`: 1000 to a directory.
    pub fn path(&self, number: u64) -> PathBuf {
        self.folder.join((number / FILES_PER_DIRECTORY).to_string()).join(number.to_string())
    }

    /// Makes the set anew: files below `existing` are there with `bytes_each` bytes of content (as file 0 from `number * bytes_each` on), durable and not
    /// cached; all others are not there. The directories of the files that exist are there, and that of file 0.
    ///
    /// # Errors
    /// When a file cannot be made, with its name; [`SiteError::Stopped`] when the caller wants to end.
    pub fn reset(&self, existing: u64, bytes_each: u64, preparing: &mut Preparing<'_>) -> Result<(), SiteError> {
        match &self.lies {
            Lies::Nowhere => return Ok(()),
            Lies::OnShare(share) => share.remove_all(&path_text(&self.folder))?,
            Lies::Locally => clear(&self.folder)?,
        }
        self.make_directories(existing)?;
        let total_bytes = existing * bytes_each;
        let mut content = vec![0; bytes_each as usize];
        for number in 0..existing {
            if number % FILES_AT_ONCE == 0 {
                preparing.go_on()?;
                let done_bytes = number * bytes_each;
                (preparing.progress)(Progress { activity: Activity::MakingFiles, path: &self.folder, done_bytes, total_bytes });
            }
            (preparing.fill)(0, number * bytes_each, &mut content);
            self.make(&self.path(number), &content)?;
        }
        if existing > 0 && matches!(self.lies, Lies::Locally) {
            self.settle(existing, bytes_each).map_err(SiteError::kernel("sync", &self.folder))?;
        }
        Ok(())
    }

    /// Makes the directories of the files that will exist, and that of file 0.
    fn make_directories(&self, existing: u64) -> Result<(), SiteError> {
        if let Lies::OnShare(share) = &self.lies {
            share.lock().make_folder(&path_text(&self.folder))?;
        }
        for directory in 0..existing.max(1).div_ceil(FILES_PER_DIRECTORY) {
            let path = self.folder.join(directory.to_string());
            match &self.lies {
                Lies::OnShare(share) => share.lock().make_folder(&path_text(&path))?,
                _ => fs::create_dir_all(&path).map_err(SiteError::kernel("make", &path))?,
            }
        }
        Ok(())
    }

    /// Makes one file with this content. On a share it is flushed by itself.
    fn make(&self, path: &Path, content: &[u8]) -> Result<(), SiteError> {
        let Lies::OnShare(share) = &self.lies else {
            return make(path, content).map_err(SiteError::kernel("make", path));
        };
        let mut next = |offset: u64, piece: &mut [u8]| {
            piece.copy_from_slice(&content[offset as usize..offset as usize + piece.len()]);
            true
        };
        share.lock().write_file(&path_text(path), true, 0, content.len() as u64, &mut next)?;
        Ok(())
    }

    /// One sync for all, then each file's pages are dropped.
    fn settle(&self, existing: u64, bytes_each: u64) -> io::Result<()> {
        host::sync_file_system(&File::open(&self.folder)?)?;
        for number in 0..existing {
            let file = host::open(&self.path(number), Flags { read: true, ..Flags::default() })?;
            // As with large files: a cache that cannot be dropped is no reason to stop.
            let _ = host::forget_cached(&file, 0, bytes_each);
        }
        Ok(())
    }
}

fn make(path: &Path, content: &[u8]) -> io::Result<()> {
    host::open(path, Flags { write: true, create: true, ..Flags::default() })?.write_all(content)
}

/// Removes what file operations left: numbered folders and what is in them, nothing else.
fn clear(folder: &Path) -> Result<(), SiteError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(SiteError::kernel("clear", folder)(error)),
    };
    for entry in entries.flatten() {
        let numbered = entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
        if numbered {
            fs::remove_dir_all(entry.path()).map_err(SiteError::kernel("clear", &entry.path()))?;
        }
    }
    Ok(())
}
