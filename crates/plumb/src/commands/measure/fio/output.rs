//! Where and in which formats is the result written? To standard output or a file; normal, terse and JSON, in fio's order.

use std::fs::File;
use std::io::{IsTerminal, Write as _};
use std::path::Path;
use std::sync::Mutex;

use anyhow::Context;
use plumb_model::environment::Environment;
use plumb_model::plan::Plan;
use plumb_model::run::Run;
use plumb_model::workload::FioVersion;
use plumb_plan::fio_command::{Formats, Settings};
use plumb_record::exporter::fio_report::{Report, blocks, document, header, lines, version};
use plumb_record::exporter::{Subject, TakeSample};
use plumb_record::read_run;
use plumb_run::derived::{Derived, derive};
use plumb_run::measurement::started;
use plumb_run::stop::Stop;

use super::jobs::Jobs;
use super::shared::fio_version;
use crate::streams::{print, print_exactly};

/// fio's default version of terse output.
const TERSE_VERSION: u8 = 3;

/// The output of the result.
pub struct Sink {
    formats: Formats,
    terse_version: u8,
    fio_version: FioVersion,
    /// Missing: standard output.
    file: Option<(String, Mutex<File>)>,
}

/// The reported data.
pub fn subject(derived: &Derived) -> Subject<'_> {
    Subject {
        run: &derived.run,
        summary: &derived.summary,
        record: None,
        samples: &|_: TakeSample<'_>| Ok(()),
    }
}

impl Sink {
    /// Errors: the file cannot be written.
    pub fn open(settings: &Settings) -> anyhow::Result<Sink> {
        let open = |path: &std::path::PathBuf| {
            let file = File::create(path)
                .with_context(|| format!("--output={}: cannot be written", path.display()))?;
            anyhow::Ok((path.display().to_string(), Mutex::new(file)))
        };
        Ok(Sink {
            formats: settings.formats(),
            terse_version: settings.terse_version.unwrap_or(TERSE_VERSION),
            fio_version: fio_version(settings),
            file: settings.output.as_ref().map(open).transpose()?,
        })
    }

    fn write(&self, text: &str) -> anyhow::Result<()> {
        match &self.file {
            // Names come from job files: escape control characters on a terminal.
            None if std::io::stdout().is_terminal() => print(text),
            None => print_exactly(text.as_bytes()),
            Some((name, file)) => {
                let mut file = file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
                written.with_context(|| format!("--output={name}: cannot be written"))
            }
        }
    }

    /// The header of the normal text, before anything runs; `made`: the lines about files.
    pub fn begin(&self, jobs: &Jobs, made: &str) -> anyhow::Result<()> {
        if !self.formats.normal {
            return Ok(());
        }
        let members = jobs.entries.iter().map(|entry| entry.members).sum();
        let header = header(
            &jobs.entries,
            &jobs.global,
            &version(self.fio_version, env!("CARGO_PKG_VERSION")),
            members,
        );
        self.write(&format!("{header}{made}"))
    }

    /// The seed of each job (`--debug=random`): all that plumb draws for it comes from this one.
    pub fn seeds(&self, plan: &Plan) -> anyhow::Result<()> {
        let jobs = plan.steps.iter().flat_map(|step| &step.jobs);
        let seeds = jobs.filter_map(|job| job.workload.seed);
        let process = std::process::id();
        let lines = seeds.map(|seed| {
            format!(
                "random   {process} FIO_RAND_NR_OFFS=1\nrandom   {process} rand_seeds[0]={seed}\n"
            )
        });
        self.write(&lines.collect::<String>())
    }

    /// fio's line about the signal that ended the jobs; only among normal text, where fio breaks JSON with it.
    pub fn stopped(&self, stop: &Stop) -> anyhow::Result<()> {
        if !self.formats.normal || self.formats.json || self.formats.terse {
            return Ok(());
        }
        let number = if stop.is_requested_by_user() { 2 } else { 15 };
        self.write(&format!("\nfio: terminating on signal {number}\n"))
    }

    /// The result of a plan that could not start: no results, and this error for each job.
    pub fn not_begun(&self, plan: &Plan, jobs: &Jobs, error: &'static str) -> anyhow::Result<()> {
        self.without_run(plan, jobs, Some(error))
    }

    /// The result of listening sections only.
    pub fn only_heard(&self, plan: &Plan, jobs: &Jobs) -> anyhow::Result<()> {
        self.without_run(plan, jobs, None)
    }

    fn without_run(
        &self,
        plan: &Plan,
        jobs: &Jobs,
        error: Option<&'static str>,
    ) -> anyhow::Result<()> {
        let (header, _) = started(plan, Environment::default(), Vec::new(), &[]);
        let run = Run {
            header,
            ticks: Vec::new(),
            readings: Vec::new(),
            notes: Vec::new(),
            doubts: Vec::new(),
        };
        self.tell(&derive(run), jobs, error).map(drop)
    }

    /// The result at the end. True if a job ended with an error.
    pub fn end(&self, derived: &Derived, jobs: &Jobs) -> anyhow::Result<bool> {
        self.tell(derived, jobs, None)
    }

    /// The result of the data recorded so far.
    pub fn so_far(&self, folder: &Path, jobs: &Jobs) -> anyhow::Result<()> {
        self.tell(&derive(read_run(folder)?), jobs, None).map(drop)
    }

    fn tell(
        &self,
        derived: &Derived,
        jobs: &Jobs,
        not_begun: Option<&'static str>,
    ) -> anyhow::Result<bool> {
        let subject = subject(derived);
        let report = Report {
            subject: &subject,
            entries: jobs.entries.clone(),
            global: jobs.global.clone(),
            not_begun,
            fio_version: self.fio_version,
        };
        // fio's order, independent of the order on the command line.
        if self.formats.terse {
            self.write(&lines(&report, self.terse_version))?;
        }
        if self.formats.json {
            self.write(&document(&report, self.formats.json_plus))?;
        }
        if self.formats.normal {
            self.write(&blocks(&report))?;
        }
        Ok(report.errors().iter().any(|(_, number)| *number != 0))
    }
}
