//! Which verbs and flags does the command line have?

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use plumb_model::results::comparison::{
    COMPARED_METRICS, ComparedMetric, Condition, compared_metric,
};
use plumb_model::text::nearest::nearest;
use plumb_model::units::Nanos;
use plumb_words::Language;
use plumb_words::numbers::Units;

use crate::arguments::{LoginArguments, OutputArguments, parse_percent};
use crate::commands::clean::CleanArguments;
use crate::commands::completions::CompletionsArguments;
use crate::commands::config::ConfigArguments;
use crate::commands::manual::ManualArguments;
use crate::commands::measure::copy_test::CopyTestArguments;
use crate::commands::measure::find::arguments::FindArguments;
use crate::commands::measure::fio::arguments::FioArguments;
use crate::commands::measure::launch::arguments::LaunchArguments;
use crate::commands::measure::layers::arguments::{AgentArguments, LayersArguments};
use crate::commands::measure::replay::arguments::ReplayArguments;
use crate::commands::measure::run::arguments::RunArguments;
use crate::commands::observe::trace::TraceArguments;
use crate::commands::observe::trace::arguments::{ExplainArguments, ReportArguments};
use crate::commands::observe::watch::arguments::WatchArguments;
use crate::commands::observe::why::WhyArguments;
use crate::commands::plans::PlansArguments;
use crate::commands::results::serve::arguments::ServeArguments;
use crate::commands::results::share::ShareArguments;
use crate::language;
use crate::listen_at::ListenAt;
use crate::selection::Selection;
use crate::settings::parse_pair;
use crate::{suggestion, verb_groups};

/// Measures, compares and explains storage performance, from device to file share.
#[derive(Debug, Parser)]
#[command(name = "plumb", version, long_version = crate::version::long(), after_help = AFTER_SHORT_HELP, after_long_help = AFTER_HELP, max_term_width = 110)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
    /// Language of reports, verdicts and the live view: en, zh-CN, ja [default: $PLUMB_LANGUAGE, `plumb config`, or the locale]
    #[arg(long, global = true, value_name = "TAG", value_parser = language::named)]
    pub language: Option<Language>,
    /// Units of sizes and bandwidths: decimal (kB, MB, GB: 1000) or binary (KiB, MiB, GiB: 1024) [default: $PLUMB_UNITS, `plumb config`, or binary sizes and decimal bandwidths]
    #[arg(long, global = true, value_name = "WORD")]
    pub units: Option<Units>,
}

const AFTER_SHORT_HELP: &str = "plumb --help describes the commands, sizes, times and exit codes; plumb COMMAND --help one command.";

