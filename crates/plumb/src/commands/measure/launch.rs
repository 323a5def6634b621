//! How is a plan run on several hosts without MPI? Agents that wait there, or that ssh starts, are the ranks.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use plumb_load::site::Admission;
use plumb_run::agent::token;
use plumb_run::ranks::launch::{LaunchRequest, Way};

use crate::cli::RunArguments;
use crate::commands::Outcome;
use crate::commands::measure::run::resolved;
use crate::outcome::{Detail, launch_and_show};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb launch --hosts node1,node2 --token-file token depth /mnt/share     agents listen there (plumb agent --help)\n  \
plumb launch --hosts node1,node2 --ssh --target /mnt/share --pattern random-read --depth 32 --time 30s\n  \
mpirun -n 64 plumb run depth /mnt/share                                  where there is MPI\n\n\
Each host is one rank: it makes its own files, or uses its own device, and starts each step together with the others. Ctrl-C ends all in good order.\n\
Exit codes: as those of plumb run; 2 also when a host was lost."
)]
pub struct LaunchArguments {
    /// The hosts: HOST or HOST:PORT of their agents, or what ssh is to be given
    #[arg(
        long,
        value_name = "HOST,HOST,...",
        value_delimiter = ',',
        required = true
    )]
    pub hosts: Vec<String>,
    /// File whose first line is the token of the agents
    #[arg(long, value_name = "FILE", required_unless_present = "ssh")]
    pub token_file: Option<PathBuf>,
    /// Start the agents over ssh, for this run only; or over another command that takes a host and a command line
    #[arg(long, value_name = "COMMAND", num_args = 0..=1, require_equals = true, default_missing_value = "ssh", conflicts_with = "token_file")]
    pub ssh: Option<String>,
    /// The program on the hosts, with --ssh
    #[arg(long, value_name = "PATH", default_value = "plumb", requires = "ssh")]
    pub program: String,
    #[command(flatten)]
    pub run: RunArguments,
}

/// `plumb launch`.
pub fn launch_on_hosts(arguments: &LaunchArguments) -> anyhow::Result<Outcome> {
    let run = &arguments.run;
    if run.dry_run {
        bail!("what each host would do is told by plumb run --dry-run there");
    }
    let plan = resolved(run)?;
    let way = match (&arguments.ssh, &arguments.token_file) {
        (Some(command), _) => Way::Shell(command.split_whitespace().map(Into::into).collect()),
        (None, Some(file)) => Way::Agents(token(file)?),
        (None, None) => bail!("name the agents' token with --token-file, or start them with --ssh"),
    };
    let request = run.out.request(plan, Admission::default(), Vec::new());
    let launched = LaunchRequest {
        request,
        hosts: arguments.hosts.clone(),
        way,
        program: arguments.program.clone(),
        overwrite: run.overwrite.is_some(),
        on_lost_rank: run.on_lost_rank,
    };
    launch_and_show(launched, &run.out, Detail::Table)
}
