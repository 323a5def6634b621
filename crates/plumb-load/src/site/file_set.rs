//! Where do the small files of file operations lie, and how are they brought into a known state?

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::fill::{Activity, Preparing, Progress};
use super::host::{self, Flags};
use super::refusal::SiteError;

/// Files in one directory: more would measure the size of directories, not the file system.
const FILES_PER_DIRECTORY: u64 = 1000;
/// Small files made between two looks at the stop flag.
const FILES_AT_ONCE: u64 = 100;

/// The small files of file operations, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSet {
    /// A folder of plumb's own.
    folder: PathBuf,
    /// The files exist by name only (`null:`).
    imaginary: bool,
}

impl FileSet {
    /// A set under `folder`; nothing is made yet.
    pub(super) fn new(folder: PathBuf, imaginary: bool) -> FileSet {
        FileSet { folder, imaginary }
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
        if self.imaginary {
            return Ok(());
        }
        clear(&self.folder)?;
        for directory in 0..existing.max(1).div_ceil(FILES_PER_DIRECTORY) {
            let path = self.folder.join(directory.to_string());
            fs::create_dir_all(&path).map_err(SiteError::kernel("make", &path))?;
        }
        let total_bytes = existing * bytes_each;
        let mut content = vec![0; bytes_each as usize];
        for number in 0..existing {
            if number % FILES_AT_ONCE == 0 {
                preparing.go_on()?;
                let done_bytes = number * bytes_each;
                (preparing.progress)(Progress { activity: Activity::MakingFiles, path: &self.folder, done_bytes, total_bytes });
            }
            (preparing.fill)(0, number * bytes_each, &mut content);
            let path = self.path(number);
            make(&path, &content).map_err(SiteError::kernel("make", &path))?;
        }
        if existing > 0 {
            self.settle(existing, bytes_each).map_err(SiteError::kernel("sync", &self.folder))?;
        }
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
