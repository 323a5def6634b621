//! What does the command line ask of fio itself, beside its jobs? Its output, what is only told, and what plumb does in its own way.

use std::path::PathBuf;

/// In which forms the result is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Formats {
    pub normal: bool,
    pub terse: bool,
    pub json: bool,
    /// JSON with the buckets of latencies; `json` is set too.
    pub json_plus: bool,
}

impl Formats {
    /// A list such as `json,normal`.
    ///
    /// # Errors
    /// A word that is none of them.
    pub fn parse(text: &str) -> Result<Formats, String> {
        let mut formats = Formats::default();
        for word in text.split(',').filter(|word| !word.is_empty()) {
            match word {
                "normal" => formats.normal = true,
                "terse" | "minimal" => formats.terse = true,
                "json" => formats.json = true,
                "json+" => (formats.json, formats.json_plus) = (true, true),
                other => {
                    return Err(format!(
                        "--output-format: '{other}' is not one of normal, terse, json and json+"
                    ));
                }
            }
        }
        if formats == Formats::default() {
            return Err(
                "--output-format needs a value: normal, terse, json, json+, or several with commas"
                    .into(),
            );
        }
        Ok(formats)
    }
}

/// What is told instead of running anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Help,
    Version,
    /// One option, or `all`.
    OptionHelp(String),
    /// The engines, or one of them.
    EngineHelp(Option<String>),
    /// The job files as a command line.
    ShowCommand,
}

/// Everything beside the jobs.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Missing: normal, or what `--minimal` says.
    pub formats: Option<Formats>,
    /// The result goes here instead of to standard output.
    pub output: Option<PathBuf>,
    pub append_terse: bool,
    /// 2 to 5; missing: 3.
    pub terse_version: Option<u8>,
    /// Names of the sections to run; empty: all.
    pub sections: Vec<String>,
    pub readonly: bool,
    pub parse_only: bool,
    pub answer: Option<Answer>,
    /// `auto`, `always` or `never`; missing: auto.
    pub eta: Option<String>,
    /// In nanoseconds: how often it is told how far the jobs are, and how often on a line of its own.
    pub eta_interval_ns: Option<u64>,
    pub eta_newline_ns: Option<u64>,
    /// In nanoseconds: the whole result is written so often while it goes on.
    pub status_interval_ns: Option<u64>,
    /// What ends all jobs from outside: a file that appears, or the end of a time; and what is run then.
    pub trigger_file: Option<PathBuf>,
    pub trigger_timeout_ns: Option<u64>,
    pub trigger: Option<String>,
    pub warnings_fatal: bool,
    /// Where files of fio's state are: the run folder is made there.
    pub aux_path: Option<PathBuf>,
    pub max_jobs: Option<u64>,
    /// Options that have no effect here, in their order.
    pub idle: Vec<&'static str>,
    /// plumb's own: commands of the jobs (`exec_prerun`, `exec_postrun`) may be run.
    pub allow_exec: bool,
    /// plumb's own word on destroying what is there: `--overwrite` alone, or with the path.
    pub overwrite: Option<Option<PathBuf>>,
    /// plumb's own: the run folder, no report, a word by which the run is found again, only the plan.
    pub run_folder: Option<PathBuf>,
    pub no_report: bool,
    pub tags: Vec<String>,
    pub dry_run: bool,
    pub quiet: bool,
}

impl Settings {
    /// The forms in which the result is written.
    pub fn formats(&self) -> Formats {
        let mut formats = self.formats.unwrap_or(Formats {
            normal: true,
            ..Formats::default()
        });
        formats.terse |= self.append_terse;
        formats
    }
}
