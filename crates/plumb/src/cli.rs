//! Which verbs and flags does the command line have?

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
use crate::commands::plans::PlansArguments;
use crate::commands::results::serve::arguments::ServeArguments;
use crate::commands::results::share::ShareArguments;
use crate::language;
use crate::listen_at::ListenAt;
use crate::selection::Selection;
use crate::settings::parse_pair;

/// Measures, compares and explains storage performance, from device to file share.
#[derive(Debug, Parser)]
#[command(name = "plumb", version, long_version = crate::version::long(), after_help = AFTER, max_term_width = 110)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
    /// The language of reports, verdicts and the live view: en, zh-CN, ja [default: $PLUMB_LANGUAGE, else that of `plumb config`, else that of the locale]
    #[arg(long, global = true, value_name = "TAG", value_parser = language::named)]
    pub language: Option<Language>,
    /// How sizes and bandwidths are written: decimal (kB, MB, GB: 1000) or binary (KiB, MiB, GiB: 1024) [default: $PLUMB_UNITS, else that of `plumb config`, else sizes binary and bandwidths decimal]
    #[arg(long, global = true, value_name = "WORD")]
    pub units: Option<Units>,
}

const AFTER: &str = "Sizes: k, m, g and KiB, MiB, GiB are 1024s (4k = 4096), as in fio; kB, MB, GB are 1000s. Times: 10s, 100ms, 5m.\n\
Exit codes: 0 done; 1 done, with a severe finding or something worse; 2 not done, with a message that says why;\n\
130 stopped by Ctrl-C or the key q: what was measured until then is kept.";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Check the environment, measure the target for about a minute, and say what was found
    Check(CheckArguments),
    /// Run a plan, or a workload from flags
    Run(Box<RunArguments>),
    /// Carry out fio's command line, with fio's output and exit codes; also where plumb is called by the name fio
    Fio(FioArguments),
    /// Is B better, worse, the same as A, or can't we tell? Stored runs, published figures, or both sides measured live
    Compare(Box<CompareArguments>),
    /// Copy programs against each other: how fast, with how much CPU, and is every copy whole?
    CopyTest(Box<CopyTestArguments>),
    /// Up to which rate does a target keep a latency goal? Searched in an open loop, with the rates beside the border repeated
    Find(Box<FindArguments>),
    /// Carry out the requests of a trace again: on another target, faster, or with more in flight
    Replay(Box<ReplayArguments>),
    /// What does each layer cost, from the device over the file system and the network to the share? One waterfall
    Layers(Box<LayersArguments>),
    /// Measure on this machine for `plumb layers` on another one
    Agent(AgentArguments),
    /// Run a plan on several hosts at once: agents there are the ranks, and one run folder holds the sums and each host's record
    Launch(LaunchArguments),
    /// What did an application ask a server for, and what took the time? From a capture of its packets
    Trace(TraceArguments),
    /// What limits an application, what would help, and how much? From a capture, counters or a run; a second recording tells whether it did
    Explain(Box<ExplainArguments>),
    /// What do the counters of disks, shares, network and cores say, now or while a command runs? Shown live, and recorded
    Watch(Box<WatchArguments>),
    /// Write a recording as a page: a run, watched counters, a trace, a capture, or an explanation with its proof
    Report(Box<ReportArguments>),
    /// Did a figure change from run to run, when, and what changed with it?
    Trend(Box<TrendArguments>),
    /// List stored runs, or published figures
    List(Box<ListArguments>),
    /// List the built-in plans, or print one
    Plans(PlansArguments),
    /// Is the environment fit to measure in?
    Doctor(DoctorArguments),
    /// Answer on this host what `plumb run ... tcp://HOST` measures from another
    ServeNet(ServeNetArguments),
    /// Show the library of runs, and those that go on, in a browser
    Serve(ServeArguments),
    /// Take in what other programs measured: fio, bonnie++, iozone, dd, ...; each run becomes a run folder
    Import(ImportArguments),
    /// Write a stored run in a form that other programs read: fio-json, xlsx, parquet, ...
    Export(ExportArguments),
    /// Pack a run into one file to send, which plumb show, report, compare and import read as it is
    Share(ShareArguments),
    /// Show a stored run, finished or killed
    Show(ShowArguments),
    /// List what killed runs left in a directory, and remove it with --remove
    Clean(CleanArguments),
    /// Show what you always want of plumb (units, language, colours, output folder), and where each value comes from
    Config(ConfigArguments),
    /// Print the JSON schema of what --json prints
    Schema(SchemaArguments),
    /// Print the script that completes commands of plumb in a shell
    Completions(CompletionsArguments),
    /// Print a manual page, as `man -l -` reads it
    Manual(ManualArguments),
}

