//! Which machine is observed, and what do its kernel files contain now? They are read repeatedly at low cost.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::system;

/// Files kept open at most, over all readers; a machine with hundreds of cores has more files than a process may open (RLIMIT_NOFILE is often 1024).
const KEPT_OPEN: usize = 96;

/// Largest file that is read, in bytes: /proc/stat of the largest machines stays below 1 MiB.
const LARGEST_BYTES: usize = 4 << 20;

/// Initial read size of a file; doubled until everything fits.
const FIRST_BYTES: usize = 1 << 10;

/// Missing files are looked for at the first reading and then at every eighth: a lookup costs a system call, and a run may have a thousand readings.
const READINGS_BETWEEN_LOOKS: u32 = 8;

/// The machine under one root: `/`, or a fixture tree.
#[derive(Clone)]
pub struct Machine {
    root: PathBuf,
    kept_open: Rc<Cell<usize>>,
}

impl Machine {
    /// The machine whose kernel files are under `root`; nothing is opened yet.
    pub fn new(root: &Path) -> Self {
        Machine {
            root: root.to_owned(),
            kept_open: Rc::default(),
        }
    }

    /// The root that all paths are relative to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// True when the root is the running system's own, so that system calls apply to the same machine as the files.
    pub fn is_live(&self) -> bool {
        self.root == Path::new("/")
    }

    /// The file at `path` (relative to the root, no leading slash), for repeated reading; opened at the first reading.
    pub fn file(&self, path: &str) -> KernelFile {
        KernelFile {
            path: system::kernel_files::below_root(&self.root, path).ok(),
            state: State::Missing,
            look: Look::default(),
            buffer: Vec::new(),
            kept_open: Rc::clone(&self.kept_open),
        }
    }
}

/// A file of the kernel, kept open between readings.
///
/// One that is not there is looked for again, so that what is mounted or plugged in later is found.
pub struct KernelFile {
    /// Missing where this system has no files of the kernel.
    path: Option<PathBuf>,
    state: State,
    look: Look,
    /// As long as the largest content so far needed; what it holds is reported by the reading.
    buffer: Vec<u8>,
    kept_open: Rc<Cell<usize>>,
}

enum State {
    Open(Kept),
    /// Exists, but too many others are open: opened for each reading.
    Closed,
    /// Was not there, or could not be read.
    Missing,
}

impl KernelFile {
    /// The current content; `None` if it is missing or cannot be read. Everything from the first invalid UTF-8 byte on is dropped.
    pub fn text(&mut self) -> Option<&str> {
        let length = match &self.state {
            State::Missing if !self.look.is_due() => return None,
            State::Open(kept) => read_all(&kept.file, &mut self.buffer),
            State::Missing | State::Closed => self.open(),
        };
        let Ok(length) = length else {
            // ENODEV: the device or CPU behind an open file of /sys has gone; EIO: the module behind one of /proc has. Both may come back.
            if matches!(self.state, State::Open(_)) {
                self.look = Look::default();
            }
            self.state = State::Missing;
            return None;
        };
        let content = &self.buffer[..length];
        Some(match std::str::from_utf8(content) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&content[..error.valid_up_to()]).unwrap_or_default(),
        })
    }

    /// Opens and reads the file, and keeps it open where that is allowed.
    fn open(&mut self) -> io::Result<usize> {
        let path = self.path.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        let file = File::open(path)?;
        let length = read_all(&file, &mut self.buffer)?;
        self.state = if self.kept_open.get() < KEPT_OPEN {
            State::Open(Kept::new(file, &self.kept_open))
        } else {
            State::Closed
        };
        Ok(length)
    }
}

/// A file that is open, and counted as such.
struct Kept {
    file: File,
    count: Rc<Cell<usize>>,
}

impl Kept {
    fn new(file: File, count: &Rc<Cell<usize>>) -> Self {
        count.set(count.get() + 1);
        Kept {
            file,
            count: Rc::clone(count),
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.count.set(self.count.get() - 1);
    }
}

/// When is something that is not there looked for again?
#[derive(Default)]
pub(crate) struct Look {
    readings: u32,
}

impl Look {
    /// Counts one reading; true when it is one that looks.
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.readings == 0;
        self.readings = (self.readings + 1) % READINGS_BETWEEN_LOOKS;
        is_due
    }
}

/// Reads the file from its beginning to its end; returns how many bytes of the buffer it fills. A short read does not mean the end of a file of
/// /proc (fs/seq_file.c gives what fits into a page), so there is always a last one of nothing.
fn read_all(file: &File, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let mut length = 0;
    loop {
        if length == buffer.len() {
            if length >= LARGEST_BYTES {
                return Ok(length);
            }
            buffer.resize((2 * length).clamp(FIRST_BYTES, LARGEST_BYTES), 0);
        }
        match system::read_at(file, &mut buffer[length..], length as u64) {
            Ok(0) => return Ok(length),
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_anew_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counter");
        let mut file = Machine::new(folder.path()).file("counter");
        for content in ["1\n", "22\n", "", "3\n"] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(file.text(), Some(content));
        }
        std::fs::write(&path, b"ok \xff\xfe rest").unwrap();
        assert_eq!(file.text(), Some("ok "));
        let long = "x".repeat(3 * FIRST_BYTES);
        std::fs::write(&path, &long).unwrap();
        assert_eq!(file.text(), Some(long.as_str()));
        std::fs::write(&path, "short").unwrap();
        assert_eq!(file.text(), Some("short"));
    }

    #[test]
    fn a_missing_file_is_found_when_it_appears() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Machine::new(folder.path()).file("late");
        assert_eq!(file.text(), None);
        std::fs::write(folder.path().join("late"), "here").unwrap();
        let readings: Vec<bool> = (0..READINGS_BETWEEN_LOOKS)
            .map(|_| file.text().is_some())
            .collect();
        assert!(!readings[0], "it is not looked for at every reading");
        assert_eq!(file.text(), Some("here"));
    }

    #[test]
    fn more_files_than_may_be_kept_open_are_still_read() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::new(folder.path());
        let name = |number: usize| format!("f{number}");
        let mut files: Vec<KernelFile> = (0..KEPT_OPEN + 10)
            .map(|number| machine.file(&name(number)))
            .collect();
        for round in 0..2 {
            for (number, file) in files.iter_mut().enumerate() {
                let content = format!("{round} {number}");
                std::fs::write(folder.path().join(name(number)), &content).unwrap();
                assert_eq!(file.text(), Some(content.as_str()));
            }
        }
        assert_eq!(machine.kept_open.get(), KEPT_OPEN);
        drop(files);
        assert_eq!(machine.kept_open.get(), 0);
    }
}
