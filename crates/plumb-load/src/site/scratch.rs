//! Where in a directory does plumb put its own files, and which folders did killed runs leave behind?
//!
//! A scratch folder `.plumb-XXXX` (mode 0700) holds everything and goes at the end. Files that are to be kept go into `plumb-kept`, which has a mark inside.
//! Either has a file `plumb.pid` that names its owner; its flock ends with the process. Folders of killed runs are named with the command that removes
//! them and are left alone until then.

pub(super) mod folder;
pub(super) mod leftovers;
pub(super) mod owner;
pub(super) mod removal;
pub(super) mod small_files;
pub(super) mod walk;

use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::Path;

use plumb_model::statement::Statement;
use plumb_model::text::shell::quoted_path;

use crate::site::mark::Mark;
use crate::site::refusal::SiteError;
use crate::site::scratch::folder::Folder;
use crate::site::scratch::owner::{Notes, OWNER_FILE, Owner, Partner, Record, is_stale};
use crate::site::scratch::removal::{is_block_file, remove_made};
use crate::system::files::{self, Flags, Identity, PathKind};

/// Begin of the names of scratch folders.
pub const PREFIX: &str = ".plumb-";
/// Folder of the files that are to be kept.
const KEPT: &str = "plumb-kept";
/// Says that plumb made a folder of kept files.
const KEPT_MARK: &str = "plumb.mark";
const KEPT_MARK_TEXT: &str =
    "This folder and the files 'shared' and 'worker-N' in it were made by plumb (keep = true).\n";
/// Tree of an import in its scratch folder, until it is complete.
pub const IMPORT: &str = "unfinished-import";
/// Descriptors that are held back for cleaning up: a folder, one below it, one within that, and what reads its names.
const SPARE_DESCRIPTORS: usize = 4;

/// A folder of plumb's own within the target directory.
#[derive(Debug)]
pub struct Scratch {
    folder: Folder,
    keep: bool,
    notes: Notes,
    /// Given up when the folder is removed, so that a run that has used up its descriptors can clean up.
    spare: Vec<File>,
}

impl Scratch {
    /// Makes a scratch folder, or makes or takes up the folder of kept files.
    ///
    /// # Errors
    /// It cannot be made, is another user's, is in use, or is none that plumb made.
    pub fn make(directory: &Path, keep: bool) -> Result<Scratch, SiteError> {
        let parent = Folder::open_path(directory).map_err(SiteError::kernel("open", directory))?;
        let folder = if keep {
            make_kept(&parent)?
        } else {
            make_new(&parent)?
        };
        // Of a file that is open anyway: a container may have no /dev/null.
        let spare = (0..SPARE_DESCRIPTORS)
            .map(|_| parent.as_file().try_clone())
            .collect::<io::Result<Vec<_>>>();
        let spare = spare.map_err(SiteError::kernel(
            "reserve file descriptors for cleanup: reopen",
            directory,
        ));
        let mut scratch = Scratch {
            folder,
            keep,
            notes: Notes::default(),
            spare: Vec::new(),
        };
        let owned = spare.and_then(|spare| {
            scratch.spare = spare;
            scratch.own()
        });
        if let Err(error) = owned {
            // Nothing was put into it yet; a folder of kept files goes only when it is empty.
            scratch.notes.end();
            scratch.spare.clear();
            let _ = scratch.folder.remove_itself();
            return Err(error);
        }
        Ok(scratch)
    }

    /// What it was called when it was made: for messages, and for programs that take paths only.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder itself.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Notes that an entry of this name belongs to plumb with all that will be in it, whichever process creates it.
    ///
    /// # Errors
    /// The owner file cannot be written.
    pub fn own_tree(&self, name: &str) -> Result<(), SiteError> {
        self.notes
            .own_tree(name)
            .map_err(SiteError::kernel("write", &self.path().join(OWNER_FILE)))
    }

