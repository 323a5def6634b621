//! What was derived of each run of a library before, so that a record that has not changed need not be read again?
//!
//! An index is a file in the user's cache folder: one line per run with the state of its files (length, times, number) when it was read. A record whose
//! files differ in any of these is read again. Nothing depends on an index: one that is missing, damaged, or of another program is made anew.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::folder::{HEADER, NOTES, READINGS, TICKS};
use crate::system::{FileState, file_state};

/// Version of the format; another one is made anew.
const FORMAT: u32 = 1;
/// Below this many new runs an index is not worth writing: they are read in a few milliseconds.
const NEW_MIN: usize = 32;
/// Maximum number of runs in an index.
const RUNS_MAX: usize = 200_000;
/// Maximum size of an index, in bytes.
const BYTES_MAX: u64 = 512 << 20;
/// Indexes kept in the folder; the least recently written ones are removed.
const FILES_MAX: usize = 32;
/// Files changed less than this long ago may change again without a visible difference: file systems keep times with a resolution of up to two seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// The state of the files of a record: header, notes, intervals and counters; `None` where one is missing.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct RecordState {
    files: [Option<FileState>; 4],
    /// True if any change since it was taken is visible.
    #[serde(skip)]
    is_settled: bool,
}

impl PartialEq for RecordState {
    fn eq(&self, other: &RecordState) -> bool {
        self.files == other.files
    }
}

/// The files of a record, in the order of [`RecordState::of_files`].
pub const FILES: [&str; 4] = [HEADER, NOTES, TICKS, READINGS];

impl RecordState {
    /// The present state of a record. To be taken before the record is read.
    pub fn of(folder: &Path) -> RecordState {
        RecordState::of_files(&FILES.map(|name| fs::metadata(folder.join(name)).ok()))
    }

    /// The same, of the files' metadata just read.
    pub fn of_files(files: &[Option<Metadata>; 4]) -> RecordState {
        let files = files.each_ref().map(|file| file.as_ref().map(file_state));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let until_ns = now.map_or(0, |now| now.saturating_sub(SETTLED).as_nanos() as i128);
        RecordState {
            is_settled: files
                .iter()
                .flatten()
                .all(|file| file.last_change_ns() < until_ns),
            files,
        }
    }

    /// When a file of the record was written last; `None` if there is none.
    pub fn last_write(&self) -> Option<SystemTime> {
        let last_ns = self
            .files
            .iter()
            .flatten()
            .map(FileState::modified_ns)
            .max()?;
        let since = Duration::from_nanos(u64::try_from(last_ns).unwrap_or(0));
        Some(SystemTime::UNIX_EPOCH + since)
    }
}

/// What an index holds of a run: a part that many runs have in common, stored once, and a part of its own.
pub trait Indexed: Clone {
    type Shared: Serialize + DeserializeOwned;
    type Own: Serialize + DeserializeOwned;

    fn parts(&self) -> (Arc<Self::Shared>, Self::Own);

    /// `None` if the parts do not fit together.
    fn joined(shared: Arc<Self::Shared>, own: Self::Own) -> Option<Self>;
}

/// Where an index lies, and what it is valid for.
#[derive(Debug, Clone)]
pub struct IndexLocation {
    /// The folder of all indexes; it is made when one is written.
    pub folder: PathBuf,
    /// The program that derives: an index of any other is not used, because the other may have derived differently.
    pub program: String,
}

/// The first line of the file.
#[derive(Serialize, Deserialize, PartialEq)]
struct Head {
    index: u32,
    program: String,
    /// What is derived.
    kind: String,
    /// The folders of the library.
    roots: Vec<String>,
}

/// Any other line.
#[derive(Serialize, Deserialize)]
enum Line<S, O> {
    /// The next common part, numbered from 0.
    #[serde(rename = "s")]
    Shared(S),
    /// A run: its folder, the state of its files, the number of the common part, its own part.
    #[serde(rename = "r")]
    Run(String, Box<RecordState>, u32, O),
}

/// Everything that was derived of the runs of a library.
#[derive(Debug)]
pub struct Index<T> {
    location: Option<(IndexLocation, PathBuf)>,
    kind: String,
    roots: Vec<String>,
    runs: HashMap<String, (RecordState, T)>,
    new: usize,
}

