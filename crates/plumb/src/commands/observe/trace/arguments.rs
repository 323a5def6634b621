//! What can a user say to `plumb explain`, and to `plumb report`?

use std::path::PathBuf;

use clap::Args;
use plumb_model::units::{Bytes, Nanos};

use crate::arguments::LoginArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb explain app.pcap                                     (a capture of SMB: tcpdump -i any -w app.pcap port 445)\n  \
plumb explain app.strace                                   (strace -f -ttt -T -o app.strace COMMAND)\n  \
plumb explain counters.csv --output before.json            (counters of Windows' SMB client, as typeperf and Perfmon write them)\n  \
plumb explain before.json counters-after.csv               (what became of the prediction that was stored)\n  plumb explain app.pcap --prove --target smb://user@server/share/file     (the experiment, in interleaved rounds)\n  plumb explain run.plumb --step 'random-read depth=8'\n  plumb explain app.pcap --report page.html                  (a page with figures)\n\n\
Nothing is concluded from a recording that is damaged, too short or not of one piece, and no rule judges without the figures that it needs: what is missing is said.\n\
A prediction is an interval of 90 %; how often such intervals hold the truth is tested with simulated storage whose limit is known.\n\
Exit codes: 0 explained; 2 nothing could be concluded, or not explained, with a message that says why."
)]
pub struct ExplainArguments {
    /// A trace (a capture, what plumb trace --save kept, a log of strace, blkparse, CSV traces of block storage), counters of an SMB client (PDH-CSV), a run folder, or what --output stored
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// A second recording, made after the change
    #[arg(value_name = "SECOND")]
    pub second: Option<PathBuf>,
    #[command(flatten)]
    pub part: RecordingPart,
    /// Which step of a run folder [default: the last]
    #[arg(long, value_name = "NAME")]
    pub step: Option<String>,
    /// Store the explanation with its prediction in this file, as JSON; it must not exist
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a page with findings and figures to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Carry out the experiment of a finding at --target, in interleaved rounds, and say whether the finding is proven or refuted
    #[arg(long, requires = "target", conflicts_with = "second")]
    pub prove: bool,
    /// With --prove: which finding, by its rule [default: the first]
    #[arg(long, value_name = "RULE", requires = "prove")]
    pub rule: Option<String>,
    /// With --prove: where; a directory, a file, a device or a share (smb://user@server/share/file). Nothing is written but files that plumb makes in a folder
    #[arg(long, value_name = "TARGET", requires = "prove")]
    pub target: Option<String>,
    /// With --prove: rounds of each setting
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(2..=1000), requires = "prove")]
    pub rounds: u32,
    /// With --prove: length of each round
    #[arg(long, value_name = "TIME", default_value = "3s", requires = "prove")]
    pub time: String,
    /// With --prove: no live view and no progress
    #[arg(long, requires = "prove")]
    pub quiet: bool,
    #[command(flatten)]
    pub login: LoginArguments,
    /// Print the explanation as JSON (`plumb schema explain`)
    #[arg(long)]
    pub json: bool,
}

/// Which part of a recording, and what is known of its path.
#[derive(Debug, Args)]
pub struct RecordingPart {
    /// Begin of the window in the recording, from its begin on: 30s
    #[arg(long, value_name = "TIME")]
    pub from: Option<Nanos>,
    /// End of the window in the recording
    #[arg(long, value_name = "TIME")]
    pub to: Option<Nanos>,
    /// Bytes per second that the path carries by a measurement of it (plumb run network-stream): 280m
    #[arg(long, value_name = "SIZE")]
    pub ceiling: Option<Bytes>,
    /// Which share, mount or disk, where the counters have several: \server\share, /mnt/n, sda [default: the share, else the mount, else the disk with the most bytes]
    #[arg(long, value_name = "NAME")]
    pub share: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb report app.pcap                      (app.html: what limits the application, and its calls)\n  plumb report counters.csv --ceiling 280m   (counters of Windows' SMB client)\n  \
plumb report before.json                   (what plumb explain --prove --output stored: the findings with their proof)\n  plumb report run.plumb                     (run.plumb/report.html)\n\n\
The page is one file and needs no network. A recording that is too short or not of one piece has its figures on the page, and the reason why nothing is concluded.\n\
Nothing is overwritten but a page that plumb wrote.\n\
Exit codes: 0 written; 2 not written, with a message that says why."
)]
pub struct ReportArguments {
    /// A run folder, counters that were watched (a folder, PDH-CSV), a trace or a capture ('-': standard input), what plumb explain --output stored, or a result of another program
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// The page [default: report.html in a run folder; for a file its name with .html, in the current directory]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub part: RecordingPart,
}
