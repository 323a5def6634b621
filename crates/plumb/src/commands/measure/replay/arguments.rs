//! What can a user say to `plumb replay`?

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{LoginArguments, OutputArguments};
use crate::settings::parse_pair;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb replay app.pcap /mnt/data                     (a capture of SMB: tcpdump -i any -w app.pcap port 445)\n  \
plumb replay app.pcap smb://user@server/share/folder --speed 2\n  plumb replay app.pcap /mnt/data --depth 16 --repeat 6\n  strace -f -ttt -T -o app.strace COMMAND; plumb replay app.strace /mnt/data\n  plumb replay recorded.iolog /dev/x --overwrite=/dev/x\n\n\
At the moments of the trace requests start whether or not earlier ones have ended; how late they start is told. In a directory plumb works in a file of its own,\n\
as large as the trace needs, and fills it before. Reads, writes and flushes are carried out; what else the trace holds is counted and told.\n\
The requests stay in the run folder as requests.iolog."
)]
pub struct ReplayArguments {
    /// A trace: a capture of SMB (pcap, pcapng), strace's or blkparse's output, what plumb trace --save kept, a block trace (CSV of MSR, Alibaba, Tencent), or fio's iolog
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Where: a directory, a file, a device or a share (smb://user@server/share/folder)
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// So many times as fast as the trace
    #[arg(long, value_name = "N", default_value_t = 1.0, conflicts_with_all = ["as_fast_as_possible", "depth"])]
    pub speed: f64,
    /// Each request as soon as there is room for it, with as many in flight as the application had at most
    #[arg(long)]
    pub as_fast_as_possible: bool,
    /// The same with so many in flight
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub depth: Option<u32>,
    /// So many times, as rounds: 6 or more can be compared
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Set any other key, such as replay-divisor=4 or direct=true. May be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Print the resolved plan with each value's origin and an estimate, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Allow writing to an existing file or device; one that is in use or holds a file system or the like must be named: --overwrite=/dev/x
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    pub overwrite: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub login: LoginArguments,
    #[command(flatten)]
    pub out: OutputArguments,
}
