//! Where do the small files of file operations lie, and how are they brought into a known state?

pub(super) mod shape;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::share::SharedShare;
use crate::site::file::path_text;
use crate::site::file_set::shape::FileShape;
use crate::site::fill::{Activity, Preparing, Progress};
use crate::site::refusal::SiteError;
use crate::site::scratch::folder::Folder;
use crate::site::scratch::owner::Notes;
use crate::site::scratch::removal::clear_files;
use crate::site::scratch::small_files::SmallFiles;
use crate::system::files::{self, Flags};

/// Small files made between two looks at the stop flag.
const FILES_AT_ONCE: u64 = 100;

/// The small files of file operations, by number.
#[derive(Debug, Clone)]
pub struct FileSet {
    /// A folder of plumb's own; relative to the share when it lies on one.
    folder: PathBuf,
    lies: Lies,
    shape: FileShape,
    /// What the files that are made beforehand hold; `None`: anything.
    prepared: Option<SmallFiles>,
}

/// Where the files of a set lie.
#[derive(Debug, Clone)]
enum Lies {
    /// In this folder of plumb's own.
    Locally(Folder, Notes),
    OnShare(SharedShare),
    /// They exist by name only (`null:`).
    Nowhere,
}

impl FileSet {
    /// A set in a local `folder` of plumb's own; nothing is made yet.
    pub(super) fn local(folder: Folder, notes: Notes) -> FileSet {
        FileSet::lying(folder.path().to_path_buf(), Lies::Locally(folder, notes))
    }

    /// A set under `folder` of a share; nothing is made yet.
    pub(super) fn on_share(share: SharedShare, folder: &str) -> FileSet {
        FileSet::lying(PathBuf::from(folder), Lies::OnShare(share))
    }

    /// A set of names.
    pub(super) fn imaginary(folder: PathBuf) -> FileSet {
        FileSet::lying(folder, Lies::Nowhere)
    }

    fn lying(folder: PathBuf, lies: Lies) -> FileSet {
        FileSet {
            folder,
            lies,
            shape: FileShape::default(),
            prepared: None,
        }
    }

    /// Says what [`Preparing::fill`] gives from now on: it is noted before files are made, so that they are known again.
    pub fn expect(&mut self, prepared: SmallFiles) {
        self.prepared = Some(prepared);
    }

    /// Notes files that operations will make.
    ///
    /// # Errors
    /// The record of the folder cannot be written.
    pub fn note(&self, made: &SmallFiles) -> io::Result<()> {
        match &self.lies {
            Lies::Locally(_, notes) => notes.own_small(made),
            Lies::OnShare(_) | Lies::Nowhere => Ok(()),
        }
    }

    /// Names, folders and sizes of the files.
    pub fn shape(&self) -> &FileShape {
        &self.shape
    }

    /// The name of file `number`.
    pub fn path(&self, number: u64) -> PathBuf {
        self.shape.path(&self.folder, number)
    }

    /// The same below the folder of the set.
    pub fn path_below(&self, number: u64) -> PathBuf {
        self.shape.path(Path::new(""), number)
    }

    /// The folder of a local set: its files are reached by that, and by [`FileSet::path_below`].
    pub fn local_folder(&self) -> Option<&Folder> {
        match &self.lies {
            Lies::Locally(folder, _) => Some(folder),
            Lies::OnShare(_) | Lies::Nowhere => None,
        }
    }

