//! What would fio print of a run? Its jobs as fio counts them, with what was measured of each; JSON, normal and terse text are written from that.
//!
//! Forms and units are those that fio 3.33 was seen to print, with the keys that later versions added to its JSON. What was not measured is left out, or has
//! what fio itself writes where it has no samples; it is never made up.

mod entry;
mod groups;
mod json;
mod latency;
mod measured;
mod node;
mod normal;
mod scaled;
mod steadystate;
mod terse;
mod verdicts;

pub use entry::{Entry, Place, Wanted, blocks as block_sizes, of_step, of_steps};
pub use json::document;
pub use normal::{blocks, header};
pub use terse::lines;

use crate::exporter::Subject;
use measured::Measured;

/// The layout that is kept, and who wrote it: fio's own versions between releases have such an ending too.
pub fn version(plumb_version: &str) -> String {
    format!("fio-3.33-plumb-{plumb_version}")
}

/// A run in fio's terms.
pub struct Report<'a> {
    pub subject: &'a Subject<'a>,
    pub entries: Vec<Entry>,
    /// What was given for all jobs; bare flags have 1.
    pub global: Vec<(String, String)>,
}

impl Report<'_> {
    /// What was measured of each entry.
    fn measured(&self) -> Vec<(&Entry, Measured)> {
        let of = |entry| (entry, Measured::of(self.subject, entry));
        self.entries.iter().map(of).collect()
    }

    /// The number that fio would end with for each entry: that of the first error, 0 without any.
    pub fn errors(&self) -> Vec<(String, u32)> {
        let of = |entry: &Entry| {
            (
                entry.name.clone(),
                verdicts::error(self.subject, entry).number,
            )
        };
        self.entries.iter().map(of).collect()
    }
}
