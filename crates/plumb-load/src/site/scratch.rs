//! Where in a directory does plumb put its own files, and which folders did killed runs leave behind?
//!
//! A scratch folder `.plumb-XXXX` (mode 0700) holds everything and goes at the end. Files that are to be kept go into `plumb-kept`. Either has a file
//! `plumb.pid` that tells who works there; its flock ends with the process. Folders of killed runs are named with the command that removes them and are left
//! alone: a recursive removal in the user's directory is the user's decision.

use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::host::{self, Flags};
use super::refusal::SiteError;

/// Begin of the names of scratch folders.
const PREFIX: &str = ".plumb-";
/// Folder of the files that are to be kept.
const KEPT: &str = "plumb-kept";
/// Tells who works in a folder.
const OWNER_FILE: &str = "plumb.pid";

/// A folder of plumb's own within the target directory.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    keep: bool,
    /// Open for as long as the folder is in use: holds the lock.
    owner_file: Option<File>,
}

impl Scratch {
    /// Makes a scratch folder, or makes or takes up the folder of kept files. Warnings name what could not be ensured.
    pub fn make(directory: &Path, keep: bool) -> Result<Scratch, SiteError> {
        let path = if keep { make_kept(directory)? } else { make_new(directory)? };
        let mut scratch = Scratch { path, keep, owner_file: None };
        scratch.own()?;
        Ok(scratch)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the lock, then says whose it is: a record that can be read belongs to a folder whose lock has been taken.
    fn own(&mut self) -> Result<(), SiteError> {
        let path = self.path.join(OWNER_FILE);
        let flags = Flags { read: true, write: true, ..Flags::default() };
        let opened = match host::open(&path, Flags { create: true, ..flags }) {
            Err(error) if self.keep && error.kind() == io::ErrorKind::AlreadyExists => host::open(&path, flags),
            result => result,
        };
        let mut file = opened.map_err(SiteError::kernel("make", &path))?;
        // File systems without locks: the record alone tells.
        if let Ok(false) = host::lock(&file) {
            return Err(SiteError::Refused(format!(
                "{} is in use by another run of plumb: wait for it, or name another directory",
                self.path.display()
            )));
        }
        let write = |file: &mut File| file.set_len(0).and_then(|()| file.write_all(Owner::current().text().as_bytes()));
        write(&mut file).map_err(SiteError::kernel("write", &path))?;
        self.owner_file = Some(file);
        Ok(())
    }

    /// Removes the folder with all that is in it; of a folder of kept files only the owner's record. Says what could not be removed.
    pub fn remove(&mut self) -> Result<(), SiteError> {
        let owner_path = self.path.join(OWNER_FILE);
        if !self.keep {
            for entry in fs::read_dir(&self.path).map_err(SiteError::kernel("clean up", &self.path))?.flatten() {
                if entry.path() != owner_path {
                    remove(&entry.path())?;
                }
            }
        }
        // Closed before it is removed: NFS would turn it into a .nfs file that keeps the folder alive.
        self.owner_file = None;
        remove(&owner_path)?;
        if self.keep {
            // Succeeds only when nothing was kept.
            let _ = fs::remove_dir(&self.path);
            return Ok(());
        }
        fs::remove_dir(&self.path).map_err(SiteError::kernel("remove the folder", &self.path))
    }
}

/// Removes a file or a folder with all that is in it, following no symlink; what is gone already is no error.
fn remove(path: &Path) -> Result<(), SiteError> {
    let result = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(SiteError::kernel("remove", path)),
    }
}

fn make_new(directory: &Path) -> Result<PathBuf, SiteError> {
    loop {
        let random = std::hash::RandomState::new().build_hasher().finish();
        let path = directory.join(format!("{PREFIX}{random:016x}"));
        match host::make_private_folder(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(SiteError::kernel("make a scratch folder in", directory)(error)),
        }
    }
}

fn make_kept(directory: &Path) -> Result<PathBuf, SiteError> {
    let path = directory.join(KEPT);
    match host::make_private_folder(&path) {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => Ok(path),
            _ => Err(SiteError::Refused(format!("{} is no folder; kept files would go there: move it away", path.display()))),
        },
        Err(error) => Err(SiteError::kernel("make a folder in", directory)(error)),
    }
}

