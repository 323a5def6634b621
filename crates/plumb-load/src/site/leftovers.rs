//! What did killed runs leave in a directory, by what is that known, and how is it removed?
//!
//! Known for sure: scratch folders by their owner file, whose lock is free and whose process is gone; files that were being made by the mark on them, which says
//! so, when nobody holds their lock. Both must be this user's. Nothing else is ever listed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use plumb_model::shell::quoted;

use super::folder::Folder;
use super::host::{self, Flags, Identity, PathKind};
use super::mark::Mark;
use super::owner::{OWNER_FILE, Record};
use super::refusal::SiteError;
use super::removal::remove_made;
use super::scratch;
use super::small_files::Recogniser;

/// Processes that a killed copy test may have left: an rsync daemon, by the file that names its process, relative to the scratch folder.
const DAEMON: &str = "daemon/rsyncd.pid";

/// Something that a killed run left.
#[derive(Debug)]
pub struct Leftover {
    pub path: PathBuf,
    /// What it is, in a few words.
    pub what: String,
    /// Bytes on the storage, as far as it tells.
    pub bytes: u64,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Scratch(Folder),
    File { folder: Folder, name: PathBuf, identity: Option<Identity> },
}

/// What killed runs of this user left in `directory`.
///
/// # Errors
/// The directory cannot be read.
pub fn leftovers(directory: &Path) -> Result<Vec<Leftover>, SiteError> {
    let folder = Folder::open_path(directory).map_err(SiteError::kernel("open", directory))?;
    let mut found: Vec<Leftover> = scratch::stale(directory).into_iter().filter(is_mine).map(of_scratch).collect();
    let names = folder.names(Path::new(".")).map_err(SiteError::kernel("read", directory))?;
    found.extend(names.iter().filter_map(|name| unfinished(&folder, Path::new(name))));
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn is_mine(folder: &Folder) -> bool {
    folder.open(Path::new(OWNER_FILE), Flags { read: true, ..Flags::default() }).is_ok_and(|file| host::is_of_this_user(&file))
}

fn of_scratch(folder: Folder) -> Leftover {
    let names = folder.names(Path::new(".")).unwrap_or_default();
    let bytes = names.iter().filter_map(|name| folder.traits(Path::new(name)).ok()).map(|traits| traits.size_bytes).sum();
    let daemon = if daemon_of(&folder).is_some() { ", with an rsync daemon that still runs" } else { "" };
    Leftover {
        path: folder.path().to_path_buf(),
        what: format!("scratch folder of a run that was killed{daemon}"),
        bytes,
        kind: Kind::Scratch(folder),
    }
}

/// What a file is to a run that finds it in its way, when it is neither the user's nor complete: a sentence with what to do. `None`: it is something else.
pub fn unfinished_target(path: &Path) -> Option<String> {
    let (parent, name) = (path.parent()?, Path::new(path.file_name()?));
    let folder = Folder::open_path(parent).ok()?;
    let file = folder.open(name, Flags { read: true, ..Flags::default() }).ok().filter(Mark::is_unfinished)?;
    let shown = path.display();
    if matches!(host::lock(&file), Ok(false)) {
        return Some(format!("{shown} is being made by another run of plumb: wait until that has ended, or name another file"));
    }
    drop(file);
    let command = format!("plumb clean {}", quoted(&parent.to_string_lossy()));
    unfinished(&folder, name).map(|_| {
        format!(
            "{shown} was left by a run that was killed before the file was complete; to see it: {command}; to remove it: {command} --remove"
        )
    })
}

/// A file that a run was making when it was killed.
fn unfinished(folder: &Folder, name: &Path) -> Option<Leftover> {
    let traits = folder.traits(name).ok().filter(|traits| traits.kind == PathKind::File && traits.names == Some(1))?;
    let file = folder.open(name, Flags { read: true, ..Flags::default() }).ok()?;
    let is_left = host::is_of_this_user(&file) && Mark::is_unfinished(&file) && !matches!(host::lock(&file), Ok(false));
    let kind = Kind::File { folder: folder.clone(), name: name.to_path_buf(), identity: traits.identity };
    let what = "test file of a run that was killed before it was complete".to_string();
    is_left.then(|| Leftover { path: folder.path().join(name), what, bytes: traits.size_bytes, kind })
}

impl Leftover {
    /// Removes it: what plumb made of it, and nothing that somebody else put there.
    ///
    /// # Errors
    /// It is in use again, is not what it was, cannot be removed, or holds something that plumb did not make, which stays.
    pub fn remove(self) -> Result<(), SiteError> {
        match &self.kind {
            Kind::Scratch(folder) => remove_scratch(folder, &self.path),
            Kind::File { folder, name, identity } => {
                let same =
                    unfinished(folder, name).is_some_and(|now| matches!(now.kind, Kind::File { identity: now, .. } if now == *identity));
                if !same {
                    return Err(SiteError::Refused(format!("{} has changed meanwhile and is left alone", self.path.display())));
                }
                folder.remove_file(name).map_err(SiteError::kernel("remove", &self.path))
            }
        }
    }
}

fn remove_scratch(folder: &Folder, path: &Path) -> Result<(), SiteError> {
    let owner = folder.open(Path::new(OWNER_FILE), Flags { read: true, write: true, ..Flags::default() });
    let owner = owner.map_err(SiteError::kernel("open", &path.join(OWNER_FILE)))?;
    let record =
        Record::of(&owner).ok_or_else(|| SiteError::Refused(format!("{} has changed meanwhile and is left alone", path.display())))?;
    if matches!(host::lock(&owner), Ok(false)) {
        return Err(SiteError::Refused(format!("{} is in use by another run of plumb and is left alone", path.display())));
    }
    if let Some(process) = daemon_of(folder) {
        host::end_process(process).map_err(SiteError::kernel("end the rsync daemon of", path))?;
    }
    // Read, however they look: in a folder that was left alone there was time to change them.
    let small = Recogniser::new(&record.entries.small, Folder::is_marked(&owner), true);
    let foreign = remove_made(folder, &record.entries, &small).map_err(|(path, error)| SiteError::kernel("remove", &path)(error))?;
    if let Some(first) = foreign.first() {
        return Err(SiteError::Refused(format!(
            "{} was not made by plumb: it is left there, and so is {}",
            first.display(),
            path.display()
        )));
    }
    folder.remove_file(Path::new(OWNER_FILE)).map_err(SiteError::kernel("remove", &path.join(OWNER_FILE)))?;
    drop(owner);
    folder.remove_itself().map_err(SiteError::kernel("remove the folder", path))
}

/// The daemon that still serves from this folder: a process of that number whose command line names the folder.
fn daemon_of(folder: &Folder) -> Option<u32> {
    let file: io::Result<File> = folder.open(Path::new(DAEMON), Flags { read: true, ..Flags::default() });
    let process: u32 = io::read_to_string(file.ok()?).ok()?.trim().parse().ok()?;
    let command = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
    let names_it = String::from_utf8_lossy(&command).contains(&*folder.path().file_name()?.to_string_lossy());
    names_it.then_some(process)
}