    /// The numbers of the files that lie in folder `number`, in the order in which the system lists them; none where there is no such folder.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn listed(&self, number: u64) -> io::Result<Vec<u64>> {
        let Some(folder) = self.local_folder() else {
            return Ok(Vec::new());
        };
        match folder.names(Path::new(&number.to_string())) {
            Ok(names) => Ok(names
                .iter()
                .filter_map(|name| name.to_str().and_then(|name| self.shape.number(name)))
                .collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Brings all that was written in the file system of the set to stable storage.
    ///
    /// # Errors
    /// As sync(2); always for a set that is not local.
    pub fn sync(&self) -> io::Result<()> {
        match &self.lies {
            Lies::Locally(folder, _) => files::sync_file_system(folder.as_file()),
            Lies::OnShare(_) | Lies::Nowhere => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Takes a set for what another process makes of it: in this shape.
    pub fn adopt(&mut self, shape: FileShape) {
        self.shape = shape;
    }

    /// Recreates the set in this shape: files below `existing` are there with content (as file 0 from `number` times the largest size on), durable and not
    /// cached; all others are not there. The directories of the files that exist are there, and that of file 0.
    ///
    /// # Errors
    /// When a file cannot be made, with its name; [`SiteError::Stopped`] when the caller wants to end.
    pub fn reset(
        &mut self,
        existing: u64,
        shape: FileShape,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), SiteError> {
        match &self.lies {
            Lies::Nowhere => {
                self.shape = shape;
                return Ok(());
            }
            Lies::OnShare(share) => share.remove_all(&path_text(&self.folder))?,
            Lies::Locally(folder, notes) => clear(folder, notes)?,
        }
        self.shape = shape;
        if existing > 0 {
            let made = self
                .prepared
                .clone()
                .unwrap_or_else(|| SmallFiles::up_to(self.shape.largest_bytes()));
            self.note(&made)
                .map_err(SiteError::kernel("note in the record of", &self.folder))?;
        }
        self.make_directories(existing)?;
        let bytes_each = self.shape.largest_bytes();
        let total_bytes = existing * bytes_each;
        let mut content = vec![0; bytes_each as usize];
        for number in 0..existing {
            if number % FILES_AT_ONCE == 0 {
                preparing.go_on()?;
                let done_bytes = number * bytes_each;
                (preparing.progress)(Progress {
                    activity: Activity::MakingFiles,
                    path: &self.folder,
                    done_bytes,
                    total_bytes,
                });
            }
            let content = &mut content[..self.shape.bytes(number) as usize];
            (preparing.fill)(0, number * bytes_each, content);
            self.make(number, content)?;
        }
        if let Lies::Locally(folder, _) = &self.lies
            && existing > 0
        {
            self.settle(folder, existing)
                .map_err(SiteError::kernel("sync", &self.folder))?;
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
                Lies::Locally(folder, _) => make_folder(folder, &directory.to_string())
                    .map_err(SiteError::kernel("make", &path))?,
                Lies::Nowhere => {}
            }
        }
        Ok(())
    }

    /// Makes one file with this content. On a share it is flushed by itself.
    fn make(&self, number: u64, content: &[u8]) -> Result<(), SiteError> {
        let path = self.path(number);
        match &self.lies {
            Lies::Nowhere => Ok(()),
            Lies::Locally(folder, _) if self.shape.is_of_directories() => folder
                .make_folder(&self.path_below(number))
                .map_err(SiteError::kernel("make", &path)),
            Lies::Locally(folder, _) => {
                let flags = Flags {
                    write: true,
                    create: true,
                    marked: true,
                    ..Flags::default()
                };
                let opened = folder.open(&self.path_below(number), flags);
                opened
                    .and_then(|mut file| file.write_all(content))
                    .map_err(SiteError::kernel("make", &path))
            }
            Lies::OnShare(share) => {
                let mut next = |offset: u64, piece: &mut [u8]| {
                    piece.copy_from_slice(&content[offset as usize..offset as usize + piece.len()]);
                    true
                };
                share.lock().write_file(
                    &path_text(&path),
                    true,
                    0,
                    content.len() as u64,
                    &mut next,
                )?;
                Ok(())
            }
        }
    }

    /// One sync for all, then each file's pages are dropped.
    fn settle(&self, folder: &Folder, existing: u64) -> io::Result<()> {
        files::sync_file_system(folder.as_file())?;
        let files = if self.shape.is_of_directories() {
            0
        } else {
            existing
        };
        for number in 0..files {
            let file = folder.open(
                &self.path_below(number),
                Flags {
                    read: true,
                    ..Flags::default()
                },
            )?;
            // As with large files: a cache that cannot be dropped is no reason to stop.
            let _ = files::forget_cached(&file, 0, self.shape.bytes(number));
        }
        Ok(())
    }
}

fn make_folder(folder: &Folder, name: &str) -> io::Result<()> {
    match folder.make_folder(Path::new(name)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}

/// Removes what file operations left, nothing else.
fn clear(folder: &Folder, notes: &Notes) -> Result<(), SiteError> {
    let mut foreign = Vec::new();
    clear_files(folder, &notes.recogniser(), &mut foreign)
        .map_err(SiteError::kernel("clear", folder.path()))?;
    match foreign.first() {
        Some(first) => Err(SiteError::Refused(format!(
            "{} exists and was not created by plumb: move it away",
            first.display()
        ))),
        None => Ok(()),
    }
}
