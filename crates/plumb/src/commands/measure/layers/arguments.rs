//! What may be asked of `plumb layers` and `plumb agent`?

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use plumb_model::units::Nanos;
use plumb_run::agent::DEFAULT_PORT;
use plumb_run::layers::LayersRequest;

use crate::arguments::{LoginArguments, parse_percent};
use crate::settings::{parse_pair, run_folder};
use crate::streams::words;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb layers --files /srv/array                                  the file system and the device under it\n  \
plumb layers --device /dev/md0 --files /srv/array --share smb://user@localhost/share    all of it on one machine\n  \
plumb layers --agent server --token-file token --device /dev/md0 --files /srv/array --share smb://user@server/share\n  \
plumb layers --agent server --clients node1,node2 --token-file token --files /srv/array --share smb://user@server/share    two clients at once\n  \
plumb layers --files /srv/array --share smb://user@localhost/share --quick              a first look, about a minute\n  \
plumb layers --layer array=array.plumb --share smb://user@server/share     the server was measured beforehand\n  \
plumb layers --from plumb-layers-20261121-214100.plumb                     look at it again\n\n\
Every layer does the same work (plumb plans layers) in interleaved rounds, and is compared with the one that it rests on. A device is only read, unless\n\
--overwrite names it, and one that is mounted or in use is never written. Where a share is measured, its files are also measured through the page cache, and messages of the same size\n\
without storage. The server's layers are measured by an agent there (plumb agent --help), or were measured beforehand."
)]
pub struct LayersArguments {
    /// A built-in plan or a plan file of reads and writes
    #[arg(value_name = "PLAN", default_value = "layers")]
    pub plan: String,
    /// A block device or array; none leaves out the one that is found under --files
    #[arg(long, value_name = "DEVICE|none")]
    pub device: Option<String>,
    /// A directory on the file system; files of plumb's own are made there and removed. May be repeated
    #[arg(long, value_name = "DIRECTORY")]
    pub files: Vec<String>,
    /// The other end of the network: tcp://HOST (plumb serve-net), iperf3://HOST, rdma://HOST, loopback, agent, or none [default: loopback for a share on this machine, agent with --agent]
    #[arg(long, value_name = "TARGET")]
    pub network: Option<String>,
    /// A share that plumb itself speaks to: smb://[user@]server/share[/path]. May be repeated
    #[arg(long, value_name = "TARGET")]
    pub share: Vec<String>,
    /// Measure the files through the page cache too, as a server does that reads for its clients [default: where a share is measured]
    #[arg(long)]
    pub cached: bool,
    /// A layer that was measured beforehand: a run folder, with a name for it. May be repeated
    #[arg(long = "layer", value_name = "NAME=FOLDER", value_parser = parse_pair)]
    pub layers: Vec<(String, String)>,
    /// Show layers that were measured before: the folder that this command wrote
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["device", "files", "network", "share", "agent"])]
    pub from: Option<PathBuf>,
    /// The agent that measures --device and --files on its machine, and watches its CPUs meanwhile
    #[arg(long, value_name = "HOST[:PORT]", requires = "token_file")]
    pub agent: Option<String>,
    /// File whose first line is the token of the agent, and of the clients
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Agents on clients of the share: they measure network and share at once, and the server its layers with as many requests in flight
    #[arg(
        long,
        value_name = "HOST[:PORT],...",
        value_delimiter = ',',
        requires = "token_file"
    )]
    pub clients: Vec<String>,
    /// Block of the streams [default: 1m]
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Requests of a stream in flight [default: 8]
    #[arg(long, value_name = "N")]
    pub depth: Option<String>,
    /// Bytes in use on each layer [default: 1g, or what is there, or a tenth of the free space]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Measured time of each step in each round [default: 2s]
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Set any key of the plan; STEP.KEY for one step only. May be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// A first look: --time 300ms --size 128m --budget 30s, unless given otherwise
    #[arg(long)]
    pub quick: bool,
    /// At least so many rounds of each layer
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Go on for at most this long, until the intervals are narrow enough; the rounds asked for are always run [default: 5m]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Ratios within this are the same for all practical purposes
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub threshold: f64,
    /// Destroy what this device or file holds, so that writes can be measured on it. May be repeated
    #[arg(long, value_name = "PATH", require_equals = true)]
    pub overwrite: Vec<PathBuf>,
    #[command(flatten)]
    pub login: LoginArguments,
    /// The folder for the runs of all layers and the report; it must not exist, or be empty
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Print the waterfall as JSON (`plumb schema layers`)
    #[arg(long)]
    pub json: bool,
    /// Write the report page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// No live view and no progress
    #[arg(long)]
    pub quiet: bool,
    /// A word by which the runs are found again. May be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
}

