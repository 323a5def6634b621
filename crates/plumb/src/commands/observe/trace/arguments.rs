//! Which arguments do `plumb explain` and `plumb report` have?

use std::path::PathBuf;

use clap::Args;
use plumb_model::units::{Bytes, Nanos};

use crate::arguments::LoginArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb explain app.pcap                                     (SMB or NFS: tcpdump -i any -w app.pcap port 445 or port 2049)\n  \
plumb explain app.strace                                   (strace -f -ttt -T -o app.strace COMMAND: where its time went, as plumb why)\n  \
plumb explain counters.csv --output before.json            (counters of the Windows SMB client, from typeperf or Perfmon)\n  \
plumb explain before.json counters-after.csv               (check the stored prediction)\n  plumb explain app.pcap --prove --target smb://user@server/share/file     (run the experiment, in interleaved rounds)\n  plumb explain run.plumb --step 'random-read depth=8'\n  plumb explain app.pcap --report page.html                  (a page with figures)\n\n\
A recording that is damaged, too short or has gaps gives no conclusion, and a rule without its required figures gives no finding; --all lists what is missing.\n\
A prediction is a 90 % interval; its coverage is tested against simulated storage with a known limit.\n\
Exit codes: 0 explained; 2 no conclusion, or failure, with a message."
)]
pub struct ExplainArguments {
    /// Trace (capture, file of plumb trace --save, output of strace, blkparse, biosnoop, perf script or ftrace, CSV block trace), counters of an SMB client (PDH-CSV), run folder, or file of --output
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// Second recording, made after the change
    #[arg(value_name = "SECOND")]
    pub second: Option<PathBuf>,
    #[command(flatten)]
    pub part: RecordingPart,
    /// Step of a run folder [default: the last]
    #[arg(long, value_name = "NAME")]
    pub step: Option<String>,
    /// Store the explanation with its prediction in this file, as JSON; must not exist
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a page with findings and figures to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Run the experiment of a finding on --target, in interleaved rounds, and state whether the finding is proven or refuted
    #[arg(long, requires = "target", conflicts_with = "second")]
    pub prove: bool,
    /// With --prove: finding to test, by its rule [default: the first]
    #[arg(long, value_name = "RULE", requires = "prove")]
    pub rule: Option<String>,
    /// With --prove: directory, file, device or share (smb://user@server/share/file); plumb writes only to files that it creates in a folder
    #[arg(long, value_name = "TARGET", requires = "prove")]
    pub target: Option<String>,
    /// With --prove: rounds of each setting
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(2..=1000), requires = "prove")]
    pub rounds: u32,
    /// With --prove: length of each round
    #[arg(long, value_name = "TIME", default_value = "3s", requires = "prove")]
    pub time: String,
    /// With --prove: show no live view and no progress
    #[arg(long, requires = "prove")]
    pub quiet: bool,
    #[command(flatten)]
    pub login: LoginArguments,
    /// List the rules that could not judge, and what each lacks
    #[arg(long)]
    pub all: bool,
    /// Print the explanation as JSON (`plumb schema explain`)
    #[arg(long)]
    pub json: bool,
}

/// The part of a recording, and the maximum bandwidth of its path.
#[derive(Debug, Args)]
pub struct RecordingPart {
    /// Start of the window, from the start of the recording: 30s
    #[arg(long, value_name = "TIME")]
    pub from: Option<Nanos>,
    /// End of the window, from the start of the recording
    #[arg(long, value_name = "TIME")]
    pub to: Option<Nanos>,
    /// Measured maximum bandwidth of the path in bytes per second (plumb run network-stream): 280m
    #[arg(long, value_name = "SIZE")]
    pub ceiling: Option<Bytes>,
    /// Share, mount or disk, if the counters have several: \server\share, /mnt/n, sda [default: the share, else the mount, else the disk with the most bytes]
    #[arg(long, value_name = "NAME")]
    pub share: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb report app.pcap                      (app.html: the limits of the application, and its calls)\n  plumb report counters.csv --ceiling 280m   (counters of the Windows SMB client)\n  \
plumb report before.json                   (file of plumb explain --prove --output: findings with proof)\n  plumb report run.plumb                     (run.plumb/report.html)\n\n\
The page is one file and needs no network. For a recording that is too short or has gaps, the page shows its figures, and the reason why there is no conclusion.\n\
Only a page that plumb wrote is overwritten.\n\
Exit codes: 0 written; 2 not written, with a message."
)]
pub struct ReportArguments {
    /// Run folder, watched counters (folder or PDH-CSV), trace or capture ('-': standard input), file of plumb explain --output, or result of another program
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// Page to write [default: report.html in a run folder; for a file, its name with .html, in the current directory]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub part: RecordingPart,
}
