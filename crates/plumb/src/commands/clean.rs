//! What did killed runs leave in a directory? Lists it, and removes it when asked to.

use std::path::PathBuf;

use clap::Args;
use plumb_load::site::{Leftover, leftovers};
use plumb_model::shell::quoted;
use plumb_model::units::show_bytes;

use super::Outcome;
use crate::streams::{print, say};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plumb clean /mnt/data\n  plumb clean /mnt/data --remove\n\n\
Only what plumb knows to be its own by a mark that it made, that no running plumb uses, and that belongs to this user.\n\
Exit codes: 0 listed or removed, also when there is nothing; 2 something could not be removed, with a message that says why.")]
pub struct CleanArguments {
    /// Directories to look in; what lies below them is not searched
    #[arg(value_name = "PLACE", default_value = ".")]
    pub places: Vec<PathBuf>,
    /// Remove what was found instead of only listing it
    #[arg(long)]
    pub remove: bool,
}

/// `plumb clean`.
pub fn clean(arguments: &CleanArguments) -> anyhow::Result<Outcome> {
    let mut found = Vec::new();
    for place in &arguments.places {
        found.extend(leftovers(place)?);
    }
    if found.is_empty() {
        print("Nothing was left by killed runs here.")?;
        return Ok(Outcome::Done);
    }
    let lines: Vec<String> = found.iter().map(line).collect();
    if !arguments.remove {
        let places: Vec<String> = arguments.places.iter().map(|place| quoted(&place.to_string_lossy())).collect();
        print(&format!("{}\nNothing was removed. To remove these: plumb clean {} --remove", lines.join("\n"), places.join(" ")))?;
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

/// `/mnt/data/.plumb-0123456789abcdef  scratch folder of a run that was killed, 1 GiB`.
fn line(leftover: &Leftover) -> String {
    format!("{}  {}, {}", leftover.path.display(), leftover.what, show_bytes(leftover.bytes as f64))
}
