//! What can a user say to `plumb find`?

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use plumb_model::units::Nanos;

use crate::arguments::{LoginArguments, OutputArguments, parse_percent};
use crate::settings::{Settings, parse_pair};

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("goal").required(true).args(["p50", "p90", "p95", "p99", "p999", "p9999"])),
    after_help = "Examples:\n  plumb find /mnt/data --p99 '<1ms'                  (random 4 KiB reads, unless told otherwise)\n  \
plumb find /mnt/data --p999 '<5ms' --pattern random-write --block 16k --size 10g\n  \
plumb find smb://user@server/share --p95 '<20ms' --set mix=read:70,write:30\n\n\
Operations arrive at random (Poisson) at each rate, whether or not earlier ones have ended; the time of each counts from when it was due, so that a queue that builds up is seen.\n\
The search doubles the rate until the goal is missed, halves the rest, and then repeats the rates on both sides of the border (--rounds, 3 unless told otherwise): the answer is the highest rate that kept the goal\n\
in each round, and the next one that did not. At low rates steps take longer, so that enough operations end. Each rate that was tried is in the record."
)]
pub struct FindArguments {
    /// Where: a directory, a file, a device or a share (smb://user@server/share)
    #[arg(value_name = "TARGET")]
    pub place: Option<String>,
    /// Half of the operations end within this time, such as '<1ms'
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p50: Option<Nanos>,
    /// 90 % of them do
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p90: Option<Nanos>,
    /// 95 % of them do
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p95: Option<Nanos>,
    /// 99 % of them do
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p99: Option<Nanos>,
    /// 99.9 % of them do
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p999: Option<Nanos>,
    /// 99.99 % of them do
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p9999: Option<Nanos>,
    /// From one rate to the next
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub resolution: f64,
    /// Operations per second that are tried first [default: so many that 3 s are enough for the percentile]
    #[arg(long, value_name = "RATE")]
    pub start: Option<f64>,
    /// No step is begun after this time
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub at_most: Nanos,
    #[command(flatten)]
    pub settings: Settings,
    /// Set any other key. May be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Allow writing to an existing file or device; one that is in use or holds a file system or the like must be named: --overwrite=/dev/x
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    pub overwrite: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub login: LoginArguments,
    #[command(flatten)]
    pub out: OutputArguments,
}

/// `<1ms`, `1ms`.
fn parse_limit(text: &str) -> Result<Nanos, String> {
    let time = text.trim().trim_start_matches('<').trim().replace(' ', "");
    let parsed: Option<Nanos> = time.parse().ok();
    parsed.filter(|limit| limit.0 > 0).ok_or_else(|| {
        format!("'{text}' is no limit of the time: write for example '<1ms' or '<500us'")
    })
}
