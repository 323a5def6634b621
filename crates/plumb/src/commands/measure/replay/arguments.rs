//! Which arguments does `plumb replay` have?

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{LoginArguments, OutputArguments};
use crate::settings::parse_pair;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb replay app.pcap /mnt/data                     (SMB capture: tcpdump -i any -w app.pcap port 445)\n  \
plumb replay app.pcap smb://user@server/share/folder --speed 2\n  plumb replay app.pcap /mnt/data --depth 16 --repeat 6\n  strace -f -ttt -T -o app.strace COMMAND; plumb replay app.strace /mnt/data\n  plumb replay recorded.iolog /dev/x --overwrite=/dev/x\n\n\
Requests start at the times of the trace, even if earlier ones are still outstanding; late starts are reported. In a directory plumb creates its own file,\n\
as large as the trace needs, and fills it first. Reads, writes and flushes are replayed; other calls of the trace are counted and reported.\n\
The requests are kept in the run folder as requests.iolog."
)]
pub struct ReplayArguments {
    /// Trace: SMB capture (pcap, pcapng), output of strace or blkparse, file of plumb trace --save, block trace (CSV of MSR, Alibaba, Tencent), or fio iolog
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Directory, file, device or share (smb://user@server/share/folder)
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// Speed relative to the trace
    #[arg(long, value_name = "N", default_value_t = 1.0, conflicts_with_all = ["as_fast_as_possible", "depth"])]
    pub speed: f64,
    /// Start each request as soon as possible, with as many in flight as the application had at its peak
    #[arg(long)]
    pub as_fast_as_possible: bool,
    /// Start each request as soon as possible, with this many in flight
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub depth: Option<u32>,
    /// Replay this many times, as rounds; results of 6 rounds or more can be compared
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Set any other key, such as replay-divisor=4 or direct=true; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Print the resolved plan with the origin of each value and an estimate, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Allow writing to an existing file or device; name it if it is in use or holds a file system or other signature: --overwrite=/dev/x
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    pub overwrite: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub login: LoginArguments,
    #[command(flatten)]
    pub out: OutputArguments,
}