impl<T: Indexed> Index<T> {
    /// Opens the index of this kind (a word, and what it depends on) of the library in these folders. Whatever is wrong with its file, the index is then empty. Without a location nothing is kept.
    pub fn open(location: Option<IndexLocation>, kind: &str, roots: &[PathBuf]) -> Index<T> {
        let canonical = |root: &PathBuf| Some(fs::canonicalize(root).ok()?.to_str()?.to_string());
        let roots: Option<Vec<String>> = roots.iter().map(canonical).collect();
        // A folder that is not there, or has no name in Unicode, has no index.
        let location = location.filter(|_| roots.is_some());
        let roots = roots.unwrap_or_default();
        let location = location.map(|location| {
            let mut hasher = DefaultHasher::new();
            (kind, &roots).hash(&mut hasher);
            let word = kind.split(' ').next().unwrap_or(kind);
            let name = format!("{word}-{:016x}.jsonl", hasher.finish());
            let file = location.folder.join(name);
            (location, file)
        });
        let mut index = Index {
            location,
            kind: kind.into(),
            roots,
            runs: HashMap::new(),
            new: 0,
        };
        if index.read().is_err() {
            index.runs.clear();
        }
        index
    }

    fn head(&self, location: &IndexLocation) -> Head {
        Head {
            index: FORMAT,
            program: location.program.clone(),
            kind: self.kind.clone(),
            roots: self.roots.clone(),
        }
    }

    fn read(&mut self) -> io::Result<()> {
        let Some((location, path)) = &self.location else {
            return Ok(());
        };
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() > BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut lines = BufReader::with_capacity(1 << 16, file.take(BYTES_MAX));
        let mut line = Vec::new();
        lines.read_until(b'\n', &mut line)?;
        if serde_json::from_slice::<Head>(&line)? != self.head(location) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut shared: Vec<Arc<T::Shared>> = Vec::new();
        loop {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            match serde_json::from_slice::<Line<T::Shared, T::Own>>(&line)? {
                Line::Shared(part) => shared.push(Arc::new(part)),
                Line::Run(folder, state, number, own) => {
                    let part = shared.get(number as usize).cloned();
                    let run = part.and_then(|part| T::joined(part, own));
                    let run = run.ok_or(io::ErrorKind::InvalidData)?;
                    if self.runs.len() < RUNS_MAX {
                        self.runs.insert(folder, (*state, run));
                    }
                }
            }
        }
    }

    /// What was derived of a run whose files are in this state; `folder` is its canonical path.
    pub fn get(&self, folder: &Path, state: &RecordState) -> Option<&T> {
        let (of, run) = self.runs.get(folder.to_str()?)?;
        (of == state).then_some(run)
    }

    /// Adds what was derived of a run. A record that changed a moment ago is not kept: it may change again in the same moment.
    pub fn add(&mut self, folder: &Path, state: RecordState, run: T) {
        let is_kept = self.location.is_some() && state.is_settled && self.runs.len() < RUNS_MAX;
        if let Some(name) = folder.to_str().filter(|_| is_kept) {
            self.runs.insert(name.into(), (state, run));
            self.new += 1;
        }
    }

    /// Writes the index if much is new. Runs that are not among `found` are left out: they are gone. The file is replaced as a whole, so that another plumb
    /// at the same time reads either the old or the new one; of two that write, the last one remains. An index that cannot be written is not kept.
    pub fn save<'a>(&mut self, found: impl Iterator<Item = &'a Path>) {
        if self.new < NEW_MIN {
            return;
        }
        let found: HashSet<&str> = found.filter_map(Path::to_str).collect();
        self.runs
            .retain(|folder, _| found.contains(folder.as_str()));
        self.new = 0;
        let Some((location, path)) = &self.location else {
            return;
        };
        let draft = path.with_extension(format!("{}.draft", std::process::id()));
        let written = make_private(&location.folder)
            .and_then(|()| self.write(location, &draft))
            .and_then(|()| fs::rename(&draft, path));
        if written.is_err() {
            let _ = fs::remove_file(&draft);
            return;
        }
        remove_oldest(&location.folder);
    }

    fn write(&self, location: &IndexLocation, draft: &Path) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, File::create(draft)?);
        let mut line = |line: &dyn erased::Line| -> io::Result<()> {
            line.write(&mut out)?;
            out.write_all(b"\n")
        };
        line(&self.head(location))?;
        let mut numbers: HashMap<String, u32> = HashMap::new();
        // One that was read from the index is one object for all its runs.
        let mut known: HashMap<*const T::Shared, u32> = HashMap::new();
        let mut alive = Vec::new();
        for (folder, (state, run)) in &self.runs {
            let (shared, own) = run.parts();
            let number = match known.get(&Arc::as_ptr(&shared)) {
                Some(number) => *number,
                None => {
                    let text = serde_json::to_string(&shared)?;
                    let next = numbers.len() as u32;
                    let number = *numbers.entry(text).or_insert(next);
                    if number == next {
                        line(&Line::<_, ()>::Shared(&*shared))?;
                    }
                    known.insert(Arc::as_ptr(&shared), number);
                    // Its address stays its own.
                    alive.push(shared);
                    number
                }
            };
            line(&Line::<(), _>::Run(
                folder.clone(),
                Box::new(*state),
                number,
                own,
            ))?;
        }
        out.flush()
    }
}

