//! What does a fio job file request, and how does a plan express it? Every option is supported, listed as without effect, or refused by name.
//!
//! The file's format and the meaning of its options are those of fio's HOWTO ("Job file format", "Job file parameters") and of the observed behavior of fio
//! 3.33; if they differ, behavior counts. Nothing is read here: included files, variables and facts of the machine come from the caller.

mod access;
mod as_it_is;
mod companions;
mod content;
mod engines;
mod extent;
mod goals;
mod job_settings;
mod net;
mod numbers;
mod options;
mod pace;
mod pattern_files;
mod remarks;
mod replay;
mod section;
mod steps;
mod surroundings;
mod verification;

#[cfg(test)]
mod tests;

use crate::file::Entry;
use crate::{PlanFile, written};
use plumb_model::keys::Keys;
use plumb_model::plan::{Order, PlanError};

pub use crate::fio_job::companions::{Companion, CompanionWork};
pub use crate::fio_job::content::PATTERN_MAX_BYTES;
pub use crate::fio_job::engines::Nearest;
pub(crate) use crate::fio_job::engines::nearest_to;
pub use crate::fio_job::net::Listener;
pub(crate) use crate::fio_job::numbers::span_ns;
pub use crate::fio_job::options::{Class, OptionKind, options};
pub(crate) use crate::fio_job::section::lines::{
    COMMAND_LINE, JobFileLine, SourceLine, read as read_lines,
};
pub(crate) use crate::fio_job::steps::plan_name;
pub use crate::fio_job::surroundings::Surroundings;

/// A parsed job file.
#[derive(Debug, Clone, PartialEq)]
pub struct FioJob {
    /// The equivalent plan.
    pub plan: PlanFile,
    /// Differences from fio, one sentence each without a period.
    pub remarks: Vec<String>,
    /// Options without effect on the measurement.
    pub idle: Vec<&'static str>,
    /// Commands that it wants to run (`exec_prerun`, `exec_postrun`): why each is refused, unless the user allows them.
    pub commands: Vec<PlanError>,
    /// Sections that are not jobs but listen for jobs of other hosts, or of this one.
    pub listeners: Vec<Listener>,
    /// Sections that move no data but run beside the jobs.
    pub companions: Vec<Companion>,
}

impl FioJob {
    /// Remarks to print: the remarks, and one more that lists options without effect, except those that are `carried_out` anyway.
    pub fn remark_lines(&self, carried_out: &[&str]) -> Vec<String> {
        let idle: Vec<&str> = self
            .idle
            .iter()
            .copied()
            .filter(|option| !carried_out.contains(option))
            .collect();
        let list = (!idle.is_empty())
            .then(|| format!("accepted, without effect here: {}", idle.join(", ")));
        self.remarks.iter().cloned().chain(list).collect()
    }
}

/// The plan of a job file as TOML, with differences from fio as comments above it.
pub fn as_toml(job: &FioJob) -> String {
    written::as_toml(&job.plan, "fio's job file", &job.remark_lines(&[]))
}

/// Reads a job file. `source` names it in messages, and its stem names the plan.
///
/// # Errors
/// Unreadable or unsupported content: file and line, what is wrong, and the closest alternative. All refused options are listed at once.
pub fn read(
    text: &str,
    source: &str,
    surroundings: &mut Surroundings<'_>,
) -> Result<FioJob, PlanError> {
    let lines = section::lines::read(text, source, surroundings)?;
    of_lines(&lines, source, surroundings)
}

/// True for the text of a job file: its first line is a section, and most of its options are fio's. Other programs have sections too (smb.conf, my.cnf), and so
/// have plan files.
pub fn is_job_file(text: &str) -> bool {
    let known = options::options(Keys::get());
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let is_section = |line: &str| {
        line.strip_prefix('[')
            .and_then(|line| line.split_once(']'))
            .is_some_and(|(name, _)| !name.contains(['[', '{', '"']))
    };
    if !lines.next().is_some_and(is_section) {
        return false;
    }
    let (mut of_fio, mut others) = (0u32, 0u32);
    for line in lines.filter(|line| !is_section(line)) {
        let name = line.split(['=', ' ', '\t']).next().unwrap_or_default();
        if name == "include" || options::find(&known, name).is_ok() {
            of_fio += 1;
        } else {
            others += 1;
        }
    }
    of_fio > others
}

/// Interprets lines that were already read, from a job file or from fio's command line.
pub(crate) fn of_lines(
    lines: &[JobFileLine],
    source: &str,
    surroundings: &Surroundings<'_>,
) -> Result<FioJob, PlanError> {
    let keys = Keys::get();
    let sections = section::sections(lines, keys, surroundings)?;
    let mut remarks = remarks::Remarks::default();
    let groups = steps::groups(&sections, keys, &mut remarks)?;
    let commands = ["exec_prerun", "exec_postrun"]
        .into_iter()
        .flat_map(|option| {
            let asking = sections
                .iter()
                .filter(move |section| section.text(option).is_some());
            asking.map(move |section| section.error(option, options::COMMANDS))
        });
    let commands = commands.collect();
    let plan = PlanFile {
        source: source.to_string(),
        name: steps::plan_name(source),
        title: steps::title(&sections, source),
        rounds: groups.rounds,
        order: Order::Sequential,
        defaults: vec![buffered_by_default()],
        steps: groups.steps,
        ..PlanFile::ad_hoc()
    };
    Ok(FioJob {
        plan,
        idle: remarks.idle.clone(),
        commands,
        listeners: groups.listeners,
        companions: groups.companions,
        remarks: remarks.sentences(sections.len()),
    })
}

/// fio uses the page cache unless a job says direct=1, while plans of plumb bypass it.
fn buffered_by_default() -> Entry {
    Entry {
        key: "direct".into(),
        text: "false".into(),
        line: 0,
    }
}
