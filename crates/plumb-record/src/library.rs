//! Which runs are below a folder? Folders with a header, found by walking; only the header and the end of the notes are read.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use plumb_model::run::library::{LIST_SCHEMA, Library, Listing};
use plumb_model::run::{INCOMPLETE, Note};

use crate::folder::{HEADER, NOTES, RecordError};
use crate::reader::read_header;

/// Levels of folders below the named one. Deeper ones hold sources and backups rather than runs.
const DEPTH_MAX: usize = 6;
/// The end of the notes in which the last one must be: a full-screen warning is shorter.
const NOTES_TAIL_BYTES: u64 = 64 << 10;

/// Finds the runs in and below these folders, newest first. Unreadable items are not fatal: they are listed in [`Library::unreadable`].
pub fn library(folders: &[PathBuf]) -> Library {
    let items = search(folders);
    let listings = items
        .iter()
        .map(|item| match item {
            Item::Run(found) => listing(&found.folder).map_err(|error| error.to_string()),
            Item::Unreadable(why) => Err(why.clone()),
        })
        .collect();
    library_of(folders, listings)
}

/// The library in these folders, of what was read of each item that was found in them.
pub fn library_of(folders: &[PathBuf], listings: Vec<Result<Listing, String>>) -> Library {
    let (mut runs, mut unreadable) = (Vec::new(), Vec::new());
    for listing in listings {
        match listing {
            Ok(listing) => runs.push(listing),
            Err(why) => unreadable.push(why),
        }
    }
    runs.sort_by(|a: &Listing, b| {
        b.started_unix_ns
            .cmp(&a.started_unix_ns)
            .then_with(|| a.folder.cmp(&b.folder))
    });
    Library {
        schema: LIST_SCHEMA.into(),
        searched: folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect(),
        found: runs.len() as u32,
        runs,
        unreadable,
    }
}

/// What a search finds.
#[derive(Debug)]
pub enum Item {
    Run(FoundRun),
    /// What could not be searched, and why.
    Unreadable(String),
}

/// The folder of a run.
#[derive(Debug)]
pub struct FoundRun {
    /// As it was found below the searched folder.
    pub folder: PathBuf,
    /// With symlinks resolved; as found, if that fails.
    pub canonical: PathBuf,
}

/// Searches for runs in and below these folders. None of them is read.
pub fn search(folders: &[PathBuf]) -> Vec<Item> {
    let mut walk = Walk::default();
    folders.iter().for_each(|folder| walk.enter(folder, 0));
    walk.items
}

/// A search in progress.
#[derive(Default)]
struct Walk {
    items: Vec<Item>,
    /// Folders by canonical path: neither a symlink loop nor a folder named twice gives a run twice.
    seen: HashSet<PathBuf>,
}

impl Walk {
    fn enter(&mut self, folder: &Path, depth: usize) {
        let canonical = fs::canonicalize(folder).ok();
        if let Some(path) = &canonical
            && !self.seen.insert(path.clone())
        {
            return;
        }
        if folder.join(HEADER).is_file() {
            self.items.push(Item::Run(FoundRun {
                folder: folder.to_path_buf(),
                canonical: canonical.unwrap_or_else(|| folder.to_path_buf()),
            }));
            // A run folder holds files; a live comparison keeps the runs of its sides next to each other, not inside one another.
            return;
        }
        if depth == DEPTH_MAX {
            return;
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // Below the named folder, items that disappeared in the meantime do not matter.
            Err(error) if error.kind() == io::ErrorKind::NotFound && depth > 0 => return,
            Err(error) => {
                let why = search_error(folder, &error);
                return self.items.push(Item::Unreadable(why));
            }
        };
        let mut folders: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| is_searched(path))
            .collect();
        // A run that is also linked to is listed under its own name.
        folders.sort_by_cached_key(|folder| (folder.is_symlink(), folder.clone()));
        folders
            .iter()
            .for_each(|folder| self.enter(folder, depth + 1));
    }
}

fn search_error(folder: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!(
            "{}: no such folder; give one that holds runs",
            folder.display()
        ),
        // Windows calls that an invalid name.
        _ if folder.is_file() => format!(
            "{}: not a folder; give one that holds runs",
            folder.display()
        ),
        _ => format!("{}: cannot be searched: {error}", folder.display()),
    }
}

/// True for folders, and for symlinks to folders. Hidden ones (`.git`) belong to other programs.
fn is_searched(path: &Path) -> bool {
    let hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && path.is_dir()
}

/// A summary from the header and the end of the notes. Errors: as for [`crate::read_run`], of the header.
pub fn listing(folder: &Path) -> Result<Listing, RecordError> {
    let header = read_header(folder)?;
    Ok(Listing {
        folder: listed_folder(folder),
        target: header.target(),
        host: header.environment.text("host.name").map(str::to_string),
        kernel: header.environment.text("host.kernel").map(str::to_string),
        steps: header.plan.steps.len() as u32,
        rounds: header.plan.rounds,
        state: state(folder).into(),
        id: header.id,
        started: header.started,
        started_unix_ns: header.started_unix_ns,
        plan: header.plan.name,
        tags: header.tags,
        side_of: header.side_of,
        headline: None,
    })
}

