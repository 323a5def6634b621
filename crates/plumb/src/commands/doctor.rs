//! Is the ground fit to measure on? Facts of machine and target, and what could spoil the figures.

use plumb_analyse::judge_ground;
use plumb_model::environment::Environment;
use plumb_model::finding::Finding;
use plumb_model::target::Target;
use plumb_observe::ground::{Options, look};
use plumb_show::terminal::{Page, environment_text, findings_text};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Outcome, outcome_of};
use crate::cli::DoctorArguments;
use crate::streams::{print, print_json};

/// Name and version of the schema of `plumb doctor --json`.
const SCHEMA: &str = "plumb-doctor-1";

/// What the doctor says.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Examination {
    /// `plumb-doctor-1`.
    pub schema: &'static str,
    /// As the user named it.
    pub target: String,
    pub environment: Environment,
    pub findings: Vec<Finding>,
}

/// `plumb doctor`.
pub fn doctor(arguments: &DoctorArguments) -> anyhow::Result<Outcome> {
    let target: Target = arguments.target.parse()?;
    refuse_missing(&target)?;
    let environment = look(&target, &Options::default());
    let findings = judge_ground(&environment, None);
    let outcome = outcome_of(&findings);
    if arguments.json {
        print_json(&Examination { schema: SCHEMA, target: arguments.target.clone(), environment, findings })?;
        return Ok(outcome);
    }
    let page = Page::of_stdout();
    let judgement = match findings_text(&findings, page) {
        empty if empty.trim().is_empty() => {
            "Nothing was found that would spoil a measurement here, as far as the facts above are known.\n".to_string()
        }
        text => text,
    };
    print(&format!("{}\n{judgement}", environment_text(&environment, page)))?;
    Ok(outcome)
}

/// A target that does not exist has no ground to look at.
pub fn refuse_missing(target: &Target) -> anyhow::Result<()> {
    match target {
        Target::Path(path) => match std::fs::metadata(path) {
            Ok(_) => Ok(()),
            Err(error) => anyhow::bail!("{}: {error}; name a directory, a file or a block device", path.display()),
        },
        Target::Null | Target::Remote(_) => Ok(()),
    }
}
