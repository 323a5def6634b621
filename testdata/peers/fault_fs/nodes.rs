//! What is stored? Folders, files and links in memory, sparse.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::SystemTime;

use fuser::{FileAttr, FileType, INodeNo};

const CHUNK: u64 = 64 * 1024;
pub const ROOT: u64 = 1;

/// A file, folder or symbolic link.
pub struct Node {
    pub kind: FileType,
    pub name: OsString,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub modified: SystemTime,
    pub children: BTreeMap<OsString, u64>,
    pub link: PathBuf,
    pub size: u64,
    /// By number; what is missing is zeroes.
    chunks: BTreeMap<u64, Vec<u8>>,
    /// The next fsync fails with it.
    pub fails_at_fsync: Option<i32>,
    /// References that the kernel holds.
    pub lookups: u64,
    /// It has a name.
    pub linked: bool,
}

impl Node {
    pub fn new(kind: FileType, name: &OsStr, mode: u32, owner: (u32, u32)) -> Node {
        Node {
            kind,
            name: name.into(),
            mode: mode & 0o7777,
            uid: owner.0,
            gid: owner.1,
            modified: SystemTime::now(),
            children: BTreeMap::new(),
            link: PathBuf::new(),
            size: 0,
            chunks: BTreeMap::new(),
            fails_at_fsync: None,
            lookups: 0,
            linked: true,
        }
    }

    pub fn attributes(&self, number: u64) -> FileAttr {
        FileAttr {
            ino: INodeNo(number),
            size: self.size,
            blocks: self.chunks.len() as u64 * (CHUNK / 512),
            atime: self.modified,
            mtime: self.modified,
            ctime: self.modified,
            crtime: self.modified,
            kind: self.kind,
            perm: self.mode as u16,
            nlink: u32::from(self.linked) + u32::from(self.kind == FileType::Directory),
            uid: self.uid,
            gid: self.gid,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }

    pub fn read(&self, offset: u64, bytes: u64) -> Vec<u8> {
        let bytes = bytes.min(self.size.saturating_sub(offset)) as usize;
        let mut read = vec![0; bytes];
        for (number, within, span) in spans(offset, bytes) {
            if let Some(chunk) = self.chunks.get(&number) {
                read[span.clone()].copy_from_slice(&chunk[within..within + span.len()]);
            }
        }
        read
    }

    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        for (number, within, span) in spans(offset, bytes.len()) {
            let chunk = self
                .chunks
                .entry(number)
                .or_insert_with(|| vec![0; CHUNK as usize]);
            chunk[within..within + span.len()].copy_from_slice(&bytes[span]);
        }
        self.grow(offset + bytes.len() as u64);
    }

    /// The file has at least this size.
    pub fn grow(&mut self, size: u64) {
        self.size = self.size.max(size);
        self.modified = SystemTime::now();
    }

    /// Zeroes in the place of what was there; whole chunks are given back.
    pub fn punch(&mut self, offset: u64, bytes: u64) {
        let bytes = bytes.min(self.size.saturating_sub(offset)) as usize;
        for (number, within, span) in spans(offset, bytes) {
            if span.len() as u64 == CHUNK {
                self.chunks.remove(&number);
            } else if let Some(chunk) = self.chunks.get_mut(&number) {
                chunk[within..within + span.len()].fill(0);
            }
        }
    }

    pub fn truncate(&mut self, size: u64) {
        if size < self.size {
            self.punch(size, self.size - size);
            self.chunks.retain(|number, _| number * CHUNK < size);
        }
        self.size = size;
        self.modified = SystemTime::now();
    }
}

/// The parts of a range by chunk: number, first byte within it, and which bytes of the range.
fn spans(offset: u64, bytes: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        (done < bytes).then(|| {
            let at = offset + done as u64;
            let within = (at % CHUNK) as usize;
            let span = done..bytes.min(done + CHUNK as usize - within);
            done = span.end;
            (at / CHUNK, within, span)
        })
    })
}

/// All of them.
pub struct Nodes {
    by_number: HashMap<u64, Node>,
    next: u64,
}

impl Nodes {
    pub fn new() -> Nodes {
        // The root belongs to who mounts it.
        let own = std::fs::metadata("/proc/self").expect("/proc");
        let owner = (
            std::os::unix::fs::MetadataExt::uid(&own),
            std::os::unix::fs::MetadataExt::gid(&own),
        );
        let root = Node::new(FileType::Directory, OsStr::new(""), 0o755, owner);
        Nodes {
            by_number: HashMap::from([(ROOT, root)]),
            next: ROOT,
        }
    }

    pub fn get(&self, number: u64) -> Option<&Node> {
        self.by_number.get(&number)
    }

    pub fn get_mut(&mut self, number: u64) -> Option<&mut Node> {
        self.by_number.get_mut(&number)
    }

    pub fn child(&self, parent: u64, name: &OsStr) -> Option<u64> {
        self.get(parent)?.children.get(name).copied()
    }

    pub fn name(&self, number: u64) -> String {
        self.get(number)
            .map(|node| node.name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    pub fn add(&mut self, parent: u64, node: Node) -> Option<u64> {
        self.next += 1;
        let number = self.next;
        self.get_mut(parent)?
            .children
            .insert(node.name.clone(), number);
        self.by_number.insert(number, node);
        Some(number)
    }

    /// Takes a name away; the node goes when the kernel has forgotten it.
    pub fn remove(&mut self, parent: u64, name: &OsStr) {
        let gone = self
            .get_mut(parent)
            .and_then(|node| node.children.remove(name));
        if let Some(number) = gone {
            if let Some(node) = self.get_mut(number) {
                node.linked = false;
            }
            self.forget(number, 0);
        }
    }

    pub fn forget(&mut self, number: u64, references: u64) {
        if let Some(node) = self.get_mut(number) {
            node.lookups = node.lookups.saturating_sub(references);
            if !node.linked && node.lookups == 0 {
                self.by_number.remove(&number);
            }
        }
    }

    pub fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr)) {
        let Some(number) = self
            .get_mut(from.0)
            .and_then(|node| node.children.remove(from.1))
        else {
            return;
        };
        self.remove(to.0, to.1);
        if let Some(parent) = self.get_mut(to.0) {
            parent.children.insert(to.1.into(), number);
        }
        if let Some(node) = self.get_mut(number) {
            node.name = to.1.into();
        }
    }

    pub fn stored_bytes(&self) -> u64 {
        self.by_number
            .values()
            .map(|node| node.chunks.len() as u64 * CHUNK)
            .sum()
    }

    pub fn stored(&self, path: &str) -> Option<Vec<u8>> {
        let mut number = ROOT;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            number = self.child(number, OsStr::new(part))?;
        }
        let node = self.get(number)?;
        (node.kind == FileType::RegularFile).then(|| node.read(0, node.size))
    }
}
