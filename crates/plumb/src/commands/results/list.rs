//! Which runs are stored? Those below some folders, filtered, newest first; or the published figures.

mod index;
mod references;

use std::path::Path;

use plumb_analyse::figures::headline::headline as best_figures;
use plumb_model::results::headline::Headline;
use plumb_record::read_run;
use plumb_show::terminal::list_text;

use super::on_all_cpus::on_all_cpus;
use crate::cli::ListArguments;
use crate::commands::Outcome;
use crate::streams::{page, print, print_json, say};
use index::write_index;
use plumb_run::derived::check_page;
use references::list_references;

/// The best results of a stored run; `None` if it is unreadable, which the list reports elsewhere, or measured nothing.
fn headline(folder: &Path) -> Option<Headline> {
    let run = read_run(folder).ok()?;
    let headline = best_figures(&run);
    (headline != Headline::default()).then_some(headline)
}

/// `plumb list`.
pub fn list(arguments: &ListArguments) -> anyhow::Result<Outcome> {
    if let Some(name) = &arguments.references {
        return list_references(name.as_deref(), arguments.json);
    }
    check_page(arguments.report.as_deref(), None)?;
    let mut library = arguments.selection.library();
    if let Some(page) = &arguments.report {
        write_index(&library, page)?;
        if !arguments.json {
            return Ok(Outcome::Done);
        }
    }
    if !arguments.no_figures {
        let headlines = on_all_cpus(&library.runs, |run| headline(Path::new(&run.folder)));
        for (run, headline) in library.runs.iter_mut().zip(headlines) {
            run.headline = headline;
        }
    }
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
