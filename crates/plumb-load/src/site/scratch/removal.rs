//! What of a folder did plumb make, and how is exactly that removed?
//!
//! By descriptors only, and by what plumb makes there: a name that is none of plumb's stays, with the folders above it, and is named.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::site::scratch::folder::Folder;
use crate::site::scratch::owner::{Entries, OWNER_FILE};
use crate::site::scratch::small_files::Recogniser;
use crate::site::scratch::walk::each_below;
use crate::system::files::PathKind;

/// Folder of the small files.
pub const FILES: &str = "files";
/// File of blocks that all workers share.
pub const SHARED: &str = "shared";
/// Begin of the names of files that one worker has for itself.
pub const WORKER: &str = "worker-";

/// Removes what plumb made in its folder: the files of blocks that it noted, the small files that are recognised, and the trees that it noted with all that is in them; not
/// the owner file. Returns what stays because it is none of plumb's. Errors: the first that could not be removed, with its path; the rest has been tried.
pub fn remove_made(
    folder: &Folder,
    entries: &Entries,
    small: &Recogniser,
) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut foreign = Vec::new();
    let mut failed = None;
    for name in folder
        .names(Path::new("."))
        .map_err(|error| (folder.path().to_path_buf(), error))?
    {
        let is_tree = entries.trees.iter().any(|tree| name == **tree);
        let result = match kind_of(folder, &name) {
            _ if name == OWNER_FILE => Ok(()),
            Some(_) if is_tree => remove_tree(folder, &name),
            Some(PathKind::File)
                if is_noted(folder, &name, entries)
                    && !small.is_changed(folder, Path::new(&name), &entries.written) =>
            {
                folder.remove_file(Path::new(&name))
            }
            Some(PathKind::Directory) if name == FILES => remove_files(folder, small, &mut foreign),
            Some(_) => {
                foreign.push(folder.path().join(&name));
                Ok(())
            }
            None => Ok(()),
        };
        if let Err(error) = result {
            failed.get_or_insert((folder.path().join(&name), error));
        }
    }
    failed.map_or(Ok(foreign), Err)
}

/// Removes the small files below `files`, and the folders that are empty then. What is none of them is added to `foreign`.
fn remove_files(folder: &Folder, small: &Recogniser, foreign: &mut Vec<PathBuf>) -> io::Result<()> {
    let files = folder.folder(Path::new(FILES))?;
    clear_files(&files, small, foreign)?;
    match folder.remove_folder(Path::new(FILES)) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        result => result,
    }
}

/// The same of the folder of small files itself, which stays.
pub fn clear_files(
    files: &Folder,
    small: &Recogniser,
    foreign: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for name in files.names(Path::new("."))? {
        let numbered = name
            .to_str()
            .is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()));
        if !numbered || kind_of(files, &name) != Some(PathKind::Directory) {
            foreign.push(files.path().join(&name));
            continue;
        }
        let within = files.folder(Path::new(&name))?;
        let mut stays = false;
        for file in within.names(Path::new("."))? {
            let is_removed = match kind_of(&within, &file) {
                _ if !is_small_file(&file) => false,
                // Of a set of directories, each of which is empty.
                Some(PathKind::Directory) => remove_empty(&within, &file)?,
                _ if small.is_plumbs(&within, Path::new(&file)) => {
                    ignore_gone(within.remove_file(Path::new(&file)))?;
                    true
                }
                _ => false,
            };
            if !is_removed {
                stays = true;
                foreign.push(within.path().join(&file));
            }
        }
        if !stays {
            ignore_gone(files.remove_folder(Path::new(&name)))?;
        }
    }
    Ok(())
}

/// Removes a folder below, unless something is in it. False: it stays.
fn remove_empty(folder: &Folder, name: &OsStr) -> io::Result<bool> {
    match folder.remove_folder(Path::new(name)) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        result => ignore_gone(result).map(|()| true),
    }
}

/// Removes a file, a link or a folder with all that is in it.
fn remove_tree(folder: &Folder, name: &OsStr) -> io::Result<()> {
    each_below(folder, name, &mut |at, name, traits| {
        ignore_gone(at.remove(Path::new(name), traits.kind))
    })
}

fn kind_of(folder: &Folder, name: &OsStr) -> Option<PathKind> {
    folder
        .traits(Path::new(name))
        .ok()
        .map(|traits| traits.kind)
}

fn ignore_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// True of the very file that was noted, and of one that plumb had just made: a kill may come before the note.
fn is_noted(folder: &Folder, name: &OsStr, entries: &Entries) -> bool {
    let identity = folder
        .traits(Path::new(name))
        .ok()
        .and_then(|traits| traits.identity);
    let noted = identity.is_some_and(|identity| {
        entries
            .files
            .iter()
            .any(|(inode, noted)| *inode == identity.inode && name.to_str() == Some(noted.as_str()))
    });
    let is_new = || {
        folder
            .small_traits(Path::new(name))
            .is_ok_and(|traits| traits.is_marked && traits.size_bytes == 0)
    };
    noted || (is_block_file(name) && is_new())
}

