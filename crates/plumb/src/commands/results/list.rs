//! Which runs are stored? Those below some folders, filtered, newest first; or the published figures.

mod index;
mod references;

use plumb_show::terminal::list_text;

use super::known_runs::KnownRuns;
use crate::cli::ListArguments;
use crate::commands::Outcome;
use crate::streams::{page, print, print_json, say};
use index::write_index;
use plumb_run::derived::check_page;
use references::list_references;

/// `plumb list`.
pub fn list(arguments: &ListArguments) -> anyhow::Result<Outcome> {
    if let Some(name) = &arguments.references {
        return list_references(name.as_deref(), arguments.json);
    }
    check_page(arguments.report.as_deref(), None)?;
    let mut known = KnownRuns::find(&arguments.selection);
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
