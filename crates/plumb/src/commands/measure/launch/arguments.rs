//! Which arguments does `plumb launch` have?

use std::path::PathBuf;

use clap::Args;

use crate::commands::measure::run::arguments::RunArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb launch --hosts node1,node2 --token-file token depth /mnt/share     agents run on the hosts (plumb agent --help)\n  \
plumb launch --hosts node1,node2 --ssh --target /mnt/share --pattern random-read --depth 32 --time 30s\n  \
mpirun -n 64 plumb run depth /mnt/share                                  with MPI\n\n\
Each host runs one rank, or --ranks-per-host. Each rank creates its own files (or its part of shared files: ranks=together); all ranks start each step at the same time. Ctrl-C stops all ranks and keeps the results.\n\
Exit codes: those of plumb run; 2 also if a host was lost."
)]
pub struct LaunchArguments {
    /// Hosts: HOST or HOST:PORT of their agents, or the host name for ssh
    #[arg(
        long,
        value_name = "HOST,HOST,...",
        value_delimiter = ',',
        required = true
    )]
    pub hosts: Vec<String>,
    /// Ranks on each host, reported separately
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub ranks_per_host: u32,
    /// File whose first line is the token of the agents
    #[arg(long, value_name = "FILE", required_unless_present = "ssh")]
    pub token_file: Option<PathBuf>,
    /// Start the agents over ssh for this run, or over another command that takes a host and a command line
    #[arg(long, value_name = "COMMAND", num_args = 0..=1, require_equals = true, default_missing_value = "ssh", conflicts_with = "token_file")]
    pub ssh: Option<String>,
    /// With --ssh: path of plumb on the hosts
    #[arg(long, value_name = "PATH", default_value = "plumb", requires = "ssh")]
    pub program: String,
    #[command(flatten)]
    pub run: RunArguments,
}
