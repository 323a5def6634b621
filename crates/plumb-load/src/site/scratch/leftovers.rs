//! What did killed runs leave in a directory, by what is that known, and how is it removed?
//!
//! Known for sure: scratch folders by their owner file, whose lock is free and whose process is gone; unfinished files by their mark, which says
//! so, when nobody holds their lock. Both must be this user's. Nothing else is ever listed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::text::shell::quoted_path;

use crate::site::mark::Mark;
use crate::site::refusal::SiteError;
use crate::site::scratch::folder::Folder;
use crate::site::scratch::owner::{OWNER_FILE, Record, is_stale, lives};
use crate::site::scratch::removal::remove_made;
use crate::site::scratch::small_files::Recogniser;
use crate::site::scratch::walk::bytes_in;
use crate::site::scratch::{self, IMPORT, PREFIX};
use crate::system::files::{self, Flags, Identity, PathKind, Traits};
use crate::system::processes;

/// Prefix of result files until they are complete (plumb-record); the number of the process follows.
const DRAFT: &str = ".plumb-draft-";
/// Processes that a killed copy test may have left: an rsync daemon, by the file that names its process, relative to the scratch folder.
const DAEMON: &str = "daemon/rsyncd.pid";

/// Something that a killed run left.
#[derive(Debug)]
pub struct Leftover {
    pub path: PathBuf,
    /// What it is, in a few words.
    pub what: String,
    /// Bytes on storage, if known.
    pub bytes: u64,
    identity: Option<Identity>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Opened again when it is removed: there may be more of them than descriptors.
    Scratch,
    /// A new scratch folder: empty, or with an empty owner file.
    Begun,
    File {
        folder: Folder,
        name: PathBuf,
    },
}