const AFTER_HELP: &str = "Sizes: k, m, g and KiB, MiB, GiB are powers of 1024 (4k = 4096), as in fio;\nkB, MB, GB are powers of 1000. Times: 10s, 100ms, 5m.\n\
Exit codes: 0 success; 1 success, but with a severe finding or a worse result;\n2 failure, with a message; 130 stopped by Ctrl-C or q, with the results so far kept.";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Check the environment and measure a target in about a minute
    Check(CheckArguments),
    /// Run a plan, or a workload given by flags
    Run(Box<RunArguments>),
    /// List the built-in plans, or print one
    Plans(PlansArguments),
    /// Check whether the environment is fit for measuring
    Doctor(DoctorArguments),
    /// Find the highest rate that meets a latency target
    ///
    /// Searches in an open loop, and repeats the rates next to the limit.
    Find(Box<FindArguments>),
    /// Replay the requests of a trace on a target, at any speed or depth
    Replay(Box<ReplayArguments>),
    /// Compare copy programs: throughput, CPU and correct copies
    CopyTest(Box<CopyTestArguments>),
    /// Measure what each layer costs, from device to share
    ///
    /// Measures device, file system, network and share, and shows the cost of each layer as a waterfall.
    Layers(Box<LayersArguments>),
    /// Run a plan on several hosts at once
    ///
    /// Agents on the hosts are the ranks; one run folder holds the totals and the record of each host.
    Launch(LaunchArguments),
    /// Run the agent that measures for `plumb layers` and `plumb launch`
    Agent(AgentArguments),
    /// Run the network peer for tcp:// and rdma:// targets
    ServeNet(ServeNetArguments),
    /// Run an fio command line, with fio's output and exit codes
    ///
    /// Also used when plumb is called by the name fio.
    Fio(FioArguments),
    /// Compare runs or targets: better, worse, same or undecided
    ///
    /// Compare stored runs, published figures or results of other programs; with --live, measure the sides in interleaved rounds.
    Compare(Box<CompareArguments>),
    /// Show how results change across runs
    Trend(Box<TrendArguments>),
    /// Explain where the time of a program goes, and what would help
    ///
    /// Traces a command or a process, or reads a trace, and accounts for the time of each thread.
    Why(Box<WhyArguments>),
    /// Explain what limits an application, and predict the gain of a fix
    ///
    /// Reads a capture, counters or a run; a second recording shows whether the prediction held.
    Explain(Box<ExplainArguments>),
    /// Trace the I/O calls of an application or an SMB capture
    Trace(TraceArguments),
    /// Watch and record counters of disks, shares, network and CPUs
    ///
    /// Shows them live until Ctrl-C, or while a command runs.
    Watch(Box<WatchArguments>),
    /// Write a run, recording, trace or explanation as a page
    Report(Box<ReportArguments>),
    /// Import results of fio, bonnie++, iozone, dd and others
    ///
    /// Each imported run becomes a run folder.
    Import(ImportArguments),
    /// Export a run as fio JSON, CSV, xlsx, parquet and others
    Export(ExportArguments),
    /// Pack a run into one file to send
    ///
    /// plumb show, report, compare, export and import read the file directly.
    Share(ShareArguments),
    /// Print the JSON schema of --json output
    Schema(SchemaArguments),
    /// List stored runs, or published figures
    List(Box<ListArguments>),
    /// Show a stored run, complete or interrupted
    Show(ShowArguments),
    /// Show stored and running measurements in a browser
    Serve(ServeArguments),
    /// List leftovers of killed runs; remove them with --remove
    Clean(CleanArguments),
    /// Show your defaults (units, language, colors, output folder)
    ///
    /// Prints each value with its origin.
    Config(ConfigArguments),
    /// Print the completion script for a shell
    Completions(CompletionsArguments),
    /// Print a manual page for `man -l -`
    Manual(ManualArguments),
}

/// The command line of plumb, with the commands in groups.
pub fn command() -> Command {
    verb_groups::grouped(Cli::command())
}

