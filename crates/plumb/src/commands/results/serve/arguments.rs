//! What can be said of `plumb serve` on the command line?

use std::path::PathBuf;

use clap::Args;

use crate::listen_at::ListenAt;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb serve /srv/runs\n  plumb serve runs --allow-run check --allow-run depth --allow-target /mnt/data\n  \
plumb serve /srv/runs --listen any --token-file token --name storage-lab.example\n\n\
It prints an address with a token once: who opens it sees the library, and nobody else does. Runs are shown and never changed or deleted. What goes over the network \
is not encrypted: from another host, use `ssh -L 7476:localhost:7476 this-host`. It ends on Ctrl-C; a run that it carries out is ended too, and its record is kept."
)]
pub struct ServeArguments {
    /// Folders with runs, with all below them; symbolic links in them are not followed
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folders: Vec<PathBuf>,
    /// Where to listen: an address of this host, with or without a port, or 'any' for all its addresses [default: 127.0.0.1:7476, for this host only]
    #[arg(long, value_name = "ADDRESS[:PORT]")]
    pub listen: Option<ListenAt>,
    /// File whose first line is the token: 16 characters or more, readable by you only [default: a new token, which is printed]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A name by which browsers may call this host, beside its addresses and localhost. May be repeated
    #[arg(long = "name", value_name = "NAME")]
    pub names: Vec<String>,
    /// A plan that browsers may start: a built-in one or a plan file. May be repeated
    #[arg(long = "allow-run", value_name = "PLAN", requires = "targets")]
    pub plans: Vec<String>,
    /// A target on which they may start it; nothing that is there is overwritten. May be repeated
    #[arg(long = "allow-target", value_name = "TARGET", requires = "plans")]
    pub targets: Vec<String>,
}
