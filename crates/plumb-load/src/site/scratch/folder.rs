//! How does plumb work safely in a folder that others may rename, replace or plant links in? Through the descriptor of the folder that it created.
//!
//! A path gives a location, a descriptor an object. Everything below a scratch folder is opened, made, renamed and removed relative to the
//! descriptor that was opened when the folder was made; only one that belongs to this user and that nobody else may write to is worked in, so that no
//! other user can plant a link inside. docs/decisions/0012.

pub use crate::system::folders::holds_folders;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::site::refusal::SiteError;
use crate::system::files::{Flags, Identity, PathKind, Traits, traits, traits_at};
use crate::system::folders::{self, SmallTraits};

/// A folder that is held open.
#[derive(Debug, Clone)]
pub struct Folder {
    handle: Arc<File>,
    /// What it was called when it was opened: for messages, never for access.
    path: PathBuf,
}

/// The same folder by the same name.
impl PartialEq for Folder {
    fn eq(&self, other: &Folder) -> bool {
        self.path == other.path && self.identity() == other.identity()
    }
}

impl Eq for Folder {}

impl Folder {
    /// Makes a folder that only its owner may enter, and opens it. Errors: the name is taken, or is another's by the time it is opened.
    pub fn make(parent: &Folder, name: &str) -> io::Result<Folder> {
        folders::make_folder(&parent.handle, Path::new(name))?;
        let opened = parent
            .folder(Path::new(name))
            .and_then(|made| Ok((made.names(Path::new("."))?.is_empty(), made)));
        match opened {
            Ok((true, made)) => Ok(made),
            Ok((false, _)) => Err(io::Error::other(
                "another folder took its name while it was created",
            )),
            Err(error) => {
                // It is empty, if it is ours.
                let _ = parent.remove_folder(Path::new(name));
                Err(error)
            }
        }
    }

    /// Opens a folder by its path, which must not be a symlink itself.
    pub fn open_path(path: &Path) -> io::Result<Folder> {
        Ok(Folder {
            handle: Arc::new(folders::open_folder(path)?),
            path: path.to_path_buf(),
        })
    }

    /// Opens a folder below, without a symlink on the way.
    pub fn folder(&self, name: &Path) -> io::Result<Folder> {
        Ok(Folder {
            handle: Arc::new(folders::open_folder_at(&self.handle, name)?),
            path: self.path.join(name),
        })
    }

    /// The folder that this one lies in, which must be the very one that is meant.
    pub fn above(&self, meant: Option<Identity>) -> io::Result<Folder> {
        let above = Folder {
            handle: Arc::new(folders::open_above(&self.handle)?),
            path: self.path.parent().unwrap_or(&self.path).to_path_buf(),
        };
        match above.identity() == meant {
            true => Ok(above),
            false => Err(io::Error::other(format!(
                "{} was moved in the meantime",
                self.path.display()
            ))),
        }
    }

    /// What it was called when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Device and inode; `None` if the system does not report it.
    pub fn identity(&self) -> Option<Identity> {
        traits(&self.handle).ok()?.identity
    }

    /// The folder as a file, to sync it or its file system.
    pub fn as_file(&self) -> &File {
        &self.handle
    }

    /// Opens or makes a file below, without a symlink on the way.
    pub fn open(&self, name: &Path, flags: Flags) -> io::Result<File> {
        folders::open_at(&self.handle, name, flags)
    }

    /// What lies there by this name; a symlink is reported as itself.
    pub fn traits(&self, name: &Path) -> io::Result<Traits> {
        folders::traits_at(&self.handle, name)
    }

    /// The same of a small file, with what only plumb's have.
    pub fn small_traits(&self, name: &Path) -> io::Result<SmallTraits> {
        folders::small_traits_at(&self.handle, name)
    }

    /// True of an open file that was made with [`Flags::marked`].
    pub fn is_marked(file: &File) -> bool {
        folders::is_marked(file)
    }