/// Reads the command line; prints help and version, and exits. Errors: fio's flags, or a pattern or plan in the wrong position, with the correct command line.
pub fn parse(arguments: &[OsString]) -> Result<Cli, String> {
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let is_unknown = matches!(
                error.kind(),
                ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand
            );
            return Err(is_unknown
                .then(|| suggestion::of(command(), arguments))
                .flatten()
                .unwrap_or_else(|| error.exit()));
        }
    };
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let plan = match &cli.verb {
        Verb::Run(run) => run.plan.as_deref(),
        Verb::Launch(launch) => launch.run.plan.as_deref(),
        _ => None,
    };
    let suggested = plan
        .filter(|plan| suggestion::is_pattern(plan))
        .and_then(|_| suggestion::of(command(), arguments));
    match suggested {
        Some(message) => Err(message),
        None => Ok(cli),
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "In a directory, plumb measures in a scratch folder and removes it at the end. Files and block devices are only read.\n\
The run folder with the record and report.html is created in the current directory; --output changes it."
)]
pub struct CheckArguments {
    /// Directory, file, or block device to measure
    #[arg(default_value = ".")]
    pub target: String,
    /// Size of the test file; at most a tenth of the free space
    #[arg(long)]
    pub size: Option<String>,
    /// Run a short check of about 10 s, including preparation: one short round of eight steps (the plan quick)
    #[arg(long, conflicts_with = "time")]
    pub quick: bool,
    /// Total measured time; steps are scaled to fit
    #[arg(long)]
    pub time: Option<String>,
    /// Rounds of each step; results of 6 rounds or more can be compared
    #[arg(long, value_name = "N")]
    pub rounds: Option<String>,
    /// Threads of the load generator in each step, each with its own queue
    #[arg(long, value_name = "N")]
    pub workers: Option<String>,
    /// Set any key of the plan, or STEP.KEY for one step; may be repeated (`plumb plans check` prints the plan, `plumb plans --keys` the keys)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Print the resolved plan with the origin of each value and an estimate, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub login: LoginArguments,
    #[command(flatten)]
    pub out: OutputArguments,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb compare before.plumb after.plumb --fail-if 'p99 > +10%'\n  \
plumb compare --live blocks /mnt/ext4 /mnt/xfs\n  plumb compare --live my-plan.toml other-plan.toml /mnt/data\n  \
plumb compare results ref:optane-p4800x        (plumb list --references)\n\n\
The first side is the baseline. The unit of comparison is the round, not the single I/O: fewer than five rounds give no verdict.\n\
Exit codes: 0 compared; 1 a metric is worse, or a condition of --fail-if is met; 2 not compared, with a message."
)]
pub struct CompareArguments {
    /// Run folders, results of other programs (`plumb import --list`) and published figures (ref:NAME); with --live: a plan and two or more targets, or several plans and at most one target
    #[arg(required = true, value_name = "SIDE")]
    pub sides: Vec<String>,
    /// Measure the sides now, in randomized interleaved blocks
    #[arg(long)]
    pub live: bool,
    /// Compare only this metric: iops, bandwidth, mean, p50, p90, p99, p99.9, cpu; may be repeated [default: by the kind of step]
    #[arg(long = "metric", value_name = "METRIC", value_parser = parse_metric)]
    pub metrics: Vec<&'static ComparedMetric>,
    /// Treat differences up to this as equal
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub threshold: f64,
    /// Exit with 1 if this condition is proven, and for no other reason: '[STEPS] METRIC > +N%' or '< -N%'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Condition>,
    /// Compare steps even if their workloads differ, and mark them
    #[arg(long)]
    pub any_work: bool,
    #[command(flatten)]
    pub format: ComparisonFormatArguments,
    /// Write the report page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// With --live: minimum rounds of each side [default: 6]
    #[arg(long, value_name = "N", requires = "live", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub rounds: Option<u32>,
    /// With --live: maximum time for extra rounds, until the confidence intervals are narrow enough; the minimum rounds always run [default: 10m]
    #[arg(long, value_name = "TIME", requires = "live")]
    pub budget: Option<Nanos>,
    /// With --live: set any key of the plan, or STEP.KEY for one step; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair, requires = "live")]
    pub set: Vec<(String, String)>,
    /// With --live: allow writing to an existing file or device; name it if it is in use or holds a file system or other signature: --overwrite=/dev/x
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, default_missing_value = "", requires = "live")]
    pub overwrite: Vec<OsString>,
    #[command(flatten)]
    pub login: LoginArguments,
    /// With --live: folder for the runs of all sides and the report; must not exist, or be empty
    #[arg(long, value_name = "FOLDER", requires = "live")]
    pub output: Option<PathBuf>,
    /// With --live: show no live view and no progress
    #[arg(long, requires = "live")]
    pub quiet: bool,
    /// With --live: tag for finding the runs later (`plumb list --tag`); may be repeated
    #[arg(long = "tag", value_name = "WORD", requires = "live")]
    pub tags: Vec<String>,
}

/// How a comparison is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonFormat {
    Text,
    Markdown,
    Junit,
    Github,
    Json,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct ComparisonFormatArguments {
    /// Print Markdown, for a pull request or a ticket
    #[arg(long)]
    markdown: bool,
    /// Print a JUnit report, for GitLab and Jenkins: one test per figure, or per condition of --fail-if
    #[arg(long)]
    junit: bool,
    /// Print GitHub workflow commands, which GitHub shows as annotations: an error for each worse figure or failed condition
    #[arg(long)]
    github: bool,
    /// Print the comparison as JSON (`plumb schema comparison`)
    #[arg(long)]
    json: bool,
}