/// Lines of different types, written by one closure.
mod erased {
    use std::io::{self, Write};

    use serde::Serialize;

    pub trait Line {
        fn write(&self, out: &mut dyn Write) -> io::Result<()>;
    }

    impl<T: Serialize> Line for T {
        fn write(&self, out: &mut dyn Write) -> io::Result<()> {
            Ok(serde_json::to_writer(out, self)?)
        }
    }
}

/// Makes the folder of the indexes, with what is above it.
fn make_private(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    crate::system::make_private_folder(folder)
}

/// Removes the indexes that were written least recently, beyond [`FILES_MAX`], and drafts of programs that were killed.
fn remove_oldest(folder: &Path) {
    let age = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        modified.map_or(Duration::MAX, |at| at.elapsed().unwrap_or_default())
    };
    let ends = |path: &Path, end: &str| path.extension().is_some_and(|found| found == end);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(Duration, PathBuf)> = entries
        .map(|entry| (age(&entry), entry.path()))
        .filter(|(_, path)| ends(path, "jsonl") || ends(path, "draft"))
        .collect();
    files.sort();
    let is_old_draft =
        |(age, path): &(Duration, PathBuf)| ends(path, "draft") && age.as_secs() > 3600;
    let old = files.iter().filter(|file| is_old_draft(file));
    let indexes = files.iter().filter(|(_, path)| ends(path, "jsonl"));
    for (_, path) in old.chain(indexes.skip(FILES_MAX)) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run with a number of its own and a text that many have.
    #[derive(Debug, Clone, PartialEq)]
    struct Known(Arc<String>, u32);

    impl Indexed for Known {
        type Shared = String;
        type Own = u32;

        fn parts(&self) -> (Arc<String>, u32) {
            (self.0.clone(), self.1)
        }

        fn joined(text: Arc<String>, number: u32) -> Option<Known> {
            Some(Known(text, number))
        }
    }

    const RUNS: u32 = 40;

    struct Bench {
        library: tempfile::TempDir,
        cache: tempfile::TempDir,
    }

    impl Bench {
        /// A library of records that changed long ago.
        fn new() -> Bench {
            let bench = Bench {
                library: tempfile::tempdir().expect("a folder"),
                cache: tempfile::tempdir().expect("a folder"),
            };
            for number in 0..RUNS {
                let folder = bench.run(number);
                fs::create_dir(&folder).expect("a folder");
                for name in FILES {
                    fs::write(folder.join(name), format!("{number}")).expect("written");
                }
            }
            bench
        }

        fn run(&self, number: u32) -> PathBuf {
            let library = fs::canonicalize(self.library.path()).expect("there");
            library.join(format!("run-{number}"))
        }

        fn open(&self, program: &str) -> Index<Known> {
            let location = IndexLocation {
                folder: self.cache.path().join("plumb"),
                program: program.into(),
            };
            Index::open(Some(location), "runs", &[self.library.path().to_path_buf()])
        }

        /// The states as if nothing had changed for a while: when that was, only the clock knows.
        fn settled(&self, number: u32) -> RecordState {
            RecordState {
                is_settled: true,
                ..RecordState::of(&self.run(number))
            }
        }

        fn write(&self, program: &str, count: u32) {
            let mut index = self.open(program);
            for number in 0..count {
                let text = Arc::new(format!("plan {}", number % 2));
                index.add(&self.run(number), self.settled(number), Known(text, number));
            }
            let runs: Vec<PathBuf> = (0..count).map(|number| self.run(number)).collect();
            index.save(runs.iter().map(PathBuf::as_path));
        }

        /// Numbers of the runs that an index knows, in their present state.
        fn known(&self, program: &str) -> Vec<u32> {
            let index = self.open(program);
            let known = |number: &u32| {
                let run = index.get(&self.run(*number), &RecordState::of(&self.run(*number)));
                run.is_some_and(|run| {
                    assert_eq!(
                        (run.0.as_str(), run.1),
                        (&*format!("plan {}", number % 2), *number)
                    );
                    true
                })
            };
            (0..RUNS).filter(known).collect()
        }

        fn file(&self) -> PathBuf {
            let files = fs::read_dir(self.cache.path().join("plumb")).expect("made");
            let files: Vec<_> = files.flatten().map(|entry| entry.path()).collect();
            let [file] = files.try_into().expect("one file, no draft");
            file
        }
    }

    #[test]
    fn what_did_not_change_is_known_and_every_change_is_seen() {
        let bench = Bench::new();
        assert_eq!(bench.known("a"), [0u32; 0], "nothing was written");
        bench.write("a", RUNS);
        assert_eq!(bench.known("a"), (0..RUNS).collect::<Vec<_>>());
        let text = fs::read_to_string(bench.file()).expect("read");
        assert_eq!(
            text.matches("plan 1").count(),
            1,
            "once for all that have it"
        );

        // Longer; of the same length, with the old time set again; a file more; none.
        fs::write(bench.run(3).join(TICKS), "longer").expect("written");
        let notes = bench.run(5).join(NOTES);
        let before = fs::metadata(&notes)
            .expect("there")
            .modified()
            .expect("known");
        fs::write(&notes, "x").expect("written");
        let file = File::options().write(true).open(&notes).expect("opened");
        file.set_modified(before).expect("set");
        fs::remove_file(bench.run(7).join(READINGS)).expect("removed");
        fs::remove_dir_all(bench.run(9)).expect("removed");
        let changed = if cfg!(unix) {
            vec![3, 5, 7, 9]
        } else {
            vec![3, 7, 9]
        };
        let rest: Vec<u32> = (0..RUNS)
            .filter(|number| !changed.contains(number))
            .collect();
        assert_eq!(bench.known("a"), rest);
    }

    #[test]
    fn an_index_of_another_program_or_a_damaged_one_is_empty() {
        let bench = Bench::new();
        bench.write("a", RUNS);
        assert_eq!(bench.known("b"), [0u32; 0]);
        let file = bench.file();
        let whole = fs::read(&file).expect("read");
        for damaged in [
            whole[..whole.len() - 3].to_vec(),
            whole.iter().map(|byte| byte ^ 0x55).collect(),
            Vec::new(),
        ] {
            fs::write(&file, damaged).expect("written");
            assert_eq!(bench.known("a"), [0u32; 0]);
        }
        bench.write("a", RUNS);
        assert_eq!(bench.known("a").len(), RUNS as usize, "made anew");
    }

    #[test]
    fn what_is_not_worth_it_or_not_certain_is_not_kept() {
        let bench = Bench::new();
        bench.write("a", NEW_MIN as u32 - 1);
        assert!(!bench.cache.path().join("plumb").exists(), "few runs");
        let mut index = bench.open("a");
        for number in 0..RUNS {
            // Written a moment ago.
            let state = RecordState::of(&bench.run(number));
            index.add(&bench.run(number), state, Known(Arc::default(), number));
        }
        let runs: Vec<PathBuf> = (0..RUNS).map(|number| bench.run(number)).collect();
        index.save(runs.iter().map(PathBuf::as_path));
        assert!(!bench.cache.path().join("plumb").exists(), "new records");
    }

    #[cfg(unix)]
    #[test]
    fn a_cache_folder_that_cannot_be_written_is_no_error() {
        let bench = Bench::new();
        fs::write(bench.cache.path().join("plumb"), "a file").expect("written");
        bench.write("a", RUNS);
        assert_eq!(bench.known("a"), [0u32; 0]);
    }
}
