//! What did killed runs leave in a directory? Lists it, and removes it when asked to.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use plumb_load::site::{Leftover, leftovers, scratch_leftovers};
use plumb_model::text::shell::quoted_path;
use plumb_words::numbers::show_bytes;

use super::Outcome;
use crate::streams::{print, say};
use plumb_run::copy_test::source_places;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb clean\n  plumb clean /mnt/data\n  plumb clean /mnt/data --remove\n\n\
Only what plumb knows to be its own by a mark that it made, that no running plumb uses, and that belongs to this user.\n\
Exit codes: 0 listed or removed, also when there is nothing; 2 something could not be removed, with a message that says why."
)]
pub struct CleanArguments {
    /// Directories to look in; what lies below them is not searched [default: the current directory, and where copy tests make their source]
    #[arg(value_name = "PLACE")]
    pub places: Vec<PathBuf>,
    /// Remove what was found instead of only listing it
    #[arg(long)]
    pub remove: bool,
}

/// `plumb clean`.
pub fn clean(arguments: &CleanArguments) -> anyhow::Result<Outcome> {
    let found = found_in(&arguments.places)?;
    if found.is_empty() {
        print("Nothing was left by killed runs here.")?;
        return Ok(Outcome::Done);
    }
    let lines: Vec<String> = found.iter().map(line).collect();
    if !arguments.remove {
        let places: String = arguments
            .places
            .iter()
            .map(|place| format!(" {}", quoted_path(place)))
            .collect();
        print(&format!(
            "{}\nNothing was removed. To remove these: plumb clean{places} --remove",
            lines.join("\n")
        ))?;
        return Ok(Outcome::Done);
    }
    let mut outcome = Outcome::Done;
    for (leftover, line) in found.into_iter().zip(lines) {
        match leftover.remove() {
            Ok(()) => print(&format!("removed: {line}"))?,
            Err(error) => {
                say(&format!("plumb: {error}"));
                outcome = Outcome::NotDone;
            }
        }
    }
    Ok(outcome)
}

/// What lies in the places, each thing once.
fn found_in(places: &[PathBuf]) -> anyhow::Result<Vec<Leftover>> {
    let mut all = Vec::new();
    for place in places {
        all.extend(leftovers(&followed(place)?)?);
    }
    if places.is_empty() {
        all.extend(leftovers(Path::new("."))?);
        // Nobody named these: one that cannot be read holds nothing of this user's.
        all.extend(
            source_places()
                .iter()
                .flat_map(|place| scratch_leftovers(place).unwrap_or_default()),
        );
    }
    let mut found: Vec<Leftover> = Vec::new();
    for leftover in all {
        if !found.iter().any(|known| known.is_same(&leftover)) {
            found.push(leftover);
        }
    }
    Ok(found)
}

/// A place that the user names by a symlink is where that leads: his word. Nothing below it is followed.
fn followed(place: &Path) -> anyhow::Result<PathBuf> {
    if !place.is_symlink() {
        return Ok(place.to_path_buf());
    }
    let leads_to = place
        .canonicalize()
        .with_context(|| format!("{}: the symlink leads nowhere", place.display()))?;
    say(&format!(
        "plumb: {} leads to {}",
        place.display(),
        leads_to.display()
    ));
    Ok(leads_to)
}

/// `/mnt/data/.plumb-0123456789abcdef  scratch folder of a run that was killed, 1 GiB`.
fn line(leftover: &Leftover) -> String {
    format!(
        "{}  {}, {}",
        leftover.path.display(),
        leftover.what,
        show_bytes(leftover.bytes as f64)
    )
}
