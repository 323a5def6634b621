//! Which runs are stored? Those below some folders, filtered, newest first; or the published figures.

mod index;
mod references;

use std::path::PathBuf;

use plumb_show::terminal::list_text;

use super::known_runs::KnownRuns;
use crate::cli::ListArguments;
use crate::commands::Outcome;
use crate::selection::Selection;
use crate::streams::{page, print, print_json, say};
use crate::system::fio_data_folder;
use index::write_index;
use plumb_run::derived::check_page;
use references::list_references;

/// `plumb list`.
pub fn list(arguments: &ListArguments) -> anyhow::Result<Outcome> {
    if let Some(name) = &arguments.references {
        return list_references(name.as_deref(), arguments.json);
    }
    check_page(arguments.report.as_deref(), None)?;
    let mut known = KnownRuns::find(&with_runs_of_fio(&arguments.selection));
    if let Some(page) = &arguments.report {
        write_index(&known.library, page)?;
        if !arguments.json {
            return Ok(Outcome::Done);
        }
    }
    if !arguments.no_figures {
        known.add_headlines();
    }
    known.keep();
    let library = known.library;
    if arguments.json {
        print_json(&library)?;
    } else if library.runs.is_empty() {
        library
            .unreadable
            .iter()
            .for_each(|text| say(&format!("not read: {text}")));
        say(&format!(
            "plumb: {}",
            arguments.selection.nothing_found(&library)
        ));
    } else {
        print(&list_text(&library, page()))?;
    }
    // A missing folder is an error; an empty one is not.
    Ok(if library.found == 0 && !library.unreadable.is_empty() {
        Outcome::NotDone
    } else {
        Outcome::Done
    })
}

/// Where no folder is named, the runs that `plumb fio` kept are searched too.
fn with_runs_of_fio(selection: &Selection) -> Selection {
    let mut selection = selection.clone();
    if selection.folders.is_empty() {
        selection.folders = selection.roots();
        let kept = match std::env::var_os("PLUMB_FIO_RECORD").filter(|value| !value.is_empty()) {
            Some(chosen) => Some(PathBuf::from(chosen)),
            None => fio_data_folder(),
        };
        let is_new = |folder: &PathBuf| folder.is_dir() && !selection.folders.contains(folder);
        let kept = kept.filter(is_new);
        selection.folders.extend(kept);
    }
    selection
}
