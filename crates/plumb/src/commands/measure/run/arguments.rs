//! Which arguments does `plumb run` have?

use std::path::PathBuf;

use clap::Args;
use plumb_run::ranks::OnLostRank;

use crate::arguments::{LoginArguments, OutputArguments};
use crate::commands::measure::ranks::parse_on_lost_rank;
use crate::settings::{Settings, parse_pair};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb run depth /mnt/data\n  plumb run my-plan.toml --set rounds=5 --dry-run\n  \
plumb run --target ./x --pattern random-read --block 4k --depth 32 --workers 4 --time 10s\n\n\
Each workload flag sets the key of the same name; set other keys with --set. `plumb plans --keys` lists all keys."
)]
pub struct RunArguments {
    /// Built-in plan (`plumb plans`), plan file (*.toml), fio job file of any name, Iometer configuration file (*.icf), or - for a plan or job file on standard input; if omitted, the flags describe one workload
    pub plan: Option<String>,
    /// Target, same as --target
    #[arg(value_name = "TARGET")]
    pub positional_target: Option<String>,
    #[command(flatten)]
    pub settings: Settings,
    /// Set any key, or STEP.KEY or JOB.KEY for one step or job; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Print the resolved plan with the origin of each value and an estimate, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Allow writing to an existing file or device; name it if it is in use or holds a file system or other signature: --overwrite=/dev/x
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    pub overwrite: Option<Option<PathBuf>>,
    /// With several ranks (mpirun, srun): continue or stop the run if a rank is lost
    #[arg(long, value_name = "continue|stop", default_value = "continue", value_parser = parse_on_lost_rank, hide_short_help = true)]
    pub on_lost_rank: OnLostRank,
    #[command(flatten)]
    pub login: LoginArguments,
    #[command(flatten)]
    pub out: OutputArguments,
}