/// Bytes in use and measured time of a step for a first look, and how long it goes on beyond the rounds asked for.
const QUICK_SIZE: &str = "128m";
const QUICK_TIME: &str = "300ms";
const QUICK_BUDGET: Nanos = Nanos(30_000_000_000);

impl LayersArguments {
    /// A value that was given, else the one of a first look where that is asked for.
    fn or_quick(&self, given: &Option<String>, quick: &str) -> Option<String> {
        given.clone().or(self.quick.then(|| quick.to_string()))
    }

    /// What is to be measured.
    pub fn request(&self) -> LayersRequest {
        LayersRequest {
            plan: self.plan.clone(),
            device: self.device.clone(),
            files: self.files.clone(),
            network: self.network.clone(),
            share: self.share.clone(),
            cached: self.cached,
            agent: self.agent.clone(),
            clients: self.clients.clone(),
            token_file: self.token_file.clone(),
            block: self.block.clone(),
            depth: self.depth.clone(),
            size: self.or_quick(&self.size, QUICK_SIZE),
            time: self.or_quick(&self.time, QUICK_TIME),
            set: self.set.clone(),
            overwrite: self.overwrite.clone(),
            output: run_folder(self.output.as_ref(), "layers"),
            tags: self.tags.clone(),
            measured_before: self.layers.len(),
            rounds: self.rounds,
            budget: self.budget.or(self.quick.then_some(QUICK_BUDGET)),
            threshold: self.threshold,
            login: self.login.login(),
            quiet: self.quiet,
            words: words(),
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example, on the server:\n  (umask 077; head -c 24 /dev/urandom | base64 > token)\n  \
plumb agent --allow /srv/array --allow /dev/md0 --token-file token\nand on the client, with a copy of the token:\n  \
plumb layers --agent server --token-file token --device /dev/md0 --files /srv/array --share smb://user@server/share\n\n\
The agent serves one client at a time. It reads what is allowed, and makes and removes files of its own in allowed directories; it starts no programs.\n\
The connection is encrypted with keys that only who has the token can agree on; the token is not sent. The messages that measure the network go \
unencrypted over a port that is opened for the client's address. It ends on Ctrl-C, and leaves its targets clean."
)]
pub struct AgentArguments {
    /// Where to listen: an address of this machine, with a port or without
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:7475", value_parser = parse_listen)]
    pub listen: SocketAddr,
    /// A directory, with all below it, a file or a device that clients may use, or the address of a share. May be repeated
    #[arg(long = "allow", value_name = "PATH")]
    pub allowed: Vec<PathBuf>,
    /// A device or file whose content clients may destroy; it must be allowed too. May be repeated
    #[arg(long, value_name = "PATH", require_equals = true)]
    pub overwrite: Vec<PathBuf>,
    /// File whose first line is the token: 16 characters or more, readable by you only
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Serve the one who started it, over standard input and output: what plumb launch --ssh starts
    #[arg(long, conflicts_with_all = ["listen", "allowed", "overwrite", "token_file"])]
    pub stdio: bool,
    /// The folder in which the records are kept here too
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub output: PathBuf,
}

/// `10.0.0.1:7475`, `[::]:7475`, `10.0.0.1`, `::1`.
fn parse_listen(text: &str) -> Result<SocketAddr, String> {
    let alone = |text: &str| {
        let address = text.parse::<IpAddr>();
        address.map(|address| SocketAddr::from((address, DEFAULT_PORT)))
    };
    let whole = text.parse().or_else(|_| alone(text));
    whole.map_err(|_| {
        format!("an address of this machine is wanted, such as 0.0.0.0 (all), 10.0.0.1 or [::]:{DEFAULT_PORT}; names are not looked up")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_listens_at_an_address_with_or_without_a_port() {
        let parsed = |text: &str| parse_listen(text).map(|at| at.to_string());
        assert_eq!(parsed("10.0.0.1:4000"), Ok("10.0.0.1:4000".into()));
        assert_eq!(parsed("10.0.0.1"), Ok(format!("10.0.0.1:{DEFAULT_PORT}")));
        assert_eq!(parsed("::1"), Ok(format!("[::1]:{DEFAULT_PORT}")));
        assert!(parsed("hosta").is_err_and(|error| error.contains("not looked up")));
    }
}
