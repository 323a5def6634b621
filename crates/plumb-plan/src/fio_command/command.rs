//! Which jobs does a command line request? Its own and those of its job files, with the options for all.

use plumb_model::keys::Keys;
use plumb_model::plan::PlanError;

use crate::fio_command::lines::{
    head, is_global, is_job, kind, option, source_line, source_line_mut,
};
use crate::fio_command::settings::Settings;
use crate::fio_job::{
    COMMAND_LINE, FioJob, JobFileLine, OptionKind, Surroundings, of_lines, options, plan_name,
    read_lines,
};

/// A parsed command line, without its job files.
#[derive(Debug, Default)]
pub struct FioCommand {
    pub settings: Settings,
    /// Job files in their order; `-` is standard input.
    pub files: Vec<String>,
    /// Jobs of the command line.
    pub(super) lines: Vec<JobFileLine>,
}

/// One job as written, for what fio prints about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WrittenJob {
    pub name: String,
    /// Its number among all lines, which steps and jobs of the plan carry as their line.
    pub line: usize,
    /// Its own options with their values; `None`: a flag without a value.
    pub options: Vec<(String, Option<String>)>,
    /// Options from the global sections above it, unless overridden.
    pub inherited: Vec<(String, Option<String>)>,
}

impl WrittenJob {
    /// The value of an option by its first name: the last one counts, and the job's own before global ones. A flag without a value is `1`.
    pub fn value(&self, name: &str) -> Option<&str> {
        Some(self.given(name)?.unwrap_or("1"))
    }

    /// The option itself, found as in [`WrittenJob::value`]; a flag has no value.
    pub fn given(&self, name: &str) -> Option<Option<&str>> {
        let of = |options: &'_ [(String, Option<String>)]| {
            options.iter().rposition(|(option, _)| option == name)
        };
        let own = of(&self.options).map(|index| &self.options[index]);
        let given = own.or_else(|| of(&self.inherited).map(|index| &self.inherited[index]))?;
        Some(given.1.as_deref())
    }

    /// Whether a flag is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value != "0")
    }
}

/// All of it, including its job files.
pub struct Understood {
    pub job: FioJob,
    /// The jobs in their order.
    pub written: Vec<WrittenJob>,
    /// What is given for all jobs.
    pub global: Vec<(String, Option<String>)>,
}

impl FioCommand {
    /// True when there is anything to run.
    pub fn has_jobs(&self) -> bool {
        !self.files.is_empty() || self.lines.iter().any(is_job)
    }

