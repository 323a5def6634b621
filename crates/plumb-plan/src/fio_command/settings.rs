//! What does the command line request besides jobs? Output, help texts, and settings that plumb handles in its own way.

use std::path::PathBuf;

use plumb_model::workload::FioVersion;

/// Output formats of the result.
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
    /// A word is not one of them.
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

/// Information to print instead of running anything.
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
    /// The text of a compressed log.
    InflatedLog(PathBuf),
}

/// Everything besides the jobs.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Missing: normal, or what `--minimal` says.
    pub formats: Option<Formats>,
    /// File for the result instead of standard output.
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
    /// In nanoseconds: interval of the progress display, and of progress on a separate line.
    pub eta_interval_ns: Option<u64>,
    pub eta_newline_ns: Option<u64>,
    /// In nanoseconds: interval of full interim results.
    pub status_interval_ns: Option<u64>,
    /// External trigger that stops all jobs: a file that appears, or a timeout; and the command to run then.
    pub trigger_file: Option<PathBuf>,
    pub trigger_timeout_ns: Option<u64>,
    pub trigger: Option<String>,
    pub warnings_fatal: bool,
    /// Folder of fio's state files: the run folder is created there.
    pub aux_path: Option<PathBuf>,
    pub max_jobs: Option<u64>,
    /// `--debug=random`: the seeds of the jobs are printed.
    pub shows_seeds: bool,
    /// `--debug=parse`: the limits of steady states are printed.
    pub shows_limits: bool,
    /// Options without effect here, in order.
    pub idle: Vec<&'static str>,
    /// plumb's own: commands of the jobs (`exec_prerun`, `exec_postrun`) may run.
    pub allow_exec: bool,
    /// plumb's own permission to destroy existing data: `--overwrite` alone, or with the path.
    pub overwrite: Option<Option<PathBuf>>,
    /// plumb's own: the run folder, no report, a tag of the run, only print the plan.
    pub run_folder: Option<PathBuf>,
    pub no_report: bool,
    pub tags: Vec<String>,
    pub dry_run: bool,
    pub quiet: bool,
    /// plumb's own: the version of fio in whose form results and verified blocks are written.
    pub fio_version: Option<FioVersion>,
    /// Whether plumb prints notes of its own; `None`: where standard error is a terminal.
    pub notes: Option<bool>,
}

impl Settings {
    /// The output formats of the result.
    pub fn formats(&self) -> Formats {
        let mut formats = self.formats.unwrap_or(Formats {
            normal: true,
            ..Formats::default()
        });
        formats.terse |= self.append_terse;
        formats
    }
}
