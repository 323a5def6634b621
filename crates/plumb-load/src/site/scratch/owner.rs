//! Who works in a folder of plumb's own, and is it still at work?

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::site::scratch::folder::Folder;
use crate::site::scratch::small_files::{Recogniser, SmallFiles};
use crate::system::files::{self, Flags, Identity};
use crate::system::{self, processes};

/// Tells who works in a folder.
pub const OWNER_FILE: &str = "plumb.pid";
/// Before the names of what belongs to plumb with all that is in it.
const TREE: &str = "tree ";
/// Before the inode and the name of a file of blocks.
const FILE: &str = "file ";
/// Before device, inode and path of the folder at the other end of a copy test.
const PARTNER: &str = "partner ";
/// Before the address of something that the same process made where only a protocol leads.
const ELSEWHERE: &str = "elsewhere ";
/// Before what the jobs write into files of blocks.
const WRITTEN: &str = "written ";
/// Before what small files were made with.
const SMALL: &str = "small ";

/// True when the folder's run is surely gone: its lock is free, and its process has ended or this host was rebooted since.
pub fn is_stale(folder: &Folder) -> bool {
    let Some(record) = Record::read(folder) else {
        return false;
    };
    let owner = record.owner;
    let locked = folder
        .open(
            Path::new(OWNER_FILE),
            Flags {
                read: true,
                ..Flags::default()
            },
        )
        .and_then(|file| files::lock(&file));
    let current = Owner::current();
    match locked {
        Ok(false) => false,
        // The same kernel: its locks are ours too, also across containers; where process IDs are comparable they are checked as well.
        Ok(true) if owner.boot == current.boot => {
            owner.process_space != current.process_space || !owner.lives()
        }
        Err(_) if owner.boot == current.boot => {
            owner.process_space == current.process_space && !owner.lives()
        }
        // Another start of this machine; another machine's folder on a shared file system is left to that machine.
        _ => !owner.host.is_empty() && owner.host == current.host,
    }
}

/// Content of the owner file.
pub struct Record {
    pub owner: Owner,
    pub entries: Entries,
}

/// What plumb noted of its folder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entries {
    /// Entries of the folder that belong to plumb with all that is in them.
    pub trees: Vec<String>,
    /// Files of blocks with their inodes.
    pub files: Vec<(u64, String)>,
    /// What is written into them, one line for each job.
    pub written: Vec<String>,
    /// What its small files were made with.
    pub small: Vec<SmallFiles>,
    /// Folders that the same process made elsewhere.
    pub partners: Vec<Partner>,
    /// Addresses of what the same process made where only a protocol leads.
    pub elsewhere: Vec<String>,
}

/// A folder elsewhere: believed only when it is that one, and names this one too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partner {
    pub identity: Identity,
    pub path: PathBuf,
}

impl Entries {
    fn read(text: &str) -> Entries {
        let file = |line: &str| {
            line.strip_prefix(FILE)?
                .split_once(' ')
                .and_then(|(inode, name)| Some((inode.parse().ok()?, name.to_owned())))
        };
        Entries {
            trees: text
                .lines()
                .filter_map(|line| line.strip_prefix(TREE))
                .map(str::to_owned)
                .collect(),
            files: text.lines().filter_map(file).collect(),
            elsewhere: text
                .lines()
                .filter_map(|line| line.strip_prefix(ELSEWHERE))
                .map(str::to_owned)
                .collect(),
            partners: text
                .lines()
                .filter_map(|line| Partner::parse(line.strip_prefix(PARTNER)?))
                .collect(),
            written: text
                .lines()
                .filter_map(|line| line.strip_prefix(WRITTEN))
                .map(str::to_owned)
                .collect(),
            small: text
                .lines()
                .filter_map(|line| SmallFiles::parse(line.strip_prefix(SMALL)?))
                .collect(),
        }
    }
}

impl Partner {
    fn parse(text: &str) -> Option<Partner> {
        let mut words = text.splitn(3, ' ');
        let identity = Identity {
            device: words.next()?.parse().ok()?,
            inode: words.next()?.parse().ok()?,
        };
        Some(Partner {
            identity,
            path: PathBuf::from(words.next()?),
        })
    }
}

/// The record of a folder in use: what is noted in it is plumb's, also after the process was killed. Clones are the same record.
#[derive(Debug, Clone, Default)]
pub struct Notes(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    /// The owner file: open for as long as the folder is in use, as it holds the lock.
    file: Option<File>,
    entries: Entries,
}

impl Notes {
    /// Takes the owner file, which names its owner already.
    pub fn begin(&self, file: File) {
        self.noted().file = Some(file);
    }

    /// Closes the owner file, which gives up the lock.
    pub fn end(&self) {
        self.noted().file = None;
    }

    pub fn entries(&self) -> Entries {
        self.noted().entries.clone()
    }

    /// How the small files of this folder are recognized while it is in use.
    pub fn recogniser(&self) -> Recogniser {
        let noted = self.noted();
        Recogniser::new(
            &noted.entries.small,
            noted.file.as_ref().is_some_and(Folder::is_marked),
            false,
        )
    }

    /// Notes that an entry of this name belongs to plumb with all that will be in it.
    pub fn own_tree(&self, name: &str) -> io::Result<()> {
        let mut noted = self.noted();
        if !noted.entries.trees.iter().any(|tree| tree == name) {
            noted.write(&format!("{TREE}{}\n", plain(name)?))?;
            noted.entries.trees.push(name.to_owned());
        }
        Ok(())
    }

