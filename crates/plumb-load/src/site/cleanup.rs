//! What must be undone when a site is released: made files removed, lengths restored, kept files marked, locks freed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;

use crate::share::{self, ShareError, SharedShare};
use crate::site::file::SiteFile;
use crate::site::mark::{Mark, Marked, State};
use crate::site::refusal::SiteError;
use crate::site::scratch::Scratch;
use crate::site::scratch::folder::Folder;
use crate::system::files::{self, Flags, Identity};

/// Looks at a lock before it counts as taken: udev locks a device for a moment when it changes.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// A file that plumb made and that stays.
#[derive(Debug)]
pub struct KeptFile {
    pub file: SiteFile,
    pub content: String,
    /// State of the mark that is due at the end.
    pub state: State,
    /// It is filled from end to end; else the mark stays unfinished.
    pub filled: bool,
}

/// A file that plumb made, in the folder that was open when it did.
#[derive(Debug)]
pub struct Made {
    pub folder: Folder,
    pub name: PathBuf,
    pub identity: Option<Identity>,
}

/// Everything that has to be undone. Dropping it undoes it, whatever ended the run.
#[derive(Debug, Default)]
pub struct Cleanup {
    pub scratch: Vec<Scratch>,
    /// Files made outside of the scratch folder, to be removed.
    pub made: Vec<Made>,
    /// Files of the user that were made longer, with their own length in bytes.
    pub lengthened: Vec<(PathBuf, Option<Identity>, u64)>,
    pub kept: Vec<KeptFile>,
    /// Open for their locks and claims.
    pub locks: Vec<File>,
    pub on_share: Option<OnShare>,
}

/// What was made on a share.
#[derive(Debug)]
pub struct OnShare {
    pub remote: Remote,
    pub share: SharedShare,
    /// Files and folders to be removed, with all that is in them.
    pub made: Vec<String>,
}

impl OnShare {
    /// Removes a file or folder. Errors: it stays on the share; the text gives the location, for the user to remove it.
    fn remove(&self, path: &str) -> Result<(), SiteError> {
        let share = Remote {
            path: share::join(self.remote.share(), path),
            user: None,
            domain: None,
            ..self.remote.clone()
        };
        let with_advice = |error: ShareError| ShareError {
            kind: error.kind,
            why: Statement::new("share-not-cleaned-up")
                .part("error", error.why)
                .name("place", share.to_string()),
        };
        self.share
            .remove_all(path)
            .map_err(|error| SiteError::Share(with_advice(error)))
    }
}

impl Cleanup {
    /// One more scratch folder in the same directory, for what is not to be kept.
    pub fn another_scratch(&mut self, directory: &Path) -> Result<Folder, SiteError> {
        let scratch = Scratch::make(directory, false)?;
        let folder = scratch.folder().clone();
        self.scratch.push(scratch);
        Ok(folder)
    }

    /// Undoes what another one would have undone.
    pub fn take_over(&mut self, other: &mut Cleanup) {
        self.scratch.append(&mut other.scratch);
        self.made.append(&mut other.made);
        self.lengthened.append(&mut other.lengthened);
        self.kept.append(&mut other.kept);
        self.locks.append(&mut other.locks);
    }

    /// The first folder of plumb's own that is no longer where it was made, as an error.
    ///
    /// # Errors
    /// Somebody moved or replaced it, or unmounted its file system.
    pub fn is_in_place(&self) -> Result<(), SiteError> {
        let moved = self
            .scratch
            .iter()
            .find(|scratch| !scratch.folder().is_in_place());
        moved.map_or(Ok(()), |scratch| Err(scratch.moved()))
    }

    /// Takes the lock of a file that will be written, so that two runs do not write it at the same time.
    pub fn lock(&mut self, file: File, path: &Path) -> Result<(), SiteError> {
        for attempt in 0..LOCK_TRIES {
            match files::lock(&file) {
                Ok(false) if attempt + 1 < LOCK_TRIES => std::thread::sleep(LOCK_PAUSE),
                Ok(false) => break,
                // File systems without locks.
                Ok(true) | Err(_) => {
                    self.locks.push(file);
                    return Ok(());
                }
            }
        }
        Err(SiteError::Refused(format!(
            "{} is locked by another program, perhaps another run of plumb: wait until it ends",
            path.display()
        )))
    }

    /// Undoes everything, even if a part of it fails; returns the first failure.
    pub fn release(&mut self) -> Result<(), SiteError> {
        let mut results = Vec::new();
        let settled: Vec<_> = self.kept.drain(..).map(settle).collect();
        for marked in settled {
            results.push(marked.and_then(|(path, marked)| {
                marked
                    .map_or(Ok(()), Marked::hold)
                    .map_err(SiteError::kernel("mark", &path))
            }));
        }
        for (path, identity, len) in self.lengthened.drain(..) {
            results.push(restore_length(&path, identity, len));
        }
        for made in self.made.drain(..) {
            results.push(remove(&made));
        }
        for mut scratch in self.scratch.drain(..) {
            results.push(scratch.remove());
        }
        if let Some(on_share) = self.on_share.take() {
            results.extend(on_share.made.iter().map(|path| on_share.remove(path)));
        }
        self.locks.clear();
        results.into_iter().collect()
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        // Errors are dropped: use `release` to get them.
        let _ = self.release();
    }
}

/// The file at `path`, if it is still the one that is meant.
fn open_same(path: &Path, identity: Option<Identity>) -> io::Result<Option<File>> {
    same(files::open(path, READ_WRITE), identity)
}

const READ_WRITE: Flags = Flags {
    read: true,
    write: true,
    create: false,
    direct: false,
    sync: false,
    data_sync: false,
    exclusive: false,
    marked: false,
};

fn same(opened: io::Result<File>, identity: Option<Identity>) -> io::Result<Option<File>> {
    match opened {
        Ok(file) => Ok((files::traits(&file)?.identity == identity).then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Marks a kept file as finished, or as left short of its length. Its mark counts when it has been held, all of them together.
fn settle(kept: KeptFile) -> Result<(PathBuf, Option<Marked>), SiteError> {
    let mark = |file: File| {
        // Delayed writes change the time of last change when they come (mmap): let them come first.
        file.sync_all()?;
        let state = if kept.filled {
            kept.state
        } else {
            State::Working
        };
        match Mark::end(file, state, &kept.content) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
            result => result.map(Some),
        }
    };
    let result = same(kept.file.open(READ_WRITE), kept.file.identity)
        .and_then(|file| file.map_or(Ok(None), mark));
    let marked = result.map_err(SiteError::kernel("mark", &kept.file.path))?;
    Ok((kept.file.path, marked))
}

fn restore_length(path: &Path, identity: Option<Identity>, len: u64) -> Result<(), SiteError> {
    let result =
        open_same(path, identity).and_then(|file| file.map_or(Ok(()), |file| file.set_len(len)));
    result.map_err(SiteError::kernel("cut back", path))
}

/// Removes a made file, unless another one has taken its name.
fn remove(made: &Made) -> Result<(), SiteError> {
    let result = match made.folder.traits(&made.name) {
        Ok(found) if found.identity == made.identity => made.folder.remove_file(&made.name),
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    };
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(SiteError::kernel(
            "remove",
            &made.folder.path().join(&made.name),
        )),
    }
}
