//! Which runs may be shown? Those found below the folders that were named, by keys that are no paths: nothing that a browser sends is ever opened.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, bail};
use plumb_model::results::headline::Headline;
use plumb_model::run::INCOMPLETE;
use plumb_model::run::library::Listing;
use plumb_record::folder::HEADER;
use plumb_record::index::{FILES, Index, RecordState};
use plumb_record::library::{listed_folder, listing};
use sha2::{Digest, Sha256};

use super::super::known_runs::{ListedRun, listed_runs};
use super::answer::Trouble;

/// Levels of folders below those that were named, as for `plumb list`.
const DEPTH_MAX: usize = 6;
/// Folders that one search enters.
const FOLDERS_MAX: usize = 100_000;
/// What was found is taken for true so long.
const FRESH: Duration = Duration::from_millis(1500);
/// A record without an end to which nothing was added for so long is not written any more.
const STILL_RECORDED: Duration = Duration::from_secs(15);
/// Most bytes that are read for a page, of each of [`FILES`]: notes and the header are kept in memory whole.
const MOST_BYTES: [u64; 4] = [32 << 20, 64 << 20, 2 << 30, 2 << 30];

/// The state of the files of a record; what is derived of a record holds as long as it stays.
pub type Stamp = RecordState;

/// What header and notes say of a run, or why they do not.
type Listed = Result<Listing, String>;

/// One run.
#[derive(Debug, Clone)]
pub struct Shelved {
    pub key: String,
    pub folder: PathBuf,
    pub listing: Listing,
    pub stamp: Stamp,
    /// The best figures, if they are known already.
    pub headline: Option<Option<Headline>>,
    pub is_recorded_now: bool,
}

/// What a search found, newest first.
#[derive(Debug, Default)]
pub struct Found {
    pub runs: Vec<Shelved>,
    pub unreadable: Vec<String>,
    /// Symbolic links, which are not followed: they may lead out of the library.
    pub links: usize,
}

/// The library.
pub struct Shelf {
    roots: Vec<PathBuf>,
    last: Mutex<Option<(Instant, Arc<Found>)>>,
    /// What headers and notes said, by folder.
    listings: Mutex<HashMap<PathBuf, (Stamp, Listed)>>,
    /// What was read of runs by this server or any other plumb.
    index: Mutex<Index<ListedRun>>,
}

impl Shelf {
    /// Errors: a folder is not there.
    pub fn new(folders: &[PathBuf]) -> anyhow::Result<Shelf> {
        let root = |folder: &PathBuf| -> anyhow::Result<PathBuf> {
            let canonical = fs::canonicalize(folder).with_context(|| {
                format!(
                    "{}: no such folder; give one that holds runs",
                    folder.display()
                )
            })?;
            if !canonical.is_dir() {
                bail!(
                    "{}: not a folder; give one that holds runs",
                    folder.display()
                );
            }
            Ok(canonical)
        };
        let roots: Vec<PathBuf> = folders.iter().map(root).collect::<anyhow::Result<_>>()?;
        Ok(Shelf {
            index: Mutex::new(listed_runs(&roots)),
            roots,
            last: Mutex::default(),
            listings: Mutex::default(),
        })
    }

    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The best figures of a run were derived.
    pub fn keep_headline(&self, run: &Shelved, headline: Option<Headline>) {
        let known = ListedRun {
            listing: Listing {
                headline,
                ..run.listing.clone()
            },
            is_derived: true,
        };
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.add(&run.folder, run.stamp, known);
    }

    /// The folder in which new runs are made.
    pub fn first_root(&self) -> &Path {
        &self.roots[0]
    }

    pub fn in_words(&self) -> String {
        let names: Vec<String> = self
            .roots
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        names.join(", ")
    }

