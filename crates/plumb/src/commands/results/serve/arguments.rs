//! Which arguments does `plumb serve` have?

use std::path::PathBuf;

use clap::Args;

use crate::listen_at::ListenAt;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb serve /srv/runs\n  plumb serve runs --allow-run check --allow-run depth --allow-target /mnt/data\n  \
plumb serve /srv/runs --listen any --token-file token --name storage-lab.example\n\n\
It prints an address with a token once; only browsers with that token see the library. Runs are never changed or deleted. The connection \
is not encrypted: from another host, use `ssh -L 7476:localhost:7476 this-host`. Stop it with Ctrl-C; a measurement in progress is stopped, and its record is kept."
)]
pub struct ServeArguments {
    /// Folders with runs, including subfolders; symbolic links are not followed
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folders: Vec<PathBuf>,
    /// Address to listen on, with or without a port, or 'any' for all addresses of this host [default: 127.0.0.1:7476, this host only]
    #[arg(long, value_name = "ADDRESS[:PORT]")]
    pub listen: Option<ListenAt>,
    /// File whose first line is the token: 16 characters or more, readable by you only [default: a new token, printed at start]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Accept this host name from browsers, in addition to localhost and the addresses of this host; may be repeated
    #[arg(long = "name", value_name = "NAME")]
    pub names: Vec<String>,
    /// Let browsers start this built-in plan or plan file; may be repeated
    #[arg(long = "allow-run", value_name = "PLAN", requires = "targets")]
    pub plans: Vec<String>,
    /// Let browsers start plans on this target; existing data is never overwritten; may be repeated
    #[arg(long = "allow-target", value_name = "TARGET", requires = "plans")]
    pub targets: Vec<String>,
}