    /// Notes that a file of blocks is plumb's: this very one, not what may take its name.
    ///
    /// # Errors
    /// The owner file cannot be written.
    pub fn own_file(&self, name: &str, identity: Option<Identity>) -> Result<(), SiteError> {
        let Some(Identity { inode, .. }) = identity else {
            return Ok(());
        };
        self.notes
            .own_file(inode, name)
            .map_err(SiteError::kernel("write", &self.path().join(OWNER_FILE)))
    }

    /// Notes what the jobs write into files of blocks, one line for each ([`crate::site::Written::text`]).
    ///
    /// # Errors
    /// The owner file cannot be written.
    pub fn note_written(&self, lines: &[String]) -> Result<(), SiteError> {
        self.notes
            .note_written(lines)
            .map_err(SiteError::kernel("write", &self.path().join(OWNER_FILE)))
    }

    /// Notes the address of something created on a remote side: whoever finds this folder after a kill learns of it.
    ///
    /// # Errors
    /// The owner file cannot be written.
    pub fn note_remote_side(&self, address: &str) -> Result<(), SiteError> {
        self.notes
            .note_remote_side(address)
            .map_err(SiteError::kernel("write", &self.path().join(OWNER_FILE)))
    }

    /// Notes in both folders that the other belongs to it: who finds one of them after a kill finds the other.
    ///
    /// # Errors
    /// An owner file cannot be written.
    pub fn join(&self, other: &Scratch) -> Result<(), SiteError> {
        for (one, other) in [(self, other), (other, self)] {
            let absolute = std::path::absolute(other.path())
                .map_err(SiteError::kernel("find the absolute path of", other.path()))?;
            if let Some(identity) = other.folder.identity() {
                let noted = one.notes.note_partner(Partner {
                    identity,
                    path: absolute,
                });
                noted.map_err(SiteError::kernel("write", &one.path().join(OWNER_FILE)))?;
            }
        }
        Ok(())
    }

