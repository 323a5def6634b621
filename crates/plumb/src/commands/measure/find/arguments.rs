//! Which arguments does `plumb find` have?

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use plumb_model::units::Nanos;

use crate::arguments::{LoginArguments, OutputArguments, parse_percent};
use crate::settings::{Settings, parse_pair};

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("goal").required(true).args(["p50", "p90", "p95", "p99", "p999", "p9999"])),
    after_help = "Examples:\n  plumb find /mnt/data --p99 '<1ms'                  (default: random 4 KiB reads)\n  \
plumb find /mnt/data --p999 '<5ms' --pattern random-write --block 16k --size 10g\n  \
plumb find smb://user@server/share --p95 '<20ms' --set mix=read:70,write:30\n\n\
Operations arrive at random (Poisson) at each rate, even if earlier ones are still outstanding; latency counts from the scheduled start, so that queueing is included.\n\
The search doubles the rate until the latency target is missed, bisects, and then repeats the rates on both sides of the limit (--rounds, default 3). The result is the highest\n\
rate that met the target in each round, and the next rate that did not. Steps at low rates take longer, to complete enough operations. The record holds each rate that was tried."
)]
pub struct FindArguments {
    /// Directory, file, device or share (smb://user@server/share)
    #[arg(value_name = "TARGET")]
    pub positional_target: Option<String>,
    /// Latency target for 50 % of the operations, such as '<1ms'
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p50: Option<Nanos>,
    /// Latency target for 90 % of the operations
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p90: Option<Nanos>,
    /// Latency target for 95 % of the operations
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p95: Option<Nanos>,
    /// Latency target for 99 % of the operations
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p99: Option<Nanos>,
    /// Latency target for 99.9 % of the operations
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p999: Option<Nanos>,
    /// Latency target for 99.99 % of the operations
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub p9999: Option<Nanos>,
    /// Smallest step between two rates
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub resolution: f64,
    /// First rate to try, in operations per second [default: high enough to measure the percentile in 3 s]
    #[arg(long, value_name = "RATE")]
    pub start: Option<f64>,
    /// Start no step after this time
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub at_most: Nanos,
    #[command(flatten)]
    pub settings: Settings,
    /// Set any other key; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Allow writing to an existing file or device; name it if it is in use or holds a file system or other signature: --overwrite=/dev/x
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
        format!("'{text}' is not a latency target: write for example '<1ms' or '<500us'")
    })
}