    /// All runs, as they were a moment ago.
    pub fn look(&self) -> Arc<Found> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, found)) = &*last
            && when.elapsed() < FRESH
        {
            return found.clone();
        }
        let found = Arc::new(self.search());
        *last = Some((Instant::now(), found.clone()));
        found
    }

    /// The run with this key. Errors: there is none.
    pub fn run(&self, key: &str) -> Result<Shelved, Trouble> {
        let of = |found: &Found| found.runs.iter().find(|run| run.key == key).cloned();
        let known = of(&self.look());
        let found = match known {
            Some(run) => run,
            None => {
                // It may have begun since.
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
                of(&self.look()).ok_or(Trouble::NotFound)?
            }
        };
        Ok(Shelved {
            stamp: stamp(&found.folder)?,
            ..found
        })
    }

    fn search(&self) -> Found {
        let mut found = Found::default();
        let mut waiting: Vec<(PathBuf, usize)> = self
            .roots
            .iter()
            .rev()
            .map(|root| (root.clone(), 0))
            .collect();
        let mut entered = 0;
        while let Some((folder, depth)) = waiting.pop() {
            entered += 1;
            if entered > FOLDERS_MAX {
                found.unreadable.push(format!(
                    "more than {FOLDERS_MAX} folders: name one further down"
                ));
                break;
            }
            // A run folder holds files; the runs of a comparison lie beside each other.
            if fs::symlink_metadata(folder.join(HEADER)).is_ok() {
                self.shelve(folder, &mut found);
            } else if depth < DEPTH_MAX {
                let entries = match fs::read_dir(&folder) {
                    Ok(entries) => entries,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => {
                        found
                            .unreadable
                            .push(format!("{}: cannot be searched: {error}", folder.display()));
                        continue;
                    }
                };
                for entry in entries.flatten() {
                    let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                    // Of the entry itself: what a link leads to is not asked.
                    match entry.file_type() {
                        Ok(kind) if kind.is_symlink() => found.links += 1,
                        Ok(kind) if kind.is_dir() && !is_hidden => {
                            waiting.push((entry.path(), depth + 1))
                        }
                        _ => {}
                    }
                }
            }
        }
        found.runs.sort_by(|a, b| {
            b.listing
                .started_unix_ns
                .cmp(&a.listing.started_unix_ns)
                .then_with(|| a.folder.cmp(&b.folder))
        });
        // Of a folder that was named twice, or within another, each run is one.
        let mut seen = std::collections::HashSet::new();
        found.runs.retain(|run| seen.insert(run.key.clone()));
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.save(found.runs.iter().map(|run| run.folder.as_path()));
        found
    }

    /// Puts a run on the shelf, or says why it cannot be read.
    fn shelve(&self, folder: PathBuf, found: &mut Found) {
        let unread = |why: &dyn std::fmt::Display| format!("{}: {why}", folder.display());
        let stamp = match stamp(&folder) {
            Ok(stamp) => stamp,
            Err(trouble) => {
                return found
                    .unreadable
                    .push(unread(&trouble.text(crate::streams::words())));
            }
        };
        let mut listings = self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        let known = listings
            .get(&folder)
            .filter(|(of, _)| *of == stamp)
            .map(|(_, known)| known.clone());
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let indexed = index.get(&folder, &stamp).cloned();
        let headline = indexed
            .as_ref()
            .filter(|run| run.is_derived)
            .map(|run| run.listing.headline.clone());
        let listed = known.unwrap_or_else(|| {
            let read = match indexed {
                Some(run) => Ok(Listing {
                    folder: listed_folder(&folder),
                    headline: None,
                    ..run.listing
                }),
                None => listing(&folder).map_err(|error| error.to_string()),
            };
            if let (Ok(listing), None) = (&read, index.get(&folder, &stamp)) {
                let run = ListedRun {
                    listing: listing.clone(),
                    is_derived: false,
                };
                index.add(&folder, stamp, run);
            }
            // Folders come and go; what is still there is read again.
            if listings.len() >= FOLDERS_MAX {
                listings.clear();
            }
            listings.insert(folder.clone(), (stamp, read.clone()));
            read
        });
        match listed {
            Ok(listing) => found.runs.push(Shelved {
                key: key(&folder),
                is_recorded_now: listing.state == INCOMPLETE && changed_lately(&stamp),
                listing,
                stamp,
                headline,
                folder,
            }),
            Err(why) => found.unreadable.push(why),
        }
    }
}

/// What an address calls a run: a hash of its folder.
pub fn key(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn changed_lately(stamp: &Stamp) -> bool {
    // A clock that was set back is as good as now.
    stamp.last_write().is_some_and(|last| {
        last.elapsed().is_ok_and(|ago| ago < STILL_RECORDED) || last > SystemTime::now()
    })
}

/// The state of the files of a record. Errors: one is no regular file, and might lead elsewhere or never end; one is too large for a page.
fn stamp(folder: &Path) -> Result<Stamp, Trouble> {
    let mut files = [None, None, None, None];
    for ((name, most), place) in FILES.iter().zip(MOST_BYTES).zip(&mut files) {
        let Ok(found) = fs::symlink_metadata(folder.join(name)) else {
            continue;
        };
        if !found.is_file() {
            return Err(Trouble::NoRegularFile);
        }
        if found.len() > most {
            return Err(Trouble::TooLarge);
        }
        *place = Some(found);
    }
    Ok(Stamp::of_files(&files))
}
