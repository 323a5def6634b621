//! Which published figures can a run be compared with? `plumb list --references` lists them all, or prints one in full.

use anyhow::Error;
use plumb_plan::references::{all, find};
use plumb_show::terminal::{reference_text, references_text};

use crate::commands::Outcome;
use crate::streams::{page, print, print_json};

/// `plumb list --references`: all of them, or with a name (with or without `ref:`) one in full. JSON is a list of references, or one.
pub fn list_references(name: Option<&str>, json: bool) -> anyhow::Result<Outcome> {
    match (name, json) {
        (Some(name), false) => print(&reference_text(&find(name).map_err(Error::new)?, page()))?,
        (Some(name), true) => print_json(&find(name).map_err(Error::new)?)?,
        (None, false) => print(&references_text(&all().map_err(Error::new)?, page()))?,
        (None, true) => print_json(&all().map_err(Error::new)?)?,
    }
    Ok(Outcome::Done)
}