    /// Gives an entry of the folder a name beside it in `directory`, which it was made in. `false`: the name is taken.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn publish(&self, entry: &str, directory: &Path, name: &str) -> Result<bool, SiteError> {
        let parent = Folder::open_path(directory).map_err(SiteError::kernel("open", directory))?;
        match self
            .folder
            .move_to(Path::new(entry), &parent, Path::new(name))
        {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(SiteError::kernel("make", &directory.join(name))(error)),
            Ok(()) => {
                // Where a folder cannot be synced the name becomes durable in the system's own time.
                let _ = parent.as_file().sync_all();
                Ok(true)
            }
        }
    }

    /// The record of the folder.
    pub(super) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Takes the lock, then records the owner: a record that can be read belongs to a folder whose lock has been taken.
    fn own(&mut self) -> Result<(), SiteError> {
        let path = self.path().join(OWNER_FILE);
        let flags = Flags {
            read: true,
            write: true,
            marked: true,
            ..Flags::default()
        };
        let opened = match self.folder.open(
            Path::new(OWNER_FILE),
            Flags {
                create: true,
                ..flags
            },
        ) {
            Err(error) if self.keep && error.kind() == io::ErrorKind::AlreadyExists => {
                self.folder.open(Path::new(OWNER_FILE), flags)
            }
            result => result,
        };
        let mut file = opened.map_err(SiteError::kernel("make", &path))?;
        self.refuse_foreign(&file, &path)?;
        // File systems without locks: only the record counts.
        if let Ok(false) = files::lock(&file) {
            return Err(SiteError::Refused(format!(
                "{} is in use by another run of plumb: wait until it ends, or name another directory",
                self.path().display()
            )));
        }
        let write = |file: &mut File| {
            file.set_len(0)
                .and_then(|()| file.write_all(Owner::current().text().as_bytes()))
        };
        write(&mut file).map_err(SiteError::kernel("write", &path))?;
        self.notes.begin(file);
        Ok(())
    }

    /// Refuses a folder that another user could reach into, and an owner file that is none.
    fn refuse_foreign(&self, owner_file: &File, path: &Path) -> Result<(), SiteError> {
        let examined = self
            .folder
            .is_ours(owner_file)
            .and_then(|ours| Ok((ours, owner_file.metadata()?.len())));
        let (ours, bytes) = examined.map_err(SiteError::kernel("examine", path))?;
        if !ours {
            return Err(SiteError::Refused(format!(
                "{} belongs to another user, or others can write to it: not used; remove it, or name a directory of your own",
                self.path().display()
            )));
        }
        if bytes > 0 && Record::of(owner_file).is_none() {
            return Err(SiteError::Refused(format!(
                "{} exists and was not created by plumb: move it away",
                path.display()
            )));
        }
        Ok(())
    }

    /// Removes what plumb made in the folder, and the folder when nothing else is in it; of a folder of kept files only the owner's record. Says what could
    /// not be removed, and what stays because plumb did not make it.
    pub fn remove(&mut self) -> Result<(), SiteError> {
        self.spare.clear();
        let moved = !self.folder.is_in_place();
        let removed = if self.keep {
            Ok(Vec::new())
        } else {
            remove_made(
                &self.folder,
                &self.notes.entries(),
                &self.notes.recogniser(),
            )
        };
        // Closed before it is removed: NFS would turn it into a .nfs file that keeps the folder alive.
        self.notes.end();
        let foreign = removed.map_err(|(path, error)| SiteError::kernel("remove", &path)(error))?;
        match self.folder.remove_file(Path::new(OWNER_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(SiteError::kernel("remove", &self.path().join(OWNER_FILE))(
                    error,
                ));
            }
            _ => {}
        }
        if self.keep {
            self.give_up_kept();
            return self.error_if_moved(moved);
        }
        if let [first, rest @ ..] = foreign.as_slice() {
            let more = if rest.is_empty() {
                String::new()
            } else {
                format!(" and {} more", rest.len())
            };
            return Err(SiteError::Refused(format!(
                "{} was not created by plumb{more}: it is kept, and so is {}",
                first.display(),
                self.path().display()
            )));
        }
        self.folder
            .remove_itself()
            .map_err(SiteError::kernel("remove the folder", self.path()))?;
        self.error_if_moved(moved)
    }

    /// A folder of kept files goes when nothing was kept in it.
    fn give_up_kept(&self) {
        let only_mark = self
            .folder
            .names(Path::new("."))
            .is_ok_and(|names| names.iter().all(|name| name == KEPT_MARK));
        if only_mark {
            let _ = self
                .folder
                .remove_file(Path::new(KEPT_MARK))
                .and_then(|()| self.folder.remove_itself());
        }
    }

    /// A moved or replaced folder, or an unmounted file system, is reported: figures may be of another location than given.
    fn error_if_moved(&self, moved: bool) -> Result<(), SiteError> {
        match moved {
            true => Err(self.moved()),
            false => Ok(()),
        }
    }

    /// The error of a folder that is no longer where it was made.
    pub fn moved(&self) -> SiteError {
        SiteError::Refused(format!(
            "{} is no longer where it was created: it was moved or replaced, or its file system was unmounted, during the run; what plumb created was removed from its current location, and nothing else was changed",
            self.path().display()
        ))
    }
}

fn make_new(parent: &Folder) -> Result<Folder, SiteError> {
    loop {
        let random = std::hash::RandomState::new().build_hasher().finish();
        match Folder::make(parent, &format!("{PREFIX}{random:016x}")) {
            Ok(folder) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(SiteError::kernel(
                    "create a scratch folder in",
                    parent.path(),
                )(error));
            }
        }
    }
}

fn make_kept(parent: &Folder) -> Result<Folder, SiteError> {
    let path = parent.path().join(KEPT);
    let folder = match Folder::make(parent, KEPT) {
        Ok(folder) => {
            write_kept_mark(&folder).map_err(SiteError::kernel("mark", &path))?;
            return Ok(folder);
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            parent.folder(Path::new(KEPT)).map_err(|_| {
                SiteError::Refused(format!(
                    "{} is not a folder, and kept files would go there: move it away",
                    path.display()
                ))
            })?
        }
        Err(error) => {
            return Err(SiteError::kernel("create a folder in", parent.path())(
                error,
            ));
        }
    };
    if !was_made_by_plumb(&folder).map_err(SiteError::kernel("examine", &path))? {
        return Err(SiteError::Refused(format!(
            "{} was not created by plumb, and kept files would go there: move it away, or name another directory",
            path.display()
        )));
    }
    Ok(folder)
}

