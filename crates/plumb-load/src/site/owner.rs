//! Who works in a folder of plumb's own, and is it still at work?

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::folder::Folder;
use super::host::{self, Flags};

/// Tells who works in a folder.
pub const OWNER_FILE: &str = "plumb.pid";
/// Before the names of what belongs to plumb with all that is in it.
const TREE: &str = "tree ";
/// Before the inode and the name of a file of blocks.
const FILE: &str = "file ";

/// True when the folder's run is surely gone: its lock is free, and its process has ended or this machine was started anew since.
pub fn is_stale(folder: &Folder) -> bool {
    let Some(record) = Record::read(folder) else { return false };
    let owner = record.owner;
    let locked = folder.open(Path::new(OWNER_FILE), Flags { read: true, ..Flags::default() }).and_then(|file| host::lock(&file));
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

/// What the owner file says.
pub struct Record {
    pub owner: Owner,
    pub entries: Entries,
}

/// What plumb noted of its folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// Entries of the folder that belong to plumb with all that is in them.
    pub trees: Vec<String>,
    /// Files of blocks with their inodes. A folder without any was made by a version that did not note them, or has none.
    pub files: Vec<(u64, String)>,
}

impl Entries {
    /// The line that notes a tree.
    pub fn tree_line(name: &str) -> io::Result<String> {
        plain(name).map(|name| format!("{TREE}{name}\n"))
    }

    /// The line that notes a file of blocks.
    pub fn file_line(inode: u64, name: &str) -> io::Result<String> {
        plain(name).map(|name| format!("{FILE}{inode} {name}\n"))
    }

    fn read(text: &str) -> Entries {
        let file =
            |line: &str| line.strip_prefix(FILE)?.split_once(' ').and_then(|(inode, name)| Some((inode.parse().ok()?, name.to_owned())));
        Entries {
            trees: text.lines().filter_map(|line| line.strip_prefix(TREE)).map(str::to_owned).collect(),
            files: text.lines().filter_map(file).collect(),
        }
    }
}

/// A name that stays in one line and in its folder.
fn plain(name: &str) -> io::Result<&str> {
    if name.contains(['\n', '/']) { Err(io::ErrorKind::InvalidInput.into()) } else { Ok(name) }
}

impl Record {
    /// Longer ones are none of plumb's.
    const BYTES_MAX: u64 = 64 << 10;

    /// Reads it; `None` when there is none, or when it is none of plumb's.
    pub fn read(folder: &Folder) -> Option<Record> {
        Record::of(&folder.open(Path::new(OWNER_FILE), Flags { read: true, ..Flags::default() }).ok()?)
    }

    /// The same of an open file.
    pub fn of(file: &File) -> Option<Record> {
        let mut text = String::new();
        file.take(Record::BYTES_MAX).read_to_string(&mut text).ok()?;
        Some(Record { owner: Owner::parse(&text)?, entries: Entries::read(&text) })
    }
}

/// Who works in a folder. Empty texts where the system does not tell.
#[derive(Debug, PartialEq, Eq)]
pub struct Owner {
    pub host: String,
    /// Changes with every start of the machine.
    pub boot: String,
    /// The PID name space: process numbers of different ones cannot be compared.
    pub process_space: String,
    pub process: u32,
    /// Start of the process in clock ticks since the boot: process numbers are used again.
    pub process_start: String,
}

impl Owner {
    pub fn current() -> Owner {
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

    pub fn text(&self) -> String {
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
    fn trees_are_read_back_and_stay_in_one_line() {
        let place = tempfile::tempdir().expect("a folder");
        let lines = [Entries::tree_line("cp 1"), Entries::file_line(77, "worker-1"), Entries::tree_line("source")];
        let text = lines.into_iter().fold(Owner::current().text(), |text, line| text + &line.expect("a name"));
        std::fs::write(place.path().join(OWNER_FILE), text).expect("written");
        let record = Record::read(&Folder::open_path(place.path()).expect("opened")).expect("a record");
        assert_eq!(record.entries.trees, ["cp 1", "source"]);
        assert_eq!(record.entries.files, [(77, "worker-1".to_string())]);
        assert!(Entries::tree_line("a\nb").is_err() && Entries::file_line(1, "../x").is_err());
    }
}
