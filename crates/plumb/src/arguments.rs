//! Which flags do several verbs share? Those for output and for authentication.

use std::path::PathBuf;

use clap::Args;
use plumb_load::site::{Admission, Overwrite};
use plumb_model::plan::Plan;
use plumb_run::measurement::Request;
use plumb_run::secrets::Login;
use plumb_show::live::run::Wishes;

use crate::commands::observe::watch::arguments::parse_listen;
use crate::listen_at::ListenAt;
use crate::settings::run_folder;
use crate::streams::words;

/// Authentication of the user.
#[derive(Debug, Clone, Default, Args)]
pub struct LoginArguments {
    /// File whose first line is the password of the share's user [default: $PLUMB_PASSWORD, the Kerberos tickets of $KRB5CCNAME, or a prompt]
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
}

impl LoginArguments {
    pub fn login(&self) -> Login {
        Login {
            password_file: self.password_file.clone(),
        }
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct OutputArguments {
    /// Run folder to create; must not exist, or be empty
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Print the summary as JSON on standard output (`plumb schema summary`)
    #[arg(long)]
    pub json: bool,
    /// Print each completed interval as a line of JSON on standard output (`plumb schema interval`), instead of the verdict
    #[arg(long, conflicts_with = "json")]
    pub json_lines: bool,
    /// Serve the latest interval to Prometheus during the run (OpenMetrics, GET /metrics): :PORT for all addresses of this host, or ADDRESS[:PORT] [default port: 9101]
    #[arg(long, alias = "openmetrics", value_name = "ADDRESS", value_parser = parse_listen)]
    pub open_metrics: Option<ListenAt>,
    /// Print the result as one line, for scripts and chats
    #[arg(long, conflicts_with = "json")]
    pub one_line: bool,
    /// Show no live view and no progress
    #[arg(long)]
    pub quiet: bool,
    /// Show findings with evidence and advice, notes and the verdict in full; the default is one line each, and a verdict of at most one screen
    #[arg(long)]
    pub verbose: bool,
    /// Do not write report.html
    #[arg(long)]
    pub no_report: bool,
    /// Tag for finding the run later (`plumb list --tag`); may be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
}

impl OutputArguments {
    /// The request to measure this plan, with the output settings of the command line.
    pub fn request(&self, plan: Plan, admission: Admission, remarks: Vec<String>) -> Request {
        let output = run_folder(self.output.as_ref(), &plan.name);
        Request {
            plan,
            search: None,
            admission,
            output,
            report: !self.no_report,
            quiet: self.quiet,
            tags: self.tags.clone(),
            remarks,
            words: words(),
            wishes: Wishes::default(),
            view: None,
            on_interval: None,
            around_step: None,
        }
    }
}

/// The permission of `--overwrite`: none, existing files and devices, or this one with any content.
pub fn overwrite(flag: Option<&Option<PathBuf>>) -> Overwrite {
    match flag {
        None => Overwrite::No,
        Some(None) => Overwrite::Yes,
        Some(Some(path)) => Overwrite::Named(path.clone()),
    }
}

/// `5%` or `5`, as a fraction.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().trim_end_matches('%').trim_end().parse().ok();
    let percent = number.filter(|percent| *percent > 0.0 && *percent <= 100.0);
    percent.map(|percent| percent / 100.0).ok_or_else(|| {
        format!("'{text}' is not a percentage above 0 and up to 100: write for example 5%")
    })
}