impl ComparisonFormatArguments {
    pub fn format(&self) -> ComparisonFormat {
        match self {
            Self { markdown: true, .. } => ComparisonFormat::Markdown,
            Self { junit: true, .. } => ComparisonFormat::Junit,
            Self { github: true, .. } => ComparisonFormat::Github,
            Self { json: true, .. } => ComparisonFormat::Json,
            _ => ComparisonFormat::Text,
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb trend nightly --plan check --report trend.html\n  plumb trend --tag release --step 'random-read*' --metric p99\n\n\
Runs are sorted by time; at least 8 are required. A change is a run after which a metric differs for 3 runs or more.\n\
Exit codes: 0 success; 1 a metric is worse since its last change; 2 failure, with a message."
)]
pub struct TrendArguments {
    #[command(flatten)]
    pub selection: Selection,
    /// Show only these steps; * matches any text
    #[arg(
        long,
        value_name = "STEPS",
        default_value = "*",
        hide_default_value = true
    )]
    pub step: String,
    /// Show only this metric: iops, bandwidth, mean, p50, p90, p99, p99.9, cpu; may be repeated [default: by the kind of step]
    #[arg(long = "metric", value_name = "METRIC", value_parser = parse_metric)]
    pub metrics: Vec<&'static ComparedMetric>,
    /// Treat changes up to this as none
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub threshold: f64,
    /// Print the trend as JSON (`plumb schema trend`)
    #[arg(long)]
    pub json: bool,
    /// Write the report page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without FOLDER, the runs that `plumb fio` kept are listed too.\n\nExamples:\n  plumb list\n  plumb list /srv/runs --host box1 --since 7d --tag nightly\n  plumb list /srv/runs --report /srv/runs/index.html
  plumb list --references optane-p4800x"
)]
pub struct ListArguments {
    #[command(flatten)]
    pub selection: Selection,
    /// List the published figures that a run can be compared with, or print one in full
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    pub references: Option<Option<String>>,
    /// Omit the main results, which require reading each complete record
    #[arg(long)]
    pub no_figures: bool,
    /// Print the list as JSON (`plumb schema list`)
    #[arg(long)]
    pub json: bool,
    /// Write the list as a page with links to the pages of the runs
    #[arg(long, value_name = "FILE", conflicts_with = "references")]
    pub report: Option<PathBuf>,
}

fn parse_metric(text: &str) -> Result<&'static ComparedMetric, String> {
    let ids = || {
        COMPARED_METRICS
            .iter()
            .map(|metric| metric.id)
            .collect::<Vec<_>>()
    };
    compared_metric(text).ok_or_else(|| {
        format!(
            "unknown metric{}; choose one of {}",
            nearest(text, &ids()),
            ids().join(", ")
        )
    })
}

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Directory, file, block device, share (smb://user@server/share), peer (tcp://host), or rdma for the adapters of this host
    #[arg(default_value = ".")]
    pub target: String,
    #[command(flatten)]
    pub login: LoginArguments,
    /// Set a key of the connection to a share: nfs=3, dialect=3.0, encryption=true, channels=sessions; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair, conflicts_with = "self_test")]
    pub set: Vec<(String, String)>,
    /// Test every engine of this system on the target instead: operations counted, data verified, depth reached (the plan self-test)
    #[arg(long)]
    pub self_test: bool,
    /// Print facts and findings as JSON (`plumb schema doctor`)
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ShowArguments {
    /// Run folder, or result of another program
    pub folder: PathBuf,
    /// Print the summary as JSON (`plumb schema summary`)
    #[arg(long)]
    pub json: bool,
    /// Print the run as one line, for scripts and chats
    #[arg(long, conflicts_with = "json")]
    pub one_line: bool,
    /// Write the report page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb import fio.json bonnie.csv dd.txt\n  plumb import results/* --output library --tag old-array\n  \
plumb import --rounds night-1.json night-2.json night-3.json\n  plumb import --list\n\n\
The kind of a file is detected from its content. Nothing is overwritten: an existing name gets a number.\n\
Exit codes: 0 all files imported; 2 some or all not imported, each with a message."
)]
pub struct ImportArguments {
    /// Results of other programs
    #[arg(required_unless_present = "list", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Read the files as this kind (`plumb import --list`) instead of detecting it
    #[arg(long = "as", value_name = "KIND")]
    pub kind: Option<String>,
    /// Import all results as rounds of one measurement: one run folder, with confidence intervals
    #[arg(long)]
    pub rounds: bool,
    /// Folder for the run folders [default: the current directory]
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Tag for finding the runs later (`plumb list --tag`); may be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Print the imported runs as JSON (`plumb schema import`)
    #[arg(long)]
    pub json: bool,
    /// List the kinds of files that can be imported
    #[arg(long, conflicts_with_all = ["files", "kind", "rounds", "output", "tags", "json"])]
    pub list: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb export run.plumb --format csv > figures.csv\n  plumb export run.plumb --format xlsx --output figures.xlsx\n  \
plumb export run.plumb --format fio-json-steps --output charts && fio-plot -i charts -T title -r randread -l\n\n\
Text formats go to standard output if --output is omitted. Other formats, and formats of several files, get a new name in the current directory. \
Nothing is overwritten."
)]
pub struct ExportArguments {
    /// Run folder, or result of another program
    #[arg(required_unless_present = "list")]
    pub run: Option<PathBuf>,
    /// Output format (`plumb export --list`)
    #[arg(long, value_name = "NAME", required_unless_present = "list")]
    pub format: Option<String>,
    /// Output file, or folder if the format has several files; a file must not exist, a folder may be empty
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// List the formats
    #[arg(long, conflicts_with_all = ["run", "format", "output"])]
    pub list: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb serve-net --listen any --allow 10.0.0.7     (on one host)\n  plumb run network-stream tcp://that-host          (on the other, 10.0.0.7)\n  \
plumb run netpipe tcp://that-host\n\n\
If --listen is omitted, it serves this host only. Received data is discarded; nothing is encrypted. --allow restricts which hosts may use the network and memory of this host. Stop it with Ctrl-C."
)]
pub struct ServeNetArguments {
    /// Address to listen on, with or without a port, or 'any' for all addresses of this host [default: 127.0.0.1:7473, this host only]
    #[arg(long, value_name = "ADDRESS[:PORT]")]
    pub listen: Option<ListenAt>,
    /// Serve only the host with this address; may be repeated
    #[arg(long = "allow", value_name = "ADDRESS")]
    pub allowed: Vec<std::net::IpAddr>,
    /// Exit after the first client disconnects
    #[arg(long)]
    pub once: bool,
    /// Also provide memory to RDMA peers, through libfabric: 'plumb run rdma rdma://this-host' on the peer [default: port 7474 of the --listen address]
    #[arg(long, value_name = "ADDRESS[:PORT]", num_args = 0..=1, require_equals = true)]
    pub rdma: Option<Option<ListenAt>>,
    /// Memory of this host for all RDMA peers in total [default: 4g, at most a quarter of the memory]
    #[arg(long, value_name = "SIZE", requires = "rdma")]
    pub rdma_memory: Option<String>,
}

