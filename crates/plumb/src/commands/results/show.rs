//! What is the result of a stored run? Derived from its record, complete or killed; or from a result of another program.

use super::import::stored_run;
use super::report::write_page_of;
use crate::cli::ShowArguments;
use crate::commands::observe::watch::{recording_of, show_summary};
use crate::commands::{Outcome, outcome_of};
use crate::outcome::{Detail, present};
use crate::streams::{print, print_json, say, words};
use plumb_run::derived::{check_page, derive, derive_in, write_report};
use plumb_show::tables::grid::one_line;

/// `plumb show`.
pub fn show(arguments: &ShowArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), None)?;
    let run = stored_run(&arguments.folder)?;
    if let Some(recording) = recording_of(&run, &arguments.folder) {
        if let Some(file) = &arguments.report {
            write_page_of(run, &arguments.folder, file)?;
        }
        show_summary(&recording, arguments.json)?;
        return Ok(Outcome::Done);
    }
    // Only the page shows the records of the ranks.
    let derived = match &arguments.report {
        Some(_) => derive_in(run, &arguments.folder),
        None => derive(run),
    };
    if let Some(file) = &arguments.report {
        write_report(&derived, file, words())?;
        say(&format!("report: {}", file.display()));
    }
    if arguments.one_line {
        print(&one_line(&derived.summary, words()))?;
    } else if arguments.json {
        print_json(&derived.summary)?;
    } else {
        present(&derived, Detail::Full)?;
    }
    Ok(outcome_of(&derived.summary.findings))
}
