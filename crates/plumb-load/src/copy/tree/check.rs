//! Is a copy complete? Every name, size, byte and time stamp is compared with the tree as its seed makes it.

use plumb_model::statement::Statement;
use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::entries::{Tree, TreeEntry, TreeKind};
use crate::system::trees;

/// Bytes that are compared at once.
const PIECE: usize = 1 << 20;
/// Problems listed individually; all are counted.
const PROBLEMS_LISTED: usize = 20;
/// A time stamp that is off by less was kept, only coarsely: tar and old protocols of rsync keep whole seconds, FAT every other one.
const COARSE_NS: u64 = 2_000_000_000;
/// Bytes shown around the first one that differs.
const WINDOW: usize = 16;

/// What is wrong with a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// The source itself under another name: a hard link to it, or a symbolic link. No data was copied.
    Linked,
    /// Bytes differ.
    Content,
    Size,
    Missing,
    /// Something that the tree does not have.
    Extra,
    /// A folder in place of a file, or the other way round.
    Kind,
    /// It cannot be read.
    Unreadable,
    /// The time stamp differs.
    Time,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// Below the root.
    pub path: PathBuf,
    /// First byte that differs; 0 for problems of other kinds.
    pub offset: u64,
    /// One sentence without the path.
    pub statement: Statement,
    /// Bytes around the first one that differs, expected and found; empty for problems of other kinds.
    pub hex_window: String,
}

/// Whether a program has to keep time stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timestamps {
    /// A file that lost its time stamp is a damaged copy.
    Required,
    /// Lost ones are counted, but are no problem.
    Reported,
    /// Neither time stamps nor permissions are compared: they are those of plumb's own transfer.
    Skipped,
}

/// What is no problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tolerance {
    /// Time stamp resolution of the destination: smaller differences are not the program's loss.
    pub granularity_ns: u64,
    pub timestamps: Timestamps,
    /// Pages are dropped before a file is read, so that its bytes come from the storage.
    pub cold: bool,
}

/// What a look at a copy found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checked {
    /// Files that were read to their end, and bytes compared.
    pub files: u64,
    pub bytes: u64,
    /// All problems, and the first of them, the gravest kind first.
    pub count: u64,
    pub problems: Vec<Problem>,
    /// Files whose time stamp differs, and the difference of the first; reported even if it is not a problem.
    pub times: u64,
    /// Files whose time stamp was kept, but only to the second or so: never a problem.
    pub coarse_times: u64,
    /// Folders whose time stamp differs, and entries whose permissions differ: never a problem.
    pub folder_times: u64,
    pub modes: u64,
    /// Bytes that lie in the same blocks as the source (reflink): complete, though no data was copied. Missing without a source at hand, and where the file
    /// system does not report where its files are.
    pub shared_bytes: Option<u64>,
    /// The look was ended by the user.
    pub stopped: bool,
}

impl Checked {
    fn add(&mut self, kind: ProblemKind, path: &Path, statement: Statement) {
        self.list(Problem {
            kind,
            path: path.to_path_buf(),
            offset: 0,
            statement,
            hex_window: String::new(),
        });
    }

    fn list(&mut self, problem: Problem) {
        self.count += 1;
        // The gravest kinds are kept: a thousand lost time stamps must not bury one damaged file.
        let index = self
            .problems
            .partition_point(|known| known.kind <= problem.kind);
        self.problems.insert(index, problem);
        self.problems.truncate(PROBLEMS_LISTED);
    }
}

impl Tree {
    /// Compares what lies in `root` with this tree. With `source`, the folder that was copied, links to files there are reported.
    pub fn check(
        &self,
        root: &Path,
        source: Option<&Path>,
        tolerance: &Tolerance,
        stop: &AtomicBool,
    ) -> Checked {
        let mut checked = Checked::default();
        let mut buffers = (vec![0; PIECE], vec![0; PIECE]);
        for entry in &self.entries {
            if stop.load(Ordering::Relaxed) {
                checked.stopped = true;
                return checked;
            }
            self.check_entry(root, source, entry, tolerance, &mut buffers, &mut checked);
        }
        let expected: HashSet<&Path> = self
            .entries
            .iter()
            .map(|entry| entry.path.as_path())
            .collect();
        look_for_more(root, Path::new(""), &expected, &mut checked);
        checked
    }

