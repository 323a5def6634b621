//! What is a run in fio's terms? Entries with the parts of the run that they cover, and the fio version of the format.

use plumb_model::workload::FioVersion;

use super::entry::Entry;
use super::measured::Measured;
use super::verdicts::{self, JobError};
use crate::exporter::Subject;

/// The format version, and the program that wrote it: fio's own development versions have such a suffix too.
pub fn version(fio_version: FioVersion, plumb_version: &str) -> String {
    format!("fio-{fio_version}-plumb-{plumb_version}")
}

/// A run in fio's terms.
pub struct Report<'a> {
    pub subject: &'a Subject<'a>,
    pub entries: Vec<Entry>,
    /// The options given for all jobs; flags without a value have 1.
    pub global: Vec<(String, String)>,
    /// Why nothing could start: the name of an error, such as ENOSPC.
    pub not_begun: Option<&'static str>,
    pub fio_version: FioVersion,
}

impl Report<'_> {
    /// The measurements of each entry.
    pub(super) fn measured(&self) -> Vec<(&Entry, Measured)> {
        let of = |entry| (entry, Measured::of(self.subject, entry));
        self.entries.iter().map(of).collect()
    }

    /// How an entry ended.
    pub(super) fn error(&self, entry: &Entry) -> JobError {
        match self.not_begun {
            Some(name) => verdicts::named(name),
            None => verdicts::error(self.subject, entry),
        }
    }

    /// fio's exit status for each entry: that of the first error, 0 without any.
    pub fn errors(&self) -> Vec<(String, u32)> {
        let of = |entry: &Entry| (entry.name.clone(), self.error(entry).number);
        self.entries.iter().map(of).collect()
    }
}
