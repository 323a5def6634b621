//! How are counters recorded again and again? Each time in a run folder of its own, named by its time, and the next one begins before the last is written to its end.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plumb_model::results::watch::WatchInterval;
use plumb_model::run::RunHeader;
use plumb_record::remove_run;

use super::{NAME, WatchRequest, Watched, begin};
use crate::Stop;
use crate::measurement::free_name;
use crate::system::changeable_by_others;

/// What was recorded.
pub struct LoopWatched {
    pub last: Watched,
    /// How many recordings were made, the last one with them.
    pub recordings: u64,
    /// What could not be removed, and why.
    pub notes: Vec<String>,
}

/// Watches as requested, in folders below that of the request, and again as soon as its time is over, until a stop is requested. Of the recordings that it made
/// only the
/// newest `keep` stay, beside the running one; missing: all.
///
/// Errors: as of [`super::watch`], for the first or a later one; or others could change which folder is removed.
pub fn watch_in_loop(
    request: &WatchRequest,
    keep: Option<usize>,
    stop: &Stop,
    show: &mut dyn FnMut(&WatchInterval, &RunHeader),
) -> anyhow::Result<LoopWatched> {
    let parent = request.output.clone().unwrap_or_default();
    if keep.is_some() {
        refuse_changeable(&parent)?;
    }
    let mut kept = Kept {
        most: keep,
        made: VecDeque::new(),
        notes: Vec::new(),
    };
    let mut recordings = 0;
    let mut next = begin(request, Some(&free_name(&parent, NAME)), None)?;
    loop {
        let (mut session, folder) = next;
        recordings += 1;
        session.go_on(request, stop, show);
        let goes_on = !stop.is_requested() && session.failure.is_none();
        let (id, scraped) = (session.header.id.clone(), session.scraped.take());
        let begun = goes_on.then(|| begin(request, Some(&free_name(&parent, NAME)), scraped));
        let ended = session.end(folder);
        let watched = match (ended, begun) {
            (Ok(watched), None) => {
                kept.add(&watched, id);
                return Ok(LoopWatched {
                    last: watched,
                    recordings,
                    notes: kept.notes,
                });
            }
            (Ok(watched), Some(begun)) => {
                next = begun?;
                watched
            }
            (Err(failure), begun) => {
                if let Some(Ok((session, folder))) = begun {
                    // The first failure is reported.
                    drop(session.end(folder));
                }
                return Err(failure);
            }
        };
        kept.add(&watched, id);
    }
}

/// Refuses a folder in which another user could redirect the removal.
fn refuse_changeable(parent: &Path) -> anyhow::Result<()> {
    let absolute = std::path::absolute(parent.join("."))?;
    let there = absolute.ancestors().find(|directory| directory.exists());
    let there = there.unwrap_or(&absolute);
    let others = changeable_by_others(there).with_context(|| there.display().to_string())?;
    if let Some(directory) = others {
        bail!(
            "--keep removes recordings, and other users could replace them in {}: nothing was recorded; use another --output, or omit --keep",
            directory.display()
        );
    }
    Ok(())
}

/// What was recorded and is still there.
struct Kept {
    most: Option<usize>,
    /// Folder and id of the run, the oldest first.
    made: VecDeque<(PathBuf, String)>,
    notes: Vec<String>,
}

impl Kept {
    fn add(&mut self, watched: &Watched, id: String) {
        let Some(most) = self.most else { return };
        self.made.extend(watched.folder.clone().zip(Some(id)));
        while self.made.len() > most {
            let Some((folder, id)) = self.made.pop_front() else {
                return;
            };
            match remove_run(&folder, &id) {
                Ok(true) => {}
                Ok(false) => self.notes.push(format!(
                    "{} contains files that were not recorded there, and is kept",
                    folder.display()
                )),
                Err(error) => self
                    .notes
                    .push(format!("{} cannot be removed: {error}", folder.display())),
            }
        }
    }
}