    fn check_entry(
        &self,
        root: &Path,
        source: Option<&Path>,
        entry: &TreeEntry,
        tolerance: &Tolerance,
        buffers: &mut (Vec<u8>, Vec<u8>),
        checked: &mut Checked,
    ) {
        let path = root.join(&entry.path);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return checked.add(
                    ProblemKind::Missing,
                    &entry.path,
                    missing(root, &entry.path, checked.count == 0),
                );
            }
            Err(error) => {
                return checked.add(
                    ProblemKind::Unreadable,
                    &entry.path,
                    Statement::new("copied-file-cannot-be-seen").name("error", error.to_string()),
                );
            }
        };
        let is_compared = tolerance.timestamps != Timestamps::Skipped;
        let off_ns = off_by_ns(entry, &metadata)
            .filter(|off| is_compared && *off >= tolerance.granularity_ns);
        let late = off_ns.filter(|off| *off >= COARSE_NS);
        let has_other_mode = trees::mode(&metadata).is_some_and(|mode| mode != entry.mode);
        checked.modes += u64::from(is_compared && has_other_mode);
        if metadata.is_symlink() {
            let statement = match fs::read_link(&path) {
                Ok(target) => Statement::new("copied-file-is-symlink")
                    .name("target", target.display().to_string()),
                Err(_) => Statement::new("copied-file-is-symlink-elsewhere"),
            };
            return checked.add(ProblemKind::Linked, &entry.path, statement);
        }
        let from = source
            .map(|source| source.join(&entry.path))
            .filter(|_| matches!(entry.kind, TreeKind::File { .. }));
        if from
            .as_ref()
            .is_some_and(|from| is_same_file(&metadata, from))
        {
            return checked.add(
                ProblemKind::Linked,
                &entry.path,
                Statement::new("copied-file-is-the-source"),
            );
        }
        match entry.kind {
            TreeKind::Folder if !metadata.is_dir() => checked.add(
                ProblemKind::Kind,
                &entry.path,
                Statement::new("copied-folder-is-none"),
            ),
            TreeKind::Folder => checked.folder_times += u64::from(late.is_some()),
            TreeKind::File { .. } if !metadata.is_file() => checked.add(
                ProblemKind::Kind,
                &entry.path,
                Statement::new("copied-file-is-none"),
            ),
            TreeKind::File {
                number,
                bytes,
                zeros,
            } => {
                if metadata.len() != bytes {
                    let statement = Statement::new("copied-file-size")
                        .count("found", metadata.len())
                        .count("asked", bytes);
                    checked.add(ProblemKind::Size, &entry.path, statement);
                }
                if tolerance.cold {
                    // A file whose pages stay is read all the same.
                    let _ = trees::forget_cached(&path);
                }
                let shared =
                    from.and_then(|from| trees::shared_bytes(&File::open(&path).ok()?, &from));
                if let Some(shared) = shared {
                    *checked.shared_bytes.get_or_insert(0) += shared.min(bytes);
                }
                let of = (number, zeros, bytes.min(metadata.len()));
                if let Err(error) = self.compare(&path, entry, of, buffers, checked) {
                    checked.add(
                        ProblemKind::Unreadable,
                        &entry.path,
                        Statement::new("copied-file-cannot-be-read")
                            .name("error", error.to_string()),
                    );
                }
                checked.coarse_times += u64::from(off_ns.is_some() && late.is_none());
                if let Some(off_ns) = late {
                    checked.times += 1;
                    if tolerance.timestamps == Timestamps::Required {
                        let statement =
                            Statement::new("copied-file-lost-time").time_ns("off", off_ns as f64);
                        checked.add(ProblemKind::Time, &entry.path, statement);
                    }
                }
            }
        }
    }

    /// Compares the bytes that both have; the first difference is reported.
    fn compare(
        &self,
        path: &Path,
        entry: &TreeEntry,
        of: (u64, bool, u64),
        buffers: &mut (Vec<u8>, Vec<u8>),
        checked: &mut Checked,
    ) -> io::Result<()> {
        let (number, zeros, bytes) = of;
        let (expected, found) = buffers;
        let mut file = File::open(path)?;
        let mut offset = 0;
        let mut is_listed = false;
        while offset < bytes {
            let len = (bytes - offset).min(PIECE as u64) as usize;
            let (expected, found) = (&mut expected[..len], &mut found[..len]);
            file.read_exact(found)?;
            self.fill(number, zeros, offset, expected);
            if !is_listed && expected != found {
                let at = expected
                    .iter()
                    .zip(found.iter())
                    .position(|(a, b)| a != b)
                    .unwrap_or(0);
                checked.list(Problem {
                    kind: ProblemKind::Content,
                    path: entry.path.clone(),
                    offset: offset + at as u64,
                    statement: Statement::new("copied-file-differs")
                        .count("offset", offset + at as u64),
                    hex_window: window(expected, found, at),
                });
                is_listed = true;
            }
            offset += len as u64;
        }
        checked.files += 1;
        checked.bytes += bytes;
        Ok(())
    }
}

