//! What is known of the runs of a library without reading their records? What an index in the user's cache folder holds; the others are read, on all CPUs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use plumb_analyse::figures::headline::headline as best_figures;
use plumb_analyse::trend::{OwnFigures, RunFigures, Settings, WorkOfSteps};
use plumb_model::results::headline::Headline;
use plumb_model::run::library::{Library, Listing};
use plumb_record::index::{Index, IndexLocation, Indexed, RecordState};
use plumb_record::library::{Item, library_of, listed_folder, listing, search};
use plumb_record::{RecordError, read_run};
use serde::{Deserialize, Serialize};

use super::on_all_cpus::on_all_cpus;
use crate::selection::Selection;
use crate::system::cache_folder;

/// Different work of runs of one plan that is remembered to be shared.
const WORKS_MAX: usize = 16;

/// What a list shows of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListedRun {
    pub listing: Listing,
    /// The headline was derived; there may be none.
    pub is_derived: bool,
}

impl Indexed for ListedRun {
    type Shared = ();
    type Own = ListedRun;

    fn parts(&self) -> (Arc<()>, ListedRun) {
        (Arc::default(), self.clone())
    }

    fn joined(_: Arc<()>, own: ListedRun) -> Option<ListedRun> {
        Some(own)
    }
}

/// What a trend needs of a run.
#[derive(Debug, Clone)]
pub struct TrendedRun(RunFigures);

impl Indexed for TrendedRun {
    type Shared = WorkOfSteps;
    type Own = OwnFigures;

    fn parts(&self) -> (Arc<WorkOfSteps>, OwnFigures) {
        self.0.parts()
    }

    fn joined(work: Arc<WorkOfSteps>, own: OwnFigures) -> Option<TrendedRun> {
        RunFigures::joined(work, own).map(TrendedRun)
    }
}

/// Where indexes lie; `None` if the environment does not define a cache folder.
fn location() -> Option<IndexLocation> {
    // What another build derives may differ, under the same version too.
    let program = std::env::current_exe().ok()?.metadata().ok()?;
    let changed = program
        .modified()
        .ok()?
        .duration_since(SystemTime::UNIX_EPOCH);
    Some(IndexLocation {
        folder: cache_folder()?.join("plumb"),
        program: format!(
            "{} {} {}",
            env!("CARGO_PKG_VERSION"),
            program.len(),
            changed.ok()?.as_nanos()
        ),
    })
}

/// The index of what lists show of the runs in these folders.
pub fn listed_runs(roots: &[PathBuf]) -> Index<ListedRun> {
    Index::open(location(), "runs", roots)
}

/// The best results of a stored run; `None` if it measured nothing. Errors: as for [`read_run`].
pub fn headline(folder: &Path) -> Result<Option<Headline>, RecordError> {
    let headline = best_figures(&read_run(folder)?);
    Ok((headline != Headline::default()).then_some(headline))
}

/// The library, with what is known of each of its runs.
pub struct KnownRuns {
    /// Those that were selected.
    pub library: Library,
    roots: Vec<PathBuf>,
    /// Of all runs that were found: the canonical path, and the state of the record, by the folder as listed.
    found: HashMap<String, (PathBuf, RecordState)>,
    index: Index<ListedRun>,
}

impl KnownRuns {
    /// Finds the runs, and reads header and end of the notes of those that are not known.
    pub fn find(selection: &Selection) -> KnownRuns {
        let roots = selection.roots();
        let mut index = listed_runs(&roots);
        let items = search(&roots);
        let look = |item: &Item| match item {
            Item::Unreadable(why) => Err(why.clone()),
            Item::Run(run) => {
                let state = RecordState::of(&run.folder);
                let known = index.get(&run.canonical, &state).map(|known| Listing {
                    folder: listed_folder(&run.folder),
                    headline: None,
                    ..known.listing.clone()
                });
                let is_new = known.is_none();
                let listing = known.map_or_else(|| listing(&run.folder), Ok);
                let listing = listing.map_err(|error| error.to_string())?;
                Ok((listing, run.canonical.clone(), state, is_new))
            }
        };
        let looked = on_all_cpus(&items, look);
        let mut found = HashMap::new();
        let mut listings = Vec::with_capacity(looked.len());
        for outcome in looked {
            listings.push(outcome.map(|(listing, canonical, state, is_new)| {
                if is_new {
                    let known = ListedRun {
                        listing: listing.clone(),
                        is_derived: false,
                    };
                    index.add(&canonical, state, known);
                }
                found.insert(listing.folder.clone(), (canonical, state));
                listing
            }));
        }
        let mut library = library_of(&roots, listings);
        library.runs.retain(|run| selection.fits(run));
        KnownRuns {
            library,
            roots,
            found,
            index,
        }
    }