/// The folder of a run as a list shows it: a run in the searched folder needs no './' before it.
pub fn listed_folder(folder: &Path) -> String {
    folder
        .strip_prefix(".")
        .ok()
        .filter(|rest| !rest.as_os_str().is_empty())
        .unwrap_or(folder)
        .display()
        .to_string()
}

/// `finished`, `interrupted` or `incomplete`, from the last note with a state. Unreadable notes are ignored.
fn state(folder: &Path) -> &'static str {
    let tail = tail(&folder.join(NOTES)).unwrap_or_default();
    let state_of = |line: &[u8]| serde_json::from_slice::<Note>(line).ok()?.event.state();
    tail.split(|byte| *byte == b'\n')
        .rev()
        .find_map(state_of)
        .unwrap_or(INCOMPLETE)
}

fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(NOTES_TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(NOTES_TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunWriter;
    use crate::tests::synthetic::{Builder, ladder};
    use plumb_model::environment::Fact;
    use plumb_model::run::Event;
    use plumb_model::run::RunHeader;
    use plumb_model::statement::Statement;

    fn header(id: &str, hour: u64) -> RunHeader {
        let mut builder =
            Builder::new(ladder("read", &[1, 2])).fact("host.name", Fact::Text("box".into()));
        builder.run.header.id = id.into();
        builder.run.header.started_unix_ns = hour * 3_600_000_000_000;
        builder.run.header
    }

    fn write(folder: &Path, header: &RunHeader, finished: Option<bool>) {
        let mut writer = RunWriter::create(folder, header).expect("the folder is new");
        for _ in 0..2000 {
            writer
                .note(&Note {
                    time_ns: 1,
                    event: Event::Warning {
                        text: Statement::verbatim("a long tale of something that happened"),
                    },
                })
                .expect("space");
        }
        if let Some(interrupted) = finished {
            writer
                .note(&Note {
                    time_ns: 2,
                    event: Event::Finished { interrupted },
                })
                .expect("space");
        }
    }

    fn found(folders: &[&Path]) -> (Vec<String>, Library) {
        let library = library(
            &folders
                .iter()
                .map(|folder| folder.to_path_buf())
                .collect::<Vec<_>>(),
        );
        (
            library
                .runs
                .iter()
                .map(|run| format!("{} {}", run.id, run.state))
                .collect(),
            library,
        )
    }

    #[test]
    fn runs_are_found_newest_first_whatever_lies_between() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path();
        write(&root.join("old"), &header("old", 1), Some(false));
        write(&root.join("a/b/c/new"), &header("new", 3), Some(true));
        write(
            &root.join("a/killed"),
            &RunHeader {
                tags: vec!["nightly".into()],
                ..header("killed", 2)
            },
            None,
        );
        write(&root.join(".hidden/run"), &header("hidden", 9), Some(false));
        write(
            &root.join("1/2/3/4/5/6/deep"),
            &header("deep", 9),
            Some(false),
        );
        std::fs::create_dir(root.join("broken")).expect("a folder");
        std::fs::write(root.join("broken/run.json"), "{\"format\": 1").expect("half a header");
        std::fs::write(root.join("run.json.txt"), "no header").expect("a file");
        let (runs, library) = found(&[root]);
        assert_eq!(
            runs,
            ["new interrupted", "killed incomplete", "old finished"]
        );
        assert_eq!(
            (library.found, library.unreadable.len()),
            (3, 1),
            "{library:?}"
        );
        assert!(library.unreadable[0].contains("broken"), "{library:?}");
        let killed = &library.runs[1];
        assert_eq!(
            (
                killed.steps,
                killed.rounds,
                killed.target.as_str(),
                killed.plan.as_str()
            ),
            (2, 1, "/data", "synthetic")
        );
        assert_eq!(
            (
                killed.host.as_deref(),
                killed.kernel.as_deref(),
                killed.tags.as_slice()
            ),
            (Some("box"), None, &["nightly".to_string()][..])
        );
        assert!(
            Path::new(&killed.folder).ends_with("a/killed"),
            "{killed:?}"
        );
    }

    #[test]
    fn a_run_folder_itself_can_be_named_and_a_missing_one_is_reported() {
        let place = tempfile::tempdir().expect("a folder");
        let run = place.path().join("run");
        write(&run, &header("only", 1), Some(false));
        assert_eq!(
            found(&[&run, place.path()]).0,
            ["only finished"],
            "named twice, found once"
        );
        let (runs, library) = found(&[&place.path().join("nowhere"), &run.join("run.json")]);
        assert_eq!(runs, Vec::<String>::new());
        assert!(
            library.unreadable[0].contains("no such folder")
                && library.unreadable[1].contains("not a folder"),
            "{library:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn loops_of_symlinks_end() {
        let place = tempfile::tempdir().expect("a folder");
        write(&place.path().join("run"), &header("only", 1), Some(false));
        for (link, to) in [("loop", "."), ("again", "run"), ("nowhere", "gone")] {
            std::os::unix::fs::symlink(to, place.path().join(link)).expect("a link");
        }
        let (runs, library) = found(&[place.path()]);
        assert_eq!(
            (runs, library.unreadable.len()),
            (vec!["only finished".to_string()], 0),
            "{library:?}"
        );
        assert!(library.runs[0].folder.ends_with("run"), "{library:?}");
    }
}
