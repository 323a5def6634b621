//! How is a tree walked whose depth nobody knows, with two or three descriptors in all?
//!
//! A descriptor for each level would end at `ulimit -n`, and deep trees could not be removed by those who have few. So one folder is open at a time, and the way
//! back up is `..`, which must be the very folder that was left: nobody who moves folders about meanwhile leads the walk elsewhere.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use crate::site::scratch::folder::Folder;
use crate::system::files::{Identity, PathKind, Traits};

/// A folder above the one that is open.
struct Level {
    identity: Option<Identity>,
    /// What its child is called that the walk is in.
    child: OsString,
    /// Names in it that are still to be visited.
    rest: Vec<OsString>,
}

/// Calls `visit` for an entry of `folder` and for all that lies below it: with the folder that holds it, its name, and what it is. Folders come after what is in
/// them. What is gone by then is left out. Errors: the first of `visit`, or a folder cannot be read; the walk ends there.
pub fn each_below(
    folder: &Folder,
    name: &OsStr,
    visit: &mut dyn FnMut(&Folder, &OsStr, &Traits) -> io::Result<()>,
) -> io::Result<()> {
    let Some(top) = look(folder, name)? else {
        return Ok(());
    };
    if top.kind != PathKind::Directory {
        return visit(folder, name, &top);
    }
    let mut above: Vec<Level> = Vec::new();
    let mut here = folder.folder(Path::new(name))?;
    let mut names = here.names(Path::new("."))?;
    loop {
        let Some(next) = names.pop() else {
            let Some(level) = above.pop() else { break };
            here = here.above(level.identity)?;
            if let Some(traits) = look(&here, &level.child)? {
                visit(&here, &level.child, &traits)?;
            }
            names = level.rest;
            continue;
        };
        match look(&here, &next)? {
            None => {}
            Some(traits) if traits.kind == PathKind::Directory => {
                let within = here.folder(Path::new(&next))?;
                let rest = std::mem::replace(&mut names, within.names(Path::new("."))?);
                above.push(Level {
                    identity: here.identity(),
                    child: next,
                    rest,
                });
                here = within;
            }
            Some(traits) => visit(&here, &next, &traits)?,
        }
    }
    drop(here);
    visit(folder, name, &top)
}

fn look(folder: &Folder, name: &OsStr) -> io::Result<Option<Traits>> {
    match folder.traits(Path::new(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Bytes of all files in a folder, whatever depth they lie in; what cannot be read counts as nothing.
pub fn bytes_in(folder: &Folder) -> u64 {
    let mut bytes = 0;
    for name in folder.names(Path::new(".")).unwrap_or_default() {
        let _ = each_below(folder, &name, &mut |_, _, traits| {
            bytes += traits.size_bytes;
            Ok(())
        });
    }
    bytes
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn everything_is_visited_once_and_folders_come_last() {
        let temporary = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(temporary.path().join("top/a/b")).expect("folders");
        fs::create_dir_all(temporary.path().join("top/c")).expect("folders");
        for name in ["top/one", "top/a/two", "top/a/b/three", "beside"] {
            fs::write(temporary.path().join(name), "12345").expect("written");
        }
        std::os::unix::fs::symlink("/", temporary.path().join("top/c/link")).expect("a link");
        let folder = Folder::open_path(temporary.path()).expect("opened");
        let mut seen = Vec::new();
        each_below(&folder, OsStr::new("top"), &mut |_, name, _| {
            seen.push(name.to_string_lossy().into_owned());
            Ok(())
        })
        .expect("walked");
        let before = |one: &str, other: &str| {
            seen.iter().position(|name| name == one) < seen.iter().position(|name| name == other)
        };
        assert!(
            before("three", "b")
                && before("b", "a")
                && before("two", "a")
                && before("link", "c")
                && before("c", "top"),
            "{seen:?}"
        );
        assert_eq!(
            (seen.len(), seen.last().map(String::as_str)),
            (8, Some("top"))
        );
        assert_eq!(bytes_in(&folder), 20);
    }

    #[test]
    fn a_folder_that_is_moved_away_under_the_walk_ends_it() {
        let temporary = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(temporary.path().join("top/a")).expect("folders");
        fs::create_dir_all(temporary.path().join("foreign")).expect("folders");
        for name in ["top/a/x", "foreign/precious"] {
            fs::write(temporary.path().join(name), "12345").expect("written");
        }
        let folder = Folder::open_path(temporary.path()).expect("opened");
        let ended = each_below(&folder, OsStr::new("top"), &mut |at, name, traits| {
            if name == "x" {
                fs::rename(
                    temporary.path().join("top/a"),
                    temporary.path().join("foreign/a"),
                )
                .expect("moved");
            }
            at.remove(Path::new(name), traits.kind)
        });
        assert!(ended.is_err_and(|error| error.to_string().contains("moved")));
        assert!(temporary.path().join("foreign/precious").exists());
    }
}
