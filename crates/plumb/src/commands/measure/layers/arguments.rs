//! Which arguments do `plumb layers` and `plumb agent` have?

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
plumb layers --device /dev/md0 --files /srv/array --share smb://user@localhost/share    everything on one host\n  \
plumb layers --agent server --token-file token --device /dev/md0 --files /srv/array --share smb://user@server/share\n  \
plumb layers --agent server --clients node1,node2 --token-file token --files /srv/array --share smb://user@server/share    two clients at the same time\n  \
plumb layers --files /srv/array --share smb://user@localhost/share --quick              first look, about a minute\n  \
plumb layers --layer array=array.plumb --share smb://user@server/share     server measured earlier\n  \
plumb layers --from plumb-layers-20261121-214100.plumb                     show it again\n\n\
Every layer runs the same workload (plumb plans layers) in interleaved rounds, and is compared with the layer below it. A device is only read unless\n\
--overwrite names it; a mounted or busy device is never written. For a share, its files are also measured through the page cache, and the network with messages of the same size\n\
without storage. An agent on the server measures its layers (plumb agent --help), or they were measured earlier."
)]
pub struct LayersArguments {
    /// Built-in plan or plan file of reads and writes
    #[arg(value_name = "PLAN", default_value = "layers")]
    pub plan: String,
    /// Block device or array; none skips the device below --files
    #[arg(long, value_name = "DEVICE|none")]
    pub device: Option<String>,
    /// Directory on the file system; plumb creates its own files in it and removes them; may be repeated
    #[arg(long, value_name = "DIRECTORY")]
    pub files: Vec<String>,
    /// Network peer: tcp://HOST (plumb serve-net), iperf3://HOST, rdma://HOST, loopback, agent, or none [default: loopback for a share on this host, agent with --agent]
    #[arg(long, value_name = "TARGET")]
    pub network: Option<String>,
    /// Share that plumb accesses directly: smb://[user@]server/share[/path]; may be repeated
    #[arg(long, value_name = "TARGET")]
    pub share: Vec<String>,
    /// Also measure the files through the page cache, like a server that reads for its clients [default: if a share is measured]
    #[arg(long)]
    pub cached: bool,
    /// Layer measured earlier: a name and a run folder; may be repeated
    #[arg(long = "layer", value_name = "NAME=FOLDER", value_parser = parse_pair)]
    pub layers: Vec<(String, String)>,
    /// Show layers measured earlier, from the output folder of this command
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["device", "files", "network", "share", "agent"])]
    pub from: Option<PathBuf>,
    /// Agent that measures --device and --files on its host, and watches its CPUs
    #[arg(long, value_name = "HOST[:PORT]", requires = "token_file")]
    pub agent: Option<String>,
    /// File whose first line is the token of the agent and of the clients
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Agents on clients of the share: they measure network and share at the same time, and the server its layers with as many requests in flight
    #[arg(
        long,
        value_name = "HOST[:PORT],...",
        value_delimiter = ',',
        requires = "token_file"
    )]
    pub clients: Vec<String>,
    /// Block size of the streams [default: 1m]
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Queue depth of a stream [default: 8]
    #[arg(long, value_name = "N")]
    pub depth: Option<String>,
    /// Bytes in use on each layer [default: 1g, the existing size, or a tenth of the free space]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Measured time of each step in each round [default: 2s]
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Set any key of the plan, or STEP.KEY for one step; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// Take a first look: --time 300ms --size 128m --budget 30s, if not given
    #[arg(long)]
    pub quick: bool,
    /// Minimum rounds of each layer
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Maximum time for extra rounds, until the confidence intervals are narrow enough; the minimum rounds always run [default: 5m]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Treat ratios within this as equal
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_percent)]
    pub threshold: f64,
    /// Destroy the content of this device or file, to measure writes on it; may be repeated
    #[arg(long, value_name = "PATH", require_equals = true)]
    pub overwrite: Vec<PathBuf>,
    #[command(flatten)]
    pub login: LoginArguments,
    /// Folder for the runs of all layers and the report; must not exist, or be empty
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Print the waterfall as JSON (`plumb schema layers`)
    #[arg(long)]
    pub json: bool,
    /// Write the report page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Show no live view and no progress
    #[arg(long)]
    pub quiet: bool,
    /// Tag for finding the runs later (`plumb list --tag`); may be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
}

/// Values of `--quick`: bytes in use, measured time of a step, and budget for extra rounds.
const QUICK_SIZE: &str = "128m";
const QUICK_TIME: &str = "300ms";
const QUICK_BUDGET: Nanos = Nanos(30_000_000_000);

impl LayersArguments {
    /// The given value, else the one of `--quick` if that is set.
    fn or_quick(&self, given: &Option<String>, quick: &str) -> Option<String> {
        given.clone().or(self.quick.then(|| quick.to_string()))
    }

    /// The request for the layers.
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
The agent serves one client at a time. It reads allowed targets, and creates and removes its own files in allowed directories; it starts no programs.\n\
The connection is encrypted with keys derived with the token; the token itself is not sent. Messages that measure the network are \
not encrypted, and use a port that is open for the client's address only. Stop it with Ctrl-C; it removes its files."
)]
pub struct AgentArguments {
    /// Address to listen on, with or without a port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:7475", value_parser = parse_listen)]
    pub listen: SocketAddr,
    /// Directory (with everything below it), file, device or share address that clients may use; may be repeated
    #[arg(long = "allow", value_name = "PATH")]
    pub allowed: Vec<PathBuf>,
    /// Device or file whose content clients may destroy; requires --allow for it; may be repeated
    #[arg(long, value_name = "PATH", require_equals = true)]
    pub overwrite: Vec<PathBuf>,
    /// File whose first line is the token: 16 characters or more, readable by you only
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Serve the process that started the agent, over standard input and output (used by plumb launch --ssh)
    #[arg(long, conflicts_with_all = ["listen", "allowed", "overwrite", "token_file"])]
    pub stdio: bool,
    /// Folder for copies of the records on this host
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub output: PathBuf,
}

/// `10.0.0.1:7475`, `[::]:7475`, `10.0.0.1`, `::1`.
fn parse_listen(text: &str) -> Result<SocketAddr, String> {
    let without_port = |text: &str| {
        let address = text.parse::<IpAddr>();
        address.map(|address| SocketAddr::from((address, DEFAULT_PORT)))
    };
    let address = text.parse().or_else(|_| without_port(text));
    address.map_err(|_| {
        format!("write an IP address of this host, such as 0.0.0.0 (all), 10.0.0.1 or [::]:{DEFAULT_PORT}; host names are not looked up")
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