fn write_kept_mark(folder: &Folder) -> io::Result<()> {
    let mut mark = folder.open(
        Path::new(KEPT_MARK),
        Flags {
            write: true,
            create: true,
            ..Flags::default()
        },
    )?;
    mark.write_all(KEPT_MARK_TEXT.as_bytes())
}

/// True of a folder with plumb's mark inside, and of one with nothing but files that plumb marked, as versions before the mark made it.
fn was_made_by_plumb(folder: &Folder) -> io::Result<bool> {
    let read = Flags {
        read: true,
        ..Flags::default()
    };
    match folder
        .open(Path::new(KEPT_MARK), read)
        .and_then(io::read_to_string)
    {
        Ok(text) => return Ok(text == KEPT_MARK_TEXT),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    for name in folder.names(Path::new("."))? {
        let is_file = folder.traits(Path::new(&name))?.kind == PathKind::File;
        let is_known = match name.to_str() {
            Some(OWNER_FILE) => Record::read(folder).is_some(),
            _ => {
                is_file
                    && is_block_file(&name)
                    && folder
                        .open(Path::new(&name), read)
                        .is_ok_and(|file| Mark::is_there(&file))
            }
        };
        if !is_known {
            return Ok(false);
        }
    }
    write_kept_mark(folder)?;
    Ok(true)
}

/// Scratch folders in `directory` whose run is gone; one after the other, as each holds a descriptor. Errors: it cannot be read.
pub fn stale(directory: &Path) -> io::Result<impl Iterator<Item = Folder>> {
    let folders = fs::read_dir(directory)?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    Ok(folders
        .filter_map(|entry| Folder::open_path(&entry.path()).ok())
        .filter(is_stale))
}

/// True of a folder of this user, in which nobody else may write: what others left is theirs to remove.
pub fn is_of_this_user(folder: &Folder) -> bool {
    let owner = folder.open(
        Path::new(OWNER_FILE),
        Flags {
            read: true,
            ..Flags::default()
        },
    );
    owner.is_ok_and(|owner| {
        files::is_of_this_user(&owner) && folder.is_ours(&owner).unwrap_or(false)
    })
}

/// A warning for each scratch folder in `directory` whose run is gone.
pub fn warn_of_stale(directory: &Path) -> Vec<Statement> {
    let noted = |folder: Folder| {
        Statement::new("killed-run-left-folder")
            .name("folder", folder.path().display().to_string())
            .name("command", format!("plumb clean {}", quoted_path(directory)))
    };
    stale(directory)
        .into_iter()
        .flatten()
        .filter(is_of_this_user)
        .map(noted)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_ended_processes_are_stale() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut live = Scratch::make(directory.path(), false).expect("a scratch folder");
        assert!(warn_of_stale(directory.path()).is_empty(), "a living one");
        let left = directory.path().join(".plumb-left");
        fs::create_dir(&left).expect("a folder");
        fs::write(
            left.join(OWNER_FILE),
            Owner {
                process_start: "1".into(),
                ..Owner::current()
            }
            .text(),
        )
        .expect("a record");
        let elsewhere = directory.path().join(".plumb-elsewhere");
        fs::create_dir(&elsewhere).expect("a folder");
        let other = Owner {
            host: "another machine".into(),
            boot: "another boot".into(),
            ..Owner::current()
        };
        fs::write(elsewhere.join(OWNER_FILE), other.text()).expect("a record");
        fs::create_dir(directory.path().join(".plumb-without-record")).expect("a folder");
        let warnings = warn_of_stale(directory.path());
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        let warning = plumb_words::english(&warnings[0]);
        assert!(
            warning.contains("plumb clean") && warning.contains(".plumb-left"),
            "{warnings:?}"
        );
        let path = live.path().to_path_buf();
        live.remove().expect("removed");
        drop(live);
        assert!(!path.exists());
    }
}