    /// Sets the best figures of each selected run. A run whose record cannot be read has none.
    pub fn add_headlines(&mut self) {
        let (index, found) = (&self.index, &self.found);
        let look = |run: &Listing| {
            let (canonical, state) = found.get(&run.folder)?;
            let known = index.get(canonical, state).filter(|known| known.is_derived);
            if let Some(known) = known {
                return Some((known.listing.headline.clone(), false));
            }
            Some((headline(Path::new(&run.folder)).ok()?, true))
        };
        let looked = on_all_cpus(&self.library.runs, look);
        for (run, outcome) in self.library.runs.iter_mut().zip(looked) {
            let Some((headline, is_new)) = outcome else {
                continue;
            };
            run.headline = headline;
            if let Some((canonical, state)) = self.found.get(&run.folder).filter(|_| is_new) {
                let known = ListedRun {
                    listing: run.clone(),
                    is_derived: true,
                };
                self.index.add(canonical, *state, known);
            }
        }
    }

    /// What a trend needs of each selected run, or why it could not be read.
    pub fn figures(&self, settings: &Settings) -> Vec<Result<RunFigures, RecordError>> {
        let of = |run: &Listing| {
            let (canonical, state) = self.found.get(&run.folder)?;
            Some((run.folder.clone(), canonical.as_path(), *state))
        };
        let runs: Vec<_> = self.library.runs.iter().filter_map(of).collect();
        let found = self
            .found
            .values()
            .map(|(canonical, _)| canonical.as_path());
        figures(&self.roots, &runs, settings, found)
    }

    /// Keeps what was read for the next time.
    pub fn keep(&mut self) {
        let found = self.found.values();
        self.index
            .save(found.map(|(canonical, _)| canonical.as_path()));
    }
}

/// What a trend needs of each of these runs (the folder as shown, its canonical path, the state of the record), or why it could not be read; `found` are all
/// runs of the library in these folders.
pub fn figures<'a>(
    roots: &[PathBuf],
    runs: &[(String, &'a Path, RecordState)],
    settings: &Settings,
    found: impl Iterator<Item = &'a Path>,
) -> Vec<Result<RunFigures, RecordError>> {
    let metrics: Vec<&str> = settings.metrics.iter().map(|metric| metric.id).collect();
    let kind = format!("trend {}", metrics.join(" "));
    let mut index: Index<TrendedRun> = Index::open(location(), &kind, roots);
    let all_steps = Settings {
        steps: "*".into(),
        ..settings.clone()
    };
    let works: Mutex<Vec<Arc<WorkOfSteps>>> = Mutex::default();
    let look = |(folder, canonical, state): &(String, &Path, RecordState)| {
        if let Some(TrendedRun(known)) = index.get(canonical, state) {
            return Ok((known.clone().in_folder(folder), false));
        }
        let mut run = RunFigures::of(folder, &read_run(canonical)?, &all_steps);
        let mut works = works.lock().unwrap_or_else(PoisonError::into_inner);
        let new = run.share_work(&works);
        let has_room = works.len() < WORKS_MAX;
        works.extend(new.filter(|_| has_room));
        Ok((run, true))
    };
    let looked = on_all_cpus(runs, look);
    let mut figures = Vec::with_capacity(looked.len());
    for (outcome, (_, canonical, state)) in looked.into_iter().zip(runs) {
        figures.push(outcome.map(|(mut run, is_new)| {
            if is_new {
                index.add(canonical, *state, TrendedRun(run.clone()));
            }
            run.only(settings);
            run
        }));
    }
    index.save(found);
    figures
}
