//! What is a run in fio's terms? Entries with where their figures are, and the version of fio whose form is kept.

use super::entry::Entry;
use super::measured::Measured;
use super::verdicts::{self, EndedBy};
use crate::exporter::Subject;

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
    /// Nothing could begin, for this reason: the name of an error, such as ENOSPC.
    pub not_begun: Option<&'static str>,
}

impl Report<'_> {
    /// What was measured of each entry.
    pub(super) fn measured(&self) -> Vec<(&Entry, Measured)> {
        let of = |entry| (entry, Measured::of(self.subject, entry));
        self.entries.iter().map(of).collect()
    }

    /// How an entry ended.
    pub(super) fn error(&self, entry: &Entry) -> EndedBy {
        match self.not_begun {
            Some(name) => verdicts::named(name),
            None => verdicts::error(self.subject, entry),
        }
    }

    /// The number that fio would end with for each entry: that of the first error, 0 without any.
    pub fn errors(&self) -> Vec<(String, u32)> {
        let of = |entry: &Entry| (entry.name.clone(), self.error(entry).number);
        self.entries.iter().map(of).collect()
    }
}