#[derive(Debug, Args)]
#[command(
    after_help = "A directory is measured in a scratch folder that is removed at the end; files and block devices are only read.\n\
The run folder with the record and report.html is made in the current directory, unless --output says otherwise."
)]
pub struct CheckArguments {
    /// A directory, a file, or a block device
    #[arg(default_value = ".")]
    pub target: String,
    /// Size of the test file; never more than a tenth of the free space
    #[arg(long)]
    pub size: Option<String>,
    /// A first look in about 10 s, preparation included: one short round of eight steps (the plan quick)
    #[arg(long, conflicts_with = "time")]
    pub quick: bool,
    /// Measured time in total; the steps are shortened or lengthened to it
    #[arg(long)]
    pub time: Option<String>,
    /// How often each step is measured: figures of 6 rounds or more can be compared
    #[arg(long, value_name = "N")]
    pub rounds: Option<String>,
    /// Threads of the load generator in each step, each with its own queue
    #[arg(long, value_name = "N")]
    pub workers: Option<String>,
    /// Set any key of the plan; STEP.KEY for one step only. May be repeated (`plumb plans check` prints the plan, `plumb plans --keys` lists the keys)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Print the resolved plan with each value's origin and an estimate, and run nothing
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
The first side is the baseline. The unit is the round, never the single I/O: one round says nothing about the spread, with fewer than five nothing is decided.\n\
Exit codes: 0 compared; 1 a figure is worse, or with --fail-if a condition failed; 2 not compared, with a message that says why."
)]
pub struct CompareArguments {
    /// Run folders, results of other programs (`plumb import --list`) and published figures (ref:NAME); with --live: a plan and two or more targets, or several plans and at most one target
    #[arg(required = true, value_name = "SIDE")]
    pub sides: Vec<String>,
    /// Measure the sides now, in randomised interleaved blocks
    #[arg(long)]
    pub live: bool,
    /// Compare only this figure: iops, bandwidth, mean, p50, p90, p99, p99.9, cpu. May be repeated [default: by the kind of step]
    #[arg(long = "metric", value_name = "METRIC", value_parser = parse_metric)]
    pub metrics: Vec<&'static ComparedMetric>,
    /// Differences within this are the same for all practical purposes
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub threshold: f64,
    /// Exit with 1 when this is shown, and not for anything else: '[STEPS] METRIC > +N%' or '< -N%'. May be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Condition>,
    /// Compare steps that did not do the same work, and say so
    #[arg(long)]
    pub any_work: bool,
    /// Print Markdown, for a pull request or a ticket
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print the comparison as JSON (`plumb schema comparison`)
    #[arg(long)]
    pub json: bool,
    /// Write the report page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// With --live: at least so many rounds of each side [default: 6]
    #[arg(long, value_name = "N", requires = "live", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub rounds: Option<u32>,
    /// With --live: go on for at most this long, until the intervals are narrow enough; the rounds asked for are always run [default: 10m]
    #[arg(long, value_name = "TIME", requires = "live")]
    pub budget: Option<Nanos>,
    /// With --live: set any key of the plan; STEP.KEY for one step only. May be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair, requires = "live")]
    pub set: Vec<(String, String)>,
    /// With --live: allow writing to an existing file or device; one that is in use or holds a file system or the like must be named: --overwrite=/dev/x
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, default_missing_value = "", requires = "live")]
    pub overwrite: Vec<OsString>,
    #[command(flatten)]
    pub login: LoginArguments,
    /// With --live: the folder for the runs of all sides and the report; it must not exist, or be empty
    #[arg(long, value_name = "FOLDER", requires = "live")]
    pub output: Option<PathBuf>,
    /// With --live: no live view and no progress
    #[arg(long, requires = "live")]
    pub quiet: bool,
    /// With --live: a word by which the runs are found again. May be repeated
    #[arg(long = "tag", value_name = "WORD", requires = "live")]
    pub tags: Vec<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb trend nightly --plan check --report trend.html\n  plumb trend --tag release --step 'random-read*' --metric p99\n\n\