/// A warning for each scratch folder in `directory` whose run is gone.
pub fn warn_of_stale(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).into_iter().flatten().flatten();
    let folders = names.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)).map(|entry| entry.path());
    let stale = folders.filter(|folder| is_stale(folder));
    stale.map(|folder| format!("{0} was left by a run that was killed; to remove it: rm -r '{0}'", folder.display())).collect()
}

/// True when the folder's run is surely gone: its lock is free, and its process has ended or this machine was started anew since.
fn is_stale(folder: &Path) -> bool {
    let path = folder.join(OWNER_FILE);
    let Some(owner) = fs::read_to_string(&path).ok().and_then(|text| Owner::parse(&text)) else { return false };
    let locked = host::open(&path, Flags { read: true, ..Flags::default() }).and_then(|file| host::lock(&file));
    let current = Owner::current();
    match locked {
        Ok(false) => false,
        // The same kernel: its locks are ours too, also across containers; where process numbers are comparable they are asked as well.
        Ok(true) if owner.boot == current.boot => owner.process_space != current.process_space || !owner.lives(),
        Err(_) if owner.boot == current.boot => owner.process_space == current.process_space && !owner.lives(),
        // Another start of this machine; another machine's folder on a shared file system is left to that machine.
        _ => !owner.host.is_empty() && owner.host == current.host,
    }
}

/// Who works in a folder. Empty texts where the system does not tell.
#[derive(Debug, PartialEq, Eq)]
struct Owner {
    host: String,
    /// Changes with every start of the machine.
    boot: String,
    /// The PID name space: process numbers of different ones cannot be compared.
    process_space: String,
    process: u32,
    /// Start of the process in clock ticks since the boot: process numbers are used again.
    process_start: String,
}

impl Owner {
    fn current() -> Owner {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        let process = std::process::id();
        Owner {
            host: text("/proc/sys/kernel/hostname"),
            boot: text("/proc/sys/kernel/random/boot_id"),
            process_space: fs::read_link("/proc/self/ns/pid").map(|link| link.display().to_string()).unwrap_or_default(),
            process,
            process_start: process_start(process).unwrap_or_default(),
        }
    }

    fn lives(&self) -> bool {
        process_start(self.process).is_some_and(|start| start == self.process_start)
    }

    fn text(&self) -> String {
        format!("plumb 1\n{}\n{}\n{}\n{}\n{}\n", self.host, self.boot, self.process_space, self.process, self.process_start)
    }

    fn parse(text: &str) -> Option<Owner> {
        let mut lines = text.strip_prefix("plumb 1\n")?.lines().map(str::to_owned);
        let (host, boot, process_space) = (lines.next()?, lines.next()?, lines.next()?);
        Some(Owner { host, boot, process_space, process: lines.next()?.parse().ok()?, process_start: lines.next()? })
    }
}

/// Field 22 of /proc/PID/stat (proc_pid_stat(5)); the name in parentheses before may hold anything.
fn process_start(process: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_reads_back() {
        let owner = Owner::current();
        assert_eq!(Owner::parse(&owner.text()).as_ref(), Some(&owner));
        assert_eq!(owner.lives(), !owner.process_start.is_empty());
        assert_eq!(Owner::parse("plumb 1\nhost\n"), None);
    }

    #[test]
    fn only_folders_of_ended_processes_are_stale() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut live = Scratch::make(directory.path(), false).expect("a scratch folder");
        assert!(warn_of_stale(directory.path()).is_empty(), "a living one");
        let left = directory.path().join(".plumb-left");
        fs::create_dir(&left).expect("a folder");
        fs::write(left.join(OWNER_FILE), Owner { process_start: "1".into(), ..Owner::current() }.text()).expect("a record");
        let elsewhere = directory.path().join(".plumb-elsewhere");
        fs::create_dir(&elsewhere).expect("a folder");
        let other = Owner { host: "another machine".into(), boot: "another boot".into(), ..Owner::current() };
        fs::write(elsewhere.join(OWNER_FILE), other.text()).expect("a record");
        fs::create_dir(directory.path().join(".plumb-without-record")).expect("a folder");
        let warnings = warn_of_stale(directory.path());
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("rm -r") && warnings[0].contains(".plumb-left"), "{warnings:?}");
        live.remove().expect("removed");
        assert!(!live.path().exists());
    }
}
