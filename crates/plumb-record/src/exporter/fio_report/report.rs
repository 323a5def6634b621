//! What is a run in fio's terms? Entries with the parts of the run that they cover, and the fio version of the format.

use plumb_model::run::tick::Tick;
use plumb_model::workload::FioVersion;
use serde_json::Value;

use super::entry::Entry;
use super::measured::{Measured, job_of};
use super::steadystate::{steadystate, without_a_window};
use super::verdicts::{self, Disk, JobError};
use crate::exporter::Subject;

/// The format version, and the program that wrote it: fio's own development versions have such a suffix too.
pub fn version(fio_version: FioVersion, plumb_version: &str) -> String {
    format!("fio-{fio_version}-plumb-{plumb_version}")
}

/// A run in fio's terms.
pub struct Report<'a> {
    pub subject: &'a Subject<'a>,
    pub entries: Vec<Entry>,
    /// The options given for all jobs; flags without a value have an empty one.
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

    /// The disks under the targets; none where `disk_util=0` leaves them out.
    pub(super) fn disks(&self) -> Vec<Disk> {
        let is_off = |entry: &Entry| entry.option("disk_util", &self.global) == Some("0");
        match !self.entries.is_empty() && self.entries.iter().all(is_off) {
            true => Vec::new(),
            false => verdicts::disks(self.subject),
        }
    }

    /// What fio's JSON has of a steady state; also for a job that ends before one could be looked for.
    pub(super) fn steadystate(&self, entry: &Entry) -> Option<Value> {
        let of_run = || {
            let part = entry.parts.first()?;
            let job = job_of(self.subject, part)?;
            let executions = entry.executions(self.subject, part);
            let mut steps = self.subject.summary.steps.iter();
            let step = steps.find(|step| part.steps.contains(&step.step))?;
            let ticks = self.subject.run.ticks.iter();
            let ticks: Vec<&Tick> = ticks
                .filter(|tick| tick.job == part.job && executions.contains(&tick.execution))
                .collect();
            steadystate(job, step, &ticks)
        };
        let never = || {
            let given = |name: &str| entry.option(name, &self.global);
            without_a_window(given("steadystate")?, given("steadystate_duration")?)
        };
        of_run().or_else(never)
    }

    /// The requested depth, also where the engine keeps one operation outstanding; of a search for a depth, the one that it found.
    pub(super) fn depth(&self, entry: &Entry, of: &Measured) -> u64 {
        let asked = entry.option("iodepth", &self.global);
        let asked = asked.and_then(|text| text.parse().ok());
        let asked = asked.filter(|_| of.latency_target_ns == 0);
        asked.unwrap_or_else(|| u64::from(of.depth))
    }

    /// How an entry ended.
    pub(super) fn error(&self, entry: &Entry) -> JobError {
        match self.not_begun {
            Some(name) => verdicts::named(name),
            None => verdicts::error(self.subject, entry),
        }
    }

    /// fio's exit status for each entry: that of the first error, 0 without any, and for errors that were only counted.
    pub fn errors(&self) -> Vec<(String, u32)> {
        let number = |entry: &Entry| {
            let is_counted = entry.counts_errors && !verdicts::was_ended(self.subject, entry);
            match is_counted {
                true => 0,
                false => self.error(entry).number,
            }
        };
        let of = |entry: &Entry| (entry.name.clone(), number(entry));
        self.entries.iter().map(of).collect()
    }
}