Runs are sorted by time; 8 or more are needed. A change is a run from which on a figure differs for 3 runs or more.\n\
Exit codes: 0 done; 1 the newest figures are worse than those before their last change; 2 not done, with a message that says why."
)]
pub struct TrendArguments {
    #[command(flatten)]
    pub selection: Selection,
    /// Only these steps; * stands for anything
    #[arg(
        long,
        value_name = "STEPS",
        default_value = "*",
        hide_default_value = true
    )]
    pub step: String,
    /// Only this figure: iops, bandwidth, mean, p50, p90, p99, p99.9, cpu. May be repeated [default: by the kind of step]
    #[arg(long = "metric", value_name = "METRIC", value_parser = parse_metric)]
    pub metrics: Vec<&'static ComparedMetric>,
    /// Changes within this are none for all practical purposes
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
    after_help = "Examples:\n  plumb list\n  plumb list /srv/runs --host box1 --since 7d --tag nightly\n  plumb list /srv/runs --report /srv/runs/index.html
  plumb list --references optane-p4800x"
)]
pub struct ListArguments {
    #[command(flatten)]
    pub selection: Selection,
    /// List the published figures that a run can be compared with, or tell one in full
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    pub references: Option<Option<String>>,
    /// Without the headline figures, for which each record is read as a whole
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
            "there is no such figure{}; choose one of {}",
            nearest(text, &ids()),
            ids().join(", ")
        )
    })
}

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// A directory, a file, a block device, a share (smb://user@server/share), a peer (tcp://host), or rdma for this machine's adapters
    #[arg(default_value = ".")]
    pub target: String,
    #[command(flatten)]
    pub login: LoginArguments,
    /// Set a key of the connection to a share: nfs=3, dialect=3.0, encryption=true, channels=sessions. May be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair, conflicts_with = "self_test")]
    pub set: Vec<(String, String)>,
    /// Try every engine of this system there instead: operations counted, data verified, depth achieved (the plan self-test)
    #[arg(long)]
    pub self_test: bool,
    /// Print facts and findings as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ShowArguments {
    /// A run folder, or a result of another program
    pub folder: PathBuf,
    /// Print the summary as JSON
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
The kind of a file is recognised by what is in it. Nothing is overwritten: a name that is taken gets a number.\n\
Exit codes: 0 all files taken in; 2 some or all were not, each with a message that says why."
)]
pub struct ImportArguments {
    /// What other programs wrote
    #[arg(required_unless_present = "list", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Take the files for this kind (`plumb import --list`) instead of recognising it
    #[arg(long = "as", value_name = "KIND")]
    pub kind: Option<String>,
    /// Take all results for rounds of one measuring: one run folder, whose figures have intervals
    #[arg(long)]
    pub rounds: bool,
    /// The folder that the run folders are made in [default: the current directory]
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// A word by which the runs are found again (`plumb list --tag`). May be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Print what was taken in as JSON (`plumb schema import`)
    #[arg(long)]
    pub json: bool,
    /// List the kinds of files that can be taken in
    #[arg(long, conflicts_with_all = ["files", "kind", "rounds", "output", "tags", "json"])]
    pub list: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb export run.plumb --format csv > figures.csv\n  plumb export run.plumb --format xlsx --output figures.xlsx\n  \
plumb export run.plumb --format fio-json-steps --output charts && fio-plot -i charts -T title -r randread -l\n\n\
A text goes to standard output without --output. Other formats, and those of several files, get a name of their own in the current directory. \
Nothing is overwritten."
)]
pub struct ExportArguments {
    /// A run folder, or a result of another program
    #[arg(required_unless_present = "list")]
    pub run: Option<PathBuf>,
    /// What to write (`plumb export --list`)
    #[arg(long, value_name = "NAME", required_unless_present = "list")]
    pub format: Option<String>,
    /// The file, or the folder where a format has several files; it must not exist, a folder may be empty
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
Without --listen it serves this host only. Nothing that it is sent is stored, and nothing is encrypted: --allow names who may use the network and memory of this host. It ends on Ctrl-C."
)]
pub struct ServeNetArguments {
    /// Where to listen: an address of this host, with or without a port, or 'any' for all its addresses [default: 127.0.0.1:7473, for this host only]
    #[arg(long, value_name = "ADDRESS[:PORT]")]
    pub listen: Option<ListenAt>,
    /// Serve only the host with this address. May be repeated
    #[arg(long = "allow", value_name = "ADDRESS")]
    pub allowed: Vec<std::net::IpAddr>,
    /// End when the first client has gone
    #[arg(long)]
    pub once: bool,
    /// Lend memory to RDMA peers too, through libfabric: 'plumb run rdma rdma://this-host' there [default: port 7474 where --listen listens]
    #[arg(long, value_name = "ADDRESS[:PORT]", num_args = 0..=1, require_equals = true)]
    pub rdma: Option<Option<ListenAt>>,
    /// Memory of this host for all RDMA peers together [default: 4g, or a quarter of what there is]
    #[arg(long, value_name = "SIZE", requires = "rdma")]
    pub rdma_memory: Option<String>,
}

#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// What to describe
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
    /// Two or more sides compared: `plumb compare --json`
    Comparison,
    /// Copy programs compared: `plumb copy-test --json`
    Copies,
    /// What a capture says: `plumb trace --json`
    Trace,
    /// What limits an application: `plumb explain --json`
    Explain,
    /// Counters over time: `plumb watch --json`, `plumb show --json` of a recording
    Watch,
    /// Figures over many runs: `plumb trend --json`
    Trend,
    /// Stored runs: `plumb list --json`
    List,
    /// Layers: `plumb layers --json`
    Layers,
    /// What was taken in: `plumb import --json`
    Import,
    /// One interval of a measurement, a line each: `plumb run --json-lines`
    Interval,
    /// The summary of a run before findings and verdict were statements
    #[value(name = "plumb-summary-1")]
    FirstSummary,
    /// Facts and findings before findings were statements
    #[value(name = "plumb-doctor-1")]
    FirstDoctor,
    /// Comparisons as plumb printed them until their sentences had identifiers and arguments
    #[value(name = "plumb-comparison-1")]
    FirstComparison,
    /// Copy programs as plumb printed them until then
    #[value(name = "plumb-copies-1")]
    FirstCopies,
    /// Figures over many runs as plumb printed them until then
    #[value(name = "plumb-trend-1")]
    FirstTrend,
    /// Layers as plumb printed them until then
    #[value(name = "plumb-layers-1")]
    FirstLayers,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
