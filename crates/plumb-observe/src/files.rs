//! What does a file of /proc or /sys hold right now? Read again and again, at little cost.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Files kept open at most; a machine with hundreds of cores has more files than a process may open (RLIMIT_NOFILE is often 1024).
const KEPT_OPEN: usize = 96;

/// Largest file that is read, in bytes: /proc/stat of the largest machines stays below 1 MiB.
const LARGEST_BYTES: u64 = 4 << 20;

/// The kernel's files under one root (`/`, or a fixture tree), read into one buffer, kept open between readings.
///
/// A file that is missing at the first look is not looked for again: what is plugged in later is no part of the run.
pub struct KernelFiles {
    root: PathBuf,
    kept: HashMap<String, Kept>,
    open: usize,
    names: HashMap<String, Rc<[String]>>,
    buffer: Vec<u8>,
}

enum Kept {
    /// Open; read again from its beginning.
    Open(File),
    /// Exists, but not kept open: opened for each reading.
    Closed,
    /// Missing at the first look.
    Missing,
}

impl KernelFiles {
    /// The files under `root`; nothing is opened yet.
    pub fn new(root: &Path) -> Self {
        KernelFiles {
            root: root.to_owned(),
            kept: HashMap::new(),
            open: 0,
            names: HashMap::new(),
            buffer: Vec::with_capacity(16 << 10),
        }
    }

    /// The root that all paths are relative to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// True when the root is the running system's own, so that system calls tell of the same machine as the files.
    pub fn is_live(&self) -> bool {
        self.root == Path::new("/")
    }

    /// What the file at `path` (relative to the root, no leading slash) holds now; `None` when it is missing or cannot be read. Bytes
    /// from the first one on that is no UTF-8 are left out.
    pub fn text(&mut self, path: &str) -> Option<&str> {
        if !self.kept.contains_key(path) {
            let kept = match File::open(self.root.join(path)) {
                Ok(file) if self.open < KEPT_OPEN => {
                    self.open += 1;
                    Kept::Open(file)
                }
                Ok(_) => Kept::Closed,
                Err(_) => Kept::Missing,
            };
            self.kept.insert(path.to_owned(), kept);
        }
        self.buffer.clear();
        let outcome = match self.kept.get_mut(path)? {
            Kept::Missing => return None,
            Kept::Open(file) => file
                .rewind()
                .and_then(|()| file.take(LARGEST_BYTES).read_to_end(&mut self.buffer)),
            Kept::Closed => File::open(self.root.join(path))
                .and_then(|file| file.take(LARGEST_BYTES).read_to_end(&mut self.buffer)),
        };
        // ENODEV: the device or CPU behind an open file of /sys has gone; it may come back, so the next reading opens it anew.
        if outcome.is_err() {
            if let Some(Kept::Open(_)) = self.kept.insert(path.to_owned(), Kept::Closed) {
                self.open -= 1;
            }
            return None;
        }
        Some(match std::str::from_utf8(&self.buffer) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(&self.buffer[..error.valid_up_to()]).unwrap_or_default()
            }
        })
    }

    /// A list of names or paths that is worked out at the first call and remembered: directory entries, the process's cgroups.
    pub fn remembered(
        &mut self,
        key: &str,
        work_out: impl FnOnce(&Path) -> Vec<String>,
    ) -> Rc<[String]> {
        if let Some(names) = self.names.get(key) {
            return Rc::clone(names);
        }
        let names: Rc<[String]> = work_out(&self.root).into();
        self.names.insert(key.to_owned(), Rc::clone(&names));
        names
    }
}

/// Names in the directory at `path` under `root` that are `prefix` and a number, in rising order: `cpu0`, `cpu1`, `cpu10`.
pub(crate) fn numbered(root: &Path, path: &str, prefix: &str) -> Vec<String> {
    let mut numbers: Vec<u32> = names(root, path)
        .iter()
        .filter_map(|name| name.strip_prefix(prefix)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers
        .iter()
        .map(|number| format!("{prefix}{number}"))
        .collect()
}

/// Names in the directory at `path` under `root`, sorted; none when it is missing.
pub(crate) fn names(root: &Path, path: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root.join(path))
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

/// A list of numbers as the kernel writes it (`0-3,8`), spelled out. Anything else in it is left out.
pub(crate) fn number_list(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(low), Ok(high)) = (low.trim().parse::<u32>(), high.trim().parse::<u32>())
            && high < 1 << 16
        {
            numbers.extend(low..=high);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_anew_each_time_and_a_missing_one_stays_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counter");
        std::fs::write(&path, "1\n").unwrap();
        let mut files = KernelFiles::new(folder.path());
        assert_eq!(files.text("counter"), Some("1\n"));
        std::fs::write(&path, "22\n").unwrap();
        assert_eq!(files.text("counter"), Some("22\n"));
        std::fs::write(&path, b"ok \xff\xfe rest").unwrap();
        assert_eq!(files.text("counter"), Some("ok "));
        assert_eq!(files.text("other"), None);
        std::fs::write(folder.path().join("other"), "late").unwrap();
        assert_eq!(files.text("other"), None);
    }

    #[test]
    fn more_files_than_may_be_kept_open_are_still_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = KernelFiles::new(folder.path());
        for round in 0..2 {
            for number in 0..KEPT_OPEN + 10 {
                let name = format!("f{number}");
                std::fs::write(folder.path().join(&name), format!("{round} {number}")).unwrap();
                assert_eq!(
                    files.text(&name),
                    Some(format!("{round} {number}").as_str())
                );
            }
        }
        assert_eq!(files.open, KEPT_OPEN);
    }

    #[test]
    fn number_lists_are_spelled_out() {
        for (text, expected) in [
            ("0-3,8\n", vec![0, 1, 2, 3, 8]),
            ("0", vec![0]),
            ("", vec![]),
            ("x,2", vec![2]),
            ("5-4", vec![]),
            ("0-4294967295", vec![]),
        ] {
            assert_eq!(number_list(text), expected, "{text}");
        }
    }
}