    /// The jobs with those of the files, each of which `text_of` reads.
    ///
    /// # Errors
    /// As of a job file.
    pub fn understood(
        &self,
        text_of: &mut dyn FnMut(&str) -> Result<String, String>,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<Understood, PlanError> {
        let lines = self.all_lines(text_of, surroundings)?;
        let source = match self.files.as_slice() {
            [file] if file != "-" && !self.lines.iter().any(is_job) => file.clone(),
            _ => COMMAND_LINE.to_string(),
        };
        let known = options(Keys::get());
        let written = written(&lines, &known);
        let global = global(&lines, &known);
        let of_work: Vec<JobFileLine> = lines
            .into_iter()
            .filter(|line| !is_of_output(line, &known))
            .collect();
        let mut job = of_lines(&of_work, &source, surroundings)?;
        if source == COMMAND_LINE
            && let Some(first) = written.first()
        {
            job.plan.name = plan_name(&first.name);
        }
        Ok(Understood {
            job,
            written,
            global,
        })
    }

    /// All sections in order, each line with its own number.
    pub(super) fn all_lines(
        &self,
        text_of: &mut dyn FnMut(&str) -> Result<String, String>,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<Vec<JobFileLine>, PlanError> {
        // fio leaves the files that it creates.
        let mut lines = vec![head("global", 0), option("unlink", Some("0".into()), 0)];
        lines.extend(self.lines.iter().cloned());
        let mut last = lines
            .iter()
            .map(|line| source_line(line).outer_line)
            .max()
            .unwrap_or(0);
        let mut begins_anew = false;
        for file in &self.files {
            let name = if file == "-" { "standard input" } else { file };
            let text = text_of(file).map_err(|why| PlanError::at(name, why))?;
            let mut of_file = read_lines(&text, name, surroundings)?;
            for line in &mut of_file {
                source_line_mut(line).outer_line += last;
            }
            // fio begins each file after the first with a new group.
            if begins_anew {
                separate(&mut of_file);
            }
            begins_anew = true;
            last = of_file
                .iter()
                .map(|line| source_line(line).outer_line)
                .max()
                .unwrap_or(last);
            lines.extend(of_file);
        }
        Ok(self.kept(lines))
    }

    /// Without the sections that `--section` does not select.
    fn kept(&self, lines: Vec<JobFileLine>) -> Vec<JobFileLine> {
        let asked = &self.settings.sections;
        let mut keeps = true;
        lines
            .into_iter()
            .filter(|line| {
                if let JobFileLine::Head { name, .. } = line {
                    keeps = asked.is_empty() || is_global(name) || asked.contains(name);
                }
                keeps
            })
            .collect()
    }
}

/// Options for the output only: they do not change the workload, and the output code reads them from [`WrittenJob`].
pub const OF_OUTPUT: &[&str] = &[
    "bwavgtime",
    "clat_percentiles",
    "disable_bw_measurement",
    "disable_clat",
    "disable_lat",
    "lat_percentiles",
    "percentile_list",
    "slat_percentiles",
    "unified_rw_reporting",
    "unit_base",
];

fn is_of_output(line: &JobFileLine, known: &[OptionKind]) -> bool {
    let JobFileLine::Option { key, .. } = line else {
        return false;
    };
    kind(known, key).is_some_and(|kind| OF_OUTPUT.contains(&kind.name))
}

/// Lets the first job of a file wait for all before it.
fn separate(lines: &mut Vec<JobFileLine>) {
    if let Some(at) = lines.iter().position(is_job) {
        let source_line = source_line(&lines[at]).clone();
        let wall = JobFileLine::Option {
            key: "stonewall".into(),
            value: None,
            source_line,
        };
        lines.insert(at + 1, wall);
    }
}

/// An option as it is printed: fio's first name of it.
fn given(key: &str, value: &Option<String>, known: &[OptionKind]) -> (String, Option<String>) {
    let name = kind(known, key).map_or(key, |kind| kind.name);
    (name.to_string(), value.clone())
}

/// Each job with its options.
fn written(lines: &[JobFileLine], known: &[OptionKind]) -> Vec<WrittenJob> {
    let (mut jobs, mut inherited, mut in_global) = (Vec::<WrittenJob>::new(), Vec::new(), true);
    for line in lines {
        match line {
            JobFileLine::Head { name, source_line } => {
                in_global = is_global(name);
                if !in_global {
                    jobs.push(WrittenJob {
                        name: name.clone(),
                        line: source_line.outer_line,
                        options: Vec::new(),
                        inherited: inherited.clone(),
                    });
                }
            }
            JobFileLine::Option { key, value, .. } => {
                let given = given(key, value, known);
                match jobs.last_mut().filter(|_| !in_global) {
                    Some(job) => {
                        if key == "name" {
                            job.name = value.clone().unwrap_or_default();
                        }
                        job.options.push(given);
                    }
                    None => inherited.push(given),
                }
            }
        }
    }
    jobs
}

/// The content of global sections, without what plumb added itself.
fn global(lines: &[JobFileLine], known: &[OptionKind]) -> Vec<(String, Option<String>)> {
    let mut in_global = true;
    let mut found = Vec::new();
    for line in lines {
        match line {
            JobFileLine::Head { name, .. } => in_global = is_global(name),
            JobFileLine::Option {
                key,
                value,
                source_line,
            } if in_global && source_line.line > 0 => found.push(given(key, value, known)),
            JobFileLine::Option { .. } => {}
        }
    }
    found
}