    /// Notes a file of blocks.
    pub fn own_file(&self, inode: u64, name: &str) -> io::Result<()> {
        let mut noted = self.noted();
        noted.write(&format!("{FILE}{inode} {}\n", plain(name)?))?;
        noted.entries.files.push((inode, name.to_owned()));
        Ok(())
    }

    /// Notes a folder elsewhere. One whose path does not fit into a line is not noted: it is found where it lies.
    pub fn note_partner(&self, partner: Partner) -> io::Result<()> {
        let mut noted = self.noted();
        let Some(path) = partner.path.to_str().filter(|path| !path.contains('\n')) else {
            return Ok(());
        };
        noted.write(&format!(
            "{PARTNER}{} {} {path}\n",
            partner.identity.device, partner.identity.inode
        ))?;
        noted.entries.partners.push(partner);
        Ok(())
    }

    /// Notes what is being made where only a protocol leads. An address that does not fit into a line is not noted.
    pub fn note_remote_side(&self, address: &str) -> io::Result<()> {
        if address.contains('\n') {
            Ok(())
        } else {
            self.noted().write(&format!("{ELSEWHERE}{address}\n"))
        }
    }

    /// Notes what is written into files of blocks.
    pub fn note_written(&self, lines: &[String]) -> io::Result<()> {
        let text: String = lines
            .iter()
            .map(|line| format!("{WRITTEN}{line}\n"))
            .collect();
        self.noted().write(&text)
    }

    /// Notes small files, before the first of them is made.
    pub fn own_small(&self, small: &SmallFiles) -> io::Result<()> {
        let mut noted = self.noted();
        if !noted.entries.small.contains(small) {
            noted.write(&format!("{SMALL}{}\n", small.text()))?;
            noted.entries.small.push(small.clone());
        }
        Ok(())
    }

    /// A thread that panicked in between left complete lines.
    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Noted {
    fn write(&mut self, line: &str) -> io::Result<()> {
        self.file
            .as_mut()
            .map_or(Ok(()), |file| file.write_all(line.as_bytes()))
    }
}

/// A name that stays in one line and in its folder.
fn plain(name: &str) -> io::Result<&str> {
    if name.contains(['\n', '/']) {
        Err(io::ErrorKind::InvalidInput.into())
    } else {
        Ok(name)
    }
}

impl Record {
    /// Longer ones are none of plumb's.
    const BYTES_MAX: u64 = 4 << 20;

    /// Reads it; `None` when there is none, or when it is none of plumb's.
    pub fn read(folder: &Folder) -> Option<Record> {
        Record::of(
            &folder
                .open(
                    Path::new(OWNER_FILE),
                    Flags {
                        read: true,
                        ..Flags::default()
                    },
                )
                .ok()?,
        )
    }

    /// The same of an open file.
    pub fn of(file: &File) -> Option<Record> {
        let mut text = String::new();
        file.take(Record::BYTES_MAX)
            .read_to_string(&mut text)
            .ok()?;
        Some(Record {
            owner: Owner::parse(&text)?,
            entries: Entries::read(&text),
        })
    }
}

/// Who works in a folder. Empty texts if the system does not report it.
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
        let process = std::process::id();
        Owner {
            host: system::host_name(),
            boot: system::boot_id(),
            process_space: processes::name_space(),
            process,
            process_start: processes::start(process).unwrap_or_default(),
        }
    }

    fn lives(&self) -> bool {
        processes::start(self.process).is_some_and(|start| start == self.process_start)
    }

    pub fn text(&self) -> String {
        format!(
            "plumb 1\n{}\n{}\n{}\n{}\n{}\n",
            self.host, self.boot, self.process_space, self.process, self.process_start
        )
    }

    fn parse(text: &str) -> Option<Owner> {
        let mut lines = text.strip_prefix("plumb 1\n")?.lines().map(str::to_owned);
        let (host, boot, process_space) = (lines.next()?, lines.next()?, lines.next()?);
        Some(Owner {
            host,
            boot,
            process_space,
            process: lines.next()?.parse().ok()?,
            process_start: lines.next()?,
        })
    }
}

/// True while some process has this number here.
pub fn lives(process: u32) -> bool {
    processes::start(process).is_some()
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
        let temporary = tempfile::tempdir().expect("a folder");
        let mut file = File::create(temporary.path().join(OWNER_FILE)).expect("made");
        file.write_all(Owner::current().text().as_bytes())
            .expect("written");
        let notes = Notes::default();
        notes.begin(file);
        let small = SmallFiles::up_to(4096);
        for _ in 0..2 {
            notes
                .own_tree("cp 1")
                .and_then(|()| notes.own_small(&small))
                .expect("noted");
        }
        notes
            .own_file(77, "worker-1")
            .and_then(|()| notes.own_tree("source"))
            .expect("noted");
        let partner = Partner {
            identity: Identity {
                device: 1,
                inode: 2,
            },
            path: "/a b/c".into(),
        };
        notes.note_partner(partner.clone()).expect("noted");
        assert!(notes.own_tree("a\nb").is_err() && notes.own_file(1, "../x").is_err());
        let record =
            Record::read(&Folder::open_path(temporary.path()).expect("opened")).expect("a record");
        assert_eq!(record.entries.trees, ["cp 1", "source"]);
        assert_eq!(record.entries.files, [(77, "worker-1".to_string())]);
        assert_eq!(
            (record.entries.small, record.entries.partners),
            (vec![small], vec![partner])
        );
    }
}
