//! What may be asked of `plumb run`?

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
A flag is sugar for a key; every other key is given with --set. `plumb plans --keys` lists them all."
)]
pub struct RunArguments {
    /// A built-in plan (`plumb plans`), a plan file (*.toml), a job file of fio by any name, a configuration file of Iometer (*.icf), or - for a plan or job file on standard input; without it, the flags describe one workload
    pub plan: Option<String>,
    /// The same as --target
    #[arg(value_name = "TARGET")]
    pub place: Option<String>,
    #[command(flatten)]
    pub settings: Settings,
    /// Set any key; STEP.KEY or JOB.KEY for one step or job only. May be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Print the resolved plan with each value's origin and an estimate, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Allow writing to an existing file or device; one that is in use or holds a file system or the like must be named: --overwrite=/dev/x
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    pub overwrite: Option<Option<PathBuf>>,
    /// Of many ranks (mpirun, srun): what becomes of the run when one is lost
    #[arg(long, value_name = "continue|stop", default_value = "continue", value_parser = parse_on_lost_rank, hide_short_help = true)]
    pub on_lost_rank: OnLostRank,
    #[command(flatten)]
    pub login: LoginArguments,
    #[command(flatten)]
    pub out: OutputArguments,
}
