//! Which verbs and flags does the command line have?

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::settings::{Settings, parse_pair};

/// Measures, compares and explains storage performance, from device to file share.
#[derive(Debug, Parser)]
#[command(name = "plumb", version, after_help = AFTER, max_term_width = 110)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

const AFTER: &str = "Sizes: 4k = 4096, 1m, 1g. Times: 10s, 100ms, 5m.\n\
Exit codes: 0 done; 1 done, with a severe finding; 2 not done, with a message that says why.";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Look at the ground, measure the target for about a minute, and say what was found
    Check(CheckArguments),
    /// Run a plan, or a workload from flags
    Run(Box<RunArguments>),
    /// List the built-in plans, or print one
    Plans(PlansArguments),
    /// Is the ground fit to measure on?
    Doctor(DoctorArguments),
    /// Show a stored run, finished or killed
    Show(ShowArguments),
    /// Print the JSON schema of what --json prints
    Schema(SchemaArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "A directory is measured in a scratch folder that is removed at the end; files and block devices are only read.\n\
The run folder with the record and report.html is made in the current directory, unless --output says otherwise.")]
pub struct CheckArguments {
    /// A directory, a file, or a block device
    #[arg(default_value = ".")]
    pub target: String,
    /// Size of the test file; never more than a tenth of the free space
    #[arg(long)]
    pub size: Option<String>,
    /// Measured time in total; the steps are shortened or lengthened to it
    #[arg(long)]
    pub time: Option<String>,
    #[command(flatten)]
    pub out: OutputArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plumb run depth /mnt/data\n  plumb run my-plan.toml --set rounds=5 --dry-run\n  \
plumb run --target ./x --pattern random-read --block 4k --depth 32 --workers 4 --time 10s\n\n\
A flag is sugar for a key; every other key is given with --set. `plumb plans --keys` lists them all.")]
pub struct RunArguments {
    /// A built-in plan (`plumb plans`) or a plan file (*.toml); without it, the flags describe one workload
    pub plan: Option<String>,
    /// The same as --target
    #[arg(value_name = "TARGET")]
    pub place: Option<String>,
    #[command(flatten)]
    pub settings: Settings,
    /// Set any key; STEP.KEY or JOB.KEY for one step or job only. May be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Print the resolved plan with each value's origin and an estimate, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Allow writing to an existing file or device; one that is mounted or in use must be named: --overwrite=/dev/x
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    pub overwrite: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub out: OutputArguments,
}

#[derive(Debug, Clone, Args)]
pub struct OutputArguments {
    /// The run folder; it must not exist, or be empty
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Print the summary as JSON on standard output (`plumb schema` documents it)
    #[arg(long)]
    pub json: bool,
    /// No live view and no progress
    #[arg(long)]
    pub quiet: bool,
    /// Write no report.html
    #[arg(long)]
    pub no_report: bool,
}

#[derive(Debug, Args)]
pub struct PlansArguments {
    /// Print this plan as a file: a start for your own
    pub name: Option<String>,
    /// List all keys of a plan with their meaning and default
    #[arg(long, conflicts_with = "name")]
    pub keys: bool,
}

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// A directory, a file, or a block device
    #[arg(default_value = ".")]
    pub target: String,
    /// Print facts and findings as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ShowArguments {
    /// A run folder
    pub folder: PathBuf,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the report page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// What to describe
    #[arg(value_enum, default_value = "summary")]
    pub what: SchemaOf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SchemaOf {
    /// The summary of a run: `plumb run --json`, `plumb check --json`, `plumb show --json`
    Summary,
    /// A resolved plan with its estimate: `plumb run --dry-run --json`
    Plan,
    /// Facts and findings: `plumb doctor --json`
    Doctor,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
