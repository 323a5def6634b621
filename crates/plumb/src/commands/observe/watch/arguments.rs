//! What can a user say to `plumb watch`?

use std::ffi::OsString;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use plumb_model::units::Nanos;
use plumb_run::watch::INTERVAL_MIN_NS;

use crate::listen_at::ListenAt;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb watch                                  (until Ctrl-C)\n  plumb watch --set disk --interval 100ms --duration 30s --output disks.plumb\n  \
plumb watch --set share -- rsync -a /mnt/share/ /data/\n  plumb watch disks.plumb                      (a recording, interval by interval; plumb show gives it as a whole)\n  \
plumb watch start night --set disk --interval 10s; plumb watch status; plumb watch stop night\n  \
plumb watch --loop --duration 1h --keep 24 --output hours    (hour after hour, the newest 24 stay)\n\n\
Rates, sizes and times are derived from the kernel's own counters; 'outstanding' is their number on average, by Little's law. What did nothing is recorded and not shown.\n\
On a terminal the figures fill it: a graph of the picked one, tables, and the keys in the last lines. Keys reach back as far as 64 MiB of intervals do; the record has all. \
With --plain, or when the output goes elsewhere, the tables follow one another.\n\
A command, or a process of --pid, has rows of its own; how long it waited for cores takes root, and for block I/O kernel.task_delayacct = 1 (sysctl) before it began, too.\n\
A file for --set is TOML with any of: sets, sources, disks, interfaces, shares, each a list of names.\n\
Exit codes: 0 watched; 1 watched, and the command did not end with status 0; 2 not watched, or ended before --duration; 130 ended before it by Ctrl-C or the key q."
)]
#[command(args_conflicts_with_subcommands = true)]
pub struct WatchArguments {
    /// Begin, end or list what is recorded in the background
    #[command(subcommand)]
    pub collection: Option<CollectionVerb>,
    /// A recording to show interval by interval: a run folder, or counters of Windows' Performance Monitor (PDH-CSV)
    #[arg(value_name = "RECORDING", conflicts_with_all = ["sets", "interval", "duration", "output", "no_record", "tags", "disks", "interfaces", "shares", "processes", "ceilings", "open_metrics", "in_loop", "keep", "command"])]
    pub recording: Option<PathBuf>,
    #[command(flatten)]
    pub options: WatchOptions,
    /// Look on, and record nothing
    #[arg(long, conflicts_with_all = ["output", "tags", "in_loop"])]
    pub no_record: bool,
    /// Print the figures of the whole recording as JSON at its end, and no tables (`plumb schema watch`)
    #[arg(long, conflicts_with = "in_loop")]
    pub json: bool,
    /// No tables of intervals
    #[arg(long)]
    pub quiet: bool,
    /// Tables one below the other, and no view that fills the terminal
    #[arg(long)]
    pub plain: bool,
    /// Watch while this command runs; the tables then go to the standard error
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "duration")]
    pub command: Vec<OsString>,
}

/// What is watched, how long, and where it is recorded.
#[derive(Debug, Args)]
pub struct WatchOptions {
    /// What to look at: disk, share, network, cpu, smb-client, or a file of your own. May be repeated [default: all]
    #[arg(long = "set", value_name = "NAME|FILE")]
    pub sets: Vec<String>,
    /// Only this disk or partition, by the kernel's name. May be repeated
    #[arg(long = "disk", value_name = "NAME")]
    pub disks: Vec<String>,
    /// Only this network interface. May be repeated
    #[arg(long = "interface", value_name = "NAME")]
    pub interfaces: Vec<String>,
    /// Only this mounted share: the mount point of NFS, \\server\share of SMB. May be repeated
    #[arg(long = "share", value_name = "NAME")]
    pub shares: Vec<String>,
    /// This process too, with its children: calls, bytes, CPU and waits. May be repeated; a command after -- always is
    #[arg(long = "pid", value_name = "PID")]
    pub processes: Vec<u32>,
    /// A measurement by plumb (a run folder): what its devices and mounted shares did at most is the 100 % of the column 'of ceiling'. May be repeated
    #[arg(long = "ceiling", value_name = "RUN")]
    pub ceilings: Vec<PathBuf>,
    /// From one sample to the next, 100ms or more
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval)]
    pub interval: Nanos,
    /// How long [default: until Ctrl-C, or the end of the command]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Nanos>,
    /// Record again and again until it is ended, each --duration in a run folder of its own
    #[arg(long = "loop", requires = "duration")]
    pub in_loop: bool,
    /// With --loop, keep only the newest N of the recordings that it makes, beside the one that goes on [default: all]
    #[arg(long, value_name = "N", requires = "in_loop")]
    pub keep: Option<NonZeroUsize>,
    /// The run folder; it must not exist, or be empty. With --loop, the directory for its run folders
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// A word by which the recording is found again (`plumb list --tag`). May be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Serve the last sample for Prometheus (OpenMetrics, GET /metrics): :PORT for all addresses of this host, or ADDRESS[:PORT] [default port: 9101]
    #[arg(long, alias = "openmetrics", value_name = "ADDRESS", value_parser = parse_listen)]
    pub open_metrics: Option<ListenAt>,
}

#[derive(Debug, Subcommand)]
pub enum CollectionVerb {
    /// Record counters in the background, under a name
    Start(Box<StartArguments>),
    /// End what is recorded under a name, and say where it is
    Stop(CollectionArguments),
    /// List what is recorded in the background
    Status,
}

#[derive(Debug, Args)]
pub struct StartArguments {
    /// By which it is ended; the run folder is NAME.plumb in the current directory, unless --output says otherwise. With --loop, the run folders are in the directory NAME
    #[arg(value_name = "NAME")]
    pub name: String,
    #[command(flatten)]
    pub options: WatchOptions,
    /// This is the process that collects
    #[arg(long, hide = true)]
    pub collects: bool,
}

#[derive(Debug, Args)]
pub struct CollectionArguments {
    /// The name that it was begun with
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// The port of `--open-metrics` when none is named.
const OPEN_METRICS_PORT: u16 = 9101;

impl WatchOptions {
    /// Where Prometheus is served: the first that can be had; empty for nowhere.
    pub fn open_metrics(&self) -> Vec<SocketAddr> {
        self.open_metrics.map_or_else(Vec::new, addresses)
    }
}

/// Where Prometheus is served: the first that can be had.
pub fn addresses(at: ListenAt) -> Vec<SocketAddr> {
    let port = at.port.unwrap_or(OPEN_METRICS_PORT);
    match at.address {
        Some(address) => vec![(address, port).into()],
        None => vec![
            (Ipv6Addr::UNSPECIFIED, port).into(),
            (Ipv4Addr::UNSPECIFIED, port).into(),
        ],
    }
}

pub fn parse_listen(text: &str) -> Result<ListenAt, String> {
    match text.strip_prefix(':') {
        Some(port) => format!("any:{port}").parse(),
        None => text.parse(),
    }
}

fn parse_interval(text: &str) -> Result<Nanos, String> {
    let interval: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    if interval.0 < INTERVAL_MIN_NS {
        return Err(format!(
            "{text} is too short: counters are sampled every {} at most",
            Nanos(INTERVAL_MIN_NS)
        ));
    }
    Ok(interval)
}

fn parse_duration(text: &str) -> Result<Nanos, String> {
    let duration: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    if duration.0 == 0 {
        return Err("it must be longer than nothing, such as 30s".into());
    }
    Ok(duration)
}
