//! Which arguments does `plumb watch` have?

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
plumb watch --set share -- rsync -a /mnt/share/ /data/\n  plumb watch disks.plumb                      (show a recording interval by interval; plumb show summarizes it)\n  \
plumb watch start night --set disk --interval 10s; plumb watch status; plumb watch stop night\n  \
plumb watch --loop --duration 1h --keep 24 --output hours    (one recording per hour, keep the newest 24)\n\n\
Rates, sizes and times are derived from kernel counters; 'outstanding' is the average number of requests in flight, by Little's law. Idle devices are recorded but not shown.\n\
On a terminal the view is full-screen: a graph of the selected row, tables, and a key line. The view holds up to 64 MiB of intervals; the record holds all of them. \
With --plain, or if the output is not a terminal, tables are printed one after the other.\n\
A command or a --pid process has its own rows. Its waits for CPUs require root; its waits for block I/O also require kernel.task_delayacct = 1 (sysctl) before it starts.\n\
A file for --set is TOML with any of: sets, sources, disks, interfaces, shares, each a list of names.\n\
Exit codes: 0 watched; 1 watched, but the command exited with a status other than 0; 2 not watched, or stopped before --duration; 130 stopped by Ctrl-C or q before --duration."
)]
#[command(args_conflicts_with_subcommands = true)]
pub struct WatchArguments {
    /// Start, stop or list background recordings
    #[command(subcommand)]
    pub collection: Option<CollectionVerb>,
    /// Recording to show interval by interval: run folder, or counters of Windows Performance Monitor (PDH-CSV)
    #[arg(value_name = "RECORDING", conflicts_with_all = ["sets", "interval", "duration", "output", "no_record", "tags", "disks", "interfaces", "shares", "processes", "ceilings", "open_metrics", "in_loop", "keep", "command"])]
    pub recording: Option<PathBuf>,
    #[command(flatten)]
    pub options: WatchOptions,
    /// Show only, record nothing
    #[arg(long, conflicts_with_all = ["output", "tags", "in_loop"])]
    pub no_record: bool,
    /// Print the figures of the complete recording as JSON at the end, and no tables (`plumb schema watch`)
    #[arg(long, conflicts_with = "in_loop")]
    pub json: bool,
    /// Print no tables of intervals
    #[arg(long)]
    pub quiet: bool,
    /// Print tables one below the other instead of the full-screen view
    #[arg(long)]
    pub plain: bool,
    /// Watch while this command runs; the tables go to standard error
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "duration")]
    pub command: Vec<OsString>,
}

/// The counters to watch, for how long, and where to record them.
#[derive(Debug, Args)]
pub struct WatchOptions {
    /// Counters to watch: disk, share, network, cpu, smb-client, or a file that defines a set; may be repeated [default: all]
    #[arg(long = "set", value_name = "NAME|FILE")]
    pub sets: Vec<String>,
    /// Watch only this disk or partition, by its kernel name; may be repeated
    #[arg(long = "disk", value_name = "NAME")]
    pub disks: Vec<String>,
    /// Watch only this network interface; may be repeated
    #[arg(long = "interface", value_name = "NAME")]
    pub interfaces: Vec<String>,
    /// Watch only this mounted share: mount point of NFS, \\server\share of SMB; may be repeated
    #[arg(long = "share", value_name = "NAME")]
    pub shares: Vec<String>,
    /// Also watch this process and its children: calls, bytes, CPU and waits; may be repeated; a command after -- is always watched
    #[arg(long = "pid", value_name = "PID")]
    pub processes: Vec<u32>,
    /// Run folder whose maximum on its devices and mounted shares is 100 % in the column 'of ceiling'; may be repeated
    #[arg(long = "ceiling", value_name = "RUN")]
    pub ceilings: Vec<PathBuf>,
    /// Time between samples, 100ms or more
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval)]
    pub interval: Nanos,
    /// Stop after this time [default: on Ctrl-C, or when the command exits]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Nanos>,
    /// Record repeatedly until stopped, each --duration in its own run folder
    #[arg(long = "loop", requires = "duration")]
    pub in_loop: bool,
    /// With --loop: keep only the newest N completed recordings [default: all]
    #[arg(long, value_name = "N", requires = "in_loop")]
    pub keep: Option<NonZeroUsize>,
    /// Run folder to create; must not exist, or be empty; with --loop: directory for the run folders
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Tag for finding the recording later (`plumb list --tag`); may be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Serve the latest sample to Prometheus (OpenMetrics, GET /metrics): :PORT for all addresses of this host, or ADDRESS[:PORT] [default port: 9101]
    #[arg(long, alias = "openmetrics", value_name = "ADDRESS", value_parser = parse_listen)]
    pub open_metrics: Option<ListenAt>,
}

#[derive(Debug, Subcommand)]
pub enum CollectionVerb {
    /// Start recording counters in the background, under a name
    Start(Box<StartArguments>),
    /// Stop a background recording, and print its run folder
    Stop(CollectionArguments),
    /// List background recordings
    Status,
}

#[derive(Debug, Args)]
pub struct StartArguments {
    /// Name of the recording; the run folder is NAME.plumb in the current directory, or --output; with --loop, the run folders are in the directory NAME
    #[arg(value_name = "NAME")]
    pub name: String,
    #[command(flatten)]
    pub options: WatchOptions,
    /// Collect in this process
    #[arg(long, hide = true)]
    pub collects: bool,
}

#[derive(Debug, Args)]
pub struct CollectionArguments {
    /// Name of the recording
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// The default port of `--open-metrics`.
const OPEN_METRICS_PORT: u16 = 9101;

impl WatchOptions {
    /// Addresses to serve Prometheus at, of which the first available one is used; empty: none.
    pub fn open_metrics(&self) -> Vec<SocketAddr> {
        self.open_metrics.map_or_else(Vec::new, addresses)
    }
}

/// Addresses to serve Prometheus at, of which the first available one is used.
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
            "{text} is too short: the minimum interval is {}",
            Nanos(INTERVAL_MIN_NS)
        ));
    }
    Ok(interval)
}

fn parse_duration(text: &str) -> Result<Nanos, String> {
    let duration: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    if duration.0 == 0 {
        return Err("must be longer than 0, such as 30s".into());
    }
    Ok(duration)
}