fn is_same_file(metadata: &Metadata, other: &Path) -> bool {
    let other = fs::symlink_metadata(other)
        .ok()
        .and_then(|other| trees::identity(&other));
    other.is_some() && trees::identity(metadata) == other
}

fn off_by_ns(entry: &TreeEntry, metadata: &Metadata) -> Option<u64> {
    trees::modified_ns(metadata)
        .ok()
        .map(|found| found.abs_diff(entry.modified_ns))
}

/// Expected and found bytes around the first one that differs, in hexadecimal.
fn window(expected: &[u8], found: &[u8], at: usize) -> String {
    let from = at.saturating_sub(WINDOW / 2);
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .skip(from)
            .take(WINDOW)
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    format!("expected {}\nfound    {}", hex(expected), hex(found))
}

/// That an entry is missing; of the first one also that it lies in a folder of the program's own, as after `cp -r` of a folder.
fn missing(root: &Path, path: &Path, first: bool) -> Statement {
    let folders = first
        .then(|| fs::read_dir(root))
        .and_then(Result::ok)
        .into_iter()
        .flatten()
        .flatten();
    let holder = folders
        .map(|folder| folder.file_name())
        .find(|name| fs::symlink_metadata(root.join(name).join(path)).is_ok());
    match holder {
        Some(name) => Statement::new("copied-file-is-elsewhere")
            .name("folder", name.to_string_lossy())
            .name("from", "{from}"),
        None => Statement::new("copied-file-is-missing"),
    }
}

/// Reports what is in the copy and not in the tree. The content of an extra folder is not reported separately.
fn look_for_more(root: &Path, below: &Path, expected: &HashSet<&Path>, checked: &mut Checked) {
    let entries = match fs::read_dir(root.join(below)) {
        Ok(entries) => entries,
        // A missing folder has been reported; a file in its place too.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return;
        }
        Err(error) => {
            return checked.add(
                ProblemKind::Unreadable,
                below,
                Statement::new("copied-folder-cannot-be-listed").name("error", error.to_string()),
            );
        }
    };
    let mut names: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| below.join(entry.file_name()))
        .collect();
    names.sort();
    for path in names {
        if !expected.contains(path.as_path()) {
            checked.add(
                ProblemKind::Extra,
                &path,
                Statement::new("copied-file-is-extra"),
            );
        } else if fs::symlink_metadata(root.join(&path)).is_ok_and(|metadata| metadata.is_dir()) {
            look_for_more(root, &path, expected, checked);
        }
    }
}