/// `shared`, `worker-3`.
pub fn is_block_file(name: &OsStr) -> bool {
    let number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    name.to_str()
        .is_some_and(|name| name == SHARED || name.strip_prefix(WORKER).is_some_and(number))
}

/// A number, or up to twelve letters and digits before ten hexadecimal digits: the names that [`crate::site::FileShape`] gives.
fn is_small_file(name: &OsStr) -> bool {
    let Some(name) = name.to_str().filter(|name| !name.is_empty()) else {
        return false;
    };
    let ends_in_number = || {
        name.len() >= 10
            && name.is_char_boundary(name.len() - 10)
            && u64::from_str_radix(&name[name.len() - 10..], 16).is_ok()
    };
    name.bytes().all(|byte| byte.is_ascii_digit())
        || name.len() <= 22
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ends_in_number()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::site::scratch::small_files::SmallFiles;
    use crate::system::files::Flags;
    use std::fs;
    use std::io::Write;

    #[test]
    fn what_plumb_did_not_make_stays_and_is_named() {
        let temporary = tempfile::tempdir().expect("a folder");
        let at = |name: &str| temporary.path().join(name);
        for folder in [
            "files/0",
            "files/1",
            "files/1/19",
            "files/mine",
            "source/deep",
            "files/0/20",
        ] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        let folder = Folder::open_path(temporary.path()).expect("opened");
        let small = ["files/0/17", "files/1/abc00000000ff", "worker-3"];
        for name in small {
            let flags = Flags {
                write: true,
                create: true,
                marked: true,
                ..Flags::default()
            };
            folder
                .open(Path::new(name), flags)
                .and_then(|mut file| file.write_all(if name == "worker-3" { b"" } else { b"x" }))
                .expect("made");
        }
        let made = ["source/deep/file"];
        // A number of digits is a name that plumb would give.
        let foreign = [
            "shared",
            "shared.bak",
            "worker-12",
            "worker-x",
            "files/0/letter.txt",
            "files/note",
            "files/0/18",
            "files/0/20/mine",
        ];
        for name in made.iter().chain(&foreign) {
            fs::write(at(name), "x").expect("written");
        }
        let made: Vec<&str> = made.into_iter().chain(small).collect();
        std::os::unix::fs::symlink("/", at("files/2")).expect("a link");
        let entries = Entries {
            trees: vec!["source".to_string()],
            ..Entries::default()
        };
        let mut stays = remove_made(
            &folder,
            &entries,
            &Recogniser::new(&[SmallFiles::up_to(1)], true, true),
        )
        .expect("removed");
        stays.sort();
        let mut expected: Vec<PathBuf> = foreign
            .iter()
            .filter(|name| **name != "files/0/20/mine")
            .chain(&["files/2", "files/mine", "files/0/20"])
            .map(|name| at(name))
            .collect();
        expected.sort();
        assert_eq!(stays, expected);
        assert!(
            made.iter().all(|name| !at(name).exists())
                && foreign.iter().all(|name| at(name).exists())
        );
        assert!(!at("files/1").exists() && !at("source").exists());
    }

    #[test]
    fn a_file_that_took_the_name_of_a_noted_one_stays() {
        let temporary = tempfile::tempdir().expect("a folder");
        for name in ["shared", "worker-0", "worker-9"] {
            fs::write(temporary.path().join(name), "x").expect("written");
        }
        let folder = Folder::open_path(temporary.path()).expect("opened");
        let inode = |name: &str| {
            folder
                .traits(Path::new(name))
                .expect("there")
                .identity
                .expect("an inode")
                .inode
        };
        let files = vec![
            (inode("shared"), "shared".to_string()),
            (inode("worker-0"), "worker-0".to_string()),
        ];
        fs::write(temporary.path().join("mine"), "mine").expect("written");
        fs::rename(
            temporary.path().join("mine"),
            temporary.path().join("shared"),
        )
        .expect("renamed");
        let stays = remove_made(
            &folder,
            &Entries {
                files,
                ..Entries::default()
            },
            &Recogniser::new(&[], true, true),
        )
        .expect("removed");
        assert_eq!(stays.len(), 2, "{stays:?}");
        assert_eq!(
            fs::read_to_string(temporary.path().join("shared")).expect("there"),
            "mine"
        );
        assert!(
            temporary.path().join("worker-9").exists()
                && !temporary.path().join("worker-0").exists()
        );
    }
}