/// What killed runs of this user left in `directory`, and at the other end of copy tests that left something there.
///
/// # Errors
/// The directory cannot be read.
pub fn leftovers(directory: &Path) -> Result<Vec<Leftover>, SiteError> {
    let mut found = scratch_leftovers(directory)?;
    let folder = Folder::open_path(directory).map_err(SiteError::kernel("open", directory))?;
    let names = folder
        .names(Path::new("."))
        .map_err(SiteError::kernel("read", directory))?;
    found.extend(
        names
            .iter()
            .map(Path::new)
            .filter_map(|name| left_file(&folder, name)),
    );
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// The same of scratch folders alone: for directories that everybody uses, whose files are not opened.
///
/// # Errors
/// The directory cannot be read.
pub fn scratch_leftovers(directory: &Path) -> Result<Vec<Leftover>, SiteError> {
    let mut found: Vec<Leftover> = Vec::new();
    for folder in scratch::stale(directory).map_err(SiteError::kernel("read", directory))? {
        let Some(record) = record_of_mine(&folder) else {
            continue;
        };
        let partners = partners_of(&folder, &record);
        let ends = std::iter::once((folder, String::new())).chain(partners);
        for leftover in ends.map(|(folder, other)| of_scratch(&folder, &record, &other)) {
            if !found.iter().any(|known| known.is_same(&leftover)) {
                found.push(leftover);
            }
        }
    }
    found.extend(begun(directory).map_err(SiteError::kernel("read", directory))?);
    Ok(found)
}

/// Scratch folders of this user that were killed between their first call and the note of whose they are. A run that begins this moment has its lock a moment
/// later; what takes such a folder from it takes no data, and the run reports that it could not start.
fn begun(directory: &Path) -> io::Result<Vec<Leftover>> {
    let is_ours = |name: &str| {
        name.strip_prefix(PREFIX).is_some_and(|rest| {
            rest.len() == 16 && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    };
    let names = std::fs::read_dir(directory)?
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(is_ours));
    let folders = names
        .filter_map(|entry| Folder::open_path(&entry.path()).ok())
        .filter(is_begun);
    let leftover = |folder: Folder| Leftover {
        path: folder.path().to_path_buf(),
        what: "empty scratch folder of a run that was killed at its start".into(),
        bytes: 0,
        identity: folder.identity(),
        kind: Kind::Begun,
    };
    Ok(folders.map(leftover).collect())
}

/// True of a folder of this user that holds nothing, or an owner file without a word whose lock is free.
fn is_begun(folder: &Folder) -> bool {
    let holds = folder
        .names(Path::new("."))
        .unwrap_or_else(|_| vec!["unknown".into()]);
    let says_nothing = || {
        let owner = folder.open(
            Path::new(OWNER_FILE),
            Flags {
                read: true,
                ..Flags::default()
            },
        );
        let is_empty = |owner: &File| {
            owner
                .metadata()
                .is_ok_and(|found| found.is_file() && found.len() == 0)
        };
        owner.is_ok_and(|owner| {
            is_empty(&owner)
                && files::is_of_this_user(&owner)
                && !matches!(files::lock(&owner), Ok(false))
        })
    };
    files::is_of_this_user(folder.as_file())
        && (holds.is_empty() || (holds.len() == 1 && holds[0] == OWNER_FILE && says_nothing()))
}

/// The owner's record of a folder of this user, in which nobody else may write.
fn record_of_mine(folder: &Folder) -> Option<Record> {
    Record::read(folder).filter(|_| scratch::is_of_this_user(folder))
}

/// The folders at the other end of a copy test, each with a word on that. Where a record leads is where anybody may have put anything by now: what is there must be
/// the very folder that was noted, must name this one too, and must be a scratch folder of this user whose run is gone by itself.
fn partners_of(folder: &Folder, record: &Record) -> Vec<(Folder, String)> {
    let is_partner = |there: &Folder| {
        let is_named = there
            .path()
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        let names_us = |there: Record| {
            there.owner == record.owner
                && there
                    .entries
                    .partners
                    .iter()
                    .any(|back| Some(back.identity) == folder.identity())
        };
        is_named && is_stale(there) && record_of_mine(there).is_some_and(names_us)
    };
    let noted = record.entries.partners.iter();
    let there = noted.filter_map(|partner| {
        Folder::open_path(&partner.path)
            .ok()
            .filter(|there| there.identity() == Some(partner.identity))
    });
    there
        .filter(is_partner)
        .map(|there| {
            (
                there,
                format!(
                    ", the other end of the copy test in {}",
                    folder.path().display()
                ),
            )
        })
        .collect()
}

/// What removes a folder at an address: plumb itself, where it has access to it.
fn how_to_remove(address: &str) -> String {
    match (address.parse::<Target>(), address.rsplit_once('/')) {
        (Ok(Target::Remote(remote)), Some((parent, _))) if remote.scheme.is_share() => {
            format!(
                "remove it with: plumb clean {} --remove",
                quoted_path(Path::new(parent))
            )
        }
        _ => "remove it manually".into(),
    }
}

fn of_scratch(folder: &Folder, record: &Record, other_end: &str) -> Leftover {
    let daemon = if daemon_of(folder).is_some() {
        ", with an rsync daemon that is still running"
    } else {
        ""
    };
    let elsewhere: String = record
        .entries
        .elsewhere
        .iter()
        .map(|address| format!(", which also left {address}; {}", how_to_remove(address)))
        .collect();
    Leftover {
        path: folder.path().to_path_buf(),
        what: match record.entries.trees.iter().any(|tree| tree == IMPORT) {
            true => "unfinished import that was killed".into(),
            false => {
                format!("scratch folder of a run that was killed{other_end}{daemon}{elsewhere}")
            }
        },
        bytes: bytes_in(folder),
        identity: folder.identity(),
        kind: Kind::Scratch,
    }
}

/// What a file is to a run that finds it in its way, when it is neither the user's nor complete: a sentence with what to do. `None`: it is something else.
pub fn unfinished_target(path: &Path) -> Option<Statement> {
    let (parent, name) = (path.parent()?, Path::new(path.file_name()?));
    let folder = Folder::open_path(parent).ok()?;
    let file = folder
        .open(
            name,
            Flags {
                read: true,
                ..Flags::default()
            },
        )
        .ok()
        .filter(Mark::is_unfinished)?;
    let shown = path.display().to_string();
    if matches!(files::lock(&file), Ok(false)) {
        return Some(Statement::new("target-is-being-made").name("path", shown));
    }
    drop(file);
    let command = format!("plumb clean {}", quoted_path(parent));
    unfinished(&folder, name).map(|_| {
        Statement::new("target-was-left-by-killed-run")
            .name("path", shown)
            .name("command", command)
    })
}

/// A file that a run was making when it was killed.
fn unfinished(folder: &Folder, name: &Path) -> Option<Leftover> {
    let traits = folder
        .traits(name)
        .ok()
        .filter(|traits| traits.kind == PathKind::File && traits.names == Some(1))?;
    let file = folder
        .open(
            name,
            Flags {
                read: true,
                ..Flags::default()
            },
        )
        .ok()?;
    let is_left = files::is_of_this_user(&file)
        && Mark::is_unfinished(&file)
        && !matches!(files::lock(&file), Ok(false));
    is_left.then(|| {
        of_file(
            folder,
            name,
            &traits,
            "test file of a run that was killed before it was complete",
        )
    })
}

/// What a file in a directory is when a killed process left it.
fn left_file(folder: &Folder, name: &Path) -> Option<Leftover> {
    match name.to_str().and_then(|name| name.strip_prefix(DRAFT)) {
        Some(rest) => draft(folder, name, rest),
        None => unfinished(folder, name),
    }
}

/// A result file that a process was writing when it was killed: made by plumb, by its mark, by a process that is gone, and nobody has its lock.
fn draft(folder: &Folder, name: &Path, rest: &str) -> Option<Leftover> {
    let (process, number) = rest.split_once('-')?;
    let process: u32 = process
        .parse()
        .ok()
        .filter(|_| number.parse::<u32>().is_ok())?;
    let traits = folder
        .traits(name)
        .ok()
        .filter(|traits| traits.kind == PathKind::File && traits.names == Some(1))?;
    let file = folder
        .open(
            name,
            Flags {
                read: true,
                ..Flags::default()
            },
        )
        .ok()?;
    let is_left = files::is_of_this_user(&file)
        && Folder::is_marked(&file)
        && !matches!(files::lock(&file), Ok(false))
        && !lives(process);
    is_left.then(|| {
        of_file(
            folder,
            name,
            &traits,
            "unfinished report or export, whose process was killed",
        )
    })
}

fn of_file(folder: &Folder, name: &Path, traits: &Traits, what: &str) -> Leftover {
    Leftover {
        path: folder.path().join(name),
        what: what.to_string(),
        bytes: traits.size_bytes,
        identity: traits.identity,
        kind: Kind::File {
            folder: folder.clone(),
            name: name.to_path_buf(),
        },
    }
}

impl Leftover {
    /// True of the same file or folder, by whatever name it was found.
    pub fn is_same(&self, other: &Leftover) -> bool {
        self.identity.is_some() && self.identity == other.identity
    }

    /// Removes what plumb created in it, and nothing that others put there.
    ///
    /// # Errors
    /// It is in use again, is not what it was, cannot be removed, or holds something that plumb did not make, which stays.
    pub fn remove(self) -> Result<(), SiteError> {
        match &self.kind {
            Kind::Scratch => {
                let folder =
                    Folder::open_path(&self.path).map_err(SiteError::kernel("open", &self.path))?;
                match folder.identity() == self.identity && record_of_mine(&folder).is_some() {
                    true => remove_scratch(&folder, &self.path),
                    false => Err(self.changed()),
                }
            }
            Kind::Begun => {
                let folder =
                    Folder::open_path(&self.path).map_err(SiteError::kernel("open", &self.path))?;
                if folder.identity() != self.identity || !is_begun(&folder) {
                    return Err(self.changed());
                }
                // Gone already, when there was none.
                let _ = folder.remove_file(Path::new(OWNER_FILE));
                folder
                    .remove_itself()
                    .map_err(SiteError::kernel("remove the folder", &self.path))
            }
            Kind::File { folder, name } => {
                let same = left_file(folder, name).is_some_and(|now| now.identity == self.identity);
                if !same {
                    return Err(self.changed());
                }
                refuse_changed(folder, name, &self.path)?;
                folder
                    .remove_file(name)
                    .map_err(SiteError::kernel("remove", &self.path))
            }
        }
    }

    fn changed(&self) -> SiteError {
        SiteError::Refused(format!(
            "{} has changed in the meantime and is kept",
            self.path.display()
        ))
    }
}

/// Refuses a test file that may contain other data since the run was killed.
fn refuse_changed(folder: &Folder, name: &Path, path: &Path) -> Result<(), SiteError> {
    let file = folder
        .open(
            name,
            Flags {
                read: true,
                ..Flags::default()
            },
        )
        .map_err(SiteError::kernel("open", path))?;
    if Folder::is_marked(&file) || Mark::is_unfinished_and_untouched(&file) {
        return Ok(());
    }
    Err(SiteError::Refused(format!(
        "{} contains data that plumb may not have written, and is kept; if you do not need it: rm {}",
        path.display(),
        quoted_path(path)
    )))
}

fn remove_scratch(folder: &Folder, path: &Path) -> Result<(), SiteError> {
    let owner = folder.open(
        Path::new(OWNER_FILE),
        Flags {
            read: true,
            write: true,
            ..Flags::default()
        },
    );
    let owner = owner.map_err(SiteError::kernel("open", &path.join(OWNER_FILE)))?;
    let record = Record::of(&owner).ok_or_else(|| {
        SiteError::Refused(format!(
            "{} has changed in the meantime and is kept",
            path.display()
        ))
    })?;
    if matches!(files::lock(&owner), Ok(false)) {
        return Err(SiteError::Refused(format!(
            "{} is in use by another run of plumb and is kept",
            path.display()
        )));
    }
    if let Some(process) = daemon_of(folder) {
        files::end_process(process).map_err(SiteError::kernel("end the rsync daemon of", path))?;
    }
    // Read, however they look: in a folder that was left alone there was time to change them.
    let small = Recogniser::new(&record.entries.small, Folder::is_marked(&owner), true);
    let foreign = remove_made(folder, &record.entries, &small)
        .map_err(|(path, error)| SiteError::kernel("remove", &path)(error))?;
    if let Some(first) = foreign.first() {
        return Err(SiteError::Refused(format!(
            "{} was not created by plumb: it is kept, and so is {}",
            first.display(),
            path.display()
        )));
    }
    folder
        .remove_file(Path::new(OWNER_FILE))
        .map_err(SiteError::kernel("remove", &path.join(OWNER_FILE)))?;
    drop(owner);
    folder
        .remove_itself()
        .map_err(SiteError::kernel("remove the folder", path))
}

/// The daemon that still serves from this folder: a process of that number whose command line names the folder.
fn daemon_of(folder: &Folder) -> Option<u32> {
    let file: io::Result<File> = folder.open(
        Path::new(DAEMON),
        Flags {
            read: true,
            ..Flags::default()
        },
    );
    let process: u32 = io::read_to_string(file.ok()?).ok()?.trim().parse().ok()?;
    let command = processes::command_line(process)?;
    let names_it =
        String::from_utf8_lossy(&command).contains(&*folder.path().file_name()?.to_string_lossy());
    names_it.then_some(process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_plumb_has_access_to_is_removed_by_a_command() {
        assert_eq!(
            how_to_remove("s3://bucket/mine/.plumb-8a7112a821b39983"),
            "remove it with: plumb clean s3://bucket/mine --remove"
        );
        assert_eq!(
            how_to_remove("smb://me@nas/my share/.plumb-8a7112a821b39983"),
            "remove it with: plumb clean 'smb://me@nas/my share' --remove"
        );
        assert_eq!(
            how_to_remove("rsync://nas/backup/.plumb-8a7112a821b39983"),
            "remove it manually"
        );
    }
}