    /// Makes a folder below.
    pub fn make_folder(&self, name: &Path) -> io::Result<()> {
        folders::make_folder(&self.handle, name)
    }

    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        folders::rename(&self.handle, from, to)
    }

    /// Moves an entry to another folder under a name that must be free.
    pub fn move_to(&self, name: &Path, folder: &Folder, new_name: &Path) -> io::Result<()> {
        folders::move_to(&self.handle, name, &folder.handle, new_name)
    }

    pub fn remove_file(&self, name: &Path) -> io::Result<()> {
        folders::remove(&self.handle, name, false)
    }

    /// Removes what is no folder, or an empty one.
    pub fn remove(&self, name: &Path, kind: PathKind) -> io::Result<()> {
        folders::remove(&self.handle, name, kind == PathKind::Directory)
    }

    /// Removes an empty folder below.
    pub fn remove_folder(&self, name: &Path) -> io::Result<()> {
        folders::remove(&self.handle, name, true)
    }

    /// The names in a folder below (`.`: in this one), in the order in which the system lists them.
    pub fn names(&self, name: &Path) -> io::Result<Vec<OsString>> {
        folders::names(&self.handle, name)
    }

    /// True while its path still leads to it: it was neither renamed nor replaced, and its file system is still mounted there.
    pub fn is_in_place(&self) -> bool {
        let there = traits_at(&self.path).ok();
        there.and_then(|there| there.identity) == self.identity()
    }

    /// True if its owner is the creator of new files in it, and no other user may write to it. `probe` is such a file, just made: file systems that show
    /// every file as one user's, or keep no permissions, show both alike.
    pub fn is_ours(&self, probe: &File) -> io::Result<bool> {
        let folder = &self.handle;
        Ok(folders::owner(folder)? == folders::owner(probe)?
            && (!folders::others_write(folder)? || folders::others_write(probe)?))
    }

    /// Removes the empty folder itself, wherever it is called so now. Errors: it is not empty, or is not found.
    pub fn remove_itself(&self) -> io::Result<()> {
        let now = folders::path_of(&self.handle).unwrap_or_else(|| self.path.clone());
        let (Some(parent), Some(name)) = (now.parent(), now.file_name()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let parent = Folder::open_path(parent)?;
        let found = parent.traits(Path::new(name))?;
        if found.identity != self.identity() || found.kind != PathKind::Directory {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "another folder has its name",
            ));
        }
        parent.remove_folder(Path::new(name))
    }
}

/// Refuses a path on which another user than root could put another folder in place of this one: a folder on the way belongs to him, or everybody may write
/// in it.
///
/// # Errors
/// Which folder, and what to do; also when the path cannot be examined.
pub fn refuse_path_of_others(path: &Path) -> Result<(), SiteError> {
    let absolute = path
        .canonicalize()
        .map_err(SiteError::kernel("examine", path))?;
    for folder in absolute.ancestors() {
        let metadata = std::fs::metadata(folder).map_err(SiteError::kernel("examine", folder))?;
        if !folders::is_safe_on_the_way(&metadata) {
            return Err(SiteError::Refused(format!(
                "{} can be changed by another user, who could redirect the copy programs to other files: name a folder of your own, or run as that user",
                folder.display()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_below_is_reached_after_a_rename_and_links_are_not_followed() {
        let temporary = tempfile::tempdir().expect("a folder");
        let parent = Folder::open_path(temporary.path()).expect("opened");
        let folder = Folder::make(&parent, "mine").expect("made");
        assert!(folder.is_in_place());
        assert_eq!(
            Folder::make(&parent, "mine")
                .map_err(|error| error.kind())
                .err(),
            Some(io::ErrorKind::AlreadyExists)
        );
        std::fs::create_dir(temporary.path().join("foreign")).expect("a folder");
        std::fs::rename(
            temporary.path().join("mine"),
            temporary.path().join("moved"),
        )
        .expect("renamed");
        symlink("foreign", temporary.path().join("mine")).expect("a link");
        assert!(!folder.is_in_place());
        let flags = Flags {
            write: true,
            create: true,
            ..Flags::default()
        };
        let file = folder.open(Path::new("x"), flags).expect("made");
        assert!(folder.is_ours(&file).expect("examined"));
        assert!(
            temporary.path().join("moved/x").exists()
                && !temporary.path().join("foreign/x").exists()
        );
        symlink("../foreign", temporary.path().join("moved/link")).expect("a link");
        assert!(folder.open(Path::new("link/y"), flags).is_err());
        assert!(
            folder.folder(Path::new("link")).is_err() && parent.folder(Path::new("mine")).is_err()
        );
        for name in ["x", "link"] {
            folder.remove_file(Path::new(name)).expect("removed");
        }
        folder.remove_itself().expect("found under its new name");
        assert!(
            !temporary.path().join("moved").exists() && temporary.path().join("foreign").exists()
        );
    }
}