#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// Output to describe
    #[arg(value_enum, default_value = "summary")]
    pub what: SchemaOf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// The summary of a run: `plumb run --json`, `plumb check --json`, `plumb show --json`
    Summary,
    /// A resolved plan with its estimate: `plumb run --dry-run --json`
    Plan,
    /// Facts and findings: `plumb doctor --json`
    Doctor,
    /// Adapters and fabrics: `plumb doctor rdma --json`
    DoctorRdma,
    /// A comparison of two or more sides: `plumb compare --json`
    Comparison,
    /// A comparison of copy programs: `plumb copy-test --json`
    Copies,
    /// A trace or capture: `plumb trace --json`
    Trace,
    /// What limits an application: `plumb explain --json`
    Explain,
    /// Where the time of a program goes: `plumb why --json`
    Why,
    /// Counters over time: `plumb watch --json`, `plumb show --json` of a recording
    Watch,
    /// Results across runs: `plumb trend --json`
    Trend,
    /// Stored runs: `plumb list --json`
    List,
    /// The cost of each layer: `plumb layers --json`
    Layers,
    /// Imported runs: `plumb import --json`
    Import,
    /// One interval of a measurement per line: `plumb run --json-lines`
    Interval,
    /// Summary of a run, format plumb-summary-1 (before findings had identifiers)
    #[value(name = "plumb-summary-1")]
    FirstSummary,
    /// Facts and findings, format plumb-doctor-1 (before findings had identifiers)
    #[value(name = "plumb-doctor-1")]
    FirstDoctor,
    /// Comparison, format plumb-comparison-1 (before sentences had identifiers)
    #[value(name = "plumb-comparison-1")]
    FirstComparison,
    /// Copy programs, format plumb-copies-1
    #[value(name = "plumb-copies-1")]
    FirstCopies,
    /// Results across runs, format plumb-trend-1
    #[value(name = "plumb-trend-1")]
    FirstTrend,
    /// Layers, format plumb-layers-1
    #[value(name = "plumb-layers-1")]
    FirstLayers,
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
