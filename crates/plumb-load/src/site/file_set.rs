//! Where do the small files of file operations lie, and how are they brought into a known state?

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::file_shape::FileShape;
use super::fill::{Activity, Preparing, Progress};
use super::host::{self, Flags};
use super::on_share::path_text;
use super::refusal::SiteError;
use crate::share::SharedShare;

/// Small files made between two looks at the stop flag.
const FILES_AT_ONCE: u64 = 100;

/// The small files of file operations, by number.
#[derive(Debug, Clone)]
pub struct FileSet {
    /// A folder of plumb's own; relative to the share when it lies on one.
    folder: PathBuf,
    lies: Lies,
    shape: FileShape,
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
        FileSet { folder, lies: Lies::Locally, shape: FileShape::default() }
    }

    /// A set under `folder` of a share; nothing is made yet.
    pub(super) fn on_share(share: SharedShare, folder: &str) -> FileSet {
        FileSet { folder: PathBuf::from(folder), lies: Lies::OnShare(share), shape: FileShape::default() }
    }

    /// A set of names.
    pub(super) fn imaginary(folder: PathBuf) -> FileSet {
        FileSet { folder, lies: Lies::Nowhere, shape: FileShape::default() }
    }

    /// Names, places and sizes of the files.
    pub fn shape(&self) -> &FileShape {
        &self.shape
    }

    /// The name of file `number`.
    pub fn path(&self, number: u64) -> PathBuf {
        self.shape.path(&self.folder, number)
    }

    /// The numbers of the files that lie in folder `number`, in the order in which the system lists them; none where there is no such folder.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn listed(&self, number: u64) -> io::Result<Vec<u64>> {
        let mut found = Vec::new();
        match fs::read_dir(self.folder.join(number.to_string())) {
            Ok(entries) => {
                for entry in entries {
                    found.extend(entry?.file_name().to_str().and_then(|name| self.shape.number(name)));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(found)
    }

    /// Brings all that was written in the file system of the set to stable storage.
    ///
    /// # Errors
    /// As sync(2); always for a set that is not local.
    pub fn sync(&self) -> io::Result<()> {
        match self.lies {
            Lies::Locally => host::sync_file_system(&File::open(&self.folder)?),
            Lies::OnShare(_) | Lies::Nowhere => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Makes the set anew in this shape: files below `existing` are there with content (as file 0 from `number` times the largest size on), durable and not
    /// cached; all others are not there. The directories of the files that exist are there, and that of file 0.
    ///
    /// # Errors
    /// When a file cannot be made, with its name; [`SiteError::Stopped`] when the caller wants to end.
    pub fn reset(&mut self, existing: u64, shape: FileShape, preparing: &mut Preparing<'_>) -> Result<(), SiteError> {
        match &self.lies {
            Lies::Nowhere => {
                self.shape = shape;
                return Ok(());
            }
            Lies::OnShare(share) => share.remove_all(&path_text(&self.folder))?,
            Lies::Locally => clear(&self.folder)?,
        }
        self.shape = shape;
        self.make_directories(existing)?;
        let bytes_each = self.shape.largest_bytes();
        let total_bytes = existing * bytes_each;
        let mut content = vec![0; bytes_each as usize];
        for number in 0..existing {
            if number % FILES_AT_ONCE == 0 {
                preparing.go_on()?;
                let done_bytes = number * bytes_each;
                (preparing.progress)(Progress { activity: Activity::MakingFiles, path: &self.folder, done_bytes, total_bytes });
            }
            let content = &mut content[..self.shape.bytes(number) as usize];
            (preparing.fill)(0, number * bytes_each, content);
            self.make(&self.path(number), content)?;
        }
        if existing > 0 && matches!(self.lies, Lies::Locally) {
            self.settle(existing).map_err(SiteError::kernel("sync", &self.folder))?;
        }
        Ok(())
    }

    /// Makes the directories of the files that will exist, and that of file 0; all of them when their number is given.
    fn make_directories(&self, existing: u64) -> Result<(), SiteError> {
        if let Lies::OnShare(share) = &self.lies {
            share.lock().make_folder(&path_text(&self.folder))?;
        }
        for directory in 0..self.shape.folders(existing) {
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
    fn settle(&self, existing: u64) -> io::Result<()> {
        host::sync_file_system(&File::open(&self.folder)?)?;
        for number in 0..existing {
            let file = host::open(&self.path(number), Flags { read: true, ..Flags::default() })?;
            // As with large files: a cache that cannot be dropped is no reason to stop.
            let _ = host::forget_cached(&file, 0, self.shape.bytes(number));
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
